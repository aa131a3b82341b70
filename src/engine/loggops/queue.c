#include "engine/loggops/internal.h"

/* ----------------------------------------------------------------- the heap */

static inline bool is_before(const struct loggops_event *a, const struct loggops_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

enum { CHILDREN = 4 };

static void rise(struct loggops_event *events, size_t at, const struct loggops_event *event)
{
    for (; at && is_before(event, &events[(at - 1) / CHILDREN]); at = (at - 1) / CHILDREN)
        events[at] = events[(at - 1) / CHILDREN];
    events[at] = *event;
}

static void sink(struct loggops_event *events, size_t count, const struct loggops_event *event)
{
    size_t at = 0;
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

/* The same with two children and without an order of equal times: which of them leaves first follows from the
 * shape of the heap. */
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

static void heap_push(struct loggops_queue *queue, const struct loggops_event *event)
{
    struct loggops_heap *heap = &queue->heap;
    heap->events = mem_grow(heap->events, &heap->capacity, heap->count + 1, "events");
    if (queue->is_unordered)
        rise_unordered(heap->events, heap->count++, event);
    else
        rise(heap->events, heap->count++, event);
}

static struct loggops_event heap_take(struct loggops_queue *queue)
{
    struct loggops_heap *heap = &queue->heap;
    struct loggops_event first = heap->events[0];
    if (--heap->count) {
        struct loggops_event last = heap->events[heap->count];
        if (queue->is_unordered)
            sink_unordered(heap->events, heap->count, &last);
        else
            sink(heap->events, heap->count, &last);
    }
    return first;
}

/* ---------------------------------------------------------------- the queue */

/* Nearly all events have a higher number than all before them, and no time that has passed. They are in the
 * loop's queue, which keeps the order in which it got events of equal time; the kind of an event has the host
 * there, or MESSAGE. Entries of groups, whose numbers are older, have a loop of their own until they are due,
 * in which the kind of an event has the number. The heap has the others: entries of groups that are due, and
 * what LogGOPSim puts into the past. */
#define MESSAGE UINT32_MAX

enum { STEPS = 4, STRIDE = 3 }; /* of prefetching, and events between two of them */

/* The numbers of waiting events are kept beside them in 32 bits: they are not so far apart. */
static uint32_t *number_of(const struct loggops *engine, const struct event *event)
{
    if (event->kind == MESSAGE)
        return &loggops_message(engine, event->subject)->link;
    return &loggops_run(engine, event->kind, event->subject)->link;
}

static uint64_t whole_number(const struct loggops *engine, uint32_t number)
{
    uint64_t numbers = engine->queue.numbers;
    return numbers - (uint32_t)((uint32_t)numbers - number);
}

static struct loggops_event unpack(struct loggops *engine, const struct event *event)
{
    bool is_message = event->kind == MESSAGE;
    uint64_t number = whole_number(engine, *number_of(engine, event));
    return (struct loggops_event){
        .at = (when_t)event->at,
        .order = number << NUMBER_AT | (uint64_t)(is_message ? EVENT_MESSAGE : EVENT_OPERATION),
        .host = is_message ? loggops_message(engine, event->subject)->destination : event->kind,
        .subject = event->subject};
}

static void note_peak(struct loggops_queue *queue)
{
    size_t count = queue->heap.count + queue->loop.pending + queue->groups.pending + queue->has_held;
    if (count > queue->peak)
        queue->peak = count;
}

void loggops_push(struct loggops *engine, when_t at, enum loggops_event_kind kind, uint32_t host,
                  uint32_t subject)
{
    struct loggops_queue *queue = &engine->queue;
    uint64_t number = queue->numbers++;
    const struct event event = {.kind = kind == EVENT_MESSAGE ? MESSAGE : host, .subject = subject};
    if (queue->is_unordered || at < (when_t)queue->loop.now || at >= (when_t)PS_NEVER) {
        heap_push(queue, &(struct loggops_event){.at = at,
                                                 .order = number << NUMBER_AT | (uint64_t)kind,
                                                 .host = host,
                                                 .subject = subject});
    } else {
        *number_of(engine, &event) = (uint32_t)number;
        loop_at(&queue->loop, (ps_t)at, event.kind, subject);
    }
    note_peak(queue);
}

void loggops_push_again(struct loggops *engine, const struct loggops_event *event, when_t at)
{
    struct loggops_event again = *event;
    again.at = at;
    heap_push(&engine->queue, &again);
    note_peak(&engine->queue);
}

/* The entry of a group, with the number of what waits first in it. */
static struct loggops_event entry_of(const struct loggops *engine, uint32_t group, uint64_t number, when_t at)
{
    const struct loggops_group *its = pool_at(&engine->groups, group);
    return (struct loggops_event){
        .at = at, .order = number << NUMBER_AT | EVENT_GROUP, .host = its->host, .subject = group};
}

static void push_entry(struct loggops *engine, uint32_t group, uint64_t number, when_t at)
{
    struct loggops_queue *queue = &engine->queue;
    const struct loggops_event entry = entry_of(engine, group, number, at);
    if (queue->is_unordered || at <= (when_t)queue->loop.now || at >= (when_t)PS_NEVER)
        heap_push(queue, &entry);
    else
        loop_at(&queue->groups, (ps_t)at, (uint32_t)number, group);
    note_peak(queue);
}

/* Entries of groups go into the heap when nothing else is due before them. */
static void admit_groups(struct loggops *engine)
{
    struct loggops_queue *queue = &engine->queue;
    const ps_t at = loop_next_at(&queue->groups);
    struct event event;
    if (at == PS_NEVER || at > (queue->has_held ? (ps_t)queue->held.at : loop_next_at(&queue->loop)))
        return;
    while (loop_next_at(&queue->groups) == at && loop_take(&queue->groups, &event)) {
        const struct loggops_event entry =
            entry_of(engine, event.subject, whole_number(engine, event.kind), (when_t)at);
        heap_push(queue, &entry);
    }
}

/* The first event of the loop's queue is held where its number decides: an event of the heap has its time.
 * Then it stays the first, since no event comes that is earlier. */
static bool heap_is_first(struct loggops *engine)
{
    struct loggops_queue *queue = &engine->queue;
    const struct loggops_event *top = queue->heap.events;
    struct event event;
    if (!queue->heap.count)
        return false;
    if (!queue->has_held && !queue->loop.pending)
        return true;
    if (!queue->has_held && top->at == (when_t)loop_next_at(&queue->loop) &&
        loop_take(&queue->loop, &event)) {
        queue->held = unpack(engine, &event);
        queue->has_held = true;
    }
    return queue->has_held ? is_before(top, &queue->held) : top->at < (when_t)loop_next_at(&queue->loop);
}

/* ------------------------------------------------------------- prefetching */

/* What an event uses has mostly left the caches. Each step prefetches what the one before has led to. */
static void prefetch_message(const struct loggops *engine, uint32_t index, unsigned step)
{
    const struct loggops_message *message = loggops_message(engine, index);
    if (step == 0) {
        __builtin_prefetch(message);
    } else if (step == 1) {
        const struct loggops_host *host = loggops_host(engine, message->destination);
        __builtin_prefetch(host);
        __builtin_prefetch(host->busy);
        __builtin_prefetch(&engine->graph->ranks[message->destination]);
    } else {
        loggops_prefetch_receive(engine, message, step - 2);
    }
}

static void prefetch_operation(const struct loggops *engine, uint32_t host, uint32_t operation, unsigned step)
{
    if (step == 0) {
        __builtin_prefetch(&engine->graph->ranks[host]);
    } else if (step == 1) {
        __builtin_prefetch(loggops_operation(engine, host, operation));
        __builtin_prefetch(loggops_run(engine, host, operation));
    } else if (step == 2) {
        __builtin_prefetch(loggops_host(engine, host));
        __builtin_prefetch(loggops_host(engine, host)->busy);
    }
}

/* What waits first in a group. */
static void prefetch_first(const struct loggops *engine, uint32_t index)
{
    const struct loggops_group *group = pool_at(&engine->groups, index);
    const struct loggops_host *host = loggops_host(engine, group->host);
    __builtin_prefetch(host);
    __builtin_prefetch(host->busy);
    if (group->first == POOL_NONE)
        return;
    if (group->need == NEED_CPU_AND_RECEIVE) {
        __builtin_prefetch(loggops_message(engine, group->first));
    } else {
        __builtin_prefetch(loggops_operation(engine, group->host, group->first));
        __builtin_prefetch(loggops_run(engine, group->host, group->first));
    }
}

/* The groups that are due next: of the first of them what waits in it, of some others themselves. */
static void prefetch_groups(const struct loggops *engine)
{
    const struct loggops_heap *heap = &engine->queue.heap;
    for (size_t i = 1; i <= CHILDREN && i < heap->count; i++)
        if ((heap->events[i].order & 3) == EVENT_GROUP)
            __builtin_prefetch(pool_at(&engine->groups, heap->events[i].subject));
    if (heap->count && (heap->events->order & 3) == EVENT_GROUP)
        prefetch_first(engine, heap->events->subject);
    if (heap->count > 1 || !engine->queue.groups.pending)
        return;
    const struct event *first = loop_upcoming(&engine->queue.groups, 1);
    const struct event *later = loop_upcoming(&engine->queue.groups, 1 + STRIDE);
    if (later)
        __builtin_prefetch(pool_at(&engine->groups, later->subject));
    if (first)
        prefetch_first(engine, first->subject);
}

static void prefetch(const struct loggops *engine)
{
    for (unsigned step = 0; step < STEPS; step++) {
        const struct event *event = loop_upcoming(&engine->queue.loop, STRIDE * (STEPS - step));
        if (!event)
            continue;
        if (event->kind == MESSAGE)
            prefetch_message(engine, event->subject, step);
        else
            prefetch_operation(engine, event->kind, event->subject, step);
    }
}

bool loggops_take(struct loggops *engine, struct loggops_event *event)
{
    struct loggops_queue *queue = &engine->queue;
    struct event first;
    if (queue->groups.pending)
        admit_groups(engine);
    if (heap_is_first(engine)) {
        *event = heap_take(queue);
    } else if (queue->has_held) {
        *event = queue->held;
        queue->has_held = false;
    } else if (loop_take(&queue->loop, &first)) {
        *event = unpack(engine, &first);
    } else {
        return false;
    }
    prefetch(engine);
    if (queue->groups.pending || queue->heap.count)
        prefetch_groups(engine);
    queue->taken++;
    if (event->at > (when_t)queue->loop.now && event->at < (when_t)PS_NEVER)
        queue->loop.now = (ps_t)event->at;
    return true;
}

/* ------------------------------------------------------------------ waiting */

static struct loggops_group *group_at(const struct loggops *engine, uint32_t index)
{
    return pool_at(&engine->groups, index);
}

static uint32_t group_of(struct loggops *engine, uint32_t host, enum loggops_need need, uint8_t core,
                         uint8_t nic)
{
    uint32_t index = loggops_host(engine, host)->groups;
    for (; index != POOL_NONE; index = group_at(engine, index)->next) {
        const struct loggops_group *group = group_at(engine, index);
        if (group->need == need && group->core == core && (need == NEED_CPU || group->nic == nic))
            return index;
    }
    index = pool_take(&engine->groups);
    *group_at(engine, index) = (struct loggops_group){.first = POOL_NONE,
                                                      .host = host,
                                                      .next = loggops_host(engine, host)->groups,
                                                      .need = (uint8_t)need,
                                                      .core = core,
                                                      .nic = nic};
    loggops_host(engine, host)->groups = index;
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

/* What waits in a group. */
static struct event waiting_at(const struct loggops_group *group, uint32_t subject)
{
    return (struct event){.kind = group->need == NEED_CPU_AND_RECEIVE ? MESSAGE : group->host,
                          .subject = subject};
}

static struct loggops_links *links_at(const struct loggops *engine, const struct loggops_group *group,
                                      uint32_t subject)
{
    if (group->need == NEED_CPU_AND_RECEIVE)
        return &loggops_message(engine, subject)->links;
    return &loggops_run(engine, group->host, subject)->links;
}

static uint64_t order_of(const struct loggops *engine, const struct loggops_group *group, uint32_t subject)
{
    const struct event event = waiting_at(group, subject);
    uint64_t kind = group->need == NEED_CPU_AND_RECEIVE ? EVENT_MESSAGE : EVENT_OPERATION;
    return whole_number(engine, *number_of(engine, &event)) << NUMBER_AT | kind;
}

/* An entry for the first event of the group. */
static void enter(struct loggops *engine, uint32_t index)
{
    const struct loggops_group *group = group_at(engine, index);
    push_entry(engine, index, order_of(engine, group, group->first) >> NUMBER_AT, free_at(engine, group));
}

/* Two heaps as one. A heap is named by its first event; POOL_NONE: it is empty. */
static uint32_t meld(const struct loggops *engine, const struct loggops_group *group, uint32_t a, uint32_t b)
{
    if (a == POOL_NONE || b == POOL_NONE)
        return a == POOL_NONE ? b : a;
    if (order_of(engine, group, b) < order_of(engine, group, a)) {
        uint32_t first = b;
        b = a;
        a = first;
    }
    struct loggops_links *above = links_at(engine, group, a);
    links_at(engine, group, b)->sibling = above->child;
    above->child = b;
    return a;
}

void loggops_wait(struct loggops *engine, const struct loggops_event *event, enum loggops_need need,
                  uint8_t core, uint8_t nic)
{
    uint32_t index = group_of(engine, event->host, need, core, nic);
    struct loggops_group *group = group_at(engine, index);
    const struct event waiting = waiting_at(group, event->subject);
    *number_of(engine, &waiting) = (uint32_t)(event->order >> NUMBER_AT);
    *links_at(engine, group, event->subject) = (struct loggops_links){POOL_NONE, POOL_NONE};
    group->first = meld(engine, group, group->first, event->subject);
    if (group->first == event->subject)
        enter(engine, index);
}

/* What was below the first event becomes one heap: pairs from front to back, then all from back to front. */
static uint32_t take_first(const struct loggops *engine, struct loggops_group *group)
{
    uint32_t first = group->first, pairs = POOL_NONE, rest = POOL_NONE;
    uint32_t next = links_at(engine, group, first)->child;
    while (next != POOL_NONE) {
        uint32_t a = next, b = links_at(engine, group, a)->sibling;
        next = b == POOL_NONE ? POOL_NONE : links_at(engine, group, b)->sibling;
        uint32_t pair = meld(engine, group, a, b);
        links_at(engine, group, pair)->sibling = pairs;
        pairs = pair;
    }
    while (pairs != POOL_NONE) {
        uint32_t before = links_at(engine, group, pairs)->sibling;
        rest = meld(engine, group, rest, pairs);
        pairs = before;
    }
    group->first = rest;
    return first;
}

/* An entry is stale where an event with a lower number has come since, which has an entry of its own. */
bool loggops_wake(struct loggops *engine, struct loggops_event *event)
{
    struct loggops_group *group = group_at(engine, event->subject);
    if (group->first == POOL_NONE ||
        order_of(engine, group, group->first) >> NUMBER_AT != event->order >> NUMBER_AT)
        return false;
    when_t at = free_at(engine, group);
    if (at > event->at) {
        push_entry(engine, event->subject, event->order >> NUMBER_AT, at);
        return false;
    }
    event->order = order_of(engine, group, group->first);
    event->subject = take_first(engine, group);
    return true;
}

void loggops_woken(struct loggops *engine, uint32_t group)
{
    if (group_at(engine, group)->first != POOL_NONE)
        enter(engine, group);
}

void loggops_queue_free(struct loggops *engine)
{
    pool_free(&engine->groups);
    free(engine->queue.heap.events);
    engine->queue.heap = (struct loggops_heap){.events = NULL};
    loop_free(&engine->queue.loop);
    loop_free(&engine->queue.groups);
}
