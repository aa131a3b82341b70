#include <math.h>
#include <stdio.h>

#include "papers/segment/places.h"
#include "papers/segment/segment.h"

/* The numbers and claims of Figures 4 to 9. */

static double percent(struct reproduction *reproduction, struct segment_place place, const char *metric)
{
    return 100 * segment_mean(reproduction, &place, metric);
}

static double mean_of_layouts(struct reproduction *reproduction, enum segment_network network,
                              const char *size, const char *metric)
{
    double sum = 0;
    for (int i = 0; i < SEGMENT_LAYOUTS; i++)
        sum += percent(reproduction, segment_with(network, segment_layouts[network][i], size), metric);
    return sum / SEGMENT_LAYOUTS;
}

static double holds(bool is_known, bool claim)
{
    return is_known ? claim : NAN;
}

/* Eq. 1 can be read in several ways: what counts as "used", and what is averaged over. The configuration
 * chooses. */
struct segment_reading {
    const char *choice, *mean, *most; /* the value of an unknown, and metrics */
    const char *series;               /* the same of each link; NULL: it is not kept */
};

static struct segment_reading utilisation_reading(struct reproduction *reproduction)
{
    static const struct segment_reading readings[] = {
        {"data", "utilisation_data", "most_used_link_data", "link_data_s"},
        {"busy", "utilisation_busy", "most_used_link_busy", NULL},
        {"in-use", "utilisation_in_use", "most_used_link_in_use", NULL},
        {"steps", "utilisation_steps", "most_used_link_steps", NULL},
        {"granted", "utilisation_granted", "most_used_link_granted", "link_granted_s"}};
    size_t i = 0;
    while (i + 1 < sizeof readings / sizeof *readings &&
           !reproduction_chooses(reproduction, "used", readings[i].choice))
        i++;
    return readings[i];
}

/* The right end of a curve of links in the order of their use: such a curve for each run, or one of the
 * links' means over all runs. */
static double most_used(struct reproduction *reproduction, struct segment_place place,
                        const struct segment_reading *reading)
{
    if (!reading->series || !reproduction_chooses(reproduction, "links", "means"))
        return percent(reproduction, place, reading->most);
    return 100 * segment_most_of_means(reproduction, &place, reading->series, reading->most);
}

/* And so can Eq. 2. */
static const char *buffer_reading(struct reproduction *reproduction)
{
    if (reproduction_chooses(reproduction, "occupied", "filled"))
        return "buffer_utilisation_filled";
    return reproduction_chooses(reproduction, "occupied", "steps") ? "buffer_utilisation_steps"
                                                                   : "buffer_utilisation";
}

/* "Increasing the number of buffers provides a marginal improvement": less than a step of the paper's
 * percentages, which are multiples of 5, from the fewest to the most buffers of 1 MB. */
static void more_buffers_items(struct reproduction *reproduction, const struct segment_reading *reading)
{
    enum { STEP = 5 };
    double sum = 0;
    for (int network = 0; network < SEGMENT_NETWORKS; network++) {
        double use[SEGMENT_LAYOUTS];
        char item[64];
        for (int i = 0; i < SEGMENT_LAYOUTS; i++) {
            use[i] = percent(reproduction, segment_with(network, segment_layouts[network][i], "1MiB"),
                             reading->mean);
            sum += use[i];
        }
        double gain = use[SEGMENT_LAYOUTS - 1] - use[0]; /* trees: from one level to three */
        gain = network == SEGMENT_TORUS ? -gain : gain;
        snprintf(item, sizeof item, "figure-5/%s-more-buffers-gain-little", segment_networks[network]);
        reproduction_item(reproduction, item, NULL, holds(!isnan(gain), gain >= 0 && gain < STEP));
    }
    double mean = sum / (SEGMENT_NETWORKS * SEGMENT_LAYOUTS);
    reproduction_item(reproduction, "figure-5/buffered-over-50", NULL, holds(!isnan(mean), mean > 50));
}

