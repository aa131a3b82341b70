#ifndef HELIO_ALLTOALL_PLAN_H
#define HELIO_ALLTOALL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/coll.h"

/* A schedule written down: one rank's steps of one call, phase by phase, so that a call costs no generator.
 * It knows nothing of MPI. */
enum plan_op { PLAN_SEND, PLAN_RECV, PLAN_COPY, PLAN_BARRIER, PLAN_RAISE, PLAN_AWAIT, PLAN_PHASE_END };

enum { PLAN_NO_FLAG = UINT32_MAX };

struct plan_step {
    uint8_t op;   /* enum plan_op */
    uint8_t from; /* enum coll_buffer, of sends and copies */
    uint8_t into; /* of receives and copies */
    uint32_t peer;
    uint32_t flag; /* raised, awaited, or raised by the receive; PLAN_NO_FLAG */
    uint64_t from_offset, into_offset, bytes;
};

struct live_plan {
    const struct coll_algorithm *algorithm;
    struct plan_step *steps; /* each phase ends with a PLAN_PHASE_END */
    size_t step_count, step_capacity;
    uint32_t messages_max; /* of a phase */
    uint64_t shared_bytes, scratch_bytes;
    uint32_t flags;
    uint32_t barriers;
    bool reads_first; /* all that is read of the send buffer is read before the receive buffer is touched */
    bool out_of_memory;
    bool touched; /* while it is written: the receive buffer */
};

/* Writes down what call->rank does. False when there is no memory; live_plan_free() in any case. */
bool live_plan_init(struct live_plan *plan, const struct coll_algorithm *algorithm,
                    const struct coll_call *call);
void live_plan_free(struct live_plan *plan);

#endif
