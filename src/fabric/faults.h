#ifndef HELIO_FABRIC_FAULTS_H
#define HELIO_FABRIC_FAULTS_H

#include "base/config.h"
#include "topo/faults.h"

/* The parameters faults.*: what fails or is slow in a run (docs/faults.md). Fabrics with links ask
 * fabric/topology.h for a topology with its faults; engines ask here for slow nodes. */
struct fault_seed {
    bool is_given; /* else: the seed of the run */
    uint64_t seed;
};

struct fault_config {
    const char *links, *switches, *slow_links; /* NULL: none */
    double link_share, switch_share, slow_link_share, slow_rate;
    double channel_share;
    ps_t at_ps;         /* when links and switches fail and links become slow */
    ps_t reroute_ps;    /* from then until messages have new routes */
    ps_t repair_ps;     /* from at_ps until all that is as it was; 0: never */
    const char *events; /* what fails and is repaired at other times; NULL: nothing */
    const char *slow_nodes;
    double slow_node_share, slow_compute;
    struct fault_seed seed;
};

extern const struct param_table fault_params; /* struct fault_config */

/* Whether links or switches are to fail or to be slow. */
bool fault_config_has_links(const struct config *config);

/* Whether links fail, become slow or are repaired during the run. */
bool fault_config_changes(const struct config *config);

/* Whether channels of links are to be lost. */
bool fault_config_has_channels(const struct config *config);
bool fault_config_has_slow_nodes(const struct config *config);

/* The names of those of the parameters that the others leave without effect, such as faults.slow_rate without
 * slow links; as many as there is room for. Returns how many. */
size_t fault_config_unused(const struct config *config, const char **names, size_t room);

/* The topology with the faults of the config, those of all times together. Fails, reported: STATUS_BAD_INPUT,
 * a name is wrong, or the network too large; STATUS_FAILED, some of the first `nodes` nodes are cut off,
 * unless `nodes` is 0. A link has so many channels; 0: none that can be lost. */
enum status faults_apply(const struct config *config, uint32_t nodes, uint32_t channels, struct topo *topo);

/* The times from which the network is another one, the beginning of the run first; the caller frees *times.
 * STATUS_BAD_INPUT, reported: faults.events cannot be read. */
enum status faults_times(const struct config *config, ps_t **times, size_t *count);

/* The topology as it is at that time. Nodes may be cut off. */
enum status faults_apply_at(const struct config *config, ps_t time, struct topo *topo);

/* Whether all names are of links and switches of the topology. STATUS_BAD_INPUT, reported: one is not. */
enum status faults_check(const struct config *config, const struct topo *topo);

/* Reports that the network is cut: `when` is "" or begins with a blank. Returns STATUS_FAILED. */
enum status faults_report_cut(const struct topo *topo, const char *when, const char *cut);

/* What computation takes longer on each node, as a factor; the caller frees it. NULL with STATUS_OK: no node
 * is slow. STATUS_BAD_INPUT, reported: there is no such node. */
enum status faults_slow_nodes(const struct config *config, uint32_t nodes, double **factors);

#endif
