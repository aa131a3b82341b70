#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "schedule/slots.h"

/* First fit once more, slot after slot, each request on the route that it has: no slot number grows, and
 * afterwards some requests of each two slots conflict. */
static void compact(const struct tdm_problem *problem, struct tdm_schedule *schedule)
{
    uint32_t *order = mem_alloc((size_t)problem->requests + 1, sizeof *order, "an order of requests");
    uint32_t *next = mem_alloc((size_t)schedule->degree + 1, sizeof *next, "an order of requests");
    for (uint32_t request = 0; request < problem->requests; request++)
        next[schedule->slot[request] + 1]++;
    for (uint32_t slot = 0; slot < schedule->degree; slot++)
        next[slot + 1] += next[slot];
    for (uint32_t request = 0; request < problem->requests; request++)
        order[next[schedule->slot[request]]++] = request;
    struct tdm_slots slots;
    tdm_slots_init(&slots, problem->links);
    schedule->degree = 0;
    for (uint32_t i = 0; i < problem->requests; i++) {
        uint32_t request = order[i], count;
        const uint32_t *links = tdm_route(problem, schedule->route[request], &count);
        uint32_t slot = schedule->slot[request] = tdm_slots_first_free(&slots, links, count);
        tdm_slots_take(&slots, links, count, slot);
        if (slot >= schedule->degree)
            schedule->degree = slot + 1;
    }
    tdm_slots_free(&slots);
    free(order);
    free(next);
}

static void swap(struct tdm_schedule *a, struct tdm_schedule *b)
{
    struct tdm_schedule kept = *a;
    *a = *b;
    *b = kept;
}

/* What is left of a limit's seconds, at least a little: 0 means no limit. */
static struct tdm_limit rest_of(const struct tdm_limit *limit, double begun_s)
{
    struct tdm_limit rest = *limit;
    if (limit->seconds > 0)
        rest.seconds = fmax(limit->seconds - (clock_seconds_now() - begun_s), 1e-9);
    return rest;
}

/* Patterns of so many requests are too large for the ejection search. Swap search takes its place, unless
 * there are so few moves that filling slot by slot is better. */
enum { MANY_REQUESTS = 1 << 16, MOVES_PER_REQUEST = 200 };

static bool wants_swap_search(const struct tdm_problem *problem, const struct tdm_limit *limit)
{
    return problem->requests >= MANY_REQUESTS &&
           (limit->moves == 0 || limit->moves / MOVES_PER_REQUEST >= problem->requests);
}

/* Requests times slots up to which slot by slot is tried: half a minute. */
enum { MOST_WORK = 1 << 29 };

static void fill_slots(const struct tdm_problem *problem, const struct tdm_limit *limit,
                       struct tdm_schedule *schedule)
{
    if ((uint64_t)problem->requests * schedule->degree > MOST_WORK)
        return;
    struct tdm_schedule filled;
    tdm_schedule_init(&filled, problem->requests);
    if (tdm_slot_by_slot(problem, limit, &filled) && filled.degree < schedule->degree)
        swap(&filled, schedule);
    tdm_schedule_free(&filled);
}

static uint64_t search_by_swaps(const struct tdm_problem *problem, uint64_t seed,
                                const struct tdm_limit *limit, struct tdm_schedule *schedule)
{
    struct tdm_schedule found;
    tdm_schedule_init(&found, problem->requests);
    uint64_t moves = tdm_swap_search(problem, seed, limit, &found);
    if (found.degree < schedule->degree)
        swap(&found, schedule);
    tdm_schedule_free(&found);
    return moves;
}

uint64_t tdm_best(const struct tdm_problem *problem, const struct tdm_phases *phases, uint32_t bound,
                  uint64_t seed, const struct tdm_limit *limit, struct tdm_schedule *schedule)
{
    double begun_s = clock_seconds_now();
    uint64_t moves = 0;
    tdm_descending_load(problem, schedule);
    if (phases && schedule->degree > bound) {
        struct tdm_schedule ordered;
        tdm_schedule_init(&ordered, problem->requests);
        tdm_ordered_aapc(problem, phases, &ordered);
        if (ordered.degree < schedule->degree)
            swap(&ordered, schedule);
        tdm_schedule_free(&ordered);
    }
    if (schedule->degree > bound && wants_swap_search(problem, limit)) {
        struct tdm_limit rest = rest_of(limit, begun_s);
        moves = search_by_swaps(problem, seed, &rest, schedule);
    } else if (schedule->degree > bound) {
        fill_slots(problem, limit, schedule);
        struct tdm_limit rest = rest_of(limit, begun_s);
        moves = tdm_partialcol(problem, bound, seed, &rest, schedule);
    }
    if (schedule->degree > bound)
        compact(problem, schedule);
    return moves;
}

enum status tdm_combined(const struct tdm_problem *problem, const struct tdm_phases *phases, uint64_t seed,
                         struct tdm_schedule *schedule)
{
    struct tdm_schedule ordered;
    tdm_schedule_init(&ordered, problem->requests);
    tdm_ordered_aapc(problem, phases, &ordered);
    enum status status = tdm_coloring(problem, TDM_READING_FITTED, seed, schedule);
    if (status == STATUS_OK && ordered.degree < schedule->degree)
        swap(&ordered, schedule);
    tdm_schedule_free(&ordered);
    return status;
}
