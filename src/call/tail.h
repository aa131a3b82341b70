#ifndef HELIO_CALL_TAIL_H
#define HELIO_CALL_TAIL_H

#include <stdint.h>

/* A trace that is compressed while it is captured is two files while the program runs. rank-<k>.txt.zst has
 * the lines as frames of zstd, one behind the other. rank-<k>.txt.tail has the lines behind them, as text: it
 * is mapped into the memory of the program, so it has each line as soon as it is written. It consists of this
 * header and of two halves. Lines fill one half; when it is full, it becomes the next frame, and the other
 * half is begun. So lines are in a frame, or in a half, or, until the other half is begun, in both: `begins`
 * says which. A program that ends as it should leaves no tail. */
#define TAIL_MAGIC  "helio tail 1\n"
#define TAIL_ENDING ".tail"

enum { TAIL_HEADER_BYTES = 4096 };

struct tail_header {
    char magic[16];
    uint64_t half_bytes;
    uint64_t begins[2]; /* the number of frames before the half's lines, plus 1; 0: the half has no lines */
};

#endif
