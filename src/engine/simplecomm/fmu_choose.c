#include "engine/simplecomm/internal.h"

/* Which FMU a match gets. All open matches without an FMU that start in the window get one at once, in the
 * order of time. Where the mapping counts reads, those of the window are counted down in the same order. */

struct window {
    double start_s, end_s;
};

static struct window find_window(const struct compat_match_list *open)
{
    size_t lowest = 0;
    for (size_t i = 1; i < open->count; i++)
        if (phase_base(open->items[i]) < phase_base(open->items[lowest]))
            lowest = i;
    struct window window = {.start_s = phase_base(open->items[lowest]),
                            .end_s = phase_end(open->items[lowest])};
    for (size_t i = 0; i < open->count; i++) {
        double base_s = phase_base(open->items[i]), end_s = phase_end(open->items[i]);
        if (base_s < window.end_s && !seconds_equal(base_s, window.start_s))
            window.end_s = base_s;
        window.end_s = fmin(window.end_s, end_s);
    }
    return window;
}

static int compare_events(const void *a, const void *b)
{
    const struct compat_window_event *left = a, *right = b;
    if (left->at_s != right->at_s)
        return left->at_s < right->at_s ? -1 : 1;
    return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

/* The matches of the window, and behind them the reads, the one known last first; then sorted by time. */
static size_t collect_events(struct compat_fmu *fmu, struct window window)
{
    size_t count = 0, most = fmu->open.count + fmu->incoming_count;
    fmu->events = mem_grow(fmu->events, &fmu->event_capacity, most, "FMU requests");
    for (size_t i = 0; i < fmu->open.count; i++) {
        struct compat_match *match = fmu->open.items[i];
        if (phase_base(match) <= window.end_s) {
            fmu->events[count] =
                (struct compat_window_event){.at_s = phase_base(match), .sequence = count, .write = match};
            count++;
        }
    }
    for (size_t i = fmu->incoming_count; i-- > 0;) {
        const struct compat_read read = fmu->incoming[i];
        if (read.at_s < window.end_s) {
            fmu->events[count] =
                (struct compat_window_event){.at_s = read.at_s, .sequence = count, .read = read};
            count++;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < fmu->incoming_count; i++)
        if (!(fmu->incoming[i].at_s < window.end_s))
            fmu->incoming[kept++] = fmu->incoming[i];
    fmu->incoming_count = kept;
    qsort(fmu->events, count, sizeof *fmu->events, compare_events);
    return count;
}

static int32_t choose_random_idle(struct compat_fmu *fmu)
{
    uint64_t idle = 0;
    for (uint32_t i = 0; i < fmu->count; i++)
        idle += fmu->requests[i] == 0;
    if (idle == 0)
        return -1;
    uint64_t chosen = rng_below(&fmu->random, idle);
    for (uint32_t i = 0;; i++)
        if (fmu->requests[i] == 0 && chosen-- == 0)
            return (int32_t)i;
}

static int32_t choose_idle(struct compat_fmu *fmu)
{
    int32_t found = -1;
    if (fmu->try_idle == TRY_NONE)
        return found;
    if (fmu->try_idle == TRY_RANDOM)
        return choose_random_idle(fmu);
    for (uint32_t i = 0; i < fmu->count; i++) {
        if (fmu->requests[i] > 0)
            continue;
        if (fmu->try_idle == TRY_SIMPLE)
            return (int32_t)i;
        if (found < 0 || fmu->written_bytes[i] < fmu->written_bytes[found])
            found = (int32_t)i;
    }
    return found;
}

static int32_t choose_among_all(struct compat_fmu *fmu, const struct compat_match *match)
{
    uint32_t found = 0;
    switch (fmu->among_all) {
    case AMONG_RANDOM:
        return (int32_t)rng_below(&fmu->random, fmu->count);
    case AMONG_STATIC:
        return (int32_t)(match->destination % fmu->count);
    case AMONG_INCREMENTAL: /* the counter moves first, so the first FMU is number 1 */
        fmu->interleave = (fmu->interleave + 1) % fmu->count;
        return (int32_t)fmu->interleave;
    case AMONG_LEAST_S:
    case AMONG_LEAST_SR:
        break;
    }
    for (uint32_t i = 1; i < fmu->count; i++)
        if (fmu->written_bytes[i] < fmu->written_bytes[found])
            found = i;
    return (int32_t)found;
}

static void expect_read(struct simplecomm *engine, const struct compat_match *match)
{
    struct compat_fmu *fmu = &engine->fmu;
    double at_s = fmax(match->send_posted_s + engine->network_link.latency_s, match->recv_posted_s);
    fmu->incoming = mem_grow(fmu->incoming, &fmu->incoming_capacity, fmu->incoming_count + 1, "FMU reads");
    fmu->incoming[fmu->incoming_count++] =
        (struct compat_read){.at_s = at_s, .bytes = match->bytes, .fmu = (uint32_t)match->fmu};
}

static void choose(struct simplecomm *engine, struct compat_match *match)
{
    struct compat_fmu *fmu = &engine->fmu;
    match->fmu = choose_idle(fmu);
    if (match->fmu >= 0) {
        engine->statistics.idle_mappings++;
    } else {
        match->fmu = choose_among_all(fmu, match);
        engine->statistics.other_mappings++;
    }
    fmu->requests[match->fmu]++;
    fmu->written_bytes[match->fmu] += match->bytes;
    if (fmu->counts_reads)
        expect_read(engine, match);
}

void compat_fmu_choose(struct simplecomm *engine)
{
    struct compat_fmu *fmu = &engine->fmu;
    struct window window = find_window(&fmu->open);
    for (uint32_t i = 0; i < fmu->count; i++)
        fmu->requests[i] = fmu->last_s[i] > window.start_s;
    size_t count = collect_events(fmu, window);
    for (size_t i = 0; i < count; i++) {
        const struct compat_window_event *event = &fmu->events[i];
        if (!event->write)
            fmu->written_bytes[event->read.fmu] -= event->read.bytes;
        else if (event->write->fmu >= 0)
            fmu->requests[event->write->fmu]++;
        else
            choose(engine, event->write);
    }
}
