#include "engine/loggops/internal.h"

/* ----------------------------------------------------------------- the queue */

static inline bool is_before(const struct loggops_event *a, const struct loggops_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

enum { CHILDREN = 4 };

/* Puts the event where its parents are not later, from the free place `at` upwards. Equal times stay as they
 * are: which of them leaves first follows from the shape of the heap. */
static void rise_unordered(struct loggops_event *events, size_t at, const struct loggops_event *event)
{
    for (; at && events[(at - 1) / 2].at > event->at; at = (at - 1) / 2)
        events[at] = events[(at - 1) / 2];
    events[at] = *event;
}

/* The free place at the top goes down to the end, and the last event rises from there, as in the standard
 * library of C++. Of children with equal times the second one moves up. */
static void sink_unordered(struct loggops_event *events, size_t count, const struct loggops_event *event)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && events[child + 1].at <= events[child].at)
            child++;
        events[at] = events[child];
    }
    rise_unordered(events, at, event);
}

static void push(struct loggops_queue *queue, const struct loggops_event *event)
{
    queue->events = mem_grow(queue->events, &queue->capacity, queue->count + 1, "events");
    struct loggops_event *events = queue->events;
    size_t at = queue->count++;
    if (queue->count > queue->peak)
        queue->peak = queue->count;
    if (queue->is_unordered) {
        rise_unordered(events, at, event);
        return;
    }
    while (at && is_before(event, &events[(at - 1) / CHILDREN])) {
        events[at] = events[(at - 1) / CHILDREN];
        at = (at - 1) / CHILDREN;
    }
    events[at] = *event;
}

void loggops_push(struct loggops *engine, when_t at, enum loggops_event_kind kind, uint32_t host,
                  uint32_t subject)
{
    push(&engine->queue, &(struct loggops_event){.at = at,
                                                 .order = engine->queue.numbers++ << 2 | (uint64_t)kind,
                                                 .host = host,
                                                 .subject = subject});
}

void loggops_push_again(struct loggops *engine, const struct loggops_event *event, when_t at)
{
    struct loggops_event again = *event;
    again.at = at;
    push(&engine->queue, &again);
}

/* The last event sinks from the top. */
static void sink(struct loggops_queue *queue, const struct loggops_event *event)
{
    struct loggops_event *events = queue->events;
    size_t at = 0, count = queue->count;
    for (size_t first; (first = at * CHILDREN + 1) < count;) {
        size_t least = first, end = first + CHILDREN < count ? first + CHILDREN : count;
        for (size_t child = first + 1; child < end; child++)
            if (is_before(&events[child], &events[least]))
                least = child;
        if (!is_before(&events[least], event))
            break;
        events[at] = events[least];
        at = least;
    }
    events[at] = *event;
}

bool loggops_take(struct loggops *engine, struct loggops_event *event)
{
    struct loggops_queue *queue = &engine->queue;
    if (!queue->count)
        return false;
    *event = queue->events[0];
    queue->taken++;
    if (--queue->count) {
        struct loggops_event last = queue->events[queue->count];
        if (queue->is_unordered)
            sink_unordered(queue->events, queue->count, &last);
        else
            sink(queue, &last);
    }
    return true;
}

/* ------------------------------------------------------------------- waiting */

static struct loggops_group *group_at(const struct loggops *engine, uint32_t index)
{
    return pool_at(&engine->groups, index);
}

static uint32_t group_of(struct loggops *engine, uint32_t host, enum loggops_need need, uint8_t core,
                         uint8_t nic)
{
    uint32_t index = engine->hosts[host].groups;
    for (; index != POOL_NONE; index = group_at(engine, index)->next) {
        const struct loggops_group *group = group_at(engine, index);
        if (group->need == need && group->core == core && (need == NEED_CPU || group->nic == nic))
            return index;
    }
    index = pool_take(&engine->groups);
    *group_at(engine, index) = (struct loggops_group){
        .host = host, .next = engine->hosts[host].groups, .need = (uint8_t)need, .core = core, .nic = nic};
    engine->hosts[host].groups = index;
    return index;
}

static when_t free_at(const struct loggops *engine, const struct loggops_group *group)
{
    when_t cpu = *loggops_cpu(engine, group->host, group->core);
    if (group->need == NEED_CPU)
        return cpu;
    return when_max(cpu, group->need == NEED_CPU_AND_SEND
                             ? *loggops_send_nic(engine, group->host, group->nic)
                             : *loggops_receive_nic(engine, group->host, group->nic));
}

/* An entry for the first event of the group. */
static void enter(struct loggops *engine, uint32_t index)
{
    const struct loggops_group *group = group_at(engine, index);
    push(&engine->queue,
         &(struct loggops_event){.at = free_at(engine, group),
                                 .order = (group->waiting[0].order & ~UINT64_C(3)) | EVENT_GROUP,
                                 .host = group->host,
                                 .subject = index});
}

void loggops_wait(struct loggops *engine, const struct loggops_event *event, enum loggops_need need,
                  uint8_t core, uint8_t nic)
{
    uint32_t index = group_of(engine, event->host, need, core, nic);
    struct loggops_group *group = group_at(engine, index);
    group->waiting = mem_grow(group->waiting, &group->capacity, group->count + 1, "waiting events");
    size_t at = group->count++;
    for (; at && event->order < group->waiting[(at - 1) / 2].order; at = (at - 1) / 2)
        group->waiting[at] = group->waiting[(at - 1) / 2];
    group->waiting[at] = (struct loggops_waiting){.order = event->order, .subject = event->subject};
    if (at == 0)
        enter(engine, index);
}

static struct loggops_waiting take_first(struct loggops_group *group)
{
    struct loggops_waiting first = group->waiting[0], last = group->waiting[--group->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < group->count; at = child) {
        if (child + 1 < group->count && group->waiting[child + 1].order < group->waiting[child].order)
            child++;
        if (last.order <= group->waiting[child].order)
            break;
        group->waiting[at] = group->waiting[child];
    }
    group->waiting[at] = last;
    return first;
}

/* An entry is stale where an event with a lower number has come since, which has an entry of its own. */
bool loggops_wake(struct loggops *engine, struct loggops_event *event)
{
    struct loggops_group *group = group_at(engine, event->subject);
    if (!group->count || group->waiting[0].order >> 2 != event->order >> 2)
        return false;
    when_t at = free_at(engine, group);
    if (at > event->at) {
        loggops_push_again(engine, event, at);
        return false;
    }
    struct loggops_waiting first = take_first(group);
    event->order = first.order;
    event->subject = first.subject;
    return true;
}

void loggops_woken(struct loggops *engine, uint32_t group)
{
    if (group_at(engine, group)->count)
        enter(engine, group);
}

void loggops_queue_free(struct loggops *engine)
{
    for (uint32_t i = 0; i < engine->groups.fresh; i++)
        free(group_at(engine, i)->waiting);
    pool_free(&engine->groups);
    free(engine->queue.events);
}
