#include "schedule/circuit/spread.h"

#include <stdlib.h>

#include "base/mem.h"
#include "schedule/circuit/slot_set.h"

struct spreader {
    const struct slot_set *set;
    struct circuit_schedule *schedule;
    ps_t share_ps, done_ps; /* what a switch gets; how far the present one is */
    uint32_t crossbar;
};

/* The part of the slot from begin to end, behind a set-up. */
static void add_part(struct spreader *spreader, uint32_t slot, ps_t begin_ps, ps_t end_ps)
{
    const struct slot_set *set = spreader->set;
    ps_t start_ps = spreader->done_ps + set->problem->delta_ps;
    for (uint32_t sender = 0; sender < set->problem->senders; sender++) {
        uint32_t part = slot_set_sender(set, slot, sender);
        ps_t until_ps = part == CIRCUIT_NONE ? 0 : set->parts[part].time_ps;
        until_ps = until_ps < end_ps ? until_ps : end_ps;
        if (until_ps > begin_ps)
            circuit_add(spreader->schedule, set->parts[part].entry, spreader->crossbar, start_ps,
                        start_ps + until_ps - begin_ps);
    }
    spreader->done_ps = start_ps + end_ps - begin_ps;
}

static void add_slot(struct spreader *spreader, uint32_t slot)
{
    ps_t duration_ps = spreader->set->duration_ps[slot], delta_ps = spreader->set->problem->delta_ps;
    uint32_t last = spreader->set->problem->switches - 1;
    for (ps_t begin_ps = 0; begin_ps < duration_ps;) {
        ps_t room_ps = spreader->share_ps - spreader->done_ps - delta_ps, end_ps = duration_ps;
        if (spreader->crossbar < last && room_ps < duration_ps - begin_ps)
            end_ps = begin_ps + (room_ps > 0 ? room_ps : 0);
        if (end_ps > begin_ps)
            add_part(spreader, slot, begin_ps, end_ps);
        if (end_ps < duration_ps) {
            spreader->crossbar++;
            spreader->done_ps = 0;
        }
        begin_ps = end_ps;
    }
}

void slots_spread(const struct circuit_problem *problem, const struct circuit_schedule *one,
                  struct circuit_schedule *schedule)
{
    struct circuit_problem alone = *problem;
    struct slot_set set;
    alone.switches = 1;
    slot_set_init(&set, &alone, one, 0);
    sum_t work_ps = (sum_t)set.load_ps[0] + (sum_t)(problem->switches - 1) * problem->delta_ps;
    set.problem = problem;
    struct spreader spreader = {.set = &set, .schedule = schedule};
    spreader.share_ps = (ps_t)((work_ps + problem->switches - 1) / problem->switches);
    for (uint32_t slot = 0; slot < set.slots; slot++)
        add_slot(&spreader, slot);
    slot_set_free(&set);
}

void slots_unstop(const struct circuit_problem *problem, struct circuit_schedule *schedule)
{
    uint32_t ports = problem->senders + problem->receivers;
    ps_t *done_ps = mem_alloc((size_t)ports * problem->switches, sizeof *done_ps, "loads of ports");
    circuit_finish(problem, schedule); /* sorted by their starts */
    schedule->makespan_ps = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        struct circuit_piece *piece = &schedule->pieces[i];
        const struct circuit_entry *entry = &problem->entries[piece->entry];
        ps_t *sender_ps = &done_ps[(size_t)piece->crossbar * ports + entry->sender];
        ps_t *receiver_ps = &done_ps[(size_t)piece->crossbar * ports + problem->senders + entry->receiver];
        ps_t start_ps = ps_max(*sender_ps, *receiver_ps) + problem->delta_ps;
        piece->end_ps += start_ps - piece->start_ps;
        piece->start_ps = start_ps;
        *sender_ps = *receiver_ps = piece->end_ps;
        schedule->makespan_ps = ps_max(schedule->makespan_ps, piece->end_ps);
    }
    free(done_ps);
}
