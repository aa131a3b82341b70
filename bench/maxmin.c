/* The time of the incremental max-min solver for one flow that starts or ends. It is compared with a solution
 * of all flows from scratch, which simulators need that solve for the connected part of the network. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fabric/packet/maxmin.h"

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Flows, each from a node's up link to another node's down link. */
struct crowd {
    uint32_t nodes, links;
    uint64_t capacity; /* bytes per second, of every link */
    struct maxmin *solver;
    uint32_t *ends;  /* [2 * id]: up link and down link of a live flow */
    uint32_t *live;  /* ids */
    uint32_t *place; /* [id]: index in live */
    size_t ends_capacity, live_capacity, place_capacity;
    uint32_t live_count, id_count;
};

static void crowd_open(struct crowd *crowd, uint32_t nodes)
{
    *crowd = (struct crowd){.nodes = nodes, .links = 2 * nodes, .capacity = UINT64_C(12500000000)};
    uint64_t *capacities = mem_alloc(crowd->links, sizeof *capacities, "capacities");
    for (uint32_t i = 0; i < crowd->links; i++)
        capacities[i] = crowd->capacity;
    crowd->solver = maxmin_open(capacities, crowd->links, 2);
    free(capacities);
    random_state = UINT64_C(0x9E3779B97F4A7C15) + nodes;
}

static void crowd_close(struct crowd *crowd)
{
    maxmin_close(crowd->solver);
    free(crowd->ends);
    free(crowd->live);
    free(crowd->place);
}

static uint32_t crowd_add(struct crowd *crowd, uint32_t source, uint32_t destination)
{
    uint32_t links[2] = {source, crowd->nodes + destination};
    uint32_t id = maxmin_add(crowd->solver, links, 2);
    if (id >= crowd->id_count)
        crowd->id_count = id + 1;
    crowd->ends = mem_grow(crowd->ends, &crowd->ends_capacity, 2 * (size_t)crowd->id_count, "ends");
    crowd->place = mem_grow(crowd->place, &crowd->place_capacity, (size_t)crowd->id_count, "places");
    crowd->live = mem_grow(crowd->live, &crowd->live_capacity, (size_t)crowd->live_count + 1, "live flows");
    memcpy(&crowd->ends[2 * (size_t)id], links, sizeof links);
    crowd->place[id] = crowd->live_count;
    crowd->live[crowd->live_count++] = id;
    return id;
}

static void crowd_remove(struct crowd *crowd, uint32_t id)
{
    uint32_t last = crowd->live[--crowd->live_count];
    crowd->live[crowd->place[id]] = last;
    crowd->place[last] = crowd->place[id];
    maxmin_remove(crowd->solver, id);
}

/* ------------------------------------------------------------ from scratch */

struct level {
    uint64_t left;
    uint32_t open, first, count;
};

struct share {
    uint64_t rate;
    uint32_t link;
};

struct scratch {
    struct level *levels;
    uint32_t *uses; /* flows, link by link */
    struct share *heap;
    uint64_t *rates; /* [id] */
    uint32_t heap_count;
};

static void scratch_list_uses(const struct crowd *crowd, struct scratch *scratch)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < 2 * crowd->live_count; i++)
        scratch->levels[crowd->ends[2 * (size_t)crowd->live[i / 2] + i % 2]].count++;
    for (uint32_t i = 0; i < crowd->links; i++) {
        scratch->levels[i].left = crowd->capacity << MAXMIN_SHIFT;
        scratch->levels[i].first = next;
        next += scratch->levels[i].count;
    }
    for (uint32_t i = 0; i < 2 * crowd->live_count; i++) {
        struct level *level = &scratch->levels[crowd->ends[2 * (size_t)crowd->live[i / 2] + i % 2]];
        scratch->uses[level->first + level->open++] = crowd->live[i / 2];
    }
}

static void scratch_sift_down(struct scratch *scratch, uint32_t hole, struct share share)
{
    for (uint32_t child; (child = 2 * hole + 1) < scratch->heap_count; hole = child) {
        if (child + 1 < scratch->heap_count && scratch->heap[child + 1].rate < scratch->heap[child].rate)
            child++;
        if (scratch->heap[child].rate >= share.rate)
            break;
        scratch->heap[hole] = scratch->heap[child];
    }
    scratch->heap[hole] = share;
}

