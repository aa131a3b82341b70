#include <string.h>

#include "base/mem.h"
#include "schedule/circuit/assignment.h"
#include "schedule/circuit/player.h"

/* Edmonds: every slot is the matching of most bytes among those that are left ("Helios", Farrington et al.,
 * SIGCOMM 2010), always as long as the user says, or 20 ms as in the simulator of Sunflow. Ports have two
 * sides, so that the matching is an assignment. */

#define SLOT_PS (20 * PS_PER_S / 1000)

static void weigh(struct assignment *assignment, const struct player *player)
{
    const struct circuit_problem *problem = player->problem;
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        assignment->weights[(size_t)entry->sender * assignment->size + entry->receiver] = player->left_ps[i];
    }
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct player player;
    struct assignment assignment;
    uint32_t *entries = mem_alloc(problem->senders, sizeof *entries, "a slot");
    ps_t slot_ps = problem->slot_ps ? problem->slot_ps : SLOT_PS;
    (void)effort;
    player_init(&player, problem, schedule);
    assignment_init(&assignment, circuit_size(problem));
    weigh(&assignment, &player);
    assignment_restart(&assignment);
    do {
        weigh(&assignment, &player);
        assignment_solve(&assignment);
        player_matched(&player, assignment.column_of, entries);
    } while (player_slot(&player, entries, slot_ps));
    assignment_free(&assignment);
    free(entries);
    return player_end(&player);
}

static double cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    struct circuit_bounds bounds = circuit_bounds_of(problem);
    ps_t slot_ps = problem->slot_ps ? problem->slot_ps : SLOT_PS;
    return size * size * size * (2 * bounds.degree + (double)bounds.rho_ps / (double)slot_ps);
}

const struct circuit_algorithm edmonds_circuits = {.name = "edmonds", .run = run, .cost = cost};
