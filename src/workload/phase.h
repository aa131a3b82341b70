#ifndef HELIO_WORKLOAD_PHASE_H
#define HELIO_WORKLOAD_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "call/call.h"
#include "call/datatype.h"

/* Programs whose calls are no function of (rank, step) come in phases: a few calls that belong together, such
 * as an exchange with all neighbours. A workload emits the whole of one phase each time it is asked, and
 * this cursor keeps the one call that is wanted and counts the others. So a rank needs to remember nothing
 * but the number of its phase and of the call in it, however long its program is. */
struct phase {
    struct call *call; /* all zero but for its channels */
    uint32_t wanted;   /* which call of the phase */
    uint32_t emitted;  /* calls so far */
};

/* The place for the next call if that is the one wanted, else NULL. */
static inline struct call *phase_next(struct phase *phase, enum call_op op)
{
    if (phase->emitted++ != phase->wanted)
        return NULL;
    phase->call->op = (uint8_t)op;
    return phase->call;
}

/* Whether the next call is the one wanted: for any other, what takes time to work out may be left out. */
static inline bool phase_is_wanted(const struct phase *phase)
{
    return phase->emitted == phase->wanted;
}

/* A program is a list of sections, each of so many phases: true when *number is in this one, which then
 * starts at 0; else *number counts from behind it. */
static inline bool phase_within(uint64_t *number, uint64_t section_phases)
{
    if (*number < section_phases)
        return true;
    *number -= section_phases;
    return false;
}

/* What MPI calls are made of: `count` elements of `datatype` (call/datatype.h). Roots are rank 0. A request
 * is named by its slot, SLOT_FIRST or above. */
void phase_plain(struct phase *phase, enum call_op op);     /* init, finalize, barrier */
void phase_compute(struct phase *phase, double operations); /* none: no call */
void phase_send(struct phase *phase, uint32_t to, int32_t tag, uint64_t count, int datatype);
void phase_recv(struct phase *phase, uint32_t from, int32_t tag, uint64_t count, int datatype);
void phase_isend(struct phase *phase, uint32_t slot, uint32_t to, int32_t tag, uint64_t count, int datatype);
void phase_irecv(struct phase *phase, uint32_t slot, uint32_t from, int32_t tag, uint64_t count,
                 int datatype);
void phase_wait(struct phase *phase, uint32_t slot);
void phase_waitall(struct phase *phase, uint32_t requests);
/* bcast, reduce, allreduce; alltoall: count to each */
void phase_collective(struct phase *phase, enum call_op op, uint64_t count, int datatype);
/* Vectors of bytes per peer, by their place in the program's `counts`. */
void phase_alltoallv(struct phase *phase, uint64_t send_counts, uint64_t recv_counts, int datatype);

#endif
