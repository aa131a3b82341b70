#ifndef HELIO_TRACE_SUMMARY_H
#define HELIO_TRACE_SUMMARY_H

#include <stdint.h>

#include "trace/image/compiled.h"

/* What a trace consists of.
 *
 * The messages are those of Table 5 of Palma et al., Inter-Node Message Passing Through Optical
 * Reconfigurable Memory Channel: sends as they are, those to oneself included, and each collective as the
 * messages it needs: bcast and reduce P-1; allreduce and barrier 2(P-1), and one more barrier at finalize;
 * alltoall and alltoallv P(P-1), empty ones included. The table does not say what it does with the others,
 * which its programs do not use: here allgather(v) P(P-1), gather(v), scatter(v), scan and exscan P-1,
 * reducescatter 2(P-1). */
enum { SUMMARY_SIZES = 65, SUMMARY_LARGE_BYTES = 37000 };

struct trace_summary {
    uint32_t ranks;
    uint64_t lines;
    uint64_t calls[CALL_OPS];     /* of all ranks */
    uint64_t immediate[CALL_OPS]; /* of those, the non-blocking */
    uint64_t sends, send_bytes;   /* point to point */
    uint64_t to_itself;           /* of those, to the sender */
    uint64_t collectives;         /* as rank 0 calls them */
    double compute_total;         /* operations, of all ranks */
    double sleep_total;           /* seconds */
    uint64_t messages, message_bytes;
    uint64_t large_messages;       /* of more than SUMMARY_LARGE_BYTES */
    uint64_t sizes[SUMMARY_SIZES]; /* messages of 0 bytes; of [2^(i-1), 2^i) bytes */
    uint32_t outstanding;          /* the most requests that any rank has at a time */
    uint32_t channels;
    uint64_t wildcards;     /* receives from any source or with any tag */
    uint32_t mailbox_ranks; /* ranks that use them */
};

void summary_of(const struct compiled_trace *compiled, struct trace_summary *summary);

#endif
