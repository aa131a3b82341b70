#ifndef HELIO_OUTPUT_STREAM_H
#define HELIO_OUTPUT_STREAM_H

#include <stdio.h>

/* A FILE for writing that remembers why its first write failed: errno does not survive until the file is
 * closed. Short and interrupted writes go on; after a failure nothing more is written. */
struct stream {
    int descriptor; /* stays open when the FILE is closed */
    int error;      /* errno of the first failure; 0: none */
};

/* NULL, with errno: no memory. `stream` stays at its address until the FILE is closed. */
FILE *stream_open(struct stream *stream, int descriptor);

#endif
