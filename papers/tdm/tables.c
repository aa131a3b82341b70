#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/tdm/degrees.h"
#include "papers/tdm/draws.h"
#include "papers/tdm/tdm.h"

/* Figures 1 and 3, and Tables 1 and 2 with what section 3.4 says of them. */

/* Moves of the search for the best schedule. */
enum { MOVES = 50000 };

/* ------------------------------------------------------------------ figures */

static double degree_of(const char *topology, const char *lines, int algorithm)
{
    struct topo topo;
    struct tdm_pattern pattern = {0};
    struct tdm_plan plan;
    struct tdm_method method = {.algorithm = algorithm, .limit = {.moves = 1000}};
    double degree = NAN;
    if (tdm_topology("topology", topology, &topo) == STATUS_OK &&
        tdm_pattern_parse("figure", lines, strlen(lines), topo.nodes, &pattern) == STATUS_OK &&
        tdm_plan_init(&plan, &topo, &pattern, &method) == STATUS_OK) {
        degree = plan.schedule.degree;
        tdm_plan_free(&plan);
    }
    tdm_pattern_free(&pattern);
    return degree;
}

static void figures(struct reproduction *reproduction)
{
    static const char figure_1[] = "4,1\n5,3\n6,10\n8,9\n11,2\n", figure_3[] = "0,2\n1,3\n3,4\n2,4\n";
    reproduction_item(reproduction, "figure-1/configurations", NULL,
                      degree_of("torus:4x4", figure_1, TDM_GREEDY));
    reproduction_item(reproduction, "figure-3/greedy", NULL, degree_of("linear:5", figure_3, TDM_GREEDY));
    reproduction_item(reproduction, "figure-3/optimum", NULL, degree_of("linear:5", figure_3, TDM_BEST));
}

/* ------------------------------------------------------------------ Table 1 */

static const unsigned rows[] = {100, 400, 800, 1200, 1600, 2000, 2400, 2800, 3200, 3600, 4000};
enum { ROWS = sizeof rows / sizeof *rows, SPARSE_UP_TO = 2400, DENSE_FROM = 2800 };

/* Beyond the paper, and slow. */
static bool gives_best(const struct reproduction *reproduction)
{
    return reproduction_is_first(reproduction) && !reproduction_is_quick(reproduction) &&
           reproduction_draws(reproduction);
}

static struct tdm_sums random_row(struct reproduction *reproduction, const struct tdm_readings *readings,
                                  unsigned connections)
{
    enum { PATTERNS = 100, FREE_PATTERNS = 5 };
    bool is_with_best = gives_best(reproduction);
    struct tdm_sums sums = {.count = {0}};
    for (unsigned i = 1; i <= PATTERNS; i++) {
        struct tdm_pattern pattern;
        tdm_draw_random(reproduction, connections, i, &pattern);
        tdm_add(&sums, readings, &pattern, i);
        if (is_with_best)
            tdm_add_best(&sums, readings, &pattern, MOVES, i <= FREE_PATTERNS);
        tdm_pattern_free(&pattern);
    }
    return sums;
}

static void draw_row(struct reproduction *reproduction, const struct tdm_sums *sums, unsigned connections)
{
    static const char *const names[TDM_COLUMNS] = {[COLUMN_GREEDY] = "greedy",
                                                   [COLUMN_COLORING] = "coloring",
                                                   [COLUMN_AAPC] = "ordered AAPC",
                                                   [COLUMN_COMBINED] = "combined",
                                                   [COLUMN_BOUND] = "lower bound",
                                                   [COLUMN_BEST] = "best",
                                                   [COLUMN_BEST_FREE] = "best, free routes"};
    for (int column = 0; column < TDM_COLUMNS; column++)
        reproduction_point_at(reproduction, "", names[column], connections, tdm_mean(sums, column));
}

/* What section 3.4 says of Table 1. */
static void words_on_random(struct reproduction *reproduction, const struct tdm_sums sums[static ROWS])
{
    bool coloring_wins = true, aapc_wins = true;
    double least = INFINITY, most = -INFINITY;
    for (size_t row = 0; row < ROWS; row++) {
        double greedy = tdm_mean(&sums[row], COLUMN_GREEDY), aapc = tdm_mean(&sums[row], COLUMN_AAPC);
        double coloring = tdm_mean(&sums[row], COLUMN_COLORING), gain = tdm_improvement(&sums[row]);
        coloring_wins = coloring_wins && coloring < greedy;
        aapc_wins = aapc_wins && (rows[row] < DENSE_FROM || (aapc < coloring && aapc < greedy));
        least = rows[row] <= SPARSE_UP_TO ? fmin(least, gain) : least;
        most = rows[row] <= SPARSE_UP_TO ? fmax(most, gain) : most;
    }
    reproduction_item(reproduction, "section-3.4/coloring-always-better-than-greedy", NULL, coloring_wins);
    reproduction_item(reproduction, "section-3.4/aapc-best-when-dense", NULL, aapc_wins);
    reproduction_item(reproduction, "section-3.4/least-sparse-improvement", NULL, least);
    reproduction_item(reproduction, "section-3.4/most-sparse-improvement", NULL, most);
}

static void table_1(struct reproduction *reproduction, const struct tdm_readings *readings,
                    struct tdm_sums sums[static ROWS])
{
    reproduction_figure(reproduction,
                        &(struct figure){.id = "table-1",
                                         .title = "Table 1: slots for random patterns",
                                         .says = "The best schedules found meet the lower bound on all but "
                                                 "the densest patterns; the paper's algorithms do not.",
                                         .how = "Means over patterns on the 8 x 8 torus; lower is better.",
                                         .x = "connections",
                                         .y = "multiplexing degree",
                                         .kind = FIGURE_LINES});
    for (size_t row = 0; row < ROWS; row++) {
        char prefix[32];
        sums[row] = random_row(reproduction, readings, rows[row]);
        snprintf(prefix, sizeof prefix, "table-1/%u", rows[row]);
        tdm_degree_items(reproduction, &sums[row], prefix);
        draw_row(reproduction, &sums[row], rows[row]);
    }
    words_on_random(reproduction, sums);
}

