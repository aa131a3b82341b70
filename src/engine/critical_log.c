#include "engine/critical_log.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "critical path";

enum { FIRST_CAPACITY = 1 << 10 };
#define SECOND_SLOT (POOL_NONE - 1)

/* ------------------------------------------------------------------- slots */

static size_t words_of(uint32_t slots)
{
    return slots / 64 + 1;
}

static void resize(struct critical_log *log, uint32_t capacity)
{
    log->capacity = capacity;
    log->slots = mem_resize(log->slots, capacity, sizeof *log->slots, purpose);
    log->before = mem_resize(log->before, capacity, sizeof *log->before, purpose);
    if (log->sites)
        log->sites = mem_resize(log->sites, capacity, sizeof *log->sites, purpose);
    log->marks = mem_resize(log->marks, words_of(capacity), sizeof *log->marks, purpose);
    log->marked_before =
        mem_resize(log->marked_before, words_of(capacity), sizeof *log->marked_before, purpose);
}

void critical_log_open(struct critical_log *log, uint32_t steps)
{
    assert(steps >= 2);
    *log = (struct critical_log){.most = 2 * steps};
    resize(log, log->most < FIRST_CAPACITY ? log->most : FIRST_CAPACITY);
}

void critical_log_want_sites(struct critical_log *log)
{
    log->sites = mem_alloc(log->capacity, sizeof *log->sites, purpose);
}

void critical_log_free(struct critical_log *log)
{
    free(log->slots);
    free(log->sites);
    free(log->before);
    free(log->marks);
    free(log->marked_before);
}

double critical_log_estimate(double steps, double links)
{
    double bytes =
        sizeof(struct critical_slot) + sizeof(uint32_t) + (sizeof(uint64_t) + sizeof(uint32_t)) / 64.0;
    return 2 * fmax(steps, links) * bytes;
}

/* ------------------------------------------------------------------- steps */

static void values_of(const struct critical_detail *detail, const struct cause_link *link,
                      uint64_t values[CRITICAL_VALUES])
{
    values[CRITICAL_NUMBER] = detail->number;
    values[CRITICAL_BYTES] = detail->bytes;
    values[CRITICAL_AWAITED] = (uint64_t)detail->awaited_ps;
    values[CRITICAL_WORKED] = (uint64_t)detail->worked;
    values[CRITICAL_COMPUTED] = (uint64_t)detail->computed;
    ps_t other = link->end - detail->start;
    for (int kind = 1; kind < CAUSE_KINDS; kind++) {
        ps_t time = link->kinds[kind] - detail->kinds[kind];
        values[CRITICAL_KIND + kind - 1] = (uint64_t)time;
        other -= time;
    }
    values[CRITICAL_KIND + CRITICAL_OTHER - 1] = (uint64_t)other;
}

/* 32 bits of each value, from bit `shift` on. */
static inline void write_slot(struct critical_slot *slot, const struct critical_detail *detail,
                              const uint64_t values[CRITICAL_VALUES], int shift, bool is_wide)
{
    slot->rank = detail->rank;
    slot->source = detail->source;
    slot->destination = detail->destination;
    slot->which = detail->which;
    for (int i = 0; i < CRITICAL_VALUES; i++)
        slot->values[i] = (uint32_t)(values[i] >> shift);
    slot->op = (uint8_t)detail->op;
    slot->awaited = (uint8_t)detail->awaited;
    slot->is_signal = detail->is_signal;
    slot->is_wide = is_wide;
}

uint32_t critical_log_append(struct critical_log *log, const struct critical_detail *detail,
                             const struct cause_link *link)
{
    uint64_t values[CRITICAL_VALUES], all = 0;
    values_of(detail, link, values);
    for (int i = 0; i < CRITICAL_VALUES; i++)
        all |= values[i];
    uint32_t step = log->count++;
    log->before[step] = detail->before;
    write_slot(&log->slots[step], detail, values, 0, all > UINT32_MAX);
    if (all > UINT32_MAX) {
        log->before[log->count] = SECOND_SLOT;
        write_slot(&log->slots[log->count++], detail, values, 32, false);
    }
    return step;
}

