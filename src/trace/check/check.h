#ifndef HELIO_TRACE_CHECK_CHECK_H
#define HELIO_TRACE_CHECK_CHECK_H

#include <stdint.h>

#include "trace/image/compiled.h"

/* What can be wrong with a trace though each of its lines is right: ends that do not meet, messages larger
 * than the receive posted for them, ranks that disagree about their collectives. Each finding is reported as
 * an error with both lines, up to CHECK_MOST_REPORTS of a sort; all are counted. */
enum { CHECK_MOST_REPORTS = 20 };

struct trace_check {
    uint64_t channels;      /* checked: message by message */
    uint64_t mailboxes;     /* ranks with wildcards: checked by number only */
    uint64_t collectives;   /* of rank 0, held against every other rank's */
    uint64_t unmatched;     /* channels and mailboxes whose sends and receives differ in number */
    uint64_t truncated;     /* messages larger than their receive */
    uint64_t disagreements; /* ranks whose collectives differ from rank 0's */
    uint64_t unequal;       /* sizes within collectives that one rank sends and another does not expect */
};

/* True when nothing is wrong. */
bool check_trace(const struct compiled_trace *compiled, struct trace_check *check);

/* Its last part, for traces whose ranks agree about their collectives: what each rank sends in an
 * alltoall(v), allgather(v), gather(v) or scatter(v) is what its peer expects. Pairs of ranks are compared up
 * to CHECK_MOST_PAIRED_RANKS ranks, beyond that only what goes to and from a root. */
enum { CHECK_MOST_PAIRED_RANKS = 4096 };
void check_exchanges(const struct compiled_trace *compiled, struct trace_check *check);

/* The line (from 1) and the call of a rank's first collective of the world behind *line; false when there is
 * none. */
bool check_next_collective(const struct compiled_trace *compiled, uint32_t rank, uint64_t *line,
                           const struct call **call);

#endif
