#ifndef HELIO_TRACE_SUMMARY_H
#define HELIO_TRACE_SUMMARY_H

#include <stdint.h>

#include "base/sum.h"
#include "trace/image/compiled.h"

/* What a trace consists of.
 *
 * Messages are counted as in Table 5 of the FMU paper (docs/glossary.md): each send is one, also a send of a
 * rank to itself, and each collective is the messages that it needs on P ranks. bcast and reduce are P-1;
 * allreduce and barrier 2(P-1), with one more barrier at finalize; alltoall and alltoallv P(P-1), empty ones
 * included. The programs of the table use no other collectives. Here allgather(v) is P(P-1), gather(v),
 * scatter(v), scan and exscan P-1, reducescatter 2(P-1). */
enum { SUMMARY_SIZES = 65, SUMMARY_LARGE_BYTES = 37000 };

struct trace_summary {
    uint32_t ranks;
    uint64_t lines;
    uint64_t calls[CALL_OPS];     /* of all ranks */
    uint64_t immediate[CALL_OPS]; /* of these, the non-blocking */
    uint64_t sends;               /* point to point */
    sum_t send_bytes;
    uint64_t to_itself;   /* of these, to the sender */
    uint64_t collectives; /* as rank 0 calls them */
    double compute_total; /* operations, of all ranks */
    double sleep_total;   /* seconds */
    uint64_t messages;
    sum_t message_bytes;
    uint64_t large_messages;       /* of more than SUMMARY_LARGE_BYTES */
    uint64_t sizes[SUMMARY_SIZES]; /* messages: [0] of 0 bytes, [i] of 2^(i-1) to 2^i - 1 */
    uint32_t outstanding;          /* the most requests that any rank has at a time */
    uint32_t channels;
    uint64_t wildcards;     /* receives from any source or with any tag */
    uint32_t mailbox_ranks; /* ranks that have such receives */
};

/* What the calls of one place in the source are. */
struct summary_site {
    uint64_t calls; /* of all ranks */
    sum_t bytes;    /* of their messages: of a collective, at each sender, the root, or rank 0 */
};

/* By number of the call site, of compiled->program.sites; number 0 has the calls whose place is not known. To
 * be freed. NULL: the trace has no call sites. */
struct summary_site *summary_sites(const struct compiled_trace *compiled);

/* The lost calls of one name: those of which the trace does not have what they move (call/lost.h). */
struct summary_lost {
    char *name;
    uint64_t calls; /* of all ranks */
};

struct summary_losses {
    struct summary_lost *names; /* by name */
    size_t count, capacity;
};

struct summary_losses summary_lost(const struct compiled_trace *compiled);
void summary_lost_free(struct summary_losses *losses);

void summary_of(const struct compiled_trace *compiled, struct trace_summary *summary);

#endif
