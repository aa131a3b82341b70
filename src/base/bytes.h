#ifndef HELIO_BASE_BYTES_H
#define HELIO_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* The text form of bytes. A path can have any bytes but 0; JSON, databases and tables hold UTF-8. The text
 * form of bytes that are UTF-8 and do not begin with "bytes:" is the bytes themselves. The text form of all
 * others is "bytes:" and then the bytes: a printable ASCII character other than '%' stands for itself, any
 * other byte is %XX, with two hexadecimal digits (RFC 3986, section 2.1). So different bytes have different
 * text forms. docs/parameters.md tells users of it. */
#define BYTES_PREFIX "bytes:"

/* The text form; the caller frees it. */
char *bytes_to_text(const char *bytes);

bool bytes_are_utf8(const char *bytes);
/* Whether the bytes are their own text form. */
bool bytes_are_text(const char *bytes);
/* Whether the text begins with "bytes:", so that it is not the bytes themselves. */
bool bytes_are_encoded(const char *text);

/* Writes the bytes that have this text form into `bytes`, which has room for strlen(text) + 1. Also takes
 * %XX where it is not needed, and bytes that are no text form but are meant: those that are not UTF-8 and do
 * not begin with "bytes:". Returns NULL, or what
 * is wrong with the text, at *at. */
const char *bytes_from_text(const char *text, char *bytes, size_t *at);

#endif
