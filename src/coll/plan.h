#ifndef HELIO_COLL_PLAN_H
#define HELIO_COLL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/coll.h"

/* A plan is a schedule of coll, compiled: the steps of one rank in a call of one size, phase by phase. A call
 * that has a plan does not run the schedule's generator. Copies that follow one another at equal distances
 * are one step: a rank of an alltoall copies a block for each rank of the call, which may be many thousands.
 */
enum plan_op {
    PLAN_SEND,
    PLAN_RECV,
    PLAN_COPY,
    PLAN_REDUCE,
    PLAN_BARRIER,
    PLAN_RAISE,
    PLAN_AWAIT,
    PLAN_PHASE_END
};

enum { PLAN_NO_FLAG = UINT32_MAX };

struct plan_step {
    uint8_t op;     /* enum plan_op */
    uint8_t from;   /* sends and local steps: enum coll_buffer */
    uint8_t into;   /* receives and local steps: enum coll_buffer */
    uint32_t peer;  /* sends and receives */
    uint32_t flag;  /* that the step raises or awaits, or a receive raises at its end; or PLAN_NO_FLAG */
    uint32_t times; /* local steps: so many in a row, each from and into a place further on; else 1 */
    uint64_t from_offset, into_offset, bytes;
    int64_t from_stride, into_stride; /* how much further on */
};

struct coll_plan {
    const struct coll_algorithm *algorithm;
    struct plan_step *steps; /* each phase ends with a PLAN_PHASE_END */
    size_t step_count, step_capacity;
    uint32_t messages_max; /* the largest number of messages in a phase */
    uint64_t shared_bytes, scratch_bytes;
    uint32_t flags;
    uint32_t barriers;
    bool reads_first; /* the send buffer is not read any more when the receive buffer is first written */
    bool out_of_memory;
    bool touched; /* during compilation: a step so far writes the receive buffer */
};

/* Compiles what call->rank does, for the preloaded library (live/coll). False: no memory. coll_plan_free() is
 * needed in either case. The process is not ended. */
bool coll_plan_init(struct coll_plan *plan, const struct coll_algorithm *algorithm,
                    const struct coll_call *call);
void coll_plan_free(struct coll_plan *plan);

#endif
