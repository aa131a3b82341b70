#include <string.h>

#include "engine/simplecomm/internal.h"

/* KAHUNA (Contention_Kahuna.py): time advances window by window, from the earliest start to the next start or
 * end. In a window each node divides its bandwidth among the transfers that touch it, in and out together,
 * and the busier of its two nodes slows a transfer down. Every window changes every transfer in it, by sums
 * whose rounding has to be that of SimpleComm, so no window can be left out. For speed the passes are few,
 * and the transfers lie side by side in memory. */

/* Times are never NaN, which fmin would look for. */
static inline double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double upper_of(const struct kahuna_transfer *transfer)
{
    return transfer->solved_s != -1 ? transfer->solved_s : transfer->end_s;
}

/* The earliest start, and the first transfer that is done; ready == count: none is. */
struct kahuna_view {
    double lowest_s;
    size_t ready;
};

static struct kahuna_view look(const struct compat_network *network)
{
    struct kahuna_view view = {.lowest_s = network->open[0].base_s, .ready = network->count};
    double ready_s = INFINITY;
    for (size_t i = 0; i < network->count; i++) {
        const struct kahuna_transfer *transfer = &network->open[i];
        view.lowest_s = smaller(view.lowest_s, transfer->base_s);
        if (transfer->base_s < ready_s && seconds_equal(transfer->base_s, transfer->end_s)) {
            view.ready = i;
            ready_s = transfer->base_s;
        }
    }
    return view;
}

/* The next start that is not the lowest, or the next end: the earlier one. */
static double earlier_of(double end_s, const struct kahuna_transfer *transfer, double lowest_s)
{
    if (transfer->base_s < end_s && !seconds_equal(transfer->base_s, lowest_s))
        end_s = transfer->base_s;
    return smaller(end_s, upper_of(transfer));
}

static double window_end(const struct compat_network *network, double lowest_s)
{
    double end_s = INFINITY;
    for (size_t i = 0; i < network->count; i++)
        end_s = earlier_of(end_s, &network->open[i], lowest_s);
    return end_s;
}

/* Nodes without transfers are left out where they are many. */
static void clear_sharing(struct simplecomm *engine)
{
    const struct compat_network *network = &engine->network;
    if (node_count(engine) <= network->count) {
        memset(network->sharing, 0, node_count(engine) * sizeof *network->sharing);
        return;
    }
    for (size_t i = 0; i < network->count; i++) {
        network->sharing[network->open[i].source_node] = 0;
        network->sharing[network->open[i].destination_node] = 0;
    }
}

static void count_sharing(struct simplecomm *engine, double window_end_s)
{
    const struct compat_network *network = &engine->network;
    uint32_t *sharing = network->sharing;
    clear_sharing(engine);
    for (size_t i = 0; i < network->count; i++) {
        const struct kahuna_transfer *transfer = &network->open[i];
        if (transfer->base_s >= window_end_s)
            continue;
        sharing[transfer->source_node]++;
        if (transfer->destination_node != transfer->source_node)
            sharing[transfer->destination_node]++;
    }
}

/* Stretches the transfers in the window. Returns until when that is right: the first end of a transfer. */
static double stretch(struct compat_network *network, double lowest_s, double window_end_s)
{
    double window_s = window_end_s - lowest_s, smallest_s = INFINITY;
    for (size_t i = 0; i < network->count; i++) {
        struct kahuna_transfer *transfer = &network->open[i];
        if (transfer->base_s < window_end_s) {
            uint32_t at_source = network->sharing[transfer->source_node];
            uint32_t at_destination = network->sharing[transfer->destination_node];
            uint32_t factor = at_source > at_destination ? at_source : at_destination;
            double increment_s = window_s * (double)factor - window_s;
            transfer->end_s = transfer->end_s + increment_s;
            transfer->solved_s = transfer->base_s + window_s + increment_s;
            transfer->factor = factor;
        }
        smallest_s = smaller(smallest_s, upper_of(transfer));
    }
    return smallest_s;
}

