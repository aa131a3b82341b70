#ifndef HELIO_TESTS_SUPPORT_PATHS_H
#define HELIO_TESTS_SUPPORT_PATHS_H

/* What tests of circuits through topologies share: demands, problems, schedules that the verifier has read,
 * and a slow verifier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "schedule/path/path.h"
#include "schedule/path/verify.h"
#include "schedule/path/write.h"
#include "support/changed_circuits.h"

#define MS (PS_PER_S / 1000)
/* A circuit carries a byte in a millisecond. */
enum { RATE = 1000 };

static const struct circuit_effort few_tries __attribute__((unused)) = {.moves = 40, .seed = 1};

static inline struct circuit_switching switching_of(ps_t delta_ps, bool all_stop)
{
    return (struct circuit_switching){
        .delta_ps = delta_ps, .rate_bytes_per_s = RATE, .switches = 1, .all_stop = all_stop};
}

static inline struct topo topology(const char *text)
{
    struct topo topo;
    assert_int_equal(tdm_topology("test", text, &topo), STATUS_OK);
    return topo;
}

static inline struct path_problem problem_on(const char *text, bool free_routes,
                                             const struct circuit_demand *demand,
                                             const struct circuit_switching *switching)
{
    struct path_problem problem;
    struct topo topo = topology(text);
    assert_int_equal(path_problem_init(&problem, &topo, free_routes, demand, switching), STATUS_OK);
    return problem;
}

static inline struct path_problem problem_of(const char *text, bool free_routes,
                                             const struct circuit_demand *demand, ps_t delta_ps,
                                             bool all_stop)
{
    struct circuit_switching switching = switching_of(delta_ps, all_stop);
    return problem_on(text, free_routes, demand, &switching);
}

static inline struct circuit_demand demand_of(const char *text)
{
    struct circuit_demand demand;
    assert_int_equal(circuit_demand_parse("demand", text, strlen(text), &demand), STATUS_OK);
    return demand;
}

static inline struct circuit_demand random_demand(struct rng *rng, uint32_t nodes, uint32_t lines,
                                                  uint64_t most)
{
    struct circuit_demand demand = {0};
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t source = (uint32_t)rng_below(rng, nodes), destination = (uint32_t)rng_below(rng, nodes - 1);
        destination += destination >= source;
        circuit_demand_add(&demand, source, destination, 1 + rng_below(rng, most));
    }
    assert_true(circuit_demand_unite(&demand));
    return demand;
}

static inline char *written(const struct path_problem *problem, const struct path_schedule *schedule,
                            size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    path_write(problem, schedule, file);
    fclose(file);
    return text;
}

static inline enum status verified(const struct path_problem *problem, const struct circuit_demand *demand,
                                   const char *text, ps_t deadline_ps, struct circuit_verdict *verdict)
{
    struct circuit_switching switching = switching_of(problem->delta_ps, problem->all_stop);
    switching.switches = problem->planes;
    switching.hops = problem->hops;
    return path_verify(&problem->topo, demand, &switching, "schedule", text, strlen(text), deadline_ps,
                       verdict);
}

/* The makespan of a schedule that the verifier has read and found right. */
static inline ps_t makespan(const struct path_problem *problem, const struct circuit_demand *demand,
                            const char *name)
{
    struct path_schedule schedule;
    struct circuit_verdict verdict;
    const struct path_algorithm *algorithm = NULL;
    size_t size;
    for (size_t i = 0; !algorithm || strcmp(algorithm->name, name) != 0; i++)
        algorithm = path_algorithm_at(i);
    assert_int_equal(path_schedule_make(problem, algorithm, &few_tries, &schedule), STATUS_OK);
    char *text = written(problem, &schedule, &size);
    if (verified(problem, demand, text, schedule.makespan_ps, &verdict) != STATUS_OK)
        fail_msg("%s makes a schedule that is wrong:\n%s", name, text);
    assert_int_equal(verdict.makespan_ps, schedule.makespan_ps);
    assert_true(path_bounds_of(problem).best_ps <= schedule.makespan_ps);
    ps_t makespan_ps = schedule.makespan_ps;
    path_schedule_free(&schedule);
    free(text);
    return makespan_ps;
}

