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

static void step_send(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span from)
{
    sink_of(steps)->send(sink_of(steps), peer, span_from(from));
}

static void step_recv(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span into)
{
    sink_of(steps)->recv(sink_of(steps), peer, span_from(into));
}

/* Local steps of no bytes are left out, as coll.h asks. */
static void step_copy(struct heliograph_steps *steps, struct heliograph_span from,
                      struct heliograph_span into)
{
    if (from.bytes)
        sink_of(steps)->copy(sink_of(steps), span_from(from), span_from(into));
}

static void step_reduce(struct heliograph_steps *steps, struct heliograph_span from,
                        struct heliograph_span into)
{
    if (from.bytes)
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
    const struct heliograph_collective *functions = ((const struct plugin_collective *)self)->functions;
    const struct heliograph_collective_call seen = call_of(call);
    struct plugin_steps steps = {.steps = {.struct_size = sizeof steps.steps,
                                           .send = step_send,
                                           .recv = step_recv,
                                           .copy = step_copy,
                                           .reduce = step_reduce},
                                 .sink = sink};
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
    return is_right(entry) ? coll_add(&entry->algorithm) : STATUS_BAD_INPUT;
}
