#ifndef HELIO_SCHEDULE_CIRCUIT_STUFFING_H
#define HELIO_SCHEDULE_CIRCUIT_STUFFING_H

#include "schedule/circuit/circuit.h"

/* A square matrix of bytes whose rows and columns all have the same sum (QuickStuff of "Scheduling techniques
 * for hybrid circuit/packet networks", Liu et al., CoNEXT 2015). If there are more senders than receivers,
 * rows and columns without a port are added, and the other way round. Entries with bytes grow first, in their
 * order, each by what its row and column have free; then the entries without bytes. */
struct stuffed {
    uint32_t size;
    uint64_t *bytes; /* [size][size] */
    uint64_t sum;    /* of each row and column */
    uint64_t largest;
};

void stuffed_init(struct stuffed *stuffed, const struct circuit_problem *problem);
void stuffed_free(struct stuffed *stuffed);

static inline uint64_t *stuffed_at(const struct stuffed *stuffed, uint32_t row, uint32_t column)
{
    return &stuffed->bytes[(size_t)row * stuffed->size + column];
}

/* The entry of the problem at this place; CIRCUIT_NONE: there is none. */
static inline uint32_t stuffed_entry(const struct circuit_problem *problem, uint32_t row, uint32_t column)
{
    return row < problem->senders && column < problem->receivers ? circuit_at(problem, row, column)
                                                                 : CIRCUIT_NONE;
}

#endif
