#include "engine/rank/coll_check.h"

#include "base/diag.h"

/* What the first rank of a call has left. */
struct coll_check_record {
    uint32_t arrived;
    uint32_t first; /* its rank */
    int32_t root;
    uint8_t op;
};

static struct coll_check_record *record_at(const struct coll_check *check, uint32_t index)
{
    return pool_at(&check->records, index);
}

static void report_mismatch(struct coll_check *check, const struct coll_entry *entry,
                            const struct coll_check_record *record)
{
    struct call_place place = context_place(check->context, entry->rank);
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
        "rank %u calls %s (root %d) as collective %u of its communicator, where rank %u calls %s (root "
        "%d); all ranks must make the same collective calls in the same order",
        entry->rank, call_op_name(entry->op), entry->root, entry->sequence + 1, record->first,
        call_op_name(record->op), record->root);
    context_fail(check->context, STATUS_BAD_INPUT);
}

bool coll_check_enter(struct coll_check *check, const struct coll_entry *entry)
{
    struct queue_key key = {.high = entry->group, .low = (uint64_t)entry->context << 32 | entry->sequence};
    struct queue_table_entry *place = queue_table_at(&check->by_call, key);
    if (place->queue.head == POOL_NONE) {
        place->queue.head = pool_take(&check->records);
        *record_at(check, place->queue.head) =
            (struct coll_check_record){.first = entry->rank, .op = entry->op, .root = entry->root};
    }
    struct coll_check_record *record = record_at(check, place->queue.head);
    if (record->op != entry->op || record->root != entry->root) {
        report_mismatch(check, entry, record);
        return false;
    }
    if (++record->arrived == entry->size) {
        pool_give(&check->records, place->queue.head);
        place->queue.head = POOL_NONE;
        queue_table_remove(&check->by_call, place);
    }
    return true;
}

/* ------------------------------------------------------------------- bytes */

/* Algorithms add up offsets and lengths of blocks in 64 bits: of two buffers of this size at most. */
#define BLOCKS_LIMIT_BYTES (UINT64_C(1) << 61)

/* True if that many blocks do not pass the limit together. */
static bool equal_blocks_fit(uint64_t count, uint64_t bytes)
{
    uint64_t sum;
    return !__builtin_mul_overflow(count, bytes, &sum) && sum <= BLOCKS_LIMIT_BYTES;
}

static bool given_blocks_fit(const uint64_t *bytes, uint32_t count, uint64_t limit)
{
    uint64_t left = limit;
    for (uint32_t i = 0; bytes && i < count; i++) {
        if (bytes[i] > left)
            return false;
        left -= bytes[i];
    }
    return true;
}

/* The blocks between all ranks pass through a rank of a node-aware alltoall. */
static bool alltoall_fits(const struct coll_call *call, bool node_aware)
{
    uint64_t times = node_aware ? call->size : 1, limit = BLOCKS_LIMIT_BYTES / times;
    if (!call->send_bytes && !call->recv_bytes)
        return equal_blocks_fit(call->size * times, call->bytes);
    return given_blocks_fit(call->send_bytes, call->size, limit) &&
           given_blocks_fit(call->recv_bytes, call->size, limit);
}

static bool bytes_fit(const struct coll_call *call, bool node_aware)
{
    switch (call->kind) {
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
        return alltoall_fits(call, node_aware);
    case COLL_ALLGATHER:
    case COLL_GATHER:
    case COLL_SCATTER:
        return equal_blocks_fit(call->size, call->bytes);
    case COLL_ALLGATHERV:
    case COLL_REDUCE_SCATTER:
        if (!call->recv_bytes)
            return equal_blocks_fit(call->size, call->bytes);
        return given_blocks_fit(call->recv_bytes, call->size, BLOCKS_LIMIT_BYTES);
    case COLL_GATHERV:
    case COLL_SCATTERV: /* only the root has all lengths */
        return given_blocks_fit(call->send_bytes, call->size, BLOCKS_LIMIT_BYTES) &&
               given_blocks_fit(call->recv_bytes, call->size, BLOCKS_LIMIT_BYTES);
    default:
        return true;
    }
}

bool coll_check_bytes_fit(struct coll_check *check, uint32_t rank, const struct coll_call *call,
                          const struct coll_algorithm *algorithm)
{
    if (bytes_fit(call, algorithm->node_aware))
        return true;
    struct call_place place = context_place(check->context, rank);
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
        "rank %u calls %s of %u ranks (algorithm %s), whose blocks have more than 2 EiB together; make "
        "the blocks smaller",
        rank, coll_kind_name(call->kind), call->size, algorithm->name);
    context_fail(check->context, STATUS_BAD_INPUT);
    return false;
}

void coll_check_init(struct coll_check *check, struct run_context *context)
{
    *check = (struct coll_check){.context = context};
    queue_table_init(&check->by_call);
    pool_init(&check->records, sizeof(struct coll_check_record), "collective calls");
}

void coll_check_free(struct coll_check *check)
{
    queue_table_free(&check->by_call);
    pool_free(&check->records);
}

size_t coll_check_bytes(const struct coll_check *check)
{
    return queue_table_bytes(&check->by_call) + check->records.capacity * check->records.size;
}
