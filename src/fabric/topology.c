#include "fabric/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/mem.h"
#include "fabric/fabric.h"
#include "fabric/faults.h"
#include "fabric/machine.h"

/* The path in its text form. */
static bool read_path(const char *text, struct topo *topo, struct param_problem *problem)
{
    size_t at;
    char *path = mem_alloc(strlen(text) + 1, 1, "a path");
    const char *fault = bytes_from_text(text, path, &at);
    bool good = fault ? param_fail(problem, at, "%s", fault) : topo_read(path, topo, problem);
    free(path);
    return good;
}

static bool find_path(const char *bytes, size_t from, struct param_path *path)
{
    return topo_is_path(bytes) && param_find_whole(bytes, from, path);
}

static bool parse_topology(const struct param *self, const char *text, void *field,
                           struct param_problem *problem)
{
    (void)self;
    struct topology_config *config = field;
    struct topo topo;
    bool is_given = strcmp(text, "crossbar") != 0;
    if (is_given && !(topo_is_path(text) ? read_path(text, &topo, problem) : topo_read(text, &topo, problem)))
        return false;
    config->is_given = is_given;
    if (is_given)
        config->topo = topo;
    return true;
}

PARAM_TABLE(topology_params, "topology", struct topology_config, "nodes, switches and links of the network",
            {.name = "topology",
             .type = PARAM_CUSTOM,
             .offset = 0,
             .default_text = "crossbar",
             .parse = parse_topology,
             .find_path = find_path,
             .doc = "crossbar: one switch; or torus:8x8, mesh:4x4, fattree:12x3, dragonfly:2x4x2 "
                    "(docs/models/topology.md); or a network file, FILE.yaml (docs/networks.md)"});

const char *topology_path(const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    return chosen->is_given ? chosen->topo.path : NULL;
}

uint32_t topology_nodes(const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    return chosen->is_given ? chosen->topo.nodes : 0;
}

uint32_t topology_nodes_per_server(const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    bool is_given = chosen && chosen->is_given; /* some commands have topologies of their own */
    return is_given && chosen->topo.nodes_per_server ? chosen->topo.nodes_per_server : 1;
}

enum status topology_intact(const struct config *config, uint32_t nodes, struct topo *topo)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    char text[TOPO_TEXT];
    if (!chosen->is_given) {
        snprintf(text, sizeof text, "crossbar:%u", nodes);
        return topo_parse("nodes of the run", text, topo);
    }
    if (chosen->topo.nodes < nodes) {
        diag_error("topology %s has %u nodes, and the run needs %u",
                   topo_print(&chosen->topo, text, sizeof text), chosen->topo.nodes, nodes);
        return STATUS_BAD_INPUT;
    }
    *topo = chosen->topo;
    return STATUS_OK;
}

/* ------------------------------------------------------------------- faults */

bool topology_is_needed(const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    return chosen->is_given || fault_config_has_links(config);
}

bool topology_changes(const struct config *config)
{
    return fault_config_changes(config);
}

enum status topology_check_faults(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    double *factors;
    enum status status = faults_slow_nodes(config, nodes, &factors);
    free(factors);
    if (status == STATUS_OK && fault_config_has_links(config))
        status = topology_intact(config, nodes, &topo);
    else
        return status;
    return status == STATUS_OK ? faults_check(config, &topo) : status;
}

enum status topology_at_start(const struct config *config, uint32_t nodes, struct topo *topo)
{
    enum status status = topology_intact(config, nodes, topo);
    if (status != STATUS_OK || !fault_config_has_links(config))
        return status;
    return topology_changes(config) ? faults_apply_at(config, 0, topo) : faults_apply(config, nodes, 0, topo);
}

enum status topology_states(const struct config *config, uint32_t nodes, struct topology_states *states)
{
    ps_t *times;
    size_t count;
    *states = (struct topology_states){.count = 0};
    enum status status = faults_times(config, &times, &count);
    if (status != STATUS_OK)
        return status;
    states->items = mem_alloc(count, sizeof *states->items, "faults");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct topology_state *state = &states->items[i];
        state->since = times[i];
        if ((status = topology_intact(config, nodes, &state->topo)) != STATUS_OK ||
            (status = faults_apply_at(config, times[i], &state->topo)) != STATUS_OK)
            break;
        faults_hold(&state->topo);
        states->count++;
    }
    free(times);
    if (status != STATUS_OK)
        topology_states_free(states);
    return status;
}

void topology_states_free(struct topology_states *states)
{
    for (size_t i = 0; i < states->count; i++)
        faults_release(&states->items[i].topo);
    free(states->items);
    *states = (struct topology_states){.count = 0};
}

/* Fabrics other than packet keep their links as they are. STATUS_BAD_INPUT, reported: some change. */
static enum status refuse_changes(const struct config *config)
{
    const struct fault_config *faults = config_of(config, &fault_params);
    const char *what = faults->at_ps ? "faults.at" : faults->repair_ps ? "faults.repair" : "faults.events";
    bool is_late = faults->at_ps > 0;
    if (!is_late && !topology_changes(config))
        return STATUS_OK;
    diag_error("%s: of all fabrics, only packet has links that fail during the run%s; leave it out%s", what,
               is_late ? "" : " or are repaired", is_late ? ", so that they fail before the run" : "");
    config_note_origin(config, what);
    return STATUS_BAD_INPUT;
}

