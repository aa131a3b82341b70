#include "fabric/packet/packet.h"

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"

void packet_request_solve(struct packet *packet)
{
    if (packet->solve_pending)
        return;
    packet->solve_pending = true;
    loop_at(packet->fabric.params.loop, packet_step_from(packet, fabric_now(&packet->fabric)),
            packet->solve_kind, 0);
}

struct queue_key packet_key_of(const struct packet *packet, const struct message *message)
{
    bool ordered = packet->config->injection == PACKET_INJECTION_ORDERED;
    return (struct queue_key){.high = message->source_node, .low = ordered ? 0 : message->destination_node};
}

/* Links between switches on the message's way. */
static uint32_t hops_of(const struct packet *packet, const struct message *message)
{
    if (!packet->has_topology)
        return 0;
    return topo_distance(packet_topo_of(packet, message), message->source_node, message->destination_node);
}

/* Those of them that take the latency of a hop. */
static uint32_t delays_of(const struct packet *packet, const struct message *message)
{
    if (!packet->has_topology)
        return 0;
    return topo_delays(packet_topo_of(packet, message), message->source_node, message->destination_node);
}

static ps_t latency_by_route(const struct packet *packet, const struct message *message)
{
    const struct packet_config *config = packet->config;
    return ps_add(config->latency_ps,
                  topo_route_latency(packet_topo_of(packet, message), message->source_node,
                                     message->destination_node, config->hop_latency_ps, 0));
}

static ps_t latency_kept(const struct packet *packet, const struct message *message)
{
    uint32_t source = message->source_node, destination = message->destination_node;
    const uint32_t record = paths_record(packet->latency_records, source, destination);
    struct packet_latency *kept = &packet->latencies[record];
    if (kept->after_source != source + 1 || kept->destination != destination)
        *kept = (struct packet_latency){source + 1, destination, latency_by_route(packet, message)};
    return kept->latency;
}

/* Where the network gives latencies, those of fixed routing: of an adaptive route they are not known before
 * the message begins. */
ps_t packet_latency_of(const struct packet *packet, const struct message *message)
{
    const struct packet_config *config = packet->config;
    if (packet->latencies)
        return latency_kept(packet, message);
    if (packet->has_topology && topo_has_latencies(&packet->paths.topo))
        return latency_by_route(packet, message);
    return ps_add(config->latency_ps, config->hop_latency_ps * delays_of(packet, message));
}

/* Its flow gets a rate with the next step. */
static void emit_step(const struct packet *packet, uint32_t index)
{
    const ps_t now = fabric_now(&packet->fabric);
    tap_emit_part(packet->fabric.params.tap, index, TAP_PART_QUEUE, now, packet_step_from(packet, now),
                  "the next packet.step at node", fabric_message(&packet->fabric, index)->source_node);
}

/* The message is the first of its flow now. */
static void emit_queued(const struct packet *packet, uint32_t index)
{
    const struct message *message = fabric_message(&packet->fabric, index);
    tap_emit_part(packet->fabric.params.tap, index, TAP_PART_QUEUE, message->injected,
                  fabric_now(&packet->fabric), "messages sent before it by node", message->source_node);
}

uint64_t packet_rate_alone(struct packet *packet, const struct message *message)
{
    uint64_t rate = packet->config->bandwidth_bytes_per_s;
    if (!packet->has_topology || !topo_has_rates(&packet->paths.topo))
        return rate;
    const struct topo *topo = packet_topo_of(packet, message);
    if (topo != &packet->paths.topo)
        return topo_route_rate(topo, message->source_node, message->destination_node, rate);
    return paths_rate_alone(&packet->paths, message->source_node, message->destination_node, rate);
}

