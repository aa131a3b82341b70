#include <inttypes.h>
#include <stdio.h>

#include "papers/tdm/tdm.h"
#include "schedule/method.h"

/* Beyond the paper: larger tori, from sparse random patterns to all-to-all. */

static const struct {
    const char *name;
    enum tdm_algorithm algorithm;
    bool free_routes;
} ways[] = {{"greedy", TDM_GREEDY, false},
            {"ordered AAPC", TDM_AAPC, false},
            {"best", TDM_BEST, false},
            {"best, free routes", TDM_BEST, true}};

static void draw_pattern(struct reproduction *reproduction, const struct topo *topo, const char *panel,
                         const char *name)
{
    struct tdm_pattern pattern = {0};
    if (tdm_pattern_named(name, topo->nodes, &pattern) != STATUS_OK)
        return;
    double share = 100 * (double)pattern.count / ((double)topo->nodes * (topo->nodes - 1)), bound = 1;
    for (size_t i = sizeof ways / sizeof *ways; i-- > 0;) {
        enum { MOVES = 20000, MOST_FREE = 20000 };
        if (ways[i].free_routes && pattern.count > MOST_FREE)
            continue;
        struct tdm_method method = {.algorithm = ways[i].algorithm,
                                    .free_routes = ways[i].free_routes,
                                    .random_order = true,
                                    .seed = 1,
                                    .limit = {.moves = MOVES}};
        struct tdm_plan plan;
        if (tdm_plan_init(&plan, topo, &pattern, &method) != STATUS_OK)
            continue;
        if (!ways[i].free_routes)
            bound = plan.bound;
        reproduction_point_at(reproduction, panel, ways[i].name, share, plan.schedule.degree);
        tdm_plan_free(&plan);
    }
    reproduction_point_at(reproduction, panel, "lower bound, fixed routes", share, bound);
    tdm_pattern_free(&pattern);
}

void tdm_beyond(struct reproduction *reproduction)
{
    static const struct {
        const char *panel, *topology;
        uint32_t connections[4];
    } tori[] = {{"16 x 16", "torus:16x16", {1024, 4096, 16384, 32768}},
                {"32 x 32", "torus:32x32", {4096, 16384, 65536, 262144}}};
    size_t count = reproduction_is_quick(reproduction) ? 1 : 2;
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "larger-tori",
                         .title = "Beyond the paper: larger tori",
                         .says = "First fit falls behind the bound as patterns get dense; the closed form of "
                                 "all-to-all phases caps the degree at N^3 / 8.",
                         .how = "Slots for one random pattern each, the last of all pairs. Lower is better.",
                         .x = "share of all pairs, %",
                         .y = "multiplexing degree",
                         .kind = FIGURE_LINES,
                         .x_log = true,
                         .y_log = true,
                         .is_common = true});
    for (size_t i = 0; i < count; i++) {
        struct topo topo;
        if (tdm_topology("torus", tori[i].topology, &topo) != STATUS_OK)
            return;
        for (size_t k = 0; k < sizeof tori[i].connections / sizeof *tori[i].connections; k++) {
            char name[64];
            snprintf(name, sizeof name, "random:connections=%" PRIu32, tori[i].connections[k]);
            draw_pattern(reproduction, &topo, tori[i].panel, name);
        }
        draw_pattern(reproduction, &topo, tori[i].panel, "all-to-all");
    }
}
