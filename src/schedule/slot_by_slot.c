#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "schedule/schedule.h"

/* Slot after slot, each filled by requests in descending weight: the sum, over the links of a request, of
 * (load that is left on the link / largest such load) to the power of STEEPNESS. So a link that is about to
 * decide the degree gets a request in every slot, which no order fixed beforehand can ensure. */
enum { STEEPNESS = 64, SORTED_REQUESTS = 1 << 16 };

struct filling {
    const struct tdm_problem *problem;
    struct tdm_schedule *schedule;
    uint32_t *left;     /* load of each link that has no slot yet */
    double *weight;     /* of each link */
    uint32_t *taken_in; /* [link]: the last slot in which it is taken, plus 1 */
    struct slot_entry {
        double weight;
        uint32_t request;
    } * entries; /* requests without a slot */
    uint32_t count;
};

static int compare_entries(const void *left, const void *right)
{
    const struct slot_entry *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->request > b->request) - (a->request < b->request);
}

/* x^64 by squaring, which gives the same bits everywhere. */
static double steep(double x)
{
    for (int power = 1; power < STEEPNESS; power *= 2)
        x *= x;
    return x;
}

static const uint32_t *links_of(const struct filling *filling, uint32_t request, uint32_t *count)
{
    return tdm_route(filling->problem, filling->problem->first_route[request], count);
}

static void weigh(struct filling *filling)
{
    uint32_t links = filling->problem->links, most = 1;
    for (uint32_t link = 0; link < links; link++)
        if (filling->left[link] > most)
            most = filling->left[link];
    for (uint32_t link = 0; link < links; link++)
        filling->weight[link] = steep((double)filling->left[link] / most);
    for (uint32_t i = 0; i < filling->count; i++) {
        struct slot_entry *entry = &filling->entries[i];
        uint32_t count;
        const uint32_t *route = links_of(filling, entry->request, &count);
        entry->weight = 0;
        for (uint32_t j = 0; j < count; j++)
            entry->weight += filling->weight[route[j]];
    }
    qsort(filling->entries, filling->count, sizeof *filling->entries, compare_entries);
}

static bool fits(const struct filling *filling, const uint32_t *route, uint32_t count, uint32_t slot)
{
    for (uint32_t j = 0; j < count; j++)
        if (filling->taken_in[route[j]] == slot + 1)
            return false;
    return true;
}

static void fill(struct filling *filling, uint32_t slot)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filling->count; i++) {
        uint32_t request = filling->entries[i].request, count;
        const uint32_t *route = links_of(filling, request, &count);
        if (!fits(filling, route, count, slot)) {
            filling->entries[kept++] = filling->entries[i];
            continue;
        }
        for (uint32_t j = 0; j < count; j++) {
            filling->taken_in[route[j]] = slot + 1;
            filling->left[route[j]]--;
        }
        filling->schedule->slot[request] = slot;
        filling->schedule->route[request] = filling->problem->first_route[request];
    }
    filling->count = kept;
}

static bool is_over(const struct tdm_limit *limit, double begun_s)
{
    if (limit->stopped && limit->stopped(limit->context))
        return true;
    return limit->seconds > 0 && clock_seconds_now() - begun_s >= limit->seconds;
}

bool tdm_slot_by_slot(const struct tdm_problem *problem, const struct tdm_limit *limit,
                      struct tdm_schedule *schedule)
{
    double begun_s = clock_seconds_now();
    struct filling filling = {.problem = problem, .schedule = schedule, .count = problem->requests};
    filling.left = tdm_problem_loads(problem);
    filling.weight = mem_alloc(problem->links, sizeof *filling.weight, "weights of links");
    filling.taken_in = mem_alloc(problem->links, sizeof *filling.taken_in, "links");
    filling.entries = mem_alloc((size_t)problem->requests + 1, sizeof *filling.entries, "requests");
    for (uint32_t request = 0; request < problem->requests; request++)
        filling.entries[request].request = request;
    /* Large problems have so many slots that they need not be sorted in every one. */
    uint32_t every = 1 + problem->requests / SORTED_REQUESTS;
    schedule->degree = 0;
    progress_begin("filling slot by slot", problem->requests);
    for (; filling.count > 0 && !is_over(limit, begun_s); schedule->degree++) {
        if (schedule->degree % every == 0)
            weigh(&filling);
        fill(&filling, schedule->degree);
        progress_tell(problem->requests - filling.count);
    }
    progress_end();
    free(filling.left);
    free(filling.weight);
    free(filling.taken_in);
    free(filling.entries);
    return filling.count == 0;
}