static void emit_moved(struct packet *packet, uint32_t index, ps_t latency)
{
    const struct message *message = fabric_message(&packet->fabric, index);
    uint64_t bytes = fabric_message_bytes(&packet->fabric, message);
    ps_t now = fabric_now(&packet->fabric);
    const struct tap *tap = packet->fabric.params.tap;
    if (tap_wants_parts(tap))
        tap_emit_waiting(
            tap, index, TAP_PART_TRANSFER, message->injected, now,
            &(struct tap_awaited){.what = "its share of the links to node",
                                  .which = message->destination_node,
                                  .alone = service_ps(bytes, packet_rate_alone(packet, message))});
    tap_emit_part(tap, index, TAP_PART_WIRE, now, ps_add(now, latency), NULL, 0);
}

static void deliver(struct packet *packet, uint32_t message, ps_t latency)
{
    const struct fabric *fabric = &packet->fabric;
    ps_t now = fabric_now(fabric);
    emit_moved(packet, message, latency);
    fabric_sender_done(fabric, message, now);
    fabric_delivered(fabric, message, ps_add(now, latency));
}

/* A detour has a latency of its own; the message does not arrive before its envelope, which takes the fixed
 * route. */
ps_t packet_latency_over(const struct packet *packet, uint32_t lane, const struct message *message)
{
    ps_t latency = packet_latency_of(packet, message), sum = packet->config->latency_ps;
    if (!packet->has_topology || paths_are_minimal(packet->paths.choice))
        return latency;
    const uint32_t *links = packet_route_of(packet, lane);
    const struct topo *topo = &packet->paths.topo;
    for (uint32_t i = 0; i < packet->lanes[lane].links; i++) {
        bool is_hop = topo_is_network(topo, links[i]) && !topo_is_port(topo, topo_link_to(topo, links[i]));
        sum = ps_add(sum, topo_link_latency(topo, links[i], is_hop ? packet->config->hop_latency_ps : 0));
    }
    if (topo->has_ports && !topo_has_latencies(topo)) /* packet.latency includes the first switch */
        sum -= packet->config->hop_latency_ps;
    return ps_max(latency, sum);
}

static maxmin_work_t work_of(const struct packet *packet, const struct message *message)
{
    return maxmin_work(fabric_message_bytes(&packet->fabric, message));
}

/* A flow for the messages in `queue`, whose first begins now. */
static void begin_flow(struct packet *packet, struct queue_table_entry *entry, struct queue queue)
{
    const struct message *first = fabric_message(&packet->fabric, queue.head);
    uint32_t flow = pool_take(&packet->flows);
    *packet_flow_at(packet, flow) = (struct packet_flow){.messages = queue,
                                                         .left = work_of(packet, first),
                                                         .since = fabric_now(&packet->fabric),
                                                         .event_at = PS_NEVER,
                                                         .lane = POOL_NONE};
    lanes_begin(packet, flow);
    emit_queued(packet, queue.head);
    emit_step(packet, queue.head);
    entry->queue.head = flow;
    packet->statistics.flows++;
    if (packet->flows.live > packet->statistics.peak_flows)
        packet->statistics.peak_flows = packet->flows.live;
    packet_request_solve(packet);
}

static void packet_submit(struct fabric *fabric, uint32_t index)
{
    struct packet *packet = (struct packet *)fabric;
    struct message *message = fabric_message(&packet->fabric, index);

    if (!change_check_way(packet, message))
        return;
    ps_t latency = ps_add(packet_wait(packet, message), packet_latency_of(packet, message));
    fabric_visible(fabric, index, ps_add(fabric_now(fabric), latency));
    sums_add(&packet->up_bytes, message->source_node, message->bytes);
    sums_add(&packet->down_bytes, message->destination_node, message->bytes);
    message->fabric = POOL_NONE;
    struct queue_table_entry *entry = queue_table_at(&packet->by_key, packet_key_of(packet, message));
    if (entry->queue.head != POOL_NONE) {
        queue_append(&packet_flow_at(packet, entry->queue.head)->messages,
                     QUEUE_LINKS(fabric->params.messages->records, struct message, fabric), index);
    } else if (fabric_message_bytes(fabric, message) == 0) {
        queue_table_remove(&packet->by_key, entry);
        packet->statistics.hops += hops_of(packet, message);
        deliver(packet, index, latency);
    } else {
        begin_flow(packet, entry, (struct queue){index, index});
    }
}

