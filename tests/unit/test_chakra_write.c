/* Writing Chakra execution traces. Witnesses: the program that is written, whose ranks end at the same
 * picosecond; and the list of what Chakra cannot say. test_chakra.c compares the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/memory_stream.h"
#include "graph/of_calls.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/traffic.h"
#include "trace/chakra/chakra.h"
#include "trace/chakra/write.h"
#include "trace/trace.h"
#include "workload/workload.h"

enum { MOST_RANKS = 64 };

static char said[4096];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self;
    if (level == DIAG_ERROR)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", message);
}

static struct config *config_with(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    for (size_t i = 0; settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    return config;
}

static void run(struct program *program, const char *const *settings, struct result *result)
{
    struct config *config = config_with(settings);
    struct experiment experiment;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(config_assign(config, "workload", "given", "test"), STATUS_OK);
    assert_int_equal(experiment_init_with(&experiment, config, program), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, result), STATUS_OK);
    experiment_free(&experiment);
    config_close(config);
}

/* The graph that is written, of a program of calls with the run's algorithms. */
static struct program *graph_of(struct program *program)
{
    static const char *const settings[] = {"machine=as-published", NULL};
    struct config *config = config_with(settings);
    struct collective_config collective;
    struct program *graph = program;
    const struct graph_of_calls_options options = {.patterns = traffic_options(config, &collective),
                                                   .ps_per_operation =
                                                       compute_config_ps(config_of(config, &compute_params)),
                                                   .scale = 1,
                                                   .keeps = chakra_has_call};
    if (!program->graph)
        assert_int_equal(graph_of_calls(program, &options, &graph), STATUS_OK);
    config_close(config);
    return graph;
}

/* What is written of the graph, read again. */
static struct program *read_again(const struct program *graph)
{
    static char names[MOST_RANKS][16];
    const char *paths[MOST_RANKS];
    const uint8_t *bytes[MOST_RANKS];
    char *texts[MOST_RANKS];
    size_t sizes[MOST_RANKS];
    struct program *again;
    assert_int_equal(chakra_write_check(graph), STATUS_OK);
    struct chakra_writer *writer = chakra_writer_open(graph);
    for (uint32_t i = 0; i < graph->ranks; i++) {
        FILE *out = memory_stream_open(&texts[i], &sizes[i]);
        chakra_writer_put(writer, i, out);
        assert_int_equal(fclose(out), 0);
        snprintf(names[i], sizeof names[i], "t.%u.et", i);
        paths[i] = names[i];
        bytes[i] = (const uint8_t *)texts[i];
    }
    chakra_writer_close(writer);
    assert_int_equal(chakra_open_bytes(paths, bytes, sizes, graph->ranks, &again), STATUS_OK);
    for (uint32_t i = 0; i < graph->ranks; i++)
        free(texts[i]);
    return again;
}

static void same_times(const char *name, struct program *program, struct program *again,
                       const char *const *settings)
{
    struct result first, second;
    run(program, settings, &first);
    run(again, settings, &second);
    for (uint32_t rank = 0; rank < first.ranks; rank++)
        if (first.rows[rank].finish != second.rows[rank].finish)
            fail_msg("%s, %s: rank %u ends at %lld, and as Chakra at %lld", name, settings[0], rank,
                     (long long)first.rows[rank].finish, (long long)second.rows[rank].finish);
    result_free(&first);
    result_free(&second);
}

static struct program *open_program(const char *name)
{
    struct program *program;
    bool is_trace = strncmp(name, "tests/", 6) == 0;
    diag_set_sink(keep, NULL);
    said[0] = '\0';
    assert_int_equal(is_trace ? trace_open(name, &program) : workload_open(name, &program), STATUS_OK);
    return program;
}

/* ---------------------------------------------------------------- the same */

/* Several cores and NICs, dependences on beginnings, large and small messages, messages of 0 bytes. The
 * attributes of our own say all of it, so that the software of hosts makes no difference. */
static void a_graph_takes_the_same_time(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu-05",  "cpu-13",  "xcpu-04",       "nic-05",
                                        "irq-04",  "irq-11",  "dag-30",        "dense-10",
                                        "late-01", "zero-07", "sg-recdoub-32", "fifo-07"};
    static const char *const settings[][4] = {{"fabric=hockney"},
                                              {"fabric=packet"},
                                              {"fabric=hockney", "host.system=thunderx2"},
                                              {"fabric=loggops", "loggops.L=1us"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/goal/cases/%s.goal", names[i]);
        struct program *program = open_program(path), *again = read_again(program);
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            same_times(path, program, again, settings[k]);
        again->ops->close(again);
        program->ops->close(program);
    }
}

/* Collective calls of groups stay calls, those that Chakra has not become messages. */
static void a_program_of_calls_takes_the_same_time(void **state)
{
    (void)state;
    static const char *const names[] = {
        "tests/traces/cg.S.4.tar.zst",
        "tests/traces/is.S.4.tar.zst",
        "training:gpus=16,tensor=2,pipeline=2,layers=4,micro_batches=4",
        "training:gpus=8,tensor=2,layers=4,micro_batches=2,zero=3,sequence_parallel=true",
        "training:model=mixtral-8x7b,gpus=8,tensor=2,expert=4,layers=2,micro_batches=2,skew=0.5",
        "collective:op=allreduce,ranks=5,bytes=1001B",
        "collective:op=reduce_scatter,ranks=6,group=3,bytes=40KiB",
        "collective:op=gather,ranks=6,root=2,bytes=3KiB",
        "collective:op=scatter,ranks=6,root=5,bytes=3KiB",
        "collective:op=reduce,ranks=6,root=1,bytes=3KiB",
        "collective:op=bcast,ranks=6,root=4,bytes=3KiB",
        "collective:op=scan,ranks=6,bytes=3KiB",
        "collective:op=alltoallv,ranks=6,imbalance=1,bytes=3KiB"};
    static const char *const settings[][4] = {{"fabric=hockney", "machine=as-published"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct program *program = open_program(names[i]), *graph = graph_of(program),
                       *again = read_again(graph);
        same_times(names[i], program, again, settings[0]);
        again->ops->close(again);
        graph->ops->close(graph);
        program->ops->close(program);
    }
}

/* A Chakra trace that is written again has its nodes, and no attribute that it did not have. */
static void a_chakra_trace_stays_as_it_is(void **state)
{
    (void)state;
    static const char *const settings[][4] = {{"fabric=packet"}};
    struct program *program = open_program("tests/traces/chakra/reduce_scatter.0.et"),
                   *again = read_again(program);
    assert_int_equal(again->graph->operations, program->graph->operations);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        assert_memory_equal(again->graph->ranks[rank].operations, program->graph->ranks[rank].operations,
                            program->graph->ranks[rank].count * sizeof(struct graph_operation));
    same_times("reduce_scatter", program, again, settings[0]);
    again->ops->close(again);
    program->ops->close(program);
}

/* ----------------------------------------------------- what cannot be said */

static void what_chakra_has_not_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"anysrc-01", "it receives from any rank"},
                                           {"anytag-06", "it matches any tag"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/goal/cases/%s.goal", cases[i][0]);
        struct program *program = open_program(path);
        assert_int_equal(chakra_write_check(program), STATUS_BAD_INPUT);
        if (!strstr(said, cases[i][1]) || !strstr(said, ".goal:"))
            fail_msg("%s", said);
        program->ops->close(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_takes_the_same_time),
        cmocka_unit_test(a_program_of_calls_takes_the_same_time),
        cmocka_unit_test(a_chakra_trace_stays_as_it_is),
        cmocka_unit_test(what_chakra_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
