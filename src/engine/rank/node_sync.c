#include "engine/rank/node_sync.h"

static struct node_sync_call *call_at(const struct node_sync *sync, uint32_t call)
{
    return pool_at(&sync->calls, call);
}

/* -------------------------------------------------------- coming and going */

/* A record, with the memory for flags that its last user left: calls that repeat allocate nothing. */
static uint32_t take_call(struct node_sync *sync)
{
    uint32_t known = sync->calls.fresh;
    uint32_t call = pool_take(&sync->calls);
    if (call >= known)
        *call_at(sync, call) = (struct node_sync_call){0};
    return call;
}

uint32_t node_sync_enter(struct node_sync *sync, struct queue_key key, bool *is_first)
{
    struct queue_table_entry *entry = queue_table_at(&sync->by_key, key);
    *is_first = entry->queue.head == POOL_NONE;
    if (*is_first) {
        entry->queue.head = take_call(sync);
        call_at(sync, entry->queue.head)->key = key;
    }
    return entry->queue.head;
}

static void begin_causes(struct node_sync *sync, uint32_t call, uint32_t flags)
{
    size_t known = sync->cause_capacity;
    sync->causes = mem_grow(sync->causes, &sync->cause_capacity, (size_t)call + 1, "critical path");
    for (; known < sync->cause_capacity; known++)
        sync->causes[known] = (struct node_sync_causes){.last = POOL_NONE, .all = SLACK_NONE};
    struct node_sync_causes *causes = &sync->causes[call];
    causes->flags = mem_grow(causes->flags, &causes->flag_capacity, flags, "critical path");
    for (size_t flag = 0; flag < causes->flag_capacity; flag++)
        causes->flags[flag] = POOL_NONE;
    causes->moments = mem_grow(causes->moments, &causes->moment_capacity, flags, "critical path");
}

/* No member can wait for the flags of this call. */
static void drop_causes(struct node_sync *sync, uint32_t call)
{
    struct node_sync_causes *causes = &sync->causes[call];
    for (size_t flag = 0; flag < causes->flag_capacity; flag++)
        critical_drop(sync->critical, &causes->flags[flag]);
}

void node_sync_begin(struct node_sync *sync, uint32_t call, uint32_t ranks, uint32_t flags)
{
    struct node_sync_call *begun = call_at(sync, call);
    size_t capacity = begun->flag_capacity;
    ps_t *raised_at = mem_grow(begun->raised_at, &capacity, flags, "flags of a node");
    *begun = (struct node_sync_call){.ranks = ranks,
                                     .left = ranks,
                                     .waits = POOL_NONE,
                                     .key = begun->key,
                                     .raised_at = raised_at,
                                     .flag_capacity = capacity};
    for (uint32_t flag = 0; flag < flags; flag++)
        begun->raised_at[flag] = NODE_SYNC_DOWN;
    if (sync->critical)
        begin_causes(sync, call, flags);
}

void node_sync_leave(struct node_sync *sync, uint32_t call)
{
    struct node_sync_call *left = call_at(sync, call);
    if (--left->left > 0)
        return;
    struct queue_table_entry *entry = queue_table_at(&sync->by_key, left->key);
    entry->queue.head = POOL_NONE;
    queue_table_remove(&sync->by_key, entry);
    if (sync->critical)
        drop_causes(sync, call);
    pool_give(&sync->calls, call);
}

/* ------------------------------------------------------ waiting, releasing */

static void wait_for(struct node_sync *sync, struct node_sync_call *call, uint32_t member, uint32_t flag)
{
    uint32_t record = pool_take(&sync->waits);
    *(struct node_sync_wait *)pool_at(&sync->waits, record) =
        (struct node_sync_wait){.member = member, .flag = flag, .next = call->waits};
    call->waits = record;
}

