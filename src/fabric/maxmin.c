#include "fabric/maxmin.h"

#include <assert.h>
#include <stdbool.h>

#include "base/mem.h"

/* A flow in the list of a link, and the how many-th of the flow's links this is. */
struct use {
    uint32_t flow, nth;
};

struct link {
    uint64_t capacity, used; /* used: sum of its flows' rates */
    uint64_t top;            /* the fastest flow's rate */
    struct use *uses;
    size_t use_capacity;
    uint32_t count;
    uint32_t open;  /* while filling: its flows that have no rate yet */
    uint32_t epoch; /* of the last solve that touched it */
};

struct flow {
    uint64_t rate, rate_before;
    uint32_t epoch; /* of the last solve that it took part in */
    uint32_t links;
    bool alive, waiting; /* waiting: in the list of flows to be solved for */
};

struct maxmin {
    struct link *links;
    uint32_t link_count, stride;
    struct flow *flows;
    uint32_t *flow_links;     /* [flow * stride + nth]: link */
    uint32_t *flow_positions; /* [flow * stride + nth]: index in that link's uses */
    size_t flow_capacity, flow_links_capacity, flow_positions_capacity;
    uint32_t flow_count; /* ids given out so far */
    uint32_t *unused;    /* ids to be used again */
    size_t unused_count, unused_capacity;
    uint32_t epoch;
    uint32_t *solving; /* flows that take part in this solve */
    size_t solving_count, solving_capacity;
    uint32_t *touched; /* links whose flows or rates have changed in this solve */
    size_t touched_count, touched_capacity;
    struct share *heap; /* touched links by what is left for each open flow */
    size_t heap_count, heap_capacity;
};

struct maxmin *maxmin_create(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    struct maxmin *solver = mem_alloc(1, sizeof *solver, "the max-min solver");
    solver->links = mem_alloc(links, sizeof *solver->links, "links");
    solver->link_count = links;
    solver->stride = links_per_flow;
    solver->epoch = 1;
    for (uint32_t i = 0; i < links; i++)
        solver->links[i].capacity = capacities[i] << MAXMIN_SHIFT;
    return solver;
}

void maxmin_free(struct maxmin *solver)
{
    for (uint32_t i = 0; i < solver->link_count; i++)
        free(solver->links[i].uses);
    free(solver->links);
    free(solver->flows);
    free(solver->flow_links);
    free(solver->flow_positions);
    free(solver->unused);
    free(solver->solving);
    free(solver->touched);
    free(solver->heap);
    free(solver);
}

uint64_t maxmin_rate(const struct maxmin *solver, uint32_t flow)
{
    return solver->flows[flow].rate;
}

/* ------------------------------------------------------------------------------------- flows come and go */

static void touch(struct maxmin *solver, uint32_t link)
{
    if (solver->links[link].epoch == solver->epoch)
        return;
    solver->links[link].epoch = solver->epoch;
    solver->touched =
        mem_grow(solver->touched, &solver->touched_capacity, solver->touched_count + 1, "links");
    solver->touched[solver->touched_count++] = link;
}

/* From now on the flow is solved for: what it had is free for all that are. */
static void join(struct maxmin *solver, uint32_t id)
{
    struct flow *flow = &solver->flows[id];
    flow->epoch = solver->epoch;
    flow->rate_before = flow->rate;
    if (!flow->waiting) {
        flow->waiting = true;
        solver->solving = mem_grow(solver->solving, &solver->solving_capacity, solver->solving_count + 1,
                                   "flows to be solved");
        solver->solving[solver->solving_count++] = id;
    }
    for (uint32_t i = 0; i < flow->links; i++)
        touch(solver, solver->flow_links[(size_t)id * solver->stride + i]);
}

static uint32_t new_id(struct maxmin *solver)
{
    if (solver->unused_count)
        return solver->unused[--solver->unused_count];
    uint32_t id = solver->flow_count++;
    size_t uses = (size_t)solver->flow_count * solver->stride;
    solver->flows = mem_grow(solver->flows, &solver->flow_capacity, solver->flow_count, "flows");
    solver->flow_links = mem_grow(solver->flow_links, &solver->flow_links_capacity, uses, "flows");
    solver->flow_positions =
        mem_grow(solver->flow_positions, &solver->flow_positions_capacity, uses, "flows");
    solver->flows[id].waiting = false;
    return id;
}

