/* Jobs that wait for nodes. Witnesses: a slow scheduler, which knows how long each job takes and asks at each
 * event what a start would delay; runs without a queue, where no job waits; and closed forms. */
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
#include "base/mem.h"
#include "base/rng.h"
#include "call/jobs.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/slack.h"
#include "workload/workload.h"

static char errors[1024];

static void keep_errors(void *self, enum diag_level level, const char *message)
{
    (void)self;
    if (level == DIAG_ERROR || level == DIAG_NOTE)
        strncat(errors, message, sizeof errors - strlen(errors) - 1);
}

static enum experiment_path path_wanted; /* of the runs that follow */

static enum status try_run(const char *kind, const char *program, const char *const *settings,
                           struct result *result)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    const struct experiment_watch watch = {.progress = NULL};
    *errors = '\0';
    *result = (struct result){.fabric = NULL};
    diag_set_sink(keep_errors, NULL);
    assert_int_equal(config_assign(config, kind, program, "test"), STATUS_OK);
    for (size_t i = 0; settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    enum status status = experiment_init(&experiment, config);
    experiment.path = path_wanted;
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &watch, result);
    experiment_free(&experiment);
    config_close(config);
    diag_set_sink(NULL, NULL);
    return status;
}

static struct result run(const char *program, const char *const *settings)
{
    struct result result;
    assert_int_equal(try_run("workload", program, settings, &result), STATUS_OK);
    return result;
}

