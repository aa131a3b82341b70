#ifndef HELIO_CLI_COLL_SHAPE_H
#define HELIO_CLI_COLL_SHAPE_H

#include "base/status.h"
#include "cli/options.h"
#include "coll/coll.h"

/* The collective that a command line describes: its nodes, its ranks and how much they exchange. The options
 * stand first in the tables of the commands that take them. */
enum coll_option {
    COLL_SHAPE_OP,
    COLL_SHAPE_NODES,
    COLL_SHAPE_PPN,
    COLL_SHAPE_BYTES,
    COLL_SHAPE_LEADERS,
    COLL_SHAPE_PLACEMENT,
    COLL_SHAPE_IMBALANCE,
    COLL_SHAPE_OPTIONS
};

#define COLL_SHAPE_OPTION_TABLE                                                                              \
    [COLL_SHAPE_OP] = {"--op", 0, "NAME", "the collective: alltoall (the default), allreduce, bcast ..."},   \
    [COLL_SHAPE_NODES] = {"--nodes", 'n', "N", "nodes"},                                                     \
    [COLL_SHAPE_PPN] = {"--ppn", 'p', "P", "ranks on each node; 8,8,5 gives the number for each of three"},  \
    [COLL_SHAPE_BYTES] = {"--bytes", 'b', "M",                                                               \
                          "of a call: 64, 4KiB; as MPI counts: a block, or a whole vector"},                 \
    [COLL_SHAPE_LEADERS] = {"--leaders", 0, "K", "ranks of a node that lead in `leaders`; 1 by default"},    \
    [COLL_SHAPE_PLACEMENT] = {"--placement", 0, "WAY",                                                       \
                              "of ranks on nodes: block (the default) or round-robin"},                      \
    [COLL_SHAPE_IMBALANCE] = {"--imbalance", 0, "X",                                                         \
                              "of the v forms and reduce_scatter: blocks grow with the rank from 1 - X to\n" \
                              "1 + X of their mean; 0 (the default) to 1"}

/* The values of these options as they were given; NULL = not given. */
struct coll_text {
    const char *values[COLL_SHAPE_OPTIONS];
};

struct coll_shape {
    struct coll_nodes nodes;
    struct coll_call call; /* as rank 0 makes it */
    uint64_t bytes;        /* as given: the mean of blocks that differ */
    uint32_t *words;       /* of the node map */
    uint32_t ppn;          /* 0: not the same on all nodes */
    uint64_t *counts;      /* of blocks that differ, in call.all; NULL: all are equal */
    double imbalance;      /* 0: blocks are equal */
    bool is_round_robin;   /* how ranks are placed on nodes; otherwise in blocks */
};

enum { COLL_SHAPE_RANKS_MAX = 16384 };

/* STATUS_BAD_INPUT is reported. */
enum status coll_shape_init(struct coll_shape *shape, const struct coll_text *text);
void coll_shape_free(struct coll_shape *shape);

/* Writes "alltoall, 4 nodes of 8 ranks, 64 B for each pair of ranks", or "gatherv, 3 nodes, 21 ranks, 64 B,
 * imbalance 0.5, 2 leaders", into the buffer, and returns it. */
const char *coll_shape_print(const struct coll_shape *shape, char *buffer, size_t size);

#endif
