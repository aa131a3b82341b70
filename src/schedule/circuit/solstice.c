#include "schedule/circuit/solstice.h"
#include "base/mem.h"
#include "schedule/circuit/birkhoff.h"

struct solstice_maker {
    struct player *player;
    struct stuffed stuffed;
    struct edge_matcher matcher;
    uint32_t *entries;
};

/* Edges that are there stay there: the threshold has become lower. */
static void add_edges(struct solstice_maker *maker, uint64_t threshold)
{
    for (uint32_t row = 0; row < maker->stuffed.size; row++)
        for (uint32_t column = 0; column < maker->stuffed.size; column++)
            if (*stuffed_at(&maker->stuffed, row, column) > threshold)
                matcher_add(&maker->matcher, row, column);
}

/* A perfect matching as a slot. */
static bool take(struct solstice_maker *maker, uint64_t threshold)
{
    const struct circuit_problem *problem = maker->player->problem;
    uint64_t bytes = UINT64_MAX;
    for (uint32_t row = 0; row < maker->stuffed.size; row++) {
        uint64_t entry = *stuffed_at(&maker->stuffed, row, maker->matcher.column_of[row]);
        bytes = entry < bytes ? entry : bytes;
    }
    stuffed_circuits(problem, &maker->matcher, maker->entries);
    for (uint32_t row = 0; row < maker->stuffed.size; row++) {
        uint32_t column = maker->matcher.column_of[row];
        uint64_t *left = stuffed_at(&maker->stuffed, row, column);
        *left -= bytes;
        if (*left <= threshold)
            matcher_remove(&maker->matcher, row, column);
    }
    return player_slot(maker->player, maker->entries, service_ps(bytes, problem->rate_bytes_per_s));
}

void solstice_slots(struct player *player, uint64_t least_bytes)
{
    struct solstice_maker maker = {.player = player};
    const struct circuit_problem *problem = player->problem;
    maker.entries = mem_alloc(problem->senders, sizeof *maker.entries, "a slot");
    stuffed_init(&maker.stuffed, problem);
    matcher_init(&maker.matcher, maker.stuffed.size);
    uint64_t threshold = UINT64_C(1) << (63 - __builtin_clzll(maker.stuffed.largest));
    for (bool goes_on = true; goes_on && threshold >= least_bytes; threshold /= 2) {
        add_edges(&maker, threshold);
        while (goes_on && matcher_match(&maker.matcher, true))
            goes_on = take(&maker, threshold);
        if (!threshold)
            break;
    }
    matcher_free(&maker.matcher);
    stuffed_free(&maker.stuffed);
    free(maker.entries);
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct player player;
    (void)effort;
    player_init(&player, problem, schedule);
    solstice_slots(&player, 0);
    return player_end(&player);
}

double solstice_cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    return 1000 * size * size + size * size * size / 8;
}

const struct circuit_algorithm solstice_circuits = {.name = "solstice", .run = run, .cost = solstice_cost};