/* Runs the jobs of this text, with these parameters of the workload. */
static enum status try_jobs(const char *text, const char *parameters, const char *const *settings,
                            struct result *result)
{
    char path[] = "/tmp/helio-queue-XXXXXX", spec[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    snprintf(spec, sizeof spec, "jobs:%s,%s", path, parameters);
    enum status status = try_run("workload", spec, settings, result);
    unlink(path);
    return status;
}

/* ------------------------------------------------------ the slow scheduler */

enum { JOBS = 9, NODES = 12 };

struct slow_job {
    uint32_t nodes;
    ps_t submitted, time, estimate;
    ps_t start, end; /* `end` is -1 until the job starts */
};

struct slow {
    struct slow_job jobs[JOBS];
    uint32_t nodes;
    bool easy;
};

static bool waits(const struct slow_job *job, ps_t now)
{
    return job->submitted <= now && job->end < 0;
}

static bool runs(const struct slow_job *job, ps_t now)
{
    return job->end >= 0 && job->start <= now && job->end > now;
}

/* How many nodes the jobs that run at `now` are expected to hold at `at`. */
static uint32_t held_at(const struct slow *slow, ps_t at, ps_t now)
{
    uint32_t held = 0;
    for (size_t i = 0; i < JOBS; i++) {
        const struct slow_job *job = &slow->jobs[i];
        ps_t expected = job->start + job->estimate;
        if (at == now ? runs(job, now) : runs(job, now) && expected > at)
            held += job->nodes;
    }
    return held;
}

/* When the job is expected to start if no other one does: now, or when a job is expected to end. A job that
 * is overdue is expected to end at once. */
static ps_t expected_start(const struct slow *slow, const struct slow_job *wanted, ps_t now)
{
    ps_t earliest = INT64_MAX;
    if (held_at(slow, now, now) + wanted->nodes <= slow->nodes)
        return now;
    for (size_t i = 0; i < JOBS; i++) {
        const struct slow_job *job = &slow->jobs[i];
        if (!runs(job, now))
            continue;
        const ps_t end = job->start + job->estimate > now ? job->start + job->estimate : now + 1;
        if (end < earliest && held_at(slow, end, now) + wanted->nodes <= slow->nodes)
            earliest = end;
    }
    return earliest;
}

/* The job that has waited longest; NULL: none waits. */
static struct slow_job *first_of(struct slow *slow, ps_t now, const struct slow_job *behind)
{
    struct slow_job *first = NULL;
    for (size_t i = 0; i < JOBS; i++) {
        struct slow_job *job = &slow->jobs[i];
        const bool is_behind = !behind || job->submitted > behind->submitted ||
                               (job->submitted == behind->submitted && job > behind);
        if (waits(job, now) && is_behind && (!first || job->submitted < first->submitted))
            first = job;
    }
    return first;
}

/* Whether the job fits, and the first one is not expected to start later because of it. */
static bool may_overtake(struct slow *slow, const struct slow_job *first, struct slow_job *job, ps_t now)
{
    if (held_at(slow, now, now) + job->nodes > slow->nodes)
        return false;
    const ps_t before = expected_start(slow, first, now);
    const struct slow_job kept = *job;
    job->start = now;
    job->end = now + job->time;
    const ps_t after = expected_start(slow, first, now);
    *job = kept;
    return after <= before;
}

static bool start_one(struct slow *slow, ps_t now)
{
    struct slow_job *first = first_of(slow, now, NULL), *job = first;
    if (!first)
        return false;
    if (held_at(slow, now, now) + first->nodes > slow->nodes)
        do
            job = slow->easy ? first_of(slow, now, job) : NULL;
        while (job && !may_overtake(slow, first, job, now));
    if (job) {
        job->start = now;
        job->end = now + job->time;
    }
    return job != NULL;
}

static void schedule_slowly(struct slow *slow)
{
    for (ps_t now = 0, next; now < INT64_MAX; now = next) {
        while (start_one(slow, now))
            ;
        next = INT64_MAX;
        for (size_t i = 0; i < JOBS; i++) {
            const struct slow_job *job = &slow->jobs[i];
            if (job->submitted > now && job->submitted < next)
                next = job->submitted;
            if (job->end > now && job->end < next)
                next = job->end;
        }
    }
}

/* ------------------------------------------------------------ random queues */

static const char *const programs[] = {
    "alltoall:ranks=2,bytes=64KiB",
    "alltoall:ranks=3,bytes=4KiB",
    "collective:op=allreduce,ranks=4,bytes=1MiB",
    "pingpong:bytes=1MiB",
    "collective:op=allgather,ranks=7,bytes=64KiB",
    "collective:op=bcast,ranks=10,bytes=256KiB",
    "collective:op=barrier,ranks=12",
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

struct known {
    uint32_t ranks;
    ps_t time;
};

static void learn(const char *const *settings, struct known *known)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        struct result result = run(programs[i], settings);
        known[i] = (struct known){.ranks = result.ranks, .time = result.makespan};
        result_free(&result);
    }
}

/* Random jobs, some submitted together, with estimates that can be equal, or too short. Returns their file.
 */
static char *make_jobs(struct rng *rng, const struct known *known, uint32_t ranks_per_node, struct slow *slow)
{
    char *text = mem_text("jobs:\n");
    for (size_t i = 0; i < JOBS; i++) {
        struct slow_job *job = &slow->jobs[i];
        const size_t program = (size_t)rng_below(rng, PROGRAMS);
        job->nodes = (known[program].ranks + ranks_per_node - 1) / ranks_per_node;
        job->time = known[program].time;
        job->submitted = (ps_t)rng_below(rng, 4) * 7000 * PS_PER_NS;
        job->estimate = rng_below(rng, 2) ? (ps_t)(1 + rng_below(rng, 3)) * 15000 * PS_PER_NS
                                          : (ps_t)rng_below(rng, (uint64_t)job->time * 2) + 1;
        job->start = job->end = -1;
        char *longer = mem_format("%s  - {workload: \"%s\", start: %lld ps, estimate: %lld ps}\n", text,
                                  programs[program], (long long)job->submitted, (long long)job->estimate);
        free(text);
        text = longer;
    }
    return text;
}

