#include <stdio.h>

#include "coll/prover.h"

/* ------------------------------------------------------------------- checks */

/* The cells of a span; a token has none. Returns false if the span leaves its buffer or cuts an element. */
static bool span_cells(struct prover *prover, const struct proof_step *step, struct coll_span span,
                       struct proof_cell **cells, uint64_t *count)
{
    *cells = NULL;
    *count = 0;
    if (span.buffer == COLL_TOKEN)
        return true;
    const struct proof_buffer *buffer = &prover->ranks[step->rank].buffers[span.buffer];
    uint64_t element = prover->world->element_bytes;
    if (span.offset > buffer->bytes || span.bytes > buffer->bytes - span.offset) {
        prover_fail(prover, step, "leaves the %s, which has %llu B", prover_buffer_name(span.buffer),
                    (unsigned long long)buffer->bytes);
        return false;
    }
    if (span.bytes > 0 && (span.offset % element != 0 || span.bytes % element != 0)) {
        prover_fail(prover, step, "cuts an element of %llu B", (unsigned long long)element);
        return false;
    }
    *cells = buffer->cells + span.offset / element;
    *count = span.bytes / element;
    return true;
}

static bool fail_hazard(struct prover *prover, const struct proof_step *step, uint32_t mark, const char *what)
{
    uint32_t first = prover->ranks[step->rank].phase_first;
    prover_fail(prover, step, "%s memory that step %u of this phase has posted", what, mark - first);
    return false;
}

static bool is_written(struct prover *prover, const struct proof_step *step, const struct proof_cell *cells,
                       uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (cells[i].set == RANK_SET_NONE) {
            prover_fail(prover, step, "reads memory that no step has written");
            return false;
        }
    return true;
}

static bool may_read(struct prover *prover, const struct proof_step *step, const struct coll_span *span,
                     const struct proof_cell *cells, uint64_t count)
{
    uint32_t first = prover->ranks[step->rank].phase_first;
    bool shared = span->buffer == COLL_SHARED;
    if (shared && !prover_order_access(prover, step, span, ORDER_READ))
        return false;
    for (uint64_t i = 0; i < count && !shared; i++)
        if (cells[i].receiving >= first)
            return fail_hazard(prover, step, cells[i].receiving, "reads");
    return is_written(prover, step, cells, count);
}

static bool may_write(struct prover *prover, const struct proof_step *step, const struct proof_cell *cells,
                      uint64_t count)
{
    uint32_t first = prover->ranks[step->rank].phase_first;
    if (step->into.buffer == COLL_SEND_BUFFER) {
        prover_fail(prover, step, "writes the send buffer");
        return false;
    }
    if (step->into.buffer == COLL_SHARED)
        return prover_order_access(prover, step, &step->into, ORDER_WRITE);
    for (uint64_t i = 0; i < count; i++) {
        if (cells[i].receiving >= first)
            return fail_hazard(prover, step, cells[i].receiving, "writes");
        if (cells[i].sending >= first)
            return fail_hazard(prover, step, cells[i].sending, "writes");
    }
    return true;
}

/* ------------------------------------------------------------------ effects */

bool prover_post(struct prover *prover, const struct proof_step *step)
{
    uint32_t mark = prover->ranks[step->rank].phase_first + step->index;
    struct proof_cell *cells;
    uint64_t count;
    if (step->kind == STEP_SEND) {
        if (!span_cells(prover, step, step->from, &cells, &count) ||
            !may_read(prover, step, &step->from, cells, count))
            return false;
        for (uint64_t i = 0; i < count && step->from.buffer != COLL_SHARED; i++)
            cells[i].sending = mark;
        return true;
    }
    if (!span_cells(prover, step, step->into, &cells, &count) || !may_write(prover, step, cells, count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (step->into.buffer != COLL_SHARED)
            cells[i].receiving = mark;
        cells[i].set = RANK_SET_NONE;
    }
    return true;
}

void prover_deliver(struct prover *prover, const struct proof_step *send, const struct proof_step *recv)
{
    struct proof_cell *from, *into;
    uint64_t count, room;
    if (!span_cells(prover, send, send->from, &from, &count) ||
        !span_cells(prover, recv, recv->into, &into, &room))
        return;
    bool is_token = send->from.buffer == COLL_TOKEN;
    if (send->from.bytes != recv->into.bytes || is_token != (recv->into.buffer == COLL_TOKEN)) {
        char text[160];
        prover_fail(prover, recv, "matches a %s", prover_describe(send, text, sizeof text));
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        into[i].set = from[i].set;
        into[i].at = from[i].at;
    }
}

static bool add(struct prover *prover, const struct proof_step *step, const struct proof_cell *from,
                struct proof_cell *into)
{
    if (from->at != into->at) {
        prover_fail(prover, step, "adds element %u to element %u", from->at, into->at);
        return false;
    }
    uint32_t sum = rank_sets_join(&prover->sets, from->set, into->set);
    if (sum == RANK_SET_NONE) {
        prover_fail(prover, step, "counts rank %u's element %u twice",
                    rank_sets_common(&prover->sets, from->set, into->set), from->at);
        return false;
    }
    into->set = sum;
    return true;
}

static bool overlap(const struct coll_span *a, const struct coll_span *b)
{
    return a->buffer == b->buffer && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

bool prover_local(struct prover *prover, const struct proof_step *step)
{
    struct proof_cell *from, *into;
    uint64_t count, room;
    if (!span_cells(prover, step, step->from, &from, &count) ||
        !span_cells(prover, step, step->into, &into, &room))
        return false;
    if (step->from.buffer == COLL_TOKEN || step->into.buffer == COLL_TOKEN) {
        prover_fail(prover, step, "needs data, and a token has none");
        return false;
    }
    if (count != room || overlap(&step->from, &step->into)) {
        prover_fail(prover, step,
                    count != room ? "source and destination differ in length" : "overlaps itself");
        return false;
    }
    if (!may_read(prover, step, &step->from, from, count) || !may_write(prover, step, into, count))
        return false;
    /* Who may write there, may read as well. */
    if (step->kind == STEP_REDUCE && !is_written(prover, step, into, count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (step->kind == STEP_COPY) {
            into[i].set = from[i].set;
            into[i].at = from[i].at;
        } else if (!add(prover, step, &from[i], &into[i])) {
            return false;
        }
    }
    return true;
}
