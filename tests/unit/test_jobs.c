/* Several programs on one machine. Witnesses: each job's own run by itself, where nothing is shared; and the
 * closed form of pairs that share links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "call/jobs.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "workload/workload.h"

static const char *const placements[] = {"linear", "interleaved", "blocks", "random", "groups"};
enum { PLACEMENTS = sizeof placements / sizeof *placements };

static void ignore(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

static enum experiment_path path_wanted; /* of the runs that follow */

/* Runs `program`, a workload or a trace, with these settings. */
static struct result run(const char *kind, const char *program, const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    diag_set_sink(ignore, NULL); /* warnings about every.4 */
    assert_int_equal(config_assign(config, kind, program, "test"), STATUS_OK);
    for (size_t i = 0; settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    experiment.path = path_wanted;
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    experiment_free(&experiment);
    config_close(config);
    diag_set_sink(NULL, NULL);
    return result;
}

static struct result run_jobs(const char *file, const char *placement, const char *const *settings)
{
    char spec[128];
    snprintf(spec, sizeof spec, "jobs:tests/jobs/%s.yaml,placement=%s", file, placement);
    return run("workload", spec, settings);
}

static ps_t time_of(const char *kind, const char *program, const char *const *settings)
{
    struct result result = run(kind, program, settings);
    ps_t time = result.makespan;
    assert_null(result.jobs);
    result_free(&result);
    return time;
}

/* ----------------------------------------------------------- nothing shared */

static void jobs_that_share_nothing_take_their_own_time(void **state)
{
    (void)state;
    static const char *const programs[][2] = {
        {"trace", "tests/traces/every.4"},
        {"trace", "tests/traces/is.S.4.tar.zst"},
        {"trace", "tests/traces/cg.S.4.tar.zst"},
        {"workload", "collective:op=allgather,ranks=8,group=4,bytes=8KiB"},
        {"workload", "alltoall:ranks=4,bytes=64KiB"},
        {"workload", "alltoall:ranks=4,bytes=64KiB"},
    };
    static const char *const fabrics[][2] = {{"fabric=hockney"}, {"fabric=packet"}, {"fabric=ideal"}};
    for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++) {
        for (size_t p = 0; p < PLACEMENTS; p++) {
            struct result result = run_jobs("mixed", placements[p], fabrics[f]);
            assert_int_equal(result.job_count, 6);
            for (size_t i = 0; i < result.job_count; i++) {
                const struct result_job *job = &result.jobs[i];
                assert_int_equal(job->time, time_of(programs[i][0], programs[i][1], fabrics[f]));
                assert_int_equal(job->alone, job->time);
            }
            assert_int_equal(result.jobs[2].start, PS_PER_S / 1000);
            result_free(&result);
        }
    }
}

/* ------------------------------------------------------------------- starts */

/* The time before a start is no computation: the times of each rank from its start on add up, and those of
 * the path, which has all of the time before. */
static void check_times(const struct result *result)
{
    ps_t sum = 0, before = 0;
    for (uint32_t rank = 0, job = 0, of_job = 0; rank < result->ranks; rank++, of_job++) {
        const struct rank_row *row = &result->rows[rank];
        if (of_job == result->jobs[job].ranks)
            job++, of_job = 0;
        before += result->jobs[job].start;
        assert_int_equal(row->compute, 0);
        assert_int_equal(row->finish, result->jobs[job].start + row->idle + row->software);
    }
    assert_true(result->before_ranks == before);
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        sum += result->path->kinds[kind];
    assert_int_equal(sum, result->makespan);
    assert_int_equal(result->path->kinds[CRITICAL_COMPUTATION], 0);
    assert_int_equal(result->path->kinds[CRITICAL_OTHER], result->jobs[result->job_count - 1].start);
}

/* A job starts as late, and then takes as long, on nodes that compute slowly. */
static void check_starts(const char *spec, const char *fabric, const char *machine)
{
    const char *const plain[] = {fabric, machine, NULL};
    const char *const slow[] = {fabric, machine, "faults.slow_nodes=0-7", "faults.slow_compute=2", NULL};
    struct result result = run("workload", spec, plain);
    check_times(&result);
    if (strcmp(fabric, "fabric=loggops") != 0) { /* which refuses slow nodes */
        struct result slowed = run("workload", spec, slow);
        check_times(&slowed);
        for (size_t i = 0; i < result.job_count; i++) {
            assert_int_equal(slowed.jobs[i].time, result.jobs[i].time);
            assert_int_equal(slowed.jobs[i].alone, result.jobs[i].alone);
        }
        result_free(&slowed);
    }
    result_free(&result);
}

