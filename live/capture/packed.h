#ifndef HELIO_CAPTURE_PACKED_H
#define HELIO_CAPTURE_PACKED_H

#include <stdbool.h>
#include <stddef.h>

/* Lines that are compressed as they are written (call/tail.h). A half of the tail takes lines; when it is
 * full, it becomes a frame of zstd. The library of zstd is loaded only here, so that programs that are
 * captured without compression do not get it. */

/* Bytes of a half by HELIO_CAPTURE_COMPRESS; 0: lines are not to be compressed, or cannot be, which is said.
 */
size_t packed_wanted(void);

/* `file` is that of the frames, and empty; `path` its path without ".zst". NULL, with errno: the tail cannot
 * be made. Else the room of `half_bytes` for lines, which begins with zero bytes. */
char *packed_open(int file, const char *path, size_t half_bytes);

/* The first `length` bytes of the half become a frame. Returns the other half. NULL, with errno: they cannot
 * be written, and stay in the tail. */
char *packed_turn(size_t length);

/* The same for the last lines; the tail is removed. False, with errno. */
bool packed_end(size_t length);

/* Ends without a further frame: what the tail has, stays in it. */
void packed_give_up(void);

#endif
