#include "fabric/packet/maxmin.h"

#include <assert.h>
#include <stdbool.h>

#include "base/estimate.h"
#include "base/mem.h"

/* Progressive filling (Bertsekas and Gallager, 6.5.2) fixes rates in ascending order, and what it does at one
 * level depends on lower levels alone. So after a change a single sweep over the levels is enough. A link
 * takes part in the sweep from the level on at which a rate on it begins to differ from the last solution:
 *
 *   - A link that a flow came to takes part from the start, one that lost a flow from its old level on.
 *   - Where the sweep reaches the old level of a link that is not full any more, its flows become loose, and
 *     all their links take part. A flow stays as it is if another of its links is full at this level.
 *   - Where the sweep reaches the share of a link, its loose flows and its faster flows get that rate. The
 *     other links of these flows then have room; those that were full take part from their old level on.
 *
 * Links that do not take part cost nothing. Every link that does is scanned a few times. */

#define NO_LEVEL UINT64_MAX

enum flow_state { FLOW_FIXED, FLOW_LOOSE, FLOW_SOLVED };
enum link_state { LINK_RESTING, LINK_ACTIVE, LINK_SOLVED };

struct maxmin_flow {
    uint64_t rate;       /* while loose: the rate it had before */
    uint32_t bottleneck; /* a full link on which no flow is faster */
    uint8_t state, links;
    bool alive, fresh; /* fresh: in the list of new flows */
};

/* A link of a flow, and where it lists the flow. */
struct maxmin_hop {
    uint32_t link, position;
};

struct maxmin_link {
    uint64_t capacity;
    uint64_t fixed;        /* sum of its flows' rates, without those of open flows */
    uint64_t level;        /* when it is full: no rate of its flows is higher, but for rounding */
    uint64_t top;          /* no flow on it is faster */
    uint64_t opened_above; /* active: fixed flows faster than this count as open ... */
    uint64_t next;         /* ... and none of them is slower than this */
    uint64_t key;          /* active: its place in the sweep; NO_LEVEL when it is not in the heap */
    uint32_t *uses;        /* its flows */
    uint32_t *opened;      /* active: the open flows, and some that were open */
    uint32_t *parts;       /* of flows that are spread: [2 i] of uses[i], [2 i + 1] of opened[i]; else NULL */
    size_t use_capacity;   /* of all */
    uint64_t open;         /* active: the parts of flows whose rate the sweep has not found yet; each is 1 */
    uint32_t count;
    uint32_t listed; /* active: flows in `opened` */
    uint8_t state;
    bool loosened; /* active: the old level holds no flow any more */
    bool busy;     /* active: the sweep has something left to do here */
    bool lost;     /* in the list of links that lost flows */
};

/* An element of the heap; out of date unless `key` is still the link's. */
struct maxmin_share {
    uint64_t key;
    uint32_t link;
};

struct maxmin_list {
    uint32_t *items;
    size_t count, capacity;
};

struct maxmin {
    struct maxmin_link *links;
    uint32_t link_count, stride;
    size_t link_capacity;
    bool is_spread;
    struct maxmin_flow *flows;
    struct maxmin_hop *hops; /* [flow * stride + nth] */
    size_t flow_capacity, hop_capacity;
    uint32_t flow_count;        /* ids given out so far */
    struct maxmin_list unused;  /* ids that are free again */
    struct maxmin_list fresh;   /* flows that came since the last solve */
    struct maxmin_list lost;    /* links that lost flows since the last solve */
    struct maxmin_list active;  /* links that take part in this solve */
    struct maxmin_list solved;  /* flows that take part */
    struct maxmin_list changed; /* flows with a new rate */
    struct maxmin_list held;    /* flows that the link being visited held at its old level */
    uint32_t busy_count;        /* links that are busy */
    struct maxmin_share *heap;
    size_t heap_count, heap_capacity;
};

static void append(struct maxmin_list *list, uint32_t item)
{
    list->items = mem_grow(list->items, &list->capacity, list->count + 1, "the max-min solver");
    list->items[list->count++] = item;
}

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
    free(solver->active.items);
    free(solver->solved.items);
    free(solver->changed.items);
    free(solver->held.items);
    free(solver->heap);
    free(solver);
}

