#include "schedule/path/list_search.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/circuit/events.h"
#include "schedule/path/network_state.h"

enum { MOST_ROUNDS = 64, KINDS = 6, MOST_PARTS = 1024 };

/* An entry that waits, and whose links are free in some plane. */
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
    ps_t *kept_ps;   /* [links]: the weights of the shortest schedule since the last restart */
    uint32_t *parts; /* [entries]: how many wait */
    ps_t *part_ps;   /* [entries]: how long one of them is; the last one may be shorter */
    ps_t quantum_ps; /* no part is longer; 0: entries are whole */
    bool *is_busy, *is_listed, *has_freed; /* [links of all planes], [entries], [planes] */
    struct circuit_ends ends;
    struct list_candidate *candidates;
    struct circuit_end *ended; /* circuits that end now */
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
        for (uint32_t i = 0; i < count; i++)
            lister->first_user[at[i] + 1]++;
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

/* Cuts the entries, and counts what each link has to do. */
static void cut(struct path_lister *lister, ps_t quantum_ps)
{
    const struct path_problem *problem = lister->problem;
    lister->quantum_ps = quantum_ps;
    memset(lister->all_ps, 0, problem->topo.links * sizeof *lister->all_ps);
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        uint32_t count;
        const uint32_t *links = links_of(lister, entry, &count);
        ps_t time_ps = problem->entries[entry].time_ps,
             parts = quantum_ps ? (time_ps - 1) / quantum_ps + 1 : 1;
        parts = parts > MOST_PARTS ? MOST_PARTS : parts;
        lister->part_ps[entry] = (time_ps - 1) / parts + 1;
        parts = (time_ps - 1) / lister->part_ps[entry] + 1;
        for (uint32_t i = 0; i < count; i++)
            lister->all_ps[links[i]] += time_ps + parts * problem->delta_ps;
    }
}

static void lister_init(struct path_lister *lister, const struct path_problem *problem,
                        const uint32_t *route_of)
{
    size_t links = (size_t)problem->topo.links + 1, entries = (size_t)problem->count + 1;
    size_t most_up = (size_t)problem->topo.nodes * problem->planes;
    *lister = (struct path_lister){.problem = problem, .route_of = route_of};
    network_state_init(&lister->state, problem);
    lister->left_ps = mem_alloc(links, sizeof *lister->left_ps, "loads of links");
    lister->all_ps = mem_alloc(links, sizeof *lister->all_ps, "loads of links");
    lister->weight_ps = mem_alloc(links, sizeof *lister->weight_ps, "weights of links");
    lister->kept_ps = mem_alloc(links, sizeof *lister->kept_ps, "weights of links");
    lister->is_busy = mem_alloc(path_links(problem) + 1, sizeof *lister->is_busy, "links");
    lister->has_freed = mem_alloc(problem->planes, sizeof *lister->has_freed, "planes");
    lister->parts = mem_alloc(entries, sizeof *lister->parts, "entries that wait");
    lister->part_ps = mem_alloc(entries, sizeof *lister->part_ps, "entries that wait");
    lister->is_listed = mem_alloc(entries, sizeof *lister->is_listed, "entries");
    lister->ended = mem_alloc(most_up + 1, sizeof *lister->ended, "circuits that are up");
    circuit_ends_init(&lister->ends, most_up);
    lister->candidates = mem_alloc(entries, sizeof *lister->candidates, "entries that wait");
    list_users(lister);
    cut(lister, 0);
}

static void lister_free(struct path_lister *lister)
{
    network_state_free(&lister->state);
    free(lister->left_ps);
    free(lister->all_ps);
    free(lister->weight_ps);
    free(lister->kept_ps);
    free(lister->is_busy);
    free(lister->has_freed);
    free(lister->parts);
    free(lister->part_ps);
    free(lister->is_listed);
    free(lister->ended);
    circuit_ends_free(&lister->ends);
    free(lister->candidates);
    free(lister->first_user);
    free(lister->users);
}

/* ---------------------------------------------------------------- one try */

