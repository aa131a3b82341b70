#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/queue.h"
#include "base/rng.h"
#include "fabric/fabric.h"
#include "fabric/tdm/dynamic.h"
#include "fabric/tdm/tdm.h"
#include "fabric/topology.h"

/* Distributed path reservation ("Compiled Communication for All-optical TDM Networks", section 4.1). A node
 * reserves one path at a time. A reservation goes forward and takes every channel that is free on all links
 * so far. The destination picks one. The acknowledgement goes back and gives up the others; then the data
 * begins, and the node goes on to its next request. A release follows the data. Where no channel is left, a
 * failure goes back and gives up everything, and the node tries again. docs/models/tdm.md */

enum { MOST_CHANNELS = 64 };

/* So many reservations of each node fail in a row, on average, while no data are under way: then they keep
 * each other from their paths for ever. With waits that are drawn one of them soon succeeds. */
enum { TRIES_IN_VAIN = 1000 };

enum tdm_control_kind { PACKET_RESERVE, PACKET_ACKNOWLEDGE, PACKET_FAIL, PACKET_RELEASE };

/* A control packet on its way; it is at the beginning of link `step` of the path. */
struct tdm_control_packet {
    uint32_t kind; /* enum tdm_control_kind */
    uint32_t node; /* whose request it is */
    uint32_t destination;
    uint32_t channel;
    uint32_t step;
};

/* A node's request: for the message at the head of its queue, and what the request holds so far. */
struct tdm_source {
    struct queue messages; /* by message->fabric */
    uint64_t *held;        /* [links of the path]: channels */
    uint32_t *path;
    uint32_t length;
    ps_t emitted_until; /* the tap knows where the head's time went up to then */
    bool has_failed;    /* a reservation of the head, because of other messages */
};

/* A message whose path is reserved. */
struct tdm_transfer {
    uint32_t message, node, destination, channel;
};

struct tdm_dynamic {
    struct fabric fabric;
    const struct tdm_config *tdm;
    const struct tdm_dynamic_config *config;
    struct topo topo;
    struct tdm_source *sources;
    uint64_t *path_channels; /* of all sources: sources[i].held points into it */
    uint32_t *path_links;
    uint32_t *released;      /* a path whose links are released: its node has another one by then */
    uint64_t channels;       /* of a link */
    uint64_t *free_channels; /* [links] those that are free */
    ps_t *control_free;      /* [links]: when the link can take the next control packet */
    struct pool packets, transfers;
    struct rng rng;
    uint32_t try_kind, packet_kind, sent_kind;
    uint64_t in_vain; /* reservations that failed since data were last under way */
    struct tdm_statistics statistics;
};

static struct queue_links message_links(const struct tdm_dynamic *dynamic)
{
    return QUEUE_LINKS(dynamic->fabric.params.messages->records, struct message, fabric);
}

/* -------------------------------------------------------- the control plane */

/* Sends a control packet over a link; returns when it has been processed at the link's end. */
static ps_t over_link(struct tdm_dynamic *dynamic, uint32_t link)
{
    const struct tdm_dynamic_config *config = dynamic->config;
    ps_t begin = ps_max(fabric_now(&dynamic->fabric), dynamic->control_free[link]), end;
    if (config->control == CONTROL_SHADOW) {
        end = ps_add(begin, config->transmission_ps);
    } else { /* slot 0 of the next frame */
        int64_t slot = tdm_next_slot(tdm_slot_from(dynamic->tdm, begin), 0, 0, (int64_t)config->degree);
        end = tdm_slot_begin(dynamic->tdm, ps_add(slot, 1));
    }
    if (topo_is_held(&dynamic->topo, link))
        dynamic->control_free[link] = end;
    ps_t wire_ps = topo_link_latency(&dynamic->topo, link, dynamic->tdm->wire_ps);
    return ps_add(ps_add(end, wire_ps), config->processing_ps);
}

static void send_packet(struct tdm_dynamic *dynamic, uint32_t index, uint32_t link)
{
    loop_at(dynamic->fabric.params.loop, over_link(dynamic, link), dynamic->packet_kind, index);
}