/* The fewest groups of `group` nodes that have so many free ones: all sets of groups are tried. */
static uint32_t fewest_groups(const bool *is_free, uint32_t nodes, uint32_t group, uint32_t wanted)
{
    const uint32_t groups = (nodes + group - 1) / group;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t set = 0; set < UINT32_C(1) << groups; set++) {
        uint32_t there = 0, size = (uint32_t)__builtin_popcount(set);
        for (uint32_t node = 0; node < nodes; node++)
            there += is_free[node] && (set >> node / group & 1);
        if (there >= wanted && size < fewest)
            fewest = size;
    }
    return fewest;
}

/* The nodes of the job were free, and are the right ones. Jobs that started at the same time came before it
 * in the order of starts, which for the queue in order is that of submission. */
static void check_nodes(const struct result *result, size_t index, const char *placement, uint32_t group,
                        bool knows_order)
{
    const struct result_job *job = &result->jobs[index];
    bool is_free[NODES], has[NODES] = {false};
    memset(is_free, true, sizeof is_free);
    for (size_t i = 0; i < result->job_count; i++) {
        const struct result_job *other = &result->jobs[i];
        const bool is_before =
            other->start < job->start ||
            (other->start == job->start &&
             (other->submitted < job->submitted || (other->submitted == job->submitted && i < index)));
        if (i != index && is_before && other->start + other->time > job->start)
            for (uint32_t k = 0; k < other->node_count; k++)
                is_free[other->nodes[k]] = false;
    }
    uint32_t groups = 0, lowest = 0;
    for (uint32_t k = 0; k < job->node_count; k++) {
        assert_true(job->nodes[k] < result->queue.nodes);
        assert_true(is_free[job->nodes[k]] && !has[job->nodes[k]]);
        has[job->nodes[k]] = true;
    }
    if (!knows_order)
        return;
    for (uint32_t first = 0; first < result->queue.nodes; first += group) {
        bool is_used = false;
        for (uint32_t node = first; node < first + group && node < result->queue.nodes; node++)
            is_used |= has[node];
        groups += is_used;
    }
    if (strcmp(placement, "groups") == 0)
        assert_int_equal(groups, fewest_groups(is_free, result->queue.nodes, group, job->node_count));
    for (uint32_t k = 0; strcmp(placement, "linear") == 0 && k < job->node_count; k++, lowest++) {
        while (!is_free[lowest])
            lowest++;
        assert_int_equal(job->nodes[k], lowest);
    }
}

/* Returns how many jobs have overtaken another one. */
static size_t compare(const struct result *result, const struct slow *slow)
{
    sum_t used = 0, waited = 0;
    ps_t last = 0, longest = 0;
    size_t overtaken = 0;
    for (size_t i = 0; i < JOBS; i++) {
        const struct result_job *job = &result->jobs[i];
        const struct slow_job *expected = &slow->jobs[i];
        assert_int_equal(job->submitted, expected->submitted);
        assert_int_equal(job->start, expected->start);
        assert_int_equal(job->time, expected->time);
        assert_int_equal(job->node_count, expected->nodes);
        used += (sum_t)expected->nodes * (sum_t)expected->time;
        waited += (sum_t)(expected->start - expected->submitted);
        longest = ps_max(longest, expected->start - expected->submitted);
        last = ps_max(last, expected->end);
        for (size_t k = 0; k < i; k++)
            overtaken +=
                slow->jobs[k].submitted <= expected->submitted && expected->start < slow->jobs[k].start;
    }
    assert_int_equal(result->makespan, last);
    assert_true(result->queue.used == used && result->queue.waited == waited);
    assert_int_equal(result->queue.longest, longest);
    assert_float_equal(result_utilisation(result), (double)used / ((double)slow->nodes * (double)last),
                       1e-12);
    return overtaken;
}

