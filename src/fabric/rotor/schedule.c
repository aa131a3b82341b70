#include "fabric/rotor/rotor.h"

/* Switch s has a clock that is rotor_lead() ahead of the time. Its slot k lasts from k periods to k + 1
 * periods of this clock: first the guard, in which it is dark, then the slot proper, in which it carries. In
 * slot k it is at position k mod rotor_positions(). */

ps_t rotor_lead(const struct rotor_plan *plan, uint32_t of_switch)
{
    if (plan->config->offset == ROTOR_TOGETHER)
        return 0;
    return (ps_t)((unsigned __int128)(uint64_t)plan->period_ps * of_switch / plan->switches);
}

const struct rotor_up *rotor_up_at(const struct rotor_plan *plan, uint32_t of_switch, ps_t at)
{
    struct rotor_up *view = &plan->views[of_switch];
    if (at < view->until)
        return view;
    ps_t lead = rotor_lead(plan, of_switch), period = plan->period_ps;
    int64_t slot = ps_add(at, lead) / period;
    ps_t begin = ps_times(period, (uint64_t)slot) - lead;
    uint32_t position = (uint32_t)(slot % rotor_positions(plan, of_switch));
    *view = (struct rotor_up){.since = ps_add(begin, plan->config->guard_ps),
                              .until = ps_add(begin, period),
                              .matching = plan->order[position * plan->switches + of_switch]};
    return view;
}

/* The slots of one matching: it carries from base + k cycles on, for a slot. */
struct slots {
    ps_t base, cycle; /* -cycle < base < cycle */
};

static struct slots slots_of(const struct rotor_plan *plan, uint32_t matching)
{
    uint32_t at = plan->dealt[matching], of_switch = at % plan->switches, position = at / plan->switches;
    return (struct slots){.base = position * plan->period_ps + plan->config->guard_ps -
                                  rotor_lead(plan, of_switch),
                          .cycle = rotor_positions(plan, of_switch) * plan->period_ps};
}

static ps_t begin_of(const struct slots *slots, int64_t cycle)
{
    if (cycle < 0) /* -1, which is over at time 0 */
        return slots->base - slots->cycle;
    ps_t begin = ps_times(slots->cycle, (uint64_t)cycle);
    return begin == PS_NEVER ? PS_NEVER : ps_add(begin, slots->base);
}

/* The latest cycle that has begun at `at`, which is not negative; -1: none. */
static int64_t cycle_at(const struct slots *slots, ps_t at)
{
    if (at < slots->base)
        return -1;
    if (slots->base < 0)
        return ps_add(at, -slots->base) / slots->cycle;
    return (at - slots->base) / slots->cycle;
}

int64_t rotor_cycle_before(const struct rotor_plan *plan, uint32_t matching, ps_t at)
{
    const struct slots slots = slots_of(plan, matching);
    return cycle_at(&slots, at - 1);
}

struct rotor_transfer rotor_transfer(const struct rotor_plan *plan, uint32_t matching, ps_t at, ps_t service)
{
    const struct slots slots = slots_of(plan, matching);
    const ps_t slot = plan->config->slot_ps;
    struct rotor_transfer transfer = {.first = cycle_at(&slots, at)};
    ps_t done = at - begin_of(&slots, transfer.first); /* of the slot, before the transfer */
    transfer.begin = at;
    if (done >= slot) {
        transfer.begin = begin_of(&slots, ++transfer.first);
        done = 0;
    }
    transfer.last = transfer.first;
    if (service <= slot - done) {
        transfer.end = ps_add(transfer.begin, service);
        return transfer;
    }
    service -= slot - done;
    int64_t full = (service - 1) / slot; /* slots between the first and the last one */
    transfer.last = ps_add(transfer.first, ps_add(full, 1));
    transfer.end = ps_add(begin_of(&slots, transfer.last), service - full * slot);
    return transfer;
}

ps_t rotor_next(const struct rotor_plan *plan, uint32_t matching, ps_t at)
{
    return rotor_transfer(plan, matching, at, 1).begin;
}
