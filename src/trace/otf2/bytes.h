#ifndef HELIO_TRACE_OTF2_BYTES_H
#define HELIO_TRACE_OTF2_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

/* Numbers as OTF2 writes them, in the byte order that a file names. Reading behind the end, and a number that
 * cannot be, set `failed` and give 0, so that a reader checks once per record. */
struct otf2_bytes {
    const unsigned char *at, *end;
    bool is_big; /* big endian */
    bool failed;
};

static inline size_t otf2_left(const struct otf2_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* `size` is 1 to 8. */
static inline uint64_t otf2_fixed(struct otf2_bytes *bytes, size_t size)
{
    unsigned char raw[8] = {0};
    uint64_t value;
    size_t left = otf2_left(bytes);
    if (left < size) {
        bytes->failed = true;
        bytes->at = bytes->end;
        return 0;
    }
    if (left >= sizeof raw) /* the usual case: a copy of a size that the compiler knows */
        memcpy(raw, bytes->at, sizeof raw);
    else
        memcpy(raw, bytes->at, left);
    memcpy(&value, raw, sizeof value);
    bytes->at += size;
    unsigned unused = 64 - 8 * (unsigned)size;
    if (bytes->is_big)
        return __builtin_bswap64(value) >> unused;
    return value << unused >> unused;
}

static inline uint8_t otf2_byte(struct otf2_bytes *bytes)
{
    return (uint8_t)otf2_fixed(bytes, 1);
}

static inline uint64_t otf2_time(struct otf2_bytes *bytes)
{
    return otf2_fixed(bytes, 8);
}

/* How many bytes a number has, then those bytes. 255 stands for the greatest number of all, which OTF2 calls
 * undefined. */
static inline uint64_t otf2_number(struct otf2_bytes *bytes)
{
    uint8_t size = otf2_byte(bytes);
    if (size == UINT8_MAX)
        return UINT64_MAX;
    if (size > 8) {
        bytes->failed = true;
        return 0;
    }
    return size ? otf2_fixed(bytes, size) : 0;
}

#define OTF2_NONE UINT32_MAX /* undefined */

static inline uint32_t otf2_number32(struct otf2_bytes *bytes)
{
    uint64_t value = otf2_number(bytes);
    if (value > UINT32_MAX && value != UINT64_MAX)
        bytes->failed = true;
    return (uint32_t)value;
}

/* A text with its zero byte. "": there is none. */
static inline const char *otf2_text(struct otf2_bytes *bytes)
{
    const unsigned char *begin = bytes->at;
    const unsigned char *end = memchr(begin, '\0', otf2_left(bytes));
    if (!end) {
        bytes->failed = true;
        bytes->at = bytes->end;
        return "";
    }
    bytes->at = end + 1;
    return (const char *)begin;
}

/* The fields of a record, behind its kind: their length stands before them. */
static inline struct otf2_bytes otf2_record(struct otf2_bytes *bytes)
{
    struct otf2_bytes fields = {.is_big = bytes->is_big};
    uint64_t size = otf2_byte(bytes);
    if (size == UINT8_MAX)
        size = otf2_time(bytes);
    if (bytes->failed || size > otf2_left(bytes)) {
        bytes->failed = true;
        size = 0;
    }
    fields.at = bytes->at;
    fields.end = bytes->at += size;
    return fields;
}

/* Kinds of bytes that are no record. */
enum {
    OTF2_END_OF_CHUNK = 0,
    OTF2_END_OF_FILE = 2,
    OTF2_CHUNK = 3,
    OTF2_TIME = 5,
    OTF2_ATTRIBUTES = 6,
    OTF2_CHUNK_HEADER_BYTES = 18,
    OTF2_LITTLE = 0x42, /* the byte order */
    OTF2_BIG = 0x23,
};

/* The header of a chunk: 3, the byte order, and the numbers of its first and last record. False: it is none.
 */
static inline bool otf2_chunk(struct otf2_bytes *bytes)
{
    uint8_t kind = otf2_byte(bytes), order = otf2_byte(bytes);
    bytes->is_big = order == OTF2_BIG;
    otf2_time(bytes);
    otf2_time(bytes);
    return !bytes->failed && kind == OTF2_CHUNK && (order == OTF2_LITTLE || order == OTF2_BIG);
}

#endif
