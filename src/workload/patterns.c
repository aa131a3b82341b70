#include "workload/patterns.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/mem.h"
#include "workload/patterns_internal.h"
#include "workload/repetition.h"

/* ----------------------------------------------------------------- patterns */

static uint64_t hash_of_pairs(const struct pattern_pair *pairs, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_add(hash, (uint64_t)pairs[i].source << 32 | pairs[i].destination);
    return hash;
}

static bool is_same(const struct program_pattern *pattern, const struct pattern_pair *pairs, size_t count,
                    uint64_t hash)
{
    return pattern->hash == hash && pattern->pair_count == count &&
           memcmp(pattern->pairs, pairs, count * sizeof *pairs) == 0;
}

bool pattern_is_in(const struct program_pattern *pattern, const struct patterns *others)
{
    for (size_t i = 0; i < others->count; i++)
        if (is_same(&others->patterns[i], pattern->pairs, pattern->pair_count, pattern->hash))
            return true;
    return false;
}

/* A program has few patterns, and recent ones are the likeliest, so the search begins at the end. */
static uint32_t intern(struct patterns *patterns, const struct pattern_pair *pairs, size_t count)
{
    uint64_t hash = hash_of_pairs(pairs, count);
    for (size_t i = patterns->count; i-- > 0;)
        if (is_same(&patterns->patterns[i], pairs, count, hash))
            return (uint32_t)i;
    patterns->patterns =
        mem_grow(patterns->patterns, &patterns->capacity, patterns->count + 1, "patterns of a program");
    struct program_pattern *pattern = &patterns->patterns[patterns->count];
    *pattern = (struct program_pattern){
        .pair_count = count, .hash = hash, .first_phase = (uint32_t)patterns->phase_count};
    pattern->pairs = mem_alloc(count, sizeof *pairs, "pairs of a pattern");
    memcpy(pattern->pairs, pairs, count * sizeof *pairs);
    return (uint32_t)patterns->count++;
}

/* ---------------------------------------------------------------- main loop */

/* Bits of sums of bytes that are left out, so that 64 bits hold them. */
static unsigned dropped_bits(const struct patterns *patterns)
{
    unsigned bits = 0;
    while (patterns->bytes >> bits > INT64_MAX)
        bits++;
    return bits;
}

/* One element for each phase, also if it repeats. */
static uint64_t expand(const struct patterns *patterns, uint64_t *skeleton, uint64_t *bytes_before,
                       uint32_t *pattern)
{
    unsigned dropped = dropped_bits(patterns);
    uint64_t count = 0;
    sum_t bytes = 0;
    for (size_t i = 0; i < patterns->phase_count; i++) {
        const struct pattern_phase *phase = &patterns->phases[i];
        for (uint64_t time = 0; time < phase->times; time++, count++) {
            if (!skeleton)
                continue;
            skeleton[count] = phase->skeleton;
            pattern[count] = phase->pattern;
            bytes_before[count] = (uint64_t)((bytes + phase->bytes / phase->times * time) >> dropped);
        }
        bytes += phase->bytes;
    }
    if (bytes_before)
        bytes_before[count] = (uint64_t)(bytes >> dropped);
    return count;
}

void patterns_find_main_loop(struct patterns *patterns)
{
    uint64_t count = expand(patterns, NULL, NULL, NULL);
    uint64_t *skeleton = mem_alloc(count + 1, sizeof *skeleton, "phases of a program");
    uint64_t *bytes_before = mem_alloc(count + 1, sizeof *bytes_before, "phases of a program");
    uint32_t *pattern = mem_alloc(count + 1, sizeof *pattern, "phases of a program");
    expand(patterns, skeleton, bytes_before, pattern);
    struct repetition loop;
    if (!repetition_find(skeleton, count, bytes_before, &loop))
        loop = (struct repetition){.start = 0, .period = count, .repeats = 1};
    patterns->iterations = loop.repeats;
    uint64_t *seen_in = mem_alloc(patterns->count + 1, sizeof *seen_in, "patterns of a program");
    for (uint64_t i = 0; i < loop.period * loop.repeats; i++) {
        uint64_t iteration = i / loop.period + 1;
        uint32_t at = pattern[loop.start + i];
        if (seen_in[at] == iteration)
            continue;
        seen_in[at] = iteration;
        patterns->patterns[at].iterations++;
    }
    free(seen_in);
    free(pattern);
    free(bytes_before);
    free(skeleton);
}

