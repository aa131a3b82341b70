#ifndef HELIO_WORKLOAD_PHASE_H
#define HELIO_WORKLOAD_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "call/call.h"
#include "call/datatype.h"

/* Programs whose calls are no function of (rank, step) come in phases: a few calls that belong together, such
 * as an exchange with all neighbours. A workload emits a whole phase each time it is asked. This cursor keeps
 * the calls that are wanted and counts the others. So a rank remembers only the number of its phase and of
 * the call in it, however long its program is. */
struct phase {
    struct call *calls; /* room for those that are wanted */
    uint32_t wanted;    /* the first of them among the calls of the phase */
    uint32_t room;      /* how many are wanted at most */
    uint32_t emitted;   /* calls so far */
};

/* Whether the next call is wanted. For other calls, expensive arguments may be left out. */
static inline bool phase_is_wanted(const struct phase *phase)
{
    return phase->emitted - phase->wanted < phase->room;
}

/* The place for the next call, all zero but for its channels, if it is wanted; else NULL. */
static inline struct call *phase_next(struct phase *phase, enum call_op op)
{
    struct call *call = phase_is_wanted(phase) ? &phase->calls[phase->emitted - phase->wanted] : NULL;
    phase->emitted++;
    if (call)
        *call = (struct call){.op = (uint8_t)op, .channel = CHANNEL_KEYED, .source_channel = CHANNEL_KEYED};
    return call;
}

/* How many calls it has. */
static inline uint32_t phase_kept(const struct phase *phase)
{
    const uint32_t behind = phase->emitted > phase->wanted ? phase->emitted - phase->wanted : 0;
    return behind < phase->room ? behind : phase->room;
}

/* A program is a list of sections of so many phases each. If *number is in this section, returns true, and
 * *number counts from its first phase. Otherwise *number counts from the first phase after it. */
static inline bool phase_within(uint64_t *number, uint64_t section_phases)
{
    if (*number < section_phases)
        return true;
    *number -= section_phases;
    return false;
}

/* The calls. They have `count` elements of `datatype` (call/datatype.h). Roots are rank 0. A request has a
 * slot, SLOT_FIRST or above. */
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
/* Vectors of bytes per peer, by their index in `counts` of the program. */
void phase_alltoallv(struct phase *phase, uint64_t send_counts, uint64_t recv_counts, int datatype);

#endif
