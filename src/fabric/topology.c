#include "fabric/topology.h"

#include <stdio.h>
#include <string.h>

static bool parse_topology(const struct param *self, const char *text, void *field,
                           struct param_problem *problem)
{
    (void)self;
    struct topology_config *config = field;
    struct topo topo;
    bool is_given = strcmp(text, "crossbar") != 0;
    if (is_given && !topo_read(text, &topo, problem))
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
             .doc = "crossbar: one switch; or torus:8x8, mesh:4x4, fattree:12x3, dragonfly:2x4x2 "
                    "(docs/models/topology.md)"});

enum status topology_for_nodes(const struct config *config, uint32_t nodes, struct topo *topo)
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

uint32_t topology_neighbour_hops(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    if (nodes < 2 || topology_for_nodes(config, nodes, &topo) != STATUS_OK)
        return 0;
    return topo_distance(&topo, 0, 1);
}
