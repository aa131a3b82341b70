#include "schedule/path/list_search.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/circuit/events.h"
#include "schedule/path/network_state.h"

enum { MOST_ROUNDS = 64 };

/* An entry that waits and whose links are free. */
struct list_candidate {
    ps_t urgency_ps;
    uint32_t entry;
};

struct path_lister {
    const struct path_problem *problem;
    struct network_state state;
    const uint32_t *route_of;           /* [entries] */
    uint32_t *first_user, *users;       /* the entries of each link */
    ps_t *left_ps, *all_ps, *weight_ps; /* [links]: to do, at the start; weights */
    ps_t *kept_ps; /* [links]: the weights of the shortest schedule since the last restart */
    bool *waits, *is_busy, *is_listed; /* [entries], [links], [entries] */
    struct circuit_ends ends;
    struct list_candidate *candidates;
    uint32_t *ended; /* entries whose circuits end now */
    uint32_t candidate_count;
    bool is_in_order;
};

/* -------------------------------------------------------------------- parts */

static const uint32_t *links_of(const struct path_lister *lister, uint32_t entry, uint32_t *count)
{
    return tdm_route(&lister->problem->routes, lister->route_of[entry], count);
}

static void list_users(struct path_lister *lister)
{
    const struct path_problem *problem = lister->problem;
    uint32_t links = problem->topo.links, count;
    size_t total = 0;
    lister->first_user = mem_alloc((size_t)links + 2, sizeof *lister->first_user, "entries of links");
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        const uint32_t *at = links_of(lister, entry, &count);
        total += count;
        for (uint32_t i = 0; i < count; i++) {
            lister->first_user[at[i] + 1]++;
            lister->all_ps[at[i]] += problem->entries[entry].time_ps + problem->delta_ps;
        }
    }
    for (uint32_t link = 0; link < links; link++)
        lister->first_user[link + 1] += lister->first_user[link];
    lister->users = mem_alloc(total + 1, sizeof *lister->users, "entries of links");
    uint32_t *next = mem_alloc((size_t)links + 1, sizeof *next, "entries of links");
    memcpy(next, lister->first_user, links * sizeof *next);
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        const uint32_t *at = links_of(lister, entry, &count);
        for (uint32_t i = 0; i < count; i++)
            lister->users[next[at[i]]++] = entry;
    }
    free(next);
}

static void lister_init(struct path_lister *lister, const struct path_problem *problem,
                        const uint32_t *route_of)
{
    size_t links = (size_t)problem->topo.links + 1, entries = (size_t)problem->count + 1;
    *lister = (struct path_lister){.problem = problem, .route_of = route_of};
    network_state_init(&lister->state, problem);
    lister->left_ps = mem_alloc(links, sizeof *lister->left_ps, "loads of links");
    lister->all_ps = mem_alloc(links, sizeof *lister->all_ps, "loads of links");
    lister->weight_ps = mem_alloc(links, sizeof *lister->weight_ps, "weights of links");
    lister->kept_ps = mem_alloc(links, sizeof *lister->kept_ps, "weights of links");
    lister->is_busy = mem_alloc(links, sizeof *lister->is_busy, "links");
    lister->waits = mem_alloc(entries, sizeof *lister->waits, "entries");
    lister->is_listed = mem_alloc(entries, sizeof *lister->is_listed, "entries");
    lister->ended = mem_alloc(entries, sizeof *lister->ended, "circuits that are up");
    circuit_ends_init(&lister->ends, problem->topo.nodes);
    lister->candidates = mem_alloc(entries, sizeof *lister->candidates, "entries that wait");
    list_users(lister);
}

static void lister_free(struct path_lister *lister)
{
    network_state_free(&lister->state);
    free(lister->left_ps);
    free(lister->all_ps);
    free(lister->weight_ps);
    free(lister->kept_ps);
    free(lister->is_busy);
    free(lister->waits);
    free(lister->is_listed);
    free(lister->ended);
    circuit_ends_free(&lister->ends);
    free(lister->candidates);
    free(lister->first_user);
    free(lister->users);
}

/* ---------------------------------------------------------------- one try */