/* The same over a link between a node and its switch, which may take no time. */
static void send_at_node(struct tdm_dynamic *dynamic, uint32_t index, uint32_t link)
{
    if (dynamic->config->control_links == CONTROL_LINKS_ALL)
        send_packet(dynamic, index, link);
    else
        loop_at(dynamic->fabric.params.loop, fabric_now(&dynamic->fabric), dynamic->packet_kind, index);
}

/* A part of the time of the message at the head of a node's queue, from the end of the part before. */
static void emit_part(struct tdm_dynamic *dynamic, struct tdm_source *source, enum tap_part part, ps_t at,
                      const char *awaited, uint32_t which)
{
    tap_emit_part(dynamic->fabric.params.tap, source->messages.head, part, source->emitted_until, at, awaited,
                  which);
    source->emitted_until = at;
}

static void try_later(struct tdm_dynamic *dynamic, uint32_t node)
{
    uint64_t periods = 1 + rng_below(&dynamic->rng, dynamic->config->retry);
    ps_t wait;
    if (__builtin_mul_overflow((ps_t)periods, dynamic->config->transmission_ps, &wait))
        wait = PS_NEVER;
    loop_at(dynamic->fabric.params.loop, ps_add(fabric_now(&dynamic->fabric), wait), dynamic->try_kind, node);
}

/* A message has become the head of its node's queue: its reservations begin. */
static void come_to_head(struct tdm_dynamic *dynamic, uint32_t node)
{
    struct tdm_source *source = &dynamic->sources[node];
    source->emitted_until = fabric_message(&dynamic->fabric, source->messages.head)->injected;
    source->has_failed = false;
    emit_part(dynamic, source, TAP_PART_QUEUE, fabric_now(&dynamic->fabric),
              "messages sent before it by node", node);
    if (dynamic->config->wait == WAIT_ALWAYS)
        try_later(dynamic, node);
    else
        loop_at(dynamic->fabric.params.loop, fabric_now(&dynamic->fabric), dynamic->try_kind, node);
}

static bool is_stuck(const struct tdm_dynamic *dynamic)
{
    return dynamic->in_vain > (uint64_t)TRIES_IN_VAIN * dynamic->fabric.params.nodes;
}

static void end_stuck_run(const struct tdm_dynamic *dynamic)
{
    uint32_t waiting = 0;
    for (uint32_t node = 0; node < dynamic->fabric.params.nodes; node++)
        waiting += !queue_is_empty(&dynamic->sources[node].messages);
    diag_error("the reservations of %" PRIu32 " nodes keep each other from their paths: the last %" PRIu64
               " have failed, and nothing is sent (tdm.retry=%" PRIu64 ")",
               waiting, dynamic->in_vain, dynamic->config->retry);
    diag_note("with a tdm.retry of 2 or more, waits are drawn, and reservations come at different times");
    fabric_failed(&dynamic->fabric, STATUS_FAILED);
}

static void fail_request(struct tdm_dynamic *dynamic, uint32_t node)
{
    dynamic->statistics.retransmissions++;
    dynamic->sources[node].has_failed = true;
    if (!dynamic->transfers.live)
        dynamic->in_vain++;
    if (is_stuck(dynamic))
        end_stuck_run(dynamic);
    else
        try_later(dynamic, node);
}

/* The node whose sender or receiver the path passes at this step without a link of its own; its channels
 * count as those of the link that the node has in another topology. UINT32_MAX: none. */
static uint32_t unlinked(const struct tdm_dynamic *dynamic, uint32_t end)
{
    return topo_link_kind(&dynamic->topo, end) == TOPO_LINK_FREE ? end : UINT32_MAX;
}

/* What is held at a step of a path: its link, unless that holds any number of connections; at the first one
 * also what sends, at the last one what receives. Returns how many there are. */
static uint32_t holders(const struct tdm_dynamic *dynamic, uint32_t node, uint32_t destination,
                        const uint32_t *path, uint32_t length, uint32_t step, uint32_t held[3])
{
    const struct topo *topo = &dynamic->topo;
    uint32_t count = 0, link = path[step];
    if (topo_is_held(topo, link) || !topo_is_network(topo, link))
        held[count++] = link;
    if (step == 0 && (link = unlinked(dynamic, topo_injection(topo, node))) != UINT32_MAX)
        held[count++] = link;
    if (step + 1 == length && (link = unlinked(dynamic, topo_ejection(topo, destination))) != UINT32_MAX)
        held[count++] = link;
    return count;
}

