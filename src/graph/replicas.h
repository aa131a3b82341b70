#ifndef HELIO_GRAPH_REPLICAS_H
#define HELIO_GRAPH_REPLICAS_H

#include "call/graph.h"

/* A graph of n ranks grows to a multiple of n. Its ranks are replicas already, as in data-parallel training:
 * groups of ranks that are equally far apart do the same, each with its own partners, and meet in collective
 * calls. The program gets more replicas: copies of all ranks, numbered behind them, with copies of all groups
 * but those of replicas, which get the copies of their members. So do calls of all ranks.
 *
 *   allreduce, reduce, bcast, barrier    as many bytes as before
 *   allgather, reduce-scatter            blocks become smaller, so that all of them together stay as large
 *   other calls of replicas              refused: a guess would be needed
 *
 * Computations may differ from replica to replica; a copy computes as long as its rank. */
struct replicas {
    uint32_t copies;       /* of each rank, itself included */
    uint32_t groups, size; /* how many groups of replicas there are, of so many ranks before; 0: none */
    uint32_t apart;        /* the distance of neighbours in them */
    uint32_t others;       /* groups that are copied */
    bool has_calls_of_all;
};

/* `apart`: which groups have replicas; 0: there is one choice only. `source` outlives the new program.
 * STATUS_BAD_INPUT, reported: `ranks` is no multiple, or the program is not as regular as that. */
enum status replicas_add(const struct program *source, uint32_t ranks, uint32_t apart, struct replicas *found,
                         struct program **program);

#endif
