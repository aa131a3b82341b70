#ifndef HELIO_LIVE_COLL_SETTINGS_H
#define HELIO_LIVE_COLL_SETTINGS_H

#include <stdint.h>

/* The environment variables of the preloaded alltoall. */

enum { SETTINGS_NAME = 32, SETTINGS_CHOICES = 64 };

/* A line of the table that `helio alltoall tune` writes: the algorithm for blocks of `bytes` and more on a
 * cluster of this shape. */
struct live_settings_choice {
    uint32_t nodes, most_here; /* most_here: ranks of the largest node */
    uint64_t bytes;
    char algorithm[SETTINGS_NAME];
};

/* One rank reads them and broadcasts the struct as bytes. So it holds no pointers. */
struct live_settings {
    char algorithm[SETTINGS_NAME]; /* the name of an algorithm of coll, "auto" or "mpi" */
    char vectors[SETTINGS_NAME];   /* for MPI_Alltoallv and MPI_Alltoallw: "leaders", "auto" or "mpi" */
    uint32_t ranks_per_node;       /* 0: as the MPI finds the nodes */
    uint32_t ranks_per_socket;     /* 0: as the ranks are bound */
    uint32_t leaders;              /* of a node; 0: one per socket */
    uint32_t verbose;
    uint32_t valid; /* 0: a variable is wrong, and a message has said so */
    uint32_t choice_count;
    struct live_settings_choice choices[SETTINGS_CHOICES];
};

void live_settings_read(struct live_settings *settings);

#endif
