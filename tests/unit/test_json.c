/* JSON and the text form of bytes lose nothing, also when memory is short. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "output/json.h"

/* ---------------------------------------------------------- bytes as texts */

static void is_text_of(const char *bytes, const char *text)
{
    char back[256];
    size_t at;
    char *form = bytes_to_text(bytes);
    assert_string_equal(form, text);
    assert_null(bytes_from_text(form, back, &at));
    assert_string_equal(back, bytes);
    free(form);
}

static void bytes_have_one_text_form(void **state)
{
    (void)state;
    is_text_of("", "");
    is_text_of("cg.S.4.tar.zst", "cg.S.4.tar.zst");
    is_text_of("100%25 \xc3\xa9\n", "100%25 \xc3\xa9\n");
    is_text_of("a\xff.tar.zst", "bytes:a%FF.tar.zst");
    is_text_of("%\xc3\xa9 ~\x7f\xc3", "bytes:%25%C3%A9 ~%7F%C3");
    is_text_of("bytes:a", "bytes:bytes:a");
    is_text_of("bytes:%41", "bytes:bytes:%2541");
    is_text_of("bytes", "bytes");
    is_text_of("\xed\xa0\x80", "bytes:%ED%A0%80");
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    struct rng rng = rng_init(7, "bytes");
    for (int i = 0; i < 20000; i++) {
        char bytes[24] = "", back[128];
        size_t length = rng_below(&rng, sizeof bytes), at;
        const char *prefix = i % 3 ? "" : "bytes:";
        for (size_t j = 0; j < length; j++)
            bytes[j] = (char)(1 + rng_below(&rng, i % 2 ? 255 : 127));
        char *whole = mem_format("%s%s", prefix, bytes), *form = bytes_to_text(whole);
        assert_true(bytes_are_utf8(form));
        assert_null(bytes_from_text(form, back, &at));
        assert_string_equal(back, whole);
        json_t *json = json_make_text(whole);
        assert_string_equal(json_string_value(json), form);
        json_decref(json);
        free(form);
        free(whole);
    }
}

static void is_refused(const char *text, const char *reason, size_t expected)
{
    char bytes[64];
    size_t at;
    const char *fault = bytes_from_text(text, bytes, &at);
    assert_non_null(fault);
    assert_non_null(strstr(fault, reason));
    assert_int_equal(at, expected);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    char bytes[16];
    size_t at;
    is_refused("bytes:a%", "hexadecimal", 7);
    is_refused("bytes:%4", "hexadecimal", 6);
    is_refused("bytes:%4g", "hexadecimal", 6);
    is_refused("bytes:a%00b", "the byte 0", 7);
    is_refused("bytes:ab\xff", "printable", 8);
    assert_null(bytes_from_text("bytes:%61%fF", bytes, &at)); /* not the form, but clear */
    assert_string_equal(bytes, "a\xff");
    assert_null(bytes_from_text("a\xff", bytes, &at));
    assert_string_equal(bytes, "a\xff");
}

/* ------------------------------------------------------------------ values */

static void is_line(json_t *json, const char *line)
{
    char *text = json_take_line(json, JSON_EXACT);
    assert_string_equal(text, line);
    free(text);
}

static void every_value_has_a_form(void **state)
{
    (void)state;
    is_line(json_make_number(0.5), "0.5");
    is_line(json_make_number(NAN), "null");
    is_line(json_make_number(-INFINITY), "null");
    is_line(json_make_count(INT64_MAX), "9223372036854775807");
    is_line(json_make_count(UINT64_MAX), "1.8446744073709552e19");
    is_line(json_make_count((__int128)INT64_MAX * INT64_MAX), "8.5070591730234616e37");
    is_line(json_make_count(INT64_MIN), "-9223372036854775808");
    is_line(json_make_text(NULL), "null");
    is_line(json_make_text("a\"\n\xff"), "\"bytes:a\\\"%0A%FF\"");
    is_line(json_make_text("bytes:a"), "\"bytes:bytes:a\"");
    is_line(json_make_value("bytes:a"), "\"bytes:a\"");
    is_line(json_make_value("a\xff"), "\"bytes:a%FF\"");
}

static void members_keep_their_order(void **state)
{
    (void)state;
    json_t *object = json_make_object();
    json_put_count(object, "b", 1);
    json_put(object, "none", NULL);
    json_put_text(object, "a\xff", "x");
    json_put_flag(object, "a", true);
    json_t *copy = json_copy_members(object);
    json_object_del(copy, "b");
    char *sorted = json_sorted_line(object, JSON_EXACT);
    assert_string_equal(sorted, "{\"a\":true,\"b\":1,\"bytes:a%FF\":\"x\"}");
    free(sorted);
    char *spaced = json_spaced_line(object, JSON_EXACT);
    assert_string_equal(spaced, "{\"b\": 1, \"bytes:a%FF\": \"x\", \"a\": true}");
    free(spaced);
    is_line(object, "{\"b\":1,\"bytes:a%FF\":\"x\",\"a\":true}");
    is_line(copy, "{\"bytes:a%FF\":\"x\",\"a\":true}");
}

/* The same text to a reader, without a character that controls a terminal. */
static void written_texts_do_not_control_the_terminal(void **state)
{
    (void)state;
    static const char text[] =
        "\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\\";
    char *written = NULL;
    size_t length;
    FILE *out = open_memstream(&written, &length);
    json_t *json = json_make_list();
    json_add_text(json, text);
    assert_int_equal(json_write(json, JSON_EXACT, out), STATUS_OK);
    json_print("[\"\x1b\xff\"]", out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        written,
        "[\n  \"\\u001B[31m\\u007F\\u009B\\u202E\\u2066 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\\"\\\\\"\n]\n"
        "[\"\\u001B\\uFFFD\"]");
    json_decref(json);
    json = json_read(written, strlen(written) - strlen("[\"\\u001B\\uFFFD\"]"), NULL);
    assert_string_equal(json_string_value(json_array_get(json, 0)), text);
    json_decref(json);
    free(written);
}