enum status topology_of_channels(const struct config *config, uint32_t nodes, uint32_t channels,
                                 struct topo *topo)
{
    bool has_faults = fault_config_has_links(config) || (channels && fault_config_has_channels(config));
    enum status status = topology_intact(config, nodes, topo);
    if (status == STATUS_OK && has_faults && (status = refuse_changes(config)) == STATUS_OK)
        status = faults_apply(config, nodes, channels, topo);
    return status;
}

bool topology_check_way(struct fabric *fabric, const struct topo *topo, const struct message *message,
                        ps_t since)
{
    if (!topo->faults || topo_reaches(topo, message->source_node, message->destination_node))
        return true;
    if (fabric->is_cut)
        return false;
    fabric->is_cut = true;
    char time[DESCRIPTION_TIME];
    char *when = since ? mem_format(" at %s", description_time(since, time)) : mem_text("");
    char *cut = topo->ops->choose
                    ? faults_describe_cut(topo, fabric->params.nodes)
                    : faults_describe_pair(topo, message->source_node, message->destination_node);
    enum status status = faults_report_cut(topo, when, cut ? cut : "");
    if (topo->ops->choose)
        diag_note("node %" PRIu32 " has a message for node %" PRIu32, message->source_node,
                  message->destination_node);
    free(when);
    free(cut);
    fabric_failed(fabric, status);
    return false;
}

enum status topology_for_nodes(const struct config *config, uint32_t nodes, struct topo *topo)
{
    return topology_of_channels(config, nodes, 0, topo);
}

/* Of the links that a circuit holds, each has its latency. */
enum status topology_for_circuits(const struct config *config, uint32_t nodes, uint32_t channels,
                                  struct topo *topo)
{
    enum status status = topology_of_channels(config, nodes, channels, topo);
    if (status != STATUS_OK || !topo->has_pair_latencies)
        return status;
    diag_error(
        "%s has a zone with routing=\"Vivaldi\": coordinates give pairs of hosts latencies that no link "
        "has, and light is on links; packet runs on it, or give the zone another routing",
        topo->path);
    return STATUS_BAD_INPUT;
}

/* The topology that was asked for, and what its file says and the fabric does not have. */
static void describe_file(const struct config *config, struct fabric_description *description)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    if (chosen->is_given)
        description_add(&description->notes, "on %s, the latency from node 0 to node 1",
                        config_text(config, "topology"));
    if (chosen->is_given && chosen->topo.no_effect)
        description_add(&description->notes, "no effect of %s: %s", chosen->topo.path,
                        chosen->topo.no_effect);
}

/* " at 10 us until 20 us"; with events of several times, during the run. */
static void describe_when(const struct fault_config *faults, char *when, size_t size)
{
    char time[DESCRIPTION_TIME], end[DESCRIPTION_TIME];
    bool has_events = faults->events && faults->events[strspn(faults->events, " \t,")];
    snprintf(when, size, "%s%s%s%s",
             has_events      ? " during the run"
             : faults->at_ps ? " at "
                             : "",
             !has_events && faults->at_ps ? description_time(faults->at_ps, time) : "",
             !has_events && faults->repair_ps ? " until " : "",
             !has_events && faults->repair_ps
                 ? description_time(ps_add(faults->at_ps, faults->repair_ps), end)
                 : "");
}

static bool has_any(const struct fault_counts *counts)
{
    return counts->links || counts->node_links || counts->switches || counts->ports || counts->slow_links;
}

/* "0 of 8 switches fail, since the share is less than half a switch" */
static void describe_nothing(uint32_t all, const char *what, const char *does, const char *one,
                             struct fabric_description *description)
{
    if (all)
        description_add(&description->notes, "0 of %" PRIu32 " %s %s, since the share is less than half a %s",
                        all, what, does, one);
    else
        description_add(&description->notes, "no %s %s, since there are none", what, does);
}

/* Shares that have drawn nothing, and faults that are over or yet to come. */
static void describe_none(const struct fault_config *faults, const struct topo *topo, const char *when,
                          struct fabric_description *description)
{
    static const char links[] = "links between switches";
    if (faults->link_share > 0)
        describe_nothing(faults_links_of(topo), links, "fail", "link", description);
    if (faults->slow_link_share > 0)
        describe_nothing(faults_links_of(topo), links, "are slow", "link", description);
    if (faults->switch_share > 0)
        describe_nothing(faults_switches_of(topo), "switches", "fail", "switch", description);
    if (faults->link_share <= 0 && faults->slow_link_share <= 0 && faults->switch_share <= 0)
        description_add(&description->notes, "0 of %" PRIu32 " %s fail%s", faults_links_of(topo), links,
                        when);
}

