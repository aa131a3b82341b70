#include <string.h>

#include "coll/coll.h"
#include "engine/simplecomm/internal.h"

/* Collectives as SimpleComm expands them (its Col_*.py, after SimGrid). A layer is what a rank posts at once;
 * the next layer follows when all of it is done. */

/* SimpleComm does not keep the tags of collectives apart from those of users. */
enum {
    TAG_ALLREDUCE = 2,
    TAG_BARRIER = 3,
    TAG_BCAST = 4,
    TAG_REDUCE = 5,
    TAG_ALLTOALL = -1,
    TAG_ALLTOALLV = -2,
    TAG_SENDRECV = 0
};

struct compat_layer {
    struct simplecomm *engine;
    uint32_t rank;
    uint8_t op;
    uint32_t wanted, at; /* binomial trees: one message a layer */
    uint64_t posted;
};

static void put(struct compat_layer *layer, bool sending, uint32_t partner, uint64_t bytes, int32_t tag)
{
    struct compat_post post = {.rank = layer->rank,
                               .partner = partner,
                               .sending = sending,
                               .blocking = layer->op != CALL_SENDRECV,
                               .op = layer->op,
                               .tag = tag,
                               .bytes = bytes,
                               .posted_s = layer->engine->rank[layer->rank].now_s};
    layer->posted++;
    compat_match_post(layer->engine, &post);
}

/* A message of a tree. Each is a layer of its own; only the wanted one is posted. */
static void put_next(struct compat_layer *layer, bool sending, uint32_t partner, uint64_t bytes, int32_t tag)
{
    if (layer->at++ == layer->wanted)
        put(layer, sending, partner, bytes, tag);
}

static void put_bcast(struct compat_layer *layer, uint32_t root, uint64_t bytes)
{
    uint32_t ranks = layer->engine->ranks, me = layer->rank;
    uint32_t relative = (me + ranks - root) % ranks;
    uint64_t mask = 1;
    for (; mask < ranks; mask <<= 1)
        if (relative & mask) {
            put_next(layer, false, (uint32_t)((me + ranks - mask) % ranks), bytes, TAG_BCAST);
            break;
        }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (relative + mask < ranks)
            put_next(layer, true, (uint32_t)((me + mask) % ranks), bytes, TAG_BCAST);
}

static void put_reduce(struct compat_layer *layer, uint32_t root, uint64_t bytes)
{
    uint32_t ranks = layer->engine->ranks;
    uint32_t relative = (layer->rank + ranks - root) % ranks;
    for (uint64_t mask = 1; mask < ranks; mask <<= 1) {
        if (relative & mask) {
            put_next(layer, true, (uint32_t)(((relative & ~mask) + root) % ranks), bytes, TAG_REDUCE);
            return;
        }
        if ((relative | mask) < ranks)
            put_next(layer, false, (uint32_t)(((relative | mask) + root) % ranks), bytes, TAG_REDUCE);
    }
}

/* CA_Reduce = alltoroot, and the first half of CA_Allreduce = reduce_bcast: one layer, all ranks to the root.
 */
static void put_reduce_to_root(struct compat_layer *layer, uint32_t root, uint64_t bytes, int32_t tag)
{
    if (layer->at++ != layer->wanted)
        return;
    if (layer->rank != root) {
        put(layer, true, root, bytes, tag);
        return;
    }
    for (uint32_t rank = 0; rank < layer->engine->ranks; rank++)
        if (rank != root)
            put(layer, false, rank, bytes, tag);
}

static bool reduces_to_root(const struct simplecomm *engine, uint64_t bytes)
{
    struct coll_call call = {.kind = COLL_REDUCE, .size = engine->ranks, .bytes = bytes};
    return strcmp(coll_choose(&engine->collective->choice[COLL_REDUCE], &call)->name, "linear") == 0;
}

