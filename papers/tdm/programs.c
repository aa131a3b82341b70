#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/tdm/degrees.h"
#include "papers/tdm/tdm.h"

/* Table 5: patterns of programs under compiled and under dynamic control, in slots. */

#define PAPER_SETTINGS "topology=torus:8x8,order=last tdm.slot_bytes=1B"
#define SLOT_S         1e-6 /* the default of tdm.slot_time */

/* A row of Table 5. A message takes `slots` slots. The paper publishes neither that nor n, the most messages
 * of a node: they are the integers for which (slots + 1) K + n - 1 gives the compiled times. So is the degree
 * K where Table 3 does not have it. */
struct tdm_row {
    const char *item, *pattern, *prefix; /* prefix: of variants */
    int slots, degree, messages;
};

static const struct tdm_row rows[] = {
    {"gs-64", "gs", "", 16, 2, 2},
    {"gs-128", "gs", "", 32, 2, 2},
    {"gs-256", "gs", "", 64, 2, 2},
    {"tscf", "tscf", "", 1, 7, 6},
    {"p3m-1-32", "p3m;part=1", "", 16, 48, 16},
    {"p3m-1-64", "p3m;part=1", "", 128, 48, 16},
    {"p3m-23-32", "p3m;part=2", "", 4, 64, 63},
    {"p3m-23-64", "p3m;part=2", "", 32, 64, 63},
    {"p3m-23-32", "p3m;part=3", "part-3-", 4, 64, 63},
    {"p3m-23-64", "p3m;part=3", "part-3-", 32, 64, 63},
    {"p3m-4-32", "p3m;part=4", "", 16, 26, 16},
    {"p3m-4-64", "p3m;part=4", "", 128, 26, 16},
    {"p3m-5-32", "p3m;part=5", "", 4, 7, 6},
    {"p3m-5-64", "p3m;part=5", "", 8, 7, 6},
    {"p3m-5-32", "p3m;part=5;edges=open", "open-edges-", 4, 7, 6},
    {"p3m-5-64", "p3m;part=5;edges=open", "open-edges-", 8, 7, 6},
    {"p3m-5-32", "p3m;part=5;neighbours=26", "26-neighbours-", 4, 7, 6},
    {"p3m-5-64", "p3m;part=5;neighbours=26", "26-neighbours-", 8, 7, 6},
};
enum { ROWS = sizeof rows / sizeof *rows, DEGREES = 4, COMPILED = 3 };
static const int degrees[DEGREES] = {1, 2, 5, 10};

static const struct {
    const char *name, *settings;
} compiled_ways[COMPILED] = {
    {"combined", "tdm.algorithm=combined"},
    {"best", "tdm.algorithm=best"},
    {"best-free", "tdm.algorithm=best tdm.routes=free"},
};

/* --------------------------------------------------------------------- runs */

static const struct run_facts *run(struct reproduction *reproduction, const struct tdm_row *row, int scale,
                                   const char *fabric, const char *settings)
{
    char workload[128], all[256];
    snprintf(workload, sizeof workload, "pattern:name=%s,ranks=64,bytes=%dB", row->pattern,
             row->slots * scale);
    snprintf(all, sizeof all, PAPER_SETTINGS " %s", settings);
    return reproduction_run(reproduction, fabric, workload, all);
}

static double compiled_slots(struct reproduction *reproduction, const struct tdm_row *row,
                             const char *settings)
{
    return run_metric(run(reproduction, row, 1, "tdm-compiled", settings), "slots");
}

/* The first seed of random ties with which the combined algorithm finds the degree behind the paper's time;
 * 0: it does with none of them. */
static unsigned ties_of(const struct tdm_row *row)
{
    enum { MOST_TIES = 1000, MOST_CONNECTIONS = 1200 };
    struct topo topo = tdm_paper_torus();
    struct tdm_pattern pattern = {0};
    unsigned found = 0;
    char name[64];
    snprintf(name, sizeof name, "%s", row->pattern);
    for (char *mark = name; (mark = strchr(mark, ';')) != NULL; mark++)
        *mark = strchr(name, ':') ? ',' : ':';
    if (tdm_pattern_named(name, topo.nodes, &pattern) != STATUS_OK)
        return 0;
    for (unsigned ties = 1; ties <= MOST_TIES && pattern.count < MOST_CONNECTIONS && !found; ties++) {
        struct tdm_method method = {.algorithm = TDM_COMBINED, .seed = ties};
        struct tdm_plan plan;
        if (tdm_plan_init(&plan, &topo, &pattern, &method) != STATUS_OK)
            break;
        if (plan.schedule.degree == (uint32_t)row->degree)
            found = ties;
        tdm_plan_free(&plan);
    }
    tdm_pattern_free(&pattern);
    return found;
}

/* The time until the last release has arrived, as the mean over seeds. */
static double dynamic_slots(struct reproduction *reproduction, const struct tdm_row *row, int degree,
                            const char *more, int scale)
{
    int seeds = reproduction_is_quick(reproduction) ? 1 : 5;
    double sum_s = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        char settings[160];
        snprintf(settings, sizeof settings, "tdm.degree=%d seed=%d%s", degree, seed, more);
        sum_s += run_metric(run(reproduction, row, scale, "tdm-dynamic", settings), "released_s");
    }
    return sum_s / seeds / SLOT_S;
}

/* ------------------------------------------------------------------ Table 5 */

/* For the claims of section 4.2. */
struct tdm_gains {
    double least, most;
    bool all_faster, one_is_best_for_gs;
};

