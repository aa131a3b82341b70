#ifndef HELIO_BASE_UTF8_H
#define HELIO_BASE_UTF8_H

#include <stddef.h>

/* The bytes of the UTF-8 character at `text`, of which `length` bytes are left; 0 where there is none.
 * Overlong forms, surrogates and what lies beyond U+10FFFF are none (Unicode 15, table 3-7). */
size_t utf8_bytes(const char *text, size_t length);

/* Characters in text[0 .. length); every byte that is part of none counts as one. */
size_t utf8_count(const char *text, size_t length);

#endif
