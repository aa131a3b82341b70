#include "base/mem.h"
#include "schedule/circuit/player.h"

/* Round robin: sender i is connected to receiver i + k, for k = 0, 1, 2 ... in turn, whether or not there are
 * bytes, as in rotor switches ("RotorNet", Mellette et al., SIGCOMM 2017). Ports without bytes take no part.
 * A slot is as long as the user says, or nine times the switching time (RotorNet's duty cycle of 90 %), but
 * so long that 64 rotations are enough. A rotation leaves out the matchings without an entry of the demand.
 */

enum { DUTY = 9, MOST_ROTATIONS = 64 };

static ps_t slot_of(const struct circuit_problem *problem)
{
    ps_t longest_ps = 0;
    if (problem->slot_ps)
        return problem->slot_ps;
    for (uint32_t i = 0; i < problem->count; i++)
        longest_ps = ps_max(longest_ps, problem->entries[i].time_ps);
    return ps_max(ps_times(problem->delta_ps, DUTY), (longest_ps - 1) / MOST_ROTATIONS + 1);
}

/* Returns whether the matching has an entry. */
static bool rotate(const struct circuit_problem *problem, uint32_t size, uint32_t by, uint32_t *entries)
{
    bool any = false;
    for (uint32_t sender = 0; sender < problem->senders; sender++) {
        uint32_t receiver = (sender + by) % size;
        entries[sender] =
            receiver < problem->receivers ? circuit_at(problem, sender, receiver) : CIRCUIT_NONE;
        any = any || entries[sender] != CIRCUIT_NONE;
    }
    return any;
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct player player;
    uint32_t size = circuit_size(problem);
    uint32_t *entries = mem_alloc(problem->senders, sizeof *entries, "a slot");
    ps_t slot_ps = slot_of(problem);
    bool goes_on = true;
    (void)effort;
    player_init(&player, problem, schedule);
    for (uint32_t by = 0; goes_on; by = (by + 1) % size)
        if (rotate(problem, size, by, entries))
            goes_on = player_slot(&player, entries, slot_ps);
    free(entries);
    return player_end(&player);
}

static double cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    return MOST_ROTATIONS * size * size;
}

const struct circuit_algorithm round_robin_circuits = {.name = "round-robin", .run = run, .cost = cost};
