#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/schedule.h"

/* The ejection search PartialCol (Bloechliger and Zufferey, 2008), on a table of which request owns each link
 * in each slot, in place of a conflict graph. A request without a slot takes the slot in which it drives out
 * the least weight. A request that is driven out grows heavier, and may not return to that slot for a few
 * moves.
 *
 * Where weights may grow without a limit, random patterns are solved many times as fast. Regular patterns,
 * such as a hypercube, then come to a standstill, and are solved with a limit on weights. So both are tried
 * in turn, each twice as long as the time before, and always from equal weights. */
struct partialcol {
    const struct tdm_problem *problem;
    uint32_t slots, stride; /* slots in use; slots at the beginning */
    uint32_t *owner;        /* [link * stride + slot]: request + 1; 0 = free */
    uint32_t *price;        /* [link * stride + slot]: the owner's weight; 0 = free */
    uint32_t *weight;       /* [request] */
    uint32_t *slot, *route; /* [request] */
    uint32_t *barred_slot;  /* [request]: where it was driven out last */
    uint64_t *barred_until; /* [request]: the move from which on it may return there */
    uint32_t *unplaced;     /* requests without a slot */
    uint32_t unplaced_count;
    uint32_t heaviest;     /* the limit of a request's weight */
    uint32_t *cost, *ties; /* [stride] */
    uint64_t moves, epoch_moves, epoch_end;
    struct rng rng;
    const struct tdm_limit *limit;
    double begun_s;
};

enum { CHECK_EVERY = 64, BARRED_COST = 1 << 28 };
enum { HEAVIEST = 1 << 16, HEAVIEST_LIGHT = 16, EPOCH_AT_FIRST = 1 << 17, BARRED_MOVES = 3 };

static void place(struct partialcol *search, uint32_t request, uint32_t route, uint32_t slot)
{
    uint32_t count;
    const uint32_t *links = tdm_route(search->problem, route, &count);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)links[i] * search->stride + slot;
        search->owner[at] = request + 1;
        search->price[at] = search->weight[request];
    }
    search->slot[request] = slot;
    search->route[request] = route;
}

static void displace(struct partialcol *search, uint32_t request)
{
    uint32_t count;
    const uint32_t *links = tdm_route(search->problem, search->route[request], &count);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)links[i] * search->stride + search->slot[request];
        search->owner[at] = search->price[at] = 0;
    }
    search->unplaced[search->unplaced_count++] = request;
}

/* What a route would drive out of each slot. An owner of several links of the route is counted once where
 * they follow each other, as they do for routes that meet once and part once. */
static void price_route(struct partialcol *search, uint32_t route)
{
    uint32_t count, slots = search->slots, *restrict cost = search->cost;
    const uint32_t *links = tdm_route(search->problem, route, &count);
    memset(cost, 0, slots * sizeof *cost);
    const uint32_t *before = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *owner = search->owner + (size_t)links[i] * search->stride;
        const uint32_t *price = search->price + (size_t)links[i] * search->stride;
        if (before) {
            for (uint32_t slot = 0; slot < slots; slot++)
                cost[slot] += owner[slot] != before[slot] ? price[slot] : 0;
        } else {
            for (uint32_t slot = 0; slot < slots; slot++)
                cost[slot] += price[slot];
        }
        before = owner;
    }
}

struct partialcol_placement {
    uint32_t cost, slot, route, ties;
};

/* The cheapest slot of a route, any of the equally cheap ones with equal chance. */
static void seek_route(struct partialcol *search, uint32_t request, uint32_t route,
                       struct partialcol_placement *placement)
{
    price_route(search, route);
    uint32_t *cost = search->cost, least = UINT32_MAX, count = 0;
    if (search->barred_until[request] > search->moves && search->barred_slot[request] < search->slots)
        cost[search->barred_slot[request]] += BARRED_COST;
    for (uint32_t slot = 0; slot < search->slots; slot++)
        least = cost[slot] < least ? cost[slot] : least;
    if (least > placement->cost)
        return;
    for (uint32_t slot = 0; slot < search->slots; slot++)
        if (cost[slot] == least)
            search->ties[count++] = slot;
    placement->ties = least < placement->cost ? count : placement->ties + count;
    if (least < placement->cost || rng_below(&search->rng, placement->ties) < count) {
        placement->slot = search->ties[rng_below(&search->rng, count)];
        placement->route = route;
    }
    placement->cost = least;
}

/* Drives out the requests that own a link of the route in the slot. */
static void clear_placement(struct partialcol *search, uint32_t route, uint32_t slot)
{
    uint32_t count;
    const uint32_t *links = tdm_route(search->problem, route, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t owner = search->owner[(size_t)links[i] * search->stride + slot];
        if (!owner)
            continue;
        uint32_t request = owner - 1;
        displace(search, request);
        if (search->weight[request] < search->heaviest)
            search->weight[request]++;
        search->barred_slot[request] = slot;
        search->barred_until[request] = search->moves + 1 + rng_below(&search->rng, BARRED_MOVES);
    }
}

