#include "workload/openloop.h"

#include <stdio.h>

#include "base/mem.h"
#include "workload/traffic.h"

const char *const openloop_mix_names[] = {"drawn", "exact", NULL};

PARAM_TABLE(openloop_params, "traffic", struct openloop_config, "open-loop traffic between nodes",
            OPENLOOP_PARAMS);

uint32_t openloop_nodes(const void *config)
{
    return (uint32_t)((const struct openloop_config *)config)->nodes;
}

uint32_t openloop_any_other(struct rng *rng, uint32_t node, uint32_t nodes)
{
    return nodes > 1 ? (uint32_t)((node + 1 + rng_below(rng, nodes - 1)) % nodes) : node;
}

/* What a node has sent and has still to send. */
struct openloop_source {
    struct rng rng;
    uint64_t sent, large; /* messages so far, and long ones still to come of an exact mix */
    ps_t at;
};

struct openloop_run {
    const struct openloop_pattern *pattern;
    struct openloop_scene scene;
    struct openloop_source *sources;
};

struct openloop_run *openloop_open(const struct openloop *traffic, const struct topo *topo, uint32_t nodes,
                                   uint64_t seed)
{
    struct openloop_run *run = mem_alloc(1, sizeof *run, "traffic");
    const struct openloop_config *config = traffic->config;
    *run = (struct openloop_run){.pattern = traffic->pattern,
                                 .scene = {.config = config,
                                           .topo = *topo,
                                           .is_grid = topo_grid(topo) && topo->nodes == nodes,
                                           .nodes = nodes}};
    run->sources = mem_alloc(nodes, sizeof *run->sources, "traffic");
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "traffic %u", i);
        run->sources[i] = (struct openloop_source){
            .rng = rng_init(seed, name),
            .large = (uint64_t)((double)config->messages * config->large_fraction + 0.5)};
    }
    if (traffic->pattern->partners)
        run->scene.partners = traffic->pattern->partners(nodes, seed);
    return run;
}

void openloop_close(struct openloop_run *run)
{
    free(run->sources);
    free(run->scene.partners);
    free(run);
}

size_t openloop_bytes(const struct openloop_run *run)
{
    const struct openloop_scene *scene = &run->scene;
    return sizeof *run +
           scene->nodes * (sizeof *run->sources + (scene->partners ? sizeof *scene->partners : 0));
}

double openloop_estimate(const struct openloop *traffic, uint32_t nodes)
{
    bool has_partners = traffic->pattern->partners != NULL;
    return nodes * (double)(sizeof(struct openloop_source) + (has_partners ? sizeof(uint32_t) : 0));
}

double openloop_messages_at_once(const struct openloop *traffic, uint32_t nodes)
{
    const double when_it_keeps_up = 8; /* of a node */
    double of_node = (double)traffic->config->messages;
    if (traffic->config->interval_ps && of_node > when_it_keeps_up)
        of_node = when_it_keeps_up;
    return nodes * of_node;
}

double openloop_mean_bytes(const struct openloop *traffic)
{
    const struct openloop_config *config = traffic->config;
    return (double)config->small_bytes * (1 - config->large_fraction) +
           (double)config->large_bytes * config->large_fraction;
}

static bool is_large(const struct openloop_config *config, struct openloop_source *source)
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
    const struct openloop_config *config = run->scene.config;
    struct openloop_source *source = &run->sources[node];
    if (source->sent == config->messages)
        return false;
    message->destination = run->pattern->destination(&run->scene, &source->rng, node);
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
