#ifndef HELIO_FABRIC_TOPOLOGY_H
#define HELIO_FABRIC_TOPOLOGY_H

#include "base/config.h"
#include "topo/faults.h"

/* The parameter `topology`, which all fabrics that have switches and links share. */
struct topology_config {
    bool is_given;    /* false: "crossbar" without a size, one switch for all nodes of the run */
    struct topo topo; /* if given */
};

extern const struct param_table topology_params; /* struct topology_config */

/* The topology of a run with so many nodes: node i of the run is node i of the topology, and the remaining
 * nodes of the topology are idle. Fails, reported, where the topology has fewer nodes. */
enum status topology_intact(const struct config *config, uint32_t nodes, struct topo *topo);

/* The same with its faults (fabric/faults.h), for a fabric whose links fail before the run or not at all.
 * Fails, reported: also where faults are wrong, come later, or (STATUS_FAILED) cut nodes of the run off. A
 * fabric that keeps it holds it (faults_hold). */
enum status topology_for_nodes(const struct config *config, uint32_t nodes, struct topo *topo);

/* The same for a fabric whose links between switches have so many channels each; 0: none that can be lost. */
enum status topology_of_channels(const struct config *config, uint32_t nodes, uint32_t channels,
                                 struct topo *topo);

/* The same for a fabric of circuits, which hold the links of a route (topo_way). STATUS_BAD_INPUT, reported:
 * routes have latencies that no link has. */
enum status topology_for_circuits(const struct config *config, uint32_t nodes, uint32_t channels,
                                  struct topo *topo);

/* Whether the message has a way in a network whose links may have failed. False, reported: it has none, and
 * the run has ended (fabric_failed). A fabric asks for each message if its links fail during the run, or on a
 * platform, where a run begins although some pairs of nodes are cut. The topology is so `since` then. */
struct fabric;
struct message;
bool topology_check_way(struct fabric *fabric, const struct topo *topo, const struct message *message,
                        ps_t since);

/* How many nodes the topology has; 0: none is given, and there are as many as the run needs. */
uint32_t topology_nodes(const struct config *config);

/* How many nodes in a row are GPUs of one server, as the topology says; 1: it says nothing. */
uint32_t topology_nodes_per_server(const struct config *config);

/* Whether the names of links, switches and nodes among the faults are right, so that a run with so many nodes
 * can begin. STATUS_BAD_INPUT, reported: one is not. */
enum status topology_check_faults(const struct config *config, uint32_t nodes);

/* Whether the fabric needs a topology: one is given, or links are to fail or to be slow. */
bool topology_is_needed(const struct config *config);
/* Whether links fail or become slow during the run. */
bool topology_changes(const struct config *config);
/* For a fabric that can change its links: the topology at the beginning. If links change later, nodes may be
 * cut off. */
enum status topology_at_start(const struct config *config, uint32_t nodes, struct topo *topo);

/* The network from a time on. */
struct topology_state {
    ps_t since;
    struct topo topo;
};
struct topology_states {
    struct topology_state *items;
    size_t count;
};
/* What the network is during the run, in the order of time, from the beginning on. The topologies are held
 * (faults_hold) until topology_states_free. Nodes may be cut off. */
enum status topology_states(const struct config *config, uint32_t nodes, struct topology_states *states);
void topology_states_free(struct topology_states *states);

/* Adds what is wrong in the network to the notes of the description. */
struct fabric_description;
void topology_describe_faults(const struct config *config, uint32_t nodes,
                              struct fabric_description *description);
/* The same where the topology is known, whose links have so many channels each. */
void topology_describe_these(const struct config *config, const struct topo *topo, uint32_t channels,
                             struct fabric_description *description);

/* The links of the way from node 0 to node 1, where those of the fabric are used for which a network file
 * says nothing. Without a node 1 the latency is 0 and the rates are the fabric's. */
struct topology_links {
    uint64_t node_rate_bytes_per_s, message_rate_bytes_per_s; /* of the first link; of the slowest */
    ps_t latency_ps, network_latency_ps;                      /* of all; of those between switches */
    const char *path; /* of the network file, or the name of the family, that gives latencies; NULL: none */
    bool has_all_rates, has_all_latencies; /* each link has its own, and none takes that of the fabric */
    bool has_all_hops; /* the same of latencies, where links between switches alone count */
};

struct topology_links topology_links(const struct config *config, uint32_t nodes, uint64_t rate_of_fabric,
                                     ps_t latency_of_network, ps_t latency_of_node);

/* The same where the topology is known. */
struct topology_links topology_links_of(const struct topo *topo, uint32_t nodes, uint64_t rate_of_fabric,
                                        ps_t latency_of_network, ps_t latency_of_node);

/* The path of the network file; NULL: the topology is of a family. */
const char *topology_path(const struct config *config);

/* The links between switches on the way from node 0 to node 1; 0 if there is no node 1. The topology is one
 * that topology_for_nodes accepts. */
uint32_t topology_neighbour_hops(const struct config *config, uint32_t nodes);
/* The links that a circuit passes there, those of both nodes included (topo_way_length); 2 without a node 1.
 */
uint32_t topology_neighbour_links(const struct config *config, uint32_t nodes);
/* Those of them between switches that take the latency of a hop (topo_delays). */
uint32_t topology_neighbour_delays(const struct config *config, uint32_t nodes);

#endif
