#include "schedule/circuit/anneal.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "schedule/circuit/slot_set.h"

enum { SPARE = 4, LOOKS = 8 };

struct annealer {
    struct slot_set set;
    struct rng rng;
    uint32_t *chain; /* parts of two slots */
    double cost, best_cost;
    double heat; /* how much longer an accepted schedule may be, about */
};

/* -------------------------------------------------------------------- picks */

static uint32_t any_slot(struct annealer *annealer)
{
    return (uint32_t)rng_below(&annealer->rng, annealer->set.slots);
}

static uint32_t any_part(struct annealer *annealer)
{
    for (;;) {
        uint32_t part = (uint32_t)rng_below(&annealer->rng, annealer->set.part_count);
        if (annealer->set.parts[part].time_ps)
            return part;
    }
}

/* Of some parts the first that is as long as its slot; such parts decide the makespan. */
static uint32_t long_part(struct annealer *annealer)
{
    const struct slot_set *set = &annealer->set;
    uint32_t part = any_part(annealer);
    for (int looks = 1; looks < LOOKS && set->parts[part].time_ps < set->duration_ps[set->parts[part].slot];
         looks++)
        part = any_part(annealer);
    return part;
}

static uint32_t some_part(struct annealer *annealer)
{
    return rng_below(&annealer->rng, 2) ? long_part(annealer) : any_part(annealer);
}

/* -------------------------------------------------------------------- moves */

/* Parts behind `part` on the alternating path of its slot and the other one: from its receiver if `forwards`,
 * else from its sender. Returns how many the path has. */
static uint32_t follow(struct annealer *annealer, uint32_t first, uint32_t other, bool forwards,
                       uint32_t count)
{
    const struct slot_set *set = &annealer->set;
    uint32_t slots[] = {set->parts[first].slot, other}, part = first, side = 1;
    for (;; side ^= 1, forwards = !forwards) {
        const struct circuit_entry *entry = &set->problem->entries[set->parts[part].entry];
        part = forwards ? slot_set_receiver(set, slots[side], entry->receiver)
                        : slot_set_sender(set, slots[side], entry->sender);
        if (part == CIRCUIT_NONE || part == first)
            return count;
        annealer->chain[count++] = part;
    }
}

/* The parts of an alternating path change slots. */
static bool swap_path(struct annealer *annealer)
{
    struct slot_set *set = &annealer->set;
    uint32_t part = some_part(annealer), from = set->parts[part].slot, to = any_slot(annealer);
    if (from == to)
        return false;
    annealer->chain[0] = part;
    uint32_t count = follow(annealer, part, to, true, 1), forwards = count;
    bool is_circle = count > 1 && count % 2 == 0 &&
                     set->problem->entries[set->parts[annealer->chain[count - 1]].entry].sender ==
                         set->problem->entries[set->parts[part].entry].sender;
    if (!is_circle)
        count = follow(annealer, part, to, false, forwards);
    for (uint32_t i = 0; i < count; i++)
        slot_set_take(set, annealer->chain[i]);
    for (uint32_t i = 0; i < count; i++)
        slot_set_put(set, annealer->chain[i], set->parts[annealer->chain[i]].slot == from ? to : from);
    return true;
}

/* The longest part of the slot but for this one; 0: there is none. */
static ps_t next_longest(const struct slot_set *set, uint32_t part)
{
    ps_t longest_ps = 0;
    for (uint32_t sender = 0; sender < set->problem->senders; sender++) {
        uint32_t other = slot_set_sender(set, set->parts[part].slot, sender);
        if (other != CIRCUIT_NONE && other != part)
            longest_ps = ps_max(longest_ps, set->parts[other].time_ps);
    }
    return longest_ps;
}

/* A part keeps some of its time, and another slot gets the rest. */
static bool split_part(struct annealer *annealer)
{
    struct slot_set *set = &annealer->set;
    uint32_t part = some_part(annealer), entry = set->parts[part].entry, slot = any_slot(annealer);
    ps_t time_ps = set->parts[part].time_ps, kept_ps;
    for (int looks = 1; looks < LOOKS && !slot_set_fits(set, entry, slot); looks++)
        slot = any_slot(annealer);
    if (!slot_set_fits(set, entry, slot))
        return false;
    switch (rng_below(&annealer->rng, 4)) {
    case 0:
        kept_ps = next_longest(set, part);
        break;
    case 1:
        kept_ps = set->parts[any_part(annealer)].time_ps;
        break;
    case 2:
        kept_ps = time_ps - set->parts[any_part(annealer)].time_ps;
        break;
    default:
        kept_ps = time_ps - set->duration_ps[slot];
    }
    if (kept_ps <= 0 || kept_ps >= time_ps)
        return false;
    slot_set_resize(set, part, kept_ps);
    slot_set_add(set, entry, time_ps - kept_ps, slot);
    return true;
}

