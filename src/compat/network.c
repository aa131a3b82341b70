#include "compat/parts.h"

/* KAHUNA (Contention_Kahuna.py): time advances window by window, from the earliest start to the next start or
 * end. In a window each node divides its bandwidth among the transfers that touch it, in and out together,
 * and a transfer is slowed down by the busier of its two nodes. */

static bool in_window(const struct match *match, double window_end_s)
{
    return match->base_s < window_end_s;
}

static double upper_of(const struct match *match)
{
    return match->solved_s != -1 ? match->solved_s : match->end_s;
}

static size_t find_ready(const struct match_list *open)
{
    size_t found = open->count;
    for (size_t i = 0; i < open->count; i++) {
        const struct match *match = open->items[i];
        if (seconds_equal(match->base_s, match->end_s) &&
            (found == open->count || match->base_s < open->items[found]->base_s))
            found = i;
    }
    return found;
}

static double lowest_base(const struct match_list *open)
{
    double lowest_s = open->items[0]->base_s;
    for (size_t i = 1; i < open->count; i++)
        lowest_s = fmin(lowest_s, open->items[i]->base_s);
    return lowest_s;
}

/* The next start that is not the lowest, or an end, whichever comes first. */
static double window_end(const struct match_list *open, double lowest_s)
{
    double end_s = upper_of(open->items[0]);
    for (size_t i = 0; i < open->count; i++) {
        const struct match *match = open->items[i];
        if (match->base_s < end_s && !seconds_equal(match->base_s, lowest_s))
            end_s = match->base_s;
        end_s = fmin(end_s, upper_of(match));
    }
    return end_s;
}

static void count_sharing(struct simplecomm *engine, double window_end_s)
{
    const struct match_list *open = &engine->network.open;
    uint32_t *sharing = engine->network.sharing, cores = engine->cores_per_node;
    for (uint32_t node = 0; node < node_count(engine); node++)
        sharing[node] = 0;
    for (size_t i = 0; i < open->count; i++) {
        const struct match *match = open->items[i];
        if (!in_window(match, window_end_s))
            continue;
        uint32_t source = match->source / cores, destination = match->destination / cores;
        sharing[source]++;
        if (destination != source)
            sharing[destination]++;
    }
}

/* Stretches what lies in the window, then goes back to the first point at which the stretching is no longer
 * right because another transfer is at its end. */
static void stretch(struct simplecomm *engine, double lowest_s, double window_end_s)
{
    const struct match_list *open = &engine->network.open;
    const uint32_t *sharing = engine->network.sharing;
    uint32_t cores = engine->cores_per_node;
    double window_s = window_end_s - lowest_s;
    for (size_t i = 0; i < open->count; i++) {
        struct match *match = open->items[i];
        if (!in_window(match, window_end_s))
            continue;
        uint32_t at_source = sharing[match->source / cores];
        uint32_t at_destination = sharing[match->destination / cores];
        uint32_t factor = at_source > at_destination ? at_source : at_destination;
        double increment_s = (window_s * ((double)factor / (double)match->factor)) - window_s;
        match->end_s = match->end_s + increment_s;
        match->solved_s = match->base_s + window_s + increment_s;
        match->factor = factor;
    }
    double smallest_s = upper_of(open->items[0]);
    for (size_t i = 1; i < open->count; i++)
        smallest_s = fmin(smallest_s, upper_of(open->items[i]));
    for (size_t i = 0; i < open->count; i++) {
        struct match *match = open->items[i];
        if (match->solved_s <= smallest_s)
            continue;
        double beyond_s = match->solved_s - smallest_s;
        match->end_s = match->end_s - (beyond_s - beyond_s * (1.0 / (double)match->factor));
        match->solved_s = smallest_s;
    }
}

/* SimpleComm counts bytes to see that no more are sent than there are, at the network's speed also within
 * nodes, and stops at a tenth too many. The count changes nothing. */
static void count_sent(struct simplecomm *engine, struct match *match, double end_s)
{
    double bytes_per_s = engine->network_link.bytes_per_s, whole = (double)(match->bytes + 16);
    match->sent_bytes += trunc((end_s - match->base_s) * bytes_per_s / (double)match->factor);
    if (match->sent_bytes >= whole && !seconds_close(match->sent_bytes, whole, 0.1, 15))
        compat_abort(engine, ABORT_SENT);
}

/* Moves every start to the end of the window, and takes back the stretching of what is left. */
static void crop(struct simplecomm *engine, double lowest_s)
{
    struct match_list *open = &engine->network.open;
    double end_s = window_end(open, lowest_s);
    for (size_t i = 0; i < open->count; i++) {
        struct match *match = open->items[i];
        if (in_window(match, end_s)) {
            count_sent(engine, match, end_s);
            match->base_s = end_s;
            if (seconds_equal(match->base_s, match->solved_s)) {
                match->factor = 1;
                match->solved_s = -1;
            }
        }
    }
    for (size_t i = 0; i < open->count; i++) {
        struct match *match = open->items[i];
        if (match->factor != 1) {
            double left_s = match->solved_s - match->base_s;
            match->end_s = match->end_s - (left_s - left_s * (1.0 / (double)match->factor));
            match->solved_s = -1;
            match->factor = 1;
        }
        if (seconds_equal(match->base_s, match->end_s))
            match->base_s = match->end_s;
    }
}

struct match *compat_network_next(struct simplecomm *engine)
{
    struct match_list *open = &engine->network.open;
    size_t ready;
    while ((ready = find_ready(open)) == open->count) {
        double lowest_s = lowest_base(open), end_s = window_end(open, lowest_s);
        count_sharing(engine, end_s);
        stretch(engine, lowest_s, end_s);
        crop(engine, lowest_s);
    }
    return match_list_take(open, ready);
}

double compat_network_lowest(const struct compat_network *network)
{
    size_t ready = find_ready(&network->open);
    return ready < network->open.count ? network->open.items[ready]->base_s : lowest_base(&network->open);
}

void compat_network_init(struct simplecomm *engine)
{
    engine->network.sharing =
        mem_alloc(node_count(engine), sizeof *engine->network.sharing, "transfers per node");
}

void compat_network_free(struct compat_network *network)
{
    free(network->sharing);
    free(network->open.items);
}
