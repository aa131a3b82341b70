#include "sim/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "call/nodes.h"
#include "engine/params.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"
#include "output/fabric_style.h"
#include "sim/experiment.h"
#include "sim/result.h"

/* ---------------------------------------------------------------- describe */

uint32_t network_nodes(const struct config *config, const struct program *program)
{
    return program_nodes(program, node_config_ranks(config_of(config, &node_params)));
}

/* What both ends of a message cost, which fabrics do not know. */
static void add_hosts(const struct experiment *experiment, struct fabric_description *description)
{
    const struct machine_config *machine = config_of(experiment->config, &machine_params);
    char send[DESCRIPTION_TIME], receive[DESCRIPTION_TIME];
    if (experiment->program->openloop || description->includes_hosts)
        return;
    if (experiment->has_host) {
        description_add(&description->notes, "the hosts of host.system come on top");
        return;
    }
    if (!description->has_no_nic) {
        description->latency_ps = ps_add(description->latency_ps, ps_times(machine->nic_latency_ps, 2));
        description_add_times(description, 2, "NIC", "NICs", machine->nic_latency_ps);
    }
    if (!machine->send_ps && !machine->receive_ps)
        return;
    description->latency_ps = ps_add(description->latency_ps, ps_add(machine->send_ps, machine->receive_ps));
    if (machine->send_ps == machine->receive_ps)
        description_add(&description->includes, "software of %s at each end",
                        description_time(machine->send_ps, send));
    else
        description_add(&description->includes, "software of %s to send and %s to receive",
                        description_time(machine->send_ps, send),
                        description_time(machine->receive_ps, receive));
}

/* Nodes that are GPUs of a server, each with several ranks: on a machine whose nodes are servers this is
 * easily overlooked. */
static void add_shared_gpus(const struct experiment *experiment, struct fabric_description *description)
{
    const struct config *config = experiment->config;
    const uint32_t each = node_config_ranks(config_of(config, &node_params));
    if (each > 1 && !experiment->program->openloop && !description->ignores_topology &&
        topology_nodes_per_server(config) > 1)
        description_add(&description->notes,
                        "a node of this topology is a GPU, and each has %" PRIu32
                        " ranks: ranks_per_node=1 gives each rank its own",
                        each);
}

/* How many nodes compute slowly: of a share it is not plain, and may be none. */
static void add_slow_nodes(const struct experiment *experiment, uint32_t nodes,
                           struct fabric_description *description)
{
    const struct config *config = experiment->config;
    const struct fault_config *faults = config_of(config, &fault_params);
    const struct diag_silence silence = diag_begin_silence(); /* the run reports what is wrong */
    double *factors = NULL;
    uint32_t slow = 0;
    bool is_good = faults_slow_nodes(config, nodes, &factors) == STATUS_OK;
    diag_end_silence(&silence);
    for (uint32_t node = 0; factors && node < nodes; node++)
        slow += factors[node] > 1;
    if (slow)
        description_add(&description->notes, "%" PRIu32 " of %" PRIu32 " nodes compute%s %g times as long",
                        slow, nodes, slow == 1 ? "s" : "", faults->slow_compute);
    else if (is_good && factors && faults->slow_compute > 1)
        description_add(&description->notes,
                        "no node computes slowly, since the share is less than half a node");
    free(factors);
}

static void add_unused(const struct config *config, const char *param, struct result_network *network)
{
    if (!config_has_default(config, param))
        description_add(&network->ignores, "%s", param);
}

/* Of the placement of ranks. */
static void add_unused_placement(const struct config *config, struct result_network *network)
{
    const struct node_config *node = config_of(config, &node_params);
    if (strcmp(node->placement, "blocks") != 0)
        add_unused(config, "placement_block", network);
    if (strcmp(node->placement, "random") != 0)
        add_unused(config, "placement_seed", network);
}

static void add_ignored(const struct experiment *experiment, const struct fabric_description *description,
                        struct result_network *network)
{
    static const char *const of_machine[] = {"nic.rate", "nic.count", "wire.latency", "switch.latency"};
    const char *of_faults[8];
    const struct config *config = experiment->config;
    const struct topology_config *topology = config_of(config, &topology_params);
    if (description->ignores_topology && topology->is_given)
        description_add(&network->ignores, "topology");
    if (description->ignores_topology && fault_config_has_links(config))
        description_add(&network->ignores, "faults of links and switches");
    if (!description->has_channels && fault_config_has_channels(config))
        description_add(&network->ignores, "faults.channel_share");
    for (size_t i = 0; i < DESCRIPTION_UNUSED && description->unused[i]; i++)
        add_unused(config, description->unused[i], network);
    size_t fault_count = fault_config_unused(config, of_faults, sizeof of_faults / sizeof *of_faults);
    for (size_t i = 0; i < fault_count; i++)
        add_unused(config, of_faults[i], network);
    if (!experiment->program->openloop)
        add_unused_placement(config, network);
    if (strcmp(experiment->chosen->machine, MACHINE_AS_PUBLISHED) != 0)
        return;
    for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
        add_unused(config, of_machine[i], network);
}