uint32_t maxmin_add(struct maxmin *solver, const uint32_t *links, uint32_t count)
{
    assert(count > 0 && count <= solver->stride);
    uint32_t id = new_id(solver);
    struct flow *flow = &solver->flows[id];
    flow->rate = 0;
    flow->links = count;
    flow->alive = true;
    for (uint32_t i = 0; i < count; i++) {
        struct link *link = &solver->links[links[i]];
        link->uses = mem_grow(link->uses, &link->use_capacity, (size_t)link->count + 1, "a link's flows");
        solver->flow_links[(size_t)id * solver->stride + i] = links[i];
        solver->flow_positions[(size_t)id * solver->stride + i] = link->count;
        link->uses[link->count++] = (struct use){.flow = id, .nth = i};
    }
    join(solver, id);
    return id;
}

void maxmin_remove(struct maxmin *solver, uint32_t id)
{
    struct flow *flow = &solver->flows[id];
    for (uint32_t i = 0; i < flow->links; i++) {
        uint32_t index = solver->flow_links[(size_t)id * solver->stride + i];
        struct link *link = &solver->links[index];
        uint32_t position = solver->flow_positions[(size_t)id * solver->stride + i];
        struct use moved = link->uses[--link->count];
        link->uses[position] = moved;
        solver->flow_positions[(size_t)moved.flow * solver->stride + moved.nth] = position;
        link->used -= flow->rate;
        touch(solver, index);
    }
    flow->alive = false;
    solver->unused = mem_grow(solver->unused, &solver->unused_capacity, solver->unused_count + 1, "flow ids");
    solver->unused[solver->unused_count++] = id;
}

/* -------------------------------------------------------------------------------------------- filling up */

struct share {
    uint64_t rate;
    uint32_t link;
};

static bool smaller(const struct share *a, const struct share *b)
{
    return a->rate < b->rate || (a->rate == b->rate && a->link < b->link);
}

static void sift_down(struct share *heap, size_t count, size_t hole, struct share share)
{
    for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && smaller(&heap[child + 1], &heap[child]))
            child++;
        if (!smaller(&heap[child], &share))
            break;
        heap[hole] = heap[child];
    }
    heap[hole] = share;
}

/* What each flow without a rate could get on this link. At least one unit, so that every flow ends some day.
 */
static uint64_t share_of(const struct link *link)
{
    uint64_t left = link->capacity > link->used ? link->capacity - link->used : 0;
    uint64_t share = left / link->open;
    return share ? share : 1;
}

/* Takes the rates of all flows that are solved for and counts them on their links. */
static void empty_out(struct maxmin *solver)
{
    for (size_t i = 0; i < solver->touched_count; i++)
        solver->links[solver->touched[i]].open = 0;
    for (size_t i = 0; i < solver->solving_count; i++) {
        uint32_t id = solver->solving[i];
        struct flow *flow = &solver->flows[id];
        for (uint32_t j = 0; j < flow->links; j++) {
            struct link *link = &solver->links[solver->flow_links[(size_t)id * solver->stride + j]];
            link->used -= flow->rate;
            link->open++;
        }
        flow->rate = 0;
    }
}

static void build_heap(struct maxmin *solver)
{
    solver->heap = mem_grow(solver->heap, &solver->heap_capacity, solver->touched_count, "shares");
    solver->heap_count = 0;
    for (size_t i = 0; i < solver->touched_count; i++) {
        const struct link *link = &solver->links[solver->touched[i]];
        if (link->open)
            solver->heap[solver->heap_count++] =
                (struct share){.rate = share_of(link), .link = solver->touched[i]};
    }
    for (size_t i = solver->heap_count / 2; i-- > 0;)
        sift_down(solver->heap, solver->heap_count, i, solver->heap[i]);
}

/* All open flows of the link get `rate`: it is the bottleneck of each. */
static void freeze(struct maxmin *solver, struct link *bottleneck, uint64_t rate)
{
    for (uint32_t i = 0; bottleneck->open && i < bottleneck->count; i++) {
        uint32_t id = bottleneck->uses[i].flow;
        struct flow *flow = &solver->flows[id];
        if (flow->rate || flow->epoch != solver->epoch)
            continue;
        flow->rate = rate;
        for (uint32_t j = 0; j < flow->links; j++) {
            struct link *link = &solver->links[solver->flow_links[(size_t)id * solver->stride + j]];
            link->used += rate;
            link->open--;
        }
    }
}

/* Progressive filling of what the other flows leave. A link's share never falls while flows of smaller rates
 * are taken out, so an outdated share in the heap is too small, never too large, and is put back corrected.
 */
