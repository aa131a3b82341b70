#include "base/mem.h"
#include "schedule/circuit/birkhoff.h"
#include "schedule/circuit/player.h"

/* Birkhoff-von Neumann: the stuffed demand as a sum of matchings, each a slot as long as its smallest entry.
 */

struct bvn_maker {
    struct player player;
    uint32_t *entries;
};

static bool take(void *self, const struct edge_matcher *matcher, uint64_t bytes)
{
    struct bvn_maker *maker = self;
    const struct circuit_problem *problem = maker->player.problem;
    stuffed_circuits(problem, matcher, maker->entries);
    return player_slot(&maker->player, maker->entries, service_ps(bytes, problem->rate_bytes_per_s));
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct bvn_maker maker;
    struct stuffed stuffed;
    (void)effort;
    maker.entries = mem_alloc(problem->senders, sizeof *maker.entries, "a slot");
    player_init(&maker.player, problem, schedule);
    stuffed_init(&stuffed, problem);
    birkhoff_slots(&stuffed, take, &maker);
    stuffed_free(&stuffed);
    free(maker.entries);
    return player_end(&maker.player);
}

/* Each slot empties at least one entry. */
static double cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    return (problem->count + 2 * size) * size * 16;
}

const struct circuit_algorithm bvn_circuits = {.name = "bvn", .run = run, .cost = cost};