static uint32_t destination_of(const struct tdm_dynamic *dynamic, const struct tdm_source *source)
{
    return fabric_message(&dynamic->fabric, source->messages.head)->destination_node;
}

/* Takes every channel that is free on this link and on all links of the path before it. */
static bool reserve(struct tdm_dynamic *dynamic, struct tdm_source *source, uint32_t step)
{
    uint32_t held[3], node = (uint32_t)(source - dynamic->sources);
    uint32_t count =
        holders(dynamic, node, destination_of(dynamic, source), source->path, source->length, step, held);
    uint64_t wanted = step ? source->held[step - 1] : dynamic->channels;
    for (uint32_t i = 0; i < count; i++)
        wanted &= dynamic->free_channels[held[i]];
    source->held[step] = wanted;
    for (uint32_t i = 0; i < count; i++)
        dynamic->free_channels[held[i]] &= ~wanted;
    return wanted != 0;
}

static void give_up(struct tdm_dynamic *dynamic, struct tdm_source *source, uint32_t step, uint64_t kept)
{
    uint32_t held[3], node = (uint32_t)(source - dynamic->sources);
    uint32_t count =
        holders(dynamic, node, destination_of(dynamic, source), source->path, source->length, step, held);
    for (uint32_t i = 0; i < count; i++)
        dynamic->free_channels[held[i]] |= source->held[step] & ~kept;
    source->held[step] = kept;
}

/* The channel is free on the link at this step of the path between two nodes. Returns the link. */
static uint32_t release(struct tdm_dynamic *dynamic, uint32_t node, uint32_t destination, uint32_t channel,
                        uint32_t step, uint32_t *length)
{
    uint32_t held[3];
    *length = topo_way(&dynamic->topo, node, destination, dynamic->released);
    uint32_t count = holders(dynamic, node, destination, dynamic->released, *length, step, held);
    for (uint32_t i = 0; i < count; i++)
        dynamic->free_channels[held[i]] |= UINT64_C(1) << channel;
    return dynamic->released[step];
}

/* --------------------------------------------------------------------- data */

/* The path is reserved: the data goes in the channel's slots. The message leaves the queue. */
static void begin_data(struct tdm_dynamic *dynamic, uint32_t node, uint32_t channel)
{
    struct tdm_source *source = &dynamic->sources[node];
    uint32_t message = source->messages.head;
    const struct message *head = fabric_message(&dynamic->fabric, message);
    uint64_t bytes = fabric_message_bytes(&dynamic->fabric, head);
    int64_t count = tdm_slots_of(dynamic->tdm, bytes), degree = (int64_t)dynamic->config->degree;
    int64_t first =
        tdm_next_slot(tdm_slot_from(dynamic->tdm, fabric_now(&dynamic->fabric)), 0, channel, degree);
    int64_t end = tdm_end_slot(first, count, degree);
    ps_t sent = tdm_slot_begin(dynamic->tdm, end);
    dynamic->in_vain = 0;
    dynamic->statistics.data_slots += count;
    dynamic->statistics.hops++;
    if ((uint64_t)end > dynamic->statistics.slots)
        dynamic->statistics.slots = (uint64_t)end;
    ps_t begin = tdm_slot_begin(dynamic->tdm, first);
    emit_part(dynamic, source, TAP_PART_SWITCH, begin, "its slot at node", node);
    emit_part(dynamic, source, TAP_PART_TRANSFER, sent, NULL, 0);
    dynamic->statistics.waited += begin - head->injected;

    uint32_t transfer = pool_take(&dynamic->transfers);
    *(struct tdm_transfer *)pool_at(&dynamic->transfers, transfer) = (struct tdm_transfer){
        .message = message, .node = node, .destination = head->destination_node, .channel = channel};
    loop_at(dynamic->fabric.params.loop, sent, dynamic->sent_kind, transfer);
    queue_take(&source->messages, message_links(dynamic));
    if (!queue_is_empty(&source->messages))
        come_to_head(dynamic, node);
}

/* What light takes on all links of the path. */
static ps_t light_ps(const struct tdm_dynamic *dynamic, const struct tdm_transfer *transfer)
{
    return tdm_light_ps(dynamic->tdm, &dynamic->topo, transfer->node, transfer->destination);
}