/* Another part of the entry; CIRCUIT_NONE: it is whole. */
static uint32_t sibling(struct annealer *annealer, uint32_t part)
{
    const struct slot_set *set = &annealer->set;
    uint32_t entry = set->parts[part].entry, sender = set->problem->entries[entry].sender;
    uint32_t first = any_slot(annealer);
    if (set->pieces[entry] < 2)
        return CIRCUIT_NONE;
    for (uint32_t i = 0; i < set->slots; i++) {
        uint32_t other = slot_set_sender(set, (first + i) % set->slots, sender);
        if (other != CIRCUIT_NONE && other != part && set->parts[other].entry == entry)
            return other;
    }
    return CIRCUIT_NONE;
}

static uint32_t part_with_sibling(struct annealer *annealer)
{
    const struct slot_set *set = &annealer->set;
    uint32_t part = any_part(annealer);
    for (int looks = 0; looks < 8 * LOOKS && set->pieces[set->parts[part].entry] < 2; looks++)
        part = any_part(annealer);
    return part;
}

/* A part takes time from another one of its entry: all, or as much as fills its slot, or so much that both
 * switches take the same time, or some. */
static bool join_parts(struct annealer *annealer)
{
    struct slot_set *set = &annealer->set;
    uint32_t part = part_with_sibling(annealer), other = sibling(annealer, part);
    if (other == CIRCUIT_NONE)
        return false;
    ps_t time_ps = set->parts[part].time_ps, other_ps = set->parts[other].time_ps, more_ps = other_ps;
    uint32_t slot = set->parts[part].slot, other_slot = set->parts[other].slot;
    switch (rng_below(&annealer->rng, set->problem->switches > 1 ? 5 : 4)) {
    case 0:
        break;
    case 1:
        more_ps = set->parts[any_part(annealer)].time_ps - time_ps;
        break;
    case 2:
        more_ps = other_ps - next_longest(set, other);
        break;
    case 3:
        more_ps = set->duration_ps[slot] - time_ps;
        break;
    default:
        more_ps = (set->load_ps[set->crossbar[other_slot]] - set->load_ps[set->crossbar[slot]]) / 2;
    }
    if (more_ps <= 0)
        return false;
    more_ps = more_ps < other_ps ? more_ps : other_ps;
    slot_set_resize(set, part, time_ps + more_ps);
    slot_set_resize(set, other, other_ps - more_ps);
    return true;
}

/* A slot goes to another switch, or changes places with a slot there. */
static bool change_switch(struct annealer *annealer)
{
    struct slot_set *set = &annealer->set;
    uint32_t slot = any_slot(annealer), other = any_slot(annealer), crossbar = set->crossbar[slot];
    if (set->crossbar[other] == crossbar)
        return false;
    slot_set_move(set, slot, set->crossbar[other]);
    if (rng_below(&annealer->rng, 2))
        slot_set_move(set, other, crossbar);
    return true;
}

/* The end of a slot goes to a slot of another switch that is idle, so that both switches take the same time.
 */
static bool split_slot(struct annealer *annealer)
{
    struct slot_set *set = &annealer->set;
    uint32_t from = any_slot(annealer), to = any_slot(annealer);
    for (int looks = 0; looks < LOOKS && set->duration_ps[to]; looks++)
        to = any_slot(annealer);
    uint32_t crossbar = (uint32_t)rng_below(&annealer->rng, set->problem->switches);
    ps_t gap_ps = set->load_ps[set->crossbar[from]] - set->load_ps[crossbar] - set->problem->delta_ps;
    ps_t kept_ps = set->duration_ps[from] - gap_ps / 2;
    if (set->duration_ps[to] || crossbar == set->crossbar[from] || gap_ps < 2 || kept_ps <= 0)
        return false;
    slot_set_move(set, to, crossbar);
    for (uint32_t sender = 0; sender < set->problem->senders; sender++) {
        uint32_t part = slot_set_sender(set, from, sender);
        if (part == CIRCUIT_NONE || set->parts[part].time_ps <= kept_ps)
            continue;
        slot_set_add(set, set->parts[part].entry, set->parts[part].time_ps - kept_ps, to);
        slot_set_resize(set, part, kept_ps);
    }
    return true;
}

