#ifndef HELIO_CLI_ALLTOALL_SHAPE_H
#define HELIO_CLI_ALLTOALL_SHAPE_H

#include "base/status.h"
#include "cli/options.h"
#include "coll/coll.h"

/* The alltoall that a command line describes: its nodes, its ranks and how much they exchange. The options
 * stand first in the tables of the commands that take them. */
enum alltoall_option {
    ALLTOALL_NODES,
    ALLTOALL_PPN,
    ALLTOALL_BYTES,
    ALLTOALL_LEADERS,
    ALLTOALL_PLACEMENT,
    ALLTOALL_OPTIONS
};

#define ALLTOALL_OPTION_TABLE                                                                                \
    [ALLTOALL_NODES] = {"--nodes", 'n', "N", "nodes"},                                                       \
    [ALLTOALL_PPN] = {"--ppn", 'p', "P", "ranks on each node; 8,8,5 gives the number for each of three"},    \
    [ALLTOALL_BYTES] = {"--bytes", 'b', "M", "that each rank has for each other one: 64, 4KiB"},             \
    [ALLTOALL_LEADERS] = {"--leaders", 0, "K", "ranks of a node that lead in `leaders`; 1 by default"},      \
    [ALLTOALL_PLACEMENT] = {"--placement", 0, "WAY",                                                         \
                            "of ranks on nodes: block (the default) or round-robin"}

/* The values of these options as they were given; NULL = not given. */
struct alltoall_text {
    const char *values[ALLTOALL_OPTIONS];
};

struct alltoall_shape {
    struct coll_nodes nodes;
    struct coll_call call; /* as rank 0 makes it */
    uint32_t *words;       /* of the node map */
    uint32_t ppn;          /* 0: not the same on all nodes */
};

enum { ALLTOALL_RANKS_MAX = 16384 };

/* STATUS_BAD_INPUT is reported. */
enum status alltoall_shape_init(struct alltoall_shape *shape, const struct alltoall_text *text);
void alltoall_shape_free(struct alltoall_shape *shape);

/* Writes "4 nodes of 8 ranks", or "3 nodes, 21 ranks", into the buffer, and returns it. */
const char *alltoall_shape_print(const struct alltoall_shape *shape, char *buffer, size_t size);

#endif
