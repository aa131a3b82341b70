#include "base/mem.h"
#include "schedule/circuit/assignment.h"
#include "schedule/circuit/player.h"

/* Eclipse ("Costly circuits, submodular schedules and approximate Caratheodory theorems", Bojja
 * Venkatakrishnan et al., SIGMETRICS 2016): slot by slot the matching M and the duration t that carry most in
 * the time that they take: the largest sum over M of min(t, left) / (t + switching time). For a duration that
 * is an assignment. The paper searches the durations of all entries by bisection; here durations are those of
 * a grid of 24, spaced equally in rank among the entries that are left, and then the entries of the matching
 * found. The paper ends at a time limit; here the demand is carried to its end. */

enum { GRID = 24 };

struct eclipse_maker {
    struct player player;
    struct assignment assignment;
    ps_t *sorted_ps;               /* what is left of the entries, ascending */
    uint32_t *entries, *candidate; /* [senders] */
    ps_t slot_ps;                  /* of entries */
    ps_t carried_ps, taken_ps;     /* by them */
};

/* What the candidate carries in a slot; keeps it if that is the most for its time. */
static void value(struct eclipse_maker *maker, ps_t slot_ps)
{
    sum_t carried_ps = 0;
    ps_t taken_ps = slot_ps + maker->player.problem->delta_ps;
    uint32_t senders = maker->player.problem->senders;
    for (uint32_t sender = 0; sender < senders; sender++)
        if (maker->candidate[sender] != CIRCUIT_NONE) {
            ps_t left_ps = maker->player.left_ps[maker->candidate[sender]];
            carried_ps += left_ps < slot_ps ? left_ps : slot_ps;
        }
    if ((double)carried_ps * (double)maker->taken_ps <= (double)maker->carried_ps * (double)taken_ps)
        return;
    maker->carried_ps = (ps_t)carried_ps;
    maker->taken_ps = taken_ps;
    maker->slot_ps = slot_ps;
    for (uint32_t sender = 0; sender < senders; sender++)
        maker->entries[sender] = maker->candidate[sender];
}

static void match(struct eclipse_maker *maker, ps_t slot_ps)
{
    const struct circuit_problem *problem = maker->player.problem;
    struct assignment *assignment = &maker->assignment;
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        ps_t left_ps = maker->player.left_ps[i];
        assignment->weights[(size_t)entry->sender * assignment->size + entry->receiver] =
            left_ps < slot_ps ? left_ps : slot_ps;
    }
    assignment_restart(assignment);
    assignment_solve(assignment);
    player_matched(&maker->player, assignment->column_of, maker->candidate);
}

static void choose(struct eclipse_maker *maker)
{
    uint32_t count = player_sort_left(&maker->player, maker->sorted_ps),
             senders = maker->player.problem->senders;
    maker->carried_ps = 0;
    maker->taken_ps = 1;
    ps_t before_ps = 0;
    for (uint32_t i = 0; i < GRID; i++) {
        ps_t slot_ps = maker->sorted_ps[(uint64_t)(count - 1) * (i + 1) / GRID];
        if (slot_ps == before_ps)
            continue;
        before_ps = slot_ps;
        match(maker, slot_ps);
        for (uint32_t sender = 0; sender < senders; sender++)
            if (maker->candidate[sender] != CIRCUIT_NONE)
                value(maker, maker->player.left_ps[maker->candidate[sender]]);
    }
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct eclipse_maker maker = {.slot_ps = 0};
    (void)effort;
    player_init(&maker.player, problem, schedule);
    assignment_init(&maker.assignment, circuit_size(problem));
    maker.sorted_ps = mem_alloc((size_t)problem->count + 1, sizeof *maker.sorted_ps, "a schedule");
    maker.entries = mem_alloc(problem->senders, sizeof *maker.entries, "a slot");
    maker.candidate = mem_alloc(problem->senders, sizeof *maker.candidate, "a slot");
    do {
        choose(&maker);
    } while (player_slot(&maker.player, maker.entries, maker.slot_ps));
    assignment_free(&maker.assignment);
    free(maker.sorted_ps);
    free(maker.entries);
    free(maker.candidate);
    return player_end(&maker.player);
}

static double cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    return 2 * size * GRID * size * size * size / 2;
}

const struct circuit_algorithm eclipse_circuits = {.name = "eclipse", .run = run, .cost = cost};
