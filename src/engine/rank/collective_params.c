#include <string.h>

#include "coll/choice.h"
#include "engine/rank/machine.h"

/* One parameter per collective: its algorithm, or several with size limits. The defaults are those of the FMU
 * paper (section VI-B: binomial trees, allreduce = reduce + bcast) and of its simulator. */
static bool parse_choice(const struct param *self, const char *text, void *field,
                         struct param_problem *problem)
{
    const char *name = self->name + strlen("mpi.");
    enum coll_kind kind = COLL_BARRIER;
    while (strcmp(coll_kind_name(kind), name) != 0)
        kind++;
    return coll_choice_parse(kind, text, field, problem);
}

#define CHOICE(kind, kind_name, default_name)                                                                \
    {                                                                                                        \
        .name = "mpi." kind_name, .type = PARAM_CUSTOM,                                                      \
        .offset = offsetof(struct collective_config, choice) + (kind) * sizeof(struct coll_choice),          \
        .default_text = (default_name), .parse = parse_choice,                                               \
        .doc = "algorithm of " kind_name ", or several with size limits: a<=64KiB,b (docs/collectives.md)"   \
    }

PARAM_TABLE(collective_params, "collectives", struct collective_config, "the algorithm of each collective",
            CHOICE(COLL_BARRIER, "barrier", "linear"), CHOICE(COLL_BCAST, "bcast", "binomial"),
            CHOICE(COLL_REDUCE, "reduce", "binomial"), CHOICE(COLL_ALLREDUCE, "allreduce", "reduce-bcast"),
            CHOICE(COLL_ALLTOALL, "alltoall", "linear"), CHOICE(COLL_ALLTOALLV, "alltoallv", "linear"),
            CHOICE(COLL_ALLGATHER, "allgather", "ring"), CHOICE(COLL_ALLGATHERV, "allgatherv", "ring"),
            CHOICE(COLL_GATHER, "gather", "binomial"), CHOICE(COLL_GATHERV, "gatherv", "linear"),
            CHOICE(COLL_SCATTER, "scatter", "binomial"), CHOICE(COLL_SCATTERV, "scatterv", "linear"),
            CHOICE(COLL_REDUCE_SCATTER, "reduce_scatter", "pairwise"), CHOICE(COLL_SCAN, "scan", "linear"),
            CHOICE(COLL_EXSCAN, "exscan", "linear"),
            {.name = "mpi.alltoall_window",
             .type = PARAM_COUNT,
             .offset = offsetof(struct collective_config, window),
             .default_text = "0",
             .max = "4294967295",
             .doc = "requests in flight of algorithms that work in windows; 0 = their default"},
            {.name = "mpi.alltoall_leaders",
             .type = PARAM_COUNT,
             .offset = offsetof(struct collective_config, leaders),
             .default_text = "1",
             .min = "1",
             .max = "4294967295",
             .doc = "ranks of a node that exchange with other nodes in mpi.alltoall=leaders"});
