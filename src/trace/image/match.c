#include "trace/image/match.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/steps.h"

/* Matching before the run. Messages of one (source, destination, communicator, tag) arrive in the order in
 * which they are sent and are received in the order in which receives are posted. Without wildcards the k-th
 * send therefore meets the k-th receive, whatever the network does (MPI 4.0, section 3.5). All ends of
 * messages are sorted by destination, source, communicator and tag; ends that agree are a channel. */
struct match_end {
    int32_t destination, source, tag;
    uint32_t context;
    uint32_t rank, call; /* the call that this is an end of */
    bool is_send;
    bool is_second; /* the receiving half of a sendrecv */
};

struct matcher {
    struct image_calls *ranks;
    struct image_notes *notes;
    struct match_end *ends;
    size_t count, capacity;
    uint32_t channels;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_channel(const void *first, const void *second)
{
    const struct match_end *a = first, *b = second;
    int order = compare(a->destination, b->destination);
    order = order ? order : compare(a->source, b->source);
    order = order ? order : compare(a->context, b->context);
    order = order ? order : compare(a->tag, b->tag);
    order = order ? order : compare(b->is_send, a->is_send);
    order = order ? order : compare(a->rank, b->rank);
    order = order ? order : compare(a->call, b->call);
    return order ? order : compare(a->is_second, b->is_second);
}

static struct call *call_of(const struct matcher *matcher, const struct match_end *end)
{
    return &matcher->ranks[end->rank].calls[end->call];
}

static const struct image_call *about(const struct matcher *matcher, const struct match_end *end)
{
    return &matcher->ranks[end->rank].about[end->call];
}

static void add(struct matcher *matcher, struct match_end end)
{
    matcher->ends = mem_grow(matcher->ends, &matcher->capacity, matcher->count + 1, "sends and receives");
    matcher->ends[matcher->count++] = end;
}

static void collect(struct matcher *matcher, uint32_t rank)
{
    const struct image_calls *calls = &matcher->ranks[rank];
    int32_t me = (int32_t)rank;
    for (uint32_t i = 0; i < calls->count; i++) {
        const struct call *call = &calls->calls[i];
        struct match_end end = {.rank = rank, .call = i, .tag = call->tag, .context = call->context};
        if (call->op == CALL_SEND || call->op == CALL_SENDRECV) {
            end.source = me;
            end.destination = call->peer;
            end.is_send = true;
            add(matcher, end);
        }
        if (call->op == CALL_RECV || call->op == CALL_SENDRECV) {
            end.source = call->op == CALL_RECV ? call->peer : call->source;
            end.destination = me;
            end.is_send = false;
            end.is_second = call->op == CALL_SENDRECV;
            end.tag = end.is_second ? call_source_tag(call) : call->tag;
            add(matcher, end);
        }
    }
}

/* -------------------------------------------------------- undefined sources */

/* The messages of a tag to a destination, minus its receives that name a source. */
struct surplus {
    uint32_t context;
    int32_t tag; /* CALL_ANY_TAG: of all tags */
    int64_t messages;
};

/* What is left at a destination for receives from any source, by context and tag. */
struct surpluses {
    struct surplus *list; /* ascending, all different */
    size_t count;
};

static int by_tag(const void *first, const void *second)
{
    const struct surplus *a = first, *b = second;
    int order = compare(a->context, b->context);
    return order ? order : compare(a->tag, b->tag);
}

static void count_surpluses(const struct matcher *matcher, size_t begin, size_t end, bool any_tag,
                            struct surpluses *surpluses)
{
    size_t all = 0, kept = 0;
    surpluses->list = mem_alloc(end - begin, sizeof *surpluses->list, "sends and receives");
    for (size_t i = begin; i < end; i++) {
        const struct match_end *one = &matcher->ends[i];
        int64_t uses = (int64_t)about(matcher, one)->uses;
        if (one->is_send || one->source != CALL_ANY_SOURCE)
            surpluses->list[all++] = (struct surplus){.context = one->context,
                                                      .tag = any_tag ? CALL_ANY_TAG : one->tag,
                                                      .messages = one->is_send ? uses : -uses};
    }
    qsort(surpluses->list, all, sizeof *surpluses->list, by_tag);
    steps_add(end - begin);
    for (size_t i = 0; i < all; i++) {
        if (kept && by_tag(&surpluses->list[kept - 1], &surpluses->list[i]) == 0)
            surpluses->list[kept - 1].messages += surpluses->list[i].messages;
        else
            surpluses->list[kept++] = surpluses->list[i];
    }
    surpluses->count = kept;
}

static int64_t surplus_of(const struct surpluses *surpluses, const struct surplus *wanted)
{
    steps_add(1);
    const struct surplus *found =
        bsearch(wanted, surpluses->list, surpluses->count, sizeof *surpluses->list, by_tag);
    return found ? found->messages : 0;
}

/* Requests whose start, waits and tests do nothing. */
struct silent_keys {
    uint32_t *list;
    size_t count, capacity;
};

static int by_key(const void *first, const void *second)
{
    return compare(*(const uint32_t *)first, *(const uint32_t *)second);
}

/* The receive does nothing, and silence_requests() silences the waits for it. */
static void silence(struct matcher *matcher, const struct match_end *end, struct silent_keys *keys)
{
    uint32_t key = about(matcher, end)->key;
    *call_of(matcher, end) = (struct call){.op = CALL_NOTHING};
    if (key == KEY_NONE)
        return;
    keys->list = mem_grow(keys->list, &keys->capacity, keys->count + 1, "requests that do nothing");
    keys->list[keys->count++] = key;
}

/* All receives at a destination are calls of one rank. */
static void silence_requests(struct matcher *matcher, uint32_t rank, struct silent_keys *keys)
{
    struct image_calls *calls = &matcher->ranks[rank];
    if (keys->count)
        qsort(keys->list, keys->count, sizeof *keys->list, by_key);
    for (size_t i = 0; keys->count && i < calls->count; i++) {
        const uint32_t *key = &calls->about[i].key;
        steps_add(1);
        if (*key != KEY_NONE && bsearch(key, keys->list, keys->count, sizeof *keys->list, by_key))
            calls->calls[i] = (struct call){.op = CALL_NOTHING};
    }
    free(keys->list);
}

static bool is_undefined(const struct matcher *matcher, const struct match_end *end)
{
    return end->source == CALL_ANY_SOURCE && about(matcher, end)->doubt == DOUBT_UNDEFINED_SOURCE;
}

/* A trace may not tell MPI_ANY_SOURCE from MPI_PROC_NULL. If receives that name their source take every
 * message to this rank, no message is left for a receive from any source: its source was MPI_PROC_NULL.
 * Messages are counted by tag, or all together if a receive has a wildcard tag. */
static void decide_undefined(struct matcher *matcher, size_t begin, size_t end, bool any_tag)
{
    struct surpluses surpluses;
    struct silent_keys keys = {.list = NULL};
    size_t first = begin;
    while (first < end && matcher->ends[first].source == CALL_ANY_SOURCE &&
           !is_undefined(matcher, &matcher->ends[first]))
        first++;
    if (first == end || matcher->ends[first].source != CALL_ANY_SOURCE)
        return; /* the usual case: all sources are certain */
    count_surpluses(matcher, begin, end, any_tag, &surpluses);
    for (size_t i = first; i < end && matcher->ends[i].source == CALL_ANY_SOURCE; i++) {
        const struct match_end *one = &matcher->ends[i];
        const struct image_call *call = about(matcher, one);
        if (!is_undefined(matcher, one)) /* certainly MPI_ANY_SOURCE */
            continue;
        const struct surplus wanted = {.context = one->context, .tag = any_tag ? CALL_ANY_TAG : one->tag};
        bool is_null = !one->is_second && surplus_of(&surpluses, &wanted) <= 0;
        image_notes_add(matcher->notes, is_null ? NOTE_NULL_SOURCE : NOTE_ANY_SOURCE, one->rank,
                        call->first_token, call->uses);
        if (is_null)
            silence(matcher, one, &keys);
    }
    silence_requests(matcher, matcher->ends[first].rank, &keys);
    free(surpluses.list);
}

/* ----------------------------------------------------------------- channels */

static bool is_alive(const struct matcher *matcher, const struct match_end *end)
{
    return call_of(matcher, end)->op != CALL_NOTHING;
}

static void give_channel(struct matcher *matcher, const struct match_end *end, uint32_t channel)
{
    struct call *call = call_of(matcher, end);
    if (end->is_second)
        call->source_channel = channel;
    else
        call->channel = channel;
}

/* Among ends that can meet, sends and receives must be equal in number. */
static void note_difference(struct matcher *matcher, size_t begin, size_t end)
{
    int64_t difference = 0;
    const struct match_end *send = NULL, *recv = NULL;
    for (size_t i = begin; i < end; i++) {
        const struct match_end *one = &matcher->ends[i];
        if (!is_alive(matcher, one))
            continue;
        int64_t uses = (int64_t)about(matcher, one)->uses;
        difference += one->is_send ? uses : -uses;
        const struct match_end **first = one->is_send ? &send : &recv;
        if (!*first || about(matcher, one)->first_token < about(matcher, *first)->first_token)
            *first = one;
    }
    if (difference > 0)
        image_notes_add(matcher->notes, NOTE_NOT_RECEIVED, send->rank, about(matcher, send)->first_token,
                        (uint64_t)difference);
    if (difference < 0)
        image_notes_add(matcher->notes, NOTE_NOT_SENT, recv->rank, about(matcher, recv)->first_token,
                        (uint64_t)-difference);
}

static void match_by_channel(struct matcher *matcher, size_t begin, size_t end)
{
    while (begin < end) {
        const struct match_end *first = &matcher->ends[begin];
        size_t next = begin;
        while (next < end && matcher->ends[next].source == first->source &&
               matcher->ends[next].context == first->context && matcher->ends[next].tag == first->tag)
            give_channel(matcher, &matcher->ends[next++], matcher->channels);
        note_difference(matcher, begin, next);
        matcher->channels++;
        begin = next;
    }
}

/* All ends at one destination. */
static void match_destination(struct matcher *matcher, size_t begin, size_t end)
{
    bool any_tag = false, mailbox = false;
    for (size_t i = begin; i < end; i++)
        any_tag |= matcher->ends[i].tag == CALL_ANY_TAG;
    decide_undefined(matcher, begin, end, any_tag);
    size_t named = begin;
    while (named < end && matcher->ends[named].source == CALL_ANY_SOURCE)
        mailbox |= is_alive(matcher, &matcher->ends[named++]);
    for (size_t i = named; i < end; i++)
        mailbox |= matcher->ends[i].tag == CALL_ANY_TAG;
    if (!mailbox) {
        match_by_channel(matcher, named, end);
        return;
    }
    for (size_t i = begin; i < end; i++)
        if (is_alive(matcher, &matcher->ends[i]))
            give_channel(matcher, &matcher->ends[i], CHANNEL_MAILBOX);
    note_difference(matcher, begin, end);
}

static void note_doubts(struct matcher *matcher, uint32_t rank)
{
    const struct image_calls *calls = &matcher->ranks[rank];
    for (uint32_t i = 0; i < calls->count; i++) {
        const struct image_call *about = &calls->about[i];
        if (about->doubt == DOUBT_ZERO_COUNTS || about->doubt == DOUBT_LOST)
            image_notes_add(matcher->notes, about->doubt == DOUBT_LOST ? NOTE_LOST : NOTE_ZERO_COUNTS, rank,
                            about->first_token, about->uses);
    }
}

uint32_t match_ranks(struct image_calls *ranks, uint32_t count, struct image_notes *notes)
{
    struct matcher matcher = {.ranks = ranks, .notes = notes};
    progress_begin("matching messages", count);
    for (uint32_t rank = 0; rank < count; rank++) {
        progress_tell(rank);
        collect(&matcher, rank);
        note_doubts(&matcher, rank);
    }
    progress_end();
    if (matcher.count)
        qsort(matcher.ends, matcher.count, sizeof *matcher.ends, by_channel);
    for (size_t begin = 0, end; begin < matcher.count; begin = end) {
        for (end = begin;
             end < matcher.count && matcher.ends[end].destination == matcher.ends[begin].destination;)
            end++;
        match_destination(&matcher, begin, end);
    }
    free(matcher.ends);
    return matcher.channels;
}
