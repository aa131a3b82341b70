#include "trace/bursts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/image/number.h"

struct recorded_burst {
    bool is_one;
    int64_t lasted_ns, used_ns, instructions; /* instructions -1: not counted */
};

/* "comm_size #burst 1500 1200 4000" */
static struct recorded_burst read_burst(const char *text, size_t length)
{
    static const char mark[] = "comm_size #burst ";
    const size_t size = sizeof mark - 1;
    const char *end = text + length, *at;
    struct recorded_burst burst = {.instructions = -1};
    if (length < size || memcmp(text, mark, size) != 0)
        return burst;
    at = number_integer(text + size, end, &burst.lasted_ns);
    if (at && at < end)
        at = number_integer(at + 1, end, &burst.used_ns);
    burst.is_one = at && burst.lasted_ns >= burst.used_ns && burst.used_ns >= 0;
    if (at && at < end && !number_integer(at + 1, end, &burst.instructions))
        burst.instructions = -1;
    return burst;
}

static void add(struct trace_bursts *bursts, const struct recorded_burst *burst)
{
    bursts->count++;
    bursts->lasted_ns += (uint64_t)burst->lasted_ns;
    bursts->used_ns += (uint64_t)burst->used_ns;
    bursts->late += burst->lasted_ns - burst->used_ns > burst->used_ns;
    if (burst->instructions < 0)
        return;
    bursts->instructions += (uint64_t)burst->instructions;
    bursts->counted++;
    bursts->counted_ns += (uint64_t)burst->used_ns;
}

static void add_rank(struct trace_bursts *bursts, const struct compiled_trace *compiled, uint32_t rank)
{
    const uint64_t count = compiled->ranks[rank].calls.count;
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    const struct call *calls = compiled_calls(compiled, rank);
    const uint64_t lasted_ns = bursts->lasted_ns, used_ns = bursts->used_ns;
    struct recorded_burst *known = mem_alloc(count, sizeof *known, "bursts of computation");
    for (uint32_t call = 0; call < count; call++) {
        size_t length;
        const char *text =
            calls[call].op == CALL_NOTHING ? compiled_text(compiled, rank, call, &length) : NULL;
        if (text)
            known[call] = read_burst(text, length);
    }
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++)
        if (!(tokens[i] & TOKEN_COMPUTE) && known[tokens[i]].is_one)
            add(bursts, &known[tokens[i]]);
    free(known);
    const double lasted = (double)(bursts->lasted_ns - lasted_ns), used = (double)(bursts->used_ns - used_ns);
    if (lasted > 0 && (lasted - used) / lasted > bursts->worst_fraction) {
        bursts->worst = rank;
        bursts->worst_fraction = (lasted - used) / lasted;
    }
}

bool trace_bursts_of(const struct compiled_trace *compiled, struct trace_bursts *bursts)
{
    *bursts = (struct trace_bursts){.count = 0};
    if (compiled->header->flags & IMAGE_TEXTS_ARE_FREE) /* of another format */
        return false;
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++)
        add_rank(bursts, compiled, rank);
    return bursts->count > 0;
}
