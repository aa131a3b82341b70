#include "engine/simplecomm/internal.h"

/* One step of one rank (Rank.py): at most one call. */

void compat_idle(struct simplecomm *engine, uint32_t index, double until_s, uint8_t op)
{
    struct compat_rank *rank = &engine->rank[index];
    if (until_s <= rank->now_s)
        return;
    tap_emit(engine->params->tap, &(struct tap_record){.kind = TAP_IDLE,
                                                       .rank = index,
                                                       .cause = op,
                                                       .since = seconds_to_ps(rank->now_s),
                                                       .at = seconds_to_ps(until_s)});
    rank->now_s = until_s;
}

static struct queue_key completed_key(uint32_t rank, int32_t tag)
{
    return (struct queue_key){.high = rank, .low = (uint32_t)tag};
}

static struct compat_completion *completion_at(const struct simplecomm *engine, uint32_t index)
{
    return pool_at(&engine->completions, index);
}

void compat_completed(struct simplecomm *engine, uint32_t index, int32_t tag, double end_s, uint8_t op)
{
    struct queue *list = &engine->rank[index].completions;
    uint32_t added = pool_take(&engine->completions), before = queue_is_empty(list) ? POOL_NONE : list->tail;
    *completion_at(engine, added) =
        (struct compat_completion){.tag = tag, .op = op, .end_s = end_s, .before = before};
    queue_append(list, QUEUE_LINKS(engine->completions.records, struct compat_completion, after), added);
    queue_append(&queue_table_at(&engine->completed, completed_key(index, tag))->queue,
                 QUEUE_LINKS(engine->completions.records, struct compat_completion, next), added);
    engine->rank[index].waitall_balance++;
}

/* Takes out the first completion of a rank and a tag; the rank has waited for it. False: there is none. */
static bool take_completion(struct simplecomm *engine, uint32_t index, int32_t tag)
{
    struct queue_table_entry *entry = queue_table_find(&engine->completed, completed_key(index, tag));
    struct queue *list = &engine->rank[index].completions;
    if (!entry)
        return false;
    uint32_t taken = entry->queue.head;
    const struct compat_completion *completion = completion_at(engine, taken);
    compat_idle(engine, index, completion->end_s, completion->op);
    entry->queue.head = completion->next;
    if (queue_is_empty(&entry->queue))
        queue_table_remove(&engine->completed, entry);
    queue_cut(list, QUEUE_LINKS(engine->completions.records, struct compat_completion, after),
              completion->before, taken);
    if (completion->after != POOL_NONE)
        completion_at(engine, completion->after)->before = completion->before;
    pool_give(&engine->completions, taken);
    engine->rank[index].requests--;
    engine->rank[index].waitall_balance--;
    return true;
}

bool compat_can_step(const struct simplecomm *engine, uint32_t index)
{
    const struct compat_rank *rank = &engine->rank[index];
    switch (rank->state) {
    case RANK_NORMAL:
        return true;
    case RANK_COMMUNICATING:
        return rank->in_collective && rank->layer_pending == 0; /* a layer without messages is done */
    case RANK_WAITING:
        return rank->waits_for_all
                   ? rank->waitall_balance >= 0
                   : queue_table_find(&engine->completed, completed_key(index, rank->waiting_tag)) != NULL;
    case RANK_ENDED:
        break;
    }
    return false;
}

/* A waitall is over when as many requests have completed as it names. It completes all that are done. With
 * more of them than it names SimpleComm waits for ever. */
static bool waited_for_all(struct simplecomm *engine, uint32_t index)
{
    struct compat_rank *rank = &engine->rank[index];
    if (rank->waitall_balance < 0)
        return false;
    if (rank->waitall_balance > 0)
        compat_abort(engine, ABORT_WAITALL);
    while (!queue_is_empty(&rank->completions))
        take_completion(engine, index, completion_at(engine, rank->completions.head)->tag);
    rank->waitall_balance = 0;
    return true;
}

static void look_at_wait(struct simplecomm *engine, uint32_t index)
{
    struct compat_rank *rank = &engine->rank[index];
    /* A wait completes the first request with its tag, from any partner. */
    if (rank->waits_for_all ? waited_for_all(engine, index)
                            : take_completion(engine, index, rank->waiting_tag))
        rank->state = RANK_NORMAL;
}

/* ------------------------------------------------------------------- calls */

static enum status refuse(struct simplecomm *engine, uint32_t rank, const struct call *call, const char *why)
{
    struct program *program = engine->params->program;
    struct call_place place = program->ops->place(program, rank);
    char text[256];
    diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                "rank %u: SimpleComm cannot do %s: %s", rank, call_describe(call, text, sizeof text), why);
    return STATUS_BAD_INPUT;
}

static enum status begin_collective(struct simplecomm *engine, uint32_t index, const struct call *call)
{
    struct compat_rank *rank = &engine->rank[index];
    if (call->flags & CALL_IMMEDIATE)
        return refuse(engine, index, call, "it has no non-blocking collectives");
    if (call->group != 0)
        return refuse(engine, index, call, "it has no communicator but MPI_COMM_WORLD");
    rank->state = RANK_COMMUNICATING;
    rank->in_collective = true;
    rank->collective = *call;
    rank->layer = 0;
    rank->layer_pending = UINT64_MAX; /* until the posts are counted, none of which is done before */
    rank->layer_pending = compat_post_layer(engine, index);
    return STATUS_OK;
}

