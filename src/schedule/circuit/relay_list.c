#include "schedule/circuit/relay_list.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/circuit/events.h"

enum { MOST_JOBS = 1 << 15 };
#define MOST_STEPS 4e9 /* of all tries */
#define ARRIVAL    UINT32_MAX

/* A circuit: the parts from `at` to `end`, one after another. */
struct relay_job {
    uint32_t from, to, first, at, end;
    ps_t time_ps; /* of what is left */
};

struct relay_lister {
    const struct circuit_problem *problem;
    const struct relay_ports *ports;
    const struct relay_plan *plan;
    struct relay_parts parts;
    struct relay_job *jobs;
    uint32_t job_count, *waiting, waiting_count; /* jobs that wait */
    ps_t *arrived_ps;                            /* [entries]: when all of it is in between; -1: not known */
    ps_t *left_ps, *more_ps;                     /* [places]: left to do; by chance */
    bool *busy;                                  /* [switches][places] */
    struct circuit_ends ends;                    /* of circuits, and arrivals */
    double bonus_ps;                             /* of circuits for which others wait */
};

/* --------------------------------------------------------------------- jobs */

static void list_jobs(struct relay_lister *lister)
{
    lister->job_count = 0;
    for (uint32_t i = 0; i < lister->parts.count; i++) {
        const struct relay_part *part = &lister->parts.list[i];
        if (i == 0 || part->from != part[-1].from || part->to != part[-1].to)
            lister->jobs[lister->job_count++] = (struct relay_job){part->from, part->to, i, i, i, 0};
        lister->jobs[lister->job_count - 1].end = i + 1;
    }
}

static void lister_init(struct relay_lister *lister, const struct circuit_problem *problem,
                        const struct relay_ports *ports, const struct relay_plan *plan)
{
    *lister = (struct relay_lister){.problem = problem, .ports = ports, .plan = plan};
    relay_parts_init(&lister->parts, problem);
    relay_parts_list(&lister->parts, problem, ports, plan, RELAY_ALL);
    size_t parts = (size_t)lister->parts.count + 1, places = (size_t)ports->places + 1;
    lister->jobs = mem_alloc(parts, sizeof *lister->jobs, "circuits");
    list_jobs(lister);
    lister->waiting = mem_alloc(parts, sizeof *lister->waiting, "circuits");
    lister->arrived_ps = mem_alloc((size_t)problem->count + 1, sizeof *lister->arrived_ps, "hops of entries");
    lister->left_ps = mem_alloc(places, sizeof *lister->left_ps, "loads of ports");
    lister->more_ps = mem_alloc(places, sizeof *lister->more_ps, "loads of ports");
    lister->busy = mem_alloc(places * problem->switches, sizeof *lister->busy, "ports");
    circuit_ends_init(&lister->ends, 3 * parts);
}

static void lister_free(struct relay_lister *lister)
{
    relay_parts_free(&lister->parts);
    free(lister->jobs);
    free(lister->waiting);
    free(lister->arrived_ps);
    free(lister->left_ps);
    free(lister->more_ps);
    free(lister->busy);
    circuit_ends_free(&lister->ends);
}

static const uint32_t *way_of(const struct relay_lister *lister, const struct relay_job *job,
                              uint32_t both[2], uint32_t *count)
{
    return relay_way(lister->ports, job->from, job->to, both, count);
}

static bool *busy_on(const struct relay_lister *lister, uint32_t crossbar)
{
    return lister->busy + (size_t)crossbar * lister->ports->places;
}

static void add_work(struct relay_lister *lister, const struct relay_job *job, ps_t more_ps)
{
    uint32_t both[2], count;
    const uint32_t *way = way_of(lister, job, both, &count);
    for (uint32_t i = 0; i < count; i++)
        lister->left_ps[way[i]] += more_ps;
}

static void occupy(struct relay_lister *lister, const struct relay_job *job, uint32_t crossbar, bool is_busy)
{
    uint32_t both[2], count;
    const uint32_t *way = way_of(lister, job, both, &count);
    for (uint32_t i = 0; i < count; i++)
        busy_on(lister, crossbar)[way[i]] = is_busy;
}

