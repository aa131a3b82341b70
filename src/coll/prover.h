#ifndef HELIO_COLL_PROVER_H
#define HELIO_COLL_PROVER_H

#include "base/mem.h"
#include "coll/prove.h"
#include "coll/rank_sets.h"

/* What the files of the prover share.
 *
 *   prove.c        runs all ranks: phases, matching, counts, deadlock
 *   prove_step.c   one step: bounds, hazards, and what it does to memory
 *   prove_node.c   nodes: barriers, flags, shared memory, and which step comes before which
 *   prove_world.c  a call of all ranks: its buffers, and what must be in them at the end
 *   prove_state.c  the first problem, and what a rank waits for
 *   rank_sets.c    sets of ranks under numbers
 *
 * Each file uses only those below it.
 */

/* An element: the sum of element `at` of the send buffers of the ranks in `set`. `sending` and `receiving`
 * are the last steps that posted it. */
struct proof_cell {
    uint32_t set;
    uint32_t at;
    uint32_t sending, receiving;
};

struct proof_buffer {
    struct proof_cell *cells;
    uint64_t bytes;
};

enum { PROOF_BUFFERS = COLL_SHARED + 1 }; /* those with memory: not the token */

struct proof_rank {
    struct coll_call call;
    struct proof_buffer buffers[PROOF_BUFFERS];
    uint32_t phase;
    uint32_t phase_first; /* number of the first step of the phase; the steps of a rank are numbered from 1 */
    uint32_t next_step;
    uint32_t pending; /* messages not complete in this phase */
    uint32_t clock;   /* rounds before this phase */
    uint32_t phase_end;
    uint32_t peers;
    uint32_t calls;  /* done before this one */
    uint32_t epochs; /* phases begun, in all calls */
    uint64_t messages, bytes;
    bool done;
};

enum proof_step_kind { STEP_SEND, STEP_RECV, STEP_COPY, STEP_REDUCE, STEP_BARRIER, STEP_RAISE, STEP_AWAIT };
enum { STEP_NO_FLAG = UINT32_MAX };

struct proof_step {
    enum proof_step_kind kind;
    uint32_t rank, phase, index;
    uint32_t peer;
    uint32_t flag; /* STEP_NO_FLAG: a receive that raises no flag */
    struct coll_span from, into;
};

/* One end of a message that waits for the other. */
struct proof_end {
    struct proof_step step;
    uint32_t clock;
    uint32_t next; /* index + 1 in the same queue, 0 = last */
};

/* Messages from one rank to another: unmatched ends, all sends or all receives, in the order in which they
 * were posted. */
struct proof_pair {
    uint32_t head, tail; /* index + 1, 0 = none */
    bool used;
};

struct prover {
    const struct coll_algorithm *algorithm;
    const struct coll_world *world;
    struct coll_proof *proof;
    struct proof_rank *ranks;
    struct proof_cell *cells; /* of all buffers */
    uint64_t *recv_counts;
    struct proof_pair *pairs; /* source * size + destination */
    struct pool ends;
    struct rank_sets sets;
    struct proof_order *order; /* prove_node.c; NULL: nothing is shared */
    uint32_t call_elements;    /* elements of a call; the elements of the k-th call have numbers from k times
                                  this on, so that old data never pass for new data */
    uint32_t *ready;           /* ranks whose phase is complete */
    uint32_t ready_count;
    bool failed;
};

/* prove_state.c. The first problem is kept, with the step's place before it (NULL: none). */
void prover_fail(struct prover *prover, const struct proof_step *step, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *prover_buffer_name(enum coll_buffer buffer); /* "send buffer" */
const char *prover_describe(const struct proof_step *step, char *buffer, size_t size);
/* The rank's phase waits for one thing more; that thing is done, in the round `round`. */
void prover_begin_waiting(struct prover *prover, uint32_t rank);
void prover_end_waiting(struct prover *prover, uint32_t rank, uint32_t round);

/* prove_step.c: false after prover_fail(). */
bool prover_post(struct prover *prover, const struct proof_step *step); /* send, recv: marks the memory */
bool prover_local(struct prover *prover, const struct proof_step *step);
void prover_deliver(struct prover *prover, const struct proof_step *send, const struct proof_step *recv);

/* prove_node.c. Called for each step as it happens. Only open and close do anything if nothing depends on the
 * order of steps: without shared memory and flags, and if the kind is no barrier. */
enum order_access { ORDER_READ, ORDER_WRITE };
void prover_order_open(struct prover *prover);
void prover_order_close(struct prover *prover);
void prover_order_begin_call(struct prover *prover, uint32_t rank);
void prover_order_end_call(struct prover *prover, uint32_t rank); /* checks whom the rank has met */
void prover_order_begin_phase(struct prover *prover, uint32_t rank);
void prover_order_post(struct prover *prover, const struct proof_step *step, uint32_t end);
void prover_order_match(struct prover *prover, const struct proof_step *step, const struct proof_step *other,
                        uint32_t other_end, uint32_t round);
bool prover_order_sync(struct prover *prover, const struct proof_step *step); /* barrier, raise, await */
bool prover_order_access(struct prover *prover, const struct proof_step *step, const struct coll_span *span,
                         enum order_access access);
bool prover_order_blocked(
    struct prover *prover); /* reports a rank that waits for a barrier or a flag for ever */

/* prove_world.c */
bool prover_world_check(const struct coll_world *world, enum coll_kind kind, struct coll_proof *proof);
uint64_t prover_send_bytes(const struct coll_world *world, enum coll_kind kind, uint32_t rank);
uint64_t prover_recv_bytes(const struct coll_world *world, enum coll_kind kind, uint32_t rank);
bool prover_check_result(struct prover *prover, uint32_t rank); /* of the rank's present call */
void prover_check_results(struct prover *prover);

#endif
