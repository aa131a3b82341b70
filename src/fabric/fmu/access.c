#include "fabric/fmu/fmu.h"

/* The optical circuit switch (FMU paper, sections III-C and IV-A). Each FMU has a FIFO queue of accesses. An
 * access is granted when it is at the head and both its FMU and its node's CFMU are free; it holds both until
 * its release. A head whose CFMU is busy blocks its queue; FMUs wait for a CFMU first come, first served. A
 * grant takes FMU and CFMU at once, so no access holds one while it waits for the other.
 *
 * Access time, Eq. 1: T_ocm and T_map pass before the queue; the switch (T_switch), its acknowledgement
 * (T_ocm), the data (T_ocm + T_copy) and the release (T_ocm) while both are held. */

/* ------------------------------------------------------------------- queues */

static struct queue_key same_key(uint32_t unit, uint32_t node)
{
    return (struct queue_key){.high = unit, .low = node};
}

static bool finds_same(const struct fmu *fmu)
{
    return fmu->config->coalesce == FMU_COALESCE_QUEUED;
}

static struct chain_links queue_links_of(const struct fmu *fmu)
{
    return CHAIN_LINKS(fmu->accesses.records, struct fmu_access, link);
}

/* To the end of the FMU's queue. */
static void enqueue(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    chain_append(&fmu->units[unit_index].queue, queue_links_of(fmu), index);
    if (!finds_same(fmu))
        return;
    struct queue_key key = same_key(unit_index, fmu_access_at(fmu, index)->node);
    queue_append(&queue_table_at(&fmu->same_node, key)->queue,
                 QUEUE_LINKS(fmu->accesses.records, struct fmu_access, after_same), index);
}

/* To its head. */
static void enqueue_first(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    chain_prepend(&fmu->units[unit_index].queue, queue_links_of(fmu), index);
    if (!finds_same(fmu))
        return;
    struct queue_key key = same_key(unit_index, fmu_access_at(fmu, index)->node);
    queue_prepend(&queue_table_at(&fmu->same_node, key)->queue,
                  QUEUE_LINKS(fmu->accesses.records, struct fmu_access, after_same), index);
}

/* An access leaves from the head of the queue, or is coalesced as the first one of its node: in both cases it
 * is the first one of its node. */
static void dequeue(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    chain_cut(&fmu->units[unit_index].queue, queue_links_of(fmu), index);
    if (!finds_same(fmu))
        return;
    struct queue_key key = same_key(unit_index, fmu_access_at(fmu, index)->node);
    struct queue_table_entry *same = queue_table_at(&fmu->same_node, key);
    queue_take(&same->queue, QUEUE_LINKS(fmu->accesses.records, struct fmu_access, after_same));
    if (queue_is_empty(&same->queue))
        queue_table_remove(&fmu->same_node, same);
}

static void update_idle(struct fmu *fmu, uint32_t unit_index)
{
    const struct fmu_unit *unit = &fmu->units[unit_index];
    bool idle = unit->queue.head == POOL_NONE && unit->serving == POOL_NONE && queue_is_empty(&unit->parked);
    fmu_mapping_set_idle(&fmu->mapping, unit_index, idle);
}

/* ------------------------------------------------------- waiting for a CFMU */

static struct chain_links wait_links_of(const struct fmu *fmu)
{
    return CHAIN_LINKS(fmu->units, struct fmu_unit, wait_link);
}

static void wait_for(struct fmu *fmu, uint32_t unit_index, uint32_t node)
{
    fmu->units[unit_index].blocked_on = node;
    chain_append(&fmu->controllers[node].waiting, wait_links_of(fmu), unit_index);
}

static void stop_waiting(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    if (unit->blocked_on == POOL_NONE)
        return;
    chain_cut(&fmu->controllers[unit->blocked_on].waiting, wait_links_of(fmu), unit_index);
    unit->blocked_on = POOL_NONE;
}

/* ------------------------------------------------------------------ serving */

/* Whether an access at the head could be served if FMU and CFMU were free. A write needs room,
 * which is reserved here; reads overtake a write that waits for room. A read needs its write to have ended.
 */
static bool is_ready(struct fmu *fmu, uint32_t unit_index, struct fmu_access *access)
{
    if (access->reading)
        return fmu_transfer_at(fmu, access->transfer)->written;
    bool others_wait = !queue_is_empty(&fmu->units[unit_index].parked);
    if (!access->reserved && !others_wait)
        access->reserved = fmu_reserve(fmu, access->transfer);
    return access->reserved;
}

static struct queue_links parked_links_of(const struct fmu *fmu)
{
    return QUEUE_LINKS(fmu->accesses.records, struct fmu_access, link.after);
}

/* Takes an access that is not ready out of the queue: a write joins those that wait for room, a read comes
 * back when its write ends. */
static void park(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    const struct fmu_access *access = fmu_access_at(fmu, index);
    dequeue(fmu, unit_index, index);
    if (access->reading) {
        fmu_transfer_at(fmu, access->transfer)->parked_read = index;
        return;
    }
    fmu->statistics.space_waits++;
    queue_append(&fmu->units[unit_index].parked, parked_links_of(fmu), index);
}

