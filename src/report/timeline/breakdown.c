#include "report/timeline/internal.h"

static void append(struct timeline_breakdown *breakdown, const struct timeline_part *like, ps_t since,
                   ps_t at)
{
    breakdown->parts =
        mem_grow(breakdown->parts, &breakdown->capacity, breakdown->count + 1, "parts of a message");
    struct timeline_part *part = &breakdown->parts[breakdown->count++];
    *part = *like;
    part->since = since;
    part->at = at;
    breakdown->by_part[part->part] += at - since;
    if (part->alone && at - since > part->alone)
        breakdown->shared += at - since - part->alone;
}

/* A gap between parts: the message's waits fill what they cover, and PART_UNNAMED fills the rest. */
static void fill_gap(struct timeline_breakdown *breakdown, const struct pool *reported,
                     const struct timeline_message *message, ps_t since, ps_t at)
{
    static const struct timeline_part unnamed = {.part = PART_UNNAMED};
    for (uint32_t i = message->first_part; i != POOL_NONE && since < at;) {
        const struct timeline_part *wait = pool_at(reported, i);
        i = wait->next;
        if (wait->part != TAP_PART_WAIT || wait->at <= since || wait->since >= at)
            continue;
        if (wait->since > since)
            append(breakdown, &unnamed, since, wait->since);
        ps_t begin = ps_max(since, wait->since);
        since = wait->at < at ? wait->at : at;
        append(breakdown, wait, begin, since);
    }
    if (since < at)
        append(breakdown, &unnamed, since, at);
}

/* The part that begins next after `since`, and among several the one that was reported first; POOL_NONE:
 * none. Parts may overlap, for example a read that waits in a queue while its data are still written. Then
 * the part that was reported first counts to its end, and the other one from there. All parts before *live
 * have ended. */
static uint32_t next_part(const struct pool *reported, uint32_t *live, ps_t since)
{
    uint32_t best = POOL_NONE;
    ps_t best_since = PS_NEVER;
    bool all_over = true;
    for (uint32_t i = *live; i != POOL_NONE && best_since > since;) {
        const struct timeline_part *part = pool_at(reported, i);
        bool counts = part->part != TAP_PART_WAIT && part->at > since;
        if (all_over && !counts)
            *live = part->next;
        all_over = all_over && !counts;
        if (counts && ps_max(part->since, since) < best_since) {
            best = i;
            best_since = ps_max(part->since, since);
        }
        i = part->next;
    }
    return best;
}

void timeline_breakdown_fill(struct timeline_breakdown *breakdown, const struct pool *reported,
                             const struct timeline_message *message)
{
    breakdown->count = 0;
    breakdown->shared = 0;
    for (int i = 0; i <= TAP_PARTS; i++)
        breakdown->by_part[i] = 0;
    ps_t now = message->since;
    uint32_t live = message->first_part;
    while (now < message->at) {
        uint32_t index = next_part(reported, &live, now);
        const struct timeline_part *part = index == POOL_NONE ? NULL : pool_at(reported, index);
        ps_t begin = !part || part->since > message->at ? message->at : ps_max(part->since, now);
        fill_gap(breakdown, reported, message, now, begin);
        now = begin;
        if (!part || now == message->at)
            continue;
        ps_t end = part->at < message->at ? part->at : message->at;
        append(breakdown, part, now, end);
        now = end;
    }
}
