#include "schedule/path/slot_search.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/path/network_state.h"

enum { GRID = 8 };

struct worthy_entry {
    double worth;
    uint32_t entry;
};

struct slot_maker {
    const struct path_problem *problem;
    struct rng rng;
    const uint32_t *route_of;    /* [entries] */
    ps_t *left_ps, *link_ps;     /* [entries]; [links]: their sum */
    uint32_t *degree;            /* [links]: entries with something left */
    uint32_t *waiting;           /* entries with something left */
    ps_t *sorted_ps;             /* what they have left, ascending */
    struct worthy_entry *order;  /* the same, by worth */
    uint32_t *taken, *chosen;    /* entries of a slot; of the best one */
    uint32_t *stamp, slot_stamp; /* [links]: the last slot that has it */
    uint32_t waiting_count, taken_count, chosen_count;
    ps_t *done_ps;           /* [planes]: when their slots so far are over */
    ps_t chosen_ps, best_ps; /* duration of the best slot; the bound with it */
    ps_t longest_ps;         /* that a slot may be */
    double best_share;       /* how much the best slot carries in its time */
    bool is_random;
};

static const uint32_t *links_of(const struct slot_maker *maker, uint32_t entry, uint32_t *count)
{
    return tdm_route(&maker->problem->routes, maker->route_of[entry], count);
}

/* Of several planes, many can carry an entry at a time, so that no slot has to be longer than the bound. */
static void maker_init(struct slot_maker *maker, const struct path_problem *problem, uint64_t seed,
                       const uint32_t *route_of, ps_t bound_ps)
{
    size_t entries = (size_t)problem->count + 1, links = (size_t)problem->topo.links + 1;
    *maker =
        (struct slot_maker){.problem = problem, .rng = rng_init(seed, "paths.slots"), .route_of = route_of};
    maker->longest_ps = problem->planes == 1 ? PS_NEVER : ps_max(bound_ps - problem->delta_ps, 1);
    maker->done_ps = mem_alloc(problem->planes, sizeof *maker->done_ps, "planes");
    maker->left_ps = mem_alloc(entries, sizeof *maker->left_ps, "a schedule");
    maker->waiting = mem_alloc(entries, sizeof *maker->waiting, "entries that wait");
    maker->sorted_ps = mem_alloc(entries, sizeof *maker->sorted_ps, "entries that wait");
    maker->order = mem_alloc(entries, sizeof *maker->order, "entries that wait");
    maker->taken = mem_alloc(entries, sizeof *maker->taken, "a slot");
    maker->chosen = mem_alloc(entries, sizeof *maker->chosen, "a slot");
    maker->link_ps = mem_alloc(links, sizeof *maker->link_ps, "loads of links");
    maker->degree = mem_alloc(links, sizeof *maker->degree, "loads of links");
    maker->stamp = mem_alloc(links, sizeof *maker->stamp, "links");
}

static void maker_free(struct slot_maker *maker)
{
    free(maker->done_ps);
    free(maker->left_ps);
    free(maker->waiting);
    free(maker->sorted_ps);
    free(maker->order);
    free(maker->taken);
    free(maker->chosen);
    free(maker->link_ps);
    free(maker->degree);
    free(maker->stamp);
}

static void reset(struct slot_maker *maker)
{
    const struct path_problem *problem = maker->problem;
    memset(maker->link_ps, 0, problem->topo.links * sizeof *maker->link_ps);
    memset(maker->degree, 0, problem->topo.links * sizeof *maker->degree);
    memset(maker->done_ps, 0, problem->planes * sizeof *maker->done_ps);
    maker->waiting_count = problem->count;
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        uint32_t count;
        const uint32_t *links = links_of(maker, entry, &count);
        maker->left_ps[entry] = problem->entries[entry].time_ps;
        maker->waiting[entry] = entry;
        for (uint32_t i = 0; i < count; i++) {
            maker->link_ps[links[i]] += maker->left_ps[entry];
            maker->degree[links[i]]++;
        }
    }
}

