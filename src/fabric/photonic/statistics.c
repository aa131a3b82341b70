#include <stdlib.h>

#include "base/stats.h"
#include "fabric/photonic/photonic.h"

#define FIELD(field) offsetof(struct photonic_statistics, field)

/* A sorted curve by its tenths. */
#define TENTH(name, field, tenth, text)                                                                      \
    {                                                                                                        \
        name "_" #tenth "0", METRIC_RATIO, FIELD(field[tenth]), text                                         \
    }
#define CURVE(name, field, text)                                                                             \
    {name "_0", METRIC_RATIO, FIELD(field[0]), text}, TENTH(name, field, 1, text),                           \
        TENTH(name, field, 2, text), TENTH(name, field, 3, text), TENTH(name, field, 4, text),               \
        TENTH(name, field, 5, text), TENTH(name, field, 6, text), TENTH(name, field, 7, text),               \
        TENTH(name, field, 8, text), TENTH(name, field, 9, text), TENTH(name, field, 10, text)

static const struct metric metric_list[] = {
    {"packets", METRIC_COUNT, FIELD(packets), "that have arrived; without an MTU a message is one"},
    {"hop_bytes", METRIC_BYTES_SUM, FIELD(hop_bytes), "bytes x hops of the messages that were sent"},
    {"segments", METRIC_COUNT, FIELD(segments), "transfers: circuits, or parts of one that end in a buffer"},
    {"attempts", METRIC_COUNT, FIELD(attempts), "reservations tried"},
    {"failed_attempts", METRIC_COUNT, FIELD(failed_attempts), "in vain"},
    {"probe_hops", METRIC_COUNT, FIELD(probe_hops), "hops that their probes took forward"},
    {"cycle_s", METRIC_TIME, FIELD(cycle_ps), "cycle of the control plane"},
    {"last_delivery_s", METRIC_TIME, FIELD(last_delivery_ps), "when the last packet arrived"},
    {"t95_s", METRIC_TIME, FIELD(t95_ps), "when 95 % of all bytes had arrived"},
    {"utilisation_data", METRIC_RATIO, FIELD(data),
     "share of the channels' time until the last delivery that bytes took (Eq. 1, data alone)"},
    {"utilisation_granted", METRIC_RATIO, FIELD(granted), "that granted circuits held, set-up included"},
    {"utilisation_tried", METRIC_RATIO, FIELD(tried), "granted, and what probes held that gave it up again"},
    {"utilisation_busy", METRIC_RATIO, FIELD(busy),
     "share of the time that any of a link's channels was taken"},
    {"utilisation_in_use", METRIC_RATIO, FIELD(in_use),
     "granted, as a share of the time in which any of the link's channels was taken"},
    {"utilisation_steps", METRIC_RATIO, FIELD(steps),
     "granted, the mean over the ends of transfers and not over time"},
    {"most_used_link_data", METRIC_RATIO, FIELD(data_most), "data, of the link that has most"},
    {"most_used_link_granted", METRIC_RATIO, FIELD(granted_most), "granted, of the link that has most"},
    {"most_used_link_busy", METRIC_RATIO, FIELD(busy_most), "busy, of the link that has most"},
    {"most_used_link_in_use", METRIC_RATIO, FIELD(in_use_most), "in use, of the link that has most"},
    {"most_used_link_steps", METRIC_RATIO, FIELD(steps_most), "steps, of the link that has most"},
    CURVE("granted_curve", granted_curve,
          "granted, of the link that is used more than this share of them, %"),
    {"buffers", METRIC_COUNT, FIELD(buffer_count), "switches that have one"},
    {"buffer_utilisation", METRIC_RATIO, FIELD(buffers_reserved),
     "share of slots taken, reserved ones included, over time (Eq. 2); 0 where they are unlimited"},
    {"buffer_utilisation_filled", METRIC_RATIO, FIELD(buffers_filled), "those with a packet alone"},
    {"buffer_utilisation_steps", METRIC_RATIO, FIELD(buffers_steps),
     "reserved ones included, the mean over the ends of transfers and not over time"},
    CURVE("buffer_curve", buffer_curve, "Eq. 2 of the buffer that is used more than this share of them, %"),
    {"buffer_peak_slots", METRIC_COUNT, FIELD(buffer_peak_slots), "most slots taken at once, of any buffer"},
    {"never_stored", METRIC_RATIO, FIELD(never_stored), "share of packets that went straight there"},
    {"stored_once", METRIC_RATIO, FIELD(stored_once), "share of packets that were stored once"},
    {"stored_twice", METRIC_RATIO, FIELD(stored_twice), "twice"},
    {"stored_more", METRIC_RATIO, FIELD(stored_more), "more often"},
    {"times_stored_mean", METRIC_RATIO, FIELD(times_stored_mean), "buffers that a packet passed"},
    {"queue_mean_s", METRIC_RATIO, FIELD(queue_mean_s),
     "seconds of a packet between its message's generation and its first reservation"},
    {"network_mean_s", METRIC_RATIO, FIELD(network_mean_s), "from then on to its arrival, without buffers"},
    {"buffer_mean_s", METRIC_RATIO, FIELD(buffer_mean_s), "in buffers, until it is sent on"},
    {"link_data_s", METRIC_TIMES, FIELD(link_data), "channel time of each link that bytes took"},
    {"link_granted_s", METRIC_TIMES, FIELD(link_granted), "that granted circuits held"},
    {"link_tried_s", METRIC_TIMES, FIELD(link_tried), "that probes held which gave it up again"},
    {"buffer_reserved_s", METRIC_TIMES, FIELD(buffer_reserved), "slot time of each buffer"},
    {"buffer_switch", METRIC_COUNTS, FIELD(buffer_switch), "the switch that each buffer is in"},
    {"times_stored", METRIC_COUNTS, FIELD(times_stored), "packets that were stored so many times, from 0"},
};

