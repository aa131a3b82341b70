#include "sim/traffic.h"

#include "base/mem.h"
#include "workload/patterns.h"

/* Consecutive phases with the same pattern are one phase, since nothing is set up between them. */
static size_t end_of_run(const struct patterns *patterns, size_t first)
{
    size_t end = first + 1;
    while (end < patterns->phase_count && patterns->phases[end].pattern == patterns->phases[first].pattern)
        end++;
    return end;
}

static size_t pairs_of_all_phases(const struct patterns *patterns)
{
    size_t pairs = 0;
    for (size_t i = 0; i < patterns->phase_count; i = end_of_run(patterns, i))
        pairs += patterns->patterns[patterns->phases[i].pattern].pair_count;
    return pairs;
}

static void add_phase(struct traffic *traffic, const struct patterns *patterns, size_t first, size_t end,
                      struct fabric_pair *pairs)
{
    uint32_t number = patterns->phases[first].pattern;
    const struct program_pattern *pattern = &patterns->patterns[number];
    for (size_t i = 0; i < pattern->pair_count; i++) {
        pairs[i].source = pattern->pairs[i].source;
        pairs[i].destination = pattern->pairs[i].destination;
        for (size_t phase = first; phase < end; phase++)
            pairs[i].messages +=
                patterns->volumes[patterns->phases[phase].volume + i] * patterns->phases[phase].times;
    }
    traffic->phases[traffic->traffic.count++] =
        (struct fabric_phase){.pattern = number, .pairs = pairs, .count = pattern->pair_count};
}

struct patterns_options traffic_options(const struct config *config, struct collective_config *collective)
{
    collective_config_of(config, collective);
    return (struct patterns_options){.choices = collective->choice,
                                     .window = (uint32_t)collective->window,
                                     .leaders = (uint32_t)collective->leaders,
                                     .segment_bytes = collective->segment_bytes,
                                     .ranks_per_node = node_config_ranks(config_of(config, &node_params))};
}

enum status traffic_init(struct traffic *traffic, struct program *program, const struct config *config)
{
    struct patterns patterns;
    struct collective_config collective;
    const struct patterns_options options = traffic_options(config, &collective);
    *traffic = (struct traffic){.pairs = NULL};
    enum status status = patterns_find(program, &options, &patterns);
    if (status != STATUS_OK)
        return status;
    traffic->phases = mem_alloc(patterns.phase_count + 1, sizeof *traffic->phases, "phases");
    traffic->pairs = mem_alloc(pairs_of_all_phases(&patterns) + 1, sizeof *traffic->pairs, "pairs of phases");
    struct fabric_pair *pairs = traffic->pairs;
    for (size_t first = 0, end; first < patterns.phase_count; first = end) {
        end = end_of_run(&patterns, first);
        add_phase(traffic, &patterns, first, end, pairs);
        pairs += traffic->phases[traffic->traffic.count - 1].count;
    }
    traffic->traffic.phases = traffic->phases;
    traffic->traffic.patterns = (uint32_t)patterns.count;
    patterns_free(&patterns);
    return STATUS_OK;
}

void traffic_free(struct traffic *traffic)
{
    free(traffic->phases);
    free(traffic->pairs);
    *traffic = (struct traffic){.pairs = NULL};
}

/* The messages of a phase are sorted and summed in arrays that double. */
double traffic_estimate(double pairs)
{
    const double arrays_of_walk = 3;
    return pairs * (double)sizeof(struct fabric_pair) +
           arrays_of_walk * estimate_array(pairs, sizeof(struct pattern_pair));
}
