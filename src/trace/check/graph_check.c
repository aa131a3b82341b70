#include "trace/check/graph_check.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/check/coll_consistency.h"

/* ------------------------------------------------------------------ summary */

/* The levels of a rank: how many operations stand before each on its longest chain. */
static void measure(const struct graph_rank *rank, struct graph_summary *summary)
{
    uint32_t *left = mem_alloc(rank->count, sizeof *left, "dependences of a rank");
    uint32_t *level = mem_alloc(rank->count, sizeof *level, "operations of a rank");
    uint32_t *ready = mem_alloc(rank->count, sizeof *ready, "operations of a rank");
    uint32_t *of_level = mem_alloc(rank->count, sizeof *of_level, "operations of a rank");
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank->count; i++) {
        left[i] = rank->operations[i].needs;
        if (!left[i])
            ready[count++] = i;
    }
    for (uint32_t taken = 0; taken < count; taken++) {
        uint32_t before = ready[taken];
        const struct graph_operation *operation = &rank->operations[before];
        if (++of_level[level[before]] > summary->width)
            summary->width = of_level[level[before]];
        if (level[before] >= summary->depth)
            summary->depth = level[before] + 1;
        for (uint32_t i = operation->on_end; i < operation[1].on_end; i++) {
            uint32_t after = rank->dependents[i];
            if (level[after] <= level[before])
                level[after] = level[before] + 1;
            if (!--left[after])
                ready[count++] = after;
        }
    }
    free(left);
    free(level);
    free(ready);
    free(of_level);
}

static unsigned size_class(uint64_t bytes)
{
    return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

static void add_operation(struct graph_summary *summary, const struct graph_operation *operation,
                          uint32_t rank)
{
    summary->kinds[operation->kind]++;
    summary->on_begin += graph_on_begin(operation);
    summary->roots += !operation->needs;
    summary->alone += !operation->needs && !graph_on_end(operation) && !graph_on_begin(operation);
    if (operation->kind == GRAPH_COMPUTE) {
        summary->compute_ps += operation->amount;
    } else if (operation->kind == GRAPH_WORK) {
        summary->work += (double)operation->amount;
    } else if (operation->kind == GRAPH_SEND) {
        summary->bytes += operation->amount;
        summary->sizes[size_class(operation->amount)]++;
        summary->to_itself += operation->peer == rank;
    } else if (operation->kind == GRAPH_RECV) {
        summary->wildcards += operation->peer == GRAPH_ANY || operation->tag == GRAPH_ANY;
    }
}

void graph_summary_of(const struct program *program, struct graph_summary *summary)
{
    *summary = (struct graph_summary){.depth = 0};
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++)
            add_operation(summary, &about->operations[i], rank);
        measure(about, summary);
    }
}

/* -------------------------------------------------------------------- check */

/* A send or a receive, then all of a channel. The channels of a mailbox are one, with GRAPH_ANY. */
struct channel {
    uint32_t destination, source, tag;
    uint32_t rank, operation; /* the first of it */
    uint64_t sends, receives;
    sum_t sent, received;
};

struct channels {
    struct channel *at;
    size_t count, capacity;
};