static void start_is_no_computation(void **state)
{
    (void)state;
    static const char *const specs[] = {"jobs:tests/jobs/late.yaml", "jobs:tests/jobs/late-graphs.yaml",
                                        "jobs:tests/jobs/late.yaml,queue=fcfs,nodes=8"};
    static const char *const machines[] = {"machine=as-published", "machine=infiniband-ndr"};
    path_wanted = EXPERIMENT_PATH_LISTED;
    for (size_t i = 0; i < 3 * 2; i++) {
        check_starts(specs[i / 2], "fabric=packet", machines[i % 2]);
        check_starts(specs[i / 2], "fabric=hockney", machines[i % 2]);
        if (i / 2 < 2) /* loggops has no queue */
            check_starts(specs[i / 2], "fabric=loggops", machines[i % 2]);
    }
    path_wanted = EXPERIMENT_PATH_NONE;
}

/* -------------------------------------------------------------- call sites */

static const struct result_site *find_site(const struct result *result, const char *job, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%s: %s", job, name);
    for (uint32_t i = 1; i < result->site_count; i++)
        if (strcmp(result->sites[i].name, text) == 0)
            return &result->sites[i];
    fail_msg("no call site %s", text);
    return NULL;
}

/* Jobs that share nothing wait at each line as long as alone, and other jobs at lines that are not known. */
static void jobs_wait_where_they_wait_alone(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", NULL};
    static const char *const names[] = {"solver-1", "solver-2", "late"};
    struct result alone = run("trace", "tests/golden/run-sites/trace", settings);
    for (size_t p = 0; p < PLACEMENTS; p++) {
        struct result result = run_jobs("sites", placements[p], settings);
        assert_int_equal(result.site_count, 1 + 3 * (alone.site_count - 1));
        for (uint32_t i = 1; i < alone.site_count; i++)
            for (size_t job = 0; job < 3; job++) {
                const struct result_site *site = find_site(&result, names[job], alone.sites[i].name);
                assert_true(site->idle == alone.sites[i].idle);
                assert_int_equal(site->waits, alone.sites[i].waits);
            }
        sum_t idle = 0, all = 0;
        for (uint32_t i = 0; i < result.site_count; i++)
            idle += result.sites[i].idle;
        for (uint32_t rank = 0; rank < result.ranks; rank++)
            all += result.rows[rank].idle;
        assert_true(idle == all && result.sites[0].idle > 3 * alone.sites[0].idle);
        result_free(&result);
    }
    result_free(&alone);
}

/* Beside graphs, all jobs run as one graph. Ranks wait at each line as long as the calls do, and the time of
 * messages on the path is that of all lines together. Names of nodes stand for lines. */
static void graphs_wait_where_their_operations_are(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", "machine=as-published", NULL};
    struct result alone = run("trace", "tests/golden/run-sites/trace", settings);
    path_wanted = EXPERIMENT_PATH_LISTED;
    struct result result = run_jobs("sites-graph", "linear", settings);
    path_wanted = EXPERIMENT_PATH_NONE;
    assert_int_equal(result.site_count, alone.site_count + 1);
    for (uint32_t i = 1; i < alone.site_count; i++) {
        const struct result_site *site = find_site(&result, "solver", alone.sites[i].name);
        assert_true(site->idle == alone.sites[i].idle);
        assert_int_equal(site->waits, alone.sites[i].waits);
    }
    assert_true(find_site(&result, "gather", "all_gather_4npus_1MB")->idle > 0);
    sum_t idle = 0, all = 0;
    ps_t path = 0, messages = 0;
    for (uint32_t i = 0; i < result.site_count; i++) {
        idle += result.sites[i].idle;
        path += result.sites[i].path;
    }
    for (uint32_t rank = 0; rank < result.ranks; rank++)
        all += result.rows[rank].idle;
    for (size_t i = 0; i < result.path->count; i++)
        messages += result.path->steps[i].end - result.path->steps[i].start;
    assert_true(idle == all);
    assert_int_equal(path, messages);
    assert_true(find_site(&result, "solver", "halo.c:112")->path > 0);
    result_free(&result);
    result_free(&alone);
}