/* All further links of the path are free at once. */
static void release_path(struct tdm_dynamic *dynamic, const struct tdm_transfer *transfer, uint32_t length)
{
    for (uint32_t step = 1; step < length; step++)
        release(dynamic, transfer->node, transfer->destination, transfer->channel, step, &length);
    dynamic->statistics.released = fabric_now(&dynamic->fabric);
}

/* A packet sets out that releases link after link. */
static void send_release(struct tdm_dynamic *dynamic, const struct tdm_transfer *transfer, uint32_t first)
{
    uint32_t packet = pool_take(&dynamic->packets);
    *(struct tdm_control_packet *)pool_at(&dynamic->packets, packet) =
        (struct tdm_control_packet){.kind = PACKET_RELEASE,
                                    .node = transfer->node,
                                    .destination = transfer->destination,
                                    .channel = transfer->channel,
                                    .step = 1};
    send_at_node(dynamic, packet, first);
}

/* The last slot of a message is over: light takes it to its destination, and the links of its path are
 * released. */
static void on_sent(void *self, uint32_t index)
{
    struct tdm_dynamic *dynamic = self;
    struct tdm_transfer transfer = *(struct tdm_transfer *)pool_at(&dynamic->transfers, index);
    pool_give(&dynamic->transfers, index);
    uint32_t length,
        first = release(dynamic, transfer.node, transfer.destination, transfer.channel, 0, &length);
    if (dynamic->config->release == RELEASE_PACKET && length > 1)
        send_release(dynamic, &transfer, first);
    else
        release_path(dynamic, &transfer, length);
    const struct fabric *fabric = &dynamic->fabric;
    ps_t now = fabric_now(fabric), there = ps_add(now, light_ps(dynamic, &transfer));
    tap_emit_part(fabric->params.tap, transfer.message, TAP_PART_WIRE, now, there, NULL, 0);
    fabric_visible(fabric, transfer.message, there);
    fabric_sender_done(fabric, transfer.message, now);
    fabric_delivered(fabric, transfer.message, there);
}

/* ------------------------------------------------------------- the protocol */

/* An acknowledgement or failure is back at the switch of the node. */
static void end_request(struct tdm_dynamic *dynamic, uint32_t index, uint64_t kept)
{
    struct tdm_control_packet packet = *(struct tdm_control_packet *)pool_at(&dynamic->packets, index);
    struct tdm_source *source = &dynamic->sources[packet.node];
    pool_give(&dynamic->packets, index);
    give_up(dynamic, source, 0, kept);
    emit_part(dynamic, source, packet.kind == PACKET_ACKNOWLEDGE ? TAP_PART_SWITCH : TAP_PART_ACQUIRE,
              fabric_now(&dynamic->fabric), "channels to node", packet.destination);
    if (packet.kind == PACKET_ACKNOWLEDGE)
        begin_data(dynamic, packet.node, packet.channel);
    else
        fail_request(dynamic, packet.node);
}

/* An acknowledgement or failure is at the beginning of link `step`: it gives up there what is not kept, and
 * goes back to the switch before, or from the first one to the node. An acknowledgement that takes time
 * between the destination and its switch begins beyond the last link. */
static void on_way_back(struct tdm_dynamic *dynamic, uint32_t index)
{
    struct tdm_control_packet *packet = pool_at(&dynamic->packets, index);
    struct tdm_source *source = &dynamic->sources[packet->node];
    uint64_t kept = packet->kind == PACKET_ACKNOWLEDGE ? UINT64_C(1) << packet->channel : 0;
    bool reaches_nodes = dynamic->config->control_links == CONTROL_LINKS_ALL;
    if (packet->step == source->length) {
        packet->step--;
        send_packet(dynamic, index, topo_link_reverse(&dynamic->topo, source->path[packet->step]));
        return;
    }
    if (packet->step > 0)
        give_up(dynamic, source, packet->step, kept);
    if (packet->step == 0 || (packet->step == 1 && !reaches_nodes)) {
        end_request(dynamic, index, kept);
        return;
    }
    packet->step--;
    send_packet(dynamic, index, topo_link_reverse(&dynamic->topo, source->path[packet->step]));
}

