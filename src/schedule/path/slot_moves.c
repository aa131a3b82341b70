#include "schedule/path/slot_moves.h"

#include <math.h>

#include "base/progress.h"
#include "base/rng.h"
#include "schedule/path/slot_plan.h"

/* What a move has changed, so that it can be taken back. */
struct changed_part {
    uint32_t part;
    struct slot_part before;
};

struct mover {
    struct slot_plan plan;
    struct rng rng;
    struct changed_part changed[4];
    uint32_t changed_count;
    uint32_t from, to;           /* places of the order, between which a slot has moved; equal: none has */
    uint32_t slot, plane_before; /* a slot, and the plane that it was in */
    double cost, best_cost;
    double heat; /* how much longer an accepted schedule may be, about */
};

/* ------------------------------------------------------------------ changes */

/* Takes the part out of its slot, and notes how it was. */
static struct slot_part *lift(struct mover *mover, uint32_t part)
{
    struct slot_part *at = &mover->plan.parts[part];
    mover->changed[mover->changed_count++] = (struct changed_part){part, *at};
    if (at->time_ps)
        slot_plan_take(&mover->plan, part);
    return at;
}

static void move_slot(struct slot_plan *plan, uint32_t from, uint32_t to)
{
    uint32_t slot = plan->order[from];
    for (; from < to; from++)
        plan->order[from] = plan->order[from + 1];
    for (; from > to; from--)
        plan->order[from] = plan->order[from - 1];
    plan->order[to] = slot;
}

static void take_back(struct mover *mover)
{
    for (uint32_t i = 0; i < mover->changed_count; i++)
        if (mover->plan.parts[mover->changed[i].part].time_ps)
            slot_plan_take(&mover->plan, mover->changed[i].part);
    for (uint32_t i = 0; i < mover->changed_count; i++) {
        const struct changed_part *changed = &mover->changed[i];
        mover->plan.parts[changed->part] = changed->before;
        if (changed->before.time_ps)
            slot_plan_put(&mover->plan, changed->part, changed->before.slot);
    }
    move_slot(&mover->plan, mover->to, mover->from);
    mover->plan.plane[mover->slot] = mover->plane_before;
}

/* -------------------------------------------------------------------- moves */

static uint32_t any_part(struct mover *mover)
{
    for (;;) {
        uint32_t part = (uint32_t)rng_below(&mover->rng, mover->plan.part_count);
        if (mover->plan.parts[part].time_ps)
            return part;
    }
}

static uint32_t any_slot(struct mover *mover)
{
    return (uint32_t)rng_below(&mover->rng, mover->plan.slots);
}

/* The only part of the slot whose links the entry needs; NO_PART: there are several, or none. */
static uint32_t only_rival(const struct mover *mover, uint32_t entry, uint32_t slot)
{
    const struct slot_plan *plan = &mover->plan;
    uint32_t rival = NO_PART;
    for (uint32_t part = plan->first[slot]; part != NO_PART; part = plan->parts[part].next)
        if (!slot_plan_fits(plan, entry, slot, part))
            continue;
        else if (rival == NO_PART)
            rival = part;
    return rival;
}

/* To another slot, where its links are free, or where one other part makes room. */
static bool move_part(struct mover *mover)
{
    struct slot_plan *plan = &mover->plan;
    uint32_t part = any_part(mover), slot = any_slot(mover), before = plan->parts[part].slot;
    uint32_t entry = plan->parts[part].entry;
    if (slot == before)
        return false;
    if (slot_plan_fits(plan, entry, slot, NO_PART)) {
        lift(mover, part);
        slot_plan_put(plan, part, slot);
        return true;
    }
    uint32_t rival = only_rival(mover, entry, slot);
    if (rival == NO_PART || !slot_plan_fits(plan, plan->parts[rival].entry, before, part))
        return false;
    lift(mover, part);
    lift(mover, rival);
    slot_plan_put(plan, part, slot);
    slot_plan_put(plan, rival, before);
    return true;
}

/* A part that is not in use; NO_PART: there is none. */
static uint32_t free_part(struct slot_plan *plan)
{
    for (uint32_t part = 0; part < plan->part_count; part++)
        if (!plan->parts[part].time_ps)
            return part;
    return plan->part_count < plan->part_room ? plan->part_count++ : NO_PART;
}

/* The part keeps as much as another one of its slot has, and another slot gets the rest. */
static bool split_part(struct mover *mover)
{
    struct slot_plan *plan = &mover->plan;
    uint32_t part = any_part(mover), other = any_part(mover), slot = any_slot(mover), entry;
    ps_t kept_ps = plan->parts[other].time_ps, time_ps = plan->parts[part].time_ps;
    entry = plan->parts[part].entry;
    if (rng_below(&mover->rng, 2))
        kept_ps = time_ps - kept_ps;
    if (kept_ps <= 0 || kept_ps >= time_ps || !slot_plan_fits(plan, entry, slot, NO_PART))
        return false;
    uint32_t rest = free_part(plan);
    if (rest == NO_PART)
        return false;
    lift(mover, part)->time_ps = kept_ps;
    slot_plan_put(plan, part, plan->parts[part].slot);
    *lift(mover, rest) = (struct slot_part){.entry = entry, .time_ps = time_ps - kept_ps};
    slot_plan_put(plan, rest, slot);
    return true;
}

/* Two parts of an entry become one, or one gives to the other so much that it is as long as some other part.
 */
