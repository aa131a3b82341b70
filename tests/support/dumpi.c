#include "support/dumpi.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const layouts[DUMPI_FUNCTIONS] = {
#define DUMPI_FUNCTION(name, constant, layout, use) layout,
#include "trace/dumpi/functions.def"
#undef DUMPI_FUNCTION
};

static const uint64_t magic = UINT64_C(0xffaadd44554d5049), footer_magic = UINT64_C(0xf007fee7);

void dumpi_text_add(struct dumpi_text *text, const void *bytes, size_t count)
{
    text->bytes = mem_grow(text->bytes, &text->capacity, text->count + count, "a DUMPI file");
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

static void add_number(struct dumpi_text *text, uint64_t number, unsigned width)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (unsigned char)(number >> 8 * (width - 1 - i));
    dumpi_text_add(text, bytes, width);
}

static void add_string(struct dumpi_text *text, const char *string, unsigned width)
{
    add_number(text, strlen(string), width);
    dumpi_text_add(text, string, strlen(string));
}

void dumpi_text_begin(struct dumpi_text *text)
{
    *text = (struct dumpi_text){
        .version = {13, 0, 0},
        .mask = DUMPI_HAS_STATUSES | DUMPI_HAS_CPU | DUMPI_HAS_WALL | DUMPI_HAS_THREAD,
        .gap_ns = 1000,
        .took_ns = 500,
        .places = 7,
    };
    add_number(text, magic, 8);
    add_number(text, 0, 4);          /* the processor's clock begins at 0 s, */
    add_number(text, 1700000000, 4); /* the wall clock there */
}

static void add_time(struct dumpi_text *text, uint64_t ns)
{
    add_number(text, ns / 1000000000, 2);
    add_number(text, ns % 1000000000, 4);
}

static void add_head(struct dumpi_text *text, enum dumpi_function function)
{
    add_number(text, function, 2);
    add_number(text, text->mask, 1);
    if (text->mask & DUMPI_HAS_THREAD)
        add_number(text, text->thread, 2);
    if (text->mask & DUMPI_HAS_CPU) { /* a thousandth of the wall time */
        add_time(text, (text->now_ns + text->gap_ns) / 1000);
        add_time(text, (text->now_ns + text->gap_ns + text->took_ns) / 1000);
    }
    if (text->mask & DUMPI_HAS_WALL) {
        add_time(text, text->now_ns + text->gap_ns);
        add_time(text, text->now_ns + text->gap_ns + text->took_ns);
    }
    text->now_ns += text->gap_ns + text->took_ns;
    if (text->mask & DUMPI_HAS_COUNTERS) {
        add_number(text, 2, 1);
        for (int i = 0; i < 4; i++)
            add_number(text, 12345, 8);
    }
    if (function < DUMPI_FUNCTIONS)
        text->calls[function]++;
}

static void add_list(struct dumpi_text *text, unsigned width, unsigned each, va_list *arguments)
{
    int count = va_arg(*arguments, int);
    const int *items = va_arg(*arguments, const int *);
    add_number(text, (unsigned)count, 4);
    for (int i = 0; i < count; i++) {
        if (each > 1)
            add_number(text, each, 4);
        for (unsigned j = 0; j < each; j++)
            add_number(text, (uint64_t)(int64_t)items[(unsigned)i * each + j], width);
    }
}

static void add_statuses(struct dumpi_text *text, va_list *arguments)
{
    int count = va_arg(*arguments, int);
    const int *items = va_arg(*arguments, const int *);
    if (!(text->mask & DUMPI_HAS_STATUSES))
        return;
    add_number(text, (unsigned)count, 4);
    for (int i = 0; i < count; i++, items += 4) {
        add_number(text, (uint64_t)(int64_t)items[0], 4);
        add_number(text, (uint64_t)(int64_t)items[1], 4);
        add_number(text, (uint64_t)(int64_t)items[3], 1);
        add_number(text, 0, 1);
        add_number(text, (uint64_t)(int64_t)items[2], 4);
    }
}

