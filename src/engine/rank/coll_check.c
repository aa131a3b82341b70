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

bool coll_check_bytes_fit(struct coll_check *check, uint32_t rank, const struct coll_call *call,
                          const struct coll_algorithm *algorithm)
{
    if (coll_bytes_fit(algorithm, call))
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