static enum status point_to_point(struct simplecomm *engine, uint32_t index, const struct call *call)
{
    struct compat_rank *rank = &engine->rank[index];
    if (call->peer < 0 || (call->op == CALL_RECV && call->tag == CALL_ANY_TAG))
        return refuse(engine, index, call, "it has no MPI_ANY_SOURCE and no MPI_ANY_TAG");
    bool immediate = call->flags & CALL_IMMEDIATE;
    struct compat_post post = {.rank = index,
                               .partner = (uint32_t)call->peer,
                               .sending = call->op == CALL_SEND,
                               .blocking = !immediate,
                               .op = call->op,
                               .tag = call->tag,
                               .bytes = call->op == CALL_SEND ? call->bytes : call->recv_bytes,
                               .posted_s = rank->now_s};
    if (immediate) {
        rank->slot_tags[call->slot] = call->tag;
        rank->requests++;
    } else {
        rank->state = RANK_COMMUNICATING;
        rank->in_point_to_point = true;
    }
    compat_match_post(engine, &post);
    return STATUS_OK;
}

/* Or, where a job's start is the call, the rank begins so much later. */
static enum status compute(struct simplecomm *engine, uint32_t index, double seconds, const struct call *call)
{
    const bool is_start = call->flags & CALL_START;
    struct compat_rank *rank = &engine->rank[index];
    double since_s = rank->now_s;
    rank->now_s = rank->now_s + seconds;
    if (!time_fits(rank->now_s))
        return compat_too_long(engine);
    tap_emit(engine->params->tap,
             &(struct tap_record){.kind = is_start ? TAP_BEGAN : TAP_COMPUTED,
                                  .rank = index,
                                  .call = call->amount > 0 ? call->op : (uint32_t)CALL_NOTHING,
                                  .since = seconds_to_ps(since_s),
                                  .at = seconds_to_ps(rank->now_s)});
    return STATUS_OK;
}

static void wait_for(struct simplecomm *engine, uint32_t index, const struct call *call)
{
    struct compat_rank *rank = &engine->rank[index];
    rank->state = RANK_WAITING;
    rank->waits_for_all = call->op == CALL_WAITALL;
    if (rank->waits_for_all) {
        rank->waitall_balance -= (int64_t)(call->expected ? call->expected : rank->requests);
        return; /* SimpleComm looks at it in the next step */
    }
    rank->waiting_tag = rank->slot_tags[call->slot];
    look_at_wait(engine, index);
}

static enum status communicate(struct simplecomm *engine, uint32_t index, const struct call *call)
{
    if (engine->ranks == 1) /* a single rank does not communicate */
        return STATUS_OK;
    switch (call->op) {
    case CALL_SEND:
    case CALL_RECV:
        return point_to_point(engine, index, call);
    case CALL_WAIT:
    case CALL_WAITALL:
        wait_for(engine, index, call);
        return STATUS_OK;
    case CALL_SENDRECV:
        compat_abort(engine, ABORT_ACTION);
        if (call->peer < 0 || call->source < 0)
            return refuse(engine, index, call, "it has no MPI_ANY_SOURCE and no MPI_PROC_NULL");
        return begin_collective(engine, index, call);
    case CALL_BARRIER:
    case CALL_BCAST:
    case CALL_REDUCE:
    case CALL_ALLREDUCE:
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
        return begin_collective(engine, index, call);
    case CALL_TEST:
        compat_abort(engine, ABORT_ACTION);
        return STATUS_OK;
    default:
        return refuse(engine, index, call, "it does not have this call");
    }
}

static void end(struct simplecomm *engine, uint32_t index)
{
    struct compat_rank *rank = &engine->rank[index];
    rank->state = RANK_ENDED;
    engine->ended++;
    tap_emit(engine->params->tap,
             &(struct tap_record){.kind = TAP_ENDED, .rank = index, .at = seconds_to_ps(rank->now_s)});
}

static enum status finalize(struct simplecomm *engine, uint32_t index)
{
    engine->rank[index].ending = true;
    if (engine->ranks > 1)
        return begin_collective(engine, index, &(struct call){.op = CALL_BARRIER});
    end(engine, index);
    return STATUS_OK;
}

static enum status execute(struct simplecomm *engine, uint32_t index)
{
    const struct engine_params *params = engine->params;
    const struct call *call = program_next(params->program, index, &engine->scratch);
    if (!call && params->program->status != STATUS_OK)
        return params->program->status;
    if (!call)
        return finalize(engine, index); /* SimpleComm would read beyond the end of its trace */
    engine->calls++;
    switch (call->op) {
    case CALL_INIT:
    case CALL_NOTHING:
        return STATUS_OK;
    case CALL_COMPUTE:
        return compute(engine, index,
                       trunc(call->amount * engine->compute->scale) / (double)engine->compute->rate_flops,
                       call);
    case CALL_SLEEP:
        compat_abort(engine, ABORT_ACTION);
        return compute(engine, index, call->amount * (call->flags & CALL_START ? 1 : engine->compute->scale),
                       call);
    case CALL_FINALIZE:
        return finalize(engine, index);
    default:
        return communicate(engine, index, call);
    }
}

enum status compat_step(struct simplecomm *engine, uint32_t index)
{
    struct compat_rank *rank = &engine->rank[index];
    if (rank->state == RANK_WAITING) {
        look_at_wait(engine, index);
        return STATUS_OK;
    }
    if (rank->state == RANK_COMMUNICATING) {
        if (!rank->in_collective || rank->layer_pending > 0)
            return STATUS_OK;
        rank->layer_pending = compat_post_layer(engine, index);
        if (rank->layer_pending > 0)
            return STATUS_OK;
        rank->in_collective = false;
        if (rank->ending) {
            end(engine, index);
            return STATUS_OK;
        }
        rank->state = RANK_NORMAL; /* and goes on with its next call in the same step */
    }
    return rank->state == RANK_NORMAL ? execute(engine, index) : STATUS_OK;
}
