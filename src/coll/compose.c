#include "coll/compose.h"

struct compose_part compose_part_of(const struct coll_call *whole, const struct team *team,
                                    enum coll_kind kind, uint64_t bytes)
{
    struct compose_part part = {.call = *whole,
                                .team = team,
                                .send = {COLL_SEND_BUFFER, 0, 0},
                                .recv = {COLL_RECV_BUFFER, 0, 0},
                                .scratch = {COLL_SCRATCH, 0, 0}};
    if (team) {
        part.call.size = team->size;
        part.call.rank = team->rank;
    }
    part.call.kind = kind;
    part.call.root = 0;
    part.call.bytes = bytes;
    part.call.send_bytes = part.call.recv_bytes = NULL;
    part.call.nodes = NULL;
    return part;
}

static bool emit_message(const struct compose_part *part, uint32_t phase, struct coll_sink *whole)
{
    uint64_t bytes = part->call.bytes;
    if (phase > 0 || (part->call.rank != part->from && part->call.rank != part->to))
        return false;
    if (part->call.rank == part->from)
        whole->send(whole, part->to, span_of(part->send.buffer, part->send.offset, bytes));
    else
        whole->recv(whole, part->from, span_of(part->recv.buffer, part->recv.offset, bytes));
    return true;
}

static bool emit_sum(const struct compose_part *part, uint32_t phase, struct coll_sink *whole)
{
    uint64_t bytes = part->call.bytes;
    if (phase == 0)
        step_reduce(whole, span_of(part->send.buffer, part->send.offset, bytes),
                    span_of(part->recv.buffer, part->recv.offset, bytes));
    return phase == 0;
}

static bool emit_part(const struct compose_part *part, uint32_t phase, struct coll_sink *whole)
{
    if (part->is_message)
        return emit_message(part, phase, whole);
    if (part->is_sum)
        return emit_sum(part, phase, whole);
    if (!part->algorithm)
        return false;
    struct team_sink sink = team_sink_of(part->team, whole);
    sink.memory[COLL_SEND_BUFFER] = part->send;
    sink.memory[COLL_RECV_BUFFER] = part->recv;
    sink.memory[COLL_SCRATCH] = part->scratch;
    return part->algorithm->emit(&part->call, phase, &sink.base);
}

/* --------------------------------------------------------- number of phases */

static void ignore_message(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

static bool has_phase(const struct compose_part *part, uint32_t phase)
{
    struct coll_sink sink = {.send = ignore_message, .recv = ignore_message};
    return emit_part(part, phase, &sink);
}

/* Algorithms have all phases up to their last one, so it is found by bisection. */
static uint32_t phases_of(const struct compose_part *part)
{
    uint32_t none = 1;
    while (has_phase(part, none - 1))
        none *= 2;
    uint32_t phases = none / 2; /* there are so many at least, and fewer than `none` */
    while (none - phases > 1) {
        uint32_t middle = phases + (none - phases) / 2;
        if (has_phase(part, middle - 1))
            phases = middle;
        else
            none = middle;
    }
    return phases;
}

bool compose_emit(const struct compose_part *parts, uint32_t count, uint32_t phase, struct coll_sink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        if (emit_part(&parts[i], phase, sink))
            return true;
        if (i < count - 1)
            phase -= phases_of(&parts[i]);
    }
    return false;
}

uint64_t compose_scratch(const struct compose_part *parts, uint32_t count)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct compose_part *part = &parts[i];
        uint64_t bytes = part->algorithm ? coll_scratch(part->algorithm, &part->call) : 0;
        if (part->scratch.offset + bytes > most)
            most = part->scratch.offset + bytes;
    }
    return most;
}