static bool join_parts(struct mover *mover)
{
    struct slot_plan *plan = &mover->plan;
    uint32_t part = any_part(mover), other = any_part(mover), model = any_part(mover);
    for (uint32_t tries = 0;
         tries < 8 && (other == part || plan->parts[other].entry != plan->parts[part].entry); tries++)
        other = any_part(mover);
    if (other == part || plan->parts[other].entry != plan->parts[part].entry)
        return false;
    ps_t sum_ps = plan->parts[part].time_ps + plan->parts[other].time_ps, kept_ps = sum_ps;
    if (rng_below(&mover->rng, 2))
        kept_ps = plan->parts[model].time_ps;
    if (kept_ps > sum_ps || kept_ps == plan->parts[part].time_ps)
        return false;
    lift(mover, part)->time_ps = kept_ps;
    lift(mover, other)->time_ps = sum_ps - kept_ps;
    slot_plan_put(plan, part, plan->parts[part].slot);
    if (kept_ps < sum_ps)
        slot_plan_put(plan, other, plan->parts[other].slot);
    return true;
}

static bool reorder(struct mover *mover)
{
    mover->from = any_slot(mover);
    mover->to = any_slot(mover);
    move_slot(&mover->plan, mover->from, mover->to);
    return mover->from != mover->to;
}

/* Puts a slot into another plane. */
static bool change_plane(struct mover *mover)
{
    uint32_t slot = any_slot(mover), planes = mover->plan.problem->planes;
    uint32_t others = 1 + (uint32_t)rng_below(&mover->rng, planes - 1);
    mover->slot = slot;
    mover->plane_before = mover->plan.plane[slot];
    mover->plan.plane[slot] = (mover->plane_before + others) % planes;
    return true;
}

static bool make_move(struct mover *mover)
{
    mover->changed_count = 0;
    mover->from = mover->to = 0;
    mover->slot = 0;
    mover->plane_before = mover->plan.plane[0];
    if (mover->plan.problem->planes > 1 && rng_below(&mover->rng, 8) == 0)
        return change_plane(mover);
    switch (rng_below(&mover->rng, 8)) {
    case 0:
        return reorder(mover);
    case 1:
        return split_part(mover);
    case 2:
        return join_parts(mover);
    default:
        return move_part(mover);
    }
}

/* ------------------------------------------------------------------- search */

/* The makespan; of two equal ones, the one with fewer switches that are done late is less. */
static double cost_of(struct mover *mover, ps_t *makespan_ps)
{
    double lateness;
    *makespan_ps = slot_plan_play(&mover->plan, &lateness);
    return (double)*makespan_ps * (1 + 0.02 * lateness);
}

static void try_move(struct mover *mover, struct path_schedule *schedule)
{
    ps_t makespan_ps;
    if (!make_move(mover))
        return;
    double cost = cost_of(mover, &makespan_ps), more = cost - mover->cost;
    if (more > 0 && rng_share(&mover->rng) >= exp(-more / mover->heat)) {
        take_back(mover);
        return;
    }
    mover->cost = cost;
    if (cost < mover->best_cost) {
        mover->best_cost = cost;
        slot_plan_keep(&mover->plan);
    }
    if (makespan_ps >= schedule->makespan_ps)
        return;
    path_schedule_clear(schedule);
    slot_plan_write(&mover->plan, schedule);
    schedule->made_by = "best";
}

/* Rounds begin with the shortest schedule so far, at different heats, relative to what may be too long; each
 * cools down. */
static const double hottest[] = {0, 0.01, 0.03, 0.1, 0.3, 0.1, 0.03, 0.01};
enum { ROUNDS = sizeof hottest / sizeof *hottest };

static void begin_round(struct mover *mover)
{
    slot_plan_return(&mover->plan);
    mover->cost = mover->best_cost;
}

void slot_moves(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                uint64_t moves, struct path_schedule *schedule)
{
    ps_t makespan_ps;
    path_finish(problem, schedule); /* sorted by their starts, as slot_plan_init reads them */
    struct mover mover = {.rng = rng_init(effort->seed, "paths.moves")};
    if (!schedule->count || !slot_plan_init(&mover.plan, problem, schedule))
        return;
    mover.cost = mover.best_cost = cost_of(&mover, &makespan_ps);
    slot_plan_keep(&mover.plan);
    if (makespan_ps < schedule->makespan_ps) {
        path_schedule_clear(schedule);
        slot_plan_write(&mover.plan, schedule);
    }
    progress_begin("moving circuits between configurations", moves);
    uint64_t length = moves / ROUNDS + 1;
    for (uint64_t i = 0; i < moves && schedule->makespan_ps > bound_ps; i++) {
        if (i % length == 0)
            begin_round(&mover);
        if (i % 256 == 0) {
            progress_tell(i);
            mover.heat = hottest[i / length] * (double)(schedule->makespan_ps - bound_ps) *
                             exp(-6 * (double)(i % length) / (double)length) +
                         1;
            if (circuit_effort_is_spent(effort))
                break;
        }
        try_move(&mover, schedule);
    }
    progress_end();
    slot_plan_free(&mover.plan);
}

/* A move plays all slots. */
double slot_move_cost(const struct path_problem *problem)
{
    double links = problem->routes.first_link[problem->routes.routes];
    return 28. * links * problem->count / problem->routes.routes + (double)path_switches(problem) * 10. + 200;
}
