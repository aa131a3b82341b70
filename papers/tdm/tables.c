#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "papers/tdm/degrees.h"
#include "papers/tdm/tdm.h"

/* Figures 1 and 3, and Tables 1 to 3 with what section 3.4 says of them. */

/* Moves of the search for the best schedule. Regular patterns are few, and need more. */
enum { RANDOM_MOVES = 50000, REGULAR_MOVES = 4000000 };

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

static void add_named(struct tdm_sums *sums, const char *name, uint64_t seed, bool with_free)
{
    struct topo topo = tdm_paper_torus();
    struct tdm_pattern pattern = {0};
    if (tdm_pattern_named(name, topo.nodes, &pattern) == STATUS_OK)
        tdm_add(sums, &pattern, seed, RANDOM_MOVES, with_free);
    tdm_pattern_free(&pattern);
}

static void draw(struct reproduction *reproduction, const struct tdm_sums *sums, unsigned connections)
{
    static const char *const names[TDM_COLUMNS] = {[COLUMN_GREEDY] = "greedy",
                                                   [COLUMN_COLORING] = "coloring",
                                                   [COLUMN_LITERAL] = "coloring, as worded",
                                                   [COLUMN_AAPC] = "ordered AAPC",
                                                   [COLUMN_COMBINED] = "combined",
                                                   [COLUMN_BOUND] = "lower bound",
                                                   [COLUMN_BEST] = "best",
                                                   [COLUMN_BEST_FREE] = "best, free routes"};
    for (int column = 0; column < TDM_COLUMNS; column++)
        reproduction_point_at(reproduction, "", names[column], connections, tdm_mean(sums, column));
}

static void table_1(struct reproduction *reproduction)
{
    static const unsigned rows[] = {100, 400, 800, 1200, 1600, 2000, 2400, 2800, 3200, 3600, 4000};
    enum { ROWS = sizeof rows / sizeof *rows, FREE_PATTERNS = 5, DENSE_FROM = 2800 };
    bool coloring_wins = true, aapc_wins = true;
    unsigned patterns = reproduction_is_quick(reproduction) ? 5 : 100;
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
        struct tdm_sums sums = {.count = {0}};
        char text[64];
        for (unsigned i = 1; i <= patterns; i++) {
            snprintf(text, sizeof text, "random:connections=%u,seed=%u", rows[row], i);
            add_named(&sums, text, i, i <= FREE_PATTERNS);
        }
        snprintf(text, sizeof text, "table-1/%u", rows[row]);
        tdm_degree_items(reproduction, &sums, text);
        reproduction_item_format(reproduction, NULL, tdm_mean(&sums, COLUMN_BEST_FREE), "%s/best-free", text);
        draw(reproduction, &sums, rows[row]);
        double coloring = tdm_mean(&sums, COLUMN_COLORING), aapc = tdm_mean(&sums, COLUMN_AAPC);
        coloring_wins = coloring_wins && coloring < tdm_mean(&sums, COLUMN_GREEDY);
        aapc_wins = aapc_wins && (rows[row] < DENSE_FROM || aapc < coloring);
    }
    reproduction_item(reproduction, "section-3.4/coloring-always-better-than-greedy", NULL, coloring_wins);
    reproduction_item(reproduction, "section-3.4/aapc-best-when-dense", NULL, aapc_wins);
}

/* ------------------------------------------------------------------ Table 2 */

/* A distribution over 64 processors. Each dimension has a power of two of them: the first is drawn, the
 * second from what is left, and the third has the rest. Block sizes are powers of two that leave no processor
 * without elements. */
static struct tdm_distribution random_distribution(struct rng *rng)
{
    enum { LOG_PROCESSORS = 6, LOG_ELEMENTS = 6 };
    struct tdm_distribution distribution;
    unsigned first = (unsigned)rng_below(rng, LOG_PROCESSORS + 1);
    unsigned second = (unsigned)rng_below(rng, LOG_PROCESSORS + 1 - first);
    unsigned logs[3] = {first, second, LOG_PROCESSORS - first - second};
    for (int d = 0; d < 3; d++) {
        distribution.processors[d] = 1u << logs[d];
        distribution.block[d] = 1u << rng_below(rng, LOG_ELEMENTS + 1 - logs[d]);
    }
    return distribution;
}