static void jobs_start_when_a_slow_scheduler_lets_them(void **state)
{
    (void)state;
    static const char *const placements[] = {"linear", "groups", "random"};
    static const char *const of_nodes[][3] = {{"fabric=hockney", NULL, NULL},
                                              {"fabric=hockney", "ranks_per_node=2", NULL}};
    size_t overtaken[2] = {0, 0};
    for (uint32_t each = 1; each <= 2; each++) {
        struct known known[PROGRAMS];
        struct rng rng = rng_init(each, "test");
        learn(of_nodes[each - 1], known);
        for (size_t i = 0; i < 120; i++) {
            struct slow slow = {.nodes = 12 / each + (uint32_t)rng_below(&rng, each), .easy = i % 2};
            char *text = make_jobs(&rng, known, each, &slow), parameters[128];
            const char *placement = placements[i / 2 % 3];
            struct result result;
            snprintf(parameters, sizeof parameters, "queue=%s,nodes=%u,placement=%s,group=5,alone=no",
                     slow.easy ? "easy" : "fcfs", slow.nodes, placement);
            assert_int_equal(try_jobs(text, parameters, of_nodes[each - 1], &result), STATUS_OK);
            schedule_slowly(&slow);
            overtaken[slow.easy] += compare(&result, &slow);
            for (size_t k = 0; k < JOBS; k++)
                check_nodes(&result, k, placement, 5, !slow.easy);
            result_free(&result);
            free(text);
        }
    }
    assert_int_equal(overtaken[0], 0);
    assert_true(overtaken[1] > 100);
}

/* The rest of a job goes where least room is left: 3 and 1 nodes share a group, and 4 nodes have the other.
 */
static void groups_keep_room_together(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", NULL};
    static const char text[] = "jobs:\n"
                               "  - {workload: \"alltoall:ranks=3,bytes=64KiB\"}\n"
                               "  - {workload: \"alltoall:ranks=1,bytes=64KiB\"}\n"
                               "  - {workload: \"alltoall:ranks=4,bytes=64KiB\"}\n";
    struct result result;
    assert_int_equal(try_jobs(text, "queue=fcfs,nodes=8,placement=groups,group=4", settings, &result),
                     STATUS_OK);
    assert_int_equal(result.jobs[1].nodes[0], 3);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(result.jobs[2].nodes[i], 4 + i);
    result_free(&result);
}

/* A job that is submitted when another one ends can get its nodes, whichever of the two comes first. */
static void all_of_a_moment_counts(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", NULL};
    struct result result, alone = run("collective:op=allreduce,ranks=2,bytes=1MiB", settings);
    char *text =
        mem_format("jobs:\n"
                   "  - {workload: \"collective:op=allreduce,ranks=2,bytes=1MiB\"}\n"
                   "  - {workload: \"collective:op=allreduce,ranks=2,bytes=1MiB\", start: %lld ps}\n",
                   (long long)alone.makespan);
    assert_int_equal(try_jobs(text, "queue=fcfs,nodes=4", settings, &result), STATUS_OK);
    assert_int_equal(result.jobs[1].start, alone.makespan);
    assert_int_equal(result.jobs[1].nodes[0], 0);
    assert_int_equal(result.jobs[1].nodes[1], 1);
    result_free(&result);
    result_free(&alone);
    free(text);
}

/* --------------------------------------------------------------- no waiting */

