#ifndef HELIO_TOLERANCE_SHARES_H
#define HELIO_TOLERANCE_SHARES_H

#include "call/sites.h"
#include "tolerance/answer.h"

/* Counts messages by what they have in common. */
struct share_counter {
    const struct program_sites *known; /* NULL: there are none */
    uint32_t rank_count;
    struct tolerance_share *ranks, *calls, *sizes;
    struct tolerance_share *sites; /* NULL: there are none */
    uint64_t messages;
};

/* A message, or an operation that counts the parameter. */
struct share_of {
    uint32_t rank, site;
    enum call_op call;
    uint64_t bytes;
    int64_t counted; /* how often it counts the parameter */
    bool is_message;
};

void share_counter_init(struct share_counter *counter, uint32_t ranks, const struct program_sites *sites);
/* Returns the share of its call. */
struct tolerance_share *share_counter_add(struct share_counter *counter, const struct share_of *what);
/* The lists in their order, which become those of the caller. */
void share_counter_finish(struct share_counter *counter, struct tolerance_shares *shares);

#endif