static int compare(const void *left, const void *right)
{
    const struct channel *a = left, *b = right;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

/* Equal channels become one, with the first operation. */
static void unite(struct channels *channels)
{
    size_t kept = 0;
    if (!channels->count)
        return;
    qsort(channels->at, channels->count, sizeof *channels->at, compare);
    for (size_t i = 0; i < channels->count; i++) {
        struct channel *last = &channels->at[kept ? kept - 1 : 0], *next = &channels->at[i];
        if (kept && last->destination == next->destination && last->source == next->source &&
            last->tag == next->tag) {
            last->sends += next->sends;
            last->receives += next->receives;
            last->sent += next->sent;
            last->received += next->received;
        } else {
            channels->at[kept++] = *next;
        }
    }
    channels->count = kept;
}

static void add_channel(struct channels *channels, const struct channel *channel)
{
    /* Many messages have few channels. */
    if (channels->count == channels->capacity && channels->count) {
        unite(channels);
        if (channels->count * 2 > channels->capacity)
            channels->at = mem_grow(channels->at, &channels->capacity, channels->capacity + 1, "channels");
    }
    channels->at = mem_grow(channels->at, &channels->capacity, channels->count + 1, "channels");
    channels->at[channels->count++] = *channel;
}

static void gather(const struct program *program, uint32_t rank, const bool *has_any,
                   struct channels *channels)
{
    const struct graph_rank *about = &program->graph->ranks[rank];
    for (uint32_t i = 0; i < about->count; i++) {
        const struct graph_operation *operation = &about->operations[i];
        bool is_send = operation->kind == GRAPH_SEND;
        if (!is_send && operation->kind != GRAPH_RECV)
            continue;
        struct channel channel = {.destination = is_send ? operation->peer : rank,
                                  .source = is_send ? rank : operation->peer,
                                  .tag = operation->tag,
                                  .rank = rank,
                                  .operation = i,
                                  .sends = is_send,
                                  .receives = !is_send,
                                  .sent = is_send ? operation->amount : 0,
                                  .received = is_send ? 0 : operation->amount};
        if (has_any[channel.destination])
            channel.source = channel.tag = GRAPH_ANY;
        add_channel(channels, &channel);
    }
}

static void find_any(const struct program *program, bool *has_any)
{
    for (uint32_t rank = 0; program->graph->has_any && rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++) {
            const struct graph_operation *operation = &about->operations[i];
            if (operation->kind == GRAPH_RECV)
                has_any[rank] |= operation->peer == GRAPH_ANY || operation->tag == GRAPH_ANY;
            else if (operation->kind == GRAPH_SEND && operation->tag == GRAPH_ANY)
                has_any[operation->peer] = true;
        }
    }
}

static void report(const struct program *program, const struct channel *channel)
{
    const struct graph *graph = program->graph;
    struct call_place at = graph->place(program, channel->rank, channel->operation);
    const struct diag_place place = {.file = at.file, .line = at.line};
    if (channel->source == GRAPH_ANY)
        diag_report(DIAG_ERROR, &place,
                    "rank %u, which receives from any rank or with any tag, receives %llu messages, and %llu "
                    "are sent to it",
                    channel->destination, (unsigned long long)channel->receives,
                    (unsigned long long)channel->sends);
    else
        diag_report(DIAG_ERROR, &place,
                    "rank %u sends %llu messages with tag %u to rank %u, which receives %llu of them",
                    channel->source, (unsigned long long)channel->sends, channel->tag, channel->destination,
                    (unsigned long long)channel->receives);
}

static void compare_channel(const struct program *program, const struct channel *channel,
                            struct graph_check *check)
{
    bool is_mailbox = channel->source == GRAPH_ANY;
    check->channels += !is_mailbox;
    check->mailboxes += is_mailbox;
    if (channel->sends != channel->receives) {
        if (check->unmatched++ < CHECK_MOST_REPORTS)
            report(program, channel);
    } else if (channel->sent != channel->received) {
        check->unequal += !is_mailbox;
    }
}

bool graph_check(const struct program *program, struct graph_check *check)
{
    struct channels channels = {.at = NULL};
    bool *has_any = mem_alloc(program->ranks, sizeof *has_any, "ranks");
    *check = (struct graph_check){.channels = 0};
    find_any(program, has_any);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        gather(program, rank, has_any, &channels);
    unite(&channels);
    for (size_t i = 0; i < channels.count; i++)
        compare_channel(program, &channels.at[i], check);
    if (check->unmatched > CHECK_MOST_REPORTS)
        diag_note("and %llu more", (unsigned long long)(check->unmatched - CHECK_MOST_REPORTS));
    free(channels.at);
    free(has_any);
    return !check->unmatched;
}