/* Of a flow that has moved until now: its first message ends, or its stage. */
static ps_t next_event_of(const struct packet *packet, uint32_t id)
{
    const struct packet_flow *flow = packet_flow_at(packet, id);
    ps_t finish = ps_add(flow->since, maxmin_time(flow->left, flow->rate));
    if (!packet_has_stages(packet))
        return finish;
    ps_t end = stage_end(packet, id);
    return end < finish ? end : finish;
}

/* Whether its first message ends by then, if its rate stays. */
static bool ends_by(const struct packet_flow *flow, ps_t time)
{
    return maxmin_done(flow->left, flow->rate, time - flow->since) == flow->left;
}

/* A flow that has got earlier events several times will get more. So its event is half-way to its end, and
 * makes the next one, until few solutions are left: else each solution would leave an event of each flow in
 * the loop. The two numbers are measured: from 1 to 4, alltoalls of 64 and 512 ranks take about as long. */
static ps_t event_before(const struct packet *packet, const struct packet_flow *flow, ps_t next)
{
    enum { HURRIED = 2, SOLUTIONS = 2 };
    const ps_t now = fabric_now(&packet->fabric), left = next - now;
    if (flow->hurried < HURRIED || next == PS_NEVER || packet_has_stages(packet))
        return next;
    return left / SOLUTIONS <= packet->between_solves ? next : now + left / 2;
}

static void set_event(struct packet *packet, struct packet_flow *flow, uint32_t id, ps_t next)
{
    flow->event_at = event_before(packet, flow, next);
    loop_at(packet->fabric.params.loop, flow->event_at, packet->end_kind, id);
}

/* Whether the flow does not end before its event, which costs no division to know. */
static inline bool keeps_event(const struct packet *packet, const struct packet_flow *flow)
{
    const bool is_expected = flow->event_at != PS_NEVER && !packet_has_stages(packet);
    return is_expected && (flow->event_at <= flow->since || !ends_by(flow, flow->event_at - 1));
}

/* The first message of the flow goes on at the flow's rate. A flow that ends earlier than expected gets a new
 * event. One that ends later keeps its event, which then makes the next one: so a flow has few events in the
 * loop. */
static inline void expect_end(struct packet *packet, struct packet_flow *flow, uint32_t id)
{
    if (change_is_waiting(packet, id) || keeps_event(packet, flow))
        return;
    ps_t next = next_event_of(packet, id);
    if (next < flow->event_at || next == PS_NEVER) {
        flow->hurried += flow->event_at != PS_NEVER;
        set_event(packet, flow, id, next);
    }
}

static inline void advance(struct packet *packet, struct packet_flow *flow)
{
    ps_t now = fabric_now(&packet->fabric);
    maxmin_work_t done = maxmin_done(flow->left, flow->rate, now - flow->since);
    if (packet_has_stages(packet) || packet_has_shares(packet))
        lanes_send(packet, flow, done, now - flow->since);
    flow->left -= done;
    flow->since = now;
}

void packet_advance(struct packet *packet, uint32_t flow)
{
    advance(packet, packet_flow_at(packet, flow));
}

uint64_t packet_bytes_left(const struct packet_flow *flow)
{
    maxmin_work_t of_byte = maxmin_work(1);
    return (uint64_t)((flow->left + (of_byte - 1)) / of_byte);
}

static inline void change_rate(struct packet *packet, uint32_t lane)
{
    uint32_t id = packet->lanes[lane].flow;
    struct packet_flow *flow = packet_flow_at(packet, id);
    advance(packet, flow);
    if (!packet_has_shares(packet)) {
        flow->rate = rates_of(packet->rates, lane);
        expect_end(packet, flow, id);
        return;
    }
    struct packet_share *share = &packet->shares[lane];
    flow->rate -= share->rate;
    share->rate = rates_of(packet->rates, lane);
    flow->rate += share->rate;
    flow->has_new_rate = true;
}

