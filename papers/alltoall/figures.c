#include <math.h>
#include <stdio.h>

#include "papers/alltoall/alltoall.h"

static const char how_modelled[] =
    "Model over stand-ins: packet fabric, host, copies and RNICs of the simulator; the second of two calls.";

static const char *const ways_of_leaders[] = {"bruck", "traff", "chochia", "v1", "v2", "v3"};
enum { LEADER_WAYS = sizeof ways_of_leaders / sizeof *ways_of_leaders };

/* The most nodes of a figure of Cluster A; --quick stops at 896 ranks. */
static uint32_t most_nodes(const struct reproduction *reproduction, uint32_t whole)
{
    enum { QUICK = 16 };
    return reproduction_is_quick(reproduction) && whole > QUICK ? QUICK : whole;
}

static double v3_us(struct reproduction *reproduction, const struct alltoall_cluster *cluster, uint32_t nodes,
                    uint64_t bytes)
{
    struct alltoall_setup setup = {cluster, nodes, "v3", "rc", bytes};
    return alltoall_latency_us(reproduction, &setup);
}

static double improvement_percent(double ours_us, double theirs_us)
{
    return 100 * (1 - ours_us / theirs_us);
}

static void begin_latencies(struct reproduction *reproduction, const char *id, const char *title,
                            const char *says, const char *x)
{
    reproduction_figure(reproduction, &(struct figure){.id = id,
                                                       .title = title,
                                                       .says = says,
                                                       .how = how_modelled,
                                                       .x = x,
                                                       .y = "latency in us",
                                                       .kind = FIGURE_LINES,
                                                       .is_common = true,
                                                       .x_log = true,
                                                       .y_log = true});
}

static void name_panel(char panel[static 32], const struct alltoall_cluster *cluster, uint32_t nodes)
{
    snprintf(panel, 32, "%u processes", nodes * cluster->ppn);
}

/* ----------------------------------------------------------------- figure 7 */

static double over_algorithm(struct reproduction *reproduction, uint32_t nodes, const char *algorithm)
{
    double sum = 0;
    size_t count = 0;
    for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++) {
        struct alltoall_setup setup = {&alltoall_cluster_a, nodes, algorithm, "rc", *bytes};
        if (!alltoall_is_averaged(reproduction, *bytes))
            continue;
        sum += improvement_percent(v3_us(reproduction, &alltoall_cluster_a, nodes, *bytes),
                                   alltoall_latency_us(reproduction, &setup));
        count++;
    }
    return sum / (double)count;
}

/* "An average latency improvement of 40%-50% and 9%-15%": averages over sizes, the least and the most of them
 * over the four numbers of processes and over the algorithms. */
static void figure_7_items(struct reproduction *reproduction, const char *item, const char *const *algorithms,
                           size_t count)
{
    char name[80];
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (uint32_t nodes = 2; nodes <= 16; nodes *= 2) {
            double percent = over_algorithm(reproduction, nodes, algorithms[i]);
            least = percent < least || isnan(percent) ? percent : least;
            most = percent > most || isnan(percent) ? percent : most;
        }
    snprintf(name, sizeof name, "%s-least", item);
    reproduction_item(reproduction, name, NULL, least);
    snprintf(name, sizeof name, "%s-most", item);
    reproduction_item(reproduction, name, NULL, most);
}

static double us_of(struct reproduction *reproduction, const char *algorithm, uint32_t nodes, uint64_t bytes)
{
    struct alltoall_setup setup = {&alltoall_cluster_a, nodes, algorithm, "rc", bytes};
    return alltoall_latency_us(reproduction, &setup);
}

/* The improvement over V1, in the mean over the sizes. */
static double over_v1(struct reproduction *reproduction, const char *algorithm, uint32_t nodes)
{
    double sum = 0;
    int count = 0;
    for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++) {
        if (!alltoall_is_averaged(reproduction, *bytes))
            continue;
        sum += improvement_percent(us_of(reproduction, algorithm, nodes, *bytes),
                                   us_of(reproduction, "v1", nodes, *bytes));
        count++;
    }
    return sum / count;
}

/* What the text says of the paper's own designs, for which nothing stands in. */
static void gains_over_v1(struct reproduction *reproduction)
{
    static const char *const designs[] = {"v2", "v3"};
    bool grows = true;
    double known = 0;
    for (int i = 0; i < 2; i++) {
        double before = -INFINITY, least = INFINITY;
        for (uint32_t nodes = 2; nodes <= 16; nodes *= 2) {
            double percent = over_v1(reproduction, designs[i], nodes);
            known += percent;
            grows = grows && percent > before;
            least = percent < least ? percent : least;
            before = percent;
        }
        char item[48];
        snprintf(item, sizeof item, "figure-7/%s-over-v1", designs[i]);
        reproduction_item(reproduction, item, NULL, isnan(known) ? NAN : least > 0);
    }
    reproduction_item(reproduction, "figure-7/gain-over-v1-grows-with-processes", NULL,
                      isnan(known) ? NAN : grows);
}

