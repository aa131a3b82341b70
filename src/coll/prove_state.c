#include <stdarg.h>
#include <stdio.h>

#include "coll/prover.h"

static const char *const buffer_names[] = {[COLL_SEND_BUFFER] = "send buffer",
                                           [COLL_RECV_BUFFER] = "receive buffer",
                                           [COLL_SCRATCH] = "scratch",
                                           [COLL_SHARED] = "shared memory",
                                           [COLL_TOKEN] = "token"};

const char *prover_buffer_name(enum coll_buffer buffer)
{
    return buffer_names[buffer];
}

const char *prover_describe(const struct proof_step *step, char *buffer, size_t size)
{
    const struct coll_span *from = &step->from, *into = &step->into;
    const char *from_name = buffer_names[from->buffer], *into_name = buffer_names[into->buffer];
    unsigned long long bytes = from->bytes, from_at = from->offset, into_at = into->offset;
    switch (step->kind) {
    case STEP_SEND:
        snprintf(buffer, size, "send of %llu B to rank %u from %s+%llu", bytes, step->peer, from_name,
                 from_at);
        break;
    case STEP_RECV:
        snprintf(buffer, size, "recv of %llu B from rank %u into %s+%llu", (unsigned long long)into->bytes,
                 step->peer, into_name, into_at);
        break;
    case STEP_BARRIER:
        snprintf(buffer, size, "barrier");
        break;
    case STEP_RAISE:
    case STEP_AWAIT:
        snprintf(buffer, size, "%s flag %u", step->kind == STEP_RAISE ? "raise of" : "wait for", step->flag);
        break;
    default:
        snprintf(buffer, size, "%s of %llu B from %s+%llu into %s+%llu",
                 step->kind == STEP_COPY ? "copy" : "reduce", bytes, from_name, from_at, into_name, into_at);
    }
    return buffer;
}

void prover_fail(struct prover *prover, const struct proof_step *step, const char *format, ...)
{
    char *text = prover->proof->problem, place[192];
    size_t size = sizeof prover->proof->problem, length = 0;
    if (prover->failed)
        return;
    prover->failed = true;
    if (step)
        length = (size_t)snprintf(text, size, "rank %u, phase %u, step %u: %s ", step->rank, step->phase,
                                  step->index, prover_describe(step, place, sizeof place));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

void prover_begin_waiting(struct prover *prover, uint32_t rank)
{
    prover->ranks[rank].pending++;
}

void prover_end_waiting(struct prover *prover, uint32_t rank, uint32_t round)
{
    struct proof_rank *self = &prover->ranks[rank];
    self->phase_end = round > self->phase_end ? round : self->phase_end;
    if (--self->pending == 0)
        prover->ready[prover->ready_count++] = rank;
}