/* Figure 4, and what Figure 5 says of networks without buffers: the mean over both. */
static void utilisation_items(struct reproduction *reproduction)
{
    struct segment_reading reading = utilisation_reading(reproduction);
    double mean[SEGMENT_NETWORKS][2];
    for (int network = 0; network < SEGMENT_NETWORKS; network++) {
        static const char *const fabrics[] = {"circuit", "packetised"};
        for (int i = 0; i < 2; i++) {
            char item[64];
            snprintf(item, sizeof item, "figure-4/%s-utilisation-%s", segment_networks[network], fabrics[i]);
            mean[network][i] = percent(reproduction, segment_without(network, fabrics[i]), reading.mean);
            reproduction_item(reproduction, item, NULL, mean[network][i]);
        }
    }
    reproduction_item(reproduction, "figure-4/torus-most-used-packetised", NULL,
                      most_used(reproduction, segment_without(SEGMENT_TORUS, "packetised"), &reading));
    reproduction_item(reproduction, "figure-4/gain-of-utilisation", NULL,
                      (mean[0][1] - mean[0][0] + mean[1][1] - mean[1][0]) / 2);
    reproduction_item(reproduction, "figure-5/bufferless", NULL, (mean[0][0] + mean[1][0]) / 2);
}

static void buffered_utilisation_items(struct reproduction *reproduction)
{
    struct segment_reading reading = utilisation_reading(reproduction);
    reproduction_item(reproduction, "figure-5/torus-32KB", NULL,
                      mean_of_layouts(reproduction, SEGMENT_TORUS, "32KiB", reading.mean));
    reproduction_item(reproduction, "figure-5/tree-32KB", NULL,
                      mean_of_layouts(reproduction, SEGMENT_TREE, "32KiB", reading.mean));
    more_buffers_items(reproduction, &reading);
    if (reproduction_is_quick(reproduction))
        return;
    reproduction_item(reproduction, "figure-5/torus-unlimited", NULL,
                      mean_of_layouts(reproduction, SEGMENT_TORUS, "unlimited", reading.mean));
    reproduction_item(reproduction, "figure-5/tree-unlimited", NULL,
                      mean_of_layouts(reproduction, SEGMENT_TREE, "unlimited", reading.mean));
    reproduction_item(reproduction, "figure-5/tree-3-levels-most-used", NULL,
                      most_used(reproduction, segment_with(SEGMENT_TREE, "levels:3", "unlimited"), &reading));
}

/* How far apart the layouts' buffers are used, in points. */
static double spread_of_layouts(struct reproduction *reproduction, enum segment_network network,
                                const char *size)
{
    double least = INFINITY, most = 0, sum = 0;
    for (int i = 0; i < SEGMENT_LAYOUTS; i++) {
        double use = percent(reproduction, segment_with(network, segment_layouts[network][i], size),
                             buffer_reading(reproduction));
        least = fmin(least, use);
        most = fmax(most, use);
        sum += use;
    }
    return isnan(sum) ? NAN : most - least;
}

static void spread_items(struct reproduction *reproduction)
{
    double growth[SEGMENT_NETWORKS];
    for (int network = 0; network < SEGMENT_NETWORKS; network++)
        growth[network] = spread_of_layouts(reproduction, network, "16MiB") -
                          spread_of_layouts(reproduction, network, "32KiB");
    reproduction_item(reproduction, "figure-6/torus-layouts-differ-more-if-larger", NULL,
                      holds(!isnan(growth[SEGMENT_TORUS]), growth[SEGMENT_TORUS] > 0));
    reproduction_item(reproduction, "figure-6/tree-layouts-differ-more-than-torus", NULL,
                      holds(!isnan(growth[0] + growth[1]), growth[SEGMENT_TREE] > growth[SEGMENT_TORUS]));
}

