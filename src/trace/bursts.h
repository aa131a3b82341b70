#ifndef HELIO_TRACE_BURSTS_H
#define HELIO_TRACE_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/image/compiled.h"

/* What `helio capture --bursts` has written of the computation between calls: bursts. A burst lasts longer
 * than its processor time if its thread waited for a processor. */
struct trace_bursts {
    uint64_t count;
    uint64_t lasted_ns, used_ns; /* on the clock of the system; of processor time */
    uint64_t instructions;
    uint64_t counted;      /* bursts whose instructions are known */
    uint64_t counted_ns;   /* of processor time in them */
    uint64_t late;         /* bursts that waited longer than they computed */
    uint32_t worst;        /* the rank that waited the largest part of its time */
    double worst_fraction; /* that part */
};

/* False: the trace has none. */
bool trace_bursts_of(const struct compiled_trace *compiled, struct trace_bursts *bursts);

#endif
