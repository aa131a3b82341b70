#ifndef HELIO_COLLFILE_TECCL_H
#define HELIO_COLLFILE_TECCL_H

#include "collfile/text.h"
#include "output/json.h"

/* An output of TE-CCL: chunks that travel along links in epochs ("flows"), and for each demand the paths on
 * which its chunk comes. Nodes are GPUs and switches, numbered together. */

struct teccl_hop {
    uint32_t source, chunk; /* whose chunk, and which */
    uint32_t from, to;      /* nodes */
    uint32_t epoch;
    double volume; /* of the chunk; 1 in an allgather */
    uint32_t first_switch, switch_count;
    const char *text; /* in the JSON */
};

struct teccl_path {
    uint32_t first_hop, hop_count;
};

struct teccl_demand {
    uint32_t source, destination, chunk;
    uint32_t met; /* epoch */
    uint32_t first_path, path_count;
    const char *text;
};

enum teccl_role { TECCL_ABSENT = 0, TECCL_GPU = 1, TECCL_SWITCH = 2, TECCL_MISSING = 4, TECCL_RELAY = 8 };
enum {
    TECCL_NODES_MAX = 4096,
    TECCL_CHUNKS_MAX = 1 << 20,
    TECCL_EPOCHS_MAX = 1 << 30,
    TECCL_FLOWS_MAX = 1 << 18
};

struct teccl_file {
    json_t *json;
    double epoch_s, finish_s, bandwidth_gb_s; /* 0: not given */
    uint32_t epochs;                          /* required; 0: not given */
    bool is_alltoall, has_paths;
    struct teccl_hop *flows, *hops; /* as listed; of paths */
    struct teccl_path *paths;
    struct teccl_demand *demands;
    uint32_t *switches; /* of hops */
    const json_t *met;  /* Demand_Met; NULL: not given */
    size_t flow_count, hop_count, path_count, demand_count, switch_count;
    size_t flow_capacity, hop_capacity, path_capacity, demand_capacity, switch_capacity;
    uint32_t nodes, chunks; /* the highest number plus 1 */
    uint8_t *roles;         /* of nodes: enum teccl_role, or-ed */
};

enum status teccl_read(const struct collfile_text *text, struct teccl_file *file);
void teccl_free(struct teccl_file *file);

/* ----------------------------------------------------------------- machines */

/* The machines of TE-CCL whose outputs are published. */
struct teccl_machine {
    const char *name; /* "NDv2"; NULL: unknown */
    uint32_t chassis, nodes, gpus;
    bool has_switches;
};

struct teccl_link {
    double gb_s; /* 0: there is no link */
    double alpha_s;
};

/* The machine that has all links of the file. */
struct teccl_machine teccl_machine_of(const struct teccl_file *file);
struct teccl_link teccl_link_of(const struct teccl_machine *machine, uint32_t from, uint32_t to);
bool teccl_is_switch(const struct teccl_machine *machine, uint32_t node);

/* The least time for the collective with so many bytes for each chunk of a block, and the cut that says so.
 * 0: the machine is not known. */
double teccl_bound(const struct teccl_machine *machine, bool is_alltoall, double block_bytes, char *text,
                   size_t size);

#endif