static void fill(struct maxmin *solver)
{
    empty_out(solver);
    build_heap(solver);
    while (solver->heap_count) {
        struct share least = solver->heap[0];
        struct link *link = &solver->links[least.link];
        uint64_t rate = link->open ? share_of(link) : 0;
        if (rate > least.rate) {
            sift_down(solver->heap, solver->heap_count, 0, (struct share){.rate = rate, .link = least.link});
            continue;
        }
        freeze(solver, link, rate);
        solver->heap_count--;
        if (solver->heap_count)
            sift_down(solver->heap, solver->heap_count, 0, solver->heap[solver->heap_count]);
    }
}

/* ---------------------------------------------------------------------------------------------- checking */

static bool is_saturated(const struct link *link)
{
    return link->used + link->count + (link->capacity >> 32) >= link->capacity;
}

static bool is_faster(uint64_t rate, uint64_t than)
{
    return rate > than + (than >> 30) + 1;
}

static bool has_bottleneck(const struct maxmin *solver, uint32_t id)
{
    const struct flow *flow = &solver->flows[id];
    for (uint32_t i = 0; i < flow->links; i++) {
        const struct link *link = &solver->links[solver->flow_links[(size_t)id * solver->stride + i]];
        if (is_saturated(link) && !is_faster(link->top, flow->rate))
            return true;
    }
    return false;
}

static void find_tops(struct maxmin *solver)
{
    for (size_t i = 0; i < solver->touched_count; i++) {
        struct link *link = &solver->links[solver->touched[i]];
        link->top = 0;
        for (uint32_t j = 0; j < link->count; j++) {
            uint64_t rate = solver->flows[link->uses[j].flow].rate;
            if (rate > link->top)
                link->top = rate;
        }
    }
}

/* Flows not solved for that are faster than this one on a link that is full have to give way. */
static void join_those_in_its_way(struct maxmin *solver, uint32_t id)
{
    for (uint32_t i = 0; i < solver->flows[id].links; i++) {
        const struct link *link = &solver->links[solver->flow_links[(size_t)id * solver->stride + i]];
        if (!is_saturated(link))
            continue;
        for (uint32_t j = 0; j < link->count; j++) {
            uint32_t other = link->uses[j].flow;
            if (solver->flows[other].epoch != solver->epoch &&
                is_faster(solver->flows[other].rate, solver->flows[id].rate))
                join(solver, other);
        }
    }
}

/* Lets those flows join that keep the rates from being max-min fair; false when they are. Only flows of
 * touched links can have lost their bottleneck. */
static bool join_violators(struct maxmin *solver)
{
    size_t before = solver->solving_count, links = solver->touched_count;
    find_tops(solver);
    for (size_t i = 0; i < links; i++) {
        const struct link *link = &solver->links[solver->touched[i]];
        for (uint32_t j = 0; j < link->count; j++) {
            uint32_t id = link->uses[j].flow;
            if (has_bottleneck(solver, id))
                continue;
            if (solver->flows[id].epoch == solver->epoch)
                join_those_in_its_way(solver, id);
            else
                join(solver, id);
        }
    }
    return solver->solving_count > before;
}

/* ---------------------------------------------------------------------------------------------- solving */

/* Flows that came and went since the last solve, or came under the id of one that went. */
static void drop_the_dead(struct maxmin *solver)
{
    size_t kept = 0;
    for (size_t i = 0; i < solver->solving_count; i++) {
        uint32_t id = solver->solving[i];
        if (solver->flows[id].alive)
            solver->solving[kept++] = id;
        else
            solver->flows[id].waiting = false;
    }
    solver->solving_count = kept;
}

const uint32_t *maxmin_solve(struct maxmin *solver, size_t *count)
{
    drop_the_dead(solver);
    do
        fill(solver);
    while (join_violators(solver));

    size_t changed = 0;
    for (size_t i = 0; i < solver->solving_count; i++) {
        struct flow *flow = &solver->flows[solver->solving[i]];
        flow->waiting = false;
        if (flow->rate != flow->rate_before)
            solver->solving[changed++] = solver->solving[i];
    }
    *count = changed;
    solver->solving_count = solver->touched_count = 0;
    solver->epoch++;
    return solver->solving;
}

size_t maxmin_bytes(const struct maxmin *solver)
{
    size_t bytes = sizeof *solver + solver->link_count * sizeof *solver->links;
    for (uint32_t i = 0; i < solver->link_count; i++)
        bytes += solver->links[i].use_capacity * sizeof *solver->links[i].uses;
    bytes += solver->flow_capacity * sizeof *solver->flows;
    bytes += (solver->flow_links_capacity + solver->flow_positions_capacity + solver->unused_capacity +
              solver->solving_capacity + solver->touched_capacity) *
             sizeof(uint32_t);
    return bytes + solver->heap_capacity * sizeof *solver->heap;
}
