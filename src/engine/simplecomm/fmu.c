#include "engine/simplecomm/internal.h"

#include <string.h>

/* FMU (Contention_FlexibleMemoryUnit.py): the open phase that starts first is served next, on its FMU, behind
 * what the FMU has served before. */

static void phase_move(struct compat_match *match, double by_s)
{
    if (match->written) {
        match->recv_base_s = match->recv_base_s + by_s;
        match->recv_end_s = match->recv_end_s + by_s;
        match->end_s = match->recv_end_s;
    } else {
        match->send_base_s = match->send_base_s + by_s;
        match->send_end_s = match->send_end_s + by_s;
    }
}

/* Sets until when an FMU is busy. SimpleComm stops when this time goes back by more than a hundredth and a
 * millisecond; here the FMU stays busy. */
static void set_busy(struct simplecomm *engine, int32_t fmu, double until_s)
{
    double *last_s = &engine->fmu.last_s[fmu];
    if (*last_s < until_s || seconds_close(*last_s, until_s, 0.01, 0.001))
        *last_s = until_s;
    else
        compat_abort(engine, ABORT_FMU_ORDER);
}

/* ------------------------------------------------------------------- rings */

static void ring_insert(struct compat_fmu *fmu, struct compat_match *match)
{
    struct compat_ring *ring = &fmu->rings[match->fmu];
    ring->slots = mem_grow(ring->slots, &ring->capacity, ring->tail + 1, "FMU rings");
    match->ring_entry = ring->tail;
    ring->slots[ring->tail++] = (struct compat_ring_slot){.bytes = match->bytes, .valid = true};
    ring->bytes += match->bytes;
}

/* As in SimpleComm the largest size is taken when something is read, not when it is written. */
static void ring_consume(struct simplecomm *engine, const struct compat_match *match)
{
    struct compat_ring *ring = &engine->fmu.rings[match->fmu];
    struct compat_statistics *statistics = &engine->statistics;
    if (ring->bytes > statistics->biggest_buffer_bytes) {
        statistics->biggest_buffer_bytes = ring->bytes;
        statistics->biggest_buffer_messages = ring->tail - ring->head;
    }
    ring->slots[match->ring_entry].valid = false;
    while (ring->head < ring->tail && !ring->slots[ring->head].valid)
        ring->bytes -= ring->slots[ring->head++].bytes;
}

/* ------------------------------------------------------------------ phases */

static void begin(struct simplecomm *engine, struct compat_match *match)
{
    const struct compat_link *link =
        same_node(engine, match->source, match->destination) ? &engine->node_link : &engine->fmu_link;
    double length_s = link->bytes_per_s > 0 ? (double)(match->bytes + 16) / link->bytes_per_s : 0;
    match->send_base_s = match->send_base_s + match->latency_s;
    match->send_end_s = match->send_base_s + length_s;
    match->recv_base_s = match->recv_base_s + match->latency_s;
    match->recv_end_s = match->recv_base_s + length_s;
    match->end_s = match->recv_end_s;
    match->timed = true;
}

static void finish_write(struct simplecomm *engine, struct compat_match *match)
{
    double wait_s = (match->send_end_s + match->latency_s) - match->recv_base_s;
    match->written = true;
    if (wait_s > 0)
        phase_move(match, wait_s);
    set_busy(engine, match->fmu, match->send_end_s);
    ring_insert(&engine->fmu, match);
}

/* `other` is coalesced with an access of the same rank to the same FMU: it needs no switching of its own, and
 * starts where that access ends, even if several are coalesced. */
static void coalesce(struct simplecomm *engine, struct compat_match *other, double access_end_s)
{
    phase_move(other, -other->latency_s);
    double wait_s = access_end_s - phase_base(other);
    if (wait_s > 0)
        phase_move(other, wait_s);
    if (!other->written) {
        engine->statistics.coalesced_writes++;
        finish_write(engine, other);
        return;
    }
    engine->statistics.coalesced_reads++;
    set_busy(engine, other->fmu, other->recv_end_s);
    ring_consume(engine, other);
    other->read = true;
}

static uint32_t rank_in(const struct compat_match *match)
{
    return match->written ? match->destination : match->source;
}

/* What an access does to the others. Some are coalesced with it. Those of the same node wait, since a node
 * has one channel to the FMUs; this holds even for a read that has just been coalesced. */
static void affect_others(struct simplecomm *engine, const struct compat_match *access)
{
    const struct compat_match_list *open = &engine->fmu.open;
    uint32_t rank = rank_in(access);
    for (size_t i = 0; i < open->count; i++) {
        struct compat_match *other = open->items[i];
        if (other == access || other->read)
            continue;
        uint32_t other_rank = rank_in(other);
        double access_end_s = phase_end(access);
        if (other->fmu == access->fmu && rank == other_rank &&
            (phase_base(other) - other->latency_s) <= access_end_s)
            coalesce(engine, other, access_end_s);
        if (!same_node(engine, rank, other_rank))
            continue;
        double wait_s = (access_end_s + other->latency_s) - phase_base(other);
        if (wait_s > 0) {
            phase_move(other, wait_s);
            engine->fmu.channel_congestion_s[other_rank] += wait_s;
        }
    }
}

static size_t earliest(const struct compat_match_list *open)
{
    size_t found = 0;
    for (size_t i = 1; i < open->count; i++)
        if (phase_base(open->items[i]) < phase_base(open->items[found]))
            found = i;
    return found;
}

static size_t first_read(const struct compat_match_list *open)
{
    size_t i = 0;
    while (i < open->count && !open->items[i]->read)
        i++;
    return i;
}