static int compare_times(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

static int compare_worth(const void *a, const void *b)
{
    const struct worthy_entry *left = a, *right = b;
    if (left->worth != right->worth)
        return left->worth > right->worth ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

static ps_t work(const struct slot_maker *maker, uint32_t link)
{
    return maker->link_ps[link] + (ps_t)maker->degree[link] * maker->problem->delta_ps;
}

/* Entries that fill the slot and whose links have much to do come first. */
static void sort_by_worth(struct slot_maker *maker, ps_t slot_ps)
{
    for (uint32_t at = 0; at < maker->waiting_count; at++) {
        uint32_t entry = maker->waiting[at], count;
        const uint32_t *links = links_of(maker, entry, &count);
        ps_t most_ps = 0, left_ps = maker->left_ps[entry];
        for (uint32_t i = 0; i < count; i++)
            most_ps = ps_max(most_ps, work(maker, links[i]));
        double filled = left_ps < slot_ps ? (double)left_ps / (double)slot_ps : 1;
        double worth = (double)most_ps * (0.5 + 0.5 * filled);
        if (maker->is_random)
            worth *= 1 + 0.25 * rng_share(&maker->rng);
        maker->order[at] = (struct worthy_entry){worth, entry};
    }
    qsort(maker->order, maker->waiting_count, sizeof *maker->order, compare_worth);
}

static void fill(struct slot_maker *maker)
{
    maker->taken_count = 0;
    maker->slot_stamp++;
    for (uint32_t at = 0; at < maker->waiting_count; at++) {
        uint32_t count, entry = maker->order[at].entry;
        const uint32_t *links = links_of(maker, entry, &count);
        bool fits = true;
        for (uint32_t i = 0; i < count; i++)
            fits = fits && maker->stamp[links[i]] != maker->slot_stamp;
        for (uint32_t i = 0; i < count && fits; i++)
            maker->stamp[links[i]] = maker->slot_stamp;
        if (fits)
            maker->taken[maker->taken_count++] = entry;
    }
}

/* Takes what the slot carries from the loads of links, or gives it back (sign -1). */
static void carry(struct slot_maker *maker, const uint32_t *entries, uint32_t count, ps_t slot_ps, int sign)
{
    for (uint32_t at = 0; at < count; at++) {
        uint32_t links_count;
        const uint32_t *links = links_of(maker, entries[at], &links_count);
        ps_t left_ps = maker->left_ps[entries[at]], carried_ps = left_ps < slot_ps ? left_ps : slot_ps;
        for (uint32_t i = 0; i < links_count; i++) {
            maker->link_ps[links[i]] -= sign * carried_ps;
            if (left_ps <= slot_ps)
                maker->degree[links[i]] -= (uint32_t)sign;
        }
    }
}

/* The bound with the slot that was filled: its time, and the bound of what it leaves. */
static void value(struct slot_maker *maker, ps_t slot_ps)
{
    const struct path_problem *problem = maker->problem;
    ps_t bound_ps = 0;
    double carried = 0;
    for (uint32_t at = 0; at < maker->taken_count; at++) {
        ps_t left_ps = maker->left_ps[maker->taken[at]];
        carried += (double)(left_ps < slot_ps ? left_ps : slot_ps);
    }
    carry(maker, maker->taken, maker->taken_count, slot_ps, 1);
    for (uint32_t link = 0; link < problem->topo.links; link++)
        bound_ps = ps_max(bound_ps, work(maker, link));
    carry(maker, maker->taken, maker->taken_count, slot_ps, -1);
    bound_ps += slot_ps + problem->delta_ps;
    double share = carried / (double)(slot_ps + problem->delta_ps);
    if (bound_ps > maker->best_ps || (bound_ps == maker->best_ps && share <= maker->best_share))
        return;
    maker->best_ps = bound_ps;
    maker->best_share = share;
    maker->chosen_ps = slot_ps;
    maker->chosen_count = maker->taken_count;
    memcpy(maker->chosen, maker->taken, maker->taken_count * sizeof *maker->taken);
}

static ps_t duration(const struct slot_maker *maker, ps_t time_ps)
{
    return time_ps < maker->longest_ps ? time_ps : maker->longest_ps;
}

/* Some of the times that entries have left are tried as durations. */
static void choose(struct slot_maker *maker)
{
    uint32_t count = maker->waiting_count, times = count < GRID ? count : GRID;
    maker->best_ps = PS_NEVER;
    maker->best_share = -1;
    for (uint32_t i = 0; i < count; i++)
        maker->sorted_ps[i] = maker->left_ps[maker->waiting[i]];
    qsort(maker->sorted_ps, count, sizeof *maker->sorted_ps, compare_times);
    for (uint32_t i = 0; i < times; i++) {
        uint32_t at = (uint32_t)((uint64_t)(count - 1) * (i + 1) / times);
        if (maker->is_random && count > GRID)
            at = (uint32_t)rng_below(&maker->rng, count);
        ps_t slot_ps = duration(maker, maker->sorted_ps[at]), longest_ps = 0;
        sort_by_worth(maker, slot_ps);
        fill(maker);
        for (uint32_t taken = 0; taken < maker->taken_count; taken++)
            longest_ps = ps_max(longest_ps, maker->left_ps[maker->taken[taken]]);
        value(maker, slot_ps);
        value(maker, duration(maker, longest_ps));
    }
}

static uint32_t plane_done_first(const struct slot_maker *maker)
{
    uint32_t first = 0;
    for (uint32_t plane = 1; plane < maker->problem->planes; plane++)
        first = maker->done_ps[plane] < maker->done_ps[first] ? plane : first;
    return first;
}

/* The chosen slot carries, in the plane that is done first; entries that are done wait no longer. */
static void play(struct slot_maker *maker, struct path_schedule *schedule)
{
    uint32_t kept = 0, plane = plane_done_first(maker);
    ps_t start_ps = maker->done_ps[plane] + maker->problem->delta_ps, slot_ps = maker->chosen_ps;
    carry(maker, maker->chosen, maker->chosen_count, slot_ps, 1);
    for (uint32_t at = 0; at < maker->chosen_count; at++) {
        uint32_t entry = maker->chosen[at];
        ps_t carried_ps = maker->left_ps[entry] < slot_ps ? maker->left_ps[entry] : slot_ps;
        maker->left_ps[entry] -= carried_ps;
        maker->done_ps[plane] = ps_max(maker->done_ps[plane], start_ps + carried_ps);
        path_add(schedule, &(struct path_piece){.entry = entry,
                                                .route = maker->route_of[entry],
                                                .plane = plane,
                                                .start_ps = start_ps,
                                                .end_ps = start_ps + carried_ps});
    }
    for (uint32_t at = 0; at < maker->waiting_count; at++)
        if (maker->left_ps[maker->waiting[at]])
            maker->waiting[kept++] = maker->waiting[at];
    maker->waiting_count = kept;
}

void slot_search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct path_schedule *schedule)
{
    struct slot_maker maker;
    struct path_schedule candidate = {.count = 0};
    uint32_t *route_of = network_choose_routes(problem);
    maker_init(&maker, problem, effort->seed, route_of, bound_ps);
    progress_begin("slots of few configurations", tries);
    for (uint64_t i = 0; i < tries; i++) {
        if (schedule->count && (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort)))
            break;
        progress_tell(i);
        maker.is_random = i > 0;
        path_schedule_clear(&candidate);
        reset(&maker);
        while (maker.waiting_count && (!schedule->count || candidate.makespan_ps < schedule->makespan_ps)) {
            choose(&maker);
            play(&maker, &candidate);
        }
        if (!maker.waiting_count)
            path_keep_shorter(schedule, &candidate, "best");
    }
    progress_end();
    path_schedule_free(&candidate);
    maker_free(&maker);
    free(route_of);
}

/* A slot looks at all entries for each duration; there are about as many slots as twice the entries of a
 * link. */
double slot_cost(const struct path_problem *problem)
{
    double slots = 2. * path_bounds_of(problem).degree + 10;
    return slots * GRID * (problem->count * 200. + problem->topo.links * 4.);
}
