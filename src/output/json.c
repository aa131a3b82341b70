#include "output/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/utf8.h"

/* -------------------------------------------------------------------- make */

/* What jansson has made; it makes nothing where it has no memory. */
static json_t *made(json_t *json)
{
    if (!json)
        mem_exhausted("JSON");
    return json;
}

json_t *json_make_object(void)
{
    return made(json_object());
}

json_t *json_make_list(void)
{
    return made(json_array());
}

json_t *json_make_text(const char *text)
{
    if (!text)
        return json_null();
    if (bytes_are_text(text))
        return made(json_string_nocheck(text));
    char *form = bytes_to_text(text);
    json_t *json = made(json_string_nocheck(form));
    free(form);
    return json;
}

json_t *json_make_value(const char *value)
{
    if (!value || !bytes_are_utf8(value))
        return json_make_text(value);
    return made(json_string_nocheck(value));
}

json_t *json_make_number(double number)
{
    return isfinite(number) ? made(json_real(number)) : json_null();
}

json_t *json_make_count(__int128 count)
{
    if (count < INT64_MIN || count > INT64_MAX)
        return json_make_number((double)count);
    return made(json_integer((json_int_t)count));
}

/* ----------------------------------------------------------------- members */

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value))
        mem_exhausted("JSON");
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (!value)
        return;
    if (bytes_are_text(key)) {
        put(object, key, value);
    } else {
        char *form = bytes_to_text(key);
        put(object, form, value);
        free(form);
    }
}

void json_put_text(json_t *object, const char *key, const char *text)
{
    json_put(object, key, json_make_text(text));
}

void json_put_value(json_t *object, const char *key, const char *value)
{
    json_put(object, key, json_make_value(value));
}

void json_put_number(json_t *object, const char *key, double number)
{
    json_put(object, key, json_make_number(number));
}

void json_put_count(json_t *object, const char *key, __int128 count)
{
    json_put(object, key, json_make_count(count));
}

void json_put_flag(json_t *object, const char *key, bool flag)
{
    json_put(object, key, json_boolean(flag));
}

void json_add(json_t *list, json_t *item)
{
    if (json_array_append_new(list, item))
        mem_exhausted("JSON");
}

void json_add_text(json_t *list, const char *text)
{
    json_add(list, json_make_text(text));
}

void json_add_value(json_t *list, const char *value)
{
    json_add(list, json_make_value(value));
}

void json_add_number(json_t *list, double number)
{
    json_add(list, json_make_number(number));
}

void json_add_count(json_t *list, __int128 count)
{
    json_add(list, json_make_count(count));
}

json_t *json_copy_members(const json_t *object)
{
    json_t *copy = json_make_object(), *value;
    const char *key;
    json_object_foreach((json_t *)object, key, value) put(copy, key, json_incref(value));
    return copy;
}

/* ------------------------------------------------------------------- write */

/* The number of a character of Unicode; 0xfffd: it is not UTF-8. All that are not shown have at most three
 * bytes. */
static unsigned character_of(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    switch (bytes) {
    case 1:
        return at[0];
    case 2:
        return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
    case 3:
        return (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    default:
        return 0xfffd;
    }
}

/* jansson gives whole characters. */
static int print(const char *text, size_t length, void *out)
{
    size_t begin = 0, at = 0;
    while (at < length) {
        bool is_plain = (text[at] >= ' ' && text[at] < 0x7f) || text[at] == '\n';
        if (is_plain || utf8_shown_bytes(text + at, length - at)) {
            at += is_plain ? 1 : utf8_bytes(text + at, length - at);
            continue;
        }
        size_t bytes = utf8_bytes(text + at, length - at);
        if (fwrite(text + begin, 1, at - begin, out) != at - begin ||
            fprintf(out, "\\u%04X", character_of(text + at, bytes)) < 0)
            return -1;
        at += bytes ? bytes : 1;
        begin = at;
    }
    return fwrite(text + begin, 1, at - begin, out) == at - begin ? 0 : -1;
}

void json_print(const char *text, FILE *out)
{
    (void)!print(text, strlen(text), out);
}

enum status json_write(const json_t *json, int digits, FILE *out)
{
    bool written =
        json_dump_callback(json, print, out, JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits)) == 0;
    int cause = errno;
    if (!written && !ferror(out))
        mem_exhausted("JSON");
    if (written && fputc('\n', out) != EOF && fflush(out) == 0)
        return STATUS_OK;
    errno = written ? errno : cause;
    return STATUS_FAILED;
}

/* The text is gathered here: jansson's own would have to be freed by the allocator that the program may have
 * given to jansson. */
struct json_gathered {
    char *text;
    size_t length, capacity;
};

static int gather(const char *part, size_t length, void *self)
{
    struct json_gathered *gathered = self;
    gathered->text = mem_grow(gathered->text, &gathered->capacity, gathered->length + length + 1, "JSON");
    memcpy(gathered->text + gathered->length, part, length);
    gathered->length += length;
    return 0;
}

