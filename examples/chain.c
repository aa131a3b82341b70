/* A collective algorithm, as a plug-in: a broadcast along a chain of ranks, in segments.
 *
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/chain.c -o examples/chain.so
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/csv.c -o examples/csv.so
 *     helio run --plugin examples/csv.so --trace examples/bcast.csv --fabric packet
 *     helio run --plugin examples/csv.so --trace examples/bcast.csv --fabric packet \
 *         --plugin examples/chain.so --set mpi.bcast=segments
 *
 * A rank receives segment k in its phase k, and passes on in phase k + 1 what it has received in phase k. P
 * ranks and S segments take P + S - 2 steps of one segment each. */
#include <heliograph.h>

enum { SEGMENTS = 64 };

static struct heliograph_span segment(const struct heliograph_collective_call *call, uint32_t number)
{
    uint64_t elements = call->bytes / call->element;
    uint64_t begin = elements * number / SEGMENTS * call->element;
    uint64_t end = elements * (number + 1) / SEGMENTS * call->element;
    return (struct heliograph_span){.buffer = call->rank == call->root ? HELIOGRAPH_SEND_BUFFER
                                                                       : HELIOGRAPH_RECV_BUFFER,
                                    .offset = begin,
                                    .bytes = end - begin};
}

static int chain_emit(void *self, const struct heliograph_collective_call *call, uint32_t phase,
                      struct heliograph_steps *steps)
{
    uint32_t place = (call->rank + call->size - call->root) % call->size; /* in the chain; the root's is 0 */
    uint32_t before = (call->rank + call->size - 1) % call->size, behind = (call->rank + 1) % call->size;
    uint32_t sent = place ? phase - 1 : phase; /* the segment that this phase passes on */
    int receives = place && phase < SEGMENTS;
    int sends = place + 1 < call->size && sent < SEGMENTS;
    (void)self;
    if (receives)
        steps->recv(steps, before, segment(call, phase));
    if (sends)
        steps->send(steps, behind, segment(call, sent));
    return receives || sends;
}

enum heliograph_status heliograph_plugin_init(const struct heliograph_plugin_api *api)
{
    static const struct heliograph_collective chain = {
        .struct_size = sizeof chain,
        .kind = HELIOGRAPH_KIND_BCAST,
        .name = "segments",
        .doc = "along a chain of ranks in 64 segments: 64 (P-1) messages in P + 62 rounds",
        .emit = chain_emit};
    return api->register_collective(&chain);
}