/* If there are nodes for all jobs, a queue changes no time, also where they share links and with hosts. */
static void a_queue_without_waiting_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *file, *settings[4];
    } runs_of[] = {{"mixed", {"fabric=packet", "topology=torus:28"}},
                   {"mixed", {"fabric=packet", "topology=torus:28", "host.system=thunderx2"}},
                   {"alltoalls", {"fabric=packet", "topology=fattree:4x2"}},
                   {"pairs", {"fabric=hockney", "topology=torus:8"}},
                   {"graphs", {"fabric=packet", "topology=torus:52"}}};
    for (size_t i = 0; i < sizeof runs_of / sizeof *runs_of; i++) {
        char spec[2][128];
        snprintf(spec[0], sizeof spec[0], "jobs:tests/jobs/%s.yaml", runs_of[i].file);
        snprintf(spec[1], sizeof spec[1], "jobs:tests/jobs/%s.yaml,queue=fcfs", runs_of[i].file);
        struct result without = run(spec[0], runs_of[i].settings), with = run(spec[1], runs_of[i].settings);
        assert_int_equal(with.makespan, without.makespan);
        assert_int_equal(with.messages, without.messages);
        assert_int_equal(with.queue.longest, 0);
        for (uint32_t rank = 0; rank < with.ranks; rank++) {
            assert_int_equal(with.rows[rank].finish, without.rows[rank].finish);
            assert_int_equal(with.rows[rank].idle, without.rows[rank].idle);
        }
        for (size_t k = 0; k < with.job_count; k++) {
            assert_int_equal(with.jobs[k].start, without.jobs[k].start);
            assert_int_equal(with.jobs[k].time, without.jobs[k].time);
            assert_int_equal(with.jobs[k].alone, without.jobs[k].alone);
        }
        result_free(&without);
        result_free(&with);
    }
}

/* --------------------------------------------------------------- in company */

/* Jobs of the whole machine follow one another, each as if it was alone: calls and graphs. */
static void jobs_follow_one_another(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=packet", "topology=torus:8", "machine=as-published", NULL};
    static const char text[] = "jobs:\n"
                               "  - {workload: \"alltoall:ranks=8,bytes=64KiB\", copies: 3}\n";
    struct result result, alone = run("alltoall:ranks=8,bytes=64KiB", settings);
    assert_int_equal(try_jobs(text, "queue=fcfs", settings, &result), STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(result.jobs[i].start, (ps_t)i * alone.makespan);
        assert_int_equal(result.jobs[i].time, alone.makespan);
        assert_int_equal(result.jobs[i].alone, alone.makespan);
    }
    assert_float_equal(result_utilisation(&result), 1, 1e-12);
    assert_float_equal(result_idle_fraction(&result), result_idle_fraction(&alone), 1e-12);
    result_free(&result);
    result_free(&alone);
}

/* A job is slower than alone where it shares links with another one, at the same nodes and time. */
static void slowdown_is_that_of_the_same_nodes(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=packet", "topology=torus:8", "machine=as-published", NULL};
    struct result result, other;
    static const char text[] = "jobs:\n"
                               "  - {workload: \"alltoall:ranks=5,bytes=64KiB\"}\n"
                               "  - {workload: \"alltoall:ranks=4,bytes=64KiB\"}\n"
                               "  - {workload: \"alltoall:ranks=4,bytes=64KiB\", start: 1 us}\n";
    assert_int_equal(try_jobs(text, "queue=fcfs,placement=random,seed=3", settings, &result), STATUS_OK);
    assert_true(result_slowdown(&result.jobs[0]) == 1);
    assert_int_equal(result.jobs[1].start, result.jobs[0].time);
    assert_int_equal(result.jobs[2].start, result.jobs[0].time);
    assert_true(result_slowdown(&result.jobs[1]) > 1 && result_slowdown(&result.jobs[2]) > 1);
    assert_int_equal(try_jobs(text, "queue=fcfs,placement=random,seed=4", settings, &other), STATUS_OK);
    assert_memory_not_equal(result.jobs[0].nodes, other.jobs[0].nodes, 5 * sizeof *other.jobs[0].nodes);
    result_free(&result);
    result_free(&other);
}

/* ------------------------------------------------------------ critical path */

/* Two pairs run side by side, and a job of all nodes waits for both. The path leads through the longer pair
 * to the job, and the shorter pair has slack until the longer one ends. */