/* A slow verifier, which looks at all pairs of lines. Links of routes are given, not read. Lines of different
 * planes share nothing. */
struct slow_line {
    ps_t start_ps, end_ps;
    uint32_t entry, plane, count;
    const uint32_t *links;
};

static inline bool passes(const struct slow_line *line, uint32_t link)
{
    for (uint32_t i = 0; i < line->count; i++)
        if (line->links[i] == link)
            return true;
    return false;
}

static inline bool passes_switch(const struct topo *topo, const struct slow_line *line, uint32_t at)
{
    for (uint32_t i = 0; i + 1 < line->count; i++)
        if (topo_link_to(topo, line->links[i]) == at)
            return true;
    return false;
}

/* The line with this link that ends last before this one starts; NULL: there is none. */
static const struct slow_line *slow_before(const struct slow_line *lines, size_t count,
                                           const struct slow_line *line, uint32_t link)
{
    const struct slow_line *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (&lines[i] != line && lines[i].plane == line->plane && lines[i].start_ps < line->start_ps &&
            passes(&lines[i], link) && (!last || lines[i].end_ps > last->end_ps))
            last = &lines[i];
    return last;
}

/* Whether nobody carries through the switch for delta from some time since_ps on, before the line starts. */
static inline bool slow_gap(const struct topo *topo, const struct slow_line *lines, size_t count,
                            const struct slow_line *line, uint32_t at, ps_t since_ps, ps_t delta_ps)
{
    for (size_t begin = 0; begin <= count; begin++) {
        ps_t from_ps = begin == count ? since_ps : ps_max(since_ps, lines[begin].end_ps);
        bool is_free = from_ps + delta_ps <= line->start_ps;
        for (size_t i = 0; i < count && is_free; i++)
            is_free = lines[i].plane != line->plane || !passes_switch(topo, &lines[i], at) ||
                      lines[i].end_ps <= from_ps || lines[i].start_ps >= from_ps + delta_ps;
        if (is_free)
            return true;
    }
    return false;
}

static inline bool slow_is_right(const struct path_problem *problem, const struct slow_line *lines,
                                 size_t count)
{
    ps_t *carried_ps = mem_alloc(problem->count, sizeof *carried_ps, "test");
    bool is_right = true;
    for (size_t i = 0; i < count; i++) {
        const struct slow_line *line = &lines[i];
        carried_ps[line->entry] += line->end_ps - line->start_ps;
        for (size_t other = 0; other < i; other++)
            for (uint32_t at = 0; at < line->count; at++)
                is_right = is_right &&
                           (lines[other].plane != line->plane || !passes(&lines[other], line->links[at]) ||
                            lines[other].end_ps <= line->start_ps || line->end_ps <= lines[other].start_ps);
        for (uint32_t at = 0; at + 1 < line->count && is_right; at++) {
            const struct slow_line *a = slow_before(lines, count, line, line->links[at]);
            const struct slow_line *b = slow_before(lines, count, line, line->links[at + 1]);
            ps_t since_ps = ps_max(a ? a->end_ps : 0, b ? b->end_ps : 0);
            if (!problem->delta_ps || (a && a == b))
                continue;
            is_right = since_ps + problem->delta_ps <= line->start_ps &&
                       (!problem->all_stop ||
                        slow_gap(&problem->topo, lines, count, line,
                                 topo_link_to(&problem->topo, line->links[at]), since_ps, problem->delta_ps));
        }
    }
    for (uint32_t entry = 0; entry < problem->count; entry++)
        is_right = is_right && carried_ps[entry] >= problem->entries[entry].time_ps;
    free(carried_ps);
    return is_right;
}