static void move_one(struct partialcol *search)
{
    uint32_t chosen = (uint32_t)rng_below(&search->rng, search->unplaced_count);
    uint32_t request = search->unplaced[chosen];
    struct partialcol_placement placement = {.cost = UINT32_MAX};
    for (uint32_t route = search->problem->first_route[request];
         route < search->problem->first_route[request + 1]; route++)
        seek_route(search, request, route, &placement);
    search->unplaced[chosen] = search->unplaced[--search->unplaced_count];
    clear_placement(search, placement.route, placement.slot);
    place(search, request, placement.route, placement.slot);
    search->moves++;
}

/* Empties the slot with the fewest requests; the last slot takes its number. */
static void drop_slot(struct partialcol *search)
{
    uint32_t *members = mem_alloc(search->slots, sizeof *members, "sizes of slots"), least = 0;
    for (uint32_t request = 0; request < search->problem->requests; request++)
        members[search->slot[request]]++;
    for (uint32_t slot = 0; slot < search->slots; slot++)
        if (members[slot] < members[least])
            least = slot;
    free(members);
    uint32_t last = search->slots - 1;
    for (uint32_t request = 0; request < search->problem->requests; request++)
        if (search->slot[request] == least)
            displace(search, request);
    for (uint32_t request = 0; least != last && request < search->problem->requests; request++)
        if (search->slot[request] == last) {
            displace(search, request);
            search->unplaced_count--;
            place(search, request, search->route[request], least);
        }
    search->slots = last;
}

static void begin_epoch(struct partialcol *search)
{
    bool light = search->heaviest == HEAVIEST;
    search->heaviest = light ? HEAVIEST_LIGHT : HEAVIEST;
    search->epoch_moves *= light ? 1 : 2;
    search->epoch_end = search->moves + search->epoch_moves;
    size_t cells = (size_t)search->problem->links * search->stride;
    for (uint32_t request = 0; request < search->problem->requests; request++)
        search->weight[request] = 1;
    for (size_t cell = 0; cell < cells; cell++)
        search->price[cell] = search->owner[cell] != 0;
}

static bool out_of_time(const struct partialcol *search)
{
    const struct tdm_limit *limit = search->limit;
    if (limit->moves && search->moves >= limit->moves)
        return true;
    if (search->moves % CHECK_EVERY != 0)
        return false;
    if (limit->stopped && limit->stopped(limit->context))
        return true;
    double elapsed_s = clock_seconds_now() - search->begun_s;
    tdm_limit_tell(limit, search->moves, elapsed_s);
    return limit->seconds > 0 && elapsed_s >= limit->seconds;
}

static void partialcol_init(struct partialcol *search, const struct tdm_schedule *schedule)
{
    const struct tdm_problem *problem = search->problem;
    size_t requests = problem->requests, cells = (size_t)problem->links * schedule->degree;
    search->slots = search->stride = schedule->degree;
    search->owner = mem_alloc(cells, sizeof *search->owner, "owners of links");
    search->price = mem_alloc(cells, sizeof *search->price, "owners of links");
    search->weight = mem_alloc(requests, sizeof *search->weight, "requests");
    search->slot = mem_alloc(requests, sizeof *search->slot, "requests");
    search->route = mem_alloc(requests, sizeof *search->route, "requests");
    search->barred_slot = mem_alloc(requests, sizeof *search->barred_slot, "requests");
    search->barred_until = mem_alloc(requests, sizeof *search->barred_until, "requests");
    search->unplaced = mem_alloc(requests, sizeof *search->unplaced, "requests");
    search->cost = mem_alloc(search->stride, sizeof *search->cost, "costs of slots");
    search->ties = mem_alloc(search->stride, sizeof *search->ties, "costs of slots");
    for (uint32_t request = 0; request < requests; request++) {
        search->weight[request] = 1;
        place(search, request, schedule->route[request], schedule->slot[request]);
    }
    search->heaviest = HEAVIEST;
    search->epoch_moves = search->epoch_end = EPOCH_AT_FIRST;
    search->begun_s = clock_seconds_now();
}

static void partialcol_free(struct partialcol *search)
{
    free(search->owner);
    free(search->price);
    free(search->weight);
    free(search->slot);
    free(search->route);
    free(search->barred_slot);
    free(search->barred_until);
    free(search->unplaced);
    free(search->cost);
    free(search->ties);
}

uint64_t tdm_partialcol(const struct tdm_problem *problem, uint32_t bound, uint64_t seed,
                        const struct tdm_limit *limit, struct tdm_schedule *schedule)
{
    if (schedule->degree <= bound || schedule->degree <= 1)
        return 0;
    struct partialcol search = {.problem = problem, .limit = limit, .rng = rng_init(seed, "tdm.eject")};
    partialcol_init(&search, schedule);
    tdm_limit_begin(limit);
    while (search.slots > bound && search.slots > 1) {
        drop_slot(&search);
        while (search.unplaced_count && !out_of_time(&search)) {
            move_one(&search);
            if (search.moves == search.epoch_end)
                begin_epoch(&search);
        }
        if (search.unplaced_count)
            break;
        memcpy(schedule->slot, search.slot, problem->requests * sizeof *search.slot);
        memcpy(schedule->route, search.route, problem->requests * sizeof *search.route);
        schedule->degree = search.slots;
    }
    progress_end();
    partialcol_free(&search);
    return search.moves;
}