static bool is_free(const struct path_lister *lister, uint32_t entry)
{
    uint32_t count;
    const uint32_t *links = links_of(lister, entry, &count);
    for (uint32_t i = 0; i < count; i++)
        if (lister->is_busy[links[i]])
            return false;
    return true;
}

static ps_t urgency(const struct path_lister *lister, uint32_t entry)
{
    uint32_t count;
    ps_t most_ps = INT64_MIN, sum_ps = 0;
    const uint32_t *links = links_of(lister, entry, &count);
    if (lister->is_in_order)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        ps_t link_ps = lister->left_ps[links[i]] + lister->weight_ps[links[i]];
        most_ps = ps_max(most_ps, link_ps);
        sum_ps += link_ps / 64;
    }
    return most_ps + sum_ps / count;
}

static void consider(struct path_lister *lister, uint32_t entry)
{
    if (!lister->waits[entry] || lister->is_listed[entry] || !is_free(lister, entry))
        return;
    lister->is_listed[entry] = true;
    lister->candidates[lister->candidate_count++] = (struct list_candidate){urgency(lister, entry), entry};
}

static int compare_candidates(const void *a, const void *b)
{
    const struct list_candidate *left = a, *right = b;
    if (left->urgency_ps != right->urgency_ps)
        return left->urgency_ps > right->urgency_ps ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

static void start(struct path_lister *lister, uint32_t entry, ps_t now_ps, struct path_schedule *schedule)
{
    const struct path_problem *problem = lister->problem;
    uint32_t count;
    const uint32_t *links = links_of(lister, entry, &count);
    ps_t time_ps = problem->entries[entry].time_ps, start_ps = now_ps + problem->delta_ps;
    lister->waits[entry] = false;
    for (uint32_t i = 0; i < count; i++) {
        lister->is_busy[links[i]] = true;
        lister->left_ps[links[i]] -= time_ps + problem->delta_ps;
    }
    network_state_carry(&lister->state, entry, lister->route_of[entry], start_ps, time_ps, schedule);
    circuit_ends_push(&lister->ends, start_ps + time_ps, entry, 0);
}

static void serve(struct path_lister *lister, ps_t now_ps, struct path_schedule *schedule)
{
    if (lister->candidate_count > 1)
        qsort(lister->candidates, lister->candidate_count, sizeof *lister->candidates, compare_candidates);
    for (uint32_t i = 0; i < lister->candidate_count; i++) {
        uint32_t entry = lister->candidates[i].entry;
        lister->is_listed[entry] = false;
        if (is_free(lister, entry))
            start(lister, entry, now_ps, schedule);
    }
    lister->candidate_count = 0;
}

/* All circuits that end now free their links together. Returns the time. */
static ps_t free_links(struct path_lister *lister, uint32_t *ended_count)
{
    uint32_t count;
    ps_t now_ps = lister->ends.heap[0].end_ps;
    *ended_count = 0;
    while (lister->ends.count && lister->ends.heap[0].end_ps == now_ps) {
        uint32_t entry = circuit_ends_pop(&lister->ends).entry;
        const uint32_t *links = links_of(lister, entry, &count);
        for (uint32_t i = 0; i < count; i++)
            lister->is_busy[links[i]] = false;
        lister->ended[(*ended_count)++] = entry;
    }
    return now_ps;
}

/* The entries that can begin now are those of the links that have become free. False: one of these links
 * cannot be done before the limit. */
static bool consider_freed(struct path_lister *lister, uint32_t ended_count, ps_t now_ps, ps_t limit_ps)
{
    bool can_be_done = true;
    for (uint32_t at = 0; at < ended_count; at++) {
        uint32_t count;
        const uint32_t *links = links_of(lister, lister->ended[at], &count);
        for (uint32_t i = 0; i < count; i++) {
            can_be_done = can_be_done && now_ps + lister->left_ps[links[i]] < limit_ps;
            for (uint32_t user = lister->first_user[links[i]]; user < lister->first_user[links[i] + 1];
                 user++)
                consider(lister, lister->users[user]);
        }
    }
    return can_be_done;
}

static void lister_reset(struct path_lister *lister)
{
    const struct path_problem *problem = lister->problem;
    network_state_free(&lister->state);
    network_state_init(&lister->state, problem);
    lister->ends.count = 0;
    lister->candidate_count = 0;
    memcpy(lister->left_ps, lister->all_ps, problem->topo.links * sizeof *lister->left_ps);
    memset(lister->is_busy, 0, problem->topo.links * sizeof *lister->is_busy);
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        lister->waits[entry] = true;
        lister->is_listed[entry] = false;
    }
}