static uint32_t pick_channel(struct tdm_dynamic *dynamic, uint64_t channels)
{
    uint64_t skipped = 0;
    if (dynamic->config->pick == PICK_RANDOM)
        skipped = rng_below(&dynamic->rng, (uint64_t)__builtin_popcountll(channels));
    for (; skipped > 0; skipped--)
        channels &= channels - 1;
    return (uint32_t)__builtin_ctzll(channels);
}

/* The reservation has channels of all links, the last one of which is `step` before it: the destination
 * picks. */
static void arrive(struct tdm_dynamic *dynamic, uint32_t index)
{
    struct tdm_control_packet *packet = pool_at(&dynamic->packets, index);
    struct tdm_source *source = &dynamic->sources[packet->node];
    uint32_t last = source->length - 1;
    packet->kind = PACKET_ACKNOWLEDGE;
    packet->channel = pick_channel(dynamic, source->held[last]);
    packet->step = last;
    emit_part(dynamic, source, TAP_PART_ACQUIRE, fabric_now(&dynamic->fabric), "channels to node",
              packet->destination);
    if (dynamic->config->control_links == CONTROL_LINKS_ALL) {
        packet->step++;
        send_packet(dynamic, index, source->path[last]);
        return;
    }
    on_way_back(dynamic, index);
}

/* The reservation is at the beginning of link `step`: it takes channels there before it goes on. */
static void on_reserve(struct tdm_dynamic *dynamic, uint32_t index)
{
    struct tdm_control_packet *packet = pool_at(&dynamic->packets, index);
    struct tdm_source *source = &dynamic->sources[packet->node];
    uint32_t step = packet->step;
    bool is_free = reserve(dynamic, source, step);
    if (is_free && step + 1 < source->length) {
        packet->step++;
        send_packet(dynamic, index, source->path[step]);
        return;
    }
    if (is_free) {
        arrive(dynamic, index);
        return;
    }
    packet->kind = PACKET_FAIL;
    on_way_back(dynamic, index);
}

static void on_release(struct tdm_dynamic *dynamic, uint32_t index)
{
    struct tdm_control_packet *packet = pool_at(&dynamic->packets, index);
    uint32_t length,
        link = release(dynamic, packet->node, packet->destination, packet->channel, packet->step, &length);
    if (++packet->step == length) {
        bool reaches_node = dynamic->config->control_links == CONTROL_LINKS_ALL;
        dynamic->statistics.released = reaches_node ? over_link(dynamic, link) : fabric_now(&dynamic->fabric);
        pool_give(&dynamic->packets, index);
        return;
    }
    send_packet(dynamic, index, link);
}

static void on_packet(void *self, uint32_t index)
{
    const struct tdm_control_packet *packet = pool_at(&((struct tdm_dynamic *)self)->packets, index);
    if (packet->kind == PACKET_RESERVE)
        on_reserve(self, index);
    else if (packet->kind == PACKET_RELEASE)
        on_release(self, index);
    else
        on_way_back(self, index);
}

/* The node takes its own link's channels and sends the reservation out. */
static void on_try(void *self, uint32_t node)
{
    struct tdm_dynamic *dynamic = self;
    struct tdm_source *source = &dynamic->sources[node];
    uint32_t destination = fabric_message(&dynamic->fabric, source->messages.head)->destination_node;
    emit_part(dynamic, source, source->has_failed ? TAP_PART_QUEUE : TAP_PART_ACQUIRE,
              fabric_now(&dynamic->fabric),
              source->has_failed ? "its next try at node" : "its first try at node", node);
    source->length = topo_way(&dynamic->topo, node, destination, source->path);
    if (!reserve(dynamic, source, 0)) {
        fail_request(dynamic, node);
        return;
    }
    uint32_t index = pool_take(&dynamic->packets);
    *(struct tdm_control_packet *)pool_at(&dynamic->packets, index) = (struct tdm_control_packet){
        .kind = PACKET_RESERVE, .node = node, .destination = destination, .step = 1};
    if (source->length == 1)
        arrive(dynamic, index);
    else if (dynamic->config->control_links == CONTROL_LINKS_ALL)
        send_packet(dynamic, index, source->path[0]);
    else
        on_reserve(dynamic, index);
}

