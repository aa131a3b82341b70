#include "papers/segment/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const segment_networks[] = {"torus", "tree"};
const char *const segment_layouts[][SEGMENT_LAYOUTS] = {{"every:1", "every:2", "every:4"},
                                                        {"levels:1", "levels:2", "levels:3"}};
const char *const segment_sizes[] = {"32KiB", "128KiB", "1MiB", "2MiB", "4MiB", "16MiB", "unlimited"};

const struct segment_bar segment_speedups[SEGMENT_SPEEDUPS] = {
    {"figure-9/torus-all-1MB", SEGMENT_TORUS, "every:1", "1MiB"},
    {"figure-9/torus-half-2MB", SEGMENT_TORUS, "every:2", "2MiB"},
    {"figure-9/torus-quarter-4MB", SEGMENT_TORUS, "every:4", "4MiB"},
    {"figure-9/torus-quarter-1MB", SEGMENT_TORUS, "every:4", "1MiB"},
    {"figure-9/torus-all-4MB", SEGMENT_TORUS, "every:1", "4MiB"},
    {"figure-9/tree-1-level-1MB", SEGMENT_TREE, "levels:1", "1MiB"},
    {"figure-9/tree-best", SEGMENT_TREE, "levels:3", "16MiB"},
};
const struct segment_bar segment_shares[SEGMENT_SHARES] = {
    {"figure-7/torus-quarter-32KB-never-stored", SEGMENT_TORUS, "every:4", "32KiB"},
    {"figure-7/torus-all-32KB-never-stored", SEGMENT_TORUS, "every:1", "32KiB"},
    {"figure-7/torus-quarter-128KB-never-stored", SEGMENT_TORUS, "every:4", "128KiB"},
};

const char *segment_item(const struct segment_bar *bars, size_t count, const struct segment_place *place)
{
    for (size_t i = 0; i < count && place->buffers; i++)
        if (bars[i].network == place->network && strcmp(bars[i].buffers, place->buffers) == 0 &&
            strcmp(bars[i].size, place->size) == 0)
            return bars[i].item;
    return NULL;
}

enum { SEEDS = 20, SEEDS_QUICK = 1 };

static int seeds_of(const struct reproduction *reproduction)
{
    return reproduction_is_quick(reproduction) ? SEEDS_QUICK : SEEDS;
}

/* A quick search tries smaller networks, in which a channel has as much to carry: on a torus whose rings have
 * 12 switches that is so with any number of dimensions. Where routes have two thirds of the hops, a hop takes
 * three cycles instead of two, and set-up as long. */
static const struct {
    const char *published, *small;
} topologies[SEGMENT_NETWORKS] = {{"torus:12x12x12", "torus:12x12"}, {"fattree:12x3", "fattree:6x3"}};

static char *topology_of(struct reproduction *reproduction, enum segment_network network)
{
    bool is_small = reproduction_is_quick(reproduction) && reproduction_is_try(reproduction);
    const char *name = is_small ? topologies[network].small : topologies[network].published;
    if (network == SEGMENT_TREE)
        return mem_format("%s", name);
    return mem_format("%s,tie=%s%s", name, reproduction_choice(reproduction, "tie"),
                      is_small ? " photonic.forward=2" : "");
}

/* Section V: 1728 nodes, 100 messages each, 80 % of 4 KB and 20 % of 512 KB, to random destinations. */
static const struct run_facts *run(struct reproduction *reproduction, const struct segment_place *place,
                                   int seed)
{
    char workload[96], *settings, buffers[96] = "";
    snprintf(workload, sizeof workload, "uniform:messages=100,small=4KiB,large=512KiB,large_fraction=0.2%s",
             reproduction_chooses(reproduction, "mix", "exact") ? ",mix=exact" : "");
    if (place->buffers)
        snprintf(buffers, sizeof buffers, " segment.buffers=%s segment.buffer_size=%s", place->buffers,
                 place->size);
    char *topology = topology_of(reproduction, place->network);
    const char *circuits = reproduction_choice(reproduction, "circuits");
    bool is_own = strcmp(place->fabric, "circuit") == 0 && strcmp(circuits, "injection") != 0;
    settings = mem_format("topology=%s%s seed=%d%s%s", topology, buffers, seed,
                          is_own ? " photonic.injection=" : "", is_own ? circuits : "");
    const struct run_facts *facts = reproduction_run(reproduction, place->fabric, workload, settings);
    free(topology);
    free(settings);
    return facts;
}

struct segment_place segment_with(enum segment_network network, const char *buffers, const char *size)
{
    return (struct segment_place){.network = network, .fabric = "segment", .buffers = buffers, .size = size};
}

struct segment_place segment_without(enum segment_network network, const char *fabric)
{
    return (struct segment_place){.network = network, .fabric = fabric};
}

bool segment_is_drawn(const struct reproduction *reproduction, const char *size)
{
    bool is_quick_one = size == segment_sizes[0] || size == segment_sizes[2] || size == segment_sizes[4] ||
                        size == segment_sizes[5];
    return is_quick_one || !reproduction_is_quick(reproduction);
}

double segment_mean(struct reproduction *reproduction, const struct segment_place *place, const char *metric)
{
    double sum = 0;
    int seeds = seeds_of(reproduction);
    for (int seed = 1; seed <= seeds; seed++)
        sum += run_metric(run(reproduction, place, seed), metric);
    return sum / seeds;
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

double segment_most_of_means(struct reproduction *reproduction, const struct segment_place *place,
                             const char *series, const char *metric)
{
    double *sums = NULL, most;
    size_t count = 0;
    bool is_known = true;
    for (int seed = 1; seed <= SEEDS; seed++) {
        const struct run_facts *facts = run(reproduction, place, seed);
        double *seconds;
        size_t links = reproduction_series(reproduction, facts, series, &seconds);
        double share_of_a_second = run_metric(facts, metric) / largest(seconds, links);
        if (!sums)
            sums = mem_alloc((count = links) + 1, sizeof *sums, "links");
        is_known = is_known && links > 0 && links == count;
        for (size_t i = 0; is_known && i < links; i++)
            sums[i] += seconds[i] * share_of_a_second;
        free(seconds);
    }
    most = is_known ? largest(sums, count) / SEEDS : NAN;
    free(sums);
    return most;
}

struct mean_estimate segment_speedup(struct reproduction *reproduction, const struct segment_place *place)
{
    double speedups[SEEDS];
    int seeds = seeds_of(reproduction);
    struct segment_place circuit = segment_without(place->network, "circuit");
    for (int seed = 1; seed <= seeds; seed++)
        speedups[seed - 1] =
            run(reproduction, &circuit, seed)->makespan_s / run(reproduction, place, seed)->makespan_s;
    return stats_estimate_mean(speedups, (size_t)seeds);
}