static void put_barrier(struct compat_layer *layer)
{
    if (layer->wanted > 1)
        return;
    if (layer->rank != 0) {
        put(layer, layer->wanted == 0, 0, 0, TAG_BARRIER);
        return;
    }
    for (uint32_t rank = 1; rank < layer->engine->ranks; rank++)
        put(layer, layer->wanted == 1, rank, 0, TAG_BARRIER);
}

static void put_alltoall(struct compat_layer *layer, uint64_t send_bytes, uint64_t recv_bytes)
{
    uint32_t ranks = layer->engine->ranks, me = layer->rank;
    if (send_bytes >= COMPAT_ALLTOALL_RING_FROM_BYTES) {
        uint32_t distance = layer->wanted + 1;
        if (distance >= ranks)
            return;
        put(layer, false, (uint32_t)(((uint64_t)me + distance) % ranks), recv_bytes, TAG_ALLTOALL);
        put(layer, true, (me + ranks - distance) % ranks, send_bytes, TAG_ALLTOALL);
        return;
    }
    for (uint32_t distance = 1; layer->wanted == 0 && distance < ranks; distance++)
        put(layer, false, (uint32_t)(((uint64_t)me + distance) % ranks), recv_bytes, TAG_ALLTOALL);
    for (uint32_t distance = 1; layer->wanted == 0 && distance < ranks; distance++)
        put(layer, true, (me + ranks - distance) % ranks, send_bytes, TAG_ALLTOALL);
}

static uint64_t count_at(const struct compat_layer *layer, uint64_t counts, uint32_t rank, uint64_t otherwise)
{
    return counts ? layer->engine->params->program->counts[counts + rank] : otherwise;
}

static void put_alltoallv(struct compat_layer *layer, const struct call *call)
{
    bool with_empty = layer->engine->config->alltoallv == ALLTOALLV_ALL;
    if (layer->wanted > 0)
        return;
    for (int sending = 0; sending < 2; sending++)
        for (uint32_t rank = 0; rank < layer->engine->ranks; rank++) {
            uint64_t bytes = sending ? count_at(layer, call->send_counts, rank, call->bytes)
                                     : count_at(layer, call->recv_counts, rank, call->recv_bytes);
            if (rank != layer->rank && (bytes > 0 || with_empty))
                put(layer, sending, rank, bytes, TAG_ALLTOALLV);
        }
}

static void put_sendrecv(struct compat_layer *layer, const struct call *call)
{
    if (layer->wanted > 0)
        return;
    put(layer, true, (uint32_t)call->peer, call->bytes, TAG_SENDRECV);
    put(layer, false, (uint32_t)call->source, call->recv_bytes, TAG_SENDRECV);
}

uint64_t compat_post_layer(struct simplecomm *engine, uint32_t rank)
{
    const struct call *call = &engine->rank[rank].collective;
    struct compat_layer layer = {
        .engine = engine, .rank = rank, .op = call->op, .wanted = engine->rank[rank].layer++};
    switch (call->op) {
    case CALL_BCAST:
        put_bcast(&layer, (uint32_t)call->peer, call->bytes);
        break;
    case CALL_REDUCE:
        if (reduces_to_root(engine, call->bytes))
            put_reduce_to_root(&layer, (uint32_t)call->peer, call->bytes, TAG_REDUCE);
        else
            put_reduce(&layer, (uint32_t)call->peer, call->bytes);
        break;
    case CALL_ALLREDUCE:
        if (engine->config->allreduce == ALLREDUCE_TO_ROOT)
            put_reduce_to_root(&layer, 0, call->bytes, TAG_ALLREDUCE);
        else
            put_reduce(&layer, 0, call->bytes);
        put_bcast(&layer, 0, call->bytes);
        break;
    case CALL_ALLTOALL:
        put_alltoall(&layer, call->bytes, call->recv_bytes);
        break;
    case CALL_ALLTOALLV:
        put_alltoallv(&layer, call);
        break;
    case CALL_SENDRECV:
        put_sendrecv(&layer, call);
        break;
    default:
        put_barrier(&layer);
        break;
    }
    return layer.posted;
}