static void dynamic_submit(struct fabric *fabric, uint32_t index)
{
    struct tdm_dynamic *dynamic = (struct tdm_dynamic *)fabric;
    uint32_t node = fabric_message(fabric, index)->source_node;
    struct queue *messages = &dynamic->sources[node].messages;
    if (!topology_check_way(fabric, &dynamic->topo, fabric_message(fabric, index), 0))
        return;
    queue_append(messages, message_links(dynamic), index);
    if (messages->head == index)
        come_to_head(dynamic, node);
}

/* ------------------------------------------------------------------- fabric */

static void dynamic_free(struct fabric *fabric)
{
    struct tdm_dynamic *dynamic = (struct tdm_dynamic *)fabric;
    faults_release(&dynamic->topo);
    free(dynamic->sources);
    free(dynamic->path_channels);
    free(dynamic->path_links);
    free(dynamic->released);
    free(dynamic->free_channels);
    free(dynamic->control_free);
    pool_free(&dynamic->packets);
    pool_free(&dynamic->transfers);
}

static void lay_out(struct tdm_dynamic *dynamic, uint32_t nodes)
{
    uint32_t limit = topo_route_limit(&dynamic->topo), links = dynamic->topo.links;
    uint64_t degree = dynamic->config->degree;
    dynamic->channels = degree == MOST_CHANNELS ? UINT64_MAX : (UINT64_C(1) << degree) - 1;
    if (dynamic->config->control == CONTROL_CHANNEL)
        dynamic->channels &= ~UINT64_C(1);
    dynamic->sources = mem_alloc(nodes, sizeof *dynamic->sources, "nodes");
    dynamic->path_channels = mem_alloc((size_t)nodes * limit, sizeof(uint64_t), "paths");
    dynamic->path_links = mem_alloc((size_t)nodes * limit, sizeof(uint32_t), "paths");
    dynamic->released = mem_alloc(limit, sizeof *dynamic->released, "paths");
    for (uint32_t node = 0; node < nodes; node++)
        dynamic->sources[node] = (struct tdm_source){.messages = {POOL_NONE, POOL_NONE},
                                                     .held = dynamic->path_channels + (size_t)node * limit,
                                                     .path = dynamic->path_links + (size_t)node * limit};
    dynamic->free_channels = mem_alloc(links, sizeof *dynamic->free_channels, "links");
    dynamic->control_free = mem_alloc(links, sizeof *dynamic->control_free, "links");
    for (uint32_t link = 0; link < links; link++)
        dynamic->free_channels[link] = dynamic->channels;
}

static enum status dynamic_init(struct fabric *fabric)
{
    struct tdm_dynamic *dynamic = (struct tdm_dynamic *)fabric;
    const struct fabric_params *params = &fabric->params;
    const struct tdm_dynamic_config *config = config_of(params->config, &tdm_dynamic_params);
    if (config->control == CONTROL_CHANNEL && config->degree < 2) {
        diag_error("tdm.control=channel uses one of the tdm.degree channels; tdm.degree must be at least 2");
        return STATUS_BAD_INPUT;
    }
    enum status status = topology_for_circuits(params->config, params->nodes, 0, &dynamic->topo);
    if (status == STATUS_OK)
        faults_hold(&dynamic->topo);
    dynamic->tdm = config_of(params->config, &tdm_params);
    if (status == STATUS_OK)
        status = tdm_check_rates(dynamic->tdm, &dynamic->topo);
    if (status != STATUS_OK)
        return status;
    dynamic->config = config;
    dynamic->rng = rng_init(params->seed, "tdm.dynamic");
    dynamic->statistics.degree = config->degree;
    dynamic->try_kind = loop_register(params->loop, on_try, dynamic);
    dynamic->packet_kind = loop_register(params->loop, on_packet, dynamic);
    dynamic->sent_kind = loop_register(params->loop, on_sent, dynamic);
    pool_init(&dynamic->packets, sizeof(struct tdm_control_packet), "control packets");
    pool_init(&dynamic->transfers, sizeof(struct tdm_transfer), "messages under way");
    lay_out(dynamic, params->nodes);
    return STATUS_OK;
}

static const void *dynamic_statistics(struct fabric *fabric)
{
    return &((struct tdm_dynamic *)fabric)->statistics;
}

