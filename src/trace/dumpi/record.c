#include "trace/dumpi/record.h"

static const struct {
    const char *name, *layout;
    enum dumpi_use use;
} functions[DUMPI_FUNCTIONS] = {
#define DUMPI_FUNCTION(name, constant, layout, use) {name, layout, DUMPI_USE_##use},
#include "trace/dumpi/functions.def"
#undef DUMPI_FUNCTION
};

const char *dumpi_name(unsigned function)
{
    return function < DUMPI_FUNCTIONS ? functions[function].name : "a function of the program";
}

enum dumpi_use dumpi_use_of(unsigned function)
{
    return function < DUMPI_FUNCTIONS ? functions[function].use : DUMPI_USE_LOCAL;
}

/* Bytes in memory, from which a record is taken. */
struct cursor {
    const unsigned char *at, *end;
};

/* NULL: there are not so many bytes. */
static const unsigned char *take(struct cursor *cursor, uint64_t count)
{
    const unsigned char *bytes = cursor->at;
    if (count > (uint64_t)(cursor->end - bytes))
        return NULL;
    cursor->at += count;
    return bytes;
}

static bool take_list(struct cursor *cursor, unsigned item_bytes, struct dumpi_list *list)
{
    const unsigned char *count = take(cursor, 4);
    if (!count)
        return false;
    list->count = dumpi_u32(count);
    list->bytes = take(cursor, (uint64_t)list->count * item_bytes);
    return list->bytes != NULL;
}

/* Lists in a list, to the depth of `depth`; the innermost have bytes or numbers. list->count is that of the
 * outermost, and list->bytes begin at the first list in it. */
static bool take_nested(struct cursor *cursor, unsigned depth, unsigned item_bytes, struct dumpi_list *list)
{
    struct dumpi_list inner;
    if (depth == 0)
        return take_list(cursor, item_bytes, list);
    const unsigned char *count = take(cursor, 4);
    if (!count)
        return false;
    list->count = dumpi_u32(count);
    list->bytes = cursor->at;
    for (uint32_t i = 0; i < list->count; i++)
        if (!take_nested(cursor, depth - 1, item_bytes, &inner))
            return false;
    return true;
}

/* How far a record has been read. */
struct decoder {
    struct dumpi_record *record;
    unsigned values, lists;
};

static bool take_value(struct decoder *decoder, struct cursor *cursor, char letter)
{
    unsigned width = letter == 'i' ? 4 : letter == 's' ? 2 : letter == 'b' ? 1 : 8;
    const unsigned char *bytes = take(cursor, width);
    if (!bytes)
        return false;
    if (letter != 'l')
        decoder->record->values[decoder->values++] = letter == 'i'   ? (int32_t)dumpi_u32(bytes)
                                                     : letter == 's' ? dumpi_u16(bytes)
                                                                     : *bytes;
    return true;
}

static bool take_argument(struct decoder *decoder, struct cursor *cursor, char letter)
{
    struct dumpi_record *record = decoder->record;
    struct dumpi_list skipped;
    switch (letter) {
    case 'a':
        return take_list(cursor, 4, &record->lists[decoder->lists++]);
    case 't':
        return take_list(cursor, 2, &record->lists[decoder->lists++]);
    case 'd':
        return take_list(cursor, 1, &record->lists[decoder->lists++]);
    case 'A':
        return take_nested(cursor, 1, 4, &record->lists[decoder->lists++]);
    case 'h':
    case 'H':
    case 'X':
        return take_nested(cursor, letter == 'h' ? 0 : letter == 'H' ? 1 : 2, 1, &skipped);
    case 'S':
        return !(record->mask & DUMPI_HAS_STATUSES) ||
               take_list(cursor, DUMPI_STATUS_BYTES, &record->statuses);
    default:
        return take_value(decoder, cursor, letter);
    }
}

static bool take_arguments(struct dumpi_record *record, struct cursor *cursor, const char *layout)
{
    struct decoder decoder = {.record = record};
    for (const char *letter = layout; *letter; letter++) {
        if (*letter == ')')
            continue;
        if (*letter == '(') {
            bool is_there = record->values[letter[1] - '0'] == record->values[letter[2] - '0'];
            letter += 2;
            while (!is_there && *letter != ')')
                letter++;
        } else if (!take_argument(&decoder, cursor, *letter)) {
            return false;
        }
    }
    return true;
}

