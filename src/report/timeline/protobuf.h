#ifndef HELIO_REPORT_TIMELINE_PROTOBUF_H
#define HELIO_REPORT_TIMELINE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Writes Protocol Buffers' wire format ("Encoding", protobuf.dev), as much of it as the timeline needs. A
 * message is built in memory, field by field. */
enum { PROTOBUF_BYTES = 4096, PROTOBUF_TEXT = 256 };

struct protobuf {
    size_t length;
    uint8_t bytes[PROTOBUF_BYTES];
};

enum { PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_BLOCK = 2 };

static inline void protobuf_varint(struct protobuf *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        to->bytes[to->length++] = (uint8_t)(value | 128);
    to->bytes[to->length++] = (uint8_t)value;
}

static inline void protobuf_uint(struct protobuf *to, uint32_t field, uint64_t value)
{
    protobuf_varint(to, field << 3 | PROTOBUF_VARINT);
    protobuf_varint(to, value);
}

static inline void protobuf_fixed64(struct protobuf *to, uint32_t field, uint64_t bits)
{
    protobuf_varint(to, field << 3 | PROTOBUF_FIXED64);
    for (int i = 0; i < 8; i++)
        to->bytes[to->length++] = (uint8_t)(bits >> 8 * i); /* little endian everywhere */
}

static inline void protobuf_double(struct protobuf *to, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_fixed64(to, field, bits);
}

static inline void protobuf_block(struct protobuf *to, uint32_t field, const void *bytes, size_t length)
{
    protobuf_varint(to, field << 3 | PROTOBUF_BLOCK);
    protobuf_varint(to, length);
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

/* Cut after PROTOBUF_TEXT bytes. */
static inline void protobuf_text(struct protobuf *to, uint32_t field, const char *text)
{
    protobuf_block(to, field, text, strnlen(text, PROTOBUF_TEXT));
}

static inline void protobuf_message(struct protobuf *to, uint32_t field, const struct protobuf *message)
{
    protobuf_block(to, field, message->bytes, message->length);
}

#endif
