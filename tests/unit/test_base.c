/* Time arithmetic, memory, diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/time.h"

static void service_time_rounds_up(void **state)
{
    (void)state;
    assert_int_equal(service_ps(0, 12500000000u), 0);
    assert_int_equal(service_ps(1, 12500000000u), 80);
    assert_int_equal(service_ps(1, 3), 333333333334);
    assert_int_equal(service_ps(UINT64_MAX, 1), PS_NEVER);
    assert_int_equal(service_ps(UINT64_MAX, UINT64_MAX), PS_PER_S);
}

static void sums_saturate(void **state)
{
    (void)state;
    assert_int_equal(ps_add(1, 2), 3);
    assert_int_equal(ps_add(PS_NEVER, 1), PS_NEVER);
    assert_int_equal(ps_add(PS_NEVER - 1, 1), PS_NEVER);
}

static void pool_indices_survive_growth(void **state)
{
    (void)state;
    struct pool pool;
    pool_init(&pool, sizeof(uint64_t), "test records");
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t index = pool_take(&pool);
        assert_int_equal(index, i);
        *(uint64_t *)pool_at(&pool, index) = i * 7;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(*(uint64_t *)pool_at(&pool, i), i * 7);
    pool_give(&pool, 13);
    pool_give(&pool, 14);
    assert_int_equal(pool_take(&pool), 14);
    assert_int_equal(pool_take(&pool), 13);
    assert_int_equal(pool_take(&pool), 1000);
    assert_int_equal(pool.live, 1001);
    pool_free(&pool);
}

static void arena_blocks_are_apart_and_zeroed(void **state)
{
    (void)state;
    struct arena arena = {0};
    unsigned char *blocks[300];
    for (int i = 0; i < 300; i++) {
        blocks[i] = arena_alloc(&arena, 1 + (size_t)i * 17);
        for (int j = 0; j < 1 + i * 17; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], i, 1 + (size_t)i * 17);
    }
    for (int i = 0; i < 300; i++)
        assert_int_equal(blocks[i][i * 17], (unsigned char)i);
    arena_free(&arena);
}

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)level;
    strcpy(self, message);
}

static void place_is_shown_with_a_caret(void **state)
{
    (void)state;
    char message[4096];
    diag_set_sink(keep_message, message);
    const char *line = "0 sned 1 7 700 0";
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "rank-1.txt",
                                     .line = 1234,
                                     .column = 3,
                                     .span = 4,
                                     .source = line,
                                     .source_length = strlen(line)},
                "'sned' is not an action%s", diag_did_you_mean("send"));
    diag_set_sink(NULL, NULL);
    assert_string_equal(message, "rank-1.txt:1234:3: error: 'sned' is not an action; did you mean 'send'?\n"
                                 " 1234 | 0 sned 1 7 700 0\n"
                                 "      |   ^~~~\n");
}

static void names_do_not_control_the_terminal(void **state)
{
    (void)state;
    char message[4096];
    const char *line = "\t0 \x1b[31m\xff\xe2\x80\xae sned";
    diag_set_sink(keep_message, message);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "a\x1b]0;title\x07.txt",
                                     .line = 1,
                                     .column = 14,
                                     .span = 4,
                                     .source = line,
                                     .source_length = strlen(line)},
                "'\n\xc2\x9b\xe2\x80\xae' is not \xc3\xa4n action");
    assert_string_equal(
        message,
        "a\\x1b]0;title\\x07.txt:1:14: error: '\\x0a\\xc2\\x9b\\xe2\\x80\\xae' is not \xc3\xa4n action\n"
        " 1 |  0  [31m?? sned\n"
        "   |            ^~~~\n");
    diag_cite(DIAG_NOTE, "made.yaml: error: it\nand more", "of the run %s:", "a\nb");
    assert_string_equal(message, "helio: note: of the run a\\x0ab:\nmade.yaml: error: it\nand more\n");
    diag_set_sink(NULL, NULL);
}

static void a_long_name_leaves_room_for_the_cause(void **state)
{
    (void)state;
    enum { LONG = 30000 };
    static char message[4 * LONG], name[LONG + 1];
    memset(name, '\x1b', LONG);
    diag_set_sink(keep_message, message);
    diag_report(
        DIAG_ERROR,
        &(struct diag_place){
            .file = name, .line = 7, .column = 1, .span = LONG, .source = name, .source_length = LONG},
        "what is wrong with '%s'", name);
    assert_non_null(strstr(message, "...:7:1: error: what is wrong with '\\x1b"));
    assert_string_equal(message + strlen(message) - 3, "~~\n");
    diag_cite(DIAG_ERROR, name, "%s", name);
    assert_int_equal(message[strlen(message) - 1], '\n');
    diag_set_sink(NULL, NULL);
}

static void folders_of_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path, *folder;
    } paths[] = {{"/helio", "/"},  {"/bin/helio", "/bin"},
                 {"helio", "."},   {"a b/helio", "a b"},
                 {"./helio", "."}, {"/", "/"},
                 {"", "."}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *folder = path_folder(paths[i].path);
        assert_string_equal(folder, paths[i].folder);
        free(folder);
    }
}

static void nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"send", "isend", "recv", "hockney.latency"};
    assert_string_equal(diag_nearest_of("sned", words, 4), "send");
    assert_string_equal(diag_nearest_of("hockny.latency", words, 4), "hockney.latency");
    assert_null(diag_nearest_of("barrier", words, 4));
    static const char *const classes[] = {"S", "W", "A", "B", "ECMP"};
    assert_string_equal(diag_nearest_of("b", classes, 5), "B");
    assert_null(diag_nearest_of("3", classes, 5)); /* another letter is another word */
    assert_string_equal(diag_nearest_of("ecmp", classes, 5), "ECMP");
}

