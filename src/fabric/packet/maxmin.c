#include "fabric/packet/maxmin.h"

#include <assert.h>

#include "base/estimate.h"
#include "fabric/packet/maxmin_state.h"

struct maxmin *maxmin_open(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    assert(links_per_flow <= MAXMIN_LINKS_PER_FLOW);
    struct maxmin *solver = mem_alloc(1, sizeof *solver, "the max-min solver");
    solver->links = mem_alloc(links, sizeof *solver->links, "links");
    solver->link_count = links;
    solver->link_capacity = links;
    solver->stride = links_per_flow;
    for (uint32_t i = 0; i < links; i++) {
        assert(capacities[i] > 0 && capacities[i] <= MAXMIN_CAPACITY_LIMIT);
        solver->links[i].capacity = capacities[i] << MAXMIN_SHIFT;
        solver->links[i].level = NO_LEVEL;
    }
    return solver;
}

void maxmin_close(struct maxmin *solver)
{
    if (!solver)
        return;
    for (uint32_t i = 0; i < solver->link_count; i++) {
        free(solver->links[i].uses);
        free(solver->links[i].opened);
        free(solver->links[i].parts);
    }
    free(solver->links);
    free(solver->flows);
    free(solver->hops);
    free(solver->unused.items);
    free(solver->fresh.items);
    free(solver->lost.items);
    free(solver->cut.items);
    free(solver->active.items);
    free(solver->solved.items);
    free(solver->changed.items);
    free(solver->held.items);
    free(solver->heap);
    fill_free(&solver->fill);
    free(solver);
}

uint64_t maxmin_rate(const struct maxmin *solver, uint32_t flow)
{
    return solver->flows[flow].rate;
}

uint64_t maxmin_looked_at(const struct maxmin *solver)
{
    return solver->looked_at;
}

struct maxmin *maxmin_open_spread(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    struct maxmin *solver = maxmin_open(capacities, links, links_per_flow);
    solver->is_spread = true;
    return solver;
}

/* -------------------------------------------------------- flows come and go */

static uint32_t new_id(struct maxmin *solver)
{
    if (solver->unused.count)
        return solver->unused.items[--solver->unused.count];
    uint32_t id = solver->flow_count++;
    size_t hops = (size_t)solver->flow_count * solver->stride;
    solver->flows = mem_grow(solver->flows, &solver->flow_capacity, solver->flow_count, "flows");
    solver->hops = mem_grow(solver->hops, &solver->hop_capacity, hops, "flows");
    solver->flows[id].fresh = false;
    return id;
}

static void reserve_use(struct maxmin_link *link, bool is_spread)
{
    if (link->count < link->use_capacity)
        return;
    link->uses = mem_grow(link->uses, &link->use_capacity, (size_t)link->count + 1, "a link's flows");
    link->opened = mem_resize(link->opened, link->use_capacity, sizeof *link->opened, "a link's flows");
    if (is_spread)
        link->parts = mem_resize(link->parts, link->use_capacity, 2 * sizeof *link->parts, "a link's flows");
}

static bool is_named(const struct maxmin_hop *hops, uint32_t count, uint32_t link)
{
    for (uint32_t i = 0; i < count; i++)
        if (hops[i].link == link)
            return true;
    return false;
}

/* `parts` is NULL where the whole flow takes each link. */
static uint32_t add(struct maxmin *solver, const uint32_t *links, const uint32_t *parts, uint32_t count)
{
    assert(count > 0 && count <= solver->stride);
    uint32_t id = new_id(solver);
    struct maxmin_flow *flow = &solver->flows[id];
    struct maxmin_hop *hops = hops_of(solver, id);
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!parts && is_named(hops, different, links[i]))
            continue;
        struct maxmin_link *link = &solver->links[links[i]];
        reserve_use(link, solver->is_spread);
        if (parts)
            link->parts[2 * (size_t)link->count] = parts[i];
        hops[different] = (struct maxmin_hop){.link = links[i], .position = link->count};
        link->uses[link->count++] = id;
        different++;
    }
    flow->rate = 0;
    flow->state = FLOW_FIXED;
    flow->links = (uint8_t)different;
    flow->alive = true;
    if (!flow->fresh) {
        flow->fresh = true;
        append(&solver->fresh, id);
    }
    fill_add(solver, id);
    return id;
}