/* Once all lanes have their rates. */
static void expect_ends(struct packet *packet, const uint32_t *lanes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t id = packet->lanes[lanes[i]].flow;
        struct packet_flow *flow = packet_flow_at(packet, id);
        if (flow->has_new_rate)
            expect_end(packet, flow, id);
        flow->has_new_rate = false;
    }
}

/* Rates change in no order of flows, so that the processor does not see which one comes next. */
static inline __attribute__((always_inline)) void
fetch_ahead(const struct packet *packet, const uint32_t *lanes, size_t index, size_t count)
{
    enum { LANES_AHEAD = 16, FLOWS_AHEAD = 8 };
    if (index + LANES_AHEAD < count)
        __builtin_prefetch(&packet->lanes[lanes[index + LANES_AHEAD]]);
    if (index + FLOWS_AHEAD < count)
        __builtin_prefetch(packet_flow_at(packet, packet->lanes[lanes[index + FLOWS_AHEAD]].flow), 1);
}

static void note_solve(struct packet *packet)
{
    const ps_t now = fabric_now(&packet->fabric);
    packet->between_solves = now - packet->solved_at;
    packet->solved_at = now;
}

static void on_solve(void *self, uint32_t subject)
{
    struct packet *packet = self;
    (void)subject;
    packet->solve_pending = false;
    note_solve(packet);
    size_t count;
    const uint32_t *changed = rates_solve(packet->rates, &count);
    packet->statistics.solves++;
    packet->statistics.rate_changes += count;
    for (size_t i = 0; i < count; i++) {
        fetch_ahead(packet, changed, i, count);
        change_rate(packet, changed[i]);
    }
    if (packet_has_shares(packet))
        expect_ends(packet, changed, count);
}

/* Whether two messages use the same links, so that the second can continue at the first one's rate. */
static bool same_way(const struct packet *packet, uint32_t a, uint32_t b)
{
    return fabric_message(&packet->fabric, a)->destination_node ==
           fabric_message(&packet->fabric, b)->destination_node;
}

/* The first message of the flow has ended and `next` begins: in the same flow if it goes the same way. */
static void follow(struct packet *packet, uint32_t id, uint32_t ended, uint32_t next)
{
    struct packet_flow *flow = packet_flow_at(packet, id);
    if (next != POOL_NONE && same_way(packet, ended, next)) {
        flow->messages.head = next;
        flow->left = work_of(packet, fabric_message(&packet->fabric, next));
        emit_queued(packet, next);
        flow->since = fabric_now(&packet->fabric);
        lanes_follow(packet, id);
        expect_end(packet, flow, id);
        return;
    }
    struct queue_table_entry *entry =
        queue_table_at(&packet->by_key, packet_key_of(packet, fabric_message(&packet->fabric, ended)));
    struct queue rest = {next, flow->messages.tail};
    lanes_end(packet, id);
    pool_give(&packet->flows, id);
    if (next != POOL_NONE) {
        begin_flow(packet, entry, rest);
        return;
    }
    entry->queue.head = POOL_NONE;
    queue_table_remove(&packet->by_key, entry);
    packet_request_solve(packet);
}

/* The event of a flow: its first message ends, or it ends later, since the rate has fallen or the event was
 * half-way. The index may belong to a new flow since the event was made. Then event_at differs; where it does
 * not, the event is the new flow's as well. */
static void on_end(void *self, uint32_t id)
{
    struct packet *packet = self;
    struct packet_flow *flow = packet_flow_at(packet, id);
    ps_t now = fabric_now(&packet->fabric);
    if (flow->event_at != now)
        return;
    flow->event_at = PS_NEVER;
    if (change_is_waiting(packet, id))
        return;
    if (packet_has_stages(packet) || packet_has_shares(packet))
        packet_advance(packet, id);
    if (!ends_by(flow, now)) {
        if (stage_next(packet, id))
            return;
        set_event(packet, flow, id, next_event_of(packet, id));
        return;
    }
    uint32_t ended = flow->messages.head;
    ps_t latency = lanes_latency(packet, id, fabric_message(&packet->fabric, ended));
    follow(packet, id, ended, fabric_message(&packet->fabric, ended)->fabric);
    deliver(packet, ended, latency);
}