/* Returns the value of a single number. */
static int add_argument(struct dumpi_text *text, char letter, va_list *arguments)
{
    int value = 0;
    switch (letter) {
    case 'i':
    case 's':
    case 'b':
        value = va_arg(*arguments, int);
        add_number(text, (uint64_t)(int64_t)value, letter == 'i' ? 4 : letter == 's' ? 2 : 1);
        break;
    case 'l':
        add_number(text, (uint64_t)va_arg(*arguments, long long), 8);
        break;
    case 'a':
    case 't':
    case 'd':
        add_list(text, letter == 'a' ? 4 : letter == 't' ? 2 : 1, 1, arguments);
        break;
    case 'A':
        add_list(text, 4, 3, arguments);
        break;
    case 'h':
        add_string(text, va_arg(*arguments, const char *), 4);
        break;
    case 'S':
        add_statuses(text, arguments);
        break;
    default:
        add_number(text, 0, 4);
    }
    return value;
}

void dumpi_text_put(struct dumpi_text *text, enum dumpi_function function, ...)
{
    int values[DUMPI_MOST_VALUES], count = 0;
    va_list arguments;
    va_start(arguments, function);
    add_head(text, function);
    const char *layout = function < DUMPI_FUNCTIONS ? layouts[function] : "l";
    for (const char *letter = layout; letter && *letter; letter++) {
        if (*letter == '(') {
            bool is_there = values[letter[1] - '0'] == values[letter[2] - '0'];
            letter += 2;
            while (!is_there && *letter != ')')
                letter++;
        } else if (*letter != ')') {
            int value = add_argument(text, *letter, &arguments);
            if (*letter == 'i' || *letter == 's' || *letter == 'b')
                values[count++] = value;
        }
    }
    va_end(arguments);
}

/* The places of the parts, in the order of the index. */
enum { SIZES, ADDRESSES, COUNTERS, HEADER, BODY, FOOTER, KEYVAL, PLACES };

static void add_footer(struct dumpi_text *text, uint64_t places[PLACES])
{
    places[FOOTER] = text->count;
    add_number(text, footer_magic, 8);
    for (int i = 0; i <= DUMPI_FUNCTIONS; i++)
        add_number(text, i < DUMPI_FUNCTIONS ? text->calls[i] : 0, 4);
    for (int i = 0; i <= DUMPI_FUNCTIONS; i++) /* ignored calls */
        add_number(text, 0, 4);
    places[KEYVAL] = text->count;
    add_number(text, 0, 4);
    places[COUNTERS] = text->count;
    add_number(text, 0, 4);
    places[ADDRESSES] = text->count;
    add_number(text, 0, 4);
}

void dumpi_text_end(struct dumpi_text *text)
{
    uint64_t places[PLACES] = {[BODY] = 8};
    add_number(text, DUMPI_END_OF_STREAM, 2);
    places[HEADER] = text->count;
    dumpi_text_add(text, text->version, 3);
    add_number(text, 1700000000, 8);
    add_string(text, "node0", 2);
    add_string(text, "user", 2);
    add_number(text, 0, 4); /* no mesh: neither a place in it, */
    add_number(text, 0, 4); /* nor a size */
    if (!text->is_short)
        add_footer(text, places);
    if (text->size_count) {
        places[SIZES] = text->count;
        add_number(text, text->size_count, 4);
        for (uint32_t i = 0; i < text->size_count; i++)
            add_number(text, text->sizes[i], 4);
    }
    add_number(text, magic, 8);
    for (unsigned i = PLACES - text->places; i < PLACES; i++)
        add_number(text, places[i], 8);
}

void dumpi_text_free(struct dumpi_text *text)
{
    free(text->bytes);
    *text = (struct dumpi_text){.bytes = NULL};
}
