#include "report/timeline/internal.h"

static const char *const part_names[TAP_PARTS + 1] = {
    [TAP_PART_WAIT] = "wait",       [TAP_PART_HANDSHAKE] = "handshake", [TAP_PART_SOFTWARE] = "software",
    [TAP_PART_BUS] = "bus",         [TAP_PART_ACQUIRE] = "acquire",     [TAP_PART_QUEUE] = "queue",
    [TAP_PART_SWITCH] = "switch",   [TAP_PART_TRANSFER] = "transfer",   [TAP_PART_WIRE] = "wire",
    [TAP_PART_RELEASE] = "release", [TAP_PART_STORED] = "stored",       [PART_UNNAMED] = "fabric",
};

const char *timeline_part_name(uint32_t part)
{
    return part_names[part];
}

static void append(struct breakdown *breakdown, const struct timeline_part *like, ps_t since, ps_t at)
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

/* The waits of the message that fall into a gap take it, the fabric the rest of it. */
static void fill_gap(struct breakdown *breakdown, const struct pool *told,
                     const struct timeline_message *message, ps_t since, ps_t at)
{
    static const struct timeline_part unnamed = {.part = PART_UNNAMED};
    for (uint32_t i = message->first_part; i != POOL_NONE && since < at;) {
        const struct timeline_part *wait = pool_at(told, i);
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

/* The part that begins next behind `since`, the first told among equals; POOL_NONE when there is none. A read
 * that stands in a queue while its data are still being written does not delay them: what was told earlier
 * goes on to its end, and the later part counts from there. What lies before *live is over. */
static uint32_t next_part(const struct pool *told, uint32_t *live, ps_t since)
{
    uint32_t best = POOL_NONE;
    ps_t best_since = PS_NEVER;
    bool all_over = true;
    for (uint32_t i = *live; i != POOL_NONE && best_since > since;) {
        const struct timeline_part *part = pool_at(told, i);
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

void breakdown_make(struct breakdown *breakdown, const struct pool *told,
                    const struct timeline_message *message)
{
    breakdown->count = 0;
    breakdown->shared = 0;
    for (int i = 0; i <= TAP_PARTS; i++)
        breakdown->by_part[i] = 0;
    ps_t now = message->since;
    uint32_t live = message->first_part;
    while (now < message->at) {
        uint32_t index = next_part(told, &live, now);
        const struct timeline_part *part = index == POOL_NONE ? NULL : pool_at(told, index);
        ps_t begin = !part || part->since > message->at ? message->at : ps_max(part->since, now);
        fill_gap(breakdown, told, message, now, begin);
        now = begin;
        if (!part || now == message->at)
            continue;
        ps_t end = part->at < message->at ? part->at : message->at;
        append(breakdown, part, now, end);
        now = end;
    }
}