/* --------------------------------------------------------------------- init */

/* Every link has the bandwidth of a node's, or that of the network file. */
static void open_rates(struct packet *packet, const struct packet_network *network)
{
    struct rates_shape shape = packet_shape_of(packet->config, network, packet->fabric.params.nodes);
    uint64_t *capacities = mem_alloc(shape.links, sizeof *capacities, "links");
    for (uint32_t i = 0; i < shape.links; i++)
        capacities[i] = packet_rate_of_link(packet, i);
    packet->rates = rates_open(&shape, capacities);
    free(capacities);
    packet->way = mem_alloc((size_t)network->limit << shape.is_spread, sizeof *packet->way, "a route");
    way_init(packet, network, &shape);
}

static void open_latencies(struct packet *packet)
{
    if (packet->change || !topo_has_latencies(&packet->paths.topo))
        return;
    packet->latency_records = paths_records(packet->paths.topo.nodes, packet->paths.limit);
    packet->latencies = mem_alloc(packet->latency_records, sizeof *packet->latencies, "latencies of routes");
}

static void use_topology(struct packet *packet, struct packet_network *network)
{
    struct paths *paths = &packet->paths;
    packet->has_topology = true;
    paths_init(paths, &network->topo, (enum path_choice)packet->config->routing,
               packet->config->duplex == PACKET_DUPLEX_HALF, network->limit, network->changes,
               packet->fabric.params.seed);
    faults_hold(&paths->topo);
    if (network->changes)
        change_init(packet, &network->states);
    open_latencies(packet);
    open_rates(packet, network);
}

static enum status packet_init(struct fabric *fabric)
{
    struct packet *packet = (struct packet *)fabric;
    uint32_t nodes = fabric->params.nodes;
    struct packet_network network;
    enum status status = packet_choose_network(fabric->params.config, nodes, &network);
    if (status != STATUS_OK)
        return status;
    packet->config = config_of(fabric->params.config, &packet_params);
    queue_table_init(&packet->by_key);
    pool_init(&packet->flows, sizeof(struct packet_flow), "flows");
    packet->lanes_of_flow = lanes_of_each(packet->config, &network);
    packet->solve_kind = loop_register(fabric->params.loop, on_solve, packet);
    packet->end_kind = loop_register(fabric->params.loop, on_end, packet);
    sums_init(&packet->up_bytes, nodes);
    sums_init(&packet->down_bytes, nodes);
    if (network.is_needed)
        use_topology(packet, &network);
    else
        open_rates(packet, &network);
    stage_init(packet);
    return STATUS_OK;
}

/* Not a link of a node that stands in the place of a switch. */
static bool joins_switches(const struct topo *topo, uint32_t link)
{
    struct topo_hop ends = topo->ops->ends(topo, link);
    return topo_switch_kind(topo, ends.from) != TOPO_SWITCH_ENDS &&
           topo_switch_kind(topo, ends.to) != TOPO_SWITCH_ENDS;
}

/* The longest time that the bytes of a link between switches take: no run with these routes is shorter. */
static ps_t busiest_link_ps(const struct packet *packet, const struct metric_series *bytes)
{
    const struct topo *topo = &packet->paths.topo;
    const uint64_t of_fabric = packet->config->bandwidth_bytes_per_s;
    ps_t most = 0;
    for (size_t i = 0; i < bytes->count; i++) {
        const uint32_t link = (uint32_t)(2 * topo->nodes + i);
        const sum_t sum = metric_series_at(bytes, i);
        const uint64_t carried = sum < INT64_MAX ? (uint64_t)sum : INT64_MAX;
        if (sum > 0 && joins_switches(topo, link))
            most = ps_max(most, packet->change ? change_time_of(packet, link, carried, of_fabric)
                                               : service_ps(carried, topo_link_rate(topo, link, of_fabric)));
    }
    return most;
}

