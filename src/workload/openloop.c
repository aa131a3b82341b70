#include "workload/openloop.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "workload/list.h"

static const char *const mix_names[] = {"drawn", "exact", NULL};

#define FIELD(field) offsetof(struct openloop_config, field)
#define COMMON_PARAMS                                                                                        \
    {.name = "messages",                                                                                     \
     .type = PARAM_COUNT,                                                                                    \
     .offset = FIELD(messages),                                                                              \
     .default_text = "100",                                                                                  \
     .max = "1000000000",                                                                                    \
     .doc = "of each node"},                                                                                 \
        {.name = "small",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = FIELD(small_bytes),                                                                       \
         .default_text = "4 KiB",                                                                            \
         .doc = "size of a short message"},                                                                  \
        {.name = "large",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = FIELD(large_bytes),                                                                       \
         .default_text = "512 KiB",                                                                          \
         .doc = "size of a long message"},                                                                   \
        {.name = "large_fraction",                                                                           \
         .type = PARAM_NUMBER,                                                                               \
         .offset = FIELD(large_fraction),                                                                    \
         .default_text = "0.2",                                                                              \
         .min = "0",                                                                                         \
         .max = "1",                                                                                         \
         .doc = "share of long messages"},                                                                   \
        {.name = "mix",                                                                                      \
         .type = PARAM_CHOICE,                                                                               \
         .offset = FIELD(mix),                                                                               \
         .default_text = "drawn",                                                                            \
         .choices = mix_names,                                                                               \
         .doc = "drawn: each message by chance; exact: that share of each node's, in random order"},         \
        {.name = "interval",                                                                                 \
         .type = PARAM_TIME,                                                                                 \
         .offset = FIELD(interval_ps),                                                                       \
         .default_text = "0 ps",                                                                             \
         .min = "0 ps",                                                                                      \
         .max = "1 h",                                                                                       \
         .doc = "mean time between a node's messages, exponential; 0: all come up at the beginning"},        \
    {                                                                                                        \
        .name = "nodes", .type = PARAM_COUNT, .offset = FIELD(nodes), .default_text = "0",                   \
        .max = "16777216", .doc = "that send and receive; 0: all of the topology"                            \
    }

PARAM_TABLE(openloop_params, "traffic", struct openloop_config, "open-loop traffic between nodes",
            COMMON_PARAMS);

PARAM_TABLE(hotspot_params, "hotspot", struct openloop_config, "open-loop traffic, much of it to few nodes",
            COMMON_PARAMS,
            {.name = "hot",
             .type = PARAM_COUNT,
             .offset = FIELD(hot),
             .default_text = "1",
             .min = "1",
             .doc = "nodes that many send to, spread evenly from node 0 on"},
            {.name = "hot_fraction",
             .type = PARAM_NUMBER,
             .offset = FIELD(hot_fraction),
             .default_text = "0.1",
             .min = "0",
             .max = "1",
             .doc = "share of the messages that go there"});

static uint32_t openloop_nodes(const void *config)
{
    return (uint32_t)((const struct openloop_config *)config)->nodes;
}

#define OPENLOOP_WORKLOAD(pattern_name, pattern_of, table, text)                                             \
    const struct workload pattern_name##_workload = {                                                        \
        .name = #pattern_name,                                                                               \
        .doc = (text),                                                                                       \
        .params = &(table),                                                                                  \
        .ranks = openloop_nodes,                                                                             \
        .is_openloop = true,                                                                                 \
        .pattern = (pattern_of),                                                                             \
    }

OPENLOOP_WORKLOAD(uniform, OPENLOOP_UNIFORM, openloop_params,
                  "traffic to random nodes: uniform:messages=100,small=4KiB,large=512KiB,large_fraction=0.2");
OPENLOOP_WORKLOAD(permutation, OPENLOOP_PERMUTATION, openloop_params,
                  "traffic to one random node each: permutation:messages=100");
OPENLOOP_WORKLOAD(tornado, OPENLOOP_TORNADO, openloop_params,
                  "traffic nearly half way round each dimension: tornado:messages=100");
OPENLOOP_WORKLOAD(bitcomplement, OPENLOOP_COMPLEMENT, openloop_params,
                  "traffic from node i to the last but i: bitcomplement:messages=100");
OPENLOOP_WORKLOAD(hotspot, OPENLOOP_HOTSPOT, hotspot_params,
                  "traffic of which a share goes to few nodes: hotspot:hot=1,hot_fraction=0.1");
OPENLOOP_WORKLOAD(neighbour, OPENLOOP_NEIGHBOUR, openloop_params,
                  "traffic to nearest neighbours: neighbour:messages=100");

/* ---------------------------------------------------------------------- run */

struct source {
    struct rng rng;
    uint64_t sent, large; /* messages so far, and long ones still to come of an exact mix */
    ps_t at;
};

struct openloop_run {
    enum openloop_pattern pattern;
    const struct openloop_config *config;
    struct topo topo;
    bool is_grid; /* of which all nodes take part */
    uint32_t nodes;
    struct source *sources;
    uint32_t *partners; /* of a permutation */
};

/* Every node to another one and from another one: a random cycle through all (Sattolo 1986). */
static uint32_t *make_partners(uint32_t nodes, uint64_t seed)
{
    uint32_t *partners = mem_alloc(nodes, sizeof *partners, "a permutation");
    struct rng rng = rng_init(seed, "traffic permutation");
    for (uint32_t i = 0; i < nodes; i++)
        partners[i] = i;
    for (uint32_t i = nodes; i-- > 1;) {
        uint32_t other = (uint32_t)rng_below(&rng, i), partner = partners[i];
        partners[i] = partners[other];
        partners[other] = partner;
    }
    return partners;
}

