#include "trace/otf2/sizes.h"

enum { KIND_DESTROY_AND_DEALLOCATE = 22 };

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
    for (uint32_t i = 0; i < sizes->ranks; i++)
        sizes->receives[i] = sizes->all[i].sent;
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
    for (uint32_t i = 0; i < sizes->ranks; i++)
        sizes->sends[i] = sizes->all[i].received;
    sizes->has_sends = true;
}

static uint64_t number_of(const struct otf2_sums *sums, bool sent)
{
    return sent ? sums->sent : sums->received;
}

/* Each rank's block, which counts once for each rank among what it has `sent`, or received; the other sum has
 * all blocks. If that does not add up, the calls were in place. */
static void set_blocks(struct otf2_sizes *sizes, bool sent)
{
    uint64_t sum = 0, ranks = sizes->ranks;
    bool fits = true;
    for (uint32_t i = 0; i < ranks; i++) {
        uint64_t total = number_of(&sizes->all[i], sent);
        fits &= total % ranks == 0;
        sizes->receives[i] = total / ranks;
        sum += total / ranks;
    }
    fits &= sum == number_of(&sizes->all[sizes->rank], !sent);
    for (uint32_t i = 0; !fits && i < ranks; i++)
        sizes->receives[i] = others_block(sizes, number_of(&sizes->all[i], sent));
    sizes->has_receives = true;
}

/* The part of `total` before the share of `before` of `all`. */
static uint64_t part(uint64_t total, uint64_t before, uint64_t all)
{
    return (uint64_t)((unsigned __int128)total * before / all);
}

/* Each rank's bytes go to the ranks in proportion to what those receive in all. All ranks compute the same,
 * so that what is sent is what is expected. */
static void set_alltoallv(struct otf2_sizes *sizes)
{
    uint64_t all = 0, before = 0, mine = 0;
    for (uint32_t i = 0; i < sizes->ranks; i++) {
        mine = i == sizes->rank ? all : mine;
        all += sizes->all[i].received;
    }
    bool equal = all == 0; /* nobody receives, by the trace */
    if (equal) {
        all = sizes->ranks;
        mine = sizes->rank;
    }
    uint64_t mine_end = mine + (equal ? 1 : sizes->all[sizes->rank].received);
    for (uint32_t i = 0; i < sizes->ranks; i++) {
        uint64_t end = before + (equal ? 1 : sizes->all[i].received);
        uint64_t sent = sizes->all[sizes->rank].sent, other = sizes->all[i].sent;
        sizes->sends[i] = part(sent, end, all) - part(sent, before, all);
        sizes->receives[i] = part(other, mine_end, all) - part(other, mine, all);
        before = end;
    }
    sizes->has_sends = sizes->has_receives = true;
    sizes->is_shared = sizes->ranks > 1 && (sizes->sent || sizes->received);
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
        set_blocks(sizes, true);
        call->bytes = sizes->receives[sizes->rank];
        break;
    case CALL_ALLTOALLV:
        set_alltoallv(sizes);
        break;
    case CALL_REDUCE_SCATTER:
        if (kind == OTF2_REDUCE_SCATTER_BLOCK)
            call->bytes = call->recv_bytes = block(sizes, sizes->received);
        else
            set_blocks(sizes, false);
        break;
    case CALL_SCAN:
    case CALL_EXSCAN:
        set_scan(sizes, call);
        break;
    default:
        break;
    }
}
