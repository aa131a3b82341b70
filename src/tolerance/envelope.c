#include "tolerance/envelope.h"

#include <stdlib.h>

#include "base/mem.h"

struct envelope_lines {
    uint32_t uses, count;
    struct tolerance_line at[];
};

size_t envelope_count(const struct envelope *envelope)
{
    return envelope->lines ? envelope->lines->count : 1;
}

static inline struct tolerance_line sum(struct tolerance_line a, struct tolerance_line b)
{
    return (struct tolerance_line){a.a + b.a, a.k + b.k};
}

struct tolerance_line envelope_line(const struct envelope *envelope, size_t index)
{
    return envelope->lines ? sum(envelope->lines->at[index], envelope->added) : envelope->added;
}

void envelope_drop(struct envelope *envelope)
{
    if (envelope->lines && --envelope->lines->uses == 0)
        free(envelope->lines);
    *envelope = (struct envelope){.lines = NULL};
}

static inline __int128 value(struct tolerance_line line, int64_t at)
{
    return line.a + (__int128)line.k * at;
}

/* Whether one line of `upper` is above all of `lower`, which lies below its own chord. */
static bool is_above(const struct envelope *upper, const struct envelope *lower, struct interval interval)
{
    __int128 from = value(envelope_line(lower, 0), interval.from);
    __int128 to = value(envelope_line(lower, envelope_count(lower) - 1), interval.to);
    struct tolerance_line first = envelope_line(upper, 0),
                          last = envelope_line(upper, envelope_count(upper) - 1);
    return (value(first, interval.from) >= from && value(first, interval.to) >= to) ||
           (value(last, interval.from) >= from && value(last, interval.to) >= to);
}

/* Whether `middle` is nowhere above both its neighbours, which have smaller and larger slopes. */
static bool is_below(struct tolerance_line before, struct tolerance_line middle, struct tolerance_line after)
{
    return (__int128)(before.a - after.a) * (middle.k - before.k) <=
           (__int128)(before.a - middle.a) * (after.k - before.k);
}

/* The next line, with a larger slope than all before, on top of the others. */
static void add(struct envelope_lines *lines, struct tolerance_line line, struct interval interval)
{
    struct tolerance_line *at = lines->at;
    if (lines->count && at[lines->count - 1].k == line.k) {
        if (at[lines->count - 1].a >= line.a)
            return;
        lines->count--;
    }
    if (lines->count && value(line, interval.to) <= value(at[lines->count - 1], interval.to))
        return;
    while (lines->count && (value(line, interval.from) >= value(at[lines->count - 1], interval.from) ||
                            (lines->count > 1 && is_below(at[lines->count - 2], at[lines->count - 1], line))))
        lines->count--;
    at[lines->count++] = line;
}

static struct envelope merge(const struct envelope *a, const struct envelope *b, struct interval interval)
{
    size_t left = envelope_count(a), right = envelope_count(b), i = 0, k = 0;
    struct envelope_lines *lines =
        mem_resize(NULL, sizeof *lines + (left + right) * sizeof(struct tolerance_line), 1, "lines");
    lines->uses = 1;
    lines->count = 0;
    while (i < left || k < right) {
        bool takes_left = k == right || (i < left && envelope_line(a, i).k <= envelope_line(b, k).k);
        add(lines, takes_left ? envelope_line(a, i++) : envelope_line(b, k++), interval);
    }
    return (struct envelope){.lines = lines, .is_reached = true};
}

void envelope_raise(struct envelope *target, const struct envelope *other, struct tolerance_line added,
                    struct interval interval)
{
    struct envelope raised = *other;
    raised.added = sum(raised.added, added);
    if (target->is_reached && is_above(target, &raised, interval))
        return;
    if (target->is_reached && !is_above(&raised, target, interval)) {
        struct envelope both = merge(target, &raised, interval);
        envelope_drop(target);
        *target = both;
        return;
    }
    if (raised.lines)
        raised.lines->uses++;
    envelope_drop(target);
    raised.is_reached = true;
    *target = raised;
}
