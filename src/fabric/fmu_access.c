#include "fabric/fmu.h"

/* The optical circuit switch (FMU paper, sections III-C and IV-A). Each FMU has a FIFO queue of accesses; an
 * access is granted when it is at the head, its FMU is free and so is its node's CFMU, and holds both until
 * its release. A head whose CFMU is busy blocks its queue; it waits for that CFMU in the order of coming.
 * Grants take FMU and CFMU at once, so nobody holds one while waiting for the other.
 *
 * Access time, Eq. 1: T_ocm and T_map pass before the queue; the switch (T_switch), its acknowledgement
 * (T_ocm), the data (T_ocm + T_copy) and the release (T_ocm) while both are held. */

/* ----------------------------------------------------------------------------------------------- queues */

static struct queue_key same_key(uint32_t unit, uint32_t node)
{
    return (struct queue_key){.high = unit, .low = node};
}

static bool finds_same(const struct fmu *fmu)
{
    return fmu->config->coalesce == FMU_COALESCE_QUEUED;
}

/* `front`: before all others of the queue, otherwise behind them. */
static void enqueue(struct fmu *fmu, uint32_t unit_index, uint32_t index, bool front)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    struct access *access = access_at(fmu, index);
    access->before = front ? POOL_NONE : unit->tail;
    access->after = front ? unit->head : POOL_NONE;
    if (access->before != POOL_NONE)
        access_at(fmu, access->before)->after = index;
    else
        unit->head = index;
    if (access->after != POOL_NONE)
        access_at(fmu, access->after)->before = index;
    else
        unit->tail = index;

    if (!finds_same(fmu))
        return;
    struct queue *same = &queue_table_at(&fmu->same_node, same_key(unit_index, access->node))->queue;
    access->after_same = front ? same->head : POOL_NONE;
    if (same->head == POOL_NONE)
        same->head = same->tail = index;
    else if (front)
        same->head = index;
    else {
        access_at(fmu, same->tail)->after_same = index;
        same->tail = index;
    }
}

/* An access leaves a queue from its head, or as the first of its node: in both cases it is first among the
 * same. */
static void dequeue(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    const struct access *access = access_at(fmu, index);
    if (access->before != POOL_NONE)
        access_at(fmu, access->before)->after = access->after;
    else
        unit->head = access->after;
    if (access->after != POOL_NONE)
        access_at(fmu, access->after)->before = access->before;
    else
        unit->tail = access->before;

    if (!finds_same(fmu))
        return;
    struct queue_table_entry *same = queue_table_at(&fmu->same_node, same_key(unit_index, access->node));
    same->queue.head = access->after_same;
    if (same->queue.head == POOL_NONE)
        queue_table_remove(&fmu->same_node, same);
}

static void update_idle(struct fmu *fmu, uint32_t unit_index)
{
    const struct fmu_unit *unit = &fmu->units[unit_index];
    bool idle = unit->head == POOL_NONE && unit->serving == POOL_NONE && unit->parked_head == POOL_NONE;
    fmu_mapping_set_idle(&fmu->mapping, unit_index, idle);
}

/* ---------------------------------------------------------------------------------------- waiting for a CFMU
 */

static void wait_for(struct fmu *fmu, uint32_t unit_index, uint32_t node)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    struct fmu_controller *controller = &fmu->controllers[node];
    unit->blocked_on = node;
    unit->wait_before = controller->wait_tail;
    unit->wait_after = POOL_NONE;
    if (controller->wait_tail != POOL_NONE)
        fmu->units[controller->wait_tail].wait_after = unit_index;
    else
        controller->wait_head = unit_index;
    controller->wait_tail = unit_index;
}

static void stop_waiting(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    if (unit->blocked_on == POOL_NONE)
        return;
    struct fmu_controller *controller = &fmu->controllers[unit->blocked_on];
    if (unit->wait_before != POOL_NONE)
        fmu->units[unit->wait_before].wait_after = unit->wait_after;
    else
        controller->wait_head = unit->wait_after;
    if (unit->wait_after != POOL_NONE)
        fmu->units[unit->wait_after].wait_before = unit->wait_before;
    else
        controller->wait_tail = unit->wait_before;
    unit->blocked_on = POOL_NONE;
}

/* ---------------------------------------------------------------------------------------------- serving */

/* Whether an access at the head could be served if FMU and CFMU were free. A write needs room, and lets those
 * pass that read; a read needs its write to have ended. Reserves the room. */
static bool is_ready(struct fmu *fmu, uint32_t unit_index, struct access *access)
{
    if (access->reading)
        return transfer_at(fmu, access->transfer)->written;
    bool others_wait = fmu->units[unit_index].parked_head != POOL_NONE;
    if (!access->reserved && !others_wait)
        access->reserved = fmu_reserve(fmu, access->transfer);
    return access->reserved;
}

