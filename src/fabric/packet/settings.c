#include "base/config.h"
#include "base/units.h"
#include "fabric/packet/packet.h"

static const char *const duplex_names[] = {"full", "half", NULL};

static const char *const injection_names[] = {"shared", "ordered", NULL};

const char *const packet_routing_names[] = {[PATH_FIXED] = "fixed",        [PATH_LEAST_USED] = "adaptive",
                                            [PATH_HASHED] = "ecmp",        [PATH_SPRAYED] = "spray",
                                            [PATH_VALIANT] = "valiant",    [PATH_UGAL_LOCAL] = "ugal-l",
                                            [PATH_UGAL_GLOBAL] = "ugal-g", NULL};

const char *const packet_congestion_names[] = {
    [CONGESTION_NONE] = "none",     [CONGESTION_WINDOW] = "window",   [CONGESTION_QUEUES] = "queues",
    [CONGESTION_INCAST] = "incast", [CONGESTION_CREDITS] = "credits", NULL};

static const char *const law_names[] = {[INCAST_FIFO] = "fifo", [INCAST_LINEAR] = "linear", NULL};

PARAM_TABLE(
    packet_params, "packet", struct packet_config, "max-min fair sharing of links, latency not shared",
    {.name = "packet.latency",
     .type = PARAM_TIME,
     .offset = offsetof(struct packet_config, latency_ps),
     .default_text = "8 us",
     .min = "0 ps",
     .doc = "from the last byte's injection to its delivery (FMU paper, Table 3)"},
    {.name = "packet.bandwidth",
     .type = PARAM_RATE,
     .offset = offsetof(struct packet_config, bandwidth_bytes_per_s),
     .default_text = "12.5 GB/s",
     .min = "1 B/s",
     .max = "70 TB/s", /* below MAXMIN_CAPACITY_LIMIT */
     .doc = "of each node's link (FMU paper, Table 3: 100 Gb/s InfiniBand)"},
    {.name = "packet.duplex",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct packet_config, duplex),
     .default_text = "full",
     .choices = duplex_names,
     .doc = "full: a link up and a link down per node; half: both directions share one"},
    {.name = "packet.injection",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct packet_config, injection),
     .default_text = "shared",
     .choices = injection_names,
     .doc = "shared: a node's messages share its up link, those to one destination following each other; "
            "ordered: all one after another"},
    {.name = "packet.hop_latency",
     .type = PARAM_TIME,
     .offset = offsetof(struct packet_config, hop_latency_ps),
     .default_text = "100 ns",
     .min = "0 ps",
     .max = "100 ms",
     .doc = "more latency for each link between two switches of the topology; a crossbar has none"},
    {.name = "packet.routing",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct packet_config, routing),
     .default_text = "fixed",
     .choices = packet_routing_names,
     .doc = "where several links lead on: fixed: by destination, D-mod-k in a tree; adaptive: the one with "
            "fewest flows; ecmp: by a hash of both nodes; spray: over all in equal parts; valiant: over a "
            "random node; ugal-l, ugal-g: fixed or "
            "valiant, by the flows on the first link or on all"},
    {.name = "packet.paths",
     .type = PARAM_COUNT,
     .offset = offsetof(struct packet_config, paths),
     .default_text = "1",
     .min = "1",
     .max = "64",
     .doc = "how many paths messages of a pair of nodes take at once, each chosen by packet.routing for "
            "itself; no effect with fixed and spray"},
    {.name = "packet.chunk",
     .type = PARAM_SIZE,
     .offset = offsetof(struct packet_config, chunk_bytes),
     .default_text = "64 KiB",
     .min = "0 B",
     .max = "1 TB",
     .doc = "with valiant, ugal-l and ugal-g: messages of a pair of nodes choose a path again after so many "
            "bytes on it, a compromise of time and accuracy; 0 B: never"},
    {.name = "packet.step",
     .type = PARAM_TIME,
     .offset = offsetof(struct packet_config, step_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .max = "1 s",
     .doc = "rates change at whole multiples of it only: less exact and, where many messages begin or end, "
            "faster; 0 ps: at once"},
    {.name = "packet.congestion",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct packet_config, congestion),
     .default_text = "none",
     .choices = packet_congestion_names,
     .doc = "none: max-min fair, the ideal; window: a pair of nodes has packet.window under way; queues: "
            "window, and the queues of full links add to its round trip; incast: a "
            "link with many inputs carries less; credits: a full link holds the queues before it"},
    {.name = "packet.window",
     .type = PARAM_SIZE,
     .offset = offsetof(struct packet_config, window_bytes),
     .default_text = "64 KiB",
     .min = "1 B",
     .max = "1 TB",
     .doc = "with window, queues: bytes of a pair of nodes that are not acknowledged (TCP without scaling, "
            "RFC 9293)"},
    {.name = "packet.turnaround",
     .type = PARAM_TIME,
     .offset = offsetof(struct packet_config, turnaround_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .max = "1 s",
     .doc = "with window, queues: what the receiver takes to acknowledge, beside the latency there and back"},
    {.name = "packet.incast",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct packet_config, incast.law),
     .default_text = "fifo",
     .choices = law_names,
     .doc =
         "with incast: fifo: queues with random destinations (Karol et al. 1987, Table I); linear: 1 / (1 + "
         "packet.incast_penalty (inputs - 1))"},
    {.name = "packet.incast_penalty",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct packet_config, incast.penalty),
     .default_text = "0.1",
     .min = "0",
     .max = "100",
     .doc = "with packet.incast=linear: what each input more costs; no source, to be measured"});

