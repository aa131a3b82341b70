#include "trace/otf2/sizes.h"

enum { KIND_REDUCE_SCATTER_BLOCK = 16, KIND_DESTROY_AND_DEALLOCATE = 22 };

enum call_op otf2_collective_op(uint8_t kind)
{
    static const enum call_op ops[] = {
        CALL_BARRIER,   CALL_BCAST,          CALL_GATHER,     CALL_GATHERV,        CALL_SCATTER,
        CALL_SCATTERV,  CALL_ALLGATHER,      CALL_ALLGATHERV, CALL_ALLTOALL,       CALL_ALLTOALLV,
        CALL_ALLTOALLV, CALL_ALLREDUCE,      CALL_REDUCE,     CALL_REDUCE_SCATTER, CALL_SCAN,
        CALL_EXSCAN,    CALL_REDUCE_SCATTER,
    };
    if (kind < sizeof ops / sizeof *ops)
        return ops[kind];
    return kind <= KIND_DESTROY_AND_DEALLOCATE ? CALL_NOTHING : CALL_OPS; /* windows, communicators */
}

/* A block, of which `ranks` make up the total; or, in place, all but the rank's own. */
static uint64_t block(const struct otf2_sizes *sizes, uint64_t total)
{
    uint64_t ranks = sizes->ranks;
    if (total % ranks == 0 || ranks == 1)
        return total / ranks;
    return total % (ranks - 1) == 0 ? total / (ranks - 1) : (total + ranks - 1) / ranks;
}

static uint64_t others_block(const struct otf2_sizes *sizes, uint64_t total)
{
    return sizes->ranks > 1 ? total / (sizes->ranks - 1) : total;
}

/* Equal shares of `total` for all ranks but this one, whose size is `own`. */
static void share(struct otf2_sizes *sizes, uint64_t *vector, uint64_t total, uint64_t own)
{
    uint64_t others = sizes->ranks - 1, each = others ? total / others : 0,
             rest = others ? total % others : 0;
    for (uint32_t i = 0; i < sizes->ranks; i++) {
        uint64_t more = i != sizes->rank && rest ? 1 : 0;
        vector[i] = i == sizes->rank ? own : each + more;
        rest -= more;
    }
    sizes->is_shared |= others > 1;
}

static uint64_t without(uint64_t total, uint64_t own)
{
    return total > own ? total - own : 0;
}

static void set_gather(struct otf2_sizes *sizes, struct call *call, bool at_root)
{
    call->bytes = sizes->sent;
    if (!at_root)
        return;
    if (call->op == CALL_GATHER) {
        call->recv_bytes =
            sizes->sent ? sizes->received / sizes->ranks : others_block(sizes, sizes->received);
        call->bytes = call->recv_bytes;
        return;
    }
    share(sizes, sizes->receives, without(sizes->received, sizes->sent), sizes->sent);
    sizes->has_receives = true;
}

static void set_scatter(struct otf2_sizes *sizes, struct call *call, bool at_root)
{
    call->bytes = call->recv_bytes = sizes->received;
    if (!at_root)
        return;
    if (call->op == CALL_SCATTER) {
        call->bytes = sizes->received ? sizes->sent / sizes->ranks : others_block(sizes, sizes->sent);
        call->recv_bytes = call->bytes;
        return;
    }
    share(sizes, sizes->sends, without(sizes->sent, sizes->received), sizes->received);
    sizes->has_sends = true;
}

static void set_allgatherv(struct otf2_sizes *sizes, struct call *call)
{
    bool in_place = sizes->sent % sizes->ranks != 0;
    call->bytes = in_place ? others_block(sizes, sizes->sent) : sizes->sent / sizes->ranks;
    share(sizes, sizes->receives, in_place ? sizes->received : without(sizes->received, call->bytes),
          call->bytes);
    sizes->has_receives = true;
}

/* All ranks' blocks are sent, and the rank's own is received from each. */
static void set_reduce_scatter(struct otf2_sizes *sizes, uint8_t kind)
{
    uint64_t own = block(sizes, sizes->received);
    sizes->has_receives = true;
    if (kind != KIND_REDUCE_SCATTER_BLOCK) {
        bool in_place = sizes->received % sizes->ranks != 0;
        share(sizes, sizes->receives, in_place ? sizes->sent : without(sizes->sent, own), own);
        return;
    }
    for (uint32_t i = 0; i < sizes->ranks; i++)
        sizes->receives[i] = own;
}

/* A rank sends to those behind it, and receives from those before it; in a scan also to and from itself. */
static void set_scan(const struct otf2_sizes *sizes, struct call *call)
{
    uint64_t behind = sizes->ranks - sizes->rank, before = sizes->rank + (uint64_t)1;
    bool with_itself = call->op == CALL_SCAN && sizes->sent % behind == 0 &&
                       sizes->received == sizes->sent / behind * before;
    if (with_itself)
        call->bytes = sizes->sent / behind;
    else
        call->bytes = others_block(sizes, sizes->sent + sizes->received);
}

static void share_all(struct otf2_sizes *sizes, uint64_t *vector, uint64_t total)
{
    uint64_t own = total / sizes->ranks;
    share(sizes, vector, total - own, own);
}

void otf2_sizes_set(struct otf2_sizes *sizes, struct call *call, uint8_t kind)
{
    bool at_root = call->peer == (int32_t)sizes->rank;
    sizes->has_sends = sizes->has_receives = sizes->is_shared = false;
    switch ((enum call_op)call->op) {
    case CALL_BCAST:
        call->bytes = sizes->received ? sizes->received : sizes->sent / sizes->ranks;
        break;
    case CALL_REDUCE:
        call->bytes = at_root && !sizes->sent ? others_block(sizes, sizes->received) : sizes->sent;
        break;
    case CALL_ALLREDUCE:
        call->bytes = block(sizes, sizes->sent);
        break;
    case CALL_ALLGATHER:
    case CALL_ALLTOALL:
        call->bytes = block(sizes, sizes->sent);
        call->recv_bytes = block(sizes, sizes->received);
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        set_gather(sizes, call, at_root);
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        set_scatter(sizes, call, at_root);
        break;
    case CALL_ALLGATHERV:
        set_allgatherv(sizes, call);
        break;
    case CALL_ALLTOALLV:
        share_all(sizes, sizes->sends, sizes->sent);
        share_all(sizes, sizes->receives, sizes->received);
        sizes->has_sends = sizes->has_receives = true;
        break;
    case CALL_REDUCE_SCATTER:
        set_reduce_scatter(sizes, kind);
        break;
    case CALL_SCAN:
    case CALL_EXSCAN:
        set_scan(sizes, call);
        break;
    default:
        break;
    }
}