static void v3_over_v2(struct reproduction *reproduction)
{
    double v2 = us_of(reproduction, "v2", 16, 4096), v3 = us_of(reproduction, "v3", 16, 4096);
    reproduction_item(reproduction, "figure-7/v3-over-v2", NULL, isnan(v2 + v3) ? NAN : v3 < v2);
}

static void draw_figure_7(struct reproduction *reproduction)
{
    begin_latencies(reproduction, "figure-7",
                    "Figure 7: the designs, Bruck, Traeff and Chochia over RC, Cluster A",
                    "V1 sends a message for each rank of another node, the other hierarchical designs send "
                    "one for each other node.",
                    "bytes");
    for (uint32_t nodes = 2; nodes <= 16; nodes *= 2) {
        char panel[32];
        name_panel(panel, &alltoall_cluster_a, nodes);
        for (size_t i = 0; i < LEADER_WAYS; i++)
            for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++)
                reproduction_point_at(reproduction, panel, ways_of_leaders[i], (double)*bytes,
                                      us_of(reproduction, ways_of_leaders[i], nodes, *bytes));
    }
}

/* ----------------------------------------------------------------- figure 8 */

static void figure_8(struct reproduction *reproduction)
{
    enum { NODES = 8 };
    static const int libraries[] = {LIBRARY_INTEL_MPI, LIBRARY_MVAPICH};
    bool is_least = true, is_known = true;
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "figure-8",
            .title = "Figure 8: reads through PCIe, 8 nodes of 28 ranks, ConnectX-5",
            .says = "The reads of all NICs in one call: of connections, translations and descriptors.",
            .how = how_modelled,
            .x = "bytes",
            .y = "reads",
            .kind = FIGURE_LINES,
            .is_common = true,
            .x_log = true,
            .y_log = true});
    for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++) {
        struct alltoall_setup v3 = {&alltoall_cluster_local, NODES, "v3", "rc", *bytes};
        double ours = alltoall_pcie_reads(reproduction, &v3);
        reproduction_point_at(reproduction, "", "v3", (double)*bytes, ours);
        for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
            const struct alltoall_stand_in *stand_in = &alltoall_stand_ins[libraries[i]];
            struct alltoall_setup setup = alltoall_as(stand_in, &alltoall_cluster_local, NODES, *bytes, 0);
            double theirs = alltoall_pcie_reads(reproduction, &setup);
            reproduction_point_at(reproduction, "", stand_in->name, (double)*bytes, theirs);
            is_known = is_known && !isnan(ours) && !isnan(theirs);
            is_least = is_least && ours < theirs;
        }
    }
    reproduction_item(reproduction, "figure-8/v3-reads-least-through-pcie", NULL, is_known ? is_least : NAN);
}

/* --------------------------------------------------------- figures 9 and 10 */

static void draw_libraries(struct reproduction *reproduction, const struct alltoall_cluster *cluster,
                           uint32_t nodes)
{
    char panel[32];
    name_panel(panel, cluster, nodes);
    for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++) {
        reproduction_point_at(reproduction, panel, "v3", (double)*bytes,
                              v3_us(reproduction, cluster, nodes, *bytes));
        for (size_t i = 0; i < ALLTOALL_STAND_INS; i++)
            reproduction_point_at(
                reproduction, panel, alltoall_stand_ins[i].name, (double)*bytes,
                alltoall_stand_in_us(reproduction, &alltoall_stand_ins[i], cluster, nodes, *bytes));
    }
}

static const char left_out[] = "left out by --quick, which stops at 896 ranks";

/* The mean over the sizes at which the stand-in runs. */
static double over_library(struct reproduction *reproduction, const struct alltoall_stand_in *stand_in,
                           uint32_t nodes)
{
    double sum = 0;
    size_t count = 0;
    for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++) {
        if (!alltoall_is_averaged(reproduction, *bytes))
            continue;
        double theirs_us = alltoall_stand_in_us(reproduction, stand_in, &alltoall_cluster_a, nodes, *bytes);
        double percent =
            improvement_percent(v3_us(reproduction, &alltoall_cluster_a, nodes, *bytes), theirs_us);
        sum += isnan(percent) ? 0 : percent;
        count += !isnan(percent);
    }
    return count ? sum / (double)count : NAN;
}

/* Whether V3 is faster than all stand-ins, at each size and number of processes. */
static double is_fastest(struct reproduction *reproduction)
{
    bool so = true;
    for (uint32_t nodes = 16; nodes <= most_nodes(reproduction, 128); nodes *= 2)
        for (const uint64_t *bytes = alltoall_sizes; *bytes; bytes++)
            for (size_t i = 0; i < ALLTOALL_STAND_INS; i++)
                so = so && !(alltoall_stand_in_us(reproduction, &alltoall_stand_ins[i], &alltoall_cluster_a,
                                                  nodes, *bytes) <=
                             v3_us(reproduction, &alltoall_cluster_a, nodes, *bytes));
    return isnan(v3_us(reproduction, &alltoall_cluster_a, 16, 1)) ? NAN : so;
}