static void note_wait(struct fmu *fmu, const struct fmu_access *access)
{
    ps_t wait = fabric_now(&fmu->fabric) - access->queued_at;
    struct fmu_statistics *statistics = &fmu->statistics;
    statistics->accesses++;
    statistics->queue_wait_sum += wait;
    statistics->queue_wait_max = ps_max(statistics->queue_wait_max, wait);
    if (!wait)
        return;
    profile_step(&fmu->waiting, access->queued_at, 1);
    profile_step(&fmu->waiting, fabric_now(&fmu->fabric), -1);
}

/* Tells the tap where the time of an access that is granted now goes, up to its release. */
static void emit_access(const struct fmu *fmu, uint32_t unit_index, const struct fmu_access *access,
                        ps_t before_copy, ps_t copied)
{
    uint32_t message = fmu_transfer_at(fmu, access->transfer)->message;
    ps_t now = fabric_now(&fmu->fabric), came = access->queued_at;
    ps_t left = came - ps_add(fmu->config->t_ocm, fmu->config->t_map), switched = ps_add(now, before_copy);
    tap_emit_part(fmu->fabric.params.tap, message, TAP_PART_ACQUIRE, left, came, NULL, 0);
    tap_emit_part(fmu->fabric.params.tap, message, TAP_PART_QUEUE, came, now, "FMU", unit_index);
    tap_emit_part(fmu->fabric.params.tap, message, TAP_PART_SWITCH, now, switched, NULL, 0);
    tap_emit_part(fmu->fabric.params.tap, message, TAP_PART_TRANSFER, switched, ps_add(now, copied), NULL, 0);
}

/* Serves an access that has left its queue; its data move after the time `before_copy`. */
static void serve(struct fmu *fmu, uint32_t unit_index, uint32_t index, ps_t before_copy)
{
    const struct fmu_config *config = fmu->config;
    const struct fmu_access *access = fmu_access_at(fmu, index);
    uint64_t bytes = fmu_transfer_at(fmu, access->transfer)->bytes;
    if (config->tag == FMU_TAG_HEADER)
        bytes = fmu_entry_bytes(bytes);
    note_wait(fmu, access);
    fmu->units[unit_index].serving = index;
    ps_t copied =
        ps_add(before_copy, ps_add(config->t_ocm, service_ps(bytes, config->bandwidth_bytes_per_s)));
    emit_access(fmu, unit_index, access, before_copy, copied);
    loop_at(fmu->fabric.params.loop, ps_add(fabric_now(&fmu->fabric), copied), fmu->copied_kind, unit_index);
}

/* Grants the FMU to the first access of its queue that is ready, if that one's CFMU is free and no other FMU
 * waits for it. */
static void try_head(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    if (unit->serving != POOL_NONE)
        return;
    while (unit->queue.head != POOL_NONE && !is_ready(fmu, unit_index, fmu_access_at(fmu, unit->queue.head)))
        park(fmu, unit_index, unit->queue.head);
    uint32_t index = unit->queue.head;
    uint32_t node = index == POOL_NONE ? POOL_NONE : fmu_access_at(fmu, index)->node;
    if (unit->blocked_on != node)
        stop_waiting(fmu, unit_index);
    if (index == POOL_NONE)
        return;
    struct fmu_controller *controller = &fmu->controllers[node];
    uint32_t first = controller->waiting.head;
    bool others_first = first != POOL_NONE && first != unit_index;
    if (controller->busy || others_first) {
        if (unit->blocked_on == POOL_NONE)
            wait_for(fmu, unit_index, node);
        return;
    }
    stop_waiting(fmu, unit_index);
    dequeue(fmu, unit_index, index);
    controller->busy = true;
    unit->granted_at = fabric_now(&fmu->fabric);
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
        index = unit->queue.head;
    if (fmu->config->coalesce == FMU_COALESCE_QUEUED && unit->queue.head != POOL_NONE) {
        struct queue_table_entry *same = queue_table_at(&fmu->same_node, same_key(unit_index, node));
        index = same->queue.head;
        if (index == POOL_NONE)
            queue_table_remove(&fmu->same_node, same);
    }
    bool fits = index != POOL_NONE && fmu_access_at(fmu, index)->node == node &&
                is_ready(fmu, unit_index, fmu_access_at(fmu, index));
    return fits ? index : POOL_NONE;
}

/* ---------------------------------------------------- requests and releases */

void fmu_on_arrive(void *self, uint32_t index)
{
    struct fmu *fmu = self;
    struct fmu_access *access = fmu_access_at(fmu, index);
    struct fmu_transfer *transfer = fmu_transfer_at(fmu, access->transfer);
    if (!access->reading) {
        transfer->fmu = fmu_mapping_choose(&fmu->mapping, transfer->destination_node, transfer->bytes);
        fmu->writes[transfer->fmu]++;
    } else {
        fmu_mapping_read(&fmu->mapping, transfer->fmu, transfer->bytes);
    }
    uint32_t unit = transfer->fmu;
    access->queued_at = fabric_now(&fmu->fabric);
    enqueue(fmu, unit, index);
    if (fmu->units[unit].queue.head == index)
        try_head(fmu, unit);
    update_idle(fmu, unit);
}

