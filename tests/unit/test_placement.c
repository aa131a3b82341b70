/* Placements of ranks on nodes. Witnesses: a job with the same ranks of the machine, the run without a
 * placement, and the two ways to say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "engine/placement.h"
#include "sim/components.h"
#include "sim/experiment.h"

enum { SETTINGS = 8 };

static struct config *config_with(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    for (size_t i = 0; i < SETTINGS && settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    return config;
}

static ps_t time_of(const char *const *settings)
{
    struct config *config = config_with(settings);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    ps_t time = result.makespan;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return time;
}

/* What a placement by name is, as a text: "0 0 1 1". */
static void expect_nodes(uint32_t ranks, const char *const *settings, uint32_t nodes, const char *expected)
{
    struct config *config = config_with(settings);
    struct program program = {.ranks = ranks};
    struct placement placement;
    char text[256] = "";
    assert_int_equal(placement_open(config, &program, &placement), STATUS_OK);
    for (uint32_t rank = 0, length = 0; rank < ranks; rank++)
        length += (uint32_t)snprintf(text + length, sizeof text - length, "%s%u", rank ? " " : "",
                                     program_node(&program, rank, 1));
    assert_string_equal(text, expected);
    if (program.node_of)
        assert_int_equal(program.nodes, nodes);
    placement_close(&placement);
    assert_null(program.node_of);
    config_close(config);
}

static void names_place_ranks(void **state)
{
    (void)state;
    expect_nodes(4, (const char *const[SETTINGS]){"placement=linear"}, 4, "0 1 2 3");
    expect_nodes(5, (const char *const[SETTINGS]){"placement=interleaved", "ranks_per_node=2"}, 3,
                 "0 1 2 0 1");
    expect_nodes(8,
                 (const char *const[SETTINGS]){"placement=blocks", "ranks_per_node=4", "placement_block=2"},
                 2, "0 0 1 1 0 0 1 1");
    /* A block that does not fit is cut at the end of the node. */
    expect_nodes(8,
                 (const char *const[SETTINGS]){"placement=blocks", "ranks_per_node=4", "placement_block=3"},
                 2, "0 0 0 1 1 1 0 1");
    expect_nodes(3, (const char *const[SETTINGS]){"placement=blocks", "ranks_per_node=1"}, 3, "0 1 2");
}

static void random_places_each_rank_once(void **state)
{
    (void)state;
    uint32_t moved = 0, first[16];
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char set[64];
        uint32_t used[8] = {0};
        snprintf(set, sizeof set, "placement_seed=%llu", (unsigned long long)seed);
        struct config *config =
            config_with((const char *const[SETTINGS]){"placement=random", "ranks_per_node=2", set});
        struct program program = {.ranks = 16};
        struct placement placement;
        assert_int_equal(placement_open(config, &program, &placement), STATUS_OK);
        for (uint32_t rank = 0; rank < 16; rank++) {
            assert_true(++used[program.node_of[rank]] <= 2);
            moved += seed > 1 && program.node_of[rank] != first[rank];
        }
        if (seed == 1)
            memcpy(first, program.node_of, sizeof first);
        placement_close(&placement);
        config_close(config);
    }
    assert_true(moved > 16); /* other seeds, other placements */
}

/* -------------------------------------------------------------------- files */

static char kept[4096];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(kept, message, sizeof kept - strlen(kept) - 1);
}

static enum status read_text(const char *text, const struct placement_room *room, uint32_t *node_of,
                             uint32_t *nodes)
{
    kept[0] = '\0';
    diag_set_sink(keep, NULL);
    enum status status = placement_read("p", text, strlen(text), room, node_of, nodes);
    diag_set_sink(NULL, NULL);
    return status;
}