const struct metric_table photonic_metrics = {.metrics = metric_list,
                                              .count = sizeof metric_list / sizeof *metric_list,
                                              .size = sizeof(struct photonic_statistics)};

/* ------------------------------------------------------------ while running */

/* The high halves of the sums of links and buffers: of the series, in their order, and of filled_ps. */
static int64_t *high_halves(struct photonic *photonic)
{
    if (!photonic->high)
        photonic->high = mem_alloc(3 * (size_t)photonic->topo.links + 3 * (size_t)photonic->buffer_count,
                                   sizeof *photonic->high, "statistics");
    return photonic->high;
}

void statistics_carry_link(struct photonic *photonic, uint32_t link, enum link_sum which)
{
    size_t count = photonic->topo.links - photonic->first_link;
    high_halves(photonic)[which * count + link - photonic->first_link]++;
}

static size_t place_of_buffers(const struct photonic *photonic, enum buffer_sum which)
{
    return 3 * (size_t)photonic->topo.links +
           (which == BUFFER_FILLED ? 2 * (size_t)photonic->buffer_count : 0);
}

void statistics_carry_buffer(struct photonic *photonic, uint32_t buffer, enum buffer_sum which)
{
    high_halves(photonic)[place_of_buffers(photonic, which) + buffer]++;
}

static sum_t spread_at(const struct photonic_spread *spread, uint32_t bin)
{
    return spread->bins[bin] + (spread->high ? (sum_t)spread->high[bin] << 64 : 0);
}

static void spread_set(struct photonic_spread *spread, uint32_t bin, sum_t bytes)
{
    int64_t high = (int64_t)(bytes >> 64);
    if (high && !spread->high)
        spread->high = mem_alloc(SPREAD_BINS, sizeof *spread->high, "statistics");
    if (spread->high)
        spread->high[bin] = high;
    spread->bins[bin] = (uint64_t)bytes;
}

static void spread_add(struct photonic_spread *spread, ps_t at, uint64_t bytes)
{
    while (at / spread->width_ps >= SPREAD_BINS) {
        for (uint32_t i = 0; i < SPREAD_BINS / 2; i++)
            spread_set(spread, i, spread_at(spread, 2 * i) + spread_at(spread, 2 * i + 1));
        for (uint32_t i = SPREAD_BINS / 2; i < SPREAD_BINS; i++)
            spread_set(spread, i, 0);
        spread->width_ps *= 2;
    }
    uint32_t bin = (uint32_t)(at / spread->width_ps);
    spread_set(spread, bin, spread_at(spread, bin) + bytes);
}

