#include <assert.h>
#include <string.h>

#include "base/estimate.h"
#include "fabric/packet/maxmin_state.h"

/* Progressive filling, where each change moves a large part of all rates: in an incast, or in an alltoallv of
 * unequal sizes. The sweep would find each of these rates by looking at its flow and its links several times.
 *
 * Here the filling is written down: the links in the order in which they became full, their turns, and the
 * flows that each of them held. A turn depends on those before it alone. So after a change the last turns are
 * taken back, as far as the change reaches:
 *
 *   - A flow that went was held in a turn. It used no link that was full before, and the others have more
 *     room without it, so all turns before that one stay.
 *   - A flow that came shares each of its links with so many others, and no link holds its flows at less than
 *     an equal share. So turns at lower levels stay.
 *   - When a link gets another capacity, all turns are taken back.
 *
 * From there on the filling goes on. A flow costs a few instructions for each of its links, to take it back
 * and to hold it again. The rates are those of the sweep but for the tolerance: a rate that would rise by
 * less than 2^-36 of itself stays. */

enum {
    FLOWS_TO_FILL = 32, /* fewer are left to the sweep */
    OF_ALL = 64,        /* sweeps that solve this part of all flows, or more, are long ... */
    OF_CHANGES = 8,     /* ... if they solve so many flows for each that came or went */
    ROOM_FOR_MORE = 8,  /* a repair may let a turn hold all flows of its link, and so many more that come */
    GAPS = 4,           /* `held` has at most so many times the room that turns need */
    OF_RATES = 16,      /* fillings that look at so many flows for each rate that changes are of no use */
    IN_A_ROW = 2        /* so many of them in a row decide */
};

/* ------------------------------------------------------- flows come and go */

static void list_link(struct maxmin *solver, uint32_t index)
{
    struct maxmin_fill *fill = &solver->fill;
    size_t before = fill->link_capacity;
    fill->links = mem_grow(fill->links, &fill->link_capacity, (size_t)index + 1, "links");
    memset(fill->links + before, 0, (fill->link_capacity - before) * sizeof *fill->links);
    struct maxmin_filled *filled = &fill->links[index];
    if (filled->is_listed)
        return;
    *filled = (struct maxmin_filled){.left = (int64_t)solver->links[index].capacity, .is_listed = true};
    append(&fill->used, index);
}

static void reserve_flows(struct maxmin_fill *fill, uint32_t count)
{
    if (count <= fill->flow_capacity)
        return;
    fill->is_open = mem_grow(fill->is_open, &fill->flow_capacity, count, "flows");
    fill->across = mem_resize(fill->across, fill->flow_capacity, sizeof *fill->across, "flows");
    fill->told = mem_resize(fill->told, fill->flow_capacity, sizeof *fill->told, "flows");
}

static void open_flow(struct maxmin *solver, uint32_t id)
{
    struct maxmin_fill *fill = &solver->fill;
    const struct maxmin_hop *hops = hops_of(solver, id);
    reserve_flows(fill, id + 1);
    fill->is_open[id] = true;
    fill->told[id] = solver->flows[id].rate;
    fill->open_flows++;
    for (uint32_t i = 0; i < solver->flows[id].links; i++) {
        list_link(solver, hops[i].link);
        fill->links[hops[i].link].open++;
    }
    fill->are_pairs &= solver->flows[id].links == 2;
    if (fill->are_pairs)
        fill->across[id] = hops[0].link ^ hops[1].link;
}

void fill_add(struct maxmin *solver, uint32_t id)
{
    if (solver->fill.is_on)
        open_flow(solver, id);
}

uint32_t fill_holder(const struct maxmin *solver, uint32_t id)
{
    const struct maxmin_fill *fill = &solver->fill;
    const struct maxmin_hop *hops = hops_of(solver, id);
    uint32_t turn = TURN_MASK;
    for (uint32_t i = 0; i < solver->flows[id].links; i++) {
        uint32_t of_link = fill->links[hops[i].link].turn;
        if (of_link < fill->turn_count && fill->turns[of_link].link == hops[i].link && of_link < turn)
            turn = of_link;
    }
    return turn;
}