void topology_describe_these(const struct config *config, const struct topo *topo, uint32_t channels,
                             struct fabric_description *description)
{
    const struct fault_config *faults = config_of(config, &fault_params);
    const struct fault_counts counts = faults_count(topo);
    char when[2 * DESCRIPTION_TIME + 16];
    describe_file(config, description);
    describe_when(faults, when, sizeof when);
    if (counts.switches)
        description_add(&description->notes, "%" PRIu32 " of %" PRIu32 " switches fail%s", counts.switches,
                        faults_switches_of(topo), when);
    if (counts.ports)
        description_add(&description->notes, "the ports of %" PRIu32 " node%s fail%s", counts.ports,
                        counts.ports == 1 ? "" : "s", when);
    if (channels && fault_config_has_channels(config))
        description_add(&description->notes, "%" PRIu32 " of %" PRIu64 " channels are lost", counts.channels,
                        (uint64_t)faults_links_with_channels(topo) * channels);
    if (counts.links)
        description_add(&description->notes, "%" PRIu32 " of %" PRIu32 " links between switches fail%s",
                        counts.links, faults_links_of(topo), when);
    else if (fault_config_has_links(config) && !has_any(&counts))
        describe_none(faults, topo, when, description);
    if (counts.node_links && !counts.switches && !counts.ports)
        description_add(&description->notes, "%" PRIu32 " %s%s", counts.node_links,
                        counts.node_links == 1 ? "link of a node fails" : "links of nodes fail", when);
    if (counts.slow_links)
        description_add(&description->notes, "%" PRIu32 " link%s slow%s", counts.slow_links,
                        counts.slow_links == 1 ? " is" : "s are", when);
}

void topology_describe_faults(const struct config *config, uint32_t nodes,
                              struct fabric_description *description)
{
    struct topo topo;
    if (!fault_config_has_links(config))
        describe_file(config, description);
    else if (topology_intact(config, nodes, &topo) == STATUS_OK &&
             faults_apply(config, 0, 0, &topo) == STATUS_OK)
        topology_describe_these(config, &topo, 0, description);
}

/* -------------------------------------------------------------- description */

uint32_t topology_neighbour_links(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    if (nodes < 2 || topology_at_start(config, nodes, &topo) != STATUS_OK)
        return 2;
    return topo_way_length(&topo, 0, 1);
}

uint32_t topology_neighbour_hops(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    if (nodes < 2 || topology_at_start(config, nodes, &topo) != STATUS_OK)
        return 0;
    return topo_distance(&topo, 0, 1);
}

uint32_t topology_neighbour_delays(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    if (nodes < 2 || topology_at_start(config, nodes, &topo) != STATUS_OK)
        return 0;
    return topo_delays(&topo, 0, 1);
}

static bool has_all_rates(const struct topo *topo)
{
    bool has_all = topo->rates || topo->link_rates;
    for (uint32_t link = 0; has_all && !topo->rates && link < topo->links; link++)
        has_all = topo->link_rates[link] != 0;
    return has_all;
}

static bool has_all_latencies(const struct topo *topo, uint32_t first)
{
    bool has_all = topo_has_latencies(topo) || first >= topo->links;
    for (uint32_t link = first; has_all && !topo->latencies && link < topo->links; link++)
        has_all = topo->link_latencies[link] >= 0;
    return has_all;
}

struct topology_links topology_links_of(const struct topo *topo, uint32_t nodes, uint64_t rate_of_fabric,
                                        ps_t latency_of_network, ps_t latency_of_node)
{
    struct topology_links links = {.node_rate_bytes_per_s = rate_of_fabric,
                                   .message_rate_bytes_per_s = rate_of_fabric};
    if (nodes < 2)
        return links;
    links.node_rate_bytes_per_s = topo_link_rate(topo, topo_injection(topo, 0), rate_of_fabric);
    links.message_rate_bytes_per_s = topo_route_rate(topo, 0, 1, rate_of_fabric);
    links.latency_ps = topo_route_latency(topo, 0, 1, latency_of_network, latency_of_node);
    links.network_latency_ps = links.latency_ps -
                               topo_link_latency(topo, topo_injection(topo, 0), latency_of_node) -
                               topo_link_latency(topo, topo_ejection(topo, 1), latency_of_node);
    links.path = !topo_has_latencies(topo) ? NULL : topo->path ? topo->path : topo->ops->name;
    links.has_all_rates = has_all_rates(topo);
    links.has_all_latencies = has_all_latencies(topo, 0);
    links.has_all_hops = has_all_latencies(topo, 2 * topo->nodes);
    return links;
}

struct topology_links topology_links(const struct config *config, uint32_t nodes, uint64_t rate_of_fabric,
                                     ps_t latency_of_network, ps_t latency_of_node)
{
    struct topo topo;
    if (nodes >= 2 && topology_at_start(config, nodes, &topo) != STATUS_OK)
        nodes = 0;
    return topology_links_of(&topo, nodes, rate_of_fabric, latency_of_network, latency_of_node);
}
