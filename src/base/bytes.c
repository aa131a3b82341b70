#include "base/bytes.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { PREFIX_LENGTH = sizeof BYTES_PREFIX - 1 };

static const char digits[] = "0123456789ABCDEF";

bool bytes_are_encoded(const char *text)
{
    return strncmp(text, BYTES_PREFIX, PREFIX_LENGTH) == 0;
}

bool bytes_are_utf8(const char *bytes)
{
    size_t length = strlen(bytes);
    for (size_t i = 0, count; i < length; i += count)
        if (!(count = utf8_bytes(bytes + i, length - i)))
            return false;
    return true;
}

bool bytes_are_text(const char *bytes)
{
    return bytes_are_utf8(bytes) && !bytes_are_encoded(bytes);
}

static bool is_plain(char byte)
{
    return byte >= ' ' && byte <= '~' && byte != '%';
}

char *bytes_to_text(const char *bytes)
{
    if (bytes_are_text(bytes))
        return mem_text(bytes);
    char *text = mem_alloc(PREFIX_LENGTH + 3 * strlen(bytes) + 1, 1, "a text");
    char *next = text + PREFIX_LENGTH;
    memcpy(text, BYTES_PREFIX, PREFIX_LENGTH);
    for (; *bytes; bytes++) {
        unsigned char byte = (unsigned char)*bytes;
        if (is_plain(*bytes)) {
            *next++ = *bytes;
        } else {
            *next++ = '%';
            *next++ = digits[byte >> 4];
            *next++ = digits[byte & 15];
        }
    }
    return text;
}

/* The value of a hexadecimal digit; -1: it is none. */
static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *bytes_from_text(const char *text, char *bytes, size_t *at)
{
    *at = 0;
    if (!bytes_are_encoded(text)) {
        memcpy(bytes, text, strlen(text) + 1);
        return NULL;
    }
    for (const char *next = text + PREFIX_LENGTH; *next; next++) {
        *at = (size_t)(next - text);
        if (*next != '%') {
            if (!is_plain(*next))
                return "behind 'bytes:' a byte that is not printable ASCII is written %XX";
            *bytes++ = *next;
            continue;
        }
        int high = digit_of(next[1]), low = high < 0 ? -1 : digit_of(next[2]);
        if (low < 0)
            return "behind 'bytes:' a '%' is followed by two hexadecimal digits; '%' itself is %25";
        if (!high && !low)
            return "a path cannot contain the byte 0";
        *bytes++ = (char)(high << 4 | low);
        next += 2;
    }
    *bytes = '\0';
    return NULL;
}
