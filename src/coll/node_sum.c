#include "coll/node_sum.h"

/* A leader adds at most so many bytes by itself. But no slice is shorter than a cache line. */
enum { LEADER_ADDS_BYTES = 16384, SLICE_BYTES_LEAST = 64 };

struct node_sum node_sum_of(const struct coll_call *call, uint32_t root, uint64_t bytes)
{
    struct node_sum self = {.meet = meet_of(call, root), .bytes = bytes, .staged = bytes};
    uint64_t here = self.meet.place.here, slice = bytes / here;
    self.is_sliced =
        (here - 1) * bytes > LEADER_ADDS_BYTES && slice >= SLICE_BYTES_LEAST && slice >= call->element;
    self.sum = meet_span(&self.meet, 0, bytes);
    return self;
}

/* Positions `first` to `end` of a vector that begins at `vector`, into the sum. */
static void into_sum(const struct node_sum *self, struct coll_span vector, uint64_t first, uint64_t end,
                     void (*step)(struct coll_sink *, struct coll_span, struct coll_span),
                     struct coll_sink *sink)
{
    uint64_t cut = self->split < first ? first : self->split > end ? end : self->split;
    uint64_t at = self->sum.offset, behind = self->bytes - self->split;
    step(sink, span_of(vector.buffer, vector.offset + cut, end - cut),
         span_of(self->sum.buffer, at + cut - self->split, end - cut));
    step(sink, span_of(vector.buffer, vector.offset + first, cut - first),
         span_of(self->sum.buffer, at + behind + first, cut - first));
}

static struct coll_span staged_by(const struct node_sum *self, uint32_t number)
{
    return meet_span(&self->meet, self->staged + (number - 1) * self->bytes, self->bytes);
}

struct coll_span node_sum_place(const struct node_sum *self)
{
    return meet_leads(&self->meet) ? self->sum : staged_by(self, self->meet.number);
}

void node_sum_stage(const struct node_sum *self, struct coll_sink *sink)
{
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, self->bytes);
    if (!meet_leads(&self->meet))
        step_copy(sink, own, node_sum_place(self));
    else if (self->sum.buffer != COLL_SEND_BUFFER)
        into_sum(self, own, 0, self->bytes, step_copy, sink);
}

static void add(const struct node_sum *self, uint64_t first, uint64_t end, struct coll_sink *sink)
{
    for (uint32_t number = 1; sink->local && number < self->meet.place.here; number++)
        into_sum(self, staged_by(self, number), first, end, step_reduce, sink);
}

void node_sum_begin(const struct meet *meet, struct coll_sink *sink)
{
    const struct node_sum *self = (const struct node_sum *)meet;
    if (!self->is_sliced)
        add(self, 0, self->bytes, sink);
}

void node_sum_add_slice(const struct node_sum *self, struct coll_sink *sink)
{
    struct blocks slices = blocks_parts(self->meet.place.here, self->bytes, self->meet.call->element);
    uint64_t first = blocks_offset(&slices, self->meet.number);
    add(self, first, first + blocks_bytes(&slices, self->meet.number, 1), sink);
}