static void note_gains(struct tdm_gains *gains, const struct tdm_row *row, double compiled,
                       const double dynamic[static DEGREES])
{
    double best = INFINITY;
    for (int i = 0; i < DEGREES; i++) {
        gains->least = fmin(gains->least, dynamic[i] / compiled);
        gains->most = fmax(gains->most, dynamic[i] / compiled);
        gains->all_faster = gains->all_faster && dynamic[i] > compiled;
        best = fmin(best, dynamic[i]);
    }
    if (row->pattern[0] == 'g' && best < dynamic[0])
        gains->one_is_best_for_gs = false;
}

static bool give_row(struct reproduction *reproduction, const struct tdm_row *row, struct tdm_gains *gains)
{
    char item[96], variant[96];
    double compiled[COMPILED], dynamic[DEGREES];
    bool is_paper = row->prefix[0] == '\0';
    snprintf(item, sizeof item, "table-5/%s/compiled", row->item);
    for (int way = 0; way < COMPILED; way++) {
        compiled[way] = compiled_slots(reproduction, row, compiled_ways[way].settings);
        snprintf(variant, sizeof variant, "%s%s", row->prefix, compiled_ways[way].name);
        reproduction_item(reproduction, item, variant, compiled[way]);
    }
    unsigned ties = ties_of(row);
    if (ties > 1) { /* 1 is the first variant */
        char settings[64];
        snprintf(settings, sizeof settings, "tdm.algorithm=combined seed=%u", ties);
        snprintf(variant, sizeof variant, "%scombined-other-ties", row->prefix);
        reproduction_item(reproduction, item, variant, compiled_slots(reproduction, row, settings));
    }
    if (is_paper) {
        double formula = (row->slots + 1) * row->degree + row->messages - 1;
        reproduction_item(reproduction, item, "formula", formula);
        reproduction_point(reproduction, "", "compiled", row->item, compiled[0]);
    }
    bool known = !isnan(compiled[0] + compiled[1] + compiled[2]);
    for (int i = 0; i < DEGREES; i++) {
        dynamic[i] = dynamic_slots(reproduction, row, degrees[i], "", 1);
        known = known && !isnan(dynamic[i]);
        snprintf(variant, sizeof variant, "%sdynamic", row->prefix);
        reproduction_item_format(reproduction, is_paper ? NULL : variant, dynamic[i], "table-5/%s/dynamic-%d",
                                 row->item, degrees[i]);
        snprintf(variant, sizeof variant, "dynamic, K = %d", degrees[i]);
        if (is_paper)
            reproduction_point(reproduction, "", variant, row->item, dynamic[i]);
    }
    if (is_paper)
        note_gains(gains, row, compiled[0], dynamic);
    return known;
}

/* How much of the gap is due to the control plane: the best fixed degree over compiled. */
static bool draw_gap(struct reproduction *reproduction)
{
    static const struct {
        const char *name, *settings;
        int scale;
    } worlds[] = {
        {"as published", "", 1},
        {"control ten times faster", " tdm.control_time=100ns tdm.control_processing=100ns", 1},
        {"slots ten times shorter", " tdm.slot_time=100ns", 10},
    };
    bool known = true;
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "gap",
                         .title = "Beyond the paper: how much of the gap is the control plane's",
                         .says = "A faster control plane helps small messages most. Shorter slots, which "
                                 "carry less each, make the same control plane slower by comparison.",
                         .how = "Time under the best fixed degree of 1, 2, 5, 10, divided by compiled time "
                                "(combined).",
                         .x = "pattern",
                         .y = "dynamic / compiled",
                         .kind = FIGURE_BARS,
                         .reference = 1});
    for (int i = 0; i < ROWS; i++) {
        const struct tdm_row *row = &rows[i];
        for (size_t world = 0; world < sizeof worlds / sizeof *worlds && !row->prefix[0]; world++) {
            char settings[96];
            int scale = worlds[world].scale;
            double best = INFINITY;
            snprintf(settings, sizeof settings, "tdm.algorithm=combined%s", worlds[world].settings);
            const struct run_facts *compiled = run(reproduction, row, scale, "tdm-compiled", settings);
            for (int d = 0; d < DEGREES; d++) {
                double slots = dynamic_slots(reproduction, row, degrees[d], worlds[world].settings, scale);
                known = known && !isnan(slots);
                best = fmin(best, slots);
            }
            known = known && !isnan(compiled->makespan_s);
            reproduction_point(reproduction, "", worlds[world].name, row->item,
                               best * SLOT_S / compiled->makespan_s);
        }
    }
    return known;
}

bool tdm_programs(struct reproduction *reproduction)
{
    struct tdm_gains gains = {.least = INFINITY, .all_faster = true, .one_is_best_for_gs = true};
    bool known = true;
    reproduction_figure(reproduction,
                        &(struct figure){.id = "table-5",
                                         .title = "Table 5: slots for the patterns of programs",
                                         .says = "Compiled control is ahead of every fixed degree.",
                                         .how = "Lower is better. Compiled: the combined algorithm; dynamic: "
                                                "means over seeds.",
                                         .x = "pattern and size",
                                         .y = "slots",
                                         .kind = FIGURE_BARS,
                                         .y_log = true});
    for (int i = 0; i < ROWS; i++)
        known = give_row(reproduction, &rows[i], &gains) && known;
    known = draw_gap(reproduction) && known;
    reproduction_item(reproduction, "section-4.2/compiled-always-faster", NULL, gains.all_faster);
    reproduction_item(reproduction, "section-4.2/degree-1-best-for-GS", NULL, gains.one_is_best_for_gs);
    reproduction_item(reproduction, "section-4.2/least-gain", NULL, gains.least);
    reproduction_item(reproduction, "section-4.2/largest-gain", NULL, gains.most);
    return known;
}
