#include "fabric/photonic/photonic.h"

/* On grids there is a buffer where the sum of the coordinates is a multiple of n: one every n switches in
 * each dimension (section IV-C). On other topologies, where the switch's number is a multiple of n. */
static bool has_buffer(const struct photonic *photonic, uint32_t at)
{
    const struct segment_buffers *layout = &photonic->settings.segment.buffers;
    const struct topo *topo = &photonic->topo;
    if (layout->rule == BUFFERS_LEVELS)
        return topo_level(topo, at) + layout->number >= topo->levels;
    uint64_t sum = at;
    if (topo_grid(topo)) {
        uint32_t coordinates[TOPO_COORDINATES], count = topo_coordinates(topo, at, coordinates);
        sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += coordinates[i];
    }
    return sum % layout->number == 0;
}

/* Returns which buffer each switch has. */
static uint32_t *init_buffers(struct photonic *photonic)
{
    uint32_t switches = photonic->topo.switches, count = 0;
    uint32_t *buffer_of_switch = mem_alloc(switches, sizeof *buffer_of_switch, "switches");
    bool has_buffers = photonic->switching == PHOTONIC_SEGMENT;
    for (uint32_t i = 0; i < switches; i++)
        buffer_of_switch[i] = has_buffers && has_buffer(photonic, i) ? count++ : POOL_NONE;
    photonic->buffer_count = count;
    if (!has_buffers)
        return buffer_of_switch;
    photonic->buffers = mem_alloc(count, sizeof *photonic->buffers, "buffers");
    for (uint32_t i = 0; i < switches; i++) {
        if (buffer_of_switch[i] == POOL_NONE)
            continue;
        photonic->buffers[buffer_of_switch[i]] =
            (struct photonic_buffer){.at_switch = i,
                                     .free_slots = photonic->settings.slots_of_a_buffer,
                                     .least_free_slots = photonic->settings.slots_of_a_buffer,
                                     .free_inputs = (uint32_t)photonic->settings.segment.inputs,
                                     .free_outputs = (uint32_t)photonic->settings.segment.outputs,
                                     .stored = {POOL_NONE, POOL_NONE}};
    }
    return buffer_of_switch;
}

static void init_links(struct photonic *photonic, const uint32_t *buffer_of_switch)
{
    const struct topo *topo = &photonic->topo;
    photonic->links = mem_alloc(topo->links, sizeof *photonic->links, "links");
    photonic->free = mem_alloc(topo->links, sizeof *photonic->free, "channels");
    for (uint32_t i = 0; i < topo->links; i++) {
        struct topo_ends ends = topo_link_ends(topo, i);
        struct photonic_link *link = &photonic->links[i];
        link->from = ends.from.is_node ? POOL_NONE : ends.from.id;
        link->to = ends.to.is_node ? POOL_NONE : ends.to.id;
        link->buffer = ends.to.is_node ? POOL_NONE : buffer_of_switch[ends.to.id];
        photonic->free[i] = (uint16_t)links_channels(photonic, i);
    }
    photonic->first_link = photonic->settings.node_links_count ? 0 : 2 * topo->nodes;
}

/* How routes are kept, and how long they get. */
static void choose_routes(struct photonic *photonic)
{
    const struct topo *topo = &photonic->topo;
    photonic->is_adaptive = photonic->settings.photonic.up != UP_DESTINATION && topo_has_choices(topo);
    photonic->hops_most = topo->diameter + (photonic->settings.node_links_count ? 2 : 0);
}

void links_init(struct photonic *photonic)
{
    const struct topo *topo = &photonic->topo;
    choose_routes(photonic);
    uint32_t *buffer_of_switch = init_buffers(photonic);
    init_links(photonic, buffer_of_switch);
    if (photonic->buffers && !topo->ops->choose)
        photonic->buffer_at = buffer_of_switch;
    else
        free(buffer_of_switch);
    uint32_t queues = topo->links + topo->switches;
    photonic->waiters = mem_alloc(queues, sizeof *photonic->waiters, "waiting packets");
    for (uint32_t i = 0; i < queues; i++)
        photonic->waiters[i] = (struct queue){POOL_NONE, POOL_NONE};
    photonic->nodes = mem_alloc(topo->nodes, sizeof *photonic->nodes, "nodes");
    for (uint32_t i = 0; i < topo->nodes; i++)
        photonic->nodes[i] =
            (struct photonic_node){.waiting = {POOL_NONE, POOL_NONE}, .open = {POOL_NONE, POOL_NONE}};
    photonic->series = mem_alloc(3 * (size_t)topo->links + 2 * (size_t)photonic->buffer_count,
                                 sizeof *photonic->series, "statistics");
}

void links_free(struct photonic *photonic)
{
    free(photonic->links);
    free(photonic->free);
    free(photonic->waiters);
    free(photonic->nodes);
    free(photonic->buffers);
    free(photonic->buffer_at);
    free(photonic->series);
}

