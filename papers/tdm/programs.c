#include "papers/tdm/programs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/tdm/degrees.h"
#include "papers/tdm/tdm.h"

/* Table 5: patterns of programs under compiled and under dynamic control, in slots. */

enum { GS_PER_SLOT = 4, P3M_PER_SLOT = 2 };
#define CUBE_PART(n, messages) ((n) * (n) * (n) / 64 / (messages) / P3M_PER_SLOT)
#define CUBE_LINE(n)           ((n) / 4 / P3M_PER_SLOT)
#define SLOT_S                 1e-6 /* the default of tdm.slot_time */

const struct tdm_row tdm_rows[TDM_ROWS] = {
    {"gs-64", "gs", 64 / GS_PER_SLOT},
    {"gs-128", "gs", 128 / GS_PER_SLOT},
    {"gs-256", "gs", 256 / GS_PER_SLOT},
    {"tscf", "tscf", 1},
    {"p3m-1-32", "p3m;part=1", CUBE_PART(32, 16)},
    {"p3m-1-64", "p3m;part=1", CUBE_PART(64, 16)},
    {"p3m-23-32", "p3m;part=2", CUBE_PART(32, 64)},
    {"p3m-23-64", "p3m;part=2", CUBE_PART(64, 64)},
    {"p3m-4-32", "p3m;part=4", CUBE_PART(32, 16)},
    {"p3m-4-64", "p3m;part=4", CUBE_PART(64, 16)},
    {"p3m-5-32", "p3m;part=5", CUBE_LINE(32)},
    {"p3m-5-64", "p3m;part=5", CUBE_LINE(64)},
};
const int tdm_degrees[TDM_DEGREES] = {1, 2, 5, 10};
const struct tdm_world tdm_paper_world = {"as published", "", 1};

/* --------------------------------------------------------------------- runs */

const char *tdm_pattern_of(struct reproduction *reproduction, const struct tdm_row *row)
{
    if (strcmp(row->pattern, "p3m;part=5") != 0)
        return row->pattern;
    return reproduction_chooses(reproduction, "p3m_5", "26")       ? "p3m;part=5;neighbours=26"
           : reproduction_chooses(reproduction, "p3m_5", "6-open") ? "p3m;part=5;edges=open"
                                                                   : row->pattern;
}

static const struct run_facts *run(struct reproduction *reproduction, const struct tdm_row *row,
                                   const char *pattern, const struct tdm_world *world, const char *fabric,
                                   const char *settings)
{
    char workload[128], all[256];
    bool is_reverse = reproduction_chooses(reproduction, "half_ring", "odd-down");
    snprintf(workload, sizeof workload, "pattern:name=%s,ranks=64,bytes=%dB,order=%s", pattern,
             row->slots * world->scale, reproduction_choice(reproduction, "send_order"));
    snprintf(all, sizeof all, "topology=torus:8x8,order=last%s tdm.slot_bytes=1B %s%s",
             is_reverse ? ",tie=reverse" : "", settings, world->settings);
    return reproduction_run(reproduction, fabric, workload, all);
}

double tdm_compiled_slots(struct reproduction *reproduction, const struct tdm_row *row, const char *pattern,
                          const struct tdm_world *world, const char *settings)
{
    return run_metric(run(reproduction, row, pattern, world, "tdm-compiled", settings), "slots");
}

double tdm_dynamic_slots(struct reproduction *reproduction, const struct tdm_row *row, const char *pattern,
                         const struct tdm_world *world, int degree)
{
    enum { SEEDS = 5 };
    double sum_s = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        char settings[96];
        snprintf(settings, sizeof settings, "tdm.degree=%d seed=%d", degree, seed);
        sum_s += run_metric(run(reproduction, row, pattern, world, "tdm-dynamic", settings), "released_s");
    }
    return sum_s / SEEDS / SLOT_S;
}