static void files_are_read(void **state)
{
    (void)state;
    const struct placement_room room = {.ranks = 3, .nodes = 8, .ranks_per_node = 2, .has_topology = true};
    uint32_t node_of[3], nodes;
    assert_int_equal(read_text("# ranks\n\n2\t6 # last\r\n 0 1\n1 6", &room, node_of, &nodes), STATUS_OK);
    assert_memory_equal(node_of, ((uint32_t[]){1, 6, 6}), sizeof node_of);
    assert_int_equal(nodes, 7);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    const struct placement_room room = {.ranks = 3, .nodes = 4, .ranks_per_node = 2, .has_topology = true},
                                few = {.ranks = 9, .nodes = 4, .ranks_per_node = 2, .has_topology = true},
                                without = {.ranks = 3, .nodes = 3, .ranks_per_node = 1};
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"0 1\n1 1\n2 1\n", "p:3:3: error: node 1 is full: ranks_per_node is 2"},
        {"0 1\n2 1\n", "p:3:1: error: rank 1 has no node: the file ends after 2 of 3 ranks"},
        {"", "p:1:1: error: rank 0 has no node"},
        {"0 4\n", "p:1:3: error: there is no node 4; the topology has nodes 0 to 3"},
        {"0 99999999999999999999\n", "p:1:3: error: a line has a rank and its node"},
        {"  3 0\n", "p:1:3: error: there is no rank 3; the program has ranks 0 to 2"},
        {"0 0\n\n0 1\n", "p:3:1: error: rank 0 has a node already, in line 1"},
        {"0 0\n1 # 0\n", "p:2:1: error: a line has a rank and its node, such as '0 3'; the node is missing"},
        {"0 -1\n", "p:1:3: error: a line has a rank and its node, such as '0 3', and this is no such number"},
        {"0 1 1\n", "p:1:5: error: a line has a rank and its node, and nothing else"},
    };
    uint32_t node_of[9], nodes;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_text(cases[i].text, &room, node_of, &nodes), STATUS_BAD_INPUT);
        kept[strlen(cases[i].message)] = '\0';
        assert_string_equal(kept, cases[i].message);
    }
    assert_int_equal(read_text("0 0\n", &few, node_of, &nodes), STATUS_BAD_INPUT);
    assert_non_null(strstr(kept, "9 ranks do not fit on 4 nodes of 2"));
    assert_int_equal(read_text("0 3\n", &without, node_of, &nodes), STATUS_BAD_INPUT);
    assert_non_null(strstr(kept, "without a topology there are as many nodes as ranks, nodes 0 to 2"));
}

/* --------------------------------------------------------------------- runs */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *const runs[][4] = {
    {"fabric=packet", "topology=torus:6", NULL},
    {"fabric=packet", "topology=torus:6", "mpi.tuning=mpich", "faults.slow_nodes=3"},
    {"fabric=fmu", "topology=torus:6", NULL},
    {"fabric=segment", "topology=torus:3x2", NULL},
    {"fabric=tdm-dynamic", "topology=torus:6", NULL},
    {"fabric=packet", "topology=torus:6", "host.system=thunderx2", NULL},
    {"fabric=tdm-compiled", "topology=torus:6", NULL}, /* last: its phases end at collectives of the world */
};

/* The same places as a job's ranks of the machine, and as a placement. Two of six nodes are idle. */
static void a_placement_is_the_same_as_ranks_of_a_job(void **state)
{
    (void)state;
    char jobs[64] = "/tmp/helio-placement.XXXXXX", file[80], list[80], set[128], workload[128];
    assert_non_null(mkdtemp(jobs));
    snprintf(file, sizeof file, "%s/file", jobs);
    snprintf(list, sizeof list, "%s/jobs.yaml", jobs);
    snprintf(set, sizeof set, "placement=%s", file);
    snprintf(workload, sizeof workload, "workload=jobs:file=%s,alone=no", list);
    write_file(file, "3 0\n0 5\n1 2\n2 3\n");
    write_file(list, "jobs: [{workload: \"npb:cg:class=S,ranks=4\", ranks: [5, 2, 3, 0]}]\n");
    for (size_t i = 0; i + 1 < sizeof runs / sizeof *runs; i++) {
        const char *placed[SETTINGS] = {set, "workload=npb:cg:class=S,ranks=4"};
        const char *job[SETTINGS] = {workload};
        for (size_t k = 0; k < 4 && runs[i][k]; k++)
            placed[2 + k] = job[1 + k] = runs[i][k];
        assert_int_equal(time_of(placed), time_of(job));
    }
    unlink(file);
    unlink(list);
    rmdir(jobs);
}

static void the_identity_changes_nothing(void **state)
{
    (void)state;
    char path[64] = "/tmp/helio-placement.XXXXXX", set[80];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(set, sizeof set, "placement=%s", path);
    write_file(path, "0 0\n1 0\n2 1\n3 1\n4 2\n5 2\n6 3\n7 3\n");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const char *plain[SETTINGS] = {"workload=npb:cg:class=S,ranks=8", "ranks_per_node=2"};
        const char *placed[SETTINGS] = {"workload=npb:cg:class=S,ranks=8", "ranks_per_node=2", set};
        for (size_t k = 0; k < 4 && runs[i][k]; k++)
            plain[2 + k] = placed[3 + k] = runs[i][k];
        assert_int_equal(time_of(placed), time_of(plain));
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_place_ranks),
        cmocka_unit_test(random_places_each_rank_once),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(a_placement_is_the_same_as_ranks_of_a_job),
        cmocka_unit_test(the_identity_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