static void scratch_freeze(const struct crowd *crowd, struct scratch *scratch, const struct level *bottleneck,
                           uint64_t rate)
{
    for (uint32_t i = 0; i < bottleneck->count; i++) {
        uint32_t id = scratch->uses[bottleneck->first + i];
        if (scratch->rates[id])
            continue;
        scratch->rates[id] = rate;
        for (uint32_t j = 0; j < 2; j++) {
            struct level *level = &scratch->levels[crowd->ends[2 * (size_t)id + j]];
            level->left -= rate;
            level->open--;
        }
    }
}

/* Progressive filling with a heap of the links' shares. An outdated share in the heap is too small; it is
 * corrected and inserted again. */
static void scratch_fill(const struct crowd *crowd, struct scratch *scratch)
{
    scratch_list_uses(crowd, scratch);
    for (uint32_t i = 0; i < crowd->links; i++)
        if (scratch->levels[i].open)
            scratch->heap[scratch->heap_count++] =
                (struct share){scratch->levels[i].left / scratch->levels[i].open, i};
    for (uint32_t i = scratch->heap_count / 2; i-- > 0;)
        scratch_sift_down(scratch, i, scratch->heap[i]);
    while (scratch->heap_count) {
        struct share least = scratch->heap[0];
        const struct level *level = &scratch->levels[least.link];
        uint64_t rate = level->open ? level->left / level->open : 0;
        if (rate > least.rate) {
            scratch_sift_down(scratch, 0, (struct share){rate, least.link});
            continue;
        }
        if (level->open)
            scratch_freeze(crowd, scratch, level, rate);
        struct share last = scratch->heap[--scratch->heap_count];
        if (scratch->heap_count)
            scratch_sift_down(scratch, 0, last);
    }
}

/* Returns its time in seconds, without allocation. */
static double solve_from_scratch(const struct crowd *crowd)
{
    struct scratch scratch = {
        .levels = mem_alloc(crowd->links, sizeof *scratch.levels, "levels"),
        .uses = mem_alloc(2 * (size_t)crowd->live_count + 1, sizeof *scratch.uses, "uses"),
        .heap = mem_alloc(crowd->links, sizeof *scratch.heap, "shares"),
        .rates = mem_alloc(crowd->id_count + (size_t)1, sizeof *scratch.rates, "rates"),
    };
    double start = clock_seconds_now();
    scratch_fill(crowd, &scratch);
    double seconds = clock_seconds_now() - start;
    free(scratch.levels);
    free(scratch.uses);
    free(scratch.heap);
    free(scratch.rates);
    return seconds;
}

/* --------------------------------------------------------------- scenarios */

struct tally {
    double seconds, scratch_seconds;
    double update_seconds; /* of what a simulator does with rates that change, whatever solver found them */
    uint64_t changes, scratches, rate_changes, flows;
    uint64_t looked_at; /* flows that the solver has found a rate for */
};

static void timed_solve(struct crowd *crowd, struct tally *tally, double start)
{
    size_t count;
    uint64_t before = maxmin_looked_at(crowd->solver);
    maxmin_solve(crowd->solver, &count);
    tally->seconds += clock_seconds_now() - start;
    tally->looked_at += maxmin_looked_at(crowd->solver) - before;
    tally->changes++;
    tally->rate_changes += count;
    tally->flows += crowd->live_count;
}

static void sample_scratch(struct crowd *crowd, struct tally *tally, uint64_t every)
{
    if (tally->changes % every)
        return;
    tally->scratch_seconds += solve_from_scratch(crowd);
    tally->scratches++;
}

static void print_tally(const char *name, const struct tally *tally)
{
    double each = tally->seconds * 1e9 / (double)tally->changes;
    double scratch = tally->scratches ? tally->scratch_seconds * 1e9 / (double)tally->scratches : 0;
    double update = tally->update_seconds * 1e9 / (double)tally->changes;
    printf("%-28s %9llu %9.0f %9.1f %9.1f %11.0f %11.0f %8.1f %11.0f\n", name,
           (unsigned long long)tally->changes, (double)tally->flows / (double)tally->changes,
           (double)tally->rate_changes / (double)tally->changes,
           (double)tally->looked_at / (double)tally->changes, each, scratch, scratch / each, update);
    fflush(stdout);
}

/* A flow starts on idle links and ends, like most messages of LU and CG. Both together count as one change,
 * with two solves. */