/* The flow is taken out of the turn that holds it. */
static void take_out(struct maxmin *solver, uint32_t id)
{
    struct maxmin_fill *fill = &solver->fill;
    uint32_t turn = fill_holder(solver, id);
    uint32_t *held = fill->held.items + fill->turns[turn].first, at = 0;
    while (held[at] != id)
        at++;
    held[at] = held[--fill->turns[turn].count];
    fill->turns[turn].sum -= solver->flows[id].rate;
    fill->kept = turn < fill->kept ? turn : fill->kept;
}

void fill_remove(struct maxmin *solver, uint32_t id)
{
    struct maxmin_fill *fill = &solver->fill;
    const struct maxmin_flow *flow = &solver->flows[id];
    const struct maxmin_hop *hops = hops_of(solver, id);
    if (!fill->is_on)
        return;
    bool is_open = fill->is_open[id];
    if (!is_open)
        take_out(solver, id);
    for (uint32_t i = 0; i < flow->links; i++)
        if (is_open)
            fill->links[hops[i].link].open--;
        else
            fill->links[hops[i].link].left += (int64_t)flow->rate;
    fill->open_flows -= is_open;
    fill->is_open[id] = false;
}

void fill_set_capacity(struct maxmin *solver, uint32_t index, uint64_t before)
{
    struct maxmin_fill *fill = &solver->fill;
    if (!fill->is_on || index >= fill->link_capacity || !fill->links[index].is_listed)
        return;
    fill->links[index].left += (int64_t)solver->links[index].capacity - (int64_t)before;
    fill->kept = 0;
}

/* ------------------------------------------------------- turns, back and on */

/* The flows of the turn are open again. What the loop needs is in variables of its own: a compiler cannot
 * know that what the loop writes does not change it. */
static inline __attribute__((always_inline)) void open_again(const struct maxmin *solver,
                                                             struct maxmin_turn turn, bool are_pairs)
{
    const struct maxmin_fill *fill = &solver->fill;
    struct maxmin_filled *links = fill->links;
    const struct maxmin_flow *flows = solver->flows;
    const uint32_t *across = fill->across, *held = fill->held.items + turn.first;
    uint8_t *is_open = fill->is_open;
    int64_t sum = 0, level = (int64_t)turn.level;
    for (uint32_t i = 0; i < turn.count; i++) {
        fetch_ahead(solver, held, i, turn.count, are_pairs);
        uint32_t id = held[i];
        int64_t rate = turn.is_even ? level : (int64_t)flows[id].rate;
        is_open[id] = true;
        if (are_pairs) {
            struct maxmin_filled *other = &links[across[id] ^ turn.link];
            other->left += rate;
            other->open++;
            sum += rate;
            continue;
        }
        const struct maxmin_hop *hop = hops_of(solver, id), *last = hop + flows[id].links;
        for (; hop < last; hop++) {
            links[hop->link].left += rate;
            links[hop->link].open++;
        }
    }
    if (are_pairs) {
        links[turn.link].left += sum;
        links[turn.link].open += turn.count;
    }
}

static void take_back(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    struct maxmin_turn turn = fill->turns[--fill->turn_count];
    if (fill->are_pairs)
        open_again(solver, turn, true);
    else
        open_again(solver, turn, false);
    fill->open_flows += turn.count;
}

/* No link holds a flow that has come at less than this. */
static uint64_t least_of_fresh(const struct maxmin *solver)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < solver->fresh.count; i++) {
        uint32_t id = solver->fresh.items[i];
        const struct maxmin_hop *hops = hops_of(solver, id);
        for (uint32_t k = 0; solver->flows[id].alive && k < solver->flows[id].links; k++) {
            const struct maxmin_link *link = &solver->links[hops[k].link];
            uint64_t equal = link->capacity / link->count;
            least = equal < least ? equal : least;
        }
    }
    return least;
}