static bool take_times(struct dumpi_record *record, struct cursor *cursor, bool is_there)
{
    const unsigned char *times = is_there ? take(cursor, 12) : NULL;
    if (times) {
        record->begin = (struct dumpi_time){dumpi_u16(times), dumpi_u32(times + 2)};
        record->end = (struct dumpi_time){dumpi_u16(times + 6), dumpi_u32(times + 8)};
    }
    return times || !is_there;
}

static bool take_counters(const struct dumpi_record *record, struct cursor *cursor)
{
    if (!(record->mask & DUMPI_HAS_COUNTERS))
        return true;
    const unsigned char *count = take(cursor, 1);
    return count && take(cursor, (uint64_t)16 * *count);
}

/* False: the record is longer than the bytes that there are. */
static bool take_record(struct dumpi_record *record, struct cursor *cursor)
{
    const unsigned char *head = take(cursor, 3);
    if (!head)
        return false;
    record->mask = head[2];
    record->statuses = (struct dumpi_list){NULL, 0};
    if (record->mask & DUMPI_HAS_THREAD) {
        const unsigned char *thread = take(cursor, 2);
        if (!thread)
            return false;
        record->thread = dumpi_u16(thread);
    }
    if (!take_times(record, cursor, record->mask & DUMPI_HAS_CPU) ||
        !take_times(record, cursor, record->mask & DUMPI_HAS_WALL) || !take_counters(record, cursor))
        return false;
    return take_arguments(record, cursor,
                          record->function < DUMPI_FUNCTIONS ? functions[record->function].layout : "l");
}

/* What a function's number says, before its record is read. */
static enum dumpi_next look(const struct dumpi_file *file, uint16_t function, const char **fault)
{
    if (function == DUMPI_END_OF_STREAM)
        return DUMPI_NEXT_END;
    if (function > DUMPI_END_OF_STREAM || function == DUMPI_FUNCTIONS)
        *fault = "no function of MPI has this number";
    else if (function == DUMPI_PCONTROL)
        *fault = "a record of MPI_Pcontrol, of which DUMPI writes none";
    else if (function == DUMPI_TYPE_STRUCT && file->version < DUMPI_VERSION(0, 6, 9))
        *fault = "a record of MPI_Type_struct of a version before 0.6.9, which wrote it incompletely";
    else if (function == DUMPI_CART_GET && file->version < DUMPI_VERSION(0, 6, 8))
        *fault = "a record of MPI_Cart_get of a version before 0.6.8, which wrote it incompletely";
    else
        return DUMPI_NEXT_RECORD;
    return DUMPI_NEXT_BAD;
}

enum { FEW_BYTES = 1 << 12 }; /* more than most records */

enum dumpi_next dumpi_next(struct dumpi_file *file, struct dumpi_record *record, const char **fault)
{
    uint64_t left = file->end - file->at, wanted = left < FEW_BYTES ? left : FEW_BYTES;
    record->at = file->at;
    if (left == 0)
        return DUMPI_NEXT_END; /* old versions end the stream so */
    for (;;) {
        const unsigned char *bytes =
            (const unsigned char *)content_window_at(&file->window, file->at, (size_t)wanted);
        if (!bytes)
            return DUMPI_NEXT_REPORTED;
        uint64_t there = file->window.to - file->at;
        struct cursor cursor = {bytes, bytes + (there < left ? there : left)};
        if (left >= 2) {
            record->function = dumpi_u16(bytes);
            enum dumpi_next next = look(file, record->function, fault);
            if (next != DUMPI_NEXT_RECORD)
                return next;
        }
        if (take_record(record, &cursor)) {
            file->at += (uint64_t)(cursor.at - bytes);
            return DUMPI_NEXT_RECORD;
        }
        if (there >= left)
            break;
        wanted = there * 2 < left ? there * 2 : left;
    }
    *fault = "the stream is cut short in this record";
    return DUMPI_NEXT_BAD;
}
