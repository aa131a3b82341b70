#include "workload/repetition.h"

#include "base/mem.h"

struct repetition_search {
    const uint64_t *sequence, *weight_before;
    size_t count;
    struct repetition best;
    uint64_t best_weight;
};

/* sequence[anchor ... anchor + length - 1] has this period. The repetition may begin before the anchor. */
static void consider(struct repetition_search *search, size_t anchor, size_t length, size_t period)
{
    if (length / 2 < period)
        return;
    size_t start = anchor;
    while (start > 0 && search->sequence[start - 1] == search->sequence[start - 1 + period])
        start--;
    size_t repeats = (length + anchor - start) / period, end = start + repeats * period;
    const uint64_t *before = search->weight_before;
    uint64_t weight = before ? before[end] - before[start] : end - start;
    bool shorter = weight == search->best_weight && period < search->best.period;
    if (weight > search->best_weight || shorter) {
        search->best = (struct repetition){.start = start, .period = period, .repeats = repeats};
        search->best_weight = weight;
    }
}

/* border[i] is the length of the longest proper prefix of the first i + 1 elements that is also their suffix.
 */
static void search_from(struct repetition_search *search, size_t anchor, size_t *border)
{
    const uint64_t *at = search->sequence + anchor;
    size_t count = search->count - anchor, matched = 0;
    border[0] = 0;
    for (size_t i = 1; i < count; i++) {
        size_t before = matched;
        while (matched > 0 && at[i] != at[matched])
            matched = border[matched - 1];
        if (at[i] == at[matched])
            matched++;
        if (before > 0 && matched != before + 1)
            consider(search, anchor, i, i - before);
        border[i] = matched;
    }
    if (matched > 0)
        consider(search, anchor, count, count - matched);
}

/* The element at this share of the weight. */
static size_t at_share(const struct repetition_search *search, size_t eighths)
{
    size_t low = 0, high = search->count - 1;
    if (!search->weight_before)
        return search->count * eighths / 8;
    uint64_t wanted = search->weight_before[search->count] / 8 * eighths;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (search->weight_before[middle + 1] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool repetition_find(const uint64_t *sequence, size_t count, const uint64_t *weight_before,
                     struct repetition *found)
{
    static const size_t eighths[] = {0, 1, 2, 4};
    if (count < 2)
        return false;
    struct repetition_search search = {.sequence = sequence, .weight_before = weight_before, .count = count};
    size_t *border = mem_alloc(count, sizeof *border, "the periods of a program");
    for (size_t i = 0, searched = count; i < sizeof eighths / sizeof *eighths; i++) {
        size_t anchor = at_share(&search, eighths[i]);
        if (anchor != searched)
            search_from(&search, anchor, border);
        searched = anchor;
    }
    free(border);
    *found = search.best;
    return search.best.repeats >= 2;
}
