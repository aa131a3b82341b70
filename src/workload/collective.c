#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "coll/choice.h"
#include "workload/list.h"

/* One collective operation, over and over, by all ranks or by groups of them side by side. */
struct collective_program {
    uint64_t ranks, bytes, iterations, root, group, stride;
    ps_t compute_ps;
    double imbalance;
    const char *algorithm;    /* NULL: what the configuration chooses */
    int op;                   /* enum coll_kind */
    char *parameter, *choice; /* "mpi.allreduce" and the value that `algorithm` gives it; NULL: none */
    struct group *groups;
    uint32_t *members;
    uint64_t *counts; /* counts[1 + i]: the block of rank i of a group; NULL: all are equal */
};

/* In the order of enum coll_kind. */
static const char *const op_names[] = {
    "barrier", "bcast",   "reduce",  "allreduce", "alltoall",       "alltoallv", "allgather", "allgatherv",
    "gather",  "gatherv", "scatter", "scatterv",  "reduce_scatter", "scan",      "exscan",    NULL};

_Static_assert(CALL_EXSCAN - CALL_BARRIER == COLL_EXSCAN,
               "calls and schedules list the collectives in one order");
_Static_assert(sizeof op_names / sizeof *op_names == COLL_KINDS + 1, "a name for each collective");

PARAM_TABLE(
    collective_program_params, "collective", struct collective_program, "one collective operation, repeated",
    {.name = "op",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct collective_program, op),
     .default_text = "allreduce",
     .choices = op_names,
     .doc = "the operation"},
    {.name = "ranks",
     .type = PARAM_COUNT,
     .offset = offsetof(struct collective_program, ranks),
     .default_text = "64",
     .min = "1",
     .max = "1000000000",
     .doc = "number of ranks"},
    {.name = "bytes",
     .type = PARAM_SIZE,
     .offset = offsetof(struct collective_program, bytes),
     .default_text = "8 KiB",
     .doc = "what one rank contributes: its vector in bcast, reduce, allreduce, reduce_scatter, scan and "
            "exscan; "
            "its block in gather and allgather; the block for each rank in scatter and alltoall"},
    {.name = "algorithm",
     .type = PARAM_TEXT,
     .offset = offsetof(struct collective_program, algorithm),
     .doc =
         "the algorithm of op, in place of the one that mpi.<op> names; or several with limits: a<=64KiB;b"},
    {.name = "iterations",
     .type = PARAM_COUNT,
     .offset = offsetof(struct collective_program, iterations),
     .default_text = "1",
     .min = "1",
     .max = "10000000",
     .doc = "number of calls of each rank"},
    {.name = "root",
     .type = PARAM_COUNT,
     .offset = offsetof(struct collective_program, root),
     .default_text = "0",
     .max = "1000000000",
     .doc = "the root, a rank of its group; for bcast, reduce, gather, scatter and their v forms"},
    {.name = "group",
     .type = PARAM_COUNT,
     .offset = offsetof(struct collective_program, group),
     .default_text = "0",
     .max = "1000000000",
     .doc = "ranks that make each call together; 0 = ranks / stride"},
    {.name = "stride",
     .type = PARAM_COUNT,
     .offset = offsetof(struct collective_program, stride),
     .default_text = "1",
     .min = "1",
     .max = "1000000000",
     .doc = "distance between the ranks of a group: 1 = consecutive ranks"},
    {.name = "imbalance",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct collective_program, imbalance),
     .default_text = "0",
     .min = "0",
     .max = "1",
     .doc = "of the v forms and reduce_scatter: blocks grow with the rank from 1 - imbalance to 1 + "
            "imbalance of "
            "the mean"},
    {.name = "compute",
     .type = PARAM_TIME,
     .offset = offsetof(struct collective_program, compute_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .doc = "time that each rank computes before each call"});

/* Members of groups and lengths of blocks are stored for so many ranks. */
enum { STORED_RANKS = 1 << 24 };

static bool is_rooted(int op)
{
    return op == COLL_BCAST || op == COLL_REDUCE || op == COLL_GATHER || op == COLL_GATHERV ||
           op == COLL_SCATTER || op == COLL_SCATTERV;
}

static bool has_lengths(int op)
{
    return op == COLL_ALLTOALLV || op == COLL_ALLGATHERV || op == COLL_GATHERV || op == COLL_SCATTERV ||
           op == COLL_REDUCE_SCATTER;
}

/* ------------------------------------------------------------------ prepare */

static bool check_groups(struct collective_program *self, struct workload_problem *problem)
{
    uint64_t span;
    if (!self->group)
        self->group = self->ranks / self->stride;
    if (self->group && !__builtin_mul_overflow(self->group, self->stride, &span) && self->ranks % span == 0)
        return true;
    problem->param = self->group == self->ranks / self->stride ? "stride" : "group";
    snprintf(problem->text, sizeof problem->text,
             "%" PRIu64 " ranks have no groups of %" PRIu64 " ranks with stride %" PRIu64
             "; group x stride must divide ranks",
             self->ranks, self->group, self->stride);
    return false;
}

static bool check_root(const struct collective_program *self, struct workload_problem *problem)
{
    problem->param = "root";
    if (self->root && !is_rooted(self->op))
        snprintf(problem->text, sizeof problem->text, "%s has no root; leave root out", op_names[self->op]);
    else if (self->root >= self->group)
        snprintf(problem->text, sizeof problem->text,
                 "there is no rank %" PRIu64 " among %" PRIu64 " ranks; the first is 0", self->root,
                 self->group);
    else
        return true;
    return false;
}

