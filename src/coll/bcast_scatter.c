#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/passing.h"
#include "coll/tree.h"

/* Broadcast as a binomial scatter and an allgather, as MPI libraries do it: parts are rounded up to whole
 * elements, so the last ones may be short or empty, and a part without bytes is not scattered. Virtual ranks
 * count from the root, and part v is that of virtual rank v. The root takes part in the allgather; what it
 * receives there, it has already, and puts into scratch. */
struct scattered {
    const struct coll_call *call;
    struct tree tree;
    struct blocks parts;
    uint32_t v;
};

static struct scattered scattered_of(const struct coll_call *call)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    return (struct scattered){.call = call,
                              .tree = tree,
                              .parts = blocks_rounded_up(call->size, call->bytes, call->element),
                              .v = tree.virtual_rank};
}

static uint32_t actual(const struct scattered *self, uint32_t virtual_rank)
{
    return ring_up(self->call->root, virtual_rank, self->call->size);
}

/* The parts of virtual ranks first ... first + count - 1, as far as these are ranks. */
static struct coll_span parts_of(const struct scattered *self, enum coll_buffer buffer, uint32_t first,
                                 uint32_t count)
{
    uint32_t left = self->call->size - first;
    return blocks_span(&self->parts, buffer, first, count < left ? count : left);
}

static struct coll_span held(const struct scattered *self, uint32_t first, uint32_t count)
{
    return parts_of(self, self->v == 0 ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, first, count);
}

static struct coll_span received(const struct scattered *self, uint32_t first, uint32_t count)
{
    return parts_of(self, self->v == 0 ? COLL_SCRATCH : COLL_RECV_BUFFER, first, count);
}

static void scatter(const struct scattered *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = self->v, size = self->call->size;
    if (v > 0 && phase-- == 0) {
        struct coll_span mine = held(self, v, tree_subtree(v, size));
        if (mine.bytes > 0)
            sink->recv(sink, tree_parent(&self->tree), mine);
        return;
    }
    uint32_t child = self->tree.children - 1 - phase, first = v + (UINT32_C(1) << child);
    struct coll_span theirs = held(self, first, tree_subtree(first, size));
    if (theirs.bytes > 0)
        sink->send(sink, tree_child(&self->tree, child), theirs);
}

static uint64_t root_scratch(const struct coll_call *call)
{
    return call->rank == call->root && call->size > 1 ? call->bytes : 0;
}

/* --------------------------------------------------------------------- ring */

static bool scatter_ring(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct scattered self = scattered_of(call);
    uint32_t size = call->size, before = tree_bcast_phases(&self.tree);
    if (phase < before) {
        scatter(&self, phase, sink);
        return true;
    }
    uint32_t step = phase - before;
    if (step >= size - 1)
        return false;
    uint32_t outgoing = ring_down(self.v, step, size);
    step_exchange(sink, ring_up(call->rank, 1, size), held(&self, outgoing, 1),
                  ring_down(call->rank, 1, size), received(&self, ring_down(outgoing, 1, size), 1));
    return true;
}

const struct coll_algorithm coll_bcast_scatter_ring = {
    .kind = COLL_BCAST,
    .name = "scatter-ring",
    .doc = "binomial scatter, then a ring of all ranks: P-1 + P(P-1) messages; any P (MPICH: "
           "scatter_ring_allgather)",
    .emit = scatter_ring,
    .scratch = root_scratch,
};

/* ------------------------------------------------------- recursive doubling */

static void exchange(const struct scattered *self, uint32_t distance, struct coll_sink *sink)
{
    uint32_t v = self->v, partner = v ^ distance, mine = v & ~(distance - 1);
    if (partner >= self->call->size)
        return;
    uint32_t peer = actual(self, partner);
    step_exchange(sink, peer, held(self, mine, distance), peer, received(self, mine ^ distance, distance));
}

static void pass_on(const struct scattered *self, uint32_t distance, uint32_t over, struct coll_sink *sink)
{
    struct passing passing = passing_of(self->v, self->call->size, distance, over);
    if (passing.role == PASSING_SENDS)
        sink->send(sink, actual(self, passing.peer), held(self, passing.theirs, distance));
    else if (passing.role == PASSING_RECEIVES)
        sink->recv(sink, actual(self, passing.peer), received(self, passing.theirs, distance));
}

static bool scatter_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct scattered self = scattered_of(call);
    uint32_t before = tree_bcast_phases(&self.tree), step, passed;
    if (phase < before) {
        scatter(&self, phase, sink);
        return true;
    }
    if (!passing_step(phase - before, log2_ceil(call->size), &step, &passed))
        return false;
    if (passed == 0)
        exchange(&self, UINT32_C(1) << step, sink);
    else
        pass_on(&self, UINT32_C(1) << step, UINT32_C(1) << (step - passed), sink);
    return true;
}

const struct coll_algorithm coll_bcast_scatter_doubling = {
    .kind = COLL_BCAST,
    .name = "scatter-doubling",
    .doc = "binomial scatter, then recursive doubling: P-1 + P log2 P messages for powers of two; any P "
           "(Thakur, Rabenseifner, Gropp 2005; MPICH: scatter_recursive_doubling_allgather)",
    .emit = scatter_doubling,
    .scratch = root_scratch,
};