/* The end of the bin in which the share is reached: too late by at most 1/2048 of the whole time. */
static ps_t spread_quantile(const struct photonic_spread *spread, double share)
{
    sum_t total = 0, sum = 0;
    for (uint32_t i = 0; i < SPREAD_BINS; i++)
        total += spread_at(spread, i);
    for (uint32_t i = 0; total && i < SPREAD_BINS; i++) {
        sum += spread_at(spread, i);
        if ((double)sum >= share * (double)total)
            return i + 1 < SPREAD_BINS ? (ps_t)(i + 1) * spread->width_ps : PS_NEVER;
    }
    return 0;
}

void statistics_count_arrival(struct photonic *photonic, const struct photonic_packet *packet, uint64_t bytes)
{
    struct photonic_statistics *statistics = &photonic->statistics;
    ps_t now = fabric_now(&photonic->fabric);
    uint32_t class = packet->times_stored < STORED_CLASSES ? packet->times_stored : STORED_CLASSES - 1;
    statistics->packets++;
    statistics->last_delivery_ps = now;
    photonic->times_stored[class]++;
    photonic->buffer_total_ps += (double)packet->buffer_ps;
    photonic->network_total_ps += (double)(now - packet->begun - packet->buffer_ps);
    statistics->times_stored_mean += packet->times_stored; /* a sum; photonic_statistics() makes it a mean */
    spread_add(&photonic->spread, now, bytes);
}

/* --------------------------------------------------------------- at the end */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* The values at each tenth of their order, as shares of `whole`. Of links, those that circuits hold. */
static void make_curve(const struct photonic *photonic, const struct metric_series *values, bool are_links,
                       double whole, double curve[CURVE_POINTS])
{
    size_t count = 0;
    double *sorted = mem_alloc(values->count + 1, sizeof *sorted, "statistics");
    for (size_t i = 0; i < values->count; i++)
        if (!are_links || topo_is_held(&photonic->topo, photonic->first_link + (uint32_t)i))
            sorted[count++] = (double)metric_series_at(values, i);
    stats_sort(sorted, count);
    for (size_t i = 0; count && i < CURVE_POINTS; i++)
        curve[i] = share(sorted[(count - 1) * i / (CURVE_POINTS - 1)], whole);
    free(sorted);
}