static bool make_move(struct annealer *annealer)
{
    if (annealer->set.problem->switches > 1 && rng_below(&annealer->rng, 6) == 0)
        return rng_below(&annealer->rng, 2) ? change_switch(annealer) : split_slot(annealer);
    switch (rng_below(&annealer->rng, 8)) {
    case 0:
        return split_part(annealer);
    case 1:
    case 2:
        return join_parts(annealer);
    default:
        return swap_path(annealer);
    }
}

/* ------------------------------------------------------------------- search */

/* The makespan; with several switches, a norm of their times, so that all of them count a little. */
static double cost_of(struct annealer *annealer, ps_t *makespan_ps)
{
    const struct slot_set *set = &annealer->set;
    uint32_t switches = set->problem->switches;
    double sum = 0;
    *makespan_ps = slot_set_measure(&annealer->set);
    for (uint32_t i = 0; i < switches && switches > 1; i++) {
        double share = (double)set->load_ps[i] / (double)*makespan_ps, square = share * share;
        sum += square * square * square * square / switches;
    }
    return (double)*makespan_ps * (1 + 0.02 * sum);
}

static void try_move(struct annealer *annealer, ps_t *shortest_ps)
{
    ps_t makespan_ps;
    if (!make_move(annealer)) {
        slot_set_accept(&annealer->set);
        return;
    }
    double cost = cost_of(annealer, &makespan_ps), more = cost - annealer->cost;
    if (more > 0 && rng_share(&annealer->rng) >= exp(-more / annealer->heat)) {
        slot_set_take_back(&annealer->set);
        return;
    }
    annealer->cost = cost;
    slot_set_accept(&annealer->set);
    if (makespan_ps > *shortest_ps || (makespan_ps == *shortest_ps && cost >= annealer->best_cost))
        return;
    annealer->best_cost = cost;
    *shortest_ps = makespan_ps;
    slot_set_keep(&annealer->set);
}

/* Rounds begin with the shortest schedule so far, at different heats, relative to what may be too long; each
 * cools down. */
static const double hottest[] = {0, 0.01, 0.03, 0.1, 0.3, 0.1, 0.03, 0.01};
enum { ROUNDS = sizeof hottest / sizeof *hottest };

void anneal_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t moves, struct circuit_schedule *schedule)
{
    struct annealer annealer = {.rng = rng_init(effort->seed, "circuits.anneal")};
    struct circuit_schedule found = {.made_by = schedule->made_by};
    ps_t shortest_ps;
    if (!schedule->count)
        return;
    slot_set_init(&annealer.set, problem, schedule, SPARE * problem->switches);
    annealer.chain = mem_alloc(2 * (size_t)circuit_size(problem) + 2, sizeof *annealer.chain, "parts");
    annealer.cost = annealer.best_cost = cost_of(&annealer, &shortest_ps);
    progress_begin("moving circuits between configurations", moves);
    uint64_t length = moves / ROUNDS + 1;
    for (uint64_t i = 0; i < moves && shortest_ps > bound_ps; i++) {
        if (i % length == 0) {
            slot_set_return(&annealer.set);
            annealer.cost = annealer.best_cost;
        }
        if (i % 256 == 0) {
            progress_tell(i);
            annealer.heat = hottest[i / length] * (double)(shortest_ps - bound_ps) *
                                exp(-6 * (double)(i % length) / (double)length) +
                            1;
            if (circuit_effort_is_spent(effort))
                break;
        }
        try_move(&annealer, &shortest_ps);
    }
    progress_end();
    slot_set_write(&annealer.set, &found);
    if (found.makespan_ps < schedule->makespan_ps) {
        circuit_schedule_free(schedule);
        *schedule = found;
    } else {
        circuit_schedule_free(&found);
    }
    free(annealer.chain);
    slot_set_free(&annealer.set);
}

/* A move follows a path through two slots, and measures them. */
double anneal_cost(const struct circuit_problem *problem)
{
    return 400 + 20. * circuit_size(problem);
}
