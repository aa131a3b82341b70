#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "coll/coll.h"
#include "coll/prove.h"
#include "plugin/plugin.h"

/* A collective algorithm of the public header as one of coll/coll.h, which the prover has to find right
 * first. */

struct plugin_collective {
    struct coll_external external; /* first: its functions are given it */
    struct coll_algorithm algorithm;
    const struct heliograph_collective *functions;
};

struct plugin_steps {
    struct heliograph_steps steps; /* first: the plug-in is given it */
    struct coll_sink *sink;
    const struct coll_call *call;
    const struct coll_algorithm *algorithm;
    bool is_wrong;
};

_Static_assert((int)HELIOGRAPH_KIND_EXSCAN == (int)COLL_EXSCAN &&
                   (int)HELIOGRAPH_SCRATCH == (int)COLL_SCRATCH,
               "kinds and buffers have the same numbers on both sides");

static struct coll_span span_from(struct heliograph_span span)
{
    return (struct coll_span){
        .buffer = (enum coll_buffer)span.buffer, .offset = span.offset, .bytes = span.bytes};
}

static struct coll_sink *sink_of(struct heliograph_steps *steps)
{
    return ((struct plugin_steps *)steps)->sink;
}

/* A wrong step becomes a receive from the rank itself. The prover refuses that, and a run deadlocks, so both
 * fail: the prover tries 17 ranks, and an algorithm may be wrong for more. */
static bool is_step(struct heliograph_steps *steps, bool has_peer, uint32_t peer, struct heliograph_span span)
{
    struct plugin_steps *self = (struct plugin_steps *)steps;
    const struct coll_call *call = self->call;
    bool is_good_peer = !has_peer || (peer < call->size && peer != call->rank);
    bool is_good_buffer = (unsigned)span.buffer <= HELIOGRAPH_SCRATCH;
    if (is_good_peer && is_good_buffer && !self->is_wrong)
        return true;
    if (self->is_wrong)
        return false;
    self->is_wrong = true;
    if (!is_good_peer)
        diag_error("the algorithm %s of %s: rank %u of %u names rank %u as its peer", self->algorithm->name,
                   coll_kind_name(self->algorithm->kind), call->rank, call->size, peer);
    else
        diag_error("the algorithm %s of %s: rank %u names buffer %d; there are %d to %d",
                   self->algorithm->name, coll_kind_name(self->algorithm->kind), call->rank, (int)span.buffer,
                   (int)HELIOGRAPH_SEND_BUFFER, (int)HELIOGRAPH_SCRATCH);
    self->sink->recv(self->sink, call->rank, (struct coll_span){.buffer = COLL_RECV_BUFFER});
    return false;
}

static void step_send(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span from)
{
    if (is_step(steps, true, peer, from))
        sink_of(steps)->send(sink_of(steps), peer, span_from(from));
}

static void step_recv(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span into)
{
    if (is_step(steps, true, peer, into))
        sink_of(steps)->recv(sink_of(steps), peer, span_from(into));
}

/* Local steps of no bytes are left out, as coll.h asks. */
static void step_copy(struct heliograph_steps *steps, struct heliograph_span from,
                      struct heliograph_span into)
{
    if (from.bytes && is_step(steps, false, 0, from) && is_step(steps, false, 0, into))
        sink_of(steps)->copy(sink_of(steps), span_from(from), span_from(into));
}

static void step_reduce(struct heliograph_steps *steps, struct heliograph_span from,
                        struct heliograph_span into)
{
    if (from.bytes && is_step(steps, false, 0, from) && is_step(steps, false, 0, into))
        sink_of(steps)->reduce(sink_of(steps), span_from(from), span_from(into));
}

static struct heliograph_collective_call call_of(const struct coll_call *call)
{
    return (struct heliograph_collective_call){.size = call->size,
                                               .rank = call->rank,
                                               .root = call->root,
                                               .element = call->element,
                                               .bytes = call->bytes,
                                               .send_bytes = call->send_bytes,
                                               .recv_bytes = call->recv_bytes};
}

static bool emit(const struct coll_external *self, const struct coll_call *call, uint32_t phase,
                 struct coll_sink *sink)
{
    const struct plugin_collective *entry = (const struct plugin_collective *)self;
    const struct heliograph_collective *functions = entry->functions;
    const struct heliograph_collective_call seen = call_of(call);
    struct plugin_steps steps = {.steps = {.struct_size = sizeof steps.steps,
                                           .send = step_send,
                                           .recv = step_recv,
                                           .copy = step_copy,
                                           .reduce = step_reduce},
                                 .sink = sink,
                                 .call = call,
                                 .algorithm = &entry->algorithm};
    return functions->emit(functions->self, &seen, phase, &steps.steps) != 0;
}

static uint64_t scratch(const struct coll_external *self, const struct coll_call *call)
{
    const struct heliograph_collective *functions = ((const struct plugin_collective *)self)->functions;
    const struct heliograph_collective_call seen = call_of(call);
    return functions->scratch ? functions->scratch(functions->self, &seen) : 0;
}

/* ----------------------------------------------------------------- proving */

static bool is_right_for(const struct plugin_collective *entry, uint32_t size, uint32_t root, uint64_t bytes)
{
    struct coll_proof proof;
    const struct coll_world world = {.size = size, .root = root, .element_bytes = 8, .bytes = bytes};
    if (coll_prove(&entry->algorithm, &world, &proof))
        return true;
    diag_error("the algorithm %s of %s is wrong for %u ranks, root %u, %llu bytes in elements of 8: %s",
               entry->algorithm.name, coll_kind_name(entry->algorithm.kind), size, root,
               (unsigned long long)bytes, proof.problem);
    return false;
}

/* Powers of two and other numbers of ranks; vectors shorter than the ranks, and longer. */
static bool is_right(const struct plugin_collective *entry)
{
    static const uint64_t bytes[] = {0, 8, 8 * 3, 8 * 40};
    for (uint32_t size = 1; size <= 17; size++)
        for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
            if (!is_right_for(entry, size, 0, bytes[i]) || !is_right_for(entry, size, size - 1, bytes[i]))
                return false;
    return true;
}

enum status plugin_register_collective(const struct heliograph_collective *collective)
{
    size_t least = offsetof(struct heliograph_collective, emit) + sizeof collective->emit;
    if (!plugin_struct_is_valid("a collective algorithm", collective->struct_size, least, collective->name,
                                collective->doc))
        return STATUS_BAD_INPUT;
    if (!collective->emit || (unsigned)collective->kind >= COLL_KINDS) {
        diag_error("the collective algorithm %s needs a kind, and the function emit", collective->name);
        return STATUS_BAD_INPUT;
    }
    struct plugin_collective *entry = mem_alloc(1, sizeof *entry, "a collective algorithm");
    struct heliograph_collective *copy = plugin_copy(collective, collective->struct_size, sizeof *copy);
    *entry = (struct plugin_collective){.external = {.emit = emit, .scratch = scratch},
                                        .algorithm = {.kind = (enum coll_kind)copy->kind,
                                                      .name = mem_text(copy->name),
                                                      .doc = mem_text(copy->doc),
                                                      .external = &entry->external},
                                        .functions = copy};
    enum status status = is_right(entry) ? coll_add(&entry->algorithm) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        return status;
    free((char *)entry->algorithm.name);
    free((char *)entry->algorithm.doc);
    free(entry);
    free(copy);
    return status;
}
