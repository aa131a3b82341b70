#include "trace/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"

/* Sizes of 2^64 bytes or more count with those of 2^63 or more. */
static uint32_t class_of(sum_t bytes)
{
    uint64_t limited = bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
    return limited ? 64 - (uint32_t)__builtin_clzll(limited) : 0;
}

static void add_messages(struct trace_summary *summary, uint64_t count, sum_t bytes)
{
    summary->messages += count;
    summary->message_bytes += count * bytes;
    if (bytes > SUMMARY_LARGE_BYTES)
        summary->large_messages += count;
    summary->sizes[class_of(bytes)] += count;
}

/* One message of the call's own size to each peer. */
static void add_vector(struct trace_summary *summary, const uint64_t *bytes, uint32_t rank, uint64_t uses)
{
    for (uint32_t peer = 0; peer < summary->ranks; peer++)
        if (peer != rank)
            add_messages(summary, uses, bytes[peer]);
}

/* `bytes` NULL: all blocks have `block` bytes. */
static void add_reduce_scatter(struct trace_summary *summary, const uint64_t *bytes, uint64_t block,
                               uint64_t uses)
{
    sum_t whole = 0;
    for (uint32_t peer = 0; peer < summary->ranks; peer++)
        whole += bytes ? bytes[peer] : block;
    add_messages(summary, uses * (summary->ranks - 1), whole);
    for (uint32_t peer = 1; peer < summary->ranks; peer++)
        add_messages(summary, uses, bytes ? bytes[peer] : block);
}

/* A collective's messages are counted once, at the rank that determines their size: at each sender, at the
 * root, or at rank 0. */
static void add_collective(struct trace_summary *summary, const struct compiled_trace *compiled,
                           uint32_t rank, const struct call *call, uint64_t uses)
{
    const uint64_t *counts = compiled->program.counts;
    uint64_t others = uses * (summary->ranks - 1);
    bool at_root = call->peer == (int32_t)rank;
    switch ((enum call_op)call->op) {
    case CALL_BCAST:
    case CALL_REDUCE:
        add_messages(summary, at_root ? others : 0, call->bytes);
        break;
    case CALL_BARRIER:
    case CALL_ALLREDUCE:
        add_messages(summary, rank ? 0 : 2 * others, call->bytes);
        break;
    case CALL_SCAN:
    case CALL_EXSCAN:
        add_messages(summary, rank ? 0 : others, call->bytes);
        break;
    case CALL_ALLTOALL:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
        add_messages(summary, others, call->bytes);
        break;
    case CALL_ALLTOALLV:
        add_vector(summary, counts + call->send_counts, rank, uses);
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        add_messages(summary, at_root ? 0 : uses, call->bytes);
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        add_messages(summary, at_root ? 0 : uses, call->recv_bytes);
        break;
    case CALL_REDUCE_SCATTER:
        if (!rank)
            add_reduce_scatter(summary, call->recv_counts ? counts + call->recv_counts : NULL,
                               call->recv_bytes, uses);
        break;
    default:
        break;
    }
}

static bool is_wildcard(const struct call *call)
{
    return (call->op == CALL_RECV && (call->peer == CALL_ANY_SOURCE || call->tag == CALL_ANY_TAG)) ||
           (call->op == CALL_SENDRECV && call->source == CALL_ANY_SOURCE);
}

static void add_call(struct trace_summary *summary, const struct compiled_trace *compiled, uint32_t rank,
                     const struct call *call, uint64_t uses)
{
    summary->calls[call->op] += uses;
    if (call->flags & CALL_IMMEDIATE)
        summary->immediate[call->op] += uses;
    if (call_is_collective(call)) {
        summary->collectives += rank ? 0 : uses;
        add_collective(summary, compiled, rank, call, uses);
    } else if (call->op == CALL_SEND || call->op == CALL_SENDRECV) {
        summary->sends += uses;
        summary->send_bytes += (sum_t)uses * call->bytes;
        summary->to_itself += call->peer == (int32_t)rank ? uses : 0;
        add_messages(summary, uses, call->bytes);
    } else if (call->op == CALL_FINALIZE) {
        add_messages(summary, rank ? 0 : uses * 2 * (summary->ranks - 1), 0);
    } else if (call->op == CALL_SLEEP) {
        summary->sleep_total += (double)uses * call->amount;
    }
    if (is_wildcard(call))
        summary->wildcards += uses;
}

