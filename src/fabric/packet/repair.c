#include "fabric/packet/maxmin_state.h"

/* When few flows come and go, most turns of the filling hold the same flows in the same order as before, at
 * other levels. So the turns are not taken back: each gets its new level in its place, and what its flows
 * gain or lose is taken from, or given to, the rest of their other links. A flow that comes is held by the
 * first turn of its links, at no rate to begin with.
 *
 * With turn t holding the flows H on its link, and nothing before it left to change, its level is
 *
 *     (capacity - rates of the other flows of the link) / |H|
 *
 * It is right if levels ascend in the order of turns. If they do not, two neighbours change places: the flows
 * that use both links are held by the link that comes first. When all levels ascend and no link carries more
 * than its capacity, this is the filling (fill.c) of the flows that are left: each flow has a full link on
 * which none is faster. If another link becomes full, or too many turns change places, the filling goes on
 * from where the change began. */

enum { MOST_FRESH = 4 }; /* with more flows that come for each turn, the filling is made anew */

struct repair {
    struct maxmin *solver;
    struct maxmin_fill *fill;
    size_t turn;    /* the one that is looked at */
    size_t moves;   /* that are still allowed */
    uint64_t rates; /* that were looked at */
};

static inline uint64_t base_of(const struct repair *repair, const struct maxmin_turn *turn)
{
    int64_t base = repair->fill->links[turn->link].left + (int64_t)turn->sum;
    return base > 0 ? (uint64_t)base : 0;
}

static inline uint64_t level_of(uint64_t base, uint32_t count)
{
    uint64_t level = base / count;
    return level ? level : 1;
}

/* ---------------------------------------------------------- order of turns */

static void note_place(struct repair *repair, size_t turn)
{
    repair->fill->links[repair->fill->turns[turn].link].turn = (uint32_t)turn & TURN_MASK;
}

/* A turn that holds no flow any more. */
static void drop_turn(struct repair *repair)
{
    struct maxmin_fill *fill = repair->fill;
    fill->turn_count--;
    for (size_t i = repair->turn; i < fill->turn_count; i++) {
        fill->turns[i] = fill->turns[i + 1];
        note_place(repair, i);
    }
}

/* Of a link, if it is one of those from `after` + 1 to `last`; 0: it is not. */
static inline size_t turn_between(const struct maxmin_fill *fill, uint32_t link, size_t after, size_t last)
{
    size_t turn = fill->links[link].turn;
    return turn > after && turn <= last && fill->turns[turn].link == link ? turn : 0;
}

/* The first of the turns from `after` + 1 to `last` whose link the flow uses; 0: none. */
static size_t next_holder(const struct repair *repair, uint32_t id, uint32_t link, size_t after, size_t last)
{
    const struct maxmin_fill *fill = repair->fill;
    const struct maxmin_hop *hop = hops_of(repair->solver, id), *end = hop + repair->solver->flows[id].links;
    size_t holder = 0;
    for (; hop < end; hop++) {
        size_t turn = hop->link == link ? 0 : turn_between(fill, hop->link, after, last);
        if (turn && (!holder || turn < holder))
            holder = turn;
    }
    return holder;
}

/* The flows of the turn that also use a link which comes before it, when it stands at `last`, go there. */
static void pass_on(struct repair *repair, struct maxmin_turn *turn, size_t from, size_t last)
{
    struct maxmin_fill *fill = repair->fill;
    uint32_t *held = fill->held.items + turn->first, kept = 0;
    for (uint32_t i = 0; i < turn->count; i++) {
        uint32_t id = held[i];
        uint64_t rate = repair->solver->flows[id].rate;
        size_t holder = fill->are_pairs ? turn_between(fill, fill->across[id] ^ turn->link, from, last)
                                        : next_holder(repair, id, turn->link, from, last);
        struct maxmin_turn *other = &fill->turns[holder];
        if (!holder || other->count == other->room) {
            repair->moves = holder ? 1 : repair->moves; /* no room for more that came: the last move */
            held[kept++] = id;
            continue;
        }
        fill->held.items[other->first + other->count++] = id;
        turn->sum -= rate;
        other->sum += rate;
        other->is_even = false;
    }
    turn->count = kept;
}

/* The turn goes behind those up to `last`. */
static void move(struct repair *repair, size_t from, size_t last)
{
    struct maxmin_fill *fill = repair->fill;
    struct maxmin_turn turn = fill->turns[from];
    pass_on(repair, &turn, from, last);
    for (size_t i = from; i < last; i++) {
        fill->turns[i] = fill->turns[i + 1];
        note_place(repair, i);
    }
    fill->turns[last] = turn;
    note_place(repair, last);
    fill->kept = from < fill->kept ? from : fill->kept;
    repair->moves--;
}

/* ------------------------------------------------------------------- levels */

