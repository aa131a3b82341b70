#ifndef HELIO_TOPO_NETWORK_READER_H
#define HELIO_TOPO_NETWORK_READER_H

#include "base/config.h"
#include "base/hashmap.h"
#include "topo/graph.h"

/* What the reader of our network files (network_file.c) and that of their links (network_links.c) share. */

/* The switches NAME0, NAME1, ... */
struct network_group {
    const char *name;
    uint32_t first, count;
};

struct network_reader {
    struct topo_graph *graph;
    struct arena texts;
    struct network_group *groups;
    size_t group_count, group_capacity;
    struct hashmap pairs;      /* of switches: the number of their link */
    const char **node_origins; /* [nodes] where its link is given; NULL: it has none yet */
    const char **link_origins; /* of each link */
    size_t origin_capacity;
    bool has_nodes, has_switches, has_links;
};

/* One side of an entry of links: nodes, as is_node says, and switches. */
struct network_side {
    struct topo_end *ends;
    size_t count, capacity;
};

/* A whole number from 1 to `most`; 0, reported: it is none. */
uint32_t network_read_count(struct config_reader *reader, const struct config_node *node, uint32_t most);
/* False, reported: it is not one value of the type. */
bool network_read_quantity(struct config_reader *reader, const struct config_node *node, enum param_type type,
                           union param_quantity *value);
/* Adds what the node names, all of a list. Stops when the side has more ends than a network has links: then
 * no pairs of them are accepted. False, reported: a name is of no node or switch. */
bool network_read_side(const struct network_reader *network, struct config_reader *reader,
                       const struct config_node *node, struct network_side *side);
/* The name of an end, for messages. */
const char *network_end_name(struct network_reader *network, struct topo_end end);

/* network_links.c: reads an entry of the list of links, and adds them; errors are reported. */
void network_read_entry(struct network_reader *network, struct config_reader *reader,
                        const struct config_node *node);

#endif
