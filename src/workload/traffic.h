#ifndef HELIO_WORKLOAD_TRAFFIC_H
#define HELIO_WORKLOAD_TRAFFIC_H

#include "base/rng.h"
#include "workload/list.h"

/* What the patterns of open-loop traffic share: one file each, traffic_NAME.c. */

/* One run, as a pattern sees it. */
struct openloop_scene {
    const struct openloop_config *config;
    struct topo topo;
    bool is_grid; /* the nodes are all nodes of a grid, topo_grid(&topo) */
    uint32_t nodes;
    uint32_t *partners; /* what the pattern's partners() has returned */
};

/* Who sends to whom. */
struct openloop_pattern {
    /* Where `node` sends its next message; `rng` is the random stream of the node. A node that is its own
     * destination sends nothing. */
    uint32_t (*destination)(const struct openloop_scene *scene, struct rng *rng, uint32_t node);
    /* Numbers that a run draws at its beginning, one for each node; freed at its end. NULL: none. */
    uint32_t *(*partners)(uint32_t nodes, uint64_t seed);
};

/* Any node but this one, each with the same chance. */
uint32_t openloop_any_other(struct rng *rng, uint32_t node, uint32_t nodes);

/* The parameters of all patterns, for PARAM_TABLE, and the table of those that have no others. */
extern const char *const openloop_mix_names[];
#define OPENLOOP_FIELD(field) offsetof(struct openloop_config, field)
#define OPENLOOP_PARAMS                                                                                      \
    {.name = "messages",                                                                                     \
     .type = PARAM_COUNT,                                                                                    \
     .offset = OPENLOOP_FIELD(messages),                                                                     \
     .default_text = "100",                                                                                  \
     .max = "1000000000",                                                                                    \
     .doc = "messages of each node"},                                                                        \
        {.name = "small",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = OPENLOOP_FIELD(small_bytes),                                                              \
         .default_text = "4 KiB",                                                                            \
         .doc = "size of a short message"},                                                                  \
        {.name = "large",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = OPENLOOP_FIELD(large_bytes),                                                              \
         .default_text = "512 KiB",                                                                          \
         .doc = "size of a long message"},                                                                   \
        {.name = "large_fraction",                                                                           \
         .type = PARAM_NUMBER,                                                                               \
         .offset = OPENLOOP_FIELD(large_fraction),                                                           \
         .default_text = "0.2",                                                                              \
         .min = "0",                                                                                         \
         .max = "1",                                                                                         \
         .doc = "share of long messages"},                                                                   \
        {.name = "mix",                                                                                      \
         .type = PARAM_CHOICE,                                                                               \
         .offset = OPENLOOP_FIELD(mix),                                                                      \
         .default_text = "drawn",                                                                            \
         .choices = openloop_mix_names,                                                                      \
         .doc = "drawn: each message is long by chance; exact: this share of the messages of each node is"}, \
        {.name = "interval",                                                                                 \
         .type = PARAM_TIME,                                                                                 \
         .offset = OPENLOOP_FIELD(interval_ps),                                                              \
         .default_text = "0 ps",                                                                             \
         .min = "0 ps",                                                                                      \
         .max = "1 h",                                                                                       \
         .doc = "mean time between the messages of a node, exponential; 0: all are sent at the beginning"},  \
    {                                                                                                        \
        .name = "nodes", .type = PARAM_COUNT, .offset = OPENLOOP_FIELD(nodes), .default_text = "0",          \
        .max = "16777216", .doc = "nodes that send and receive; 0: all nodes of the topology"                \
    }

extern const struct param_table openloop_params;

uint32_t openloop_nodes(const void *config);

#define OPENLOOP_WORKLOAD(pattern_name, table, text)                                                         \
    const struct workload pattern_name##_workload = {                                                        \
        .name = #pattern_name,                                                                               \
        .doc = (text),                                                                                       \
        .params = &(table),                                                                                  \
        .ranks = openloop_nodes,                                                                             \
        .traffic = &pattern_name##_pattern,                                                                  \
    }

#endif