static const struct metric packet_metric_list[] = {
    {"flows", METRIC_COUNT, offsetof(struct packet_statistics, flows), "successions of messages"},
    {"peak_flows", METRIC_COUNT, offsetof(struct packet_statistics, peak_flows), "most of them at once"},
    {"solves", METRIC_COUNT, offsetof(struct packet_statistics, solves),
     "instants at which rates were solved for"},
    {"rate_changes", METRIC_COUNT, offsetof(struct packet_statistics, rate_changes),
     "changes of a flow's rate"},
    {"up_bytes", METRIC_COUNTS, offsetof(struct packet_statistics, up_bytes), "sent by each node"},
    {"down_bytes", METRIC_COUNTS, offsetof(struct packet_statistics, down_bytes), "received by each node"},
    {"unsettled", METRIC_COUNT, offsetof(struct packet_statistics, unsettled),
     "solves with queues, credits whose rates had not settled"},
    {"hops", METRIC_COUNT, offsetof(struct packet_statistics, hops),
     "links between switches that messages took"},
    {"link_bytes", METRIC_COUNTS, offsetof(struct packet_statistics, link_bytes),
     "carried by each link between switches of the topology"},
    {"busiest_link_s", METRIC_TIME, offsetof(struct packet_statistics, busiest_link_ps),
     "the longest time that the bytes of a link between switches take at its rates"},
};

const struct metric_table packet_metrics = {
    .metrics = packet_metric_list,
    .count = sizeof packet_metric_list / sizeof *packet_metric_list,
    .size = sizeof(struct packet_statistics),
};

void packet_derive(struct derivation *derivation)
{
    const struct machine_config *machine = derivation->machine;
    derive_time(derivation, "packet.latency", derivation_one_switch(derivation),
                "2 wire.latency + switch.latency");
    derive_time(derivation, "packet.hop_latency", machine->wire_latency_ps + machine->switch_latency_ps,
                "wire.latency + switch.latency");
    derive_rate(derivation, "packet.bandwidth", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
}

enum status packet_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct packet_config *packet = config_of(config, &packet_params);
    return hardware_add(hardware, config, nodes, false, packet->bandwidth_bytes_per_s);
}

struct hardware_use packet_use(const struct config *config, uint32_t nodes, const void *statistics)
{
    const struct packet_statistics *of = statistics;
    (void)config, (void)nodes;
    return (struct hardware_use){.switched_bytes = of->switched_bytes};
}

/* A pair of nodes that are neighbours, under the window. */
static void describe_window(const struct packet_config *packet, struct fabric_description *description)
{
    char bytes[64], rate[64];
    uint64_t most =
        stage_window_rate(packet->window_bytes, ps_add(2 * description->latency_ps, packet->turnaround_ps));
    units_print_size(packet->window_bytes, bytes, sizeof bytes);
    if (most >= description->message_rate_bytes_per_s) {
        description_add(&description->notes, "windows of %s do not limit a message to the next node", bytes);
        return;
    }
    description->message_rate_bytes_per_s = most;
    units_show_rate((double)most, 3, rate, sizeof rate);
    description_add(&description->notes, "windows of %s: a message has at most %s to the next node", bytes,
                    rate);
}

