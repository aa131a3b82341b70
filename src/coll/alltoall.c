#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"

/* Alltoall and alltoallv: message (r, s) is the block of rank r for rank s. They differ in the lengths of the
 * blocks only, so most algorithms serve both. */
struct alltoall_exchange {
    struct blocks send, recv;
};

static struct alltoall_exchange exchange_of(const struct coll_call *call, const struct coll_sink *sink)
{
    bool given = call->kind == COLL_ALLTOALLV;
    return (struct alltoall_exchange){
        .send = blocks_given(call->size, given ? call->send_bytes : NULL, call->bytes, sink->local),
        .recv = blocks_given(call->size, given ? call->recv_bytes : NULL, call->bytes, sink->local)};
}

static void recv_block(const struct alltoall_exchange *exchange, uint32_t peer, struct coll_sink *sink)
{
    sink->recv(sink, peer, blocks_span(&exchange->recv, COLL_RECV_BUFFER, peer, 1));
}

static void send_block(const struct alltoall_exchange *exchange, uint32_t peer, struct coll_sink *sink)
{
    sink->send(sink, peer, blocks_span(&exchange->send, COLL_SEND_BUFFER, peer, 1));
}

static void copy_own_block(const struct alltoall_exchange *exchange, uint32_t rank, struct coll_sink *sink)
{
    if (sink->local)
        step_copy(sink, blocks_span(&exchange->send, COLL_SEND_BUFFER, rank, 1),
                  blocks_span(&exchange->recv, COLL_RECV_BUFFER, rank, 1));
}

/* Exchanges with the ranks at distances first ... last, all posted at once. */
static void exchange_distances(const struct coll_call *call, uint32_t first, uint32_t last,
                               struct coll_sink *sink)
{
    struct alltoall_exchange exchange = exchange_of(call, sink);
    if (first == 1)
        copy_own_block(&exchange, call->rank, sink);
    for (uint32_t i = first; i <= last; i++)
        recv_block(&exchange, ring_down(call->rank, i, call->size), sink);
    for (uint32_t i = first; i <= last; i++)
        send_block(&exchange, ring_up(call->rank, i, call->size), sink);
}

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    exchange_distances(call, 1, call->size - 1, sink);
    return true;
}

#define LINEAR_DOC                                                                                           \
    "every receive and every send posted at once, nearest ranks first: P(P-1) messages in 1 round"

const struct coll_algorithm coll_alltoall_linear = {
    .kind = COLL_ALLTOALL,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
};

const struct coll_algorithm coll_alltoallv_linear = {
    .kind = COLL_ALLTOALLV,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
};

static bool shifted(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, step = phase + 1;
    if (step >= size && phase > 0)
        return false;
    exchange_distances(call, step, size > 1 ? step : 0, sink);
    return true;
}

static bool pairwise(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, step = phase + 1;
    bool power_of_two = (size & (size - 1)) == 0;
    if (!power_of_two || size == 1)
        return shifted(call, phase, sink);
    if (step >= size)
        return false;
    struct alltoall_exchange exchange = exchange_of(call, sink);
    if (phase == 0)
        copy_own_block(&exchange, call->rank, sink);
    recv_block(&exchange, call->rank ^ step, sink);
    send_block(&exchange, call->rank ^ step, sink);
    return true;
}

#define PAIRWISE_DOC                                                                                         \
    "P-1 rounds with one partner: rank xor k for powers of two, otherwise to r+k and from r-k; P(P-1) "      \
    "messages "                                                                                              \
    "(Thakur, Rabenseifner, Gropp 2005)"

const struct coll_algorithm coll_alltoall_pairwise = {
    .kind = COLL_ALLTOALL,
    .name = "pairwise",
    .doc = PAIRWISE_DOC,
    .emit = pairwise,
};

const struct coll_algorithm coll_alltoallv_pairwise = {
    .kind = COLL_ALLTOALLV,
    .name = "pairwise",
    .doc = PAIRWISE_DOC,
    .emit = pairwise,
};

#define SHIFTED_DOC                                                                                          \
    "P-1 rounds for any P: in round k to r+k and from r-k; P(P-1) messages (Open MPI: pairwise)"

const struct coll_algorithm coll_alltoall_shifted = {
    .kind = COLL_ALLTOALL,
    .name = "shifted",
    .doc = SHIFTED_DOC,
    .emit = shifted,
};

const struct coll_algorithm coll_alltoallv_shifted = {
    .kind = COLL_ALLTOALLV,
    .name = "shifted",
    .doc = SHIFTED_DOC,
    .emit = shifted,
};

static bool ring(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, step = phase + 1;
    if (step >= size && phase > 0)
        return false;
    struct alltoall_exchange exchange = exchange_of(call, sink);
    if (phase == 0)
        copy_own_block(&exchange, call->rank, sink);
    if (size > 1) {
        recv_block(&exchange, ring_up(call->rank, step, size), sink);
        send_block(&exchange, ring_down(call->rank, step, size), sink);
    }
    return true;
}

const struct coll_algorithm coll_alltoall_ring = {
    .kind = COLL_ALLTOALL,
    .name = "ring",
    .doc = "P-1 rounds for any P: in round k to r-k and from r+k; P(P-1) messages",
    .emit = ring,
};

static bool scatter_destination(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint64_t done = (uint64_t)phase * window_of(call), peers = call->size - 1;
    if (done >= peers && phase > 0)
        return false;
    uint64_t last = done + window_of(call);
    exchange_distances(call, (uint32_t)done + 1, (uint32_t)(last < peers ? last : peers), sink);
    return true;
}

#define SCATTER_DESTINATION_DOC                                                                              \
    "linear in windows of `window` (32) receives and sends: P(P-1) messages in ceil((P-1)/window) rounds "   \
    "(MPICH's throttled alltoall)"

const struct coll_algorithm coll_alltoall_scatter_destination = {
    .kind = COLL_ALLTOALL,
    .name = "scatter-destination",
    .doc = SCATTER_DESTINATION_DOC,
    .emit = scatter_destination,
    .has_windows = true,
};

const struct coll_algorithm coll_alltoallv_scatter_destination = {
    .kind = COLL_ALLTOALLV,
    .name = "scatter-destination",
    .doc = SCATTER_DESTINATION_DOC,
    .emit = scatter_destination,
    .has_windows = true,
};
