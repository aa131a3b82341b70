#ifndef HELIO_LIVE_COLL_SETTINGS_H
#define HELIO_LIVE_COLL_SETTINGS_H

#include <stdint.h>

#include "coll/coll.h"

/* The environment variables of the preloaded collectives. */

enum { SETTINGS_NAME = 32, SETTINGS_VARIABLE = 32, SETTINGS_CHOICES = 256 };

/* What lines of a table hold for: a kind of collective, or one of these functions. COLL_REDUCE_SCATTER is for
 * equal blocks. */
enum {
    SETTINGS_ALLTOALLW = COLL_KINDS, /* COLL_ALLTOALLV is for MPI_Alltoallv alone here */
    SETTINGS_REDUCE_SCATTERV,        /* MPI_Reduce_scatter with unequal blocks */
    SETTINGS_CALLS
};

/* A line of the table that `helio coll tune` writes: the algorithm for calls of `bytes` and more on a cluster
 * of this shape. Where all ranks know all blocks but these differ, `bytes` are those of the longest. Of calls
 * of which no rank knows all blocks a line holds for all sizes, and `bytes` is 0. */
struct live_settings_choice {
    uint32_t call;             /* enum coll_kind, or one of those above */
    uint32_t nodes, most_here; /* most_here: ranks of the largest node */
    uint64_t bytes;
    char algorithm[SETTINGS_NAME];
};

/* One rank reads them and broadcasts the struct as bytes. So it holds no pointers. */
struct live_settings {
    /* For each kind the name of an algorithm of coll, "auto" or "mpi". For COLL_ALLTOALLV, which stands for
     * MPI_Alltoallv and MPI_Alltoallw, COLL_GATHERV and COLL_SCATTERV "leaders", "auto" or "mpi". */
    char algorithms[COLL_KINDS][SETTINGS_NAME];
    uint32_t ranks_per_node;   /* 0: as the MPI finds the nodes */
    uint32_t ranks_per_socket; /* 0: as the ranks are bound */
    uint32_t leaders;          /* of a node; 0: one per socket */
    uint32_t verbose;
    uint32_t valid;                         /* 0: a variable is wrong, and a message has said so */
    char table_variable[SETTINGS_VARIABLE]; /* the variable that names the table */
    uint32_t choice_count;
    struct live_settings_choice choices[SETTINGS_CHOICES];
};

void live_settings_read(struct live_settings *settings);

/* The variable for the calls of a kind, such as HELIO_ALLREDUCE, in `text`, which it returns. */
const char *live_settings_variable(enum coll_kind kind, char text[SETTINGS_VARIABLE]);

#endif