static void the_path_leads_through_jobs(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", "machine=as-published", NULL};
    static const char text[] = "jobs:\n"
                               "  - {workload: \"pingpong:bytes=1MiB\"}\n"
                               "  - {workload: \"pingpong:bytes=2MiB\"}\n"
                               "  - {workload: \"alltoall:ranks=4,bytes=64KiB\"}\n";
    struct result result;
    path_wanted = EXPERIMENT_PATH_SLACK;
    assert_int_equal(try_jobs(text, "queue=fcfs,nodes=4,alone=no", settings, &result), STATUS_OK);
    path_wanted = EXPERIMENT_PATH_NONE;
    ps_t sum = 0;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        sum += result.path->kinds[kind];
    assert_int_equal(sum, result.makespan);
    assert_int_equal(result.path->length, result.makespan);
    bool visited[3] = {false};
    for (size_t i = 0; i < result.path->count; i++) {
        const struct critical_step *step = &result.path->steps[i];
        visited[step->source < 2 ? 0 : step->source < 4 ? 1 : 2] |= !step->is_signal;
    }
    assert_true(!visited[0] && visited[1] && visited[2]);
    const ps_t lead = result.jobs[1].time - result.jobs[0].time;
    assert_true(lead > 0);
    assert_int_equal(result.jobs[2].start, result.jobs[1].time);
    assert_int_equal(result.rows[0].slack, lead);
    assert_int_equal(result.rows[1].slack, lead);
    assert_int_equal(result.rows[2].slack, 0);
    assert_int_equal(result.rows[3].slack, 0);
    result_free(&result);
}

/* ------------------------------------------------------------------- errors */

static void is_refused(const char *text, const char *parameters, const char *const *settings, const char *why)
{
    struct result result;
    assert_int_not_equal(try_jobs(text, parameters, settings, &result), STATUS_OK);
    if (!strstr(errors, why))
        fail_msg("'%s' is not in '%s'", why, errors);
    result_free(&result);
}

static void what_cannot_wait_is_refused(void **state)
{
    (void)state;
    static const char *const hockney[] = {"fabric=hockney", NULL};
    static const char *const placed[] = {"fabric=hockney", "placement=random", NULL};
    static const char *const loggops[] = {"fabric=loggops", NULL};
    static const char *const compiled[] = {"fabric=tdm-compiled", NULL};
    static const char *const torus[] = {"fabric=packet", "topology=torus:4", NULL};
    static const char text[] = "jobs: [{workload: \"alltoall:ranks=4,bytes=8KiB\", name: all}]\n";
    is_refused(text, "queue=fcfs", hockney, "needs a number of nodes");
    is_refused(text, "queue=fcfs,nodes=3", hockney, "job all needs 4 nodes, and the machine has 3");
    is_refused(text, "queue=fcfs,nodes=5", torus, "has 5 nodes, and the topology 4");
    is_refused(text, "queue=fcfs,nodes=4", placed, "jobs.placement says which");
    is_refused(text, "queue=fcfs,nodes=4", loggops, "needs nodes");
    is_refused(text, "queue=fcfs,nodes=4", compiled, "before the run");
    is_refused(text, "queue=easy,nodes=4", hockney, "such as estimate: 10 ms");
    is_refused(text, "queue=fcfs,nodes=4,placement=blocks", hockney, "places all jobs together");
    is_refused("jobs: [{workload: pingpong, ranks: [0-1]}]\n", "queue=fcfs,nodes=4", hockney,
               "gets its nodes when it starts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_start_when_a_slow_scheduler_lets_them),
        cmocka_unit_test(groups_keep_room_together),
        cmocka_unit_test(all_of_a_moment_counts),
        cmocka_unit_test(a_queue_without_waiting_changes_nothing),
        cmocka_unit_test(jobs_follow_one_another),
        cmocka_unit_test(slowdown_is_that_of_the_same_nodes),
        cmocka_unit_test(the_path_leads_through_jobs),
        cmocka_unit_test(what_cannot_wait_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
