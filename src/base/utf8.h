#ifndef HELIO_BASE_UTF8_H
#define HELIO_BASE_UTF8_H

#include <stddef.h>

/* The number of bytes of the UTF-8 character at `text`, of which `length` bytes are left; 0: it is not UTF-8,
 * as overlong forms, surrogates and characters above U+10FFFF (Unicode 15, table 3-7). */
size_t utf8_bytes(const char *text, size_t length);

/* The number of characters in text[0 .. length). A byte that is not part of a character counts as one. */
size_t utf8_count(const char *text, size_t length);

/* The number of bytes of the character at `text`, if a terminal or a page shows it as it is; 0: the first
 * byte must be shown as \xNN instead. These are bytes that are not UTF-8, control characters (U+0000 to
 * U+001F, U+007F to U+009F), and characters that change the direction of the text around them (U+202A to
 * U+202E, U+2066 to U+2069). */
size_t utf8_shown_bytes(const char *text, size_t length);

#endif