static const struct tdm_bin {
    const char *name;
    size_t from, to;
} bins[] = {{"0-100", 0, 100},         {"101-200", 101, 200},     {"201-400", 201, 400},
            {"401-800", 401, 800},     {"801-1200", 801, 1200},   {"1201-1600", 1201, 1600},
            {"1601-2000", 1601, 2000}, {"2001-2400", 2001, 2400}, {"2401-4031", 2401, 4031},
            {"4032", 4032, 4032}};
enum { BINS = sizeof bins / sizeof *bins };

static void add_redistribution(struct rng *rng, struct tdm_sums sums[static BINS],
                               size_t patterns[static BINS], unsigned seed)
{
    static const uint32_t elements[3] = {64, 64, 64};
    struct tdm_distribution from = random_distribution(rng), to = random_distribution(rng);
    struct tdm_pattern pattern = {0};
    tdm_pattern_redistribute(elements, &from, &to, &pattern);
    size_t bin = 0;
    while (pattern.count > bins[bin].to)
        bin++;
    patterns[bin]++;
    tdm_add(&sums[bin], &pattern, seed, RANDOM_MOVES, false);
    tdm_pattern_free(&pattern);
}

/* The paper prints zeros where it has no patterns. */
static void give_nothing(struct reproduction *reproduction, const char *prefix)
{
    static const char *const columns[] = {"greedy", "coloring", "aapc", "combined", "improvement"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        reproduction_item_format(reproduction, NULL, 0, "%s/%s", prefix, columns[i]);
}

static void table_2(struct reproduction *reproduction)
{
    enum { PATTERNS = 500 };
    struct rng rng = rng_init(1, "reproduce.tdm.redistributions");
    struct tdm_sums sums[BINS] = {{.count = {0}}};
    size_t patterns[BINS] = {0};
    if (reproduction_is_quick(reproduction))
        return;
    for (unsigned i = 1; i <= PATTERNS; i++)
        add_redistribution(&rng, sums, patterns, i);
    for (size_t bin = 0; bin < BINS; bin++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "table-2/%s", bins[bin].name);
        reproduction_item_format(reproduction, NULL, (double)patterns[bin], "%s/patterns", prefix);
        if (patterns[bin] > 0)
            tdm_degree_items(reproduction, &sums[bin], prefix);
        else
            give_nothing(reproduction, prefix);
    }
}

/* ------------------------------------------------------------------ Table 3 */

/* The degrees over many orders of requests, or random ties. The paper states neither. */
struct tdm_range {
    double least, most, nearest; /* nearest: to the published degree */
    double share_percent;        /* of orders or ties that give the published degree */
};

/* A reading of one algorithm; `prefix` begins the variants of its items. */
struct tdm_reading {
    const char *column, *prefix;
    int algorithm;
    bool is_mirrored; /* half around a ring, odd coordinates go down and even ones up */
};

static struct tdm_range range_of(struct reproduction *reproduction, const struct tdm_pattern *pattern,
                                 const struct tdm_reading *reading, double published)
{
    enum { FEW_CONNECTIONS = 1000, SEEDS = 1000, SEEDS_IF_MANY = 200 };
    struct topo topo = tdm_paper_torus();
    struct tdm_range range = {INFINITY, 0, INFINITY, 0};
    unsigned seeds =
        pattern->count < FEW_CONNECTIONS || reading->algorithm == TDM_GREEDY ? SEEDS : SEEDS_IF_MANY;
    if (reproduction_is_quick(reproduction))
        seeds /= 10;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        struct tdm_plan plan;
        struct tdm_method method = {.algorithm = reading->algorithm, .random_order = true, .seed = seed};
        if (tdm_plan_init(&plan, &topo, pattern, &method) != STATUS_OK)
            break;
        double degree = plan.schedule.degree;
        range.least = fmin(range.least, degree);
        range.most = fmax(range.most, degree);
        range.share_percent += (degree == published) * 100.0 / seeds;
        if (fabs(degree - published) < fabs(range.nearest - published))
            range.nearest = degree;
        tdm_plan_free(&plan);
    }
    return range;
}