static char *line_of(const json_t *json, size_t flags, int digits)
{
    struct json_gathered gathered = {0};
    if (json_dump_callback(json, gather, &gathered,
                           flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits)))
        mem_exhausted("JSON");
    gather("", 1, &gathered);
    return gathered.text;
}

char *json_line(const json_t *json, int digits)
{
    return line_of(json, JSON_COMPACT, digits);
}

char *json_sorted_line(const json_t *json, int digits)
{
    return line_of(json, JSON_COMPACT | JSON_SORT_KEYS, digits);
}

char *json_spaced_line(const json_t *json, int digits)
{
    return line_of(json, 0, digits);
}

char *json_take_line(json_t *json, int digits)
{
    char *line = json_line(json, digits);
    json_decref(json);
    return line;
}

/* -------------------------------------------------------------------- read */

/* jansson 2.14 keeps the bytes of a token in a buffer, and when there is no memory to enlarge it, the next
 * byte is lost without an error. So the text is read as the second item of a list whose first item is a text
 * of as many x as the longest token can have. If all of them arrive, the buffer has not lost a byte, and need
 * not grow for the second item. The buffer's sizes are powers of two, and it grows when one byte is free.
 * That must not be at the final quotation mark of the first item: where that is lost, jansson reads on behind
 * the buffer. */
enum { FEED_PARTS = 5 };

struct json_feed {
    struct {
        const char *bytes; /* NULL: x */
        size_t length;
    } parts[FEED_PARTS];
    size_t part, at;
};

static size_t feed(void *buffer, size_t size, void *self)
{
    struct json_feed *feed = self;
    while (feed->part < FEED_PARTS && feed->at == feed->parts[feed->part].length) {
        feed->part++;
        feed->at = 0;
    }
    if (feed->part == FEED_PARTS)
        return 0;
    const char *bytes = feed->parts[feed->part].bytes;
    size_t left = feed->parts[feed->part].length - feed->at, length = size < left ? size : left;
    if (bytes)
        memcpy(buffer, bytes + feed->at, length);
    else
        memset(buffer, 'x', length);
    feed->at += length;
    return length;
}

/* At least the length of the longest token, with its quotation marks. */
static size_t longest_token(const char *text, size_t length)
{
    size_t longest = 0, begin = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            longest = i + 1 - begin > longest ? i + 1 - begin : longest;
            begin = i;
        }
    }
    return length - begin > longest ? length - begin : longest;
}

/* NULL: the text is not an object or a list, or there is not enough memory. */
static json_t *read_whole(const char *text, size_t length, json_error_t *error)
{
    size_t padding = longest_token(text, length);
    bool grows_at_end = ((padding + 2) & (padding + 1)) == 0;
    padding += grows_at_end;
    struct json_feed source = {
        .parts = {{"[\"", 2}, {NULL, padding}, {"\",\n", 3}, {text, length}, {"\n]", 2}}};
    json_t *list = json_load_callback(feed, &source, 0, error), *json = json_array_get(list, 1);
    bool whole = json_array_size(list) == 2 && json_string_length(json_array_get(list, 0)) == padding;
    json = whole && (json_is_object(json) || json_is_array(json)) ? json_incref(json) : NULL;
    json_decref(list);
    return json;
}

static void set_fault(struct json_fault *fault, const json_error_t *error)
{
    *fault = (struct json_fault){.line = error->line > 0 ? (uint64_t)error->line : 0,
                                 .column = error->column > 0 ? (uint32_t)error->column : 0};
    snprintf(fault->text, sizeof fault->text, "%s", error->text);
}

json_t *json_read(const char *text, size_t length, struct json_fault *fault)
{
    json_error_t error, plain;
    json_t *json = read_whole(text, length, &error);
    if (json)
        return json;
    /* Again, for the right place in the error. What is read now was not read before for lack of memory, or
     * has as many levels as jansson reads. */
    bool deep = json_error_code(&error) == json_error_stack_overflow;
    json_t *again = json_loadb(text, length, 0, &plain);
    json_t *small = json_integer(0);
    if ((again && !deep) || !small)
        mem_exhausted("JSON");
    json_decref(small);
    json_decref(again);
    if (fault)
        set_fault(fault, deep ? &error : &plain);
    return NULL;
}

enum { JSON_FILE_AT_MOST = 1 << 30 };

/* Frees JSON of another type. */
static json_t *only(json_type type, json_t *json)
{
    if (json && json_typeof(json) == type)
        return json;
    json_decref(json);
    return NULL;
}

json_t *json_read_object(const char *text)
{
    return only(JSON_OBJECT, json_read(text, strlen(text), NULL));
}

json_t *json_read_list(const char *text)
{
    return only(JSON_ARRAY, json_read(text, strlen(text), NULL));
}
