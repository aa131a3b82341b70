#ifndef HELIO_CHOICES_COUNT_H
#define HELIO_CHOICES_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Counts the messages that the MPI itself sends inside a collective call, by destination in MPI_COMM_WORLD.
 * The program defines a function of the layer below the MPI and passes the call on:
 *
 * Open MPI: the recording function of its component monitoring, which the layer of point-to-point messages
 * calls for each message. sent_prepare turns the component on.
 * MPICH: ucp_tag_send_nbx of UCX. An endpoint leads to a rank; a message to each rank, sent before, tells to
 * which. */

enum { SENT_RANKS_MAX = 256 };

struct sent {
    uint64_t messages[SENT_RANKS_MAX];
    uint64_t bytes[SENT_RANKS_MAX];
};

/* Before MPI_Init. */
void sent_prepare(void);
/* Collective. Learns how to tell destinations apart. False: messages cannot be counted; *why says why. */
bool sent_open(const char **why);
/* From here on until sent_end, messages are counted. */
void sent_begin(struct sent *counts);
void sent_end(void);

#endif
