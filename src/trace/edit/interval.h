#ifndef HELIO_TRACE_EDIT_INTERVAL_H
#define HELIO_TRACE_EDIT_INTERVAL_H

#include <stdint.h>

#include "base/status.h"
#include "trace/image/compiled.h"

/* A capture of parts of a run: each rank has recorded from one moment to another, once or several times, and
 * the moments of different ranks are not the same place of the program. A line "comm_size #behind C B O"
 * begins each part of a rank: C blocking collectives of the world are behind it, B is its balance of
 * messages, and it has called O other collectives since the last of those C (live/capture/traffic.h).
 *
 * Each part is cut back to places that all ranks have: behind a collective of the world, or where all ranks
 * begin or end it behind the same one. No message is under way there, so that the balances of all ranks add
 * up to 0; all have called as many other collectives since; and no request is open that the part has started.
 */

/* True: the trace has such parts. */
bool interval_is_in(const struct compiled_trace *source);

struct interval_cut {
    uint64_t parts;
    uint64_t collectives; /* of the world, in all parts */
    uint64_t kept, lines; /* of all ranks */
};

/* Makes the program. STATUS_BAD_INPUT, reported: the ranks have no common place, or it is not valid. */
enum status interval_make(const struct compiled_trace *source, const char *out,
                          struct compiled_trace **result, struct interval_cut *cut);

#endif
