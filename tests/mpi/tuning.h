#ifndef HELIO_TESTS_MPI_TUNING_H
#define HELIO_TESTS_MPI_TUNING_H

#include <stdbool.h>
#include <stdint.h>

/* Counts the messages that the MPI itself sends inside a collective call, by destination in MPI_COMM_WORLD.
 * The program defines a function of the layer below the MPI and passes the call on:
 *
 * Open MPI: the recording function of its component monitoring (`--mca pml_monitoring_enable 1`), which the
 * layer of point-to-point messages calls for each message.
 * MPICH: ucp_tag_send_nbx of UCX. An endpoint leads to a rank; a message to each rank, sent before, tells to
 * which. */

enum { TUNING_RANKS_MAX = 256 };

struct tuning_counts {
    uint64_t messages[TUNING_RANKS_MAX];
    uint64_t bytes[TUNING_RANKS_MAX];
};

/* Collective. Learns how to tell destinations apart. False: messages cannot be counted; *why says why. */
bool tuning_count_open(const char **why);
/* From here on until tuning_count_end, messages are counted. */
void tuning_count_begin(struct tuning_counts *counts);
void tuning_count_end(void);

#endif