/* Repairs change the order of turns, so that the last one need not have the last flows of `held`. If turns
 * that stay leave large gaps there, all are taken back. */
static void leave_no_gaps(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    size_t end = 0, sum = 0;
    for (size_t i = 0; i < fill->turn_count; i++) {
        const struct maxmin_turn *turn = &fill->turns[i];
        sum += turn->room;
        end = turn->first + turn->room > end ? turn->first + turn->room : end;
    }
    while (fill->turn_count && end > GAPS * sum)
        take_back(solver);
    fill->held.count = fill->turn_count ? end : 0;
}

static void take_back_all_that_change(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    uint64_t least = least_of_fresh(solver);
    while (fill->turn_count &&
           (fill->turn_count > fill->kept || fill->turns[fill->turn_count - 1].level >= least))
        take_back(solver);
    leave_no_gaps(solver);
}

static inline uint64_t share_of_open(const struct maxmin_filled *filled)
{
    uint64_t left = filled->left > 0 ? (uint64_t)filled->left : 0;
    uint64_t share = filled->open == 1 ? left : left / filled->open;
    return share ? share : 1;
}

/* Links with open flows, by their shares. Those without flows are listed no longer. */
static void order_links(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    size_t used = 0;
    solver->heap = mem_grow(solver->heap, &solver->heap_capacity, fill->used.count + 1, "shares");
    for (size_t i = 0; i < fill->used.count; i++) {
        uint32_t index = fill->used.items[i];
        struct maxmin_filled *filled = &fill->links[index];
        if (filled->open == 0 && solver->links[index].count == 0) {
            filled->is_listed = false;
            solver->links[index].fixed = solver->links[index].top = 0;
            solver->links[index].level = NO_LEVEL;
            continue;
        }
        fill->used.items[used++] = index;
        if (filled->open)
            solver->heap[solver->heap_count++] = (struct maxmin_share){share_of_open(filled), index};
    }
    fill->used.count = used;
    for (size_t i = solver->heap_count / 2; i-- > 0;)
        heap_sift(solver->heap, solver->heap_count, i, solver->heap[i]);
}

/* The open flows of the link, after those that are held already; picked without branches, since a processor
 * cannot predict them. Returns how many. */
static uint32_t list_open(struct maxmin *solver, const struct maxmin_link *link, uint32_t room)
{
    struct maxmin_fill *fill = &solver->fill;
    size_t first = fill->held.count;
    uint32_t count = 0;
    fill->held.items = mem_grow(fill->held.items, &fill->held.capacity, first + room, "flows");
    uint32_t *held = fill->held.items + first;
    const uint8_t *is_open = fill->is_open;
    for (const uint32_t *use = link->uses, *end = use + link->count; use < end; use++) {
        held[count] = *use;
        count += is_open[*use];
    }
    fill->held.count += room;
    return count;
}

/* The flows of the turn, which were open, get its level, or what is nearly it. */
static inline __attribute__((always_inline)) void hold(struct maxmin *solver, struct maxmin_turn *turn,
                                                       bool are_pairs)
{
    const struct maxmin_fill *fill = &solver->fill;
    struct maxmin_filled *links = fill->links;
    struct maxmin_flow *flows = solver->flows;
    const uint32_t *across = fill->across, *held = fill->held.items + turn->first;
    uint8_t *is_open = fill->is_open;
    uint64_t sum = 0, level = turn->level, tolerance = level >> 36, least = level - tolerance;
    uint32_t link = turn->link, count = turn->count;
    for (uint32_t i = 0; i < count; i++) {
        fetch_ahead(solver, held, i, count, are_pairs);
        uint32_t id = held[i];
        uint64_t before = flows[id].rate;
        uint64_t rate = before - least <= tolerance ? before : level; /* nearly_is */
        flows[id].rate = rate;
        is_open[id] = false;
        sum += rate;
        if (are_pairs) {
            struct maxmin_filled *other = &links[across[id] ^ link];
            other->left -= (int64_t)rate;
            other->open--;
            continue;
        }
        const struct maxmin_hop *hop = hops_of(solver, id), *last = hop + flows[id].links;
        for (; hop < last; hop++) {
            links[hop->link].left -= (int64_t)rate;
            links[hop->link].open--;
        }
    }
    if (are_pairs) {
        links[link].left -= (int64_t)sum;
        links[link].open = 0;
    }
    turn->sum = sum;
    turn->is_even = sum == level * count; /* none is above the level */
    turn->is_new = true;
}

