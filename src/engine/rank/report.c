#include "base/units.h"
#include "engine/rank/internal.h"

/* Why a run cannot go on, and what it left behind. */

enum { SHOWN = 16 }; /* ranks named one by one */

void report_blocked(const struct machine *machine)
{
    uint32_t ranks = machine->program->ranks, blocked = ranks - machine->ended, shown = 0;
    char time[32], text[256];
    diag_error("deadlock at %s: %u of %u ranks are blocked and nothing is under way",
               units_show_time(machine->loop->now, 6, time, sizeof time), blocked, ranks);
    for (uint32_t i = 0; i < ranks && shown < SHOWN; i++) {
        const struct rank *rank = &machine->ranks[i];
        if (rank->state == RANK_FIN)
            continue;
        struct call_place place = machine_place(machine, i);
        diag_report(DIAG_NOTE, &(struct diag_place){.file = place.file, .line = place.line},
                    "rank %u is blocked in %s", i, call_describe(rank->call, text, sizeof text));
        shown++;
    }
    if (blocked > shown)
        diag_note("and %u more", blocked - shown);
    if (machine->fabric->ops->explain)
        machine->fabric->ops->explain(machine->fabric);
}

void report_mismatch(struct machine *machine, const struct run *run, const struct call *call,
                     const struct meeting *meeting)
{
    struct call_place place = machine_place(machine, run->rank);
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
        "rank %u calls %s (root %d) as collective %u of its communicator, where rank %u calls %s (root "
        "%d); all ranks must make the same collective calls in the same order",
        run->rank, call_op_name(call->op), call->peer, run->sequence + 1, meeting->first,
        call_op_name(meeting->op), meeting->root);
    machine_fail(machine, STATUS_BAD_INPUT);
}

void report_never_received(const struct machine *machine)
{
    if (machine->messages.live > 0)
        diag_warning("%u messages were sent or awaited by requests that nobody completed",
                     machine->messages.live);
}
