#ifndef HELIO_TRACE_TI_PACKED_H
#define HELIO_TRACE_TI_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The text of a rank in a file, as it is (rank-<k>.txt) or as frames of zstd, one behind the other
 * (rank-<k>.txt.zst). */

#define TI_PACKED_ENDING ".zst"

bool ti_is_packed(const char *name);

/* The text of either kind of file, to be freed. An error is reported: also that the last frame is not whole.
 */
enum status ti_text_load(const char *path, char **text, size_t *size);

/* The frames of a file up to the last whole one. */
struct ti_frames {
    char *text; /* to be freed */
    size_t size;
    uint64_t count;
    uint64_t file_bytes; /* that they take */
    bool is_cut;         /* a part of a frame is behind them */
};

/* An error is reported: what is there is no frame. To be freed in any case. */
enum status ti_frames_read(const char *path, struct ti_frames *frames);

/* A frame, to be freed. */
char *ti_frame_of(const char *text, size_t length, size_t *size);

/* Replaces the file by one frame. An error is reported. */
enum status ti_packed_write(const char *path, const char *text, size_t length);

#endif