uint32_t maxmin_add(struct maxmin *solver, const uint32_t *links, uint32_t count)
{
    assert(!solver->is_spread);
    return add(solver, links, NULL, count);
}

uint32_t maxmin_add_spread(struct maxmin *solver, const uint32_t *links, const uint32_t *parts,
                           uint32_t count)
{
    assert(solver->is_spread);
    return add(solver, links, parts, count);
}

static struct maxmin_hop *hop_over(const struct maxmin *solver, uint32_t id, uint32_t link)
{
    struct maxmin_hop *hop = hops_of(solver, id);
    while (hop->link != link)
        hop++;
    return hop;
}

/* The link may have room now. */
static void note_lost(struct maxmin *solver, uint32_t index)
{
    struct maxmin_link *link = &solver->links[index];
    if (link->lost)
        return;
    link->lost = true;
    append(&solver->lost, index);
}

void maxmin_remove(struct maxmin *solver, uint32_t id)
{
    struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    fill_remove(solver, id);
    for (uint32_t i = 0; i < flow->links; i++) {
        struct maxmin_link *link = &solver->links[hops[i].link];
        link->fixed -= load_of(link, part_at(link, hops[i].position), flow->rate);
        uint32_t last = link->uses[--link->count];
        link->uses[hops[i].position] = last;
        if (link->parts)
            link->parts[2 * (size_t)hops[i].position] = link->parts[2 * (size_t)link->count];
        hop_over(solver, last, hops[i].link)->position = hops[i].position;
        note_lost(solver, hops[i].link);
    }
    flow->alive = false;
    solver->went++;
    append(&solver->unused, id);
}

uint32_t maxmin_add_link(struct maxmin *solver, uint64_t capacity)
{
    uint32_t index = solver->link_count++;
    solver->links = mem_grow(solver->links, &solver->link_capacity, solver->link_count, "links");
    solver->links[index] = (struct maxmin_link){.count = 0};
    maxmin_set_capacity(solver, index, capacity);
    return index;
}

void maxmin_set_capacity(struct maxmin *solver, uint32_t index, uint64_t capacity)
{
    struct maxmin_link *link = &solver->links[index];
    uint64_t before = link->capacity;
    assert(capacity > 0 && capacity <= MAXMIN_CAPACITY_LIMIT);
    link->capacity = capacity << MAXMIN_SHIFT;
    fill_set_capacity(solver, index, before);
    if (link->count == 0) {
        link->level = NO_LEVEL;
        return;
    }
    if (link->capacity < before && !link->cut) {
        link->cut = true;
        append(&solver->cut, index);
    }
    if (link->capacity > before)
        note_lost(solver, index);
}

/* ------------------------------------------------------------------- memory */

size_t maxmin_bytes(const struct maxmin *solver)
{
    size_t bytes = sizeof *solver + solver->link_count * sizeof *solver->links;
    for (uint32_t i = 0; i < solver->link_count; i++)
        bytes +=
            solver->links[i].use_capacity * (solver->links[i].parts ? 4 : 2) * sizeof *solver->links[i].uses;
    bytes += solver->flow_capacity * sizeof *solver->flows + solver->hop_capacity * sizeof *solver->hops;
    bytes += (solver->unused.capacity + solver->fresh.capacity + solver->lost.capacity +
              solver->cut.capacity + solver->active.capacity + solver->solved.capacity +
              solver->changed.capacity + solver->held.capacity) *
             sizeof(uint32_t);
    return bytes + solver->heap_capacity * sizeof *solver->heap + fill_bytes(&solver->fill);
}

double maxmin_estimate(double links, double flows, double links_per_flow, uint32_t limit)
{
    const double lists = 3;                     /* of ids, that grow to the number of flows */
    const size_t of_use = 2 * sizeof(uint32_t); /* in `uses` and `opened` of a link */
    double uses = flows * links_per_flow;       /* on all links */
    double used_links = uses < links ? uses : links;
    double use_bytes = used_links > 0 ? used_links * estimate_array(uses / used_links, of_use) : 0;
    return links * (double)sizeof(struct maxmin_link) + use_bytes + fill_estimate(used_links, flows, uses) +
           estimate_array(flows, sizeof(struct maxmin_flow)) +
           estimate_array(flows * limit, sizeof(struct maxmin_hop)) +
           lists * estimate_array(flows, sizeof(uint32_t)) +
           estimate_array(used_links, sizeof(struct maxmin_share));
}
