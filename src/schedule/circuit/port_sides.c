#include "schedule/circuit/port_sides.h"

#include <stdlib.h>

#include "base/mem.h"

int port_longest_first(const void *a, const void *b)
{
    const ps_t *left = a, *right = b;
    return *left > *right ? -1 : *left < *right;
}

void port_sides_init(struct port_sides *sides, const struct circuit_problem *problem)
{
    uint32_t *next;
    size_t at = 0;
    *sides = (struct port_sides){.problem = problem, .count = problem->senders + problem->receivers};
    sides->list = mem_alloc((size_t)sides->count + 1, sizeof *sides->list, "entries of ports");
    sides->times_ps = mem_alloc(2 * (size_t)problem->count + 1, sizeof *sides->times_ps, "entries of ports");
    next = mem_alloc((size_t)sides->count + 1, sizeof *next, "entries of ports");
    for (uint32_t i = 0; i < problem->count; i++) {
        sides->list[problem->entries[i].sender].count++;
        sides->list[problem->senders + problem->entries[i].receiver].count++;
    }
    for (uint32_t side = 0; side < sides->count; side++) {
        sides->list[side].times_ps = sides->times_ps + at;
        at += sides->list[side].count;
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        uint32_t both[] = {entry->sender, problem->senders + entry->receiver};
        for (int end = 0; end < 2; end++) {
            sides->list[both[end]].times_ps[next[both[end]]++] = entry->time_ps;
            sides->list[both[end]].sum_ps += entry->time_ps;
        }
    }
    for (uint32_t side = 0; side < sides->count; side++)
        qsort(sides->list[side].times_ps, sides->list[side].count, sizeof(ps_t), port_longest_first);
    free(next);
}

void port_sides_free(struct port_sides *sides)
{
    free(sides->list);
    free(sides->times_ps);
    *sides = (struct port_sides){.count = 0};
}

/* The least time of whole entries, set-ups included, but for the `cut` longest ones: of the first kK + 1,
 * some link has k + 1. */
static sum_t whole_entries(const struct port_side *side, uint32_t cut, uint32_t links, ps_t delta_ps)
{
    sum_t time_ps = 0, most_ps = 0; /* of the k + 1 shortest among the first kK + 1 */
    uint64_t first = cut, end = cut;
    for (uint64_t k = 0; cut + k * links < side->count; k++) {
        for (; end <= cut + k * links; end++)
            time_ps += (sum_t)side->times_ps[end] + delta_ps;
        for (; first < cut + k * (links - 1); first++)
            time_ps -= (sum_t)side->times_ps[first] + delta_ps;
        most_ps = time_ps > most_ps ? time_ps : most_ps;
    }
    return most_ps;
}

/* With `cut` more pieces than entries, at most so many entries are not whole. */
ps_t port_side_bound(const struct port_side *side, uint32_t links, ps_t delta_ps, sum_t work_ps,
                     uint32_t setups)
{
    sum_t least_ps = (sum_t)PS_NEVER, share_ps = 0;
    for (uint32_t cut = 0;; cut++) {
        sum_t pieces = (sum_t)side->count + cut > setups ? (sum_t)side->count + cut : setups;
        share_ps = (work_ps + pieces * delta_ps + links - 1) / links;
        if (share_ps >= least_ps)
            return (ps_t)least_ps;
        sum_t whole_ps = links > 1 ? whole_entries(side, cut, links, delta_ps) : 0;
        if (share_ps >= whole_ps)
            return (ps_t)share_ps;
        least_ps = whole_ps < least_ps ? whole_ps : least_ps;
    }
}