static inline int compare_lines(const void *a, const void *b)
{
    const struct path_piece *left = a, *right = b;
    return left->start_ps < right->start_ps ? -1 : left->start_ps > right->start_ps;
}

/* With two hops, whole milliseconds and one plane: moves bytes one by one. Those of each entry that have
 * left, wait at each node, and have come. */
enum { SLOW_TICKS = 4000, SLOW_NODES = 8, SLOW_ENTRIES = 64 };

static inline bool slow_bytes_are_right(const struct path_problem *problem,
                                        const struct path_schedule *schedule)
{
    int left[SLOW_ENTRIES] = {0}, come[SLOW_ENTRIES] = {0}, waits[SLOW_ENTRIES][SLOW_NODES] = {{0}};
    bool relayed[SLOW_ENTRIES] = {false}, is_right = true;
    assert_true(problem->count <= SLOW_ENTRIES && schedule->makespan_ps < SLOW_TICKS * MS / 2);
    for (int tick = 0; tick < SLOW_TICKS; tick++) {
        for (size_t i = 0; i < schedule->count; i++) { /* what leaves has to be there before the tick */
            const struct path_piece *piece = &schedule->pieces[i];
            bool carries = piece->start_ps <= tick * MS && tick * MS < piece->end_ps;
            if (carries && piece->is_second && --waits[piece->entry][piece->between - 1] < 0)
                is_right = false;
        }
        for (size_t i = 0; i < schedule->count; i++) {
            const struct path_piece *piece = &schedule->pieces[i];
            if (piece->start_ps > tick * MS || tick * MS >= piece->end_ps)
                continue;
            left[piece->entry] += !piece->is_second;
            come[piece->entry] += !piece->between || piece->is_second;
            if (piece->between && !piece->is_second)
                waits[piece->entry][piece->between - 1]++;
            relayed[piece->entry] = relayed[piece->entry] || piece->between;
        }
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        int bytes = (int)problem->entries[i].bytes;
        is_right = is_right && come[i] >= bytes && (!relayed[i] || left[i] <= bytes);
        for (uint32_t node = 0; node < SLOW_NODES; node++)
            is_right = is_right && waits[i][node] == 0;
    }
    return is_right;
}

/* What both verifiers say of the schedule after up to two changes: they must agree. */
static inline bool is_right_after(struct rng *rng, const struct path_problem *problem,
                                  const struct circuit_demand *demand, struct path_schedule *schedule)
{
    struct circuit_verdict verdict;
    size_t size;
    for (uint64_t changes = rng_below(rng, 3); changes && schedule->count > 1; changes--)
        if (problem->planes > 1 && rng_below(rng, 4) == 0)
            schedule->pieces[rng_below(rng, schedule->count)].plane =
                (uint32_t)rng_below(rng, problem->planes);
        else
            change_circuits(rng, &CHANGED_CIRCUITS(schedule, struct path_piece), MS);
    qsort(schedule->pieces, schedule->count, sizeof *schedule->pieces, compare_lines);
    struct slow_line *lines = mem_alloc(schedule->count + 1, sizeof *lines, "test");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        lines[i] = (struct slow_line){piece->start_ps, piece->end_ps, piece->entry, piece->plane, 0, NULL};
        lines[i].links = path_route(problem, piece->route, &lines[i].count);
    }
    bool is_right = slow_is_right(problem, lines, schedule->count) &&
                    (problem->hops < 2 || slow_bytes_are_right(problem, schedule));
    char *text = written(problem, schedule, &size);
    bool is_accepted = verified(problem, demand, text, 0, &verdict) == STATUS_OK;
    if (is_accepted != is_right)
        fail_msg("%s, but the slow verifier finds it %s:\n%s",
                 is_accepted ? "accepted" : verdict.first_problem, is_right ? "right" : "wrong", text);
    free(text);
    free(lines);
    return is_right;
}

#endif