struct openloop_run *openloop_begin(const struct openloop *traffic, const struct topo *topo, uint32_t nodes,
                                    uint64_t seed)
{
    struct openloop_run *run = mem_alloc(1, sizeof *run, "traffic");
    const struct openloop_config *config = traffic->config;
    *run = (struct openloop_run){.pattern = traffic->pattern,
                                 .config = config,
                                 .topo = *topo,
                                 .is_grid = topo_grid(topo) && topo->nodes == nodes,
                                 .nodes = nodes};
    run->sources = mem_alloc(nodes, sizeof *run->sources, "traffic");
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "traffic %u", i);
        run->sources[i] =
            (struct source){.rng = rng_init(seed, name),
                            .large = (uint64_t)((double)config->messages * config->large_fraction + 0.5)};
    }
    if (traffic->pattern == OPENLOOP_PERMUTATION)
        run->partners = make_partners(nodes, seed);
    return run;
}

void openloop_end(struct openloop_run *run)
{
    free(run->sources);
    free(run->partners);
    free(run);
}

size_t openloop_bytes(const struct openloop_run *run)
{
    return sizeof *run + run->nodes * (sizeof *run->sources + (run->partners ? sizeof *run->partners : 0));
}

/* ----------------------------------------------------------------- patterns */

static uint32_t any_other(struct rng *rng, uint32_t node, uint32_t nodes)
{
    return nodes > 1 ? (uint32_t)((node + 1 + rng_below(rng, nodes - 1)) % nodes) : node;
}

/* ceil(k / 2) - 1 steps up every dimension of k (Dally and Towles, Principles and Practices of
 * Interconnection Networks, Table 3.1). */
static uint32_t tornado_from(const struct openloop_run *run, uint32_t node)
{
    if (!run->is_grid)
        return (node + (run->nodes - 1) / 2) % run->nodes;
    const struct topo_grid *grid = topo_grid(&run->topo);
    uint32_t coordinates[TOPO_COORDINATES], count = topo_coordinates(&run->topo, node, coordinates);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = grid->dimension[i].size;
        coordinates[i] = (coordinates[i] + (size - 1) / 2) % size;
    }
    return topo_grid_switch(grid, coordinates);
}

/* One step in a direction that there is; the ends of a line have one only. */
static uint32_t neighbour_of(const struct openloop_run *run, struct rng *rng, uint32_t node)
{
    if (!run->is_grid)
        return (uint32_t)((node + (rng_below(rng, 2) ? 1 : run->nodes - 1)) % run->nodes);
    uint32_t coordinates[TOPO_COORDINATES], ways[2 * TOPO_COORDINATES], way_count = 0;
    const struct topo_grid *grid = topo_grid(&run->topo);
    uint32_t count = topo_coordinates(&run->topo, node, coordinates);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = grid->dimension[i].size;
        if (size > 1 && (grid->is_torus || coordinates[i] + 1 < size))
            ways[way_count++] = 2 * i;
        if (size > 1 && (grid->is_torus || coordinates[i] > 0))
            ways[way_count++] = 2 * i + 1;
    }
    if (!way_count)
        return node;
    uint32_t way = ways[rng_below(rng, way_count)], size = grid->dimension[way / 2].size;
    coordinates[way / 2] = (coordinates[way / 2] + (way % 2 ? size - 1 : 1)) % size;
    return topo_grid_switch(grid, coordinates);
}

static uint32_t hot_or_other(const struct openloop_run *run, struct rng *rng, uint32_t node)
{
    uint64_t hot = run->config->hot < run->nodes ? run->config->hot : run->nodes;
    bool is_hot = rng_share(rng) < run->config->hot_fraction;
    uint32_t destination = is_hot ? (uint32_t)(rng_below(rng, hot) * run->nodes / hot) : node;
    return destination != node ? destination : any_other(rng, node, run->nodes);
}

static uint32_t destination_of(const struct openloop_run *run, struct rng *rng, uint32_t node)
{
    switch (run->pattern) {
    case OPENLOOP_PERMUTATION:
        return run->partners[node];
    case OPENLOOP_TORNADO:
        return tornado_from(run, node);
    case OPENLOOP_COMPLEMENT:
        return run->nodes - 1 - node;
    case OPENLOOP_HOTSPOT:
        return hot_or_other(run, rng, node);
    case OPENLOOP_NEIGHBOUR:
        return neighbour_of(run, rng, node);
    default:
        return any_other(rng, node, run->nodes);
    }
}

static bool is_large(const struct openloop_config *config, struct source *source)
{
    if (config->mix == OPENLOOP_DRAWN)
        return rng_share(&source->rng) < config->large_fraction;
    if (rng_below(&source->rng, config->messages - source->sent) >= source->large)
        return false;
    source->large--;
    return true;
}

bool openloop_next(struct openloop_run *run, uint32_t node, struct openloop_message *message)
{
    const struct openloop_config *config = run->config;
    struct source *source = &run->sources[node];
    if (source->sent == config->messages)
        return false;
    message->destination = destination_of(run, &source->rng, node);
    if (message->destination == node)
        return false;
    message->bytes = is_large(config, source) ? config->large_bytes : config->small_bytes;
    if (config->interval_ps)
        source->at =
            ps_add(source->at, (ps_t)(rng_exponential(&source->rng, (double)config->interval_ps) + 0.5));
    message->at = source->at;
    source->sent++;
    return true;
}