static size_t dynamic_bytes(const struct fabric *fabric)
{
    const struct tdm_dynamic *dynamic = (const struct tdm_dynamic *)fabric;
    const struct topo *topo = &dynamic->topo;
    size_t per_node =
        sizeof *dynamic->sources + topo_route_limit(topo) * (sizeof(uint64_t) + sizeof(uint32_t));
    size_t per_link = sizeof *dynamic->free_channels + sizeof *dynamic->control_free;
    return topo->nodes * per_node + topo->links * per_link +
           dynamic->packets.capacity * dynamic->packets.size +
           dynamic->transfers.capacity * dynamic->transfers.size;
}

/* A node has one request at a time, and a link tdm.degree transfers. */
static enum status dynamic_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const struct tdm_dynamic_config *config = config_of(demand->config, &tdm_dynamic_params);
    struct topo topo;
    enum status status = topology_for_circuits(demand->config, demand->nodes, 0, &topo);
    if (status != STATUS_OK)
        return status;
    double nodes = demand->nodes, transfers = nodes * (double)config->degree;
    if (transfers > demand->messages)
        transfers = demand->messages;
    double per_node =
        sizeof(struct tdm_source) + topo_route_limit(&topo) * (sizeof(uint64_t) + sizeof(uint32_t));
    fabric_estimate_add(estimate, nodes * per_node + topo.links * (double)(sizeof(uint64_t) + sizeof(ps_t)) +
                                      estimate_pool(nodes, sizeof(struct tdm_control_packet)) +
                                      estimate_pool(transfers, sizeof(struct tdm_transfer)));
    return STATUS_OK;
}

static void add_mean(struct fabric_description *description, const char *what, ps_t mean)
{
    char time[DESCRIPTION_TIME];
    if (mean)
        description_add(&description->includes, "%s of %s on average", what, description_time(mean, time));
}

/* The mean of the random wait and of the wait for a slot. */
static void dynamic_describe(const struct config *config, uint32_t nodes,
                             struct fabric_description *description)
{
    const struct tdm_dynamic_config *dynamic = config_of(config, &tdm_dynamic_params);
    const struct tdm_config *tdm = config_of(config, &tdm_params);
    uint32_t way = topology_neighbour_links(config, nodes), links = way > 2 ? way - 2 : 0;
    tdm_describe(config, nodes, dynamic->degree, description);
    ps_t wait = dynamic->wait == WAIT_ALWAYS ? ps_times(dynamic->transmission_ps, dynamic->retry + 1) / 2 : 0;
    links += dynamic->control_links == CONTROL_LINKS_ALL ? 2 : 0;
    ps_t control = ps_add(ps_add(dynamic->transmission_ps, dynamic->processing_ps), tdm->wire_ps);
    ps_t slots = ps_times(tdm->slot_ps, dynamic->degree - 1) / 2;
    ps_t before_data = ps_add(ps_add(wait, ps_times(control, 2 * links)), slots);
    struct topology_links given = topology_links(config, nodes, 1, tdm->wire_ps, tdm->wire_ps);
    if (given.path) { /* there and back, in place of as many of tdm.wire */
        bool is_all = dynamic->control_links == CONTROL_LINKS_ALL;
        before_data +=
            2 * ((is_all ? given.latency_ps : given.network_latency_ps) - ps_times(tdm->wire_ps, links));
    }
    description->latency_ps = ps_add(description->latency_ps, before_data);
    if (dynamic->wait == WAIT_ALWAYS)
        add_mean(description, "random wait", wait);
    description_add_times(description, 2 * links, "control packet", "control packets", control);
    add_mean(description, "wait for its slot", slots);
}

const struct fabric_ops tdm_dynamic_fabric = {
    .name = "tdm-dynamic",
    .doc = "time-multiplexed light paths, reserved when a message is sent",
    .params = &tdm_dynamic_params,
    .metrics = &tdm_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = tdm_derive,
    .describe = dynamic_describe,
    .hardware = tdm_hardware,
    .size = sizeof(struct tdm_dynamic),
    .counted_bytes = 824,
    .init = dynamic_init,
    .free = dynamic_free,
    .submit = dynamic_submit,
    .statistics = dynamic_statistics,
    .bytes = dynamic_bytes,
    .estimate = dynamic_estimate,
};