/* Takes an access that is not ready out of the queue: a write joins those that wait for room, a read comes
 * back when its write ends. */
static void park(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    struct access *access = access_at(fmu, index);
    dequeue(fmu, unit_index, index);
    if (access->reading) {
        transfer_at(fmu, access->transfer)->parked_read = index;
        return;
    }
    fmu->statistics.space_waits++;
    access->after = POOL_NONE;
    if (unit->parked_head == POOL_NONE)
        unit->parked_head = index;
    else
        access_at(fmu, unit->parked_tail)->after = index;
    unit->parked_tail = index;
}

static void note_wait(struct fmu *fmu, const struct access *access)
{
    ps_t wait = fmu->loop->now - access->queued_at;
    struct fmu_statistics *statistics = &fmu->statistics;
    statistics->accesses++;
    statistics->queue_wait_sum = ps_add(statistics->queue_wait_sum, wait);
    statistics->queue_wait_max = ps_max(statistics->queue_wait_max, wait);
    if (!wait)
        return;
    profile_step(&fmu->waiting, access->queued_at, 1);
    profile_step(&fmu->waiting, fmu->loop->now, -1);
}

/* Where the time of an access goes that is granted now, up to its release. */
static void tell_access(const struct fmu *fmu, uint32_t unit_index, const struct access *access,
                        ps_t before_copy, ps_t copied)
{
    uint32_t message = transfer_at(fmu, access->transfer)->message;
    ps_t now = fmu->loop->now, came = access->queued_at;
    ps_t left = came - ps_add(fmu->config->t_ocm, fmu->config->t_map), switched = ps_add(now, before_copy);
    tap_emit_part(fmu->tap, message, TAP_PART_ACQUIRE, left, came, NULL, 0);
    tap_emit_part(fmu->tap, message, TAP_PART_QUEUE, came, now, "FMU", unit_index);
    tap_emit_part(fmu->tap, message, TAP_PART_SWITCH, now, switched, NULL, 0);
    tap_emit_part(fmu->tap, message, TAP_PART_TRANSFER, switched, ps_add(now, copied), NULL, 0);
}

/* Serves an access that is out of its queue; `before_copy` passes before its data move. */
static void serve(struct fmu *fmu, uint32_t unit_index, uint32_t index, ps_t before_copy)
{
    const struct fmu_config *config = fmu->config;
    const struct access *access = access_at(fmu, index);
    uint64_t bytes = transfer_at(fmu, access->transfer)->bytes;
    if (config->tag == FMU_TAG_HEADER)
        bytes = fmu_entry_bytes(transfer_at(fmu, access->transfer));
    note_wait(fmu, access);
    fmu->units[unit_index].serving = index;
    ps_t copied =
        ps_add(before_copy, ps_add(config->t_ocm, service_ps(bytes, config->bandwidth_bytes_per_s)));
    tell_access(fmu, unit_index, access, before_copy, copied);
    loop_at(fmu->loop, ps_add(fmu->loop->now, copied), fmu->copied_kind, unit_index);
}

/* Grants the FMU to the first of its queue that is ready, if that one's CFMU is free and nobody came for it
 * before. */
static void try_head(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    if (unit->serving != POOL_NONE)
        return;
    while (unit->head != POOL_NONE && !is_ready(fmu, unit_index, access_at(fmu, unit->head)))
        park(fmu, unit_index, unit->head);
    uint32_t index = unit->head;
    uint32_t node = index == POOL_NONE ? POOL_NONE : access_at(fmu, index)->node;
    if (unit->blocked_on != node)
        stop_waiting(fmu, unit_index);
    if (index == POOL_NONE)
        return;
    struct fmu_controller *controller = &fmu->controllers[node];
    bool others_first = controller->wait_head != POOL_NONE && controller->wait_head != unit_index;
    if (controller->busy || others_first) {
        if (unit->blocked_on == POOL_NONE)
            wait_for(fmu, unit_index, node);
        return;
    }
    stop_waiting(fmu, unit_index);
    dequeue(fmu, unit_index, index);
    controller->busy = true;
    unit->granted_at = fmu->loop->now;
    unit->together = 1;
    fmu->statistics.switches++;
    serve(fmu, unit_index, index, ps_add(fmu->config->t_switch, fmu->config->t_ocm));
}

/* The access of this node that may follow under the same switch, or POOL_NONE. */
static uint32_t find_companion(struct fmu *fmu, uint32_t unit_index, uint32_t node)
{
    const struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t index = POOL_NONE;
    if (unit->together >= fmu->config->coalesce_limit)
        return POOL_NONE;
    if (fmu->config->coalesce == FMU_COALESCE_ADJACENT)
        index = unit->head;
    if (fmu->config->coalesce == FMU_COALESCE_QUEUED && unit->head != POOL_NONE) {
        struct queue_table_entry *same = queue_table_at(&fmu->same_node, same_key(unit_index, node));
        index = same->queue.head;
        if (index == POOL_NONE)
            queue_table_remove(&fmu->same_node, same);
    }
    bool fits = index != POOL_NONE && access_at(fmu, index)->node == node &&
                is_ready(fmu, unit_index, access_at(fmu, index));
    return fits ? index : POOL_NONE;
}