static void reset(struct relay_lister *lister)
{
    size_t places = lister->ports->places;
    memset(lister->left_ps, 0, places * sizeof *lister->left_ps);
    memset(lister->busy, 0, places * lister->problem->switches * sizeof *lister->busy);
    lister->ends.count = 0;
    for (uint32_t i = 0; i < lister->problem->count; i++)
        lister->arrived_ps[i] = -1;
    for (uint32_t i = 0; i < lister->job_count; i++) {
        struct relay_job *job = &lister->jobs[i];
        job->at = job->first;
        job->time_ps = 0;
        for (uint32_t at = job->first; at < job->end; at++)
            job->time_ps += lister->parts.list[at].time_ps;
        add_work(lister, job, job->time_ps + lister->problem->delta_ps);
        lister->waiting[i] = i;
    }
    lister->waiting_count = lister->job_count;
}

/* ------------------------------------------------------------------ one try */

/* The part before which the circuit has to wait if it begins to carry at this time; the end: none. */
static uint32_t part_that_waits(const struct relay_lister *lister, const struct relay_job *job, ps_t start_ps)
{
    for (uint32_t at = job->at; at < job->end; at++) {
        const struct relay_part *part = &lister->parts.list[at];
        ps_t arrived_ps = part->hop == SECOND_HOP ? lister->arrived_ps[part->entry] : 0;
        if (arrived_ps < 0 || arrived_ps > start_ps)
            return at;
        start_ps += part->time_ps;
    }
    return job->end;
}

/* The first switch on which all places are free. */
static uint32_t free_switch(const struct relay_lister *lister, const struct relay_job *job)
{
    uint32_t both[2], count;
    const uint32_t *way = way_of(lister, job, both, &count);
    for (uint32_t crossbar = 0; crossbar < lister->problem->switches; crossbar++) {
        const bool *busy = busy_on(lister, crossbar);
        bool is_free = true;
        for (uint32_t i = 0; i < count && is_free; i++)
            is_free = !busy[way[i]];
        if (is_free)
            return crossbar;
    }
    return CIRCUIT_NONE;
}

static double urgency(const struct relay_lister *lister, const struct relay_job *job)
{
    uint32_t both[2], count;
    const uint32_t *way = way_of(lister, job, both, &count);
    ps_t busiest_ps = INT64_MIN;
    for (uint32_t i = 0; i < count; i++)
        busiest_ps = ps_max(busiest_ps, lister->left_ps[way[i]] + lister->more_ps[way[i]]);
    bool is_waited_for = lister->parts.list[job->at].hop == FIRST_HOP;
    return (double)busiest_ps + (is_waited_for ? lister->bonus_ps : 0);
}

/* The circuit carries its parts up to `end`. Others can begin when bytes arrive, or are set up so that they
 * can. */
static void start(struct relay_lister *lister, uint32_t index, uint32_t crossbar, uint32_t end, ps_t now_ps,
                  struct circuit_schedule *schedule)
{
    struct relay_job *job = &lister->jobs[index];
    ps_t delta_ps = lister->problem->delta_ps, at_ps = now_ps + delta_ps;
    occupy(lister, job, crossbar, true);
    for (; job->at < end; job->at++) {
        const struct relay_part *part = &lister->parts.list[job->at];
        relay_part_add(part, lister->ports, lister->plan, crossbar, at_ps, at_ps + part->time_ps, schedule);
        at_ps += part->time_ps;
        job->time_ps -= part->time_ps;
        add_work(lister, job, -part->time_ps);
        if (part->hop != FIRST_HOP)
            continue;
        lister->arrived_ps[part->entry] = at_ps;
        circuit_ends_push(&lister->ends, ps_max(now_ps, at_ps - delta_ps), 0, ARRIVAL);
        circuit_ends_push(&lister->ends, at_ps, 0, ARRIVAL);
    }
    if (job->at == job->end)
        add_work(lister, job, -delta_ps);
    circuit_ends_push(&lister->ends, at_ps, index, crossbar);
}

/* The place in `waiting` of the most urgent circuit that can begin now; CIRCUIT_NONE: none can. */
static uint32_t most_urgent(const struct relay_lister *lister, ps_t now_ps)
{
    uint32_t best = CIRCUIT_NONE;
    double most = 0;
    for (uint32_t i = 0; i < lister->waiting_count; i++) {
        const struct relay_job *job = &lister->jobs[lister->waiting[i]];
        if (free_switch(lister, job) == CIRCUIT_NONE)
            continue;
        double its = urgency(lister, job);
        if ((best == CIRCUIT_NONE || its > most) &&
            part_that_waits(lister, job, now_ps + lister->problem->delta_ps) == job->end) {
            best = i;
            most = its;
        }
    }
    return best;
}