/* How often each distinct call of the rank is made. To be freed. */
static uint64_t *uses_of(const struct compiled_trace *compiled, uint32_t rank)
{
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    uint64_t *uses = mem_alloc(compiled->ranks[rank].calls.count + 1, sizeof *uses, "a summary");
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++)
        if (!(tokens[i] & TOKEN_COMPUTE))
            uses[tokens[i]]++;
    uses[TOKEN_BLANK] = 0;
    return uses;
}

static void add_rank(struct trace_summary *summary, const struct compiled_trace *compiled, uint32_t rank)
{
    const struct call *calls = compiled_calls(compiled, rank);
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    const double *amounts = compiled_amounts(compiled, rank);
    uint64_t *uses = uses_of(compiled, rank), wildcards = summary->wildcards;
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++)
        if (tokens[i] & TOKEN_COMPUTE) {
            summary->calls[CALL_COMPUTE]++;
            summary->compute_total += amounts[tokens[i] & ~TOKEN_COMPUTE];
        }
    for (uint64_t i = 0; i < compiled->ranks[rank].calls.count; i++)
        if (uses[i])
            add_call(summary, compiled, rank, &calls[i], uses[i]);
    summary->mailbox_ranks += summary->wildcards != wildcards;
    uint32_t outstanding = compiled->ranks[rank].slots - SLOT_FIRST;
    if (outstanding > summary->outstanding)
        summary->outstanding = outstanding;
    free(uses);
}

void summary_of(const struct compiled_trace *compiled, struct trace_summary *summary)
{
    *summary = (struct trace_summary){.ranks = compiled->program.ranks,
                                      .lines = compiled->header->lines,
                                      .channels = compiled->program.channels};
    progress_begin("counting calls", summary->ranks);
    for (uint32_t rank = 0; rank < summary->ranks; rank++) {
        progress_tell(rank);
        add_rank(summary, compiled, rank);
    }
    progress_end();
}

static void add_sites(struct summary_site *sites, const struct compiled_trace *compiled, uint32_t rank)
{
    const struct program_sites *known = compiled->program.sites;
    const struct call *calls = compiled_calls(compiled, rank);
    uint64_t *uses = uses_of(compiled, rank);
    for (uint64_t i = 0; i < compiled->ranks[rank].calls.count; i++) {
        if (!uses[i])
            continue;
        struct summary_site *site = &sites[known->of(known, rank, &calls[i])];
        struct trace_summary alone = {.ranks = compiled->program.ranks};
        add_call(&alone, compiled, rank, &calls[i], uses[i]);
        site->calls += calls[i].op == CALL_NOTHING ? 0 : uses[i];
        site->bytes += alone.message_bytes;
    }
    free(uses);
}

struct summary_site *summary_sites(const struct compiled_trace *compiled)
{
    if (!compiled->program.sites)
        return NULL;
    struct summary_site *sites = mem_alloc(compiled->program.sites->count, sizeof *sites, "a summary");
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++)
        add_sites(sites, compiled, rank);
    return sites;
}

/* ------------------------------------------------------------------- losses */

static void add_lost(struct summary_losses *losses, const char *name, size_t length, uint64_t calls)
{
    for (size_t i = 0; i < losses->count; i++)
        if (strlen(losses->names[i].name) == length && !memcmp(losses->names[i].name, name, length)) {
            losses->names[i].calls += calls;
            return;
        }
    losses->names = mem_grow(losses->names, &losses->capacity, losses->count + 1, "lost calls");
    losses->names[losses->count++] = (struct summary_lost){mem_format("%.*s", (int)length, name), calls};
}

static int by_name(const void *first, const void *second)
{
    const struct summary_lost *a = first, *b = second;
    return strcmp(a->name, b->name);
}

struct summary_losses summary_lost(const struct compiled_trace *compiled)
{
    static const char unknown[] = "unknown";
    const struct program_lost *lost = compiled->program.lost;
    struct summary_losses losses = {0};
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++) {
        const struct call *calls = compiled_calls(compiled, rank);
        uint64_t *uses = uses_of(compiled, rank);
        for (uint64_t i = 0; i < compiled->ranks[rank].calls.count; i++) {
            size_t length = sizeof unknown - 1;
            if (!uses[i] || calls[i].op != CALL_NOTHING || !(calls[i].flags & CALL_LOST))
                continue;
            const char *name = lost->name(lost, rank, &calls[i], &length);
            add_lost(&losses, name ? name : unknown, name ? length : sizeof unknown - 1, uses[i]);
        }
        free(uses);
    }
    if (losses.count)
        qsort(losses.names, losses.count, sizeof *losses.names, by_name);
    return losses;
}

void summary_lost_free(struct summary_losses *losses)
{
    for (size_t i = 0; i < losses->count; i++)
        free(losses->names[i].name);
    free(losses->names);
}