struct part {
    const char *kind, *program;
};

/* Each job takes the time of its own run, in company and alone. Without the software of hosts, so that a
 * program of calls takes the time of its graph. */
static void each_takes_its_own_time(const char *file, const char *placement, const struct part *parts,
                                    size_t count)
{
    static const char *const fabrics[][3] = {{"fabric=hockney", "machine=as-published"},
                                             {"fabric=packet", "machine=as-published"},
                                             {"fabric=loggops", "machine=as-published"}};
    for (size_t f = 0; f < sizeof fabrics / sizeof *fabrics; f++) {
        struct result result = run_jobs(file, placement, fabrics[f]);
        assert_int_equal(result.job_count, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(result.jobs[i].time, time_of(parts[i].kind, parts[i].program, fabrics[f]));
            assert_int_equal(result.jobs[i].alone, result.jobs[i].time);
        }
        result_free(&result);
    }
}

static void graphs_that_share_nothing_take_their_own_time(void **state)
{
    (void)state;
    static const struct part parts[] = {{"trace", "tests/goal/cases/cpu-05.goal"},
                                        {"trace", "tests/goal/cases/anysrc-01.goal"},
                                        {"trace", "tests/goal/cases/sg-doublering-32.goal"},
                                        {"trace", "tests/traces/chakra/all_reduce.0.et"},
                                        {"trace", "tests/traces/chakra/reduce_scatter.0.et"}};
    for (size_t p = 0; p < PLACEMENTS; p++)
        each_takes_its_own_time("graphs", placements[p], parts, sizeof parts / sizeof *parts);
}

static void graphs_and_calls_take_their_own_time(void **state)
{
    (void)state;
    static const struct part parts[] = {{"trace", "tests/goal/cases/cpu-05.goal"},
                                        {"trace", "tests/traces/cg.S.4.tar.zst"},
                                        {"trace", "tests/traces/chakra/all_gather.0.et"},
                                        {"workload", "collective:op=allgather,ranks=8,group=4,bytes=8KiB"}};
    each_takes_its_own_time("both", "linear", parts, sizeof parts / sizeof *parts);
}

/* Beside graphs, ranks that make calls do so as they do alone: with the software of hosts, with host models,
 * whose cores poll in calls, and in a queue. */
static void calls_beside_graphs_remain_calls(void **state)
{
    (void)state;
    static const struct part parts[] = {{"trace", "tests/goal/cases/cpu-05.goal"},
                                        {"trace", "tests/traces/cg.S.4.tar.zst"},
                                        {"trace", "tests/traces/chakra/all_gather.0.et"},
                                        {"workload", "collective:op=allgather,ranks=8,group=4,bytes=8KiB"}};
    static const char *const hosts[][3] = {{"fabric=hockney"},
                                           {"fabric=packet"},
                                           {"fabric=packet", "host.system=thunderx2"},
                                           {"fabric=segment", "host.system=thunderx2"},
                                           {"fabric=hockney", "machine=as-published"}};
    for (size_t f = 0; f < sizeof hosts / sizeof *hosts; f++) {
        struct result result = run_jobs("both", "linear", hosts[f]);
        struct result queued =
            run("workload", "jobs:tests/jobs/both-queue.yaml,queue=fcfs,nodes=9,alone=no", hosts[f]);
        for (size_t i = 0; i < 4; i++) {
            const ps_t own = time_of(parts[i].kind, parts[i].program, hosts[f]);
            assert_int_equal(result.jobs[i].time, own);
            assert_int_equal(result.jobs[i].alone, own);
            assert_int_equal(queued.jobs[i].time, own);
        }
        assert_true(queued.queue.longest > 0);
        result_free(&result);
        result_free(&queued);
    }
}

/* ------------------------------------------------------------- shared links */

/* Pairs of neighbours share no link of a ring. Where the ranks of a pair are opposite each other, the
 * messages of two pairs cross each link: each takes two times its bytes' time, there and back. */