/* The combined algorithm with the coloring of this configuration. */
static const char *combined_settings(struct reproduction *reproduction, const char *pattern)
{
    struct tdm_readings readings = tdm_readings_of(reproduction);
    struct tdm_pattern parsed = {0};
    char name[64], *mark;
    if (readings.coloring == TDM_COLORING)
        return "tdm.algorithm=combined";
    snprintf(name, sizeof name, "%s", pattern);
    for (mark = name; (mark = strchr(mark, ';')) != NULL; mark++)
        *mark = strchr(name, ':') ? ',' : ':';
    if (tdm_pattern_named(name, readings.topo.nodes, &parsed) != STATUS_OK)
        return "";
    bool aapc_wins =
        tdm_degree(&readings, &parsed, TDM_AAPC, 1) < tdm_degree(&readings, &parsed, readings.coloring, 1);
    tdm_pattern_free(&parsed);
    return aapc_wins                                   ? "tdm.algorithm=aapc"
           : readings.coloring == TDM_COLORING_LITERAL ? "tdm.algorithm=coloring-literal"
           : readings.coloring == TDM_COLORING_INITIAL ? "tdm.algorithm=coloring-initial"
                                                       : "tdm.algorithm=coloring-longest";
}

/* ------------------------------------------------------------------ Table 5 */

/* Times of a row under compiled and dynamic control. */
struct tdm_times {
    double compiled, dynamic[TDM_DEGREES];
};

static struct tdm_times times_of(struct reproduction *reproduction, const struct tdm_row *row,
                                 const char *pattern)
{
    struct tdm_times times;
    times.compiled = tdm_compiled_slots(reproduction, row, pattern, &tdm_paper_world,
                                        combined_settings(reproduction, pattern));
    for (int i = 0; i < TDM_DEGREES; i++)
        times.dynamic[i] = tdm_dynamic_slots(reproduction, row, pattern, &tdm_paper_world, tdm_degrees[i]);
    return times;
}

static double best_of(const struct tdm_times *times)
{
    double best = INFINITY;
    for (int i = 0; i < TDM_DEGREES; i++)
        best = fmin(best, times->dynamic[i]);
    return best;
}

static bool are_known(const struct tdm_times *times)
{
    double sum = times->compiled;
    for (int i = 0; i < TDM_DEGREES; i++)
        sum += times->dynamic[i];
    return !isnan(sum);
}

/* Gives the items of a row, as a variant unless that is NULL. */
static void give_times(struct reproduction *reproduction, const struct tdm_row *row,
                       const struct tdm_times *times, const char *variant)
{
    reproduction_item_format(reproduction, variant, times->compiled, "table-5/%s/compiled", row->item);
    for (int i = 0; i < TDM_DEGREES; i++)
        reproduction_item_format(reproduction, variant, times->dynamic[i], "table-5/%s/dynamic-%d", row->item,
                                 tdm_degrees[i]);
}

static void draw_times(struct reproduction *reproduction, const struct tdm_row *row,
                       const struct tdm_times *times)
{
    reproduction_point(reproduction, "", "compiled", row->item, times->compiled);
    for (int i = 0; i < TDM_DEGREES; i++) {
        char series[32];
        snprintf(series, sizeof series, "dynamic, K = %d", tdm_degrees[i]);
        reproduction_point(reproduction, "", series, row->item, times->dynamic[i]);
    }
}

/* Beside the paper's: better schedules, and the other half of P3M 2,3. */
static bool give_others(struct reproduction *reproduction, const struct tdm_row *row)
{
    static const struct {
        const char *name, *settings;
    } ways[] = {{"best", "tdm.algorithm=best"}, {"best-free", "tdm.algorithm=best tdm.routes=free"}};
    bool known = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double slots = tdm_compiled_slots(reproduction, row, tdm_pattern_of(reproduction, row),
                                          &tdm_paper_world, ways[i].settings);
        reproduction_item_format(reproduction, ways[i].name, slots, "table-5/%s/compiled", row->item);
        known = known && !isnan(slots);
    }
    if (strcmp(row->pattern, "p3m;part=2") == 0) {
        struct tdm_times times = times_of(reproduction, row, "p3m;part=3");
        give_times(reproduction, row, &times, "part-3");
        known = known && are_known(&times);
    }
    return known;
}