/* False: the schedule is not shorter than the limit, and not complete. */
static bool try_once(struct path_lister *lister, ps_t limit_ps, struct path_schedule *schedule)
{
    ps_t now_ps = 0;
    bool is_short = true;
    path_schedule_clear(schedule);
    lister_reset(lister);
    for (uint32_t entry = 0; entry < lister->problem->count; entry++)
        consider(lister, entry);
    for (;;) {
        uint32_t ended_count;
        serve(lister, now_ps, schedule);
        if (!lister->ends.count)
            return schedule->makespan_ps < limit_ps;
        now_ps = free_links(lister, &ended_count);
        is_short = consider_freed(lister, ended_count, now_ps, limit_ps) && is_short;
        if (!is_short)
            return false;
    }
}

void list_in_order(const struct path_problem *problem, struct path_schedule *schedule)
{
    struct path_lister lister;
    uint32_t *route_of = network_choose_routes(problem);
    lister_init(&lister, problem, route_of);
    lister.is_in_order = true;
    try_once(&lister, PS_NEVER, schedule);
    lister_free(&lister);
    free(route_of);
}

/* A circuit that ends looks at all entries of its links. */
double list_cost(const struct path_problem *problem)
{
    double cost = 0;
    struct path_lister lister;
    uint32_t *route_of = network_choose_routes(problem);
    lister_init(&lister, problem, route_of);
    for (uint32_t link = 0; link < problem->topo.links; link++) {
        double users = lister.first_user[link + 1] - lister.first_user[link];
        cost += users * users * 8;
    }
    lister_free(&lister);
    free(route_of);
    return cost + problem->count * 100.;
}

/* ------------------------------------------------------------------- search */

/* Links that were done late become more urgent, and some others a little more or less. */
static void weigh(struct path_lister *lister, struct rng *rng, uint64_t round, ps_t bound_ps)
{
    for (uint32_t link = 0; link < lister->problem->topo.links; link++) {
        ps_t late_ps = lister->state.until_ps[link] - bound_ps;
        lister->weight_ps[link] = lister->kept_ps[link];
        if (late_ps > 0 && round % 4 != 3)
            lister->weight_ps[link] += (ps_t)(rng_share(rng) * 2 * (double)late_ps);
        else if (rng_below(rng, 4) == 0)
            lister->weight_ps[link] +=
                (ps_t)((rng_share(rng) - 0.5) * 0.25 * (double)(lister->all_ps[link] >> rng_below(rng, 6)));
    }
}

void list_search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct path_schedule *schedule)
{
    struct path_lister lister;
    struct path_schedule candidate = {.count = 0};
    struct rng rng = rng_init(effort->seed, "paths");
    uint32_t *route_of = network_choose_routes(problem);
    size_t links = problem->topo.links;
    ps_t shortest_ps = PS_NEVER;
    lister_init(&lister, problem, route_of);
    progress_begin("list schedules", tries);
    for (uint64_t i = 0; i < tries; i++) {
        if (schedule->count && (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort)))
            break;
        progress_tell(i);
        if (i % MOST_ROUNDS == 0) { /* begins anew */
            shortest_ps = PS_NEVER;
            memset(lister.kept_ps, 0, links * sizeof *lister.kept_ps);
        }
        if (i == 0)
            memset(lister.weight_ps, 0, links * sizeof *lister.weight_ps);
        else
            weigh(&lister, &rng, i, bound_ps);
        if (!try_once(&lister, shortest_ps == PS_NEVER ? PS_NEVER : shortest_ps + 1, &candidate))
            continue;
        shortest_ps = candidate.makespan_ps;
        memcpy(lister.kept_ps, lister.weight_ps, links * sizeof *lister.kept_ps);
        path_keep_shorter(schedule, &candidate, "best");
    }
    progress_end();
    path_schedule_free(&candidate);
    lister_free(&lister);
    free(route_of);
}