static void buffer_items(struct reproduction *reproduction)
{
    static const char *const sizes[] = {"32KiB", "1MiB", "4MiB", "16MiB"};
    const char *metric = buffer_reading(reproduction);
    double torus[4], tree[4];
    for (int i = 0; i < 4; i++) {
        torus[i] = percent(reproduction, segment_with(SEGMENT_TORUS, "every:1", sizes[i]), metric);
        tree[i] = percent(reproduction, segment_with(SEGMENT_TREE, "levels:1", sizes[i]), metric);
    }
    bool is_known = !isnan(torus[0] + torus[1] + torus[2] + torus[3] + tree[0] + tree[1] + tree[2] + tree[3]);
    reproduction_item(reproduction, "figure-6/torus-all-32KB", NULL, torus[0]);
    reproduction_item(reproduction, "figure-6/torus-all-16MB", NULL, torus[3]);
    reproduction_item(reproduction, "figure-6/larger-buffers-are-less-used", NULL,
                      holds(is_known, torus[0] > torus[1] && torus[1] > torus[2] && torus[2] > torus[3]));
    reproduction_item(reproduction, "figure-6/top-level-falls-slower-than-torus", NULL,
                      holds(is_known, tree[3] / tree[0] > torus[3] / torus[0]));
    reproduction_item(reproduction, "figure-6/tree-larger-buffers-are-less-used", NULL,
                      holds(is_known, tree[0] > tree[1] && tree[1] > tree[2] && tree[2] > tree[3]));
    spread_items(reproduction);
}

/* "Blue bars are reduced progressively up to a size of 8-16 MB. From this size it stabilizes." */
static void tree_stable_item(struct reproduction *reproduction)
{
    static const char *const sizes[] = {"32KiB", "1MiB", "4MiB", "16MiB", "unlimited"};
    enum { SIZES = sizeof sizes / sizeof *sizes, POINTS = 3 };
    bool falls = true, is_stable = true, is_known = true;
    for (int layout = 0; layout < SEGMENT_LAYOUTS; layout++) {
        double never[SIZES];
        for (int i = 0; i < SIZES; i++) {
            never[i] = percent(reproduction,
                               segment_with(SEGMENT_TREE, segment_layouts[SEGMENT_TREE][layout], sizes[i]),
                               "never_stored");
            is_known = is_known && !isnan(never[i]);
            falls = falls && (i == 0 || i == SIZES - 1 || never[i] < never[i - 1]);
        }
        is_stable = is_stable && fabs(never[SIZES - 1] - never[SIZES - 2]) <= POINTS;
    }
    reproduction_item(reproduction, "figure-7/tree-stable-from-16MB", NULL,
                      holds(is_known, falls && is_stable));
}

/* The share of packets that are never stored. */
static double never_stored(struct reproduction *reproduction, enum segment_network network,
                           const char *buffers, const char *size)
{
    return percent(reproduction, segment_with(network, buffers, size), "never_stored");
}

/* Numbers of a single run: only those that are wanted are asked for. */
static void share_items(struct reproduction *reproduction)
{
    for (int i = 0; i < SEGMENT_SHARES; i++)
        if (reproduction_wants(reproduction, segment_shares[i].item))
            reproduction_item(
                reproduction, segment_shares[i].item, NULL,
                never_stored(reproduction, SEGMENT_TORUS, segment_shares[i].buffers, segment_shares[i].size));
    for (int i = 0; i < SEGMENT_LAYOUTS; i++) {
        char item[80];
        snprintf(item, sizeof item, "figure-7/tree-%d-level%s-32KB-never-stored-in-95-percent", i + 1,
                 i ? "s" : "");
        if (!reproduction_wants(reproduction, item))
            continue;
        double never = never_stored(reproduction, SEGMENT_TREE, segment_layouts[SEGMENT_TREE][i], "32KiB");
        reproduction_item(reproduction, item, NULL, holds(!isnan(never), never > 95));
    }
}

static void torus_stable_item(struct reproduction *reproduction)
{
    double spread = 0;
    for (int i = 0; i < SEGMENT_LAYOUTS; i++) {
        const char *buffers = segment_layouts[SEGMENT_TORUS][i];
        double change = fabs(never_stored(reproduction, SEGMENT_TORUS, buffers, "4MiB") -
                             never_stored(reproduction, SEGMENT_TORUS, buffers, "16MiB"));
        spread = change > spread || isnan(change) ? change : spread;
    }
    reproduction_item(reproduction, "figure-7/torus-stable-from-4MB", NULL,
                      holds(!isnan(spread), spread <= 3));
}