static const int64_t *high_from(const struct photonic *photonic, size_t first)
{
    return photonic->high ? photonic->high + first : NULL;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

/* The other readings of Eq. 1: what "used" means, and what is averaged over. */
static void sum_uses(const struct photonic *photonic, struct photonic_statistics *out)
{
    uint32_t first = photonic->first_link, count = photonic->topo.links - first, held = 0;
    double channels = (double)photonic->settings.photonic.channels, granted_ps = 0, busy_ps = 0, steps = 0;
    double end_ps = (double)out->last_delivery_ps, all_steps = channels * (double)photonic->ended;
    for (uint32_t i = 0; i < count; i++) {
        const struct photonic_link *link = &photonic->links[first + i];
        if (!topo_is_held(&photonic->topo, first + i))
            continue;
        double granted = (double)metric_series_at(&out->link_granted, i), busy = (double)link->busy_ps;
        held++;
        granted_ps += granted;
        busy_ps += busy;
        steps += (double)link->steps;
        out->busy_most = most_of(out->busy_most, share(busy, end_ps));
        out->in_use_most = most_of(out->in_use_most, share(granted, channels * busy));
        out->steps_most = most_of(out->steps_most, share((double)link->steps, all_steps));
    }
    out->busy = share(busy_ps, end_ps * held);
    out->in_use = share(granted_ps, channels * busy_ps);
    out->steps = share(steps, all_steps * held);
}

static void sum_links(struct photonic *photonic, struct photonic_statistics *out)
{
    uint32_t first = photonic->first_link, count = photonic->topo.links - first;
    int64_t *data = photonic->series, *granted = data + count, *tried = granted + count;
    double channel_ps = (double)photonic->settings.photonic.channels * (double)out->last_delivery_ps;
    double data_most = 0, held = 0;
    out->link_data = (struct metric_series){data, count, photonic->high};
    out->link_granted = (struct metric_series){granted, count, high_from(photonic, count)};
    out->link_tried = (struct metric_series){tried, count, high_from(photonic, 2 * (size_t)count)};
    for (uint32_t i = 0; i < count; i++) {
        const struct photonic_link *link = &photonic->links[first + i];
        data[i] = (int64_t)link->data_ps;
        granted[i] = (int64_t)link->granted_ps;
        tried[i] = (int64_t)link->tried_ps;
        if (!topo_is_held(&photonic->topo, first + i))
            continue;
        held++;
        double data_ps = (double)metric_series_at(&out->link_data, i);
        double granted_ps = (double)metric_series_at(&out->link_granted, i);
        out->data += data_ps;
        out->granted += granted_ps;
        out->tried += granted_ps + (double)metric_series_at(&out->link_tried, i);
        data_most = data_ps > data_most ? data_ps : data_most;
    }
    out->data = share(out->data, channel_ps * held);
    out->granted = share(out->granted, channel_ps * held);
    out->tried = share(out->tried, channel_ps * held);
    out->data_most = share(data_most, channel_ps);
    sum_uses(photonic, out);
    make_curve(photonic, &out->link_granted, true, channel_ps, out->granted_curve);
    out->granted_most = out->granted_curve[CURVE_POINTS - 1];
}

static void sum_buffers(struct photonic *photonic, struct photonic_statistics *out)
{
    int64_t *reserved = photonic->series + 3 * (size_t)photonic->topo.links;
    int64_t *switches = reserved + photonic->buffer_count;
    uint32_t slots = photonic->settings.slots_of_a_buffer;
    double reserved_ps = 0, filled_ps = 0, steps = 0;
    const int64_t *filled_high = high_from(photonic, place_of_buffers(photonic, BUFFER_FILLED));
    out->buffer_reserved = (struct metric_series){
        reserved, photonic->buffer_count, high_from(photonic, place_of_buffers(photonic, BUFFER_RESERVED))};
    for (uint32_t i = 0; i < photonic->buffer_count; i++) {
        const struct photonic_buffer *buffer = &photonic->buffers[i];
        reserved[i] = (int64_t)buffer->reserved_ps;
        switches[i] = buffer->at_switch;
        reserved_ps += (double)metric_series_at(&out->buffer_reserved, i);
        steps += (double)buffer->steps;
        filled_ps += (double)(buffer->filled_ps + (filled_high ? (sum_t)filled_high[i] << 64 : 0));
        if (slots - buffer->least_free_slots > out->buffer_peak_slots)
            out->buffer_peak_slots = slots - buffer->least_free_slots;
    }
    double slot_ps = slots == UINT32_MAX ? 0 : (double)slots * (double)out->last_delivery_ps;
    out->buffer_count = photonic->buffer_count;
    out->buffers_reserved = share(reserved_ps, slot_ps * photonic->buffer_count);
    out->buffers_filled = share(filled_ps, slot_ps * photonic->buffer_count);
    double slot_steps = slots == UINT32_MAX ? 0 : (double)slots * (double)photonic->ended;
    out->buffers_steps = share(steps, slot_steps * photonic->buffer_count);
    make_curve(photonic, &out->buffer_reserved, false, slot_ps, out->buffer_curve);
    out->buffer_switch = (struct metric_series){switches, photonic->buffer_count, NULL};
}

const void *photonic_statistics(struct fabric *fabric)
{
    struct photonic *photonic = (struct photonic *)fabric;
    struct photonic_statistics *out = &photonic->shown;
    double packets = (double)photonic->statistics.packets;
    *out = photonic->statistics;
    out->cycle_ps = photonic->settings.cycle_ps;
    out->t95_ps = spread_quantile(&photonic->spread, 0.95);
    if (out->t95_ps > out->last_delivery_ps)
        out->t95_ps = out->last_delivery_ps;
    out->queue_mean_s = share(photonic->queue_total_ps, packets) / (double)PS_PER_S;
    out->network_mean_s = share(photonic->network_total_ps, packets) / (double)PS_PER_S;
    out->buffer_mean_s = share(photonic->buffer_total_ps, packets) / (double)PS_PER_S;
    out->times_stored_mean = share(out->times_stored_mean, packets);
    out->never_stored = share((double)photonic->times_stored[0], packets);
    out->stored_once = share((double)photonic->times_stored[1], packets);
    out->stored_twice = share((double)photonic->times_stored[2], packets);
    double more = 1 - out->never_stored - out->stored_once - out->stored_twice; /* may be rounded below 0 */
    out->stored_more = packets > 0 && more > 0 ? more : 0;
    uint32_t classes = STORED_CLASSES;
    while (classes > 1 && !photonic->times_stored[classes - 1])
        classes--;
    out->times_stored = (struct metric_series){photonic->times_stored, classes, NULL};
    sum_links(photonic, out);
    sum_buffers(photonic, out);
    return out;
}