struct critical_step critical_log_step(const struct critical_log *log, uint32_t step, ps_t end,
                                       uint32_t *awaited)
{
    const struct critical_slot *slot = &log->slots[step];
    uint64_t values[CRITICAL_VALUES];
    for (int i = 0; i < CRITICAL_VALUES; i++)
        values[i] = slot->values[i] | (slot->is_wide ? (uint64_t)slot[1].values[i] << 32 : 0);
    struct critical_step told = {.rank = slot->rank,
                                 .source = slot->source,
                                 .destination = slot->destination,
                                 .op = slot->op,
                                 .is_signal = slot->is_signal,
                                 .bytes = values[CRITICAL_BYTES],
                                 .number = slot->is_signal ? 0 : values[CRITICAL_NUMBER],
                                 .computed = (ps_t)values[CRITICAL_COMPUTED],
                                 .start = end,
                                 .end = end,
                                 .which = slot->which,
                                 .awaited_ps = (ps_t)values[CRITICAL_AWAITED]};
    for (int kind = 1; kind < CRITICAL_KINDS; kind++) {
        told.kinds[kind] = (ps_t)values[CRITICAL_KIND + kind - 1];
        told.start -= told.kinds[kind];
    }
    told.since = told.start - told.computed - (ps_t)values[CRITICAL_WORKED];
    *awaited = slot->awaited;
    return told;
}

/* ---------------------------------------------------------- what is needed */

static inline bool is_marked(const struct critical_log *log, uint32_t slot)
{
    return log->marks[slot / 64] >> slot % 64 & 1;
}

static inline void mark(struct critical_log *log, uint32_t slot)
{
    if (slot != POOL_NONE)
        log->marks[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* A step comes after the one before it, so one pass from the last to the first finds all that are needed. */
static void mark_chains(struct critical_log *log)
{
    for (uint32_t i = log->count; i-- > 0;) {
        if (!is_marked(log, i) || log->before[i] == SECOND_SLOT)
            continue;
        mark(log, log->before[i]);
        if (log->slots[i].is_wide)
            mark(log, i + 1);
    }
}

/* Marks what the links that are in use lead to. */
static void mark_needed(struct critical_log *log, const struct critical_detail *details,
                        const struct cause_link *links, uint32_t count)
{
    memset(log->marks, 0, words_of(log->capacity) * sizeof *log->marks);
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].uses == 0)
            continue;
        mark(log, details[i].before);
        mark(log, details[i].step);
    }
    mark_chains(log);
}

/* Counts the marks. Returns how many there are. */
static uint32_t count_marks(struct critical_log *log)
{
    uint32_t marked = 0;
    for (size_t i = 0; i < words_of(log->capacity); i++) {
        log->marked_before[i] = marked;
        marked += (uint32_t)__builtin_popcountll(log->marks[i]);
    }
    return marked;
}

/* How many marked slots come before this one. */
static inline uint32_t marked_before(const struct critical_log *log, uint32_t slot)
{
    uint64_t below = log->marks[slot / 64] & ((UINT64_C(1) << slot % 64) - 1);
    return log->marked_before[slot / 64] + (uint32_t)__builtin_popcountll(below);
}

/* Takes away the marks of the first `excess` marked slots. */
static void forget(struct critical_log *log, uint32_t excess)
{
    for (size_t i = 0; excess > 0; i++) {
        for (; excess > 0 && log->marks[i]; excess--)
            log->marks[i] &= log->marks[i] - 1;
    }
}

/* Where the slot is when those without a mark are out. */
static inline uint32_t moved(const struct critical_log *log, uint32_t slot)
{
    return slot == POOL_NONE || !is_marked(log, slot) ? POOL_NONE : marked_before(log, slot);
}

static void take_out_unmarked(struct critical_log *log)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        if (!is_marked(log, i))
            continue;
        uint32_t before = log->before[i];
        log->before[kept] = before == SECOND_SLOT ? SECOND_SLOT : moved(log, before);
        if (log->sites)
            log->sites[kept] = log->sites[i];
        log->slots[kept++] = log->slots[i];
    }
    log->count = kept;
}

/* A pass takes as long as there are links to look through and slots to keep. So most slots are for new steps,
 * and a log that is as large as it may be forgets. */
void critical_log_make_room(struct critical_log *log, struct critical_detail *details,
                            const struct cause_link *links, uint32_t count)
{
    if (log->most / 2 < count)
        log->most = count * 2;
    mark_needed(log, details, links, count);
    uint32_t marked = count_marks(log);
    if (marked > log->most / 2) {
        forget(log, marked - log->most / 2);
        marked = count_marks(log);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].uses == 0)
            continue;
        details[i].before = moved(log, details[i].before);
        details[i].step = moved(log, details[i].step);
    }
    take_out_unmarked(log);
    uint32_t capacity = log->capacity;
    while (capacity / 4 < (marked > count ? marked : count) && capacity < log->most)
        capacity = capacity < log->most / 2 ? capacity * 2 : log->most;
    if (capacity > log->capacity)
        resize(log, capacity);
}
