#ifndef HELIO_TRACE_TI_TAIL_H
#define HELIO_TRACE_TI_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The text of a rank as a capture has left it, which may have ended before its program did: a file of text,
 * or frames and a tail (call/tail.h). */
struct captured_text {
    char *bytes; /* to be freed */
    size_t size;
    bool is_packed;
    size_t in_frames;    /* bytes of the text that are in whole frames */
    uint64_t file_bytes; /* that these frames take */
    bool has_tail;       /* there is a tail, or a part of a frame */
};

/* An error is reported. */
enum status captured_text_load(const char *path, struct captured_text *text);

/* The path of the tail of a file of frames, to be freed. */
char *captured_tail_path(const char *path);

/* Takes out the lines that were cancelled while they were being compressed: "0 comm_size #cancel 1234" names
 * the one that begins at byte 1234. True: there were some. */
bool captured_cancel(char *bytes, size_t length);

#endif