static void describe_congestion(const struct packet_config *packet, struct fabric_description *description)
{
    switch ((enum packet_congestion)packet->congestion) {
    case CONGESTION_NONE:
        return;
    case CONGESTION_WINDOW:
        describe_window(packet, description);
        return;
    case CONGESTION_QUEUES:
        describe_window(packet, description);
        description_add(&description->notes, "the queues of full links add to the round trips of windows");
        return;
    case CONGESTION_INCAST:
        description_add(&description->notes,
                        "incast: a link with 2, 4, 16 inputs carries %.0f %%, %.0f %%, %.0f %% of its rate",
                        100 * incast_part(&packet->incast, 2), 100 * incast_part(&packet->incast, 4),
                        100 * incast_part(&packet->incast, 16));
        return;
    case CONGESTION_CREDITS:
        description_add(&description->notes,
                        "credits: a full link holds the queues before it, with all that is in them");
        return;
    }
}

static void describe_step(const struct packet_config *packet, struct fabric_description *description)
{
    char step[64];
    if (packet->step_ps)
        description_add(&description->notes,
                        "packet.step: rates change every %s only, so times are approximate",
                        units_print_time(packet->step_ps, step, sizeof step));
}

/* Whether there is more than one way for packet.routing to choose. */
static bool has_ways(const struct config *config, uint32_t nodes, enum path_choice choice)
{
    struct topo topo;
    if (!topology_is_needed(config) || topology_changes(config))
        return topology_is_needed(config);
    if (topology_at_start(config, nodes, &topo) != STATUS_OK)
        return true;
    return paths_are_minimal(choice) ? topo_has_choices(&topo) : topo.links > 2 * topo.nodes;
}

/* What others leave without effect. A value that is the machine's has been set by it. */
static void describe_unused(const struct config *config, uint32_t nodes, const struct topology_links *links,
                            struct fabric_description *description)
{
    const struct packet_config *packet = config_of(config, &packet_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    enum path_choice choice = (enum path_choice)packet->routing;
    bool is_minimal = paths_are_minimal(choice), is_free = has_ways(config, nodes, choice);
    bool has_windows = packet->congestion == CONGESTION_WINDOW || packet->congestion == CONGESTION_QUEUES;
    bool has_incast = packet->congestion == CONGESTION_INCAST;
    ps_t hop = machine->wire_latency_ps + machine->switch_latency_ps;
    description_unused(description,
                       links->has_all_rates && is_minimal &&
                           packet->bandwidth_bytes_per_s != machine_node_rate(machine),
                       "packet.bandwidth");
    description_unused(description,
                       (!topology_is_needed(config) || links->has_all_hops) && packet->hop_latency_ps != hop,
                       "packet.hop_latency");
    description_unused(description, !is_free, "packet.routing");
    description_unused(description, !is_free || !paths_can_be_several(choice), "packet.paths");
    description_unused(description, !is_free || is_minimal, "packet.chunk");
    description_unused(description, !has_windows, "packet.window");
    description_unused(description, !has_windows, "packet.turnaround");
    description_unused(description, !has_incast, "packet.incast");
    description_unused(description, !has_incast || packet->incast.law != INCAST_LINEAR,
                       "packet.incast_penalty");
}

void packet_describe(const struct config *config, uint32_t nodes, struct fabric_description *description)
{
    const struct packet_config *packet = config_of(config, &packet_params);
    uint32_t hops = topology_neighbour_delays(config, nodes);
    struct topology_links links =
        topology_links(config, nodes, packet->bandwidth_bytes_per_s, packet->hop_latency_ps, 0);
    description->rate_bytes_per_s = links.node_rate_bytes_per_s;
    description->message_rate_bytes_per_s = links.message_rate_bytes_per_s;
    description->latency_ps =
        ps_add(packet->latency_ps, links.path ? links.latency_ps : ps_times(packet->hop_latency_ps, hops));
    description_base_one_switch(description, config, "packet.latency", packet->latency_ps);
    if (packet->routing != PATH_FIXED && config_field(config, "topology") &&
        has_ways(config, nodes, (enum path_choice)packet->routing))
        description_add(&description->notes, "packet.routing=%s%s", packet_routing_names[packet->routing],
                        paths_are_minimal((enum path_choice)packet->routing)
                            ? ""
                            : ": other messages may take longer routes");
    describe_step(packet, description);
    describe_congestion(packet, description);
    describe_unused(config, nodes, &links, description);
    topology_describe_faults(config, nodes, description);
    if (links.path && links.latency_ps)
        description_add(&description->includes, "the links of %s", links.path);
    else if (!links.path)
        description_add_hops(description, config, hops, packet->hop_latency_ps);
}