/* The definition, in full: the number of edits from the first i bytes of a to the first j of b. */
static size_t plain_distance(const char *a, size_t i, const char *b, size_t j)
{
    if (!i || !j)
        return i + j;
    size_t least = plain_distance(a, i - 1, b, j) + 1;
    size_t inserted = plain_distance(a, i, b, j - 1) + 1;
    size_t replaced = plain_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    least = inserted < least ? inserted : least;
    least = replaced < least ? replaced : least;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        size_t swapped = plain_distance(a, i - 2, b, j - 2) + 1;
        least = swapped < least ? swapped : least;
    }
    return least;
}

static const char *plain_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(word), best = length > 1 ? length / 3 + 2 : 1;
    for (size_t i = 0; i < count; i++) {
        size_t distance = plain_distance(word, length, candidates[i], strlen(candidates[i]));
        if (distance < best) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

/* Leaving out what cannot be near does not change any suggestion. */
static void nearest_word_is_that_of_the_definition(void **state)
{
    (void)state;
    static const char *const words[] = {"",    "a",   "ab",   "ba",   "abc", "acb",
                                        "bca", "cab", "abab", "baba", "ccab"};
    enum { WORDS = sizeof words / sizeof *words, LETTERS = 3, LONGEST = 6 };
    size_t numbers = 1;
    for (size_t length = 0; length <= LONGEST; length++, numbers *= LETTERS)
        for (size_t number = 0; number < numbers; number++) {
            char word[LONGEST + 1] = "";
            for (size_t i = 0, rest = number; i < length; i++, rest /= LETTERS)
                word[i] = (char)('a' + rest % LETTERS);
            assert_ptr_equal(diag_nearest_of(word, words, WORDS), plain_nearest(word, words, WORDS));
        }
}

static size_t asked;

static const char *other_word_at(const void *candidates, size_t index)
{
    (void)candidates, (void)index;
    asked++;
    return "another";
}

static void nearest_word_of_very_many_is_bounded(void **state)
{
    (void)state;
    char longest[65], longer[66];
    memset(longest, 'x', sizeof longest);
    memset(longer, 'x', sizeof longer);
    longest[64] = longer[65] = '\0';
    const char *const words[] = {longer, longest};
    assert_ptr_equal(diag_nearest_of(longest, words, 2), longest);
    assert_null(diag_nearest_of(longer, words, 2));
    asked = 0;
    assert_null(diag_nearest("word", NULL, SIZE_MAX, other_word_at));
    assert_int_equal(asked, 4096);
}

/* What stands in the variable NAME; NULL: it is not set. */
static void set_variable(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void colours_are_refused(void **state)
{
    (void)state;
    set_variable("NO_COLOR", NULL);
    set_variable("TERM", NULL);
    assert_null(diag_colours_refused());
    set_variable("TERM", "xterm");
    assert_null(diag_colours_refused());
    set_variable("TERM", "dumb");
    assert_string_equal(diag_colours_refused(), "TERM is dumb");
    set_variable("NO_COLOR", "");
    assert_string_equal(diag_colours_refused(), "TERM is dumb");
    set_variable("NO_COLOR", "1");
    assert_string_equal(diag_colours_refused(), "NO_COLOR is set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_refused),
        cmocka_unit_test(service_time_rounds_up),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(pool_indices_survive_growth),
        cmocka_unit_test(arena_blocks_are_apart_and_zeroed),
        cmocka_unit_test(place_is_shown_with_a_caret),
        cmocka_unit_test(nearest_word),
        cmocka_unit_test(folders_of_paths),
        cmocka_unit_test(names_do_not_control_the_terminal),
        cmocka_unit_test(a_long_name_leaves_room_for_the_cause),
        cmocka_unit_test(nearest_word_is_that_of_the_definition),
        cmocka_unit_test(nearest_word_of_very_many_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
