#ifndef HELIO_SIM_NETWORK_H
#define HELIO_SIM_NETWORK_H

#include <stdbool.h>

#include "fabric/machine.h"
#include "output/json.h"

/* What the network of a run is, for people who compare fabrics. `--json` has it as `network` of each run. */
struct result_network {
    char machine[64];                  /* of the run, cut off if it is longer; "": as published */
    bool is_described;                 /* the fabric says what it is; else all below is empty */
    bool is_bound;                     /* no network: what no network can beat */
    bool has_no_contention;            /* what a message takes does not depend on other messages */
    uint64_t rate_bytes_per_s;         /* of all messages that a node sends; 0: no limit */
    uint64_t message_rate_bytes_per_s; /* of one large message alone; 0: no limit */
    ps_t latency_ps; /* of a message of no bytes between nodes 0 and 1, alone, from its send to its receive:
                        with the NICs and the software of nic.latency, host.send and host.receive, but
                        without what host.system costs */
    char basis[DESCRIPTION_TEXT];      /* latencies of two fabrics compare if these texts are the same */
    struct description_texts includes; /* the parts of the latency */
    struct description_texts notes;    /* what else a reader must know */
    struct description_texts ignores;  /* parameters that the user has set and the fabric does not use */
};

/* How many nodes a run of the program has. */
struct program;
uint32_t network_nodes(const struct config *config, const struct program *program);

struct experiment;
struct fabric_ops;
void network_describe(const struct experiment *experiment, const struct fabric_ops *fabric,
                      struct result_network *network);

/* The same of the parameters of a run that is not open, with so many ranks, at least one: what
 * network_differs() compares. The latency is without hosts, nothing is ignored, and ranks are on nodes in
 * order. */
void network_describe_alone(const struct config *config, const struct fabric_ops *fabric, uint32_t ranks,
                            struct result_network *network);

/* Why the speedup of a network over `first` is not that of the fabrics alone: other rates, other parts in
 * their latencies. No text: they are compared fairly. A bound differs from nothing. */
void network_differs(const struct result_network *first, const char *first_name,
                     const struct result_network *network, struct description_texts *reasons);

/* The texts of network_differs() in one line: "a node sends at 76.8 GB/s, on packet at 12.5 GB/s; ...". The
 * caller frees it. */
char *network_reasons_line(const struct description_texts *reasons);

/* For a page: how a fabric is drawn (output/fabric_style.h), and `is_bound`. A fabric that is not in this
 * process is no bound. The object takes over `name`, and the caller owns it. */
json_t *network_style_json(json_t *name);

/* Gives the topology of a run the faults of its links, also those that come later. It stays as it is where
 * they are wrong. */
struct topo;
void network_add_faults(const struct config *config, struct topo *topo);

struct result;
/* The result that others are compared with: the first that is not of a bound, else the first. */
const struct result *network_reference(const struct result *results, size_t count);

#endif