/* All members that wait for `flag` go on at `at`. */
static void release_all(struct node_sync *sync, struct node_sync_call *call, uint32_t flag, ps_t at)
{
    uint32_t *link = &call->waits;
    while (*link != POOL_NONE) {
        uint32_t record = *link;
        struct node_sync_wait *wait = pool_at(&sync->waits, record);
        if (wait->flag != flag) {
            link = &wait->next;
            continue;
        }
        uint32_t member = wait->member;
        *link = wait->next;
        pool_give(&sync->waits, record);
        sync->release(sync->self, member, at);
    }
}

void node_sync_barrier(struct node_sync *sync, uint32_t call_index, uint32_t member, ps_t at)
{
    struct node_sync_call *call = call_at(sync, call_index);
    wait_for(sync, call, member, NODE_SYNC_BARRIER);
    if (sync->critical && at >= call->arrived_at)
        critical_hold(sync->critical, &sync->causes[call_index].last); /* of the last arrival so far */
    struct slack_moment all = SLACK_NO_MOMENT;
    if (sync->critical)
        all = critical_join(sync->critical, &sync->causes[call_index].all, SLACK_NONE,
                            critical_moment(sync->critical));
    call->arrived_at = ps_max(call->arrived_at, at);
    if (++call->arrived < call->ranks)
        return;
    at = call->arrived_at;
    call->arrived = 0;
    call->arrived_at = 0;
    if (sync->critical)
        critical_resume(sync->critical, sync->causes[call_index].last, all);
    release_all(sync, call, NODE_SYNC_BARRIER, at);
    if (!sync->critical)
        return;
    critical_drop(sync->critical, &sync->causes[call_index].last);
    sync->causes[call_index].all = SLACK_NONE;
}

static void hold_flag(struct node_sync *sync, uint32_t call, uint32_t flag)
{
    critical_hold(sync->critical, &sync->causes[call].flags[flag]);
    sync->causes[call].moments[flag] = critical_moment(sync->critical);
}

void node_sync_raise(struct node_sync *sync, uint32_t call_index, uint32_t flag, ps_t at)
{
    struct node_sync_call *call = call_at(sync, call_index);
    call->raised_at[flag] = at;
    if (sync->critical)
        hold_flag(sync, call_index, flag);
    release_all(sync, call, flag, at);
}

ps_t node_sync_await(struct node_sync *sync, uint32_t call_index, uint32_t flag, uint32_t member)
{
    struct node_sync_call *call = call_at(sync, call_index);
    if (call->raised_at[flag] == NODE_SYNC_DOWN)
        wait_for(sync, call, member, flag);
    else if (sync->critical)
        critical_resume(sync->critical, sync->causes[call_index].flags[flag],
                        sync->causes[call_index].moments[flag]);
    return call->raised_at[flag];
}

/* -------------------------------------------------------------- life cycle */

void node_sync_init(struct node_sync *sync, void *self, void (*release)(void *self, uint32_t member, ps_t at))
{
    *sync = (struct node_sync){.self = self, .release = release};
    queue_table_init(&sync->by_key);
    pool_init(&sync->calls, sizeof(struct node_sync_call), "nodes in collective calls");
    pool_init(&sync->waits, sizeof(struct node_sync_wait), "ranks that wait for their node");
}

void node_sync_free(struct node_sync *sync)
{
    for (uint32_t call = 0; call < sync->calls.fresh; call++)
        free(call_at(sync, call)->raised_at);
    for (size_t call = 0; call < sync->cause_capacity; call++)
        free(sync->causes[call].flags);
    for (size_t call = 0; call < sync->cause_capacity; call++)
        free(sync->causes[call].moments);
    free(sync->causes);
    pool_free(&sync->waits);
    pool_free(&sync->calls);
    queue_table_free(&sync->by_key);
}

size_t node_sync_bytes(const struct node_sync *sync)
{
    size_t bytes = queue_table_bytes(&sync->by_key) + sync->calls.capacity * sync->calls.size +
                   sync->waits.capacity * sync->waits.size;
    for (uint32_t call = 0; call < sync->calls.fresh; call++)
        bytes += call_at(sync, call)->flag_capacity * sizeof(ps_t);
    return bytes;
}
