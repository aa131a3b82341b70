#include "coll/nodes.h"
#include "engine/rank/internal.h"

/* Ranks of a node in a collective call whose schedule knows nodes. What it does in shared memory takes no
 * time, and neither do barriers and flags; they keep the order. Which of the shared copies a call uses does
 * not matter here: the prover has shown that none is used too early. */

static struct run *run_at(const struct machine *machine, uint32_t index)
{
    return pool_at(&machine->runs, index);
}

static struct gathering *gathering_of(const struct machine *machine, uint32_t run)
{
    return pool_at(&machine->gathering_records, run_at(machine, run)->gathering);
}

/* ------------------------------------------------------------------------------------------------- nodes */

const struct coll_nodes *gathering_nodes(struct machine *machine, uint32_t group)
{
    struct group_nodes *made = &machine->group_nodes[group];
    const struct group *members = &machine->program->groups[group];
    if (made->words)
        return &made->nodes;
    made->words = mem_alloc(coll_nodes_words(members->size), sizeof *made->words, "nodes of a group");
    group_places(members, (uint32_t)machine->node->ranks_per_node, made->words);
    coll_nodes_make(&made->nodes, members->size, made->words, made->words);
    return &made->nodes;
}

/* -------------------------------------------------------------------------------------- coming and going */

/* A record, with the memory for flags that its last user left: calls that repeat allocate nothing. */
static uint32_t take_record(struct machine *machine)
{
    struct pool *records = &machine->gathering_records;
    uint32_t known = records->fresh;
    uint32_t record = pool_take(records);
    if (record >= known)
        *(struct gathering *)pool_at(records, record) = (struct gathering){0};
    return record;
}

static void begin(struct gathering *self, const struct run *run, struct queue_key key)
{
    uint32_t flags = run->algorithm->flags ? run->algorithm->flags(&run->call) : 0;
    uint32_t ranks = node_ranks(&run->call, node_of(&run->call, run->call.rank));
    size_t capacity = self->flag_capacity;
    ps_t *raised_at = mem_grow(self->raised_at, &capacity, flags, "flags of a node");
    *self = (struct gathering){.ranks = ranks,
                               .left = ranks,
                               .waits = POOL_NONE,
                               .key = key,
                               .raised_at = raised_at,
                               .flag_capacity = capacity};
    for (uint32_t flag = 0; flag < flags; flag++)
        self->raised_at[flag] = FLAG_DOWN;
}

void gathering_enter(struct machine *machine, uint32_t index)
{
    struct run *run = run_at(machine, index);
    uint64_t node = node_of(&run->call, run->call.rank);
    struct queue_key key = {.high = node << 32 | run->group,
                            .low = (uint64_t)run->context << 32 | run->sequence};
    struct queue_table_entry *entry = queue_table_at(&machine->gatherings, key);
    if (entry->queue.head == POOL_NONE) {
        entry->queue.head = take_record(machine);
        begin(pool_at(&machine->gathering_records, entry->queue.head), run, key);
    }
    run->gathering = entry->queue.head;
}

void gathering_leave(struct machine *machine, uint32_t index)
{
    struct run *run = run_at(machine, index);
    if (run->gathering == POOL_NONE)
        return;
    struct gathering *self = gathering_of(machine, index);
    if (--self->left > 0)
        return;
    struct queue_table_entry *entry = queue_table_at(&machine->gatherings, self->key);
    entry->queue.head = POOL_NONE;
    queue_table_remove(&machine->gatherings, entry);
    pool_give(&machine->gathering_records, run->gathering);
}

/* ---------------------------------------------------------------------------------------- waiting, release
 */

static void wait_for(struct machine *machine, uint32_t run, uint32_t flag)
{
    struct gathering *self = gathering_of(machine, run);
    uint32_t record = pool_take(&machine->waits);
    *(struct wait *)pool_at(&machine->waits, record) =
        (struct wait){.run = run, .flag = flag, .next = self->waits};
    self->waits = record;
    run_at(machine, run)->pending++;
}

/* Everyone who waits for `flag` goes on at `at`. */
static void release(struct machine *machine, struct gathering *self, uint32_t flag, ps_t at)
{
    uint32_t *link = &self->waits;
    while (*link != POOL_NONE) {
        uint32_t record = *link;
        struct wait *wait = pool_at(&machine->waits, record);
        if (wait->flag != flag) {
            link = &wait->next;
            continue;
        }
        uint32_t run = wait->run;
        *link = wait->next;
        pool_give(&machine->waits, record);
        collective_message_done(machine, run, at, TAP_NOBODY);
    }
}

void gathering_barrier(struct machine *machine, uint32_t run, ps_t at)
{
    struct gathering *self = gathering_of(machine, run);
    wait_for(machine, run, WAIT_BARRIER);
    self->arrived_at = ps_max(self->arrived_at, at);
    if (++self->arrived < self->ranks)
        return;
    at = self->arrived_at;
    self->arrived = 0;
    self->arrived_at = 0;
    release(machine, self, WAIT_BARRIER, at);
}

void gathering_raise(struct machine *machine, uint32_t run, uint32_t flag, ps_t at)
{
    struct gathering *self = gathering_of(machine, run);
    self->raised_at[flag] = at;
    release(machine, self, flag, at);
}

void gathering_await(struct machine *machine, uint32_t index, uint32_t flag)
{
    struct run *run = run_at(machine, index);
    ps_t raised_at = gathering_of(machine, index)->raised_at[flag];
    if (raised_at == FLAG_DOWN)
        wait_for(machine, index, flag);
    else
        run->latest = ps_max(run->latest, raised_at);
}

uint32_t gathering_flag_owner(struct machine *machine, uint32_t run, uint32_t flag)
{
    uint32_t record = pool_take(&machine->waits);
    *(struct wait *)pool_at(&machine->waits, record) = (struct wait){.run = run, .flag = flag};
    return record;
}

/* ------------------------------------------------------------------------------------------- set-up, end */

void gathering_open(struct machine *machine)
{
    machine->group_nodes =
        mem_alloc(machine->program->group_count, sizeof *machine->group_nodes, "nodes of groups");
    queue_table_init(&machine->gatherings);
    pool_init(&machine->gathering_records, sizeof(struct gathering), "nodes in collective calls");
    pool_init(&machine->waits, sizeof(struct wait), "ranks that wait for their node");
}

void gathering_close(struct machine *machine)
{
    for (uint32_t record = 0; record < machine->gathering_records.fresh; record++)
        free(((struct gathering *)pool_at(&machine->gathering_records, record))->raised_at);
    for (uint32_t group = 0; group < machine->program->group_count; group++)
        free(machine->group_nodes[group].words);
    free(machine->group_nodes);
    pool_free(&machine->waits);
    pool_free(&machine->gathering_records);
    queue_table_free(&machine->gatherings);
}

size_t gathering_bytes(const struct machine *machine)
{
    size_t bytes = queue_table_bytes(&machine->gatherings) +
                   machine->gathering_records.capacity * machine->gathering_records.size +
                   machine->waits.capacity * machine->waits.size +
                   machine->program->group_count * sizeof *machine->group_nodes;
    for (uint32_t record = 0; record < machine->gathering_records.fresh; record++)
        bytes +=
            ((struct gathering *)pool_at(&machine->gathering_records, record))->flag_capacity * sizeof(ps_t);
    for (uint32_t group = 0; group < machine->program->group_count; group++)
        if (machine->group_nodes[group].words)
            bytes += coll_nodes_words(machine->program->groups[group].size) * sizeof(uint32_t);
    return bytes;
}
