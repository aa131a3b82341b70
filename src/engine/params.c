#include "engine/params.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "coll/choice.h"
#include "coll/tuning.h"
#include "engine/placement.h"

PARAM_TABLE(
    compute_params, "compute", struct compute_config,
    "the time between communications: operations / rate x scale",
    {.name = "compute.rate",
     .type = PARAM_FLOPS,
     .offset = offsetof(struct compute_config, rate_flops),
     .default_text = "12 Gflop/s",
     .min = "1 flop/s",
     .doc =
         "operations per second of a rank, where computation is given as operations and not as a time (FMU "
         "paper, Table 3)"},
    {.name = "compute.scale",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct compute_config, scale),
     .default_text = "1",
     .min = "0",
     .doc = "factor on all computation, of operations or a time; 0 leaves communication alone"});

PARAM_TABLE(
    node_params, "node", struct node_config,
    "where ranks sit, and the channel between ranks of one node, which bypasses every fabric",
    {.name = "ranks_per_node",
     .type = PARAM_COUNT,
     .offset = offsetof(struct node_config, ranks_per_node),
     .default_text = "1",
     .min = "1",
     .doc = "consecutive ranks that share a node and its links"},
    {.name = "nodes_per_server",
     .type = PARAM_COUNT,
     .offset = offsetof(struct node_config, nodes_per_server),
     .default_text = "0",
     .max = "1000000000",
     .doc = "nodes in a row, such as the GPUs of a server, that hierarchical collectives without shared "
            "memory take for one; 0: as the topology says, which rails and files of SimAI do, else 1"},
    {.name = "placement",
     .type = PARAM_TEXT,
     .offset = offsetof(struct node_config, placement),
     .default_text = "linear",
     .find_path = placement_find_path,
     .doc = "which node has which rank: linear: in order; interleaved: a rank on each node in turn; "
            "blocks: placement_block ranks on each in turn; random: drawn with placement_seed; or "
            "a file, as helio place writes it (docs/place.md)"},
    {.name = "placement_block",
     .type = PARAM_COUNT,
     .offset = offsetof(struct node_config, placement_block),
     .default_text = "8",
     .min = "1",
     .max = "1000000000",
     .doc = "ranks of a block of placement=blocks"},
    {.name = "placement_seed",
     .type = PARAM_COUNT,
     .offset = offsetof(struct node_config, placement_seed),
     .default_text = "1",
     .doc = "of placement=random"},
    {.name = "intranode.latency",
     .type = PARAM_TIME,
     .offset = offsetof(struct node_config, latency_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .doc = "time of a message of no bytes within a node"},
    {.name = "intranode.bandwidth",
     .type = PARAM_RATE,
     .offset = offsetof(struct node_config, bandwidth_bytes_per_s),
     .default_text = "76.8 GB/s",
     .min = "1 B/s",
     .doc = "bytes per second of one message within a node (two DDR5-4800 channels)"},
    {.name = "intranode.times",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct node_config, times),
     .parse = node_times_parse,
     .doc = "times of messages within a node by size, with straight lines between, in place of "
            "intranode.latency and intranode.bandwidth: 0B:270ns,4KiB:2.1us,8KiB:3us"});

static const char *const eager_done_names[] = {"post", "injected", NULL};

PARAM_TABLE(
    protocol_params, "mpi", struct protocol_config, "the protocol of one message",
    {.name = "mpi.eager_threshold",
     .type = PARAM_SIZE,
     .offset = offsetof(struct protocol_config, eager_threshold_bytes),
     .default_text = "65536 B",
     .doc = "largest message that is sent before its receiver is there (FMU paper, Table 3)"},
    {.name = "mpi.eager_done",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct protocol_config, eager_done),
     .default_text = "post",
     .choices = eager_done_names,
     .doc = "when the sender of an eager message may go on: it has posted it, or its last byte has left"},
    {.name = "rendezvous.handshakes",
     .type = PARAM_COUNT,
     .offset = offsetof(struct protocol_config, handshakes),
     .default_text = "0",
     .max = "3",
     .doc =
         "control messages of a rendezvous that cost time: 1 request to send, 2 + clear to send, 3 + final"});

/* One parameter per collective: its algorithm, or several with size limits, or "tuned". The defaults are
 * those of the FMU paper (section VI-B: binomial trees, allreduce = reduce + bcast) and of its simulator. */
static bool parse_choice(const struct param *self, const char *text, void *field,
                         struct param_problem *problem)
{
    const char *name = self->name + strlen("mpi.");
    enum coll_kind kind = COLL_BARRIER;
    while (strcmp(coll_kind_name(kind), name) != 0)
        kind++;
    const bool is_tuned = strcmp(text, COLL_CHOICE_TUNED) == 0;
    if (!coll_choice_parse(kind, is_tuned ? self->default_text : text, field, problem))
        return false;
    ((struct coll_choice *)field)->is_tuned = is_tuned;
    return true;
}

static const char *const tuning_names[] = {[COLLECTIVE_TUNING_NONE] = "none",
                                           [COLLECTIVE_TUNING_OPENMPI] = "openmpi",
                                           [COLLECTIVE_TUNING_MPICH] = "mpich",
                                           NULL};