static bool is_free(const struct path_lister *lister, uint32_t entry, uint32_t plane)
{
    uint32_t count;
    const uint32_t *links = links_of(lister, entry, &count);
    const bool *is_busy = lister->is_busy + (size_t)plane * lister->problem->topo.links;
    for (uint32_t i = 0; i < count; i++)
        if (is_busy[links[i]])
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

/* The entry may have become free to begin in this plane. */
static void consider(struct path_lister *lister, uint32_t entry, uint32_t plane)
{
    if (!lister->parts[entry] || lister->is_listed[entry] || !is_free(lister, entry, plane))
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

/* A part of the entry, the last one with what is left. One that follows another one of its entry on the same
 * links needs no set-up. */
static void start(struct path_lister *lister, uint32_t entry, uint32_t plane, ps_t now_ps,
                  struct path_schedule *schedule)
{
    const struct path_problem *problem = lister->problem;
    uint32_t count, route = lister->route_of[entry];
    const uint32_t *links = links_of(lister, entry, &count);
    ps_t part_ps = lister->part_ps[entry], time_ps = part_ps;
    bool is_up = lister->quantum_ps && network_state_is_up(&lister->state, plane, route);
    if (--lister->parts[entry] == 0)
        time_ps = problem->entries[entry].time_ps - (problem->entries[entry].time_ps - 1) / part_ps * part_ps;
    for (uint32_t i = 0; i < count; i++) {
        lister->is_busy[(size_t)plane * problem->topo.links + links[i]] = true;
        lister->left_ps[links[i]] -= time_ps + problem->delta_ps;
    }
    struct path_piece piece = {.entry = entry, .route = route, .plane = plane};
    piece.start_ps = now_ps + (is_up ? 0 : problem->delta_ps);
    piece.end_ps = piece.start_ps + time_ps;
    network_state_carry(&lister->state, &piece, schedule);
    circuit_ends_push(&lister->ends, piece.end_ps, entry, plane);
}

/* Candidates begin in the planes in which links have become free, the most urgent ones first. */
static void serve(struct path_lister *lister, ps_t now_ps, struct path_schedule *schedule)
{
    bool is_first = true;
    for (uint32_t plane = 0; plane < lister->problem->planes; plane++) {
        if (!lister->has_freed[plane])
            continue;
        for (uint32_t i = 0; i < lister->candidate_count && !is_first; i++)
            lister->candidates[i].urgency_ps = urgency(lister, lister->candidates[i].entry);
        if (lister->candidate_count > 1)
            qsort(lister->candidates, lister->candidate_count, sizeof *lister->candidates,
                  compare_candidates);
        for (uint32_t i = 0; i < lister->candidate_count; i++) {
            uint32_t entry = lister->candidates[i].entry;
            if (lister->parts[entry] && is_free(lister, entry, plane))
                start(lister, entry, plane, now_ps, schedule);
        }
        is_first = false;
        lister->has_freed[plane] = false;
    }
    for (uint32_t i = 0; i < lister->candidate_count; i++)
        lister->is_listed[lister->candidates[i].entry] = false;
    lister->candidate_count = 0;
}

/* All circuits that end now free their links together. Returns the time. */
static ps_t free_links(struct path_lister *lister, uint32_t *ended_count)
{
    uint32_t count;
    ps_t now_ps = lister->ends.heap[0].end_ps;
    *ended_count = 0;
    while (lister->ends.count && lister->ends.heap[0].end_ps == now_ps) {
        struct circuit_end end = circuit_ends_pop(&lister->ends);
        const uint32_t *links = links_of(lister, end.entry, &count);
        for (uint32_t i = 0; i < count; i++)
            lister->is_busy[(size_t)end.crossbar * lister->problem->topo.links + links[i]] = false;
        lister->has_freed[end.crossbar] = true;
        lister->ended[(*ended_count)++] = end;
    }
    return now_ps;
}

/* The entries that can begin now are those of the links that have become free. False: one of these links
 * cannot be done before the limit. In one plane it does all that is left; of cut entries, some parts need no
 * set-up. */
static bool consider_freed(struct path_lister *lister, uint32_t ended_count, ps_t now_ps, ps_t limit_ps)
{
    bool can_be_done = now_ps < limit_ps, is_all = lister->problem->planes == 1 && !lister->quantum_ps;
    for (uint32_t at = 0; at < ended_count; at++) {
        uint32_t count;
        const uint32_t *links = links_of(lister, lister->ended[at].entry, &count);
        for (uint32_t i = 0; i < count; i++) {
            can_be_done = can_be_done && (!is_all || now_ps + lister->left_ps[links[i]] < limit_ps);
            for (uint32_t user = lister->first_user[links[i]]; user < lister->first_user[links[i] + 1];
                 user++)
                consider(lister, lister->users[user], lister->ended[at].crossbar);
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
    memset(lister->is_busy, 0, path_links(problem) * sizeof *lister->is_busy);
    memset(lister->has_freed, true, problem->planes * sizeof *lister->has_freed);
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        lister->parts[entry] = (uint32_t)((problem->entries[entry].time_ps - 1) / lister->part_ps[entry] + 1);
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
        consider(lister, entry, 0);
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
    cost *= problem->planes;
    lister_free(&lister);
    free(route_of);
    return cost + problem->count * 100.;
}

/* ------------------------------------------------------------------- search */

/* Links that were done late become more urgent, and some others a little more or less. */
static void weigh(struct path_lister *lister, struct rng *rng, uint64_t round, ps_t bound_ps)
{
    for (uint32_t link = 0; link < lister->problem->topo.links; link++) {
        ps_t late_ps = network_state_done(&lister->state, link) - bound_ps;
        lister->weight_ps[link] = lister->kept_ps[link];
        if (late_ps > 0 && round % 4 != 3)
            lister->weight_ps[link] += (ps_t)(rng_share(rng) * 2 * (double)late_ps);
        else if (rng_below(rng, 4) == 0)
            lister->weight_ps[link] +=
                (ps_t)((rng_share(rng) - 0.5) * 0.25 * (double)(lister->all_ps[link] >> rng_below(rng, 6)));
    }
}

/* In one plane whole entries are best. Of several planes, many can carry parts of a long entry at a time. */
static ps_t quantum(const struct path_problem *problem, ps_t bound_ps, uint64_t restarts)
{
    static const unsigned kinds[KINDS] = {1, 2, 3, 0, 4, 5};
    unsigned kind = kinds[restarts % KINDS];
    if (problem->planes == 1 || kind == 0)
        return 0;
    ps_t longest_ps = bound_ps - problem->delta_ps, shortest_ps = ps_times(problem->delta_ps, 2);
    return ps_max(kind == 1 ? longest_ps : ps_max(longest_ps >> (kind - 1), shortest_ps), 1);
}

static uint64_t rounds_of(const struct path_problem *problem, uint64_t tries)
{
    uint64_t rounds = tries / (2 * KINDS) + 1;
    return problem->planes == 1 || rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
}

void list_search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct path_schedule *schedule)
{
    struct path_lister lister;
    struct path_schedule candidate = {.count = 0};
    struct rng rng = rng_init(effort->seed, "paths");
    uint32_t *route_of = network_choose_routes(problem);
    size_t links = problem->topo.links;
    uint64_t rounds = rounds_of(problem, tries);
    ps_t shortest_ps = PS_NEVER;
    lister_init(&lister, problem, route_of);
    progress_begin("list schedules", tries);
    for (uint64_t i = 0; i < tries; i++) {
        if (schedule->count && (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort)))
            break;
        progress_tell(i);
        if (i % rounds == 0) { /* begins anew */
            shortest_ps = PS_NEVER;
            cut(&lister, quantum(problem, bound_ps, i / rounds));
            memset(lister.kept_ps, 0, links * sizeof *lister.kept_ps);
        }
        if (i == 0 || (problem->planes > 1 && i % rounds == 0))
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