/* The part of a link's bytes that come out of a switch: none of those out of the ports of a node. Where one
 * link stands for both directions, half of the bytes that reach a node's ports and leave them. */
static double share_switched(const struct packet *packet, uint32_t link)
{
    const struct topo *topo = &packet->paths.topo;
    struct topo_hop ends = topo->ops->ends(topo, link);
    const bool from_switch = topo_switch_kind(topo, ends.from) != TOPO_SWITCH_ENDS;
    const bool to_switch = topo_switch_kind(topo, ends.to) != TOPO_SWITCH_ENDS;
    const bool is_both = packet->paths.half_duplex || topo_link_reverse(topo, link) == link;
    return is_both ? (from_switch + to_switch) / 2.0 : from_switch;
}

/* Bytes x switches that they passed. A switch stands before each link but the first. */
static double switched_bytes(const struct packet *packet)
{
    const struct packet_statistics *statistics = &packet->statistics;
    const struct topo *topo = packet->has_topology ? &packet->paths.topo : NULL;
    double sum = 0;
    for (size_t node = 0; node < statistics->down_bytes.count; node++)
        if (!topo || topo_switch_kind(topo, topo_switch_of(topo, (uint32_t)node)) != TOPO_SWITCH_ENDS)
            sum += (double)metric_series_at(&statistics->down_bytes, node);
    for (size_t i = 0; i < statistics->link_bytes.count; i++)
        sum += (double)metric_series_at(&statistics->link_bytes, i) *
               share_switched(packet, (uint32_t)(2 * topo->nodes + i));
    return sum;
}

static const void *packet_statistics_of(struct fabric *fabric)
{
    struct packet *packet = (struct packet *)fabric;
    packet->statistics.up_bytes = metric_series_of(&packet->up_bytes, 0, packet->fabric.params.nodes);
    packet->statistics.down_bytes = metric_series_of(&packet->down_bytes, 0, packet->fabric.params.nodes);
    if (packet->has_topology) {
        packet->statistics.link_bytes = paths_inner_bytes(&packet->paths);
        packet->statistics.busiest_link_ps = busiest_link_ps(packet, &packet->statistics.link_bytes);
    }
    packet->statistics.switched_bytes = switched_bytes(packet);
    packet->statistics.unsettled = rates_unsettled(packet->rates);
    return &packet->statistics;
}

static size_t packet_bytes(const struct fabric *fabric)
{
    const struct packet *packet = (const struct packet *)fabric;
    return packet->flows.capacity * packet->flows.size + lanes_bytes(packet) + rates_bytes(packet->rates) +
           queue_table_bytes(&packet->by_key) + sums_bytes(&packet->up_bytes) +
           sums_bytes(&packet->down_bytes) + (packet->has_topology ? paths_bytes(&packet->paths) : 0) +
           packet->stage_capacity * sizeof *packet->stages +
           (packet_has_stages(packet) ? packet->own.flow_capacity + packet->own.unused_capacity : 0) *
               sizeof(uint32_t) +
           packet->latency_records * sizeof *packet->latencies +
           (packet->route_capacity + paths_words(&packet->paths, packet->paths.limit)) *
               sizeof *packet->routes;
}

