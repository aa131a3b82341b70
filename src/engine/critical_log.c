#include "engine/critical_log.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

static const char purpose[] = "critical path";

enum { FIRST_CAPACITY = 1 << 10, SMALL_CAPACITY = 1 << 12 };
#define SECOND_SLOT (POOL_NONE - 1)

/* ------------------------------------------------------------------- slots */

static size_t words_of(uint32_t slots)
{
    return slots / 64 + 1;
}

static struct critical_slot *move_slots(struct critical_slot *slots, uint32_t count, uint32_t capacity)
{
    struct critical_slot *moved = lines_alloc(capacity, sizeof *moved, purpose);
    if (count)
        memcpy(moved, slots, count * sizeof *moved);
    free(slots);
    return moved;
}

/* A log that is not small gets all the memory that it may have, as it would be copied to each larger place.
 */
static void resize(struct critical_log *log, uint32_t capacity)
{
    log->capacity = capacity;
    if (capacity <= log->reserved)
        return;
    if (capacity > SMALL_CAPACITY && capacity < log->most)
        capacity = log->most;
    log->reserved = capacity;
    log->slots = move_slots(log->slots, log->count, capacity);
    log->before = mem_resize(log->before, capacity, sizeof *log->before, purpose);
    if (log->sites)
        log->sites = mem_resize(log->sites, capacity, sizeof *log->sites, purpose);
    log->marks = mem_resize(log->marks, words_of(capacity), sizeof *log->marks, purpose);
    log->marked_before =
        mem_resize(log->marked_before, words_of(capacity), sizeof *log->marked_before, purpose);
}

void critical_log_open(struct critical_log *log, uint32_t steps, enum critical_kind rest)
{
    assert(steps >= 2);
    *log = (struct critical_log){.most = 2 * steps, .rest = rest};
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
    free(log->forgotten);
}

double critical_log_estimate(double steps, double links)
{
    double bytes =
        sizeof(struct critical_slot) + sizeof(uint32_t) + (sizeof(uint64_t) + sizeof(uint32_t)) / 64.0;
    return 2 * fmax(steps, links) * bytes + links * sizeof(struct critical_sum);
}

/* ------------------------------------------------------------------- steps */

/* What is the same in both slots of a step. */
static inline void write_message(struct critical_slot *slot, const struct critical_detail *detail)
{
    slot->rank = detail->rank;
    slot->source = detail->source;
    slot->destination = detail->destination;
    slot->which = detail->which;
    slot->op = (uint8_t)detail->op;
    slot->awaited = (uint8_t)detail->awaited;
    slot->is_wide = false;
}

/* The lower half of each value. Returns the upper halves, of all values together. */
static inline uint64_t write_values(struct critical_slot *slot, const struct critical_detail *detail,
                                    const struct cause_link *link, int shift)
{
    uint64_t all = 0;
#define WRITE(value, of)                                                                                     \
    do {                                                                                                     \
        const uint64_t bits = (uint64_t)(of);                                                                \
        slot->values[value] = (uint32_t)(bits >> shift);                                                     \
        all |= bits;                                                                                         \
    } while (0)
    ps_t computed = link->kinds[CRITICAL_COMPUTATION], other = link->end - detail->start;
    WRITE(CRITICAL_NUMBER, detail->number);
    WRITE(CRITICAL_BYTES, detail->bytes);
    WRITE(CRITICAL_AWAITED, detail->awaited_ps);
    WRITE(CRITICAL_WORKED, detail->start - detail->since - computed);
    WRITE(CRITICAL_COMPUTED, computed);
    for (int kind = 1; kind < CAUSE_KINDS; kind++) {
        WRITE(CRITICAL_KIND + kind - 1, link->kinds[kind]);
        other -= link->kinds[kind];
    }
    WRITE(CRITICAL_KIND + CRITICAL_OTHER - 1, other);
#undef WRITE
    return all >> 32;
}

uint32_t critical_log_append(struct critical_log *log, const struct critical_detail *detail,
                             const struct cause_link *link)
{
    uint32_t step = log->count++;
    struct critical_slot *slot = &log->slots[step];
    log->before[step] = detail->before;
    write_message(slot, detail);
    if (write_values(slot, detail, link, 0)) {
        slot->is_wide = log->has_wide = true;
        log->before[log->count++] = SECOND_SLOT;
        write_message(slot + 1, detail);
        write_values(slot + 1, detail, link, 32);
    }
    return step;
}