/* ------------------------------------------------------------------- phases */

static int compare_tallies(const void *left, const void *right)
{
    const struct pattern_tally *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->destination > b->destination) - (a->destination < b->destination);
}

size_t tallies_unite(struct pattern_tally *tallies, size_t count)
{
    size_t kept = 0;
    qsort(tallies, count, sizeof *tallies, compare_tallies);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_tallies(&tallies[kept - 1], &tallies[i]) == 0) {
            tallies[kept - 1].messages += tallies[i].messages;
            tallies[kept - 1].bytes += tallies[i].bytes;
        } else {
            tallies[kept++] = tallies[i];
        }
    }
    return kept;
}

static uint64_t volume_of(struct patterns *patterns, const struct pattern_tally *tallies, size_t count)
{
    patterns->volumes =
        mem_grow(patterns->volumes, &patterns->volume_capacity, patterns->volume_count + count, "messages");
    uint64_t *volume = patterns->volumes + patterns->volume_count;
    for (size_t i = 0; i < count; i++)
        volume[i] = tallies[i].messages;
    /* The volumes that a loop repeats are stored once. */
    for (size_t i = patterns->phase_count; i-- > 0 && patterns->phase_count - i <= 64;) {
        const struct pattern_phase *phase = &patterns->phases[i];
        if (patterns->patterns[phase->pattern].pair_count == count &&
            memcmp(patterns->volumes + phase->volume, volume, count * sizeof *volume) == 0)
            return phase->volume;
    }
    patterns->volume_count += count;
    return patterns->volume_count - count;
}

void patterns_add_phase(struct patterns *patterns, struct pattern_tally *tallies, size_t count,
                        uint64_t times, uint64_t skeleton)
{
    if (count == 0)
        return;
    count = tallies_unite(tallies, count);
    struct pattern_phase phase = {.times = times, .skeleton = skeleton};
    struct pattern_pair *pairs = mem_alloc(count, sizeof *pairs, "pairs of a phase");
    for (size_t i = 0; i < count; i++) {
        pairs[i] = (struct pattern_pair){tallies[i].source, tallies[i].destination};
        phase.messages += tallies[i].messages * times;
        phase.bytes += tallies[i].bytes;
        if (patterns->listener)
            patterns->listener->pair(patterns->listener, pairs[i].source, pairs[i].destination,
                                     tallies[i].bytes);
    }
    phase.pattern = intern(patterns, pairs, count);
    free(pairs);
    phase.volume = volume_of(patterns, tallies, count);
    patterns->phases =
        mem_grow(patterns->phases, &patterns->phase_capacity, patterns->phase_count + 1, "phases");
    patterns->phases[patterns->phase_count++] = phase;
    struct program_pattern *pattern = &patterns->patterns[phase.pattern];
    pattern->phases += times;
    pattern->messages += phase.messages;
    pattern->bytes += phase.bytes;
    patterns->messages += phase.messages;
    patterns->bytes += phase.bytes;
}

void patterns_free(struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        free(patterns->patterns[i].pairs);
    free(patterns->patterns);
    free(patterns->phases);
    free(patterns->volumes);
    *patterns = (struct patterns){.count = 0};
}

void patterns_share(const struct patterns *patterns, const struct patterns *others,
                    struct patterns_shares *shares)
{
    *shares = (struct patterns_shares){0};
    for (size_t i = 0; i < patterns->count; i++) {
        const struct program_pattern *pattern = &patterns->patterns[i];
        bool recurs = pattern_recurs(patterns, pattern);
        bool foreseen = others && pattern_is_in(pattern, others);
        shares->recurring_bytes += recurs ? pattern->bytes : 0;
        shares->foreseen_bytes += foreseen ? pattern->bytes : 0;
        shares->static_bytes += recurs && foreseen ? pattern->bytes : 0;
    }
}

double patterns_percent(const struct patterns *patterns, sum_t bytes)
{
    return patterns->bytes ? 100.0 * (double)bytes / (double)patterns->bytes : 100.0;
}