size_t links_bytes(const struct photonic *photonic)
{
    const struct topo *topo = &photonic->topo;
    return topo->links * (sizeof *photonic->links + sizeof *photonic->free + 3 * sizeof *photonic->series) +
           (topo->links + topo->switches) * sizeof *photonic->waiters +
           topo->nodes * sizeof *photonic->nodes +
           photonic->buffer_count * (sizeof *photonic->buffers + 2 * sizeof *photonic->series) +
           (photonic->buffer_at ? topo->switches * sizeof *photonic->buffer_at : 0) +
           (photonic->high ? 3 * ((size_t)topo->links + photonic->buffer_count) * sizeof *photonic->high : 0);
}

size_t links_estimate(struct photonic *photonic)
{
    uint32_t switches = photonic->switching == PHOTONIC_SEGMENT ? photonic->topo.switches : 0;
    choose_routes(photonic);
    for (uint32_t i = 0; i < switches; i++)
        photonic->buffer_count += has_buffer(photonic, i);
    return links_bytes(photonic);
}

/* How many hops the way has; with fixed routes, also its links. */
void links_route(const struct photonic *photonic, struct photonic_transmission *transmission)
{
    const struct topo *topo = &photonic->topo;
    uint32_t source = transmission->source, destination = transmission->destination;
    bool node_links_count = photonic->settings.node_links_count;
    if (photonic->is_adaptive) {
        transmission->hops = topo_distance(topo, source, destination) + (node_links_count ? 2 : 0);
        return;
    }
    if (node_links_count) {
        transmission->hops = topo_way(topo, source, destination, transmission->route);
        return;
    }
    uint32_t at = topo_switch_of(topo, source), count = 0, link;
    while (topo_is_network(topo, link = topo_next(topo, at, destination))) {
        transmission->route[count++] = link;
        at = photonic->links[link].to;
    }
    transmission->hops = count;
}

uint32_t buffer_on_way(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t end)
{
    const uint32_t *links = links_of(photonic, packet);
    uint32_t at = topo_switch_of(&photonic->topo, transmission_at(photonic, packet->transmission)->source);
    for (uint32_t i = 0; i < end; i++)
        at = topo_behind(&photonic->topo, at, links[i]);
    return photonic->buffer_at[at];
}

/* -------------------------------------- a network that says what links are */

/* Of one channel of a link, or of a circuit on one that gives each its whole rate. */
static uint64_t channel_rate(const struct photonic *photonic, uint32_t link)
{
    const struct photonic_settings *settings = &photonic->settings;
    const struct topo *topo = &photonic->topo;
    uint64_t rate = topo_link_rate(topo, link, 0), of_fabric = settings->rate_bytes_per_s;
    if (rate)
        return topo_is_held(topo, link) ? rate / settings->photonic.channels : rate;
    return topo_link_rate(topo, link, of_fabric); /* planes share it, and it may be slow */
}

uint64_t links_channel_rate(const struct photonic *photonic, const uint32_t *links, uint32_t count)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rate = channel_rate(photonic, links[i]);
        least = rate < least ? rate : least;
    }
    return least;
}

uint64_t links_rate(const struct photonic *photonic, const struct photonic_packet *packet)
{
    const struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    uint32_t injection = topo_injection(&photonic->topo, transmission->source);
    uint32_t ejection = topo_ejection(&photonic->topo, transmission->destination);
    uint64_t rate, least = links_channel_rate(photonic, links_of(photonic, packet) + packet->at,
                                              (uint32_t)(packet->end - packet->at));
    if (photonic->settings.node_links_count)
        return least;
    if (packet->at == 0 && (rate = channel_rate(photonic, injection)) < least)
        least = rate;
    if (packet->end == transmission->hops && (rate = channel_rate(photonic, ejection)) < least)
        least = rate;
    return least;
}

static ps_t beyond(const struct photonic *photonic, uint32_t link)
{
    ps_t wire_ps = photonic->settings.photonic.wire_ps;
    return topo_link_latency(&photonic->topo, link, wire_ps) - wire_ps;
}

ps_t links_beyond(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t from,
                  uint32_t to)
{
    const uint32_t *links = links_of(photonic, packet);
    ps_t sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += beyond(photonic, links[i]);
    return sum;
}

ps_t node_links_beyond(const struct photonic *photonic, const struct photonic_packet *packet)
{
    const struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    ps_t sum = 0;
    if (!topo_has_latencies(&photonic->topo) || photonic->settings.node_links_count)
        return 0;
    if (packet->at == 0)
        sum += beyond(photonic, topo_injection(&photonic->topo, transmission->source));
    if (packet->end == transmission->hops)
        sum += beyond(photonic, topo_ejection(&photonic->topo, transmission->destination));
    return sum;
}