static void take_turn(struct maxmin *solver, uint32_t index, uint64_t level)
{
    struct maxmin_fill *fill = &solver->fill;
    struct maxmin_turn turn = {.level = level, .first = fill->held.count, .link = index};
    turn.room = solver->links[index].count + solver->links[index].count / ROOM_FOR_MORE + ROOM_FOR_MORE;
    turn.count = list_open(solver, &solver->links[index], turn.room);
    if (fill->are_pairs)
        hold(solver, &turn, true);
    else
        hold(solver, &turn, false);
    fill->open_flows -= turn.count;
    fill->links[index].turn = (uint32_t)fill->turn_count & TURN_MASK;
    fill->turns = mem_grow(fill->turns, &fill->turn_capacity, fill->turn_count + 1, "links");
    fill->turns[fill->turn_count++] = turn;
}

/* A share in the heap may have risen since it was put there. */
static void go_on(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    while (fill->open_flows) {
        struct maxmin_share least = solver->heap[0];
        const struct maxmin_filled *filled = &fill->links[least.link];
        uint64_t share = filled->open ? share_of_open(filled) : 0;
        if (share > least.key) {
            heap_sift(solver->heap, solver->heap_count, 0, (struct maxmin_share){share, least.link});
            continue;
        }
        if (filled->open)
            take_turn(solver, least.link, share);
        solver->heap_count--;
        heap_sift(solver->heap, solver->heap_count, 0, solver->heap[solver->heap_count]);
    }
    solver->heap_count = 0;
}

/* ------------------------------------------------------------ when it is on */

static void enter(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    fill->is_on = true;
    fill->turn_count = fill->kept = fill->held.count = fill->open_flows = fill->long_ones = 0;
    fill->are_pairs = true;
    reserve_flows(fill, solver->flow_count);
    for (uint32_t id = 0; id < solver->flow_count; id++) {
        fill->is_open[id] = false;
        if (solver->flows[id].alive)
            open_flow(solver, id);
    }
}

/* What the sweep remembers of the links. One that holds no flow has no level. */
static void leave(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    uint64_t top = fill->turn_count ? fill->turns[fill->turn_count - 1].level : 0;
    for (size_t i = 0; i < fill->used.count; i++) {
        struct maxmin_link *link = &solver->links[fill->used.items[i]];
        struct maxmin_filled *filled = &fill->links[fill->used.items[i]];
        link->fixed = link->capacity - (uint64_t)filled->left;
        link->level = NO_LEVEL;
        link->top = top;
        filled->is_listed = false;
    }
    for (size_t i = 0; i < fill->turn_count; i++) {
        const struct maxmin_turn *turn = &fill->turns[i];
        solver->links[turn->link].level = solver->links[turn->link].top = turn->level;
        for (uint32_t k = 0; k < turn->count; k++)
            solver->flows[fill->held.items[turn->first + k]].bottleneck = turn->link;
    }
    fill->used.count = 0;
    fill->is_on = false;
    fill->long_ones = 0;
}