static inline void read_values(const struct critical_slot *slot, uint64_t values[CRITICAL_VALUES])
{
    for (int i = 0; i < CRITICAL_VALUES; i++)
        values[i] = slot->values[i];
    for (int i = 0; slot->is_wide && i < CRITICAL_VALUES; i++)
        values[i] |= (uint64_t)slot[1].values[i] << 32;
}

struct critical_step critical_log_step(const struct critical_log *log, uint32_t step, ps_t end,
                                       uint32_t *awaited)
{
    const struct critical_slot *slot = &log->slots[step];
    uint64_t values[CRITICAL_VALUES];
    read_values(slot, values);
    struct critical_step told = {.rank = slot->rank,
                                 .source = slot->source,
                                 .destination = slot->destination,
                                 .op = slot->op,
                                 .is_signal = values[CRITICAL_NUMBER] == 0,
                                 .bytes = values[CRITICAL_BYTES],
                                 .number = values[CRITICAL_NUMBER],
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

/* -------------------------------------------------------------------- sums */

static inline void add_sum(struct critical_sum *sum, const struct critical_sum *more)
{
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        sum->kinds[kind] += more->kinds[kind];
    sum->messages += more->messages;
}

static inline void add_step(const struct critical_log *log, uint32_t step, struct critical_sum *sum)
{
    uint64_t values[CRITICAL_VALUES];
    read_values(&log->slots[step], values);
    sum->kinds[CRITICAL_COMPUTATION] += (ps_t)values[CRITICAL_COMPUTED];
    for (int kind = 1; kind < CRITICAL_KINDS; kind++)
        sum->kinds[kind] += (ps_t)values[CRITICAL_KIND + kind - 1];
    sum->kinds[log->rest] += (ps_t)values[CRITICAL_WORKED];
    sum->messages += values[CRITICAL_NUMBER] != 0;
}

void critical_log_sum(const struct critical_log *log, uint32_t before, struct critical_sum *sum)
{
    for (; critical_log_has(before); before = log->before[before])
        add_step(log, before, sum);
    if (before != POOL_NONE)
        add_sum(sum, &log->forgotten[before & ~CRITICAL_FORGOTTEN]);
}

/* ---------------------------------------------------------- what is needed */

static inline bool is_marked(const struct critical_log *log, uint32_t slot)
{
    return log->marks[slot / 64] >> slot % 64 & 1;
}

static inline void mark(struct critical_log *log, uint32_t slot)
{
    if (critical_log_has(slot))
        log->marks[slot / 64] |= UINT64_C(1) << slot % 64;
}

/* A step comes after the one before it, so one pass from the last to the first finds all that are needed.
 * It does not read the slots, which are far more memory than `before`. */
static void mark_chains(struct critical_log *log)
{
    for (uint32_t i = log->count; i-- > 0;)
        if (is_marked(log, i))
            mark(log, log->before[i]);
    for (uint32_t i = 1; log->has_wide && i < log->count; i++)
        if (log->before[i] == SECOND_SLOT && is_marked(log, i - 1))
            mark(log, i);
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
    uint64_t marks = log->marks[slot / 64];
    uint32_t below = slot % 64;
    if (marks != UINT64_MAX) /* where nearly all steps are needed, most words are full */
        below = (uint32_t)__builtin_popcountll(marks & ((UINT64_C(1) << below) - 1));
    return log->marked_before[slot / 64] + below;
}

/* --------------------------------------------------------------- forgetting */

/* The slot of a forgotten step has its sum, and its `before` where that is in the new list. */
static struct critical_sum *sum_in(const struct critical_log *log, uint32_t slot)
{
    return (struct critical_sum *)(void *)&log->slots[slot];
}

/* The step is forgotten, as all marked ones before it are. */
static void forget_step(struct critical_log *log, uint32_t step)
{
    uint32_t before = log->before[step];
    struct critical_sum sum = {.messages = 0};
    add_step(log, step, &sum);
    if (critical_log_has(before))
        add_sum(&sum, sum_in(log, before));
    else if (before != POOL_NONE)
        add_sum(&sum, &log->forgotten[before & ~CRITICAL_FORGOTTEN]);
    *sum_in(log, step) = sum;
    log->before[step] = POOL_NONE;
}

/* Takes away the marks of the first `excess` marked slots. */
static void forget(struct critical_log *log, uint32_t excess)
{
    for (uint32_t word = 0; excess > 0; word++) {
        for (; excess > 0 && log->marks[word]; excess--) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(log->marks[word]);
            if (log->before[slot] != SECOND_SLOT)
                forget_step(log, slot);
            log->marks[word] &= log->marks[word] - 1;
        }
    }
}

/* The sums that chains still need, in a new list. */
struct kept_sums {
    struct critical_sum *sums;
    uint32_t *places; /* of the old ones in the new list; POOL_NONE: not yet */
    uint32_t count;
};

static uint32_t keep_sum(struct kept_sums *kept, const struct critical_sum *sum, uint32_t *place)
{
    if (*place == POOL_NONE) {
        *place = kept->count | CRITICAL_FORGOTTEN;
        kept->sums[kept->count++] = *sum;
    }
    return *place;
}

/* What comes before a step or a link, where that may be forgotten. */
static uint32_t keep_before(struct critical_log *log, struct kept_sums *kept, uint32_t before)
{
    if (before == POOL_NONE)
        return POOL_NONE;
    if (!critical_log_has(before)) {
        uint32_t old = before & ~CRITICAL_FORGOTTEN;
        return keep_sum(kept, &log->forgotten[old], &kept->places[old]);
    }
    return is_marked(log, before) ? before : keep_sum(kept, sum_in(log, before), &log->before[before]);
}

/* Each chain that is cut ends with a link in use, so there are no more sums than links. */
static void keep_sums(struct critical_log *log, struct critical_detail *details,
                      const struct cause_link *links, uint32_t count)
{
    struct kept_sums kept = {.sums = mem_alloc(count, sizeof *kept.sums, purpose),
                             .places = mem_alloc(log->forgotten_count, sizeof *kept.places, purpose)};
    for (size_t i = 0; i < log->forgotten_count; i++)
        kept.places[i] = POOL_NONE;
    for (uint32_t i = 0; i < log->count; i++)
        if (is_marked(log, i) && log->before[i] != SECOND_SLOT)
            log->before[i] = keep_before(log, &kept, log->before[i]);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].uses > 0)
            details[i].before = keep_before(log, &kept, details[i].before);
    free(kept.places);
    free(log->forgotten);
    log->forgotten = kept.sums;
    log->forgotten_count = kept.count;
}