/* Nothing is under way, and every circuit waits for bytes of another one. One that can carries what is there.
 */
static bool break_circle(struct relay_lister *lister, ps_t now_ps, struct circuit_schedule *schedule)
{
    for (uint32_t i = 0; i < lister->waiting_count; i++) {
        const struct relay_job *job = &lister->jobs[lister->waiting[i]];
        uint32_t end = part_that_waits(lister, job, now_ps + lister->problem->delta_ps);
        if (end > job->at) {
            start(lister, lister->waiting[i], free_switch(lister, job), end, now_ps, schedule);
            return true;
        }
    }
    return false;
}

/* What ends now; returns the time. */
static ps_t end_circuits(struct relay_lister *lister)
{
    ps_t now_ps = lister->ends.heap[0].end_ps;
    while (lister->ends.count && lister->ends.heap[0].end_ps == now_ps) {
        struct circuit_end end = circuit_ends_pop(&lister->ends);
        if (end.crossbar != ARRIVAL)
            occupy(lister, &lister->jobs[end.entry], end.crossbar, false);
    }
    return now_ps;
}

/* False: it is not shorter than the limit, and not complete. */
static bool try_once(struct relay_lister *lister, ps_t limit_ps, struct circuit_schedule *schedule)
{
    ps_t now_ps = 0;
    circuit_schedule_clear(schedule);
    reset(lister);
    while (lister->waiting_count && schedule->makespan_ps < limit_ps) {
        uint32_t at;
        while ((at = most_urgent(lister, now_ps)) != CIRCUIT_NONE) {
            uint32_t index = lister->waiting[at];
            const struct relay_job *job = &lister->jobs[index];
            lister->waiting[at] = lister->waiting[--lister->waiting_count];
            start(lister, index, free_switch(lister, job), job->end, now_ps, schedule);
        }
        if (lister->ends.count)
            now_ps = end_circuits(lister);
        else if (lister->waiting_count && !break_circle(lister, now_ps, schedule))
            return false;
    }
    return !lister->waiting_count && schedule->makespan_ps < limit_ps;
}

/* ------------------------------------------------------------------- search */

static void weigh(struct relay_lister *lister, struct rng *rng, uint64_t round, ps_t load_ps)
{
    static const double bonuses[] = {1, 0.25, 2, 0.0625};
    const struct relay_ports *ports = lister->ports;
    lister->bonus_ps = bonuses[round % 4] * (double)load_ps;
    for (uint32_t place = 0; place < (ports->ways ? ports->places : ports->count); place++)
        lister->more_ps[place] =
            round < 4 ? 0 : (ps_t)((rng_share(rng) - 0.5) * 0.25 * (double)(load_ps >> rng_below(rng, 5)));
    if (!ports->ways) /* a sender and a receiver have the same */
        memcpy(lister->more_ps + ports->count, lister->more_ps, ports->count * sizeof *lister->more_ps);
}

double relay_list_cost(double hops)
{
    return hops * hops * 4 + 1;
}

void relay_list_search(const struct circuit_problem *problem, const struct relay_ports *ports,
                       const struct relay_plan *plan, const struct circuit_effort *effort, ps_t bound_ps,
                       uint64_t most_tries, struct circuit_schedule *schedule)
{
    struct relay_lister lister;
    struct circuit_schedule candidate = {.count = 0};
    struct rng rng = rng_init(effort->seed, "circuits.hops");
    lister_init(&lister, problem, ports, plan);
    double most = MOST_STEPS / relay_list_cost(lister.job_count);
    uint64_t tries = effort->moves && effort->moves < most_tries ? effort->moves : most_tries;
    tries = most < (double)tries ? (uint64_t)most : tries;
    progress_begin("circuits of two hops", tries);
    for (uint64_t i = 0; i < tries && lister.job_count <= MOST_JOBS; i++) {
        if (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort))
            break;
        progress_tell(i);
        weigh(&lister, &rng, i, plan->load_ps);
        if (!try_once(&lister, schedule->makespan_ps, &candidate))
            continue;
        circuit_keep_shorter(schedule, &candidate, "two hops");
        candidate = (struct circuit_schedule){.count = 0};
    }
    progress_end();
    circuit_schedule_free(&candidate);
    lister_free(&lister);
}