/* ------------------------------------------------------------- section 4.2 */

static int row_of(const char *item)
{
    int row = 0;
    while (strcmp(tdm_rows[row].item, item) != 0)
        row++;
    return row;
}

/* The gain of compiled communication over the best fixed degree is largest where messages are small (TSCF)
 * and where communication is dense (P3M 2). */
static bool gain_most(const struct tdm_times times[static TDM_ROWS])
{
    double tscf = best_of(&times[row_of("tscf")]) / times[row_of("tscf")].compiled,
           dense = best_of(&times[row_of("p3m-23-32")]) / times[row_of("p3m-23-32")].compiled;
    for (int row = 0; row < TDM_ROWS; row++)
        if (row != row_of("tscf") && strcmp(tdm_rows[row].pattern, "p3m;part=2") != 0 &&
            best_of(&times[row]) / times[row].compiled >= fmin(tscf, dense))
            return false;
    return true;
}

static void words(struct reproduction *reproduction, const struct tdm_times times[static TDM_ROWS])
{
    bool all_faster = true, one_is_best_for_gs = true;
    double least = INFINITY, most = 0;
    for (int row = 0; row < TDM_ROWS; row++) {
        for (int i = 0; i < TDM_DEGREES; i++) {
            least = fmin(least, times[row].dynamic[i] / times[row].compiled);
            most = fmax(most, times[row].dynamic[i] / times[row].compiled);
            all_faster = all_faster && times[row].dynamic[i] > times[row].compiled;
        }
        if (strcmp(tdm_rows[row].pattern, "gs") == 0 && best_of(&times[row]) < times[row].dynamic[0])
            one_is_best_for_gs = false;
    }
    reproduction_item(reproduction, "section-4.2/compiled-always-faster", NULL, all_faster);
    reproduction_item(reproduction, "section-4.2/degree-1-best-for-GS", NULL, one_is_best_for_gs);
    reproduction_item(reproduction, "section-4.2/TSCF-and-P3M-2-gain-most", NULL, gain_most(times));
    reproduction_item(reproduction, "section-4.2/least-gain", NULL, least);
    reproduction_item(reproduction, "section-4.2/largest-gain", NULL, most);
}

bool tdm_programs(struct reproduction *reproduction)
{
    struct tdm_times times[TDM_ROWS];
    bool known = true, is_drawn = reproduction_draws(reproduction),
         are_words_wanted = reproduction_wants(reproduction, "section-4.2/");
    reproduction_figure(reproduction,
                        &(struct figure){.id = "table-5",
                                         .title = "Table 5: slots for the patterns of programs",
                                         .says = "Compiled control is ahead of every fixed degree.",
                                         .how = "Lower is better. Compiled: the combined algorithm; dynamic: "
                                                "means over five seeds.",
                                         .x = "pattern and size",
                                         .y = "slots",
                                         .kind = FIGURE_BARS,
                                         .y_log = true});
    for (int i = 0; i < TDM_ROWS; i++) {
        const struct tdm_row *row = &tdm_rows[i];
        char prefix[32];
        snprintf(prefix, sizeof prefix, "table-5/%s/", row->item);
        if (!are_words_wanted && !reproduction_wants(reproduction, prefix))
            continue;
        times[i] = times_of(reproduction, row, tdm_pattern_of(reproduction, row));
        known = known && are_known(&times[i]);
        give_times(reproduction, row, &times[i], NULL);
        draw_times(reproduction, row, &times[i]);
        if (reproduction_is_first(reproduction) && is_drawn)
            known = give_others(reproduction, row) && known;
    }
    if (are_words_wanted)
        words(reproduction, times);
    return known;
}