static void figures_9_and_10(struct reproduction *reproduction)
{
    begin_latencies(reproduction, "figure-9", "Figure 9: V3 and what stands for MPI libraries, Cluster A",
                    "There is no point where a stand-in needs more queue pairs than a NIC has.", "bytes");
    for (uint32_t nodes = 16; nodes <= most_nodes(reproduction, 128); nodes *= 2)
        draw_libraries(reproduction, &alltoall_cluster_a, nodes);
    reproduction_item(reproduction, "section-4/v3-is-faster-than-all-libraries", NULL,
                      is_fastest(reproduction));
    for (size_t i = 0; i < ALLTOALL_STAND_INS; i++) {
        const struct alltoall_stand_in *stand_in = &alltoall_stand_ins[i];
        if (reproduction_is_quick(reproduction))
            reproduction_skip(reproduction, stand_in->item, NULL, left_out);
        else
            reproduction_item(reproduction, stand_in->item, NULL, over_library(reproduction, stand_in, 128));
    }
    if (reproduction_is_quick(reproduction))
        return;
    begin_latencies(reproduction, "figure-10", "Figure 10: the same on Cluster B, Omni-Path",
                    "The adapter has no cache of connections, so the number of messages decides.", "bytes");
    for (uint32_t nodes = 16; nodes <= 32; nodes *= 2)
        draw_libraries(reproduction, &alltoall_cluster_b, nodes);
}

/* ---------------------------------------------------------------- figure 11 */

static double over_best_transport(struct reproduction *reproduction, uint64_t bytes)
{
    double most = -INFINITY;
    for (uint32_t nodes = 2; nodes <= 128; nodes *= 2) {
        double theirs_us = alltoall_stand_in_us(reproduction, &alltoall_stand_ins[LIBRARY_MVAPICH],
                                                &alltoall_cluster_a, nodes, bytes);
        double percent =
            improvement_percent(v3_us(reproduction, &alltoall_cluster_a, nodes, bytes), theirs_us);
        most = percent > most || isnan(percent) ? percent : most;
    }
    return most;
}

static void draw_transports(struct reproduction *reproduction, const char *panel, uint32_t nodes,
                            uint64_t bytes)
{
    static const char *const names[] = {"MVAPICH2-X, RC", "MVAPICH2-X, DC", "MVAPICH2-X, UD"};
    struct alltoall_setup flat = {&alltoall_cluster_a, nodes, "scatter-destination", "rc", bytes};
    reproduction_point_at(reproduction, panel, "v3", nodes,
                          v3_us(reproduction, &alltoall_cluster_a, nodes, bytes));
    for (size_t i = 0; i < 3; i++) {
        struct alltoall_setup setup =
            alltoall_as(&alltoall_stand_ins[LIBRARY_MVAPICH], &alltoall_cluster_a, nodes, bytes, i);
        reproduction_point_at(reproduction, panel, names[i], nodes,
                              alltoall_latency_us(reproduction, &setup));
    }
    reproduction_point_at(reproduction, panel, "flat, RC", nodes, alltoall_latency_us(reproduction, &flat));
}

static void figure_11(struct reproduction *reproduction)
{
    static const struct {
        uint64_t bytes;
        const char *panel, *item;
    } panels[] = {{512, "512 B", "section-4/transports-512B"}, {1024, "1 KiB", "section-4/transports-1024B"}};
    begin_latencies(
        reproduction, "figure-11", "Figure 11: V3 and transports on Cluster A, 56 ranks a node",
        "A flat algorithm over RC needs more than 131072 queue pairs from 64 nodes on, and ends there.",
        "nodes");
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++)
        for (uint32_t nodes = 2; nodes <= most_nodes(reproduction, 128); nodes *= 2)
            draw_transports(reproduction, panels[i].panel, nodes, panels[i].bytes);
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        if (reproduction_is_quick(reproduction))
            reproduction_skip(reproduction, panels[i].item, NULL, left_out);
        else
            reproduction_item(reproduction, panels[i].item, NULL,
                              over_best_transport(reproduction, panels[i].bytes));
    }
}

void alltoall_measured(struct reproduction *reproduction)
{
    bool draws = reproduction_draws(reproduction);
    if (draws)
        draw_figure_7(reproduction);
    if (reproduction_wants(reproduction, "figure-7/v2-over-v1") ||
        reproduction_wants(reproduction, "figure-7/v3-over-v1") ||
        reproduction_wants(reproduction, "figure-7/gain-over-v1"))
        gains_over_v1(reproduction);
    if (reproduction_wants(reproduction, "figure-7/v3-over-v2"))
        v3_over_v2(reproduction);
    if (reproduction_wants(reproduction, "section-4/v3-over-")) {
        figure_7_items(reproduction, "section-4/v3-over-bruck", &ways_of_leaders[0], 1);
        figure_7_items(reproduction, "section-4/v3-over-traff-and-chochia", &ways_of_leaders[1], 2);
    }
    if (draws || reproduction_wants(reproduction, "figure-8/"))
        figure_8(reproduction);
    if (!draws && !reproduction_wants(reproduction, "section-4/"))
        return;
    figures_9_and_10(reproduction);
    figure_11(reproduction);
}