static void times_stored_item(struct reproduction *reproduction)
{
    double most_over = -INFINITY;
    for (int i = 0; i < SEGMENT_LAYOUTS; i++) {
        struct segment_place large = segment_with(SEGMENT_TREE, segment_layouts[SEGMENT_TREE][i], "16MiB");
        double over = segment_mean(reproduction, &large, "times_stored_mean") - (i + 1);
        most_over = over > most_over || isnan(over) ? over : most_over;
    }
    reproduction_item(reproduction, "figure-7/tree-no-more-often-than-levels", NULL,
                      holds(!isnan(most_over), most_over <= 0));
}

static void stored_items(struct reproduction *reproduction)
{
    share_items(reproduction);
    if (reproduction_wants(reproduction, "figure-7/torus-stable-"))
        torus_stable_item(reproduction);
    if (reproduction_wants(reproduction, "figure-7/tree-stable-") && !reproduction_is_quick(reproduction))
        tree_stable_item(reproduction);
    if (reproduction_wants(reproduction, "figure-7/tree-no-more-"))
        times_stored_item(reproduction);
}

static void latency_items(struct reproduction *reproduction)
{
    static const char *const sizes[] = {"32KiB", "1MiB", "4MiB"};
    bool grows = true, all_grow = true, is_known = true;
    bool is_queued = reproduction_chooses(reproduction, "generated", "message");
    for (int network = 0; network < SEGMENT_NETWORKS; network++)
        for (int layout = 0; layout < SEGMENT_LAYOUTS; layout++) {
            double before = 0, all_before = 0;
            for (int i = 0; i < 3; i++) {
                struct segment_place place =
                    segment_with(network, segment_layouts[network][layout], sizes[i]);
                double now = segment_mean(reproduction, &place, "buffer_mean_s");
                double all = now + segment_mean(reproduction, &place, "network_mean_s");
                if (is_queued)
                    all += segment_mean(reproduction, &place, "queue_mean_s");
                is_known = is_known && !isnan(all);
                grows = grows && now > before;
                all_grow = all_grow && all > all_before;
                before = now;
                all_before = all;
            }
        }
    reproduction_item(reproduction, "figure-8/buffer-latency-grows-with-size", NULL, holds(is_known, grows));
    reproduction_item(reproduction, "figure-8/latency-grows-with-size", NULL, holds(is_known, all_grow));
}

static double speedup(struct reproduction *reproduction, struct segment_place place)
{
    return segment_speedup(reproduction, &place).mean;
}

/* A claim about several speedups, and what they are: computed only where it is wanted. */
static void claim_item(struct reproduction *reproduction, const char *item,
                       bool (*is_true)(struct reproduction *reproduction, double *sum))
{
    if (!reproduction_wants(reproduction, item))
        return;
    double sum = 0; /* not a number while runs are missing */
    bool claim = is_true(reproduction, &sum);
    reproduction_item(reproduction, item, NULL, holds(!isnan(sum), claim));
}

static double speedup_with(struct reproduction *reproduction, enum segment_network network,
                           const char *buffers, const char *size, double *sum)
{
    double value = speedup(reproduction, segment_with(network, buffers, size));
    *sum += value;
    return value;
}

/* "The best results are reached when buffers are deployed in more switches." */
static bool more_switches_are_best(struct reproduction *reproduction, double *sum)
{
    static const char *const sizes[] = {"1MiB", "4MiB", "16MiB"};
    bool is_best = true;
    for (int size = 0; size < 3; size++) {
        double of_more = INFINITY;
        for (int layout = 0; layout < SEGMENT_LAYOUTS; layout++) {
            const char *buffers = segment_layouts[SEGMENT_TORUS][layout];
            double of_layout = speedup_with(reproduction, SEGMENT_TORUS, buffers, sizes[size], sum);
            is_best = is_best && of_layout < of_more;
            of_more = of_layout;
        }
    }
    return is_best;
}