uint64_t maxmin_rate(const struct maxmin *solver, uint32_t flow)
{
    return solver->flows[flow].rate;
}

static struct maxmin_hop *hops_of(const struct maxmin *solver, uint32_t id)
{
    return &solver->hops[(size_t)id * solver->stride];
}

struct maxmin *maxmin_open_spread(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow)
{
    struct maxmin *solver = maxmin_open(capacities, links, links_per_flow);
    solver->is_spread = true;
    return solver;
}

/* -------------------------------------------------------- parts of the rate */

/* The part of a flow on the link, by its place in `uses`, and what it adds there at this rate. */
static uint32_t part_at(const struct maxmin_link *link, uint32_t position)
{
    return link->parts ? link->parts[2 * (size_t)position] : 1;
}

static uint64_t load_of(const struct maxmin_link *link, uint32_t part, uint64_t rate)
{
    return link->parts ? (uint64_t)((unsigned __int128)rate * part >> MAXMIN_WHOLE_SHIFT) : rate;
}

/* The rate at which so many parts make this load. */
static uint64_t rate_at(const struct maxmin_link *link, uint64_t load, uint64_t parts)
{
    if (!link->parts)
        return load / parts;
    unsigned __int128 rate = ((unsigned __int128)load << MAXMIN_WHOLE_SHIFT) / parts;
    return rate < UINT64_MAX / 2 ? (uint64_t)rate : UINT64_MAX / 2;
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

void maxmin_remove(struct maxmin *solver, uint32_t id)
{
    struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    for (uint32_t i = 0; i < flow->links; i++) {
        struct maxmin_link *link = &solver->links[hops[i].link];
        link->fixed -= load_of(link, part_at(link, hops[i].position), flow->rate);
        uint32_t last = link->uses[--link->count];
        link->uses[hops[i].position] = last;
        if (link->parts)
            link->parts[2 * (size_t)hops[i].position] = link->parts[2 * (size_t)link->count];
        hop_over(solver, last, hops[i].link)->position = hops[i].position;
        if (!link->lost) {
            link->lost = true;
            append(&solver->lost, hops[i].link);
        }
    }
    flow->alive = false;
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
    assert(link->count == 0 && capacity > 0 && capacity <= MAXMIN_CAPACITY_LIMIT);
    link->capacity = capacity << MAXMIN_SHIFT;
    link->level = NO_LEVEL;
}

/* ----------------------------------------------------------------- the heap */

static void heap_push(struct maxmin *solver, struct maxmin_share share)
{
    solver->heap = mem_grow(solver->heap, &solver->heap_capacity, solver->heap_count + 1, "shares");
    size_t hole = solver->heap_count++;
    for (; hole && share.key < solver->heap[(hole - 1) / 2].key; hole = (hole - 1) / 2)
        solver->heap[hole] = solver->heap[(hole - 1) / 2];
    solver->heap[hole] = share;
}

static struct maxmin_share heap_pop(struct maxmin *solver)
{
    struct maxmin_share *heap = solver->heap, least = heap[0], last = heap[--solver->heap_count];
    size_t count = solver->heap_count, hole = 0, child;
    while ((child = 2 * hole + 1) < count) {
        child +=
            (child + 1 < count) & (heap[child + 1].key < heap[child].key); /* `last` is not one of them */
        if (heap[child].key >= last.key)
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = last;
    return least;
}

/* --------------------------------------------------- rounding and tolerance */

/* A rate is a quotient rounded down. A rate that would rise by less than 2^-36 of itself stays (nearly_is),
 * so that rounding does not spread through the network. So a link that n flows share has less than n +
 * capacity / 2^36 left, and counts as full up to twice that. The load of a flow that is spread is rounded
 * down too. */
static bool is_full(const struct maxmin_link *link)
{
    uint64_t rounded = (link->parts ? 4 : 2) * (uint64_t)link->count;
    return link->fixed + rounded + (link->capacity >> 35) >= link->capacity;
}

static bool nearly_is(uint64_t rate, uint64_t higher)
{
    return rate <= higher && higher - rate <= higher >> 36;
}

/* Whether a full link with this level is a bottleneck of a flow with this rate. */
static bool holds(uint64_t level, uint64_t rate)
{
    return level != NO_LEVEL && rate + (level >> 35) + 1 >= level;
}

/* -------------------------------------------------------- the sweep's order */

/* What each open flow can get if the fixed ones stay. At least one unit, so that every flow ends. */
static uint64_t share_of(const struct maxmin_link *link)
{
    if (link->open == 0)
        return NO_LEVEL;
    uint64_t left = link->capacity > link->fixed ? link->capacity - link->fixed : 0;
    uint64_t share = rate_at(link, left, link->open);
    return share ? share : 1;
}

/* The level at which the sweep visits the link next: its share, or its old level where that is lower and
 * still holds. */
static uint64_t key_of(const struct maxmin_link *link)
{
    uint64_t share = share_of(link);
    return !link->loosened && link->level < share ? link->level : share;
}

static void schedule(struct maxmin *solver, uint32_t index, uint64_t key)
{
    solver->links[index].key = key;
    if (key != NO_LEVEL)
        heap_push(solver, (struct maxmin_share){.key = key, .link = index});
}

/* Whether the share of the link has fallen below its key, without a division. */
static bool is_due_earlier(const struct maxmin_link *link)
{
    uint64_t left = link->capacity > link->fixed ? link->capacity - link->fixed : 0;
    return (unsigned __int128)link->key * link->open > (unsigned __int128)left
                                                           << (link->parts ? MAXMIN_WHOLE_SHIFT : 0);
}

/* Call it after any change of the state, of `open` or of `loosened`. */
static void note_busy(struct maxmin *solver, struct maxmin_link *link)
{
    bool busy = link->state == LINK_ACTIVE && (link->open || !link->loosened);
    if (busy != link->busy) {
        link->busy = busy;
        solver->busy_count += busy ? 1 : UINT32_MAX;
    }
}

static void activate(struct maxmin *solver, uint32_t index)
{
    struct maxmin_link *link = &solver->links[index];
    link->state = LINK_ACTIVE;
    link->opened_above = NO_LEVEL;
    link->open = link->listed = 0;
    link->key = NO_LEVEL;
    link->loosened = link->level == NO_LEVEL;
    note_busy(solver, link);
    append(&solver->active, index);
}

/* ------------------------------------------------------ what the sweep does */

/* Nothing holds the flow at its old rate any more. */
static void loosen_flow(struct maxmin *solver, uint32_t id)
{
    struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    flow->state = FLOW_LOOSE;
    for (uint32_t i = 0; i < flow->links; i++) {
        struct maxmin_link *link = &solver->links[hops[i].link];
        if (link->state == LINK_RESTING)
            activate(solver, hops[i].link);
        if (flow->rate <= link->opened_above) {
            uint32_t part = part_at(link, hops[i].position);
            link->fixed -= load_of(link, part, flow->rate);
            link->open += part;
            if (link->parts)
                link->parts[2 * (size_t)link->listed + 1] = part;
            link->opened[link->listed++] = id;
            note_busy(solver, link);
        }
        if (is_due_earlier(link))
            schedule(solver, hops[i].link, key_of(link));
    }
}

/* Another link at which the flow may stay as it is. A link that is solved already was solved at this level,
 * or at one that differs from it by rounding. */
static bool find_other_bottleneck(struct maxmin *solver, uint32_t id, uint32_t than)
{
    struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    for (uint32_t i = 0; i < flow->links; i++) {
        const struct maxmin_link *link = &solver->links[hops[i].link];
        if (hops[i].link == than || link->state == LINK_ACTIVE)
            continue;
        if (link->state == LINK_SOLVED || holds(link->level, flow->rate)) {
            flow->bottleneck = hops[i].link;
            return true;
        }
    }
    return false;
}

/* The sweep is at the link's old level, and it is not full there. (Here and in open_faster flows are picked
 * without branches, since a processor cannot predict them.) */
static void give_up_level(struct maxmin *solver, uint32_t index)
{
    struct maxmin_link *link = &solver->links[index];
    struct maxmin_list *held = &solver->held;
    held->items = mem_grow(held->items, &held->capacity, (size_t)link->count, "flows of a link");
    held->count = 0;
    for (uint32_t i = 0; i < link->count; i++) {
        const struct maxmin_flow *flow = &solver->flows[link->uses[i]];
        held->items[held->count] = link->uses[i];
        held->count += (flow->state == FLOW_FIXED) & (flow->bottleneck == index);
    }
    link->loosened = true;
    for (size_t i = 0; i < held->count; i++)
        if (!find_other_bottleneck(solver, held->items[i], index))
            loosen_flow(solver, held->items[i]);
}

/* Fixed flows faster than `above` count as open from now on. */
static inline __attribute__((always_inline)) void
open_faster_of(const struct maxmin *solver, struct maxmin_link *link, uint64_t above, bool is_spread)
{
    uint64_t fixed = 0, top = 0, next = NO_LEVEL, parts = 0;
    uint32_t open = 0;
    for (uint32_t i = 0; i < link->count; i++) {
        uint32_t id = link->uses[i];
        const struct maxmin_flow *flow = &solver->flows[id];
        uint64_t rate = flow->rate;
        bool is_faster = (flow->state == FLOW_FIXED) & (rate > above);
        bool is_open = (flow->state == FLOW_LOOSE) | is_faster;
        top = rate > top ? rate : top;
        next = is_faster && rate < next ? rate : next;
        uint32_t part = is_spread ? link->parts[2 * (size_t)i] : 1;
        fixed += is_open ? 0 : is_spread ? load_of(link, part, rate) : rate;
        link->opened[open] = id;
        if (is_spread)
            link->parts[2 * (size_t)open + 1] = part;
        open += is_open;
        parts += is_open ? part : 0;
    }
    link->fixed = fixed;
    link->open = parts;
    link->listed = open;
    link->top = top;
    link->next = next;
    link->opened_above = above;
}

static void open_faster(const struct maxmin *solver, struct maxmin_link *link, uint64_t above)
{
    if (link->parts)
        open_faster_of(solver, link, above, true);
    else
        open_faster_of(solver, link, above, false);
}

/* The same for a higher `above` than before: some open flows count as fixed again. */
static inline __attribute__((always_inline)) void
close_slower_of(const struct maxmin *solver, struct maxmin_link *link, uint64_t above, bool is_spread)
{
    uint64_t next = NO_LEVEL, parts = 0;
    uint32_t open = 0;
    for (uint32_t i = 0; i < link->listed; i++) {
        uint32_t id = link->opened[i];
        const struct maxmin_flow *flow = &solver->flows[id];
        uint64_t rate = flow->rate;
        bool is_fixed = flow->state == FLOW_FIXED;
        bool is_slower = is_fixed & (rate <= above), is_faster = is_fixed & (rate > above);
        uint32_t part = is_spread ? link->parts[2 * (size_t)i + 1] : 1;
        bool is_open = (flow->state == FLOW_LOOSE) | is_faster;
        link->fixed += !is_slower ? 0 : is_spread ? load_of(link, part, rate) : rate;
        next = is_faster && rate < next ? rate : next;
        link->opened[open] = id;
        if (is_spread)
            link->parts[2 * (size_t)open + 1] = part;
        open += is_open;
        parts += is_open ? part : 0;
    }
    link->open = parts;
    link->listed = open;
    link->next = next;
    link->opened_above = above;
}

static void close_slower(const struct maxmin *solver, struct maxmin_link *link, uint64_t above)
{
    if (link->parts)
        close_slower_of(solver, link, above, true);
    else
        close_slower_of(solver, link, above, false);
}

/* Another link of a flow whose rate is found. */
static void note_other_link(struct maxmin *solver, const struct maxmin_hop *hop,
                            const struct maxmin_flow *flow, uint64_t rate)
{
    uint32_t index = hop->link;
    struct maxmin_link *link = &solver->links[index];
    uint32_t part = part_at(link, hop->position);
    if (link->state == LINK_ACTIVE && (flow->state == FLOW_LOOSE || flow->rate > link->opened_above)) {
        link->open -= part;
        link->fixed += load_of(link, part, rate);
        note_busy(solver, link);
    } else {
        link->fixed += load_of(link, part, rate) - load_of(link, part, flow->rate); /* it falls */
    }
    if (rate > link->top)
        link->top = rate;
    if (link->state == LINK_RESTING && link->level != NO_LEVEL && !is_full(link)) {
        activate(solver, index);
        schedule(solver, index, link->level);
    }
}

static void solve_flow(struct maxmin *solver, uint32_t id, uint32_t bottleneck, uint64_t rate)
{
    struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    for (uint32_t i = 0; i < flow->links; i++)
        if (hops[i].link != bottleneck)
            note_other_link(solver, &hops[i], flow, rate);
    if (rate != flow->rate)
        append(&solver->changed, id);
    append(&solver->solved, id);
    flow->rate = rate;
    flow->bottleneck = bottleneck;
    flow->state = FLOW_SOLVED;
}

/* All open flows of the link get `rate`: it is their bottleneck. */
static void solve_link(struct maxmin *solver, uint32_t index, uint64_t rate)
{
    struct maxmin_link *link = &solver->links[index];
    uint64_t used = link->fixed;
    link->state = LINK_SOLVED;
    link->level = link->top = rate;
    for (uint32_t i = 0; i < link->listed; i++) {
        uint32_t id = link->opened[i];
        const struct maxmin_flow *flow = &solver->flows[id];
        if (flow->state == FLOW_SOLVED)
            continue;
        uint64_t new_rate = nearly_is(flow->rate, rate) ? flow->rate : rate;
        solve_flow(solver, id, index, new_rate);
        used += load_of(link, link->parts ? link->parts[2 * (size_t)i + 1] : 1, new_rate);
    }
    link->fixed = used;
    link->open = 0;
}

/* Counts the link's flows that are faster than `key` as open, and the others as fixed: when the share became
 * `key`, not all slower flows were known. */
static void sort_flows(const struct maxmin *solver, struct maxmin_link *link, uint64_t key)
{
    if (link->opened_above == NO_LEVEL) {
        if (link->top > key)
            open_faster(solver, link, key);
    } else if (link->next <= key) {
        close_slower(solver, link, key);
    }
}

/* The sweep is at the link's key. The link's share may have risen since it was scheduled, and rises when
 * flows turn out to be slower than it. Then the link is scheduled again, for a later turn.
 */
static void visit(struct maxmin *solver, uint32_t index)
{
    struct maxmin_link *link = &solver->links[index];
    for (; link->key != NO_LEVEL; link->key = key_of(link)) {
        uint64_t key = link->key;
        if (solver->heap_count && solver->heap[0].key < key) {
            schedule(solver, index, key);
            break;
        }
        if (share_of(link) <= key)
            sort_flows(solver, link, key);
        uint64_t share = share_of(link);
        if (share <= key) {
            solve_link(solver, index, share);
            break;
        }
        if (link->level <= key && !link->loosened)
            give_up_level(solver, index);
    }
    note_busy(solver, link);
}

/* ------------------------------------------------------------------ solving */

/* A flow alone on all its links needs no sweep; most messages of many programs are. */
static bool solve_alone(struct maxmin *solver, uint32_t id)
{
    const struct maxmin_hop *hops = hops_of(solver, id);
    struct maxmin_flow *flow = &solver->flows[id];
    uint64_t rate = UINT64_MAX;
    for (uint32_t i = 0; i < flow->links; i++) {
        const struct maxmin_link *link = &solver->links[hops[i].link];
        if (link->count != 1 || link->state != LINK_RESTING)
            return false;
        uint64_t alone = rate_at(link, link->capacity, part_at(link, hops[i].position));
        if (alone < rate) {
            rate = alone;
            flow->bottleneck = hops[i].link;
        }
    }
    for (uint32_t i = 0; i < flow->links; i++) {
        struct maxmin_link *link = &solver->links[hops[i].link];
        link->fixed = load_of(link, part_at(link, hops[i].position), rate);
        link->top = rate;
        link->level = is_full(link) ? rate : NO_LEVEL;
    }
    flow->rate = rate;
    append(&solver->changed, id);
    return true;
}

static void start(struct maxmin *solver)
{
    for (size_t i = 0; i < solver->lost.count; i++) {
        uint32_t index = solver->lost.items[i];
        struct maxmin_link *link = &solver->links[index];
        link->lost = false;
        if (link->fixed == 0) { /* all its flows are new */
            link->level = NO_LEVEL;
            link->top = 0;
        } else if (link->level != NO_LEVEL && !is_full(link)) {
            activate(solver, index);
            schedule(solver, index, link->level);
        }
    }
    for (size_t i = 0; i < solver->fresh.count; i++) {
        uint32_t id = solver->fresh.items[i];
        solver->flows[id].fresh = false;
        if (solver->flows[id].alive && !solve_alone(solver, id))
            loosen_flow(solver, id);
    }
    solver->lost.count = solver->fresh.count = 0;
}

static void finish(struct maxmin *solver)
{
    for (size_t i = 0; i < solver->active.count; i++) {
        struct maxmin_link *link = &solver->links[solver->active.items[i]];
        if (link->state == LINK_ACTIVE)
            link->level = is_full(link) ? link->top : NO_LEVEL;
        link->state = LINK_RESTING;
    }
    for (size_t i = 0; i < solver->solved.count; i++)
        solver->flows[solver->solved.items[i]].state = FLOW_FIXED;
    solver->active.count = solver->solved.count = 0;
}

const uint32_t *maxmin_solve(struct maxmin *solver, size_t *count)
{
    solver->changed.count = 0;
    start(solver);
    while (solver->busy_count) {
        struct maxmin_share least = heap_pop(solver);
        const struct maxmin_link *link = &solver->links[least.link];
        if (link->state == LINK_ACTIVE && link->key == least.key)
            visit(solver, least.link);
    }
    solver->heap_count = 0;
    finish(solver);
    *count = solver->changed.count;
    return solver->changed.items;
}

size_t maxmin_bytes(const struct maxmin *solver)
{
    size_t bytes = sizeof *solver + solver->link_count * sizeof *solver->links;
    for (uint32_t i = 0; i < solver->link_count; i++)
        bytes +=
            solver->links[i].use_capacity * (solver->links[i].parts ? 4 : 2) * sizeof *solver->links[i].uses;
    bytes += solver->flow_capacity * sizeof *solver->flows + solver->hop_capacity * sizeof *solver->hops;
    bytes +=
        (solver->unused.capacity + solver->fresh.capacity + solver->lost.capacity + solver->active.capacity +
         solver->solved.capacity + solver->changed.capacity + solver->held.capacity) *
        sizeof(uint32_t);
    return bytes + solver->heap_capacity * sizeof *solver->heap;
}

double maxmin_estimate(double links, double flows, double links_per_flow, uint32_t limit)
{
    const double lists = 3;                     /* of ids, that grow to the number of flows */
    const size_t of_use = 2 * sizeof(uint32_t); /* in `uses` and `opened` of a link */
    double uses = flows * links_per_flow;       /* on all links */
    double used_links = uses < links ? uses : links;
    double use_bytes = used_links > 0 ? used_links * estimate_array(uses / used_links, of_use) : 0;
    return links * (double)sizeof(struct maxmin_link) + use_bytes +
           estimate_array(flows, sizeof(struct maxmin_flow)) +
           estimate_array(flows * limit, sizeof(struct maxmin_hop)) +
           lists * estimate_array(flows, sizeof(uint32_t)) +
           estimate_array(used_links, sizeof(struct maxmin_share));
}