#define CHOICE(kind, kind_name, default_name)                                                                \
    {                                                                                                        \
        .name = "mpi." kind_name, .type = PARAM_CUSTOM,                                                      \
        .offset = offsetof(struct collective_config, choice) + (kind) * sizeof(struct coll_choice),          \
        .default_text = (default_name), .parse = parse_choice,                                               \
        .doc = "algorithm of " kind_name ", or several with size limits: a<=64KiB,b; tuned: as mpi.tuning "  \
               "chooses (docs/collectives.md)"                                                               \
    }

PARAM_TABLE(collective_params, "collectives", struct collective_config, "the algorithm of each collective",
            {.name = "mpi.tuning",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct collective_config, tuning),
             .default_text = "none",
             .choices = tuning_names,
             .doc = "algorithms that this MPI chooses by size and ranks, where mpi.COLLECTIVE is not set"},
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
             .doc = "ranks of a node that exchange with other nodes in mpi.alltoall=leaders"},
            {.name = "mpi.segment",
             .type = PARAM_SIZE,
             .offset = offsetof(struct collective_config, segment_bytes),
             .default_text = "0 B",
             .doc = "bytes of a message of algorithms that work in segments; 0 = their default"},
            {.name = "collective.splits",
             .type = PARAM_COUNT,
             .offset = offsetof(struct collective_config, splits),
             .default_text = "1",
             .min = "1",
             .max = "65536",
             .doc = "equal parts of a collective call, one after another, each by its algorithm; calls with "
                    "counts for each rank and algorithms with shared memory are not split"});

PARAM_TABLE(kernel_params, "kernels", struct kernel_config,
            "what a collective call takes beside its messages, where host.system does not say so",
            {.name = "collective.begin",
             .type = PARAM_TIME,
             .offset = offsetof(struct kernel_config, begin_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 s",
             .doc = "time of a rank's core before the first step of each part, as the launch of a kernel"},
            {.name = "collective.memory",
             .type = PARAM_RATE,
             .offset = offsetof(struct kernel_config, memory_bytes_per_s),
             .default_text = "0 B/s",
             .doc = "rate at which reductions read both operands and write the result; 0: they take no time"},
            {.name = "collective.clock",
             .type = PARAM_TIME,
             .offset = offsetof(struct kernel_config, clock_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 us",
             .doc = "each read and write of a reduction is cut to whole multiples of this; 0: it is not"});

const struct kernel_config *kernel_config_of(const struct config *config)
{
    static const struct kernel_config defaults;
    const struct kernel_config *kernel = config_of(config, &kernel_params);
    return kernel ? kernel : &defaults;
}

bool kernel_config_is_none(const struct kernel_config *kernel)
{
    return !kernel->begin_ps && !kernel->memory_bytes_per_s;
}

ps_t kernel_reduce_ps(const struct kernel_config *kernel, uint64_t bytes)
{
    if (!kernel->memory_bytes_per_s)
        return 0;
    ps_t pass = service_ps(bytes, kernel->memory_bytes_per_s);
    if (kernel->clock_ps)
        pass -= pass % kernel->clock_ps;
    return ps_add(pass, ps_add(pass, pass));
}

/* "mpi.allreduce" */
static const char *choice_name(enum coll_kind kind, char *buffer, size_t size)
{
    snprintf(buffer, size, "mpi.%s", coll_kind_name(kind));
    return buffer;
}

/* mpi.tuning chooses the algorithm of this kind, or would if it were set. */
static bool is_tuned(const struct config *config, enum coll_kind kind)
{
    const struct collective_config *collective = config_of(config, &collective_params);
    char name[64];
    return collective->choice[kind].is_tuned ||
           strcmp(config_origin(config, choice_name(kind, name, sizeof name)), "default") == 0;
}

bool collective_config_is_tuned(const struct config *config)
{
    return ((const struct collective_config *)config_of(config, &collective_params))->tuning !=
           COLLECTIVE_TUNING_NONE;
}

enum status collective_config_settle(struct config *config)
{
    enum status status = STATUS_OK;
    char name[64];
    for (enum coll_kind kind = 0; collective_config_is_tuned(config) && kind < COLL_KINDS; kind++)
        if (is_tuned(config, kind) && status == STATUS_OK)
            status =
                config_assign(config, choice_name(kind, name, sizeof name), COLL_CHOICE_TUNED, "default");
    return status;
}

void collective_config_of(const struct config *config, struct collective_config *collective)
{
    static const struct coll_tuning *const tunings[] = {[COLLECTIVE_TUNING_NONE] = NULL,
                                                        [COLLECTIVE_TUNING_OPENMPI] = &coll_tuning_openmpi,
                                                        [COLLECTIVE_TUNING_MPICH] = &coll_tuning_mpich};
    *collective = *(const struct collective_config *)config_of(config, &collective_params);
    for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++)
        if (is_tuned(config, kind))
            collective->choice[kind].tuning = tunings[collective->tuning];
}