void fmu_request(struct fmu *fmu, uint32_t transfer, bool reading)
{
    uint32_t index = pool_take(&fmu->accesses);
    const struct fmu_transfer *of = fmu_transfer_at(fmu, transfer);
    *fmu_access_at(fmu, index) = (struct fmu_access){
        .transfer = transfer, .node = reading ? of->destination_node : of->source_node, .reading = reading};
    ps_t before_queue = ps_add(fmu->config->t_ocm, fmu->config->t_map);
    if (before_queue > 0)
        loop_at(fmu->fabric.params.loop, ps_add(fabric_now(&fmu->fabric), before_queue), fmu->arrive_kind,
                index);
    else
        fmu_on_arrive(fmu, index);
}

/* Room has been freed: the writes that wait for it come back to the head of the queue, in their order, as far
 * as the room goes. */
static void unpark_writes(struct fmu *fmu, uint32_t unit_index)
{
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t last = POOL_NONE; /* of those that come back, linked backwards by `before` */
    while (!queue_is_empty(&unit->parked)) {
        uint32_t index = unit->parked.head;
        struct fmu_access *access = fmu_access_at(fmu, index);
        if (!fmu_reserve(fmu, access->transfer))
            break;
        access->reserved = true;
        queue_take(&unit->parked, parked_links_of(fmu));
        access->link.before = last;
        last = index;
    }
    while (last != POOL_NONE) {
        uint32_t before = fmu_access_at(fmu, last)->link.before;
        enqueue_first(fmu, unit_index, last);
        last = before;
    }
}

/* The access has moved its part of the message: all of it in, or all of it out. */
static void access_done(const struct fmu *fmu, const struct fmu_access *access)
{
    uint32_t message = fmu_transfer_at(fmu, access->transfer)->message;
    ps_t now = fabric_now(&fmu->fabric);
    if (access->reading) {
        fabric_delivered(&fmu->fabric, message, now);
        return;
    }
    fabric_sender_done(&fmu->fabric, message, now);
    if (fmu->config->tag == FMU_TAG_HEADER)
        fabric_visible(&fmu->fabric, message, now);
}

/* Ends an access, and does what follows for the queue: its read may come, or room is free. */
static void end_access(struct fmu *fmu, uint32_t unit_index, uint32_t index)
{
    const struct fmu_access done = *fmu_access_at(fmu, index);
    struct fmu_transfer *transfer = fmu_transfer_at(fmu, done.transfer);
    pool_give(&fmu->accesses, index);
    if (!done.reading) {
        transfer->written = true;
        if (transfer->parked_read != POOL_NONE)
            enqueue_first(fmu, unit_index, transfer->parked_read);
        transfer->parked_read = POOL_NONE;
        access_done(fmu, &done);
        return;
    }
    access_done(fmu, &done);
    fmu_consume(fmu, done.transfer);
    unpark_writes(fmu, unit_index);
}

void fmu_on_copied(void *self, uint32_t unit_index)
{
    struct fmu *fmu = self;
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t served = unit->serving, node = fmu_access_at(fmu, served)->node;
    uint32_t companion = find_companion(fmu, unit_index, node);
    if (companion != POOL_NONE) {
        dequeue(fmu, unit_index, companion);
        unit->together++;
        fmu->statistics.coalesced++;
        end_access(fmu, unit_index, served);
        serve(fmu, unit_index, companion, 0);
        return;
    }
    if (fmu->config->t_ocm > 0)
        loop_at(fmu->fabric.params.loop, ps_add(fabric_now(&fmu->fabric), fmu->config->t_ocm),
                fmu->release_kind, unit_index);
    else
        fmu_on_release(fmu, unit_index);
}

void fmu_on_release(void *self, uint32_t unit_index)
{
    struct fmu *fmu = self;
    struct fmu_unit *unit = &fmu->units[unit_index];
    uint32_t served = unit->serving;
    struct fmu_controller *controller = &fmu->controllers[fmu_access_at(fmu, served)->node];
    unit->serving = POOL_NONE;
    controller->busy = false;
    fmu->busy[unit_index] += fabric_now(&fmu->fabric) - unit->granted_at;
    profile_step(&fmu->connected, unit->granted_at, 1);
    profile_step(&fmu->connected, fabric_now(&fmu->fabric), -1);
    tap_emit_part(fmu->fabric.params.tap, fmu_transfer_at(fmu, fmu_access_at(fmu, served)->transfer)->message,
                  TAP_PART_RELEASE, fabric_now(&fmu->fabric) - fmu->config->t_ocm, fabric_now(&fmu->fabric),
                  NULL, 0);
    end_access(fmu, unit_index, served);
    try_head(fmu, unit_index);
    if (!controller->busy && controller->waiting.head != POOL_NONE)
        try_head(fmu, controller->waiting.head);
    update_idle(fmu, unit_index);
}