/* What the parameters say. False: the fabric says nothing. */
static bool describe(const struct config *config, const struct fabric_ops *fabric, uint32_t nodes,
                     struct fabric_description *description, struct result_network *network)
{
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    *description = (struct fabric_description){.latency_ps = 0};
    *network = (struct result_network){.is_bound = fabric->is_bound};
    if (strcmp(chosen->machine, MACHINE_AS_PUBLISHED) != 0)
        snprintf(network->machine, sizeof network->machine, "%s", chosen->machine);
    if (!fabric->describe || chosen->compat != COMPAT_NONE)
        return false;
    fabric->describe(config, nodes, description);
    return true;
}

static void keep_description(struct result_network *network, const struct fabric_description *description)
{
    network->is_described = true;
    network->has_no_contention = description->has_no_contention;
    network->rate_bytes_per_s = description->rate_bytes_per_s;
    network->message_rate_bytes_per_s = description->message_rate_bytes_per_s;
    network->latency_ps = description->latency_ps;
    snprintf(network->basis, sizeof network->basis, "%s", description->basis);
    network->includes = description->includes;
    network->notes = description->notes;
}

void network_describe_alone(const struct config *config, const struct fabric_ops *fabric, uint32_t ranks,
                            struct result_network *network)
{
    struct fabric_description description;
    const uint32_t each = node_config_ranks(config_of(config, &node_params));
    if (describe(config, fabric, nodes_for_ranks(ranks, each), &description, network))
        keep_description(network, &description);
}

void network_describe(const struct experiment *experiment, const struct fabric_ops *fabric,
                      struct result_network *network)
{
    struct fabric_description description;
    const uint32_t nodes = network_nodes(experiment->config, experiment->program);
    if (!describe(experiment->config, fabric, nodes, &description, network))
        return;
    add_hosts(experiment, &description);
    add_shared_gpus(experiment, &description);
    add_slow_nodes(experiment, nodes, &description);
    keep_description(network, &description);
    add_ignored(experiment, &description, network);
}

void network_add_faults(const struct config *config, struct topo *topo)
{
    const struct diag_silence silence = diag_begin_silence(); /* the run has reported what is wrong */
    if (fault_config_has_links(config))
        (void)faults_apply(config, 0, 0, topo);
    diag_end_silence(&silence);
}

/* ----------------------------------------------------------------- compare */

/* Rates count as equal if they differ by no more than what slots and channels round: a thousandth. */
static bool is_same_rate(uint64_t a, uint64_t b)
{
    double low = (double)(a < b ? a : b), high = (double)(a < b ? b : a);
    return high - low <= high / 1000;
}

void network_differs(const struct result_network *first, const char *first_name,
                     const struct result_network *network, struct description_texts *reasons)
{
    char rate[64], other[64];
    reasons->count = 0;
    if (first->is_bound || network->is_bound || (!first->is_described && !network->is_described))
        return;
    if (!first->is_described || !network->is_described) {
        description_add(reasons, "%s does not say its rate and its latency",
                        first->is_described ? "it" : first_name);
        return;
    }
    if (!is_same_rate(first->rate_bytes_per_s, network->rate_bytes_per_s))
        description_add(reasons, "a node sends at %s, on %s at %s",
                        units_show_rate((double)network->rate_bytes_per_s, 4, rate, sizeof rate), first_name,
                        units_show_rate((double)first->rate_bytes_per_s, 4, other, sizeof other));
    if (strcmp(first->basis, network->basis) != 0)
        description_add(reasons, "its latency is %s, that of %s %s", network->basis, first_name,
                        first->basis);
}

char *network_reasons_line(const struct description_texts *reasons)
{
    char *line = mem_text("");
    for (size_t i = 0; i < reasons->count; i++) {
        char *longer = mem_format("%s%s%s", line, i ? "; " : "", reasons->text[i]);
        free(line);
        line = longer;
    }
    return line;
}

json_t *network_style_json(json_t *name)
{
    const struct fabric_ops *fabric = fabric_find(json_string_value(name));
    json_t *style = fabric_style_json(name);
    json_put_flag(style, "is_bound", fabric && fabric->is_bound);
    return style;
}

const struct result *network_reference(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!results[i].network.is_bound)
            return &results[i];
    return results;
}