void fill_consider(struct maxmin *solver, size_t changes)
{
    struct maxmin_fill *fill = &solver->fill;
    size_t solved = solver->solved.count, flows = solver->flow_count - solver->unused.count;
    bool is_long = solved >= FLOWS_TO_FILL && solved * OF_ALL >= flows && solved >= changes * OF_CHANGES;
    fill->long_ones = is_long ? fill->long_ones + 1 : 0;
    if (fill->method == MAXMIN_AUTO && fill->long_ones == IN_A_ROW && !solver->is_spread)
        enter(solver);
}

static void consider_leaving(struct maxmin *solver, size_t seen)
{
    struct maxmin_fill *fill = &solver->fill;
    fill->long_ones = seen > OF_RATES * (solver->changed.count + 1) ? fill->long_ones + 1 : 0;
    if (fill->method == MAXMIN_AUTO && fill->long_ones == IN_A_ROW)
        leave(solver);
}

/* The flows whose rates have changed, turn by turn. */
static void list_changed(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    struct maxmin_list *changed = &solver->changed;
    const struct maxmin_flow *flows = solver->flows;
    uint64_t *told = fill->told;
    changed->items = mem_grow(changed->items, &changed->capacity, (size_t)solver->flow_count + 1, "flows");
    uint32_t *next = changed->items + changed->count;
    for (size_t i = 0; i < fill->turn_count; i++) {
        struct maxmin_turn *turn = &fill->turns[i];
        const uint32_t *held = fill->held.items + turn->first, *end = held + (turn->is_new ? turn->count : 0);
        for (; held < end; held++) {
            uint64_t rate = flows[*held].rate;
            *next = *held;
            next += rate != told[*held];
            told[*held] = rate;
        }
        turn->is_new = false;
    }
    changed->count = (size_t)(next - changed->items);
}

static void fill_on(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    take_back_all_that_change(solver);
    order_links(solver);
    solver->looked_at += fill->open_flows;
    go_on(solver);
}

void fill_solve(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    uint64_t before = solver->looked_at;
    if (solver->keeps_order || !fill_repair(solver))
        fill_on(solver);
    list_changed(solver);
    size_t seen = (size_t)(solver->looked_at - before) + fill->used.count / 4;
    for (size_t i = 0; i < solver->lost.count; i++)
        solver->links[solver->lost.items[i]].lost = false;
    for (size_t i = 0; i < solver->cut.count; i++)
        solver->links[solver->cut.items[i]].cut = false;
    for (size_t i = 0; i < solver->fresh.count; i++)
        solver->flows[solver->fresh.items[i]].fresh = false;
    solver->lost.count = solver->cut.count = solver->fresh.count = solver->went = 0;
    fill->kept = fill->turn_count;
    consider_leaving(solver, seen);
}

void maxmin_keep_order(struct maxmin *solver)
{
    solver->keeps_order = true;
}

void maxmin_use(struct maxmin *solver, enum maxmin_method method)
{
    assert(solver->flow_count == 0);
    solver->fill.method = method;
    if (method == MAXMIN_FILL && !solver->is_spread)
        enter(solver);
}

/* ------------------------------------------------------------------- memory */

void fill_free(struct maxmin_fill *fill)
{
    free(fill->links);
    free(fill->is_open);
    free(fill->across);
    free(fill->told);
    free(fill->used.items);
    free(fill->held.items);
    free(fill->turns);
}

size_t fill_bytes(const struct maxmin_fill *fill)
{
    return fill->link_capacity * sizeof *fill->links +
           fill->flow_capacity * (sizeof *fill->is_open + sizeof *fill->across + sizeof *fill->told) +
           (fill->used.capacity + fill->held.capacity) * sizeof(uint32_t) +
           fill->turn_capacity * sizeof *fill->turns;
}

double fill_estimate(double used_links, double flows, double uses)
{
    return estimate_array(flows, sizeof(uint8_t) + sizeof(uint32_t) + sizeof(uint64_t)) +
           estimate_array(uses, sizeof(uint32_t)) +
           estimate_array(used_links,
                          sizeof(struct maxmin_filled) + sizeof(struct maxmin_turn) + sizeof(uint32_t));
}
