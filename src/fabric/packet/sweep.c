#include "fabric/packet/maxmin_state.h"

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
    struct maxmin_share least = solver->heap[0];
    size_t count = --solver->heap_count;
    heap_sift(solver->heap, count, 0, solver->heap[count]);
    return least;
}

/* --------------------------------------------------- rounding and tolerance */

/* A rate is a quotient rounded down, or nearly it (nearly_is). So a link that n flows share has less than n +
 * capacity / 2^36 left, and counts as full up to twice that. The load of a flow that is spread is rounded
 * down too. */
static bool is_full(const struct maxmin_link *link)
{
    uint64_t rounded = (link->parts ? 4 : 2) * (uint64_t)link->count;
    return link->fixed + rounded + (link->capacity >> 35) >= link->capacity;
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

/* The flows of a link lie anywhere in memory, so that the processor does not see which one comes next. */
static inline __attribute__((always_inline)) void
fetch_flow(const struct maxmin *solver, const uint32_t *flows, size_t index, size_t count)
{
    enum { AHEAD = 16 };
    if (index + AHEAD < count)
        __builtin_prefetch(&solver->flows[flows[index + AHEAD]]);
}

/* The same of their links. */
static inline __attribute__((always_inline)) void
fetch_hops(const struct maxmin *solver, const uint32_t *flows, size_t index, size_t count)
{
    enum { AHEAD = 8 };
    if (index + AHEAD < count)
        __builtin_prefetch(hops_of(solver, flows[index + AHEAD]));
}

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
        fetch_flow(solver, link->uses, i, link->count);
        held->items[held->count] = link->uses[i];
        held->count += (flow->state == FLOW_FIXED) & (flow->bottleneck == index);
    }
    link->loosened = true;
    for (size_t i = 0; i < held->count; i++) {
        fetch_hops(solver, held->items, i, held->count);
        if (!find_other_bottleneck(solver, held->items[i], index))
            loosen_flow(solver, held->items[i]);
    }
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
        fetch_flow(solver, link->uses, i, link->count);
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
        fetch_flow(solver, link->opened, i, link->listed);
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
        fetch_flow(solver, link->opened, i, link->listed);
        fetch_hops(solver, link->opened, i, link->listed);
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

/* The capacity of the link has fallen: all its flows begin anew. */
static void loosen_all(struct maxmin *solver, uint32_t index)
{
    struct maxmin_link *link = &solver->links[index];
    link->cut = false;
    if (link->count == 0)
        return;
    link->level = NO_LEVEL;
    link->loosened = true;
    note_busy(solver, link);
    for (uint32_t i = 0; i < link->count; i++)
        if (solver->flows[link->uses[i]].state == FLOW_FIXED)
            loosen_flow(solver, link->uses[i]);
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
    for (size_t i = 0; i < solver->cut.count; i++)
        loosen_all(solver, solver->cut.items[i]);
    solver->lost.count = solver->fresh.count = solver->cut.count = 0;
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
    if (solver->fill.is_on) {
        fill_solve(solver);
        *count = solver->changed.count;
        return solver->changed.items;
    }
    size_t changes = solver->fresh.count + solver->went;
    start(solver);
    while (solver->busy_count) {
        struct maxmin_share least = heap_pop(solver);
        const struct maxmin_link *link = &solver->links[least.link];
        if (link->state == LINK_ACTIVE && link->key == least.key)
            visit(solver, least.link);
    }
    solver->heap_count = solver->went = 0;
    solver->looked_at += solver->solved.count;
    fill_consider(solver, changes);
    finish(solver);
    *count = solver->changed.count;
    return solver->changed.items;
}