static void bench_alone(void)
{
    struct crowd crowd;
    crowd_open(&crowd, 64);
    struct tally tally = {.changes = 2000000};
    double start = clock_seconds_now();
    for (uint64_t i = 0; i < tally.changes; i++) {
        uint32_t links[2] = {(uint32_t)(i % 64), (uint32_t)(64 + (i + 1) % 64)};
        size_t count;
        uint32_t id = maxmin_add(crowd.solver, links, 2);
        maxmin_solve(crowd.solver, &count);
        tally.rate_changes += count;
        maxmin_remove(crowd.solver, id);
        maxmin_solve(crowd.solver, &count);
        tally.flows++;
    }
    tally.seconds = clock_seconds_now() - start;
    for (tally.scratches = 0; tally.scratches < 1000; tally.scratches++) {
        crowd_add(&crowd, 0, 1);
        tally.scratch_seconds += 2 * solve_from_scratch(&crowd);
        crowd_remove(&crowd, crowd.live[0]);
    }
    print_tally("alone, comes and goes", &tally);
    crowd_close(&crowd);
}

static void fill_alltoall(struct crowd *crowd)
{
    for (uint32_t source = 0; source < crowd->nodes; source++)
        for (uint32_t destination = 0; destination < crowd->nodes; destination++)
            if (source != destination)
                crowd_add(crowd, source, destination);
    size_t count;
    maxmin_solve(crowd->solver, &count);
}

/* Every link is full. One flow ends and starts again. */
static void bench_symmetric(uint32_t nodes)
{
    struct crowd crowd;
    char name[64];
    crowd_open(&crowd, nodes);
    fill_alltoall(&crowd);
    struct tally tally = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t id = crowd.live[next_random() % crowd.live_count];
        uint32_t source = crowd.ends[2 * (size_t)id], destination = crowd.ends[2 * (size_t)id + 1] - nodes;
        double start = clock_seconds_now();
        crowd_remove(&crowd, id);
        timed_solve(&crowd, &tally, start);
        start = clock_seconds_now();
        crowd_add(&crowd, source, destination);
        timed_solve(&crowd, &tally, start);
        sample_scratch(&crowd, &tally, 500);
    }
    snprintf(name, sizeof name, "alltoall, equal, n=%u", nodes);
    print_tally(name, &tally);
    crowd_close(&crowd);
}

/* A fluid simulation: flows end one after another, until `ends` have ended. */
struct fluid {
    maxmin_work_t *left;
    ps_t *since, *finish;
    uint64_t *rate;
    ps_t now;
};

static void fluid_update(struct crowd *crowd, struct fluid *fluid, uint32_t id)
{
    fluid->left[id] -= maxmin_done(fluid->left[id], fluid->rate[id], fluid->now - fluid->since[id]);
    fluid->since[id] = fluid->now;
    fluid->rate[id] = maxmin_rate(crowd->solver, id);
    fluid->finish[id] = ps_add(fluid->now, maxmin_time(fluid->left[id], fluid->rate[id]));
}

static void fluid_run(struct crowd *crowd, struct tally *tally, uint64_t ends, uint64_t scratch_every)
{
    struct fluid fluid = {.left = mem_alloc(crowd->id_count, sizeof *fluid.left, "fluid"),
                          .since = mem_alloc(crowd->id_count, sizeof *fluid.since, "fluid"),
                          .finish = mem_alloc(crowd->id_count, sizeof *fluid.finish, "fluid"),
                          .rate = mem_alloc(crowd->id_count, sizeof *fluid.rate, "fluid")};
    for (uint32_t i = 0; i < crowd->live_count; i++) {
        uint32_t id = crowd->live[i];
        fluid.left[id] = maxmin_work(1000 + next_random() % 2000000);
        fluid_update(crowd, &fluid, id);
    }
    while (crowd->live_count && tally->changes < ends) {
        uint32_t first = crowd->live[0];
        for (uint32_t i = 1; i < crowd->live_count; i++)
            if (fluid.finish[crowd->live[i]] < fluid.finish[first])
                first = crowd->live[i];
        fluid.now = fluid.finish[first];
        double start = clock_seconds_now();
        size_t count;
        uint64_t before = maxmin_looked_at(crowd->solver);
        crowd_remove(crowd, first);
        const uint32_t *changed = maxmin_solve(crowd->solver, &count);
        tally->seconds += clock_seconds_now() - start;
        tally->looked_at += maxmin_looked_at(crowd->solver) - before;
        tally->changes++;
        tally->rate_changes += count;
        tally->flows += crowd->live_count;
        start = clock_seconds_now();
        for (size_t i = 0; i < count; i++)
            fluid_update(crowd, &fluid, changed[i]);
        tally->update_seconds += clock_seconds_now() - start;
        sample_scratch(crowd, tally, scratch_every);
    }
    free(fluid.left);
    free(fluid.since);
    free(fluid.finish);
    free(fluid.rate);
}

