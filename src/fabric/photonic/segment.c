#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "fabric/photonic/photonic.h"

/* Segment switching: a packet goes as far as channels are free, into a buffer, and on from there. */

static bool parse_buffers(const struct param *self, const char *text, void *field,
                          struct param_problem *problem)
{
    (void)self;
    struct segment_buffers *layout = field;
    static const char wanted[] = "expected every:N, a buffer every N switches, or levels:N, in the N top "
                                 "levels of a tree";
    bool is_levels = strncmp(text, "levels:", 7) == 0;
    if (!is_levels && strncmp(text, "every:", 6) != 0)
        return photonic_refuse(problem, 0, wanted);
    uint32_t at = is_levels ? 7 : 6;
    uint64_t number;
    struct units_problem unit_problem;
    if (!units_count(text + at, &number, &unit_problem) || number < 1 || number > TOPO_NODES_LIMIT)
        return photonic_refuse(problem, at, wanted);
    *layout = (struct segment_buffers){is_levels ? BUFFERS_LEVELS : BUFFERS_EVERY, (uint32_t)number};
    return true;
}

static bool parse_buffer_size(const struct param *self, const char *text, void *field,
                              struct param_problem *problem)
{
    (void)self;
    struct units_problem unit_problem;
    if (strcmp(text, "unlimited") == 0) {
        *(uint64_t *)field = UNLIMITED;
        return true;
    }
    if (units_size(text, field, &unit_problem))
        return true;
    snprintf(problem->text, sizeof problem->text, "%s; or 'unlimited'", unit_problem.text);
    problem->at = unit_problem.at;
    return false;
}

static const char *const tries_names[] = {"outputs", "all", NULL};

PARAM_TABLE(
    segment_params, "segment", struct segment_config,
    "buffers of segment switching; all its other parameters are those of photonic",
    {.name = "segment.buffers",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct segment_config, buffers),
     .default_text = "every:1",
     .parse = parse_buffers,
     .doc = "every:N: where the sum of a grid's coordinates is a multiple of N, elsewhere the switch's "
            "number; levels:N: in the N top levels of a tree"},
    {.name = "segment.buffer_size",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct segment_config, buffer_bytes),
     .default_text = "4 MiB",
     .parse = parse_buffer_size,
     .doc = "of each buffer, or unlimited"},
    {.name = "segment.outputs",
     .type = PARAM_COUNT,
     .offset = offsetof(struct segment_config, outputs),
     .default_text = "5",
     .min = "1",
     .max = "4294967295",
     .doc = "channels out of a buffer: packets that can try to leave it at once (a port of five)"},
    {.name = "segment.inputs",
     .type = PARAM_COUNT,
     .offset = offsetof(struct segment_config, inputs),
     .default_text = "5",
     .min = "1",
     .max = "4294967295",
     .doc = "channels into a buffer: packets on their way to it at once (a port of five)"},
    {.name = "segment.tries",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct segment_config, tries),
     .default_text = "outputs",
     .choices = tries_names,
     .doc = "which packets of a buffer try to leave it: as many as it has outputs, first come, first served; "
            "or all, and those that are sent have an output"});

static enum status segment_init(struct fabric *fabric)
{
    return photonic_init(fabric, PHOTONIC_SEGMENT, config_of(fabric->params.config, &segment_params));
}

static enum status segment_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    return photonic_estimate(demand, PHOTONIC_SEGMENT, config_of(demand->config, &segment_params), estimate);
}

static void segment_describe(const struct config *config, uint32_t nodes,
                             struct fabric_description *description)
{
    photonic_describe(config, nodes, PHOTONIC_SEGMENT, description);
}

const struct fabric_ops segment_fabric = {
    .name = "segment",
    .doc = "segment switching: photonic circuits as far as channels are free, and on from a buffer",
    .params = &segment_params,
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = photonic_derive,
    .describe = segment_describe,
    .hardware = photonic_hardware,
    .use = photonic_use,
    .size = sizeof(struct photonic),
    .counted_bytes = 35568,
    .init = segment_init,
    .free = photonic_free,
    .submit = photonic_submit,
    .statistics = photonic_statistics,
    .bytes = photonic_bytes,
    .wants_work = true,
    .estimate = segment_estimate,
    .explain = photonic_explain,
};