static void faults_have_a_place(void **state)
{
    (void)state;
    struct json_fault fault;
    assert_null(json_read("{\n \"a\": }", 9, &fault));
    assert_int_equal(fault.line, 2);
    assert_non_null(strstr(fault.text, "unexpected"));
    assert_null(json_read_object("[]"));
    assert_null(json_read_list("{}"));
    assert_null(json_read_list("[1"));
    assert_null(json_read("[\"a\xff\"]", 7, NULL));
}

static void full_file_is_a_failure(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    json_t *list = json_make_list();
    for (int i = 0; i < 5000; i++)
        json_add_count(list, 7);
    assert_int_equal(json_write(list, JSON_EXACT, full), STATUS_FAILED);
    assert_int_equal(errno, ENOSPC);
    json_decref(list);
    fclose(full);
}

/* ------------------------------------------------------- memory that fails */

/* The allocation of jansson that fails, counted from 1, and whether all later ones fail too. */
static unsigned long allocation, fails_at;
static bool fails_on;

static void *allocate(size_t size)
{
    allocation++;
    if (fails_at && (allocation == fails_at || (fails_on && allocation > fails_at))) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(size);
}

static jmp_buf given_up;
static unsigned messages;

static void give_up(void *self)
{
    (void)self;
    longjmp(given_up, 1);
}

static void count_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    assert_int_equal(level, DIAG_ERROR);
    assert_non_null(strstr(message, "out of memory"));
    messages++;
}

static const char input[] =
    "{\"a name of more than sixteen bytes\":[1234567890123456.5e-12,1234567890123456789,"
    "\"\\u00e9\\ud83d\\ude00 and a text that is longer than two times sixteen bytes\"],"
    "\"b\":{\"c\":[[[{}]]],\"d\":true,\"e\":null,\"f\":-0.125}}";

/* What is allocated before memory is short is lost. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* Makes, copies and writes one of everything. */
static char *make_all(void)
{
    json_t *object = json_make_object(), *list = json_make_list();
    json_put_text(object, "text", "a text that is longer than sixteen bytes \xff");
    json_put_value(object, "value", "bytes:%FF");
    json_put_number(object, "number", 1.5);
    json_put_count(object, "count", 12);
    json_put_flag(object, "flag", false);
    for (int i = 0; i < 40; i++)
        json_add_number(list, i + 0.5);
    json_add_text(list, "\xff");
    json_add_value(list, "v");
    json_add_count(list, 3);
    json_add(list, json_copy_members(object));
    json_put(object, "list", list);
    for (int i = 0; i < 40; i++) {
        char key[8] = {(char)('A' + i), '\0'};
        json_put_count(object, key, (uint64_t)i);
    }
    char *text = json_sorted_line(object, JSON_EXACT);
    json_decref(object);
    return text;
}

/* The length of a text that is read. */
static int text_length;

static char *read_text(void)
{
    char *text = mem_format("{\"a\":\"%0*d\\n\"}", text_length, 7);
    json_t *json = json_read(text, strlen(text), NULL);
    assert_non_null(json);
    free(text);
    return json_take_line(json, JSON_EXACT);
}

static char *read_all(void)
{
    json_t *json = json_read(input, strlen(input), NULL);
    assert_non_null(json);
    return json_take_line(json, JSON_EXACT);
}

static char *write_all(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *json = json_make_object();
    json_put(json, "list", json_make_list());
    json_put_text(json, "text", "words");
    assert_int_equal(json_write(json, 12, out), STATUS_OK);
    json_decref(json);
    fclose(out);
    return text;
}

/* What `work` returns while allocation k fails; NULL: it gave up, with one message. */
static char *result_of(char *(*work)(void), unsigned long k, bool on)
{
    char *volatile text = NULL;
    allocation = 0;
    fails_at = k;
    fails_on = on;
    messages = 0;
    if (!setjmp(given_up))
        text = work();
    fails_at = 0;
    assert_int_equal(messages, !text);
    return text;
}

static void is_whole_or_given_up(char *(*work)(void), bool on)
{
    char *expected = result_of(work, 0, on);
    unsigned long count = allocation;
    size_t ended = 0;
    assert_true(count > 5);
    for (unsigned long k = 1; k <= count; k++) {
        char *text = result_of(work, k, on);
        if (text)
            assert_string_equal(text, expected);
        ended += !text;
        free(text);
    }
    assert_true(ended > 0);
    free(expected);
}

static void no_failed_allocation_changes_a_byte(void **state)
{
    (void)state;
    json_set_alloc_funcs(allocate, free);
    mem_on_failure(give_up, NULL);
    diag_set_sink(count_message, NULL);
    char *(*const works[])(void) = {make_all, read_all, write_all};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        is_whole_or_given_up(works[i], false);
        is_whole_or_given_up(works[i], true);
    }
    for (text_length = 1; text_length < 140; text_length++)
        is_whole_or_given_up(read_text, false);
    diag_set_sink(NULL, NULL);
    mem_on_failure(NULL, NULL);
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_one_text_form),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(every_value_has_a_form),
        cmocka_unit_test(members_keep_their_order),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(written_texts_do_not_control_the_terminal),
        cmocka_unit_test(full_file_is_a_failure),
        cmocka_unit_test(no_failed_allocation_changes_a_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
