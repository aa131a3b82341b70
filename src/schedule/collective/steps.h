#ifndef HELIO_SCHEDULE_COLLECTIVE_STEPS_H
#define HELIO_SCHEDULE_COLLECTIVE_STEPS_H

#include "schedule/collective/collective.h"
#include "schedule/collective/matchings.h"

/* An algorithm as steps. The round of a message is the length of the longest chain of messages that wait for
 * each other and ends with it. The messages of a round fall apart into matchings, and as many of these as
 * there are switches are a step. */
struct collective_step {
    size_t first, count; /* its messages */
    uint32_t matchings;  /* at most the number of switches */
    uint32_t round;
    /* Whether in each matching all ranks send as many bytes to the rank `shifts` after them. */
    bool is_shift;
    uint32_t shifts[COLLECTIVE_MOST_SWITCHES];
    uint64_t bytes[COLLECTIVE_MOST_SWITCHES];
};

struct collective_steps {
    uint32_t ranks, switches;
    struct collective_message *messages; /* step by step; `matching` counts from 0 in each step */
    size_t message_count;
    struct collective_step *steps;
    uint32_t count;
    uint32_t rounds;
};

/* False: the messages of the ranks do not match, so that the algorithm is wrong for this call. */
bool collective_steps_init(struct collective_steps *steps, const struct coll_algorithm *algorithm,
                           const struct collective_task *collective, uint32_t switches);
void collective_steps_free(struct collective_steps *steps);

/* The time on a packet network without contention within it: a round takes its latency, and the bytes of the
 * port that sends or receives most. */
ps_t collective_packet_ps(const struct collective_steps *steps, const struct collective_network *network);

#endif