/* The flows of the turn get its new level, or what is nearly it. */
static inline __attribute__((always_inline)) void give_level(struct repair *repair, struct maxmin_turn *turn,
                                                             uint64_t base, uint64_t level, bool are_pairs)
{
    const struct maxmin *solver = repair->solver;
    const struct maxmin_fill *fill = repair->fill;
    struct maxmin_filled *links = fill->links;
    struct maxmin_flow *flows = solver->flows;
    const uint32_t *across = fill->across, *held = fill->held.items + turn->first;
    uint64_t sum = 0, tolerance = level >> 36, least = level - tolerance;
    uint32_t link = turn->link, count = turn->count;
    for (uint32_t i = 0; i < count; i++) {
        fetch_ahead(solver, held, i, count, are_pairs);
        uint32_t id = held[i];
        uint64_t before = flows[id].rate;
        uint64_t rate = before - least <= tolerance ? before : level; /* nearly_is */
        flows[id].rate = rate;
        sum += rate;
        if (are_pairs) {
            links[across[id] ^ link].left -= (int64_t)(rate - before);
            continue;
        }
        const struct maxmin_hop *hop = hops_of(solver, id), *last = hop + flows[id].links;
        for (; hop < last; hop++)
            links[hop->link].left -= (int64_t)(rate - before);
    }
    links[link].left = (int64_t)(base - sum);
    turn->sum = sum;
    turn->level = level;
    turn->is_even = sum == level * count; /* none is above the level */
    turn->is_new = true;
    repair->rates += count;
}

/* Whether a turn at this level comes too late after one at the level of `earlier`. */
static bool is_late(uint64_t level, const struct maxmin_turn *earlier)
{
    return level < earlier->level && earlier->level - level > earlier->level >> 36;
}

/* The last of the turns behind this one that have lower levels, as far as can be said before this one gets
 * its own; this one if there is none. */
static size_t last_that_is_lower(const struct repair *repair, uint64_t level)
{
    const struct maxmin_fill *fill = repair->fill;
    size_t last = repair->turn;
    uint64_t least = level - (level >> 36);
    if (level < fill->turns[last].level)
        return last;
    while (last + 1 < fill->turn_count) {
        const struct maxmin_turn *next = &fill->turns[last + 1];
        if ((unsigned __int128)least * next->count <= base_of(repair, next))
            break;
        last++;
    }
    return last;
}

/* One turn gets its level, or changes its place, or goes. */
static void look_at(struct repair *repair)
{
    struct maxmin_fill *fill = repair->fill;
    struct maxmin_turn *turn = &fill->turns[repair->turn];
    if (turn->count == 0) {
        drop_turn(repair);
        return;
    }
    uint64_t base = base_of(repair, turn), level = level_of(base, turn->count);
    if (repair->turn > 0 && is_late(level, turn - 1)) {
        repair->turn--;
        move(repair, repair->turn, repair->turn + 1);
        return;
    }
    size_t last = last_that_is_lower(repair, level);
    if (last > repair->turn) {
        move(repair, repair->turn, last);
        return;
    }
    if (level != turn->level || !turn->is_even) {
        if (fill->are_pairs)
            give_level(repair, turn, base, level, true);
        else
            give_level(repair, turn, base, level, false);
    }
    repair->turn++;
}

/* No link carries more than its capacity, but where each flow has the least rate there is. */
static bool all_fit(const struct repair *repair)
{
    const struct maxmin_fill *fill = repair->fill;
    for (size_t i = 0; i < fill->used.count; i++)
        if (fill->links[fill->used.items[i]].left < 0)
            return false;
    return true;
}

/* Whether each flow that has come found a turn with room for it. */
static bool hold_fresh(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    for (size_t i = 0; i < solver->fresh.count; i++) {
        uint32_t id = solver->fresh.items[i], holder = fill_holder(solver, id);
        const struct maxmin_hop *hops = hops_of(solver, id);
        if (!solver->flows[id].alive || !fill->is_open[id])
            continue;
        if (holder == TURN_MASK || fill->turns[holder].count == fill->turns[holder].room)
            return false;
        struct maxmin_turn *turn = &fill->turns[holder];
        fill->held.items[turn->first + turn->count++] = id;
        turn->is_even = false;
        fill->is_open[id] = false;
        fill->open_flows--;
        for (uint32_t k = 0; k < solver->flows[id].links; k++)
            fill->links[hops[k].link].open--;
        fill->kept = holder < fill->kept ? holder : fill->kept;
    }
    return fill->open_flows == 0;
}

bool fill_repair(struct maxmin *solver)
{
    struct maxmin_fill *fill = &solver->fill;
    if (solver->fresh.count > MOST_FRESH * fill->turn_count || !hold_fresh(solver))
        return false;
    struct repair repair = {.solver = solver, .fill = fill, .turn = fill->kept};
    repair.moves = 2 * fill->turn_count;
    while (repair.turn < fill->turn_count && repair.moves)
        look_at(&repair);
    solver->looked_at += repair.rates;
    return repair.turn == fill->turn_count && all_fit(&repair);
}
