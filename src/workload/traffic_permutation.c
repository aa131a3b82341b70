#include "base/mem.h"
#include "workload/traffic.h"

/* A random cycle through all nodes (Sattolo 1986): every node sends to another node, and each receives from
 * one. */
static uint32_t *draw_partners(uint32_t nodes, uint64_t seed)
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

static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    (void)rng;
    return scene->partners[node];
}

static const struct openloop_pattern permutation_pattern = {.destination = destination_of,
                                                            .partners = draw_partners};

OPENLOOP_WORKLOAD(permutation, openloop_params, "traffic to one random node each: permutation:messages=100");