static void bench_alltoallv(uint32_t nodes, uint64_t ends)
{
    struct crowd crowd;
    char name[64];
    crowd_open(&crowd, nodes);
    fill_alltoall(&crowd);
    struct tally tally = {0};
    fluid_run(&crowd, &tally, ends, nodes <= 64 ? 50 : 500);
    snprintf(name, sizeof name, "alltoallv, random, n=%u", nodes);
    print_tally(name, &tally);
    crowd_close(&crowd);
}

static void bench_incast(uint32_t nodes)
{
    struct crowd crowd;
    char name[64];
    crowd_open(&crowd, nodes);
    for (uint32_t i = 1; i < nodes; i++)
        crowd_add(&crowd, i, 0);
    size_t count;
    maxmin_solve(crowd.solver, &count);
    struct tally tally = {0};
    fluid_run(&crowd, &tally, nodes, 10);
    snprintf(name, sizeof name, "incast, n=%u", nodes);
    print_tally(name, &tally);
    crowd_close(&crowd);
}

/* A constant number of flows between random nodes: one ends, another starts. */
static void bench_pairs(uint32_t nodes, uint32_t flows)
{
    struct crowd crowd;
    char name[64];
    crowd_open(&crowd, nodes);
    struct tally tally = {0};
    for (uint32_t i = 0; i < flows + 4000; i++) {
        double start = clock_seconds_now();
        if (i >= flows) {
            crowd_remove(&crowd, crowd.live[next_random() % crowd.live_count]);
            timed_solve(&crowd, &tally, start);
            start = clock_seconds_now();
        }
        uint32_t source = (uint32_t)(next_random() % nodes);
        uint32_t destination = (uint32_t)((source + 1 + next_random() % (nodes - 1)) % nodes);
        crowd_add(&crowd, source, destination);
        if (i == flows - 1) { /* all flows have started */
            size_t count;
            maxmin_solve(crowd.solver, &count);
        }
        if (i >= flows) {
            timed_solve(&crowd, &tally, start);
            sample_scratch(&crowd, &tally, 100);
        }
    }
    snprintf(name, sizeof name, "random pairs, n=%u, %u", nodes, flows);
    print_tally(name, &tally);
    crowd_close(&crowd);
}

/* One case alone, for a profiler that counts instructions: `incast 256`, `alltoallv 64`, and after it how
 * many flows may end. */
static int bench_one(int argc, char **argv)
{
    uint32_t nodes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (nodes < 2 || nodes > 4096) {
        fprintf(stderr, "bench_maxmin: %s needs a number of nodes from 2 to 4096\n", argv[1]);
        return 2;
    }
    if (strcmp(argv[1], "incast") == 0)
        bench_incast(nodes);
    else
        bench_alltoallv(nodes, argc > 3 ? strtoul(argv[3], NULL, 10) : UINT64_MAX);
    return 0;
}

int main(int argc, char **argv)
{
    printf("%-28s %9s %9s %9s %9s %11s %11s %8s %11s\n", "", "changes", "flows", "rates", "looked at",
           "ns/change", "ns/scratch", "ratio", "ns/update");
    if (argc > 1 && (strcmp(argv[1], "incast") == 0 || strcmp(argv[1], "alltoallv") == 0))
        return bench_one(argc, argv);
    bench_alone();
    bench_incast(256);
    bench_pairs(1000, 300);
    bench_pairs(1000, 1000);
    bench_pairs(1000, 4000);
    bench_symmetric(64);
    bench_symmetric(256);
    bench_alltoallv(16, UINT64_MAX);
    bench_alltoallv(64, UINT64_MAX);
    bench_alltoallv(256,
                    argc > 1 ? UINT64_MAX : 4000); /* with an argument: to the end, which takes a minute */
    return 0;
}
