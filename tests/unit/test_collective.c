/* The workload `collective`: every operation with every algorithm, in groups, against the prover's counts and
 * closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "coll/prove.h"
#include "fabric/message.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "workload/workload.h"

/* hockney: a message of n bytes takes LATENCY + n x BYTE, whatever else is sent. */
#define LATENCY INT64_C(2000000)
#define BYTE    INT64_C(1000)

/* Sees that messages stay within their group: ranks of one residue of `stride` and one stretch of `span`. */
struct group_watch {
    uint32_t stride, span;
    uint64_t outside;
};

static void see_message(void *self, const struct tap_record *record)
{
    struct group_watch *watch = self;
    uint32_t from = record->message->source, to = record->message->destination;
    watch->outside += from % watch->stride != to % watch->stride || from / watch->span != to / watch->span;
}

static void listen(void *self, uint32_t ranks, struct tap *tap)
{
    (void)ranks;
    tap_handle(tap, TAP_BIT(TAP_FINISHED), see_message, self);
}

struct outcome {
    ps_t makespan;
    uint64_t messages;
    double bytes;
    char choice[64]; /* the value of the parameter that `asked` names */
};

static struct config *config_for(const char *spec)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_int_equal(config_assign(config, "workload", spec, "test"), STATUS_OK);
    assert_int_equal(config_assign(config, "fabric", "hockney", "test"), STATUS_OK);
    assert_int_equal(config_set(config, "hockney.latency=2us"), STATUS_OK);
    assert_int_equal(config_set(config, "hockney.bandwidth=1GB/s"), STATUS_OK);
    return config;
}

static struct outcome run_watched(const char *spec, const char *asked, struct group_watch *groups)
{
    struct config *config = config_for(spec);
    struct experiment experiment;
    struct experiment_watch watch = {.listen = groups ? listen : NULL, .listener = groups};
    struct result result;
    struct outcome outcome = {.choice = ""};
    if (experiment_init(&experiment, config) != STATUS_OK)
        fail_msg("%s does not open", spec);
    if (asked)
        snprintf(outcome.choice, sizeof outcome.choice, "%s", config_text(experiment.config, asked));
    if (experiment_run(&experiment, 0, &watch, &result) != STATUS_OK)
        fail_msg("%s does not run", spec);
    outcome.makespan = result.makespan;
    outcome.messages = result.messages;
    outcome.bytes = (double)result.bytes;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return outcome;
}

static struct outcome run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct outcome run(const char *format, ...)
{
    char spec[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(spec, sizeof spec, format, arguments);
    va_end(arguments);
    return run_watched(spec, NULL, NULL);
}

/* 24 ranks in 6 groups of 4 ranks with stride 3 send what 6 proven calls of 4 ranks send. */
static void every_algorithm_runs_in_groups(void **state)
{
    (void)state;
    enum { GROUPS = 6, SIZE = 4, STRIDE = 3, BYTES = 120 };
    size_t count = 0;
    for (; coll_algorithms[count]; count++) {
        const struct coll_algorithm *algorithm = coll_algorithms[count];
        const char *name = coll_kind_name(algorithm->kind);
        struct group_watch watch = {.stride = STRIDE, .span = SIZE * STRIDE};
        bool is_vector = algorithm->kind == COLL_REDUCE_SCATTER;
        struct coll_world world = {
            .size = SIZE, .element_bytes = 1, .bytes = is_vector ? BYTES / SIZE : BYTES};
        struct coll_proof proof;
        char *asked = mem_format("mpi.%s", name);
        char *spec = mem_format("collective:op=%s,algorithm=%s,ranks=%d,group=%d,stride=%d,bytes=%d B", name,
                                algorithm->name, GROUPS * SIZE, SIZE, STRIDE, BYTES);
        assert_true(coll_prove(algorithm, &world, &proof));
        struct outcome outcome = run_watched(spec, asked, &watch);
        assert_string_equal(outcome.choice, algorithm->name);
        assert_int_equal(outcome.messages, GROUPS * proof.messages);
        assert_true(outcome.bytes == GROUPS * (double)proof.bytes);
        assert_int_equal(watch.outside, 0);
        free(asked);
        free(spec);
    }
    assert_true(count >= 49);
}

static void closed_forms(void **state)
{
    (void)state;
    for (int64_t ranks = 2; ranks <= 64; ranks *= 2) {
        int64_t n = 64 * 1024, rounds = __builtin_ctzll((uint64_t)ranks);
        ps_t whole = LATENCY + n * BYTE, part = LATENCY + n / ranks * BYTE;
        int p = (int)ranks;
        assert_int_equal(run("collective:op=allreduce,algorithm=ring,bytes=64KiB,ranks=%d", p).makespan,
                         2 * (ranks - 1) * part);
        assert_int_equal(
            run("collective:op=allreduce,algorithm=recursive-doubling,bytes=64KiB,ranks=%d", p).makespan,
            rounds * whole);
        assert_int_equal(run("collective:op=bcast,algorithm=binomial,bytes=64KiB,ranks=%d", p).makespan,
                         rounds * whole);
        assert_int_equal(run("collective:op=alltoall,algorithm=pairwise,bytes=64KiB,ranks=%d", p).makespan,
                         (ranks - 1) * whole);
        assert_int_equal(run("collective:op=allgather,algorithm=ring,bytes=64KiB,ranks=%d", p).makespan,
                         (ranks - 1) * whole);
        assert_int_equal(
            run("collective:op=reduce_scatter,algorithm=pairwise,bytes=64KiB,ranks=%d", p).makespan,
            (ranks - 1) * part);
        assert_int_equal(run("collective:op=barrier,algorithm=dissemination,ranks=%d", p).makespan,
                         rounds * LATENCY);
    }
}

/* Groups run side by side; calls run one after another; each rank computes before each call. */
static void groups_iterations_and_computing(void **state)
{
    (void)state;
    const ps_t call = 2 * 7 * (LATENCY + 1024 * BYTE);
    static const char ring[] = "collective:op=allreduce,algorithm=ring,bytes=8KiB";
    assert_int_equal(run("%s,ranks=8", ring).makespan, call);
    assert_int_equal(run("%s,ranks=32,group=8", ring).makespan, call);
    assert_int_equal(run("%s,ranks=32,stride=4", ring).makespan, call);
    assert_int_equal(run("%s,ranks=32,group=8", ring).messages, run("%s,ranks=32,stride=4", ring).messages);
    assert_int_equal(run("%s,ranks=8,iterations=3", ring).makespan, 3 * call);
    assert_int_equal(run("%s,ranks=8,iterations=3,compute=5us", ring).makespan, 3 * (call + 5000000));
}

/* Blocks of 500, 750, 1000, 1250 and 1500 B. */
static void imbalance(void **state)
{
    (void)state;
    static const char spec[] = "ranks=5,bytes=1000 B,imbalance=0.5";
    struct program *program;
    struct call scratch;
    assert_int_equal(
        workload_open("collective:op=gatherv,root=2,ranks=5,bytes=1000 B,imbalance=0.5", &program),
        STATUS_OK);
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < 5; rank++) {
        const struct call *call = program_next(program, rank, &scratch);
        assert_int_equal(call->bytes, 500 + 250 * rank);
        assert_int_equal(program->counts[1 + rank], call->bytes);
        assert_int_equal(call->recv_counts, rank == 2);
        assert_int_equal(call->peer, 2);
    }
    program->ops->close(program);
    /* each rank sends all blocks but its own; every rank gets or sends one, but for the root's */
    assert_true(run("collective:op=alltoallv,%s", spec).bytes == 4 * 5000);
    assert_true(run("collective:op=allgatherv,%s", spec).bytes == 4 * 5000);
    assert_true(run("collective:op=reduce_scatter,ranks=5,bytes=5000 B,imbalance=0.5").bytes == 4 * 5000);
    assert_true(run("collective:op=gatherv,root=4,%s", spec).bytes == 5000 - 1500);
    assert_true(run("collective:op=scatterv,root=0,%s", spec).bytes == 5000 - 500);
    /* a vector that its ranks do not divide */
    assert_true(run("collective:op=reduce_scatter,ranks=5,bytes=1003 B").bytes == 4 * 1003);
}