/* ---------------------------------------------------------------------------------- requests and releases */

void fmu_on_arrive(void *self, uint32_t index)
{
    struct fmu *fmu = self;
    struct access *access = access_at(fmu, index);
    struct transfer *transfer = transfer_at(fmu, access->transfer);
    if (!access->reading) {
        transfer->fmu = fmu_mapping_choose(&fmu->mapping, transfer->destination_node, transfer->bytes);
        fmu->writes[transfer->fmu]++;
    } else {
        fmu_mapping_read(&fmu->mapping, transfer->fmu, transfer->bytes);
    }
    uint32_t unit = transfer->fmu;
    access->queued_at = fmu->loop->now;
    enqueue(fmu, unit, index, false);
    if (fmu->units[unit].head == index)
        try_head(fmu, unit);
    update_idle(fmu, unit);
}

void fmu_request(struct fmu *fmu, uint32_t transfer, bool reading)
{
    uint32_t index = pool_take(&fmu->accesses);
    const struct transfer *of = transfer_at(fmu, transfer);
    *access_at(fmu, index) = (struct access){
        .transfer = transfer, .node = reading ? of->destination_node : of->source_node, .reading = reading};
    ps_t before_queue = ps_add(fmu->config->t_ocm, fmu->config->t_map);
    if (before_queue > 0)
        loop_at(fmu->loop, ps_add(fmu->loop->now, before_queue), fmu->arrive_kind, index);
    else
        fmu_on_arrive(fmu, index);
}

/* Room has been freed: those who waited for it come back to the head of the queue, in their order, as far as
 * it goes. */
static void unpark_writes(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t last = POOL_NONE; /* of those that come back, linked backwards by `before` */
    while (unit->parked_head != POOL_NONE) {
        uint32_t index = unit->parked_head;
        struct access *access = access_at(fmu, index);
        if (!fmu_reserve(fmu, access->transfer))
            break;
        access->reserved = true;
        unit->parked_head = access->after;
        access->before = last;
        last = index;
    }
    while (last != POOL_NONE) {
        uint32_t before = access_at(fmu, last)->before;
        enqueue(fmu, unit_index, last, true);
        last = before;
    }
}

/* What an access that ends changes for the queue: its read may come, or room is free. */
static void settle(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    const struct access done = *access_at(fmu, index);
    struct transfer *transfer = transfer_at(fmu, done.transfer);
    pool_give(&fmu->accesses, index);
    if (!done.reading) {
        transfer->written = true;
        if (transfer->parked_read != POOL_NONE)
            enqueue(fmu, unit_index, transfer->parked_read, true);
        transfer->parked_read = POOL_NONE;
        fmu_access_done(fmu, &done);
        return;
    }
    fmu_access_done(fmu, &done);
    fmu_consume(fmu, done.transfer);
    unpark_writes(fmu, unit_index);
}

void fmu_on_copied(void *self, uint32_t unit_index)
{
    struct fmu *fmu = self;
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t served = unit->serving, node = access_at(fmu, served)->node;
    uint32_t companion = find_companion(fmu, unit_index, node);
    if (companion != POOL_NONE) {
        dequeue(fmu, unit_index, companion);
        unit->together++;
        fmu->statistics.coalesced++;
        settle(fmu, unit_index, served);
        serve(fmu, unit_index, companion, 0);
        return;
    }
    if (fmu->config->t_ocm > 0)
        loop_at(fmu->loop, ps_add(fmu->loop->now, fmu->config->t_ocm), fmu->release_kind, unit_index);
    else
        fmu_on_release(fmu, unit_index);
}

void fmu_on_release(void *self, uint32_t unit_index)
{
    struct fmu *fmu = self;
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t served = unit->serving;
    struct fmu_controller *controller = &fmu->controllers[access_at(fmu, served)->node];
    unit->serving = POOL_NONE;
    controller->busy = false;
    fmu->busy[unit_index] += fmu->loop->now - unit->granted_at;
    profile_step(&fmu->connected, unit->granted_at, 1);
    profile_step(&fmu->connected, fmu->loop->now, -1);
    tap_emit_part(fmu->tap, transfer_at(fmu, access_at(fmu, served)->transfer)->message, TAP_PART_RELEASE,
                  fmu->loop->now - fmu->config->t_ocm, fmu->loop->now, NULL, 0);
    settle(fmu, unit_index, served);
    try_head(fmu, unit_index);
    if (!controller->busy && controller->wait_head != POOL_NONE)
        try_head(fmu, controller->wait_head);
    update_idle(fmu, unit_index);
}