/* Coordinate c of each node becomes -c. This swaps the two directions of a ring, and odd coordinates stay
 * odd. */
static struct tdm_pattern mirror(const struct tdm_pattern *pattern)
{
    enum { SIDE = 8 };
    struct tdm_pattern mirrored = {0};
    for (size_t i = 0; i < pattern->count; i++) {
        uint32_t ends[2] = {pattern->requests[i].source, pattern->requests[i].destination};
        for (int k = 0; k < 2; k++)
            ends[k] = (SIDE - ends[k] / SIDE) % SIDE * SIDE + (SIDE - ends[k] % SIDE) % SIDE;
        tdm_pattern_add(&mirrored, ends[0], ends[1]);
    }
    return mirrored;
}

static double give_range(struct reproduction *reproduction, const struct tdm_pattern *pattern,
                         const char *name, const struct tdm_reading *reading)
{
    char item[96], variant[64];
    struct tdm_pattern mirrored = {0};
    snprintf(item, sizeof item, "table-3/%s/%s", name, reading->column);
    if (reading->is_mirrored)
        mirrored = mirror(pattern);
    struct tdm_range range = range_of(reproduction, reading->is_mirrored ? &mirrored : pattern, reading,
                                      reproduction_published(reproduction, item));
    tdm_pattern_free(&mirrored);
    snprintf(variant, sizeof variant, "%sleast", reading->prefix);
    reproduction_item(reproduction, item, variant, range.least);
    snprintf(variant, sizeof variant, "%snearest", reading->prefix);
    reproduction_item(reproduction, item, variant, range.nearest);
    snprintf(variant, sizeof variant, "%smost", reading->prefix);
    reproduction_item(reproduction, item, variant, range.most);
    snprintf(variant, sizeof variant, "%sshare", reading->prefix);
    reproduction_item_format(reproduction, variant, range.share_percent, "%s-share", item);
    return range.nearest;
}

static void table_3_row(struct reproduction *reproduction, const char *name)
{
    static const struct tdm_reading greedy = {"greedy", "", TDM_GREEDY, false},
                                    combined = {"combined", "", TDM_COMBINED, false},
                                    others[] = {{"coloring", "", TDM_COLORING, false},
                                                {"coloring", "literal-", TDM_COLORING_LITERAL, false},
                                                {"coloring", "mirrored-", TDM_COLORING, true},
                                                {"aapc", "", TDM_AAPC, false}};
    struct topo topo = tdm_paper_torus();
    struct tdm_pattern pattern = {0};
    struct tdm_sums sums = {.count = {0}};
    if (tdm_pattern_named(name, topo.nodes, &pattern) != STATUS_OK)
        return;
    tdm_add(&sums, &pattern, 1, REGULAR_MOVES, true);
    reproduction_item_format(reproduction, NULL, (double)pattern.count, "table-3/%s/connections", name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        give_range(reproduction, &pattern, name, &others[i]);
    double first = give_range(reproduction, &pattern, name, &greedy);
    double better = give_range(reproduction, &pattern, name, &combined);
    reproduction_item_format(reproduction, NULL, 100 * (first / better - 1), "table-3/%s/improvement", name);
    reproduction_item_format(reproduction, NULL, tdm_mean(&sums, COLUMN_BOUND), "table-3/%s/bound", name);
    reproduction_item_format(reproduction, NULL, tdm_mean(&sums, COLUMN_BEST), "table-3/%s/best", name);
    reproduction_item_format(reproduction, NULL, tdm_mean(&sums, COLUMN_BEST_FREE), "table-3/%s/best-free",
                             name);
    if (strcmp(name, "all-to-all") == 0)
        reproduction_item(reproduction, "section-3.3/phases", NULL, tdm_mean(&sums, COLUMN_AAPC));
    tdm_pattern_free(&pattern);
}

static void table_3(struct reproduction *reproduction)
{
    static const char *const names[] = {"ring", "nearest-neighbour", "hypercube", "shuffle-exchange",
                                        "all-to-all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        table_3_row(reproduction, names[i]);
}

void tdm_tables(struct reproduction *reproduction)
{
    figures(reproduction);
    table_1(reproduction);
    table_2(reproduction);
    table_3(reproduction);
}
