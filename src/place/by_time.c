#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "place/place.h"

enum status place_run(struct experiment *experiment, const uint32_t *node_of,
                      const struct experiment_watch *watch, ps_t *time)
{
    const struct experiment_watch quiet = {.progress = NULL};
    struct result result;
    placement_put(&experiment->placement, experiment->program, node_of);
    enum status status = experiment_run(experiment, 0, watch ? watch : &quiet, &result);
    *time = result.makespan;
    result_free(&result);
    return status;
}

/* Two places of different nodes, of which the first has a rank. False: none was drawn. */
static bool draw(const struct place_state *state, struct rng *rng, uint32_t *left, uint32_t *right)
{
    enum { DRAWS = 64 };
    for (int i = 0; i < DRAWS; i++) {
        *left = state->place_of[rng_below(rng, state->traffic->ranks)];
        *right = (uint32_t)rng_below(rng, state->machine->places);
        if (state->machine->node_at[*left] != state->machine->node_at[*right])
            return true;
    }
    return false;
}

enum status place_search_by_time(struct experiment *experiment, const struct place_machine *machine,
                                 const struct place_options *options, uint32_t *node_of, ps_t *time,
                                 struct place_comparison *comparison)
{
    /* The state keeps places; the traffic, and so the cost, does not matter. */
    size_t *none = mem_alloc((size_t)comparison->ranks + 1, sizeof *none, "pairs of ranks");
    const struct place_traffic traffic = {.ranks = comparison->ranks, .first = none};
    uint32_t *tried = mem_alloc(comparison->ranks, sizeof *tried, "places of ranks"), left, right;
    struct rng rng = rng_init(options->effort.seed, "place by time");
    struct place_state state;
    enum status status = STATUS_OK;
    place_state_open(&state, &traffic, machine);
    place_state_set(&state, node_of);
    while (status == STATUS_OK && comparison->runs < options->tries && draw(&state, &rng, &left, &right)) {
        ps_t now;
        place_swap(&state, left, right, 0);
        place_state_get(&state, tried);
        status = place_run(experiment, tried, NULL, &now);
        comparison->runs++;
        if (status == STATUS_OK && now < *time) {
            *time = now;
            comparison->gains++;
            memcpy(node_of, tried, comparison->ranks * sizeof *tried);
        } else {
            place_swap(&state, left, right, 0);
        }
    }
    place_state_close(&state);
    free(tried);
    free(none);
    return status;
}