/* What the program sets wins, and the caller's parameters stay as they are. */
static void algorithm_is_of_this_program(void **state)
{
    (void)state;
    struct config *config = config_for("collective:op=bcast,ranks=8,bytes=9B,algorithm=binomial<=8B;linear");
    struct experiment experiment;
    assert_int_equal(config_set(config, "mpi.bcast=scatter-allgather"), STATUS_OK);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_string_equal(config_text(experiment.config, "mpi.bcast"), "binomial<=8B,linear");
    assert_string_equal(config_origin(experiment.config, "mpi.bcast"), "test");
    assert_string_equal(config_text(config, "mpi.bcast"), "scatter-allgather");
    experiment_free(&experiment);
    config_close(config);
    assert_int_equal(run("collective:op=bcast,ranks=8,bytes=9B,algorithm=binomial<=8B;linear").makespan,
                     LATENCY + 9 * BYTE);
    assert_int_equal(run("collective:op=bcast,ranks=8,bytes=8B,algorithm=binomial<=8B;linear").makespan,
                     3 * (LATENCY + 8 * BYTE));
}

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)level;
    strncat(self, message, 4000 - strlen(self));
}

static void refused(const char *spec, const char *with)
{
    char said[4096] = "";
    struct program *program;
    diag_set_sink(keep_message, said);
    assert_int_equal(workload_open(spec, &program), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    if (!strstr(said, with))
        fail_msg("%s is refused with: %s", spec, said);
}

static void refusals(void **state)
{
    (void)state;
    refused("collective:op=allreduce,algorithm=binomial", ":1:35: error: 'binomial' is not an algorithm of");
    refused("collective:ranks=10,group=4", "10 ranks have no groups of 4 ranks with stride 1");
    refused("collective:ranks=8,group=4,stride=4", "group x stride must divide ranks");
    refused("collective:ranks=8,stride=9", "8 ranks have no groups of 0 ranks with stride 9");
    refused("collective:op=bcast,ranks=8,group=4,root=4", "there is no rank 4 among 4 ranks");
    refused("collective:root=1", "allreduce has no root");
    refused("collective:imbalance=0.5", "all blocks of allreduce are equal");
    refused("collective:op=allreduces", "did you mean 'allreduce'");
    refused("collective:ranks=1000000000,group=2", "1000000000 ranks are too many for groups");
    refused("ring-allreduce:ranks=4", "did you mean fmu-allreduce, the benchmark of the FMU paper, or "
                                      "collective:op=allreduce,algorithm=ring");
    refused("ring-bcast", "fmu-bcast");
    refused("ring-reduce", "fmu-reduce");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_runs_in_groups),  cmocka_unit_test(closed_forms),
        cmocka_unit_test(groups_iterations_and_computing), cmocka_unit_test(imbalance),
        cmocka_unit_test(algorithm_is_of_this_program),    cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