/* In the tree "the greater the total buffer size the higher the speedup". */
static bool larger_is_faster(struct reproduction *reproduction, double *sum)
{
    double small = speedup_with(reproduction, SEGMENT_TREE, "levels:3", "1MiB", sum),
           medium = speedup_with(reproduction, SEGMENT_TREE, "levels:3", "4MiB", sum),
           large = speedup_with(reproduction, SEGMENT_TREE, "levels:3", "16MiB", sum);
    return small > 0 && medium > small && large > medium;
}

static bool nothing_is_gained_beyond_4_mb(struct reproduction *reproduction, double *sum)
{
    double of_16 = speedup_with(reproduction, SEGMENT_TORUS, "every:1", "16MiB", sum);
    return of_16 <= 1.05 * speedup_with(reproduction, SEGMENT_TORUS, "every:1", "4MiB", sum);
}

static bool spreading_a_capacity_helps(struct reproduction *reproduction, double *sum)
{
    double all = speedup_with(reproduction, SEGMENT_TORUS, "every:1", "1MiB", sum),
           half = speedup_with(reproduction, SEGMENT_TORUS, "every:2", "2MiB", sum),
           quarter = speedup_with(reproduction, SEGMENT_TORUS, "every:4", "4MiB", sum);
    return all > half && half > quarter;
}

static bool levels_are_alike(struct reproduction *reproduction, double *sum)
{
    double one = speedup_with(reproduction, SEGMENT_TREE, "levels:1", "16MiB", sum),
           three = speedup_with(reproduction, SEGMENT_TREE, "levels:3", "16MiB", sum);
    return fabs(three / one - 1) <= 0.1;
}

static bool top_level_is_best(struct reproduction *reproduction, double *sum)
{
    double one = speedup_with(reproduction, SEGMENT_TREE, "levels:1", "16MiB", sum),
           three = speedup_with(reproduction, SEGMENT_TREE, "levels:3", "4MiB", sum);
    return one >= three;
}

static void speedup_items(struct reproduction *reproduction)
{
    for (int network = 0; network < SEGMENT_NETWORKS; network++) {
        char item[48];
        snprintf(item, sizeof item, "figure-9/%s-packetised", segment_networks[network]);
        if (reproduction_wants(reproduction, item))
            reproduction_item(reproduction, item, NULL,
                              speedup(reproduction, segment_without(network, "packetised")));
    }
    for (int i = 0; i < SEGMENT_SPEEDUPS; i++) {
        const struct segment_bar *bar = &segment_speedups[i];
        if (reproduction_wants(reproduction, bar->item))
            reproduction_item(reproduction, bar->item, NULL,
                              speedup(reproduction, segment_with(bar->network, bar->buffers, bar->size)));
    }
    claim_item(reproduction, "figure-9/torus-no-gain-beyond-4MB", nothing_is_gained_beyond_4_mb);
    claim_item(reproduction, "figure-9/torus-spreading-a-capacity-helps", spreading_a_capacity_helps);
    claim_item(reproduction, "figure-9/tree-levels-are-alike", levels_are_alike);
    claim_item(reproduction, "figure-9/tree-top-level-is-best-for-a-capacity", top_level_is_best);
    claim_item(reproduction, "figure-9/torus-more-switches-are-best", more_switches_are_best);
    claim_item(reproduction, "figure-9/tree-larger-is-faster", larger_is_faster);
}

void segment_items(struct reproduction *reproduction)
{
    static const struct {
        const char *figures[2]; /* whose items it gives */
        void (*give)(struct reproduction *reproduction);
    } parts[] = {{{"figure-4/", "figure-5/bufferless"}, utilisation_items},
                 {{"figure-5/t", "figure-5/buffered-"}, buffered_utilisation_items},
                 {{"figure-6/", "figure-6/"}, buffer_items},
                 {{"figure-7/", "figure-7/"}, stored_items},
                 {{"figure-8/", "figure-8/"}, latency_items},
                 {{"figure-9/", "figure-9/"}, speedup_items}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (reproduction_wants(reproduction, parts[i].figures[0]) ||
            reproduction_wants(reproduction, parts[i].figures[1]))
            parts[i].give(reproduction);
    reproduction_skip(reproduction, "section-7/contention-is-less-frequent-downwards", NULL,
                      "failed reservations are not counted by their direction");
}