/* Serves accesses until a read is done; returns its index. */
static size_t serve(struct simplecomm *engine)
{
    struct compat_fmu *fmu = &engine->fmu;
    for (;;) {
        size_t index = earliest(&fmu->open);
        struct compat_match *match = fmu->open.items[index];
        if (match->read)
            return index;
        if (match->fmu < 0)
            compat_fmu_choose(engine);
        double wait_s = (fmu->last_s[match->fmu] + match->latency_s) - phase_base(match);
        if (wait_s > 0) {
            phase_move(match, wait_s);
            fmu->congestion_s[match->fmu] += wait_s;
        }
        affect_others(engine, match);
        if (match->written) {
            ring_consume(engine, match);
            return index;
        }
        finish_write(engine, match);
    }
}

struct compat_match *compat_fmu_next(struct simplecomm *engine)
{
    struct compat_match_list *open = &engine->fmu.open;
    for (size_t i = 0; i < open->count; i++)
        if (!open->items[i]->timed)
            begin(engine, open->items[i]);
    size_t index = first_read(open);
    if (index == open->count)
        index = serve(engine);
    struct compat_match *match = compat_match_list_take(open, index);
    engine->fmu.usage_s[match->fmu] +=
        (match->send_end_s - match->send_base_s) + (match->recv_end_s - match->recv_base_s);
    set_busy(engine, match->fmu, match->end_s);
    return match;
}

double compat_fmu_lowest(const struct compat_fmu *fmu)
{
    return phase_base(fmu->open.items[earliest(&fmu->open)]);
}

/* -------------------------------------------------------------- life cycle */

/* The index of the word; 0 when it is not among the words. */
static int place_of(const char *word, const char *const *words)
{
    for (int i = 0; word && words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return 0;
}

void compat_fmu_init(struct simplecomm *engine, const struct config *config, uint64_t seed)
{
    static const char *const try_idle[] = {"NONE", "RANDOM", "SIMPLE", "LEAST_S", "LEAST_SR", NULL};
    static const char *const among_all[] = {"RANDOM", "LEAST_S", "LEAST_SR", "STATIC", "INCREMENTAL", NULL};
    struct compat_fmu *fmu = &engine->fmu;
    const uint64_t *configured = config_field(config, "fmu.count");
    uint32_t count = configured ? (uint32_t)*configured : 0;
    fmu->count = count;
    fmu->try_idle = (enum compat_try_idle)place_of(config_text(config, "fmu.try_idle"), try_idle);
    fmu->among_all = (enum compat_among_all)place_of(config_text(config, "fmu.among_all"), among_all);
    fmu->counts_reads = fmu->try_idle == TRY_LEAST_SR || fmu->among_all == AMONG_LEAST_SR;
    fmu->random = rng_init(seed, "compat.simplecomm");
    fmu->last_s = mem_alloc(count, sizeof *fmu->last_s, "FMUs");
    fmu->congestion_s = mem_alloc(count, sizeof *fmu->congestion_s, "FMUs");
    fmu->usage_s = mem_alloc(count, sizeof *fmu->usage_s, "FMUs");
    fmu->channel_congestion_s = mem_alloc(engine->ranks, sizeof *fmu->channel_congestion_s, "FMU channels");
    fmu->requests = mem_alloc(count, sizeof *fmu->requests, "FMUs");
    fmu->written_bytes = mem_alloc(count, sizeof *fmu->written_bytes, "FMUs");
    fmu->rings = mem_alloc(count, sizeof *fmu->rings, "FMU rings");
    sums_init(&fmu->series, (size_t)count * 3 + engine->ranks);
}

/* Puts times into the series of the statistics from series[from] on; returns the next free place. */
static size_t put_times(struct compat_fmu *fmu, const double *times_s, size_t count, size_t from,
                        struct metric_series *series)
{
    for (size_t i = 0; i < count; i++)
        sums_set(&fmu->series, from + i, seconds_to_sum(times_s[i]));
    *series = metric_series_of(&fmu->series, from, count);
    return from + count;
}

static sum_t sum_of(const double *times_s, size_t count)
{
    double sum_s = 0;
    for (size_t i = 0; i < count; i++)
        sum_s += times_s[i];
    return seconds_to_sum(sum_s);
}

void compat_fmu_summarize(struct simplecomm *engine)
{
    struct compat_fmu *fmu = &engine->fmu;
    struct compat_statistics *statistics = &engine->statistics;
    statistics->congestion_sum = sum_of(fmu->congestion_s, fmu->count);
    statistics->channel_congestion_sum = sum_of(fmu->channel_congestion_s, engine->ranks);
    size_t at = put_times(fmu, fmu->congestion_s, fmu->count, 0, &statistics->congestion);
    at = put_times(fmu, fmu->usage_s, fmu->count, at, &statistics->usage);
    at = put_times(fmu, fmu->channel_congestion_s, engine->ranks, at, &statistics->channel_congestion);
    for (uint32_t i = 0; i < fmu->count; i++)
        sums_set(&fmu->series, at + i, fmu->written_bytes[i]);
    statistics->written = metric_series_of(&fmu->series, at, fmu->count);
}

void compat_fmu_free(struct compat_fmu *fmu)
{
    for (uint32_t i = 0; i < fmu->count; i++)
        free(fmu->rings[i].slots);
    free(fmu->rings);
    free(fmu->last_s);
    free(fmu->congestion_s);
    free(fmu->usage_s);
    free(fmu->channel_congestion_s);
    free(fmu->requests);
    free(fmu->written_bytes);
    free(fmu->incoming);
    free(fmu->events);
    sums_free(&fmu->series);
    free(fmu->open.items);
}