/* ------------------------------------------------------------------ Table 2 */

static const struct tdm_range {
    const char *name;
    size_t from, to;
} ranges[] = {{"0-100", 0, 100},         {"101-200", 101, 200},     {"201-400", 201, 400},
              {"401-800", 401, 800},     {"801-1200", 801, 1200},   {"1201-1600", 1201, 1600},
              {"1601-2000", 1601, 2000}, {"2001-2400", 2001, 2400}, {"2401-4031", 2401, 4031},
              {"4032", 4032, 4032}};
enum { BINS = sizeof ranges / sizeof *ranges };

/* Redistributions with as many connections as a range says. */
struct tdm_bin {
    struct tdm_sums sums;
    size_t patterns;
    double connections; /* of all of them */
};

static void add_redistribution(struct reproduction *reproduction, const struct tdm_readings *readings,
                               struct tdm_dice *dice, struct tdm_bin bins[static BINS], unsigned seed)
{
    struct tdm_pattern pattern;
    tdm_draw_redistribution(reproduction, dice, &pattern);
    size_t bin = 0;
    while (pattern.count > ranges[bin].to)
        bin++;
    bins[bin].patterns++;
    bins[bin].connections += (double)pattern.count;
    tdm_add(&bins[bin].sums, readings, &pattern, seed);
    if (gives_best(reproduction))
        tdm_add_best(&bins[bin].sums, readings, &pattern, MOVES, false);
    tdm_pattern_free(&pattern);
}

/* Slots of the combined algorithm for random patterns of so many connections: Table 1, with straight lines
 * between its rows. A pattern of one connection takes a slot. */
static double random_slots(const struct tdm_sums sums[static ROWS], double connections)
{
    double below = 1, below_slots = 1;
    for (size_t row = 0; row < ROWS; row++) {
        double slots = tdm_mean(&sums[row], COLUMN_COMBINED);
        if (connections <= rows[row])
            return below_slots + (slots - below_slots) * (connections - below) / (rows[row] - below);
        below = rows[row];
        below_slots = slots;
    }
    return below_slots;
}

/* What section 3.4 says of Table 2. Its sparse patterns are those of 101 connections and more but for
 * all-to-all: the smallest ones gain nothing, in the paper too. */
static void words_on_redistributions(struct reproduction *reproduction,
                                     const struct tdm_bin bins[static BINS],
                                     const struct tdm_sums sums[static ROWS])
{
    double least = INFINITY, most = -INFINITY, most_of_random = -INFINITY;
    bool need_less = true;
    for (size_t bin = 1; bin + 1 < BINS; bin++) {
        if (!bins[bin].patterns)
            continue;
        double connections = bins[bin].connections / (double)bins[bin].patterns;
        need_less = need_less && tdm_mean(&bins[bin].sums, COLUMN_COMBINED) < random_slots(sums, connections);
        least = fmin(least, tdm_improvement(&bins[bin].sums));
        most = fmax(most, tdm_improvement(&bins[bin].sums));
    }
    for (size_t row = 0; row < ROWS && rows[row] <= SPARSE_UP_TO; row++)
        most_of_random = fmax(most_of_random, tdm_improvement(&sums[row]));
    reproduction_item(reproduction, "section-3.4/redistributions-need-less", NULL, need_less);
    reproduction_item(reproduction, "section-3.4/redistributions-gain-more", NULL, least > most_of_random);
    reproduction_item(reproduction, "section-3.4/least-redistribution-improvement", NULL, least);
    reproduction_item(reproduction, "section-3.4/most-redistribution-improvement", NULL, most);
}

static void table_2(struct reproduction *reproduction, const struct tdm_readings *readings,
                    const struct tdm_sums random[static ROWS])
{
    enum { PATTERNS = 500 };
    struct tdm_dice dice = tdm_dice_of(reproduction, 1, "reproduce.tdm.redistributions");
    struct tdm_bin bins[BINS] = {{.patterns = 0}};
    for (unsigned i = 1; i <= PATTERNS; i++)
        add_redistribution(reproduction, readings, &dice, bins, i);
    for (size_t bin = 0; bin < BINS; bin++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "table-2/%s", ranges[bin].name);
        reproduction_item_format(reproduction, NULL, (double)bins[bin].patterns, "%s/patterns", prefix);
        if (bins[bin].patterns > 0)
            tdm_degree_items(reproduction, &bins[bin].sums, prefix);
    }
    words_on_redistributions(reproduction, bins, random);
}

void tdm_tables(struct reproduction *reproduction)
{
    struct tdm_readings readings = tdm_readings_of(reproduction);
    struct tdm_sums sums[ROWS];
    bool are_words_wanted = reproduction_wants(reproduction, "section-3.4/");
    if (reproduction_wants(reproduction, "figure-"))
        figures(reproduction);
    for (size_t row = 0; row < ROWS; row++)
        sums[row] = (struct tdm_sums){.count = {0}};
    if (are_words_wanted || reproduction_wants(reproduction, "table-1/"))
        table_1(reproduction, &readings, sums);
    if (are_words_wanted || reproduction_wants(reproduction, "table-2/"))
        table_2(reproduction, &readings, sums);
}
