#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/schedule.h"
#include "schedule/slots.h"

void tdm_schedule_init(struct tdm_schedule *schedule, uint32_t requests)
{
    *schedule = (struct tdm_schedule){.requests = requests};
    schedule->slot = mem_alloc((size_t)requests + 1, sizeof *schedule->slot, "a schedule");
    schedule->route = mem_alloc((size_t)requests + 1, sizeof *schedule->route, "a schedule");
}

void tdm_schedule_free(struct tdm_schedule *schedule)
{
    free(schedule->slot);
    free(schedule->route);
    *schedule = (struct tdm_schedule){0};
}

void tdm_greedy(const struct tdm_problem *problem, const uint32_t *order, struct tdm_schedule *schedule)
{
    struct tdm_slots slots;
    tdm_slots_init(&slots, problem->links);
    schedule->degree = 0;
    progress_begin("first fit", problem->requests);
    for (uint32_t i = 0; i < problem->requests; i++) {
        progress_tell(i);
        uint32_t request = order ? order[i] : i, best_slot = UINT32_MAX, best_route = 0, count;
        const uint32_t *links;
        for (uint32_t route = problem->first_route[request]; route < problem->first_route[request + 1];
             route++) {
            links = tdm_route(problem, route, &count);
            uint32_t slot = tdm_slots_first_free(&slots, links, count);
            if (slot < best_slot) {
                best_slot = slot;
                best_route = route;
            }
        }
        links = tdm_route(problem, best_route, &count);
        tdm_slots_take(&slots, links, count, best_slot);
        schedule->slot[request] = best_slot;
        schedule->route[request] = best_route;
        if (best_slot >= schedule->degree)
            schedule->degree = best_slot + 1;
    }
    progress_end();
    tdm_slots_free(&slots);
}

uint32_t *tdm_random_order(uint32_t requests, uint64_t seed, const char *component)
{
    struct rng rng = rng_init(seed, component);
    uint32_t *order = mem_alloc((size_t)requests + 1, sizeof *order, "an order of requests");
    for (uint32_t i = 0; i < requests; i++) {
        uint32_t other = (uint32_t)rng_below(&rng, (uint64_t)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

struct ranked {
    uint64_t load;
    uint32_t request;
};

static int compare_loads(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->load != right->load)
        return left->load < right->load ? 1 : -1;
    return left->request < right->request ? -1 : left->request > right->request;
}

void tdm_descending_load(const struct tdm_problem *problem, struct tdm_schedule *schedule)
{
    uint32_t *loads = tdm_problem_loads(problem);
    uint32_t *order = mem_alloc((size_t)problem->requests + 1, sizeof *order, "an order of requests");
    struct ranked *ranked = mem_alloc((size_t)problem->requests + 1, sizeof *ranked, "an order of requests");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(problem, problem->first_route[request], &count);
        ranked[request].request = request;
        for (uint32_t i = 0; i < count; i++)
            ranked[request].load += loads[links[i]];
    }
    qsort(ranked, problem->requests, sizeof *ranked, compare_loads);
    for (uint32_t i = 0; i < problem->requests; i++)
        order[i] = ranked[i].request;
    tdm_greedy(problem, order, schedule);
    free(ranked);
    free(order);
    free(loads);
}