static bool check_imbalance(const struct collective_program *self, struct workload_problem *problem)
{
    if (self->imbalance == 0 || has_lengths(self->op))
        return true;
    problem->param = "imbalance";
    snprintf(
        problem->text, sizeof problem->text,
        "all blocks of %s are equal; leave imbalance out, or take alltoallv, allgatherv, gatherv, scatterv "
        "or reduce_scatter",
        op_names[self->op]);
    return false;
}

/* Commas separate the parameters of a workload, so semicolons stand for those of the choice. */
static bool read_algorithm(struct collective_program *self, struct workload_problem *problem)
{
    struct coll_choice choice;
    struct param_problem found;
    if (!self->algorithm)
        return true;
    self->parameter = mem_format("mpi.%s", op_names[self->op]);
    self->choice = mem_text(self->algorithm);
    for (char *mark = self->choice; (mark = strchr(mark, ';'));)
        *mark = ',';
    if (coll_choice_parse((enum coll_kind)self->op, self->choice, &choice, &found))
        return true;
    problem->param = "algorithm";
    snprintf(problem->text, sizeof problem->text, "%s", found.text);
    return false;
}

static void make_groups(struct collective_program *self, struct program *program)
{
    uint32_t size = (uint32_t)self->group, stride = (uint32_t)self->stride, ranks = (uint32_t)self->ranks;
    uint32_t count = ranks / size;
    self->groups = mem_alloc((size_t)count + 1, sizeof *self->groups, "groups of ranks");
    self->members = mem_alloc(ranks, sizeof *self->members, "groups of ranks");
    self->groups[0].size = ranks;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i / stride * stride * size + i % stride, *members = &self->members[(size_t)i * size];
        for (uint32_t k = 0; k < size; k++)
            members[k] = first + k * stride;
        self->groups[i + 1] = (struct group){.size = size, .world = members};
    }
    program->groups = self->groups;
    program->group_count = count + 1;
}

static uint64_t block_of(const struct collective_program *self, uint64_t i)
{
    bool is_vector = self->op == COLL_REDUCE_SCATTER;
    uint64_t mean = is_vector ? self->bytes / self->group + (i < self->bytes % self->group) : self->bytes;
    return workload_block(mean, self->imbalance, i, self->group);
}

static void make_counts(struct collective_program *self, struct program *program)
{
    self->counts = mem_alloc(self->group + 1, sizeof *self->counts, "lengths of blocks");
    for (uint64_t i = 0; i < self->group; i++)
        self->counts[i + 1] = block_of(self, i);
    program->counts = self->counts;
}

static bool collective_prepare(const struct workload *workload, void *config, struct program *program,
                               struct workload_problem *problem)
{
    (void)workload;
    struct collective_program *self = config;
    if (!check_groups(self, problem) || !check_root(self, problem) || !check_imbalance(self, problem) ||
        !read_algorithm(self, problem))
        return false;
    bool has_groups = self->group < self->ranks;
    bool is_uneven = self->imbalance > 0 || (self->op == COLL_REDUCE_SCATTER && self->bytes % self->group);
    if ((has_groups || is_uneven) && self->ranks > STORED_RANKS) {
        problem->param = "ranks";
        snprintf(problem->text, sizeof problem->text,
                 "%" PRIu64 " ranks are too many for %s; there may be %d", self->ranks,
                 has_groups ? "groups" : "blocks that are not equal", STORED_RANKS);
        return false;
    }
    if (has_groups)
        make_groups(self, program);
    if (is_uneven)
        make_counts(self, program);
    program->setting = (struct program_setting){.parameter = self->parameter, .value = self->choice};
    return true;
}

static void collective_release(void *config)
{
    struct collective_program *self = config;
    free(self->parameter);
    free(self->choice);
    free(self->groups);
    free(self->members);
    free(self->counts);
}

/* -------------------------------------------------------------------- calls */

static uint32_t collective_ranks(const void *config)
{
    return (uint32_t)((const struct collective_program *)config)->ranks;
}

static uint64_t collective_steps(const void *config)
{
    const struct collective_program *self = config;
    return self->compute_ps ? 2 * self->iterations : self->iterations;
}

/* The lengths of the call: an array where MPI gives this rank one, else the rank's own block. */
static void set_lengths(const struct collective_program *self, uint64_t position, struct call *call)
{
    bool is_root = position == self->root;
    call->bytes = call->recv_bytes = self->counts[position + 1];
    if (self->op == COLL_ALLTOALLV || (self->op == COLL_SCATTERV && is_root))
        call->send_counts = 1;
    else if (self->op != COLL_SCATTERV && (self->op != COLL_GATHERV || is_root))
        call->recv_counts = 1;
}

static void collective_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    const struct collective_program *self = config;
    uint64_t span = self->group * self->stride;
    if (self->compute_ps && step % 2 == 0) {
        call->op = CALL_SLEEP;
        call->amount = (double)self->compute_ps / (double)PS_PER_S;
        return;
    }
    call->op = (uint8_t)(CALL_BARRIER + self->op);
    call->element_bytes = 1;
    call->peer = (int32_t)self->root;
    if (self->groups)
        call->group = call->context = (uint32_t)(1 + rank / span * self->stride + rank % self->stride);
    if (self->op == COLL_REDUCE_SCATTER)
        call->bytes = call->recv_bytes = self->bytes / self->group;
    else if (self->op != COLL_BARRIER)
        call->bytes = call->recv_bytes = self->bytes;
    if (self->counts)
        set_lengths(self, rank % span / self->stride, call);
}

const struct workload collective_workload = {
    .name = "collective",
    .doc =
        "one collective operation, repeated: collective:op=allreduce,ranks=1024,bytes=64MiB,algorithm=ring",
    .params = &collective_program_params,
    .prepare = collective_prepare,
    .release = collective_release,
    .ranks = collective_ranks,
    .steps = collective_steps,
    .call = collective_call,
};
