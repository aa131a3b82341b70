#include "workload/traffic.h"

PARAM_TABLE(hotspot_params, "hotspot", struct openloop_config, "open-loop traffic, much of it to few nodes",
            OPENLOOP_PARAMS,
            {.name = "hot",
             .type = PARAM_COUNT,
             .offset = OPENLOOP_FIELD(hot),
             .default_text = "1",
             .min = "1",
             .doc = "number of hot nodes, spread evenly from node 0 on"},
            {.name = "hot_fraction",
             .type = PARAM_NUMBER,
             .offset = OPENLOOP_FIELD(hot_fraction),
             .default_text = "0.1",
             .min = "0",
             .max = "1",
             .doc = "share of the messages that go to hot nodes"});

/* A share of the messages goes to a few nodes, the others to any. */
static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    uint64_t hot = scene->config->hot < scene->nodes ? scene->config->hot : scene->nodes;
    bool is_hot = rng_share(rng) < scene->config->hot_fraction;
    uint32_t destination = is_hot ? (uint32_t)(rng_below(rng, hot) * scene->nodes / hot) : node;
    return destination != node ? destination : openloop_any_other(rng, node, scene->nodes);
}

static const struct openloop_pattern hotspot_pattern = {.destination = destination_of};

OPENLOOP_WORKLOAD(hotspot, hotspot_params,
                  "traffic with a share that goes to few nodes: hotspot:hot=1,hot_fraction=0.1");
