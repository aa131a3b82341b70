#include "workload/traffic.h"

/* From i to nodes - 1 - i. If the number of nodes is a power of two, this inverts all bits of i. */
static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    (void)rng;
    return scene->nodes - 1 - node;
}

static const struct openloop_pattern bitcomplement_pattern = {.destination = destination_of};

OPENLOOP_WORKLOAD(bitcomplement, openloop_params,
                  "traffic from node i of N to node N - 1 - i: bitcomplement:messages=100");
