#ifndef HELIO_CLI_ALLTOALL_H
#define HELIO_CLI_ALLTOALL_H

#include <stdbool.h>

#include "base/status.h"
#include "coll/coll.h"

/* The commands of `helio alltoall`; argv[0] is the command's own name. Each returns the exit status. */
int cli_alltoall_plan(int argc, char **argv);
int cli_alltoall_explain(int argc, char **argv);
int cli_alltoall_bench(int argc, char **argv);
int cli_alltoall_tune(int argc, char **argv);

/* The alltoall that a command line describes, its options as they were given; NULL = not given. */
struct alltoall_text {
    const char *nodes, *ppn, *bytes, *leaders, *placement;
};

struct alltoall_shape {
    struct coll_nodes nodes;
    struct coll_call call; /* as rank 0 makes it */
    uint32_t *words;       /* of the node map */
    uint32_t ppn;          /* 0: not the same on all nodes */
};

enum { ALLTOALL_RANKS_MAX = 16384 };

/* STATUS_BAD_INPUT is reported. */
enum status alltoall_shape_open(struct alltoall_shape *shape, const struct alltoall_text *text);
void alltoall_shape_close(struct alltoall_shape *shape);

/* "4 nodes of 8 ranks", "3 nodes, 21 ranks" into buffer; returns buffer. */
const char *alltoall_shape_print(const struct alltoall_shape *shape, char *buffer, size_t size);

/* The algorithm of that name, or NULL, reported. */
const struct coll_algorithm *alltoall_algorithm(const char *name);
/* The index-th algorithm, for option tables; NULL behind the last. */
const char *alltoall_algorithm_at(size_t index);

int alltoall_flush(void);

#endif
