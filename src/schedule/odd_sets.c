#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* A set starts with one of the most loaded links, and grows by the link that adds most; ties are random. */
enum { STARTS = 16, REPEATS = 8, LARGEST_SET = 23 };
static const uint64_t most_work = 1 << 24; /* links that are looked at: a tenth of a second */

struct odd_set {
    const struct tdm_problem *problem;
    const struct tdm_users *users;
    uint32_t *gain; /* [link]: requests that pass it and an odd number of links of the set */
    bool *is_odd;   /* [request] */
    bool *is_in;    /* [link] */
    uint32_t pairs; /* the sum over requests of (links of the set that it passes) / 2, rounded down */
    struct rng rng; /* breaks ties */
    uint64_t work;
};

static void add(struct odd_set *set, uint32_t link)
{
    const struct tdm_users *users = set->users;
    set->is_in[link] = true;
    for (uint32_t at = users->first[link]; at < users->first[link + 1]; at++) {
        uint32_t request = users->requests[at], count;
        const uint32_t *links = tdm_route(set->problem, set->problem->first_route[request], &count);
        set->pairs += set->is_odd[request];
        set->is_odd[request] = !set->is_odd[request];
        for (uint32_t i = 0; i < count; i++)
            set->gain[links[i]] += set->is_odd[request] ? 1 : UINT32_MAX; /* or one less */
        set->work += count;
    }
}

/* The best bound of the sets that grow from one link. */
static uint32_t grow(struct odd_set *set, uint32_t link)
{
    uint32_t links = set->problem->links, best = 0;
    memset(set->gain, 0, links * sizeof *set->gain);
    memset(set->is_in, 0, links * sizeof *set->is_in);
    memset(set->is_odd, 0, set->problem->requests * sizeof *set->is_odd);
    set->pairs = 0;
    for (uint32_t size = 1; size <= LARGEST_SET; size++) {
        add(set, link);
        uint32_t half = size / 2, bound = half ? (set->pairs + half - 1) / half : 0;
        best = bound > best ? bound : best;
        uint32_t most = 0, ties = 0;
        for (uint32_t other = 0; other < links; other++) {
            if (set->is_in[other] || set->gain[other] == 0 || set->gain[other] < most)
                continue;
            ties = set->gain[other] > most ? 1 : ties + 1;
            most = set->gain[other];
            if (rng_below(&set->rng, ties) == 0)
                link = other;
        }
        if (most == 0)
            break;
        set->work += links;
    }
    return best;
}

static uint32_t heaviest(uint32_t links, uint32_t *loads)
{
    uint32_t found = 0;
    for (uint32_t link = 1; link < links; link++)
        found = loads[link] > loads[found] ? link : found;
    loads[found] = 0;
    return found;
}

uint32_t tdm_odd_set_bound(const struct tdm_problem *problem)
{
    struct tdm_users users = tdm_problem_users(problem);
    uint32_t *loads = tdm_problem_loads(problem), best = 0;
    struct odd_set set = {.problem = problem, .users = &users, .rng = rng_init(1, "tdm.bound")};
    set.gain = mem_alloc((size_t)problem->links + 1, sizeof *set.gain, "a set of links");
    set.is_in = mem_alloc((size_t)problem->links + 1, sizeof *set.is_in, "a set of links");
    set.is_odd = mem_alloc((size_t)problem->requests + 1, sizeof *set.is_odd, "requests");
    for (uint32_t start = 0; start < STARTS && start < problem->links && set.work < most_work; start++) {
        uint32_t link = heaviest(problem->links, loads);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            uint32_t bound = grow(&set, link);
            best = bound > best ? bound : best;
        }
    }
    tdm_users_free(&users);
    free(loads);
    free(set.gain);
    free(set.is_in);
    free(set.is_odd);
    return best;
}
