#include "coll/compose.h"

struct mapping_sink {
    struct coll_sink base;
    struct coll_sink *whole;
    const struct compose_part *part;
};

static struct coll_span placed(const struct coll_sink *sink, struct coll_span span)
{
    const struct compose_part *part = ((const struct mapping_sink *)sink)->part;
    const struct compose_place *place = span.buffer == COLL_SEND_BUFFER   ? &part->send
                                        : span.buffer == COLL_RECV_BUFFER ? &part->recv
                                                                          : &part->scratch;
    return (struct coll_span){place->buffer, place->offset + span.offset, span.bytes};
}

static struct coll_sink *whole_of(struct coll_sink *sink)
{
    return ((struct mapping_sink *)sink)->whole;
}

static void send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    whole_of(sink)->send(whole_of(sink), peer, placed(sink, from));
}

static void recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    whole_of(sink)->recv(whole_of(sink), peer, placed(sink, into));
}

static bool is_same(struct coll_span a, struct coll_span b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

/* What both parts call a copy may be one place in the whole. */
static void copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if (!is_same(placed(sink, from), placed(sink, into)))
        whole_of(sink)->copy(whole_of(sink), placed(sink, from), placed(sink, into));
}

static void reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    whole_of(sink)->reduce(whole_of(sink), placed(sink, from), placed(sink, into));
}

static bool emit_part(const struct compose_part *part, uint32_t phase, struct coll_sink *whole)
{
    struct mapping_sink sink = {
        .base = {.send = send, .recv = recv, .copy = copy, .reduce = reduce, .local = whole->local},
        .whole = whole,
        .part = part};
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
    return part->algorithm->emit(&part->call, phase, &sink);
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

bool compose_emit(const struct compose_part *first, const struct compose_part *second, uint32_t phase,
                  struct coll_sink *sink)
{
    if (emit_part(first, phase, sink))
        return true;
    return emit_part(second, phase - phases_of(first), sink);
}