/* Takes back the stretching beyond `until_s`. Returns the end of the window that remains. */
static double take_back(struct compat_network *network, double lowest_s, double until_s)
{
    double end_s = INFINITY;
    for (size_t i = 0; i < network->count; i++) {
        struct kahuna_transfer *transfer = &network->open[i];
        if (transfer->solved_s > until_s) {
            double beyond_s = transfer->solved_s - until_s;
            transfer->end_s = transfer->end_s - (beyond_s - beyond_s * (1.0 / (double)transfer->factor));
            transfer->solved_s = until_s;
        }
        end_s = earlier_of(end_s, transfer, lowest_s);
    }
    return end_s;
}

/* SimpleComm counts the bytes that are sent, at the speed of the network even within nodes, and stops when
 * they are a tenth too many. The count changes nothing. */
static void count_sent(struct simplecomm *engine, struct kahuna_transfer *transfer, double end_s)
{
    double bytes_per_s = engine->network_link.bytes_per_s, whole = (double)(transfer->match->bytes + 16);
    double bytes = (end_s - transfer->base_s) * bytes_per_s / (double)transfer->factor;
    transfer->sent_bytes += bytes < 0x1p62 ? (double)(int64_t)bytes : bytes;
    if (transfer->sent_bytes >= whole && !seconds_close(transfer->sent_bytes, whole, 0.1, 15))
        compat_abort(engine, ABORT_SENT);
}

/* Moves every start to the end of the window, and takes back the stretching beyond it. */
static void crop(struct simplecomm *engine, double end_s)
{
    for (size_t i = 0; i < engine->network.count; i++) {
        struct kahuna_transfer *transfer = &engine->network.open[i];
        if (transfer->base_s < end_s) {
            count_sent(engine, transfer, end_s);
            transfer->base_s = end_s;
            if (seconds_equal(transfer->base_s, transfer->solved_s)) {
                transfer->factor = 1;
                transfer->solved_s = -1;
            }
        }
        if (transfer->factor != 1) {
            double left_s = transfer->solved_s - transfer->base_s;
            transfer->end_s = transfer->end_s - (left_s - left_s * (1.0 / (double)transfer->factor));
            transfer->solved_s = -1;
            transfer->factor = 1;
        }
        if (seconds_equal(transfer->base_s, transfer->end_s))
            transfer->base_s = transfer->end_s;
    }
}

static struct compat_match *take(struct compat_network *network, size_t index)
{
    struct kahuna_transfer *taken = &network->open[index];
    struct compat_match *match = taken->match;
    match->base_s = taken->base_s;
    match->end_s = taken->end_s;
    network->count--;
    memmove(taken, taken + 1, (network->count - index) * sizeof *taken);
    return match;
}

struct compat_match *compat_network_next(struct simplecomm *engine)
{
    struct compat_network *network = &engine->network;
    struct kahuna_view view;
    while ((view = look(network)).ready == network->count) {
        double end_s = window_end(network, view.lowest_s);
        count_sharing(engine, end_s);
        double until_s = stretch(network, view.lowest_s, end_s);
        crop(engine, take_back(network, view.lowest_s, until_s));
    }
    return take(network, view.ready);
}

void compat_network_add(struct simplecomm *engine, struct compat_match *match)
{
    struct compat_network *network = &engine->network;
    network->open = mem_grow(network->open, &network->capacity, network->count + 1, "open transfers");
    network->open[network->count++] =
        (struct kahuna_transfer){.base_s = match->base_s,
                                 .end_s = match->end_s,
                                 .solved_s = -1,
                                 .factor = 1,
                                 .source_node = match->source / engine->cores_per_node,
                                 .destination_node = match->destination / engine->cores_per_node,
                                 .match = match};
}

double compat_network_lowest(const struct compat_network *network)
{
    struct kahuna_view view = look(network);
    return view.ready < network->count ? network->open[view.ready].base_s : view.lowest_s;
}

void compat_network_init(struct simplecomm *engine)
{
    engine->network.sharing =
        mem_alloc(node_count(engine), sizeof *engine->network.sharing, "transfers per node");
}

void compat_network_free(struct compat_network *network)
{
    free(network->sharing);
    free(network->open);
}
