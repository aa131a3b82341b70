#include "trace/edit/loops.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/edit/pieces.h"
#include "workload/repetition.h"

bool loops_have(const struct call *call)
{
    return call->op != CALL_COMPUTE && call->op != CALL_SLEEP && call->op != CALL_NOTHING;
}

static uint64_t symbol_of(const struct call *call)
{
    uint64_t hash = hash_add(call->op, call->flags);
    hash = hash_add(hash, (uint64_t)(uint32_t)call->peer << 32 | (uint32_t)call->source);
    hash = hash_add(hash, (uint64_t)(uint32_t)call->tag << 32 | call->context);
    return call->op == CALL_SENDRECV ? hash_add(hash, call->expected) : hash;
}

/* The symbols of a rank's calls, one after another. */
struct symbols {
    uint64_t *of; /* per distinct call */
    size_t of_capacity;
    uint64_t *list;
    size_t count, capacity;
};

static void list_symbols(const struct compiled_trace *source, uint32_t rank, struct symbols *symbols)
{
    const struct call *calls = compiled_calls(source, rank);
    const uint32_t *tokens = compiled_tokens(source, rank);
    uint64_t distinct = source->ranks[rank].calls.count;
    struct rank_piece body = piece_body(source, rank);
    symbols->of = mem_grow(symbols->of, &symbols->of_capacity, distinct, "distinct calls");
    symbols->list = mem_grow(symbols->list, &symbols->capacity, body.to - body.from + 1, "calls of a rank");
    symbols->count = 0;
    for (uint64_t i = 0; i < distinct; i++)
        symbols->of[i] = symbol_of(&calls[i]);
    for (uint64_t at = body.from; at < body.to; at++)
        if (!(tokens[at] & TOKEN_COMPUTE) && loops_have(&calls[tokens[at]]))
            symbols->list[symbols->count++] = symbols->of[tokens[at]];
}

/* All ranks get as many repeats as the rank with the fewest: two that others make are one of theirs. */
static void make_equal(struct loops *loops, const uint64_t *repeats, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct loop *loop = &loops->of[rank];
        uint64_t together = loops->repeats ? repeats[rank] / loops->repeats : 0;
        loop->rest = (repeats[rank] - together * loops->repeats) * loop->period;
        loop->period *= together;
    }
}

enum status loops_find(const struct compiled_trace *source, struct loops *loops, uint32_t *lacking)
{
    const uint32_t ranks = source->program.ranks;
    struct symbols symbols = {0};
    uint64_t *repeats = mem_alloc(ranks, sizeof *repeats, "loops");
    enum status status = STATUS_OK;
    *loops = (struct loops){.of = mem_alloc(ranks, sizeof *loops->of, "loops")};
    for (uint32_t rank = 0; status == STATUS_OK && rank < ranks; rank++) {
        struct repetition found;
        list_symbols(source, rank, &symbols);
        if (!symbols.count)
            continue;
        *lacking = rank;
        if (!repetition_find(symbols.list, symbols.count, NULL, &found) ||
            found.period * found.repeats < symbols.count / 2) {
            status = STATUS_BAD_INPUT;
            break;
        }
        loops->of[rank] = (struct loop){.start = found.start, .period = found.period};
        repeats[rank] = found.repeats;
        if (!loops->repeats || found.repeats < loops->repeats)
            loops->repeats = found.repeats;
    }
    if (status == STATUS_OK && !loops->repeats)
        status = STATUS_BAD_INPUT;
    make_equal(loops, repeats, ranks);
    free(repeats);
    free(symbols.of);
    free(symbols.list);
    return status;
}

void loops_free(struct loops *loops)
{
    free(loops->of);
}

bool loops_align_ends(struct loops *loops, uint32_t ranks)
{
    bool changed = false;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        changed |= loops->of[rank].rest > 0;
        loops->of[rank].start += loops->of[rank].rest;
        loops->of[rank].rest = 0;
    }
    return changed;
}
