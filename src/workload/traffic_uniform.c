#include "workload/traffic.h"

/* Any other node, each with the same chance. */
static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    return openloop_any_other(rng, node, scene->nodes);
}

static const struct openloop_pattern uniform_pattern = {.destination = destination_of};

OPENLOOP_WORKLOAD(uniform, openloop_params,
                  "traffic to random nodes: uniform:messages=100,small=4KiB,large=512KiB,large_fraction=0.2");
