#include <stdio.h>

#include "papers/segment/places.h"
#include "papers/segment/segment.h"

/* Figures 4 to 9. */

static void begin(struct reproduction *reproduction, const char *number, const char *what, const char *says,
                  const char *how, const char *x, const char *y, enum figure_kind kind, double reference)
{
    char id[48], title[128];
    snprintf(id, sizeof id, "figure-%s", number);
    snprintf(title, sizeof title, "Figure %s: %s", number, what);
    reproduction_figure(reproduction, &(struct figure){.id = id,
                                                       .title = title,
                                                       .says = says,
                                                       .how = how,
                                                       .x = x,
                                                       .y = y,
                                                       .kind = kind,
                                                       .reference = reference});
}

/* Calls `draw` for every layout and size, with names for its bar: "1-4MiB" as in Figure 9. */
static void each_place(struct reproduction *reproduction,
                       void (*draw)(struct reproduction *reproduction, const struct segment_place *place,
                                    const char *layout, const char *size))
{
    static const char *const names[SEGMENT_NETWORKS][SEGMENT_LAYOUTS] = {
        {"all switches", "1/2 of the switches", "1/4 of the switches"}, {"1 level", "2 levels", "3 levels"}};
    for (int network = 0; network < SEGMENT_NETWORKS; network++)
        for (int layout = 0; layout < SEGMENT_LAYOUTS; layout++)
            for (int size = 0; size < SEGMENT_SIZES; size++) {
                if (!segment_is_drawn(reproduction, segment_sizes[size]))
                    continue;
                struct segment_place place =
                    segment_with(network, segment_layouts[network][layout], segment_sizes[size]);
                draw(reproduction, &place, names[network][layout], segment_sizes[size]);
            }
}

/* A sorted curve: at each tenth of the links, or buffers. */
static void curve(struct reproduction *reproduction, const struct segment_place *place, const char *panel,
                  const char *series, const char *metric)
{
    for (int i = 0; i <= 10; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s_%d", metric, 10 * i);
        reproduction_point_at(reproduction, panel, series, 10.0 * i,
                              100 * segment_mean(reproduction, place, name));
    }
}

static void figure_4(struct reproduction *reproduction)
{
    begin(reproduction, "4", "links without buffers, in increasing order of use",
          "Share of the channels' time that granted circuits held, set-up included.",
          "A flat curve: all links are used alike.", "links, %", "utilisation, %", FIGURE_LINES, 0);
    static const char *const fabrics[] = {"circuit", "packetised"};
    for (int network = 0; network < SEGMENT_NETWORKS; network++)
        for (int i = 0; i < 2; i++) {
            struct segment_place place = segment_without(network, fabrics[i]);
            curve(reproduction, &place, segment_networks[network], fabrics[i], "granted_curve");
        }
}

static void link_curve(struct reproduction *reproduction, const struct segment_place *place,
                       const char *layout, const char *size)
{
    char panel[48];
    snprintf(panel, sizeof panel, "%s, %s", segment_networks[place->network], size);
    curve(reproduction, place, panel, layout, "granted_curve");
}

static void buffer_curve(struct reproduction *reproduction, const struct segment_place *place,
                         const char *layout, const char *size)
{
    char panel[48];
    snprintf(panel, sizeof panel, "%s, %s", segment_networks[place->network], size);
    if (size != segment_sizes[SEGMENT_SIZES - 1])
        curve(reproduction, place, panel, layout, "buffer_curve");
}

static void times_stored(struct reproduction *reproduction, const struct segment_place *place,
                         const char *layout, const char *size)
{
    static const struct {
        const char *name, *metric;
    } classes[] = {{"never", "never_stored"},
                   {"once", "stored_once"},
                   {"twice", "stored_twice"},
                   {"more often", "stored_more"}};
    char panel[64];
    snprintf(panel, sizeof panel, "%s, %s", segment_networks[place->network], layout);
    const char *item = segment_item(segment_shares, SEGMENT_SHARES, place);
    for (int i = 0; i < 4; i++) {
        reproduction_point(reproduction, panel, classes[i].name, size,
                           100 * segment_mean(reproduction, place, classes[i].metric));
        if (i == 0 && item)
            reproduction_point_of(reproduction, item);
    }
}

static void latency(struct reproduction *reproduction, const struct segment_place *place, const char *layout,
                    const char *size)
{
    double cycle_s = segment_mean(reproduction, place, "cycle_s");
    double network_s = segment_mean(reproduction, place, "queue_mean_s") +
                       segment_mean(reproduction, place, "network_mean_s");
    char panel[64];
    snprintf(panel, sizeof panel, "%s, %s", segment_networks[place->network], layout);
    reproduction_point(reproduction, panel, "network", size, network_s / cycle_s);
    reproduction_point(reproduction, panel, "buffers", size,
                       segment_mean(reproduction, place, "buffer_mean_s") / cycle_s);
}

static void speedup(struct reproduction *reproduction, const struct segment_place *place, const char *layout,
                    const char *size)
{
    struct mean_estimate estimate = segment_speedup(reproduction, place);
    const char *network = segment_networks[place->network];
    char confidence[48];
    snprintf(confidence, sizeof confidence, "%s, half width of the 95 %% confidence interval", network);
    const char *item = segment_item(segment_speedups, SEGMENT_SPEEDUPS, place);
    reproduction_point(reproduction, network, layout, size, estimate.mean);
    if (item)
        reproduction_point_of(reproduction, item);
    if (estimate.count > 1)
        reproduction_point(reproduction, confidence, layout, size, estimate.half_width);
}

static void figure_9(struct reproduction *reproduction)
{
    begin(reproduction, "9", "speedup over circuits",
          "Each seed's traffic on both; the mean of the seeds' ratios of makespans.",
          "Above the dashed line it is faster than a circuit for each message. Without buffers: packetised.",
          "size of a buffer", "speedup", FIGURE_BARS, 1);
    for (int network = 0; network < SEGMENT_NETWORKS; network++) {
        struct segment_place place = segment_without(network, "packetised");
        speedup(reproduction, &place, "packetised", "no buffer");
    }
    each_place(reproduction, speedup);
}

void segment_figures(struct reproduction *reproduction)
{
    figure_4(reproduction);
    begin(reproduction, "5", "links with buffers, in increasing order of use",
          "Share of the channels' time that granted circuits held, set-up included.",
          "One panel for each size of buffers.", "links, %", "utilisation, %", FIGURE_LINES, 0);
    each_place(reproduction, link_curve);
    begin(reproduction, "6", "buffers, in increasing order of use",
          "Eq. 2: slots taken, reserved ones included, over time.", "One panel for each size of buffers.",
          "buffers, %", "utilisation, %", FIGURE_LINES, 0);
    each_place(reproduction, buffer_curve);
    begin(reproduction, "7", "how often packets are stored on their way", "Shares of all packets.",
          "The bars of one size add up to 100 %.", "size of a buffer", "packets, %", FIGURE_BARS, 0);
    each_place(reproduction, times_stored);
    begin(reproduction, "8", "latency of a packet from its message's generation on",
          "In cycles, those spent in buffers apart; a run sends all messages at its beginning.",
          "Both together are the latency of a packet.", "size of a buffer", "cycles", FIGURE_BARS, 0);
    each_place(reproduction, latency);
    figure_9(reproduction);
}