/* Each message that is not empty counts as a flow, though those from node to node follow one another. */
static enum status packet_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const struct packet_config *config = config_of(demand->config, &packet_params);
    struct packet_network network;
    enum status status = packet_choose_network(demand->config, demand->nodes, &network);
    if (status != STATUS_OK)
        return status;
    const struct topo *topo = &network.topo;
    bool has_topology = network.is_needed;
    uint32_t limit = network.limit;
    double pairs = (double)demand->nodes * (demand->nodes - 1);
    double flows = demand->with_bytes < pairs ? demand->with_bytes : pairs;
    if (config->injection == PACKET_INJECTION_ORDERED && flows > demand->nodes)
        flows = demand->nodes;
    /* A flow that becomes faster gets a new event, and the old one stays until it is due. */
    double events = flows * (demand->is_staggered ? 6 : 1);
    enum path_choice choice = (enum path_choice)config->routing;
    struct rates_shape shape = packet_shape_of(config, &network, demand->nodes);
    double links = shape.links;
    double of_flow = has_topology ? topo_mean_distance(topo) * (paths_are_minimal(choice) ? 1 : 2) + 2 : 2;
    if (has_topology && choice == PATH_SPRAYED)
        of_flow = 2 * limit; /* a part for each link */
    double lanes = flows * lanes_of_each(config, &network);
    double bytes = estimate_pool(flows, sizeof(struct packet_flow)) + queue_table_estimate(flows) +
                   lanes_estimate(config, &network, flows) + rates_estimate(&shape, lanes, of_flow) +
                   loop_estimate(events) + 2 * (double)demand->nodes * sizeof(int64_t);
    if (config->congestion == CONGESTION_WINDOW || config->congestion == CONGESTION_QUEUES ||
        (config->chunk_bytes && has_topology && !paths_are_minimal(choice)))
        bytes += stage_estimate(lanes);
    if (has_topology && topo_has_latencies(topo))
        bytes += paths_records(topo->nodes, limit) * sizeof(struct packet_latency);
    if (has_topology)
        bytes += links * (sizeof(uint32_t) + sizeof(int64_t)) +
                 estimate_array(lanes * limit, sizeof(uint32_t)) +
                 (double)paths_known_bytes(choice, topo->nodes, limit, network.changes);
    packet_network_free(&network);
    fabric_estimate_add(estimate, bytes);
    return STATUS_OK;
}

static void packet_free(struct fabric *fabric)
{
    struct packet *packet = (struct packet *)fabric;
    rates_close(packet->rates);
    queue_table_free(&packet->by_key);
    pool_free(&packet->flows);
    free(packet->lanes);
    free(packet->shares);
    if (packet->has_topology) {
        faults_release(&packet->paths.topo);
        paths_free(&packet->paths);
    }
    change_free(packet);
    free(packet->latencies);
    free(packet->routes);
    free(packet->way);
    free(packet->own.of_flow);
    free(packet->own.unused);
    free(packet->own.shared);
    free(packet->queues);
    free(packet->stages);
    sums_free(&packet->up_bytes);
    sums_free(&packet->down_bytes);
}

/* Where nodes have links of different rates: that of the fastest. */
static uint64_t packet_node_rate(const struct fabric *fabric)
{
    const struct packet *packet = (const struct packet *)fabric;
    const struct topo *topo = packet->has_topology ? &packet->paths.topo : NULL;
    uint64_t rate = packet->config->bandwidth_bytes_per_s, most = 0;
    if (!topo || !topo_has_rates(topo))
        return rate;
    for (uint32_t node = 0; node < topo->nodes; node++) {
        uint64_t of_node = topo_link_rate(topo, topo_injection(topo, node), rate);
        most = of_node > most ? of_node : most;
    }
    return most;
}

const struct fabric_ops packet_fabric = {
    .name = "packet",
    .doc = "packet switching: max-min fair sharing of links, on any topology",
    .params = &packet_params,
    .metrics = &packet_metrics,
    .host_path = HOST_PATH_NIC,
    .latency_name = "packet.latency",
    .derive = packet_derive,
    .describe = packet_describe,
    .hardware = packet_hardware,
    .use = packet_use,
    .size = sizeof(struct packet),
    .counted_bytes = 1096,
    .init = packet_init,
    .free = packet_free,
    .submit = packet_submit,
    .statistics = packet_statistics_of,
    .node_rate = packet_node_rate,
    .bytes = packet_bytes,
    .estimate = packet_estimate,
};