/* ----------------------------------------------------------------- the pass */

/* Where the slot is when those without a mark are out. */
static inline uint32_t moved(const struct critical_log *log, uint32_t slot)
{
    return critical_log_has(slot) ? marked_before(log, slot) : slot;
}

/* `count` slots behind one another get the places from `to` on. */
static void move_run(struct critical_log *log, uint32_t to, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        log->before[to + i] = moved(log, log->before[from + i]);
    if (to == from)
        return;
    memmove(&log->slots[to], &log->slots[from], count * sizeof *log->slots);
    if (log->sites)
        memmove(&log->sites[to], &log->sites[from], count * sizeof *log->sites);
}

/* Mostly long runs of slots stay, or go. */
static void take_out_unmarked(struct critical_log *log)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < log->count;) {
        const uint64_t marks = log->marks[i / 64] >> i % 64;
        uint32_t left = 64 - i % 64, run = marks ? (uint32_t)__builtin_ctzll(marks) : left;
        if (run == 0) {
            run = ~marks ? (uint32_t)__builtin_ctzll(~marks) : left;
            move_run(log, kept, i, run);
            kept += run;
        }
        i += run;
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
        keep_sums(log, details, links, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].uses == 0)
            continue;
        details[i].before = moved(log, details[i].before);
        uint32_t step = details[i].step;
        details[i].step = step == POOL_NONE || !is_marked(log, step) ? POOL_NONE : marked_before(log, step);
    }
    take_out_unmarked(log);
    uint32_t capacity = log->capacity;
    while (capacity / 4 < (marked > count ? marked : count) && capacity < log->most)
        capacity = capacity < log->most / 2 ? capacity * 2 : log->most;
    if (capacity > log->capacity)
        resize(log, capacity);
}
