#ifndef HELIO_BASE_MEMORY_STREAM_H
#define HELIO_BASE_MEMORY_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* A FILE for writing whose bytes become a text. Memory is taken as mem_alloc takes it, so no write fails; a
 * stream of open_memstream loses what it has no memory for, and ferror does not tell. fclose sets *text,
 * which ends in a zero and which the caller frees, and *length. */
FILE *memory_stream_open(char **text, size_t *length);

#endif