static void pairs_on_a_ring_share_its_links(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=packet", "topology=torus:8", "machine=as-published",
                                           "packet.bandwidth=10GB/s", NULL};
    const ps_t bytes_time = (ps_t)(1048576 * 100); /* 1 MiB at 10 GB/s */
    struct result apart = run_jobs("pairs", "linear", settings);
    struct result mixed = run_jobs("pairs", "interleaved", settings);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(apart.jobs[i].time, apart.jobs[i].alone);
        assert_int_equal(mixed.jobs[i].time, mixed.jobs[i].alone + 2 * bytes_time);
    }
    assert_true(result_slowdown(&apart.jobs[0]) == 1);
    assert_true(result_slowdown(&mixed.jobs[0]) > 1.8);
    result_free(&apart);
    result_free(&mixed);
}

/* ---------------------------------------------------------------- placement */

static void every_rank_has_one_place(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 4, 4, 8, 4, 4};
    for (size_t p = 0; p < PLACEMENTS; p++) {
        struct program *program;
        uint32_t seen[6] = {0};
        char spec[128];
        snprintf(spec, sizeof spec, "jobs:tests/jobs/mixed.yaml,block=3,placement=%s", placements[p]);
        diag_set_sink(ignore, NULL);
        assert_int_equal(workload_open(spec, &program), STATUS_OK);
        diag_set_sink(NULL, NULL);
        assert_int_equal(program->ranks, 28);
        for (uint32_t rank = 0; rank < program->ranks; rank++)
            seen[program->jobs->job_of[rank]]++;
        assert_memory_equal(seen, sizes, sizeof seen);
        if (p == 1) /* interleaved: the first ranks of all jobs */
            for (uint32_t rank = 0; rank < 6; rank++)
                assert_int_equal(program->jobs->job_of[rank], rank);
        if (p == 2) /* blocks of 3 */
            for (uint32_t rank = 0; rank < 18; rank++)
                assert_int_equal(program->jobs->job_of[rank], rank / 3);
        program->ops->close(program);
    }
}

/* Jobs of 5, 12, 4 and 3 ranks in groups of 4: the first three fill one, three and one group, and the last
 * group has three ranks of the last job and one of the first. In groups of 6 the second job fills two, and
 * each other one has a group of its own. */
static void groups_are_as_few_as_possible(void **state)
{
    (void)state;
    static const uint32_t job_of[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 0};
    static const uint32_t job_of_6[] = {1, 1, 1, 1,          1, 1, 1, 1, 1,          1,          1, 1, 0, 0,
                                        0, 0, 0, UINT32_MAX, 2, 2, 2, 2, UINT32_MAX, UINT32_MAX, 3, 3, 3};
    struct program *program;
    assert_int_equal(workload_open("jobs:tests/jobs/sizes.yaml,placement=groups,group=4", &program),
                     STATUS_OK);
    assert_int_equal(program->ranks, 24);
    assert_memory_equal(program->jobs->job_of, job_of, sizeof job_of);
    program->ops->close(program);
    assert_int_equal(workload_open("jobs:tests/jobs/sizes.yaml,placement=groups,group=6", &program),
                     STATUS_OK);
    assert_int_equal(program->ranks, 27);
    assert_memory_equal(program->jobs->job_of, job_of_6, sizeof job_of_6);
    program->ops->close(program);
}

static void ranks_of_the_file_are_those_of_the_jobs(void **state)
{
    (void)state;
    static const uint32_t job_of[] = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 2, 2, 2, 2};
    struct program *program;
    assert_int_equal(workload_open("jobs:tests/jobs/both.yaml", &program), STATUS_OK);
    assert_int_equal(program->ranks, 29);
    assert_memory_equal(program->jobs->job_of, job_of, sizeof job_of);
    for (uint32_t rank = 14; rank < 29; rank++)
        assert_int_equal(program->jobs->job_of[rank], rank < 21 ? UINT32_MAX : 3);
    program->ops->close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_share_nothing_take_their_own_time),
        cmocka_unit_test(start_is_no_computation),
        cmocka_unit_test(jobs_wait_where_they_wait_alone),
        cmocka_unit_test(graphs_wait_where_their_operations_are),
        cmocka_unit_test(pairs_on_a_ring_share_its_links),
        cmocka_unit_test(graphs_that_share_nothing_take_their_own_time),
        cmocka_unit_test(graphs_and_calls_take_their_own_time),
        cmocka_unit_test(calls_beside_graphs_remain_calls),
        cmocka_unit_test(every_rank_has_one_place),
        cmocka_unit_test(groups_are_as_few_as_possible),
        cmocka_unit_test(ranks_of_the_file_are_those_of_the_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
