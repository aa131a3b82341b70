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

/* The bytes of each pair of each phase, in the order of phases and pairs. */
struct byte_list {
    struct patterns_listener base;
    uint64_t *bytes;
    size_t count, capacity;
};

static void keep_bytes(struct patterns_listener *listener, uint32_t source, uint32_t destination, sum_t bytes)
{
    (void)source, (void)destination;
    struct byte_list *list = (struct byte_list *)listener;
    list->bytes = mem_grow(list->bytes, &list->capacity, list->count + 1, "bytes of pairs");
    list->bytes[list->count++] = bytes < INT64_MAX ? (uint64_t)bytes : INT64_MAX;
}

static uint64_t add_bytes(uint64_t left, uint64_t right)
{
    return left > INT64_MAX - right ? INT64_MAX : left + right;
}

/* `bytes`: those of the phases from `first` on. Returns how many of them it has taken. */
static size_t add_phase(struct traffic *traffic, const struct patterns *patterns, size_t first, size_t end,
                        struct fabric_pair *pairs, const uint64_t *bytes)
{
    uint32_t number = patterns->phases[first].pattern;
    const struct program_pattern *pattern = &patterns->patterns[number];
    struct fabric_phase *added = &traffic->phases[traffic->traffic.count++];
    *added = (struct fabric_phase){.pattern = number, .pairs = pairs, .count = pattern->pair_count};
    for (size_t phase = first; phase < end; phase++)
        added->times += patterns->phases[phase].times;
    for (size_t i = 0; i < pattern->pair_count; i++) {
        pairs[i].source = pattern->pairs[i].source;
        pairs[i].destination = pattern->pairs[i].destination;
        for (size_t phase = first; phase < end; phase++) {
            pairs[i].messages +=
                patterns->volumes[patterns->phases[phase].volume + i] * patterns->phases[phase].times;
            pairs[i].bytes = add_bytes(pairs[i].bytes, bytes[(phase - first) * pattern->pair_count + i]);
        }
    }
    return (end - first) * pattern->pair_count;
}

struct patterns_options traffic_options(const struct config *config, struct collective_config *collective)
{
    collective_config_of(config, collective);
    return (struct patterns_options){.choices = collective->choice,
                                     .window = (uint32_t)collective->window,
                                     .leaders = (uint32_t)collective->leaders,
                                     .segment_bytes = collective->segment_bytes,
                                     .splits = collective->splits,
                                     .ranks_per_node = node_config_ranks(config_of(config, &node_params))};
}

enum status traffic_init(struct traffic *traffic, struct program *program, const struct config *config)
{
    struct patterns patterns;
    struct collective_config collective;
    struct patterns_options options = traffic_options(config, &collective);
    struct byte_list list = {.base.pair = keep_bytes};
    options.listener = &list.base;
    *traffic = (struct traffic){.pairs = NULL};
    enum status status = patterns_find(program, &options, &patterns);
    if (status != STATUS_OK) {
        free(list.bytes);
        return status;
    }
    traffic->phases = mem_alloc(patterns.phase_count + 1, sizeof *traffic->phases, "phases");
    traffic->pairs = mem_alloc(pairs_of_all_phases(&patterns) + 1, sizeof *traffic->pairs, "pairs of phases");
    struct fabric_pair *pairs = traffic->pairs;
    const uint64_t *bytes = list.bytes;
    for (size_t first = 0, end; first < patterns.phase_count; first = end) {
        end = end_of_run(&patterns, first);
        bytes += add_phase(traffic, &patterns, first, end, pairs, bytes);
        pairs += traffic->phases[traffic->traffic.count - 1].count;
    }
    traffic->traffic.phases = traffic->phases;
    traffic->traffic.patterns = (uint32_t)patterns.count;
    patterns_free(&patterns);
    free(list.bytes);
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
    return pairs * (double)(sizeof(struct fabric_pair) + sizeof(uint64_t)) +
           arrays_of_walk * estimate_array(pairs, sizeof(struct pattern_pair));
}
