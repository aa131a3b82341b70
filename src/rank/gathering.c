#include "coll/nodes.h"
#include "rank/parts.h"

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
    uint32_t *place_of = mem_alloc(members->size, sizeof *place_of, "places of ranks");
    uint32_t *number_of = mem_alloc(machine->program->ranks, sizeof *number_of, "numbers of places");
    uint32_t places = 0;
    for (uint32_t rank = 0; rank < members->size; rank++) {
        uint64_t node = group_world(members, rank) / machine->node->ranks_per_node;
        if (number_of[node] == 0)
            number_of[node] = ++places;
        place_of[rank] = number_of[node] - 1;
    }
    made->words = mem_alloc(coll_nodes_words(members->size), sizeof *made->words, "nodes of a group");
    coll_nodes_make(&made->nodes, members->size, place_of, made->words);
    free(number_of);
    free(place_of);
    return &made->nodes;
}

/* -------------------------------------------------------------------------------------- coming and going */

static void begin(struct gathering *self, const struct run *run, struct key key)
{
    uint32_t flags = run->algorithm->flags ? run->algorithm->flags(&run->call) : 0;
    uint32_t ranks = node_ranks(&run->call, node_of(&run->call, run->call.rank));
    *self = (struct gathering){.ranks = ranks, .left = ranks, .waits = POOL_NONE, .key = key};
    if (flags > 0)
        self->raised_at = mem_alloc(flags, sizeof *self->raised_at, "flags of a node");
    for (uint32_t flag = 0; flag < flags; flag++)
        self->raised_at[flag] = FLAG_DOWN;
}

void gathering_enter(struct machine *machine, uint32_t index)
{
    struct run *run = run_at(machine, index);
    uint64_t node = node_of(&run->call, run->call.rank);
    struct key key = {.high = node << 32 | run->group, .low = (uint64_t)run->context << 32 | run->sequence};
    struct key_entry *entry = keytable_at(&machine->gatherings, key);
    if (entry->queue.head == POOL_NONE) {
        entry->queue.head = pool_take(&machine->gathering_records);
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
    struct key_entry *entry = keytable_at(&machine->gatherings, self->key);
    entry->queue.head = POOL_NONE;
    keytable_remove(&machine->gatherings, entry);
    free(self->raised_at);
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
    keytable_init(&machine->gatherings);
    pool_init(&machine->gathering_records, sizeof(struct gathering), "nodes in collective calls");
    pool_init(&machine->waits, sizeof(struct wait), "ranks that wait for their node");
}

/* Gatherings that a failed run has left are freed too. */
void gathering_close(struct machine *machine)
{
    for (size_t i = 0; machine->gatherings.used > 0 && i <= machine->gatherings.mask; i++) {
        uint32_t head = machine->gatherings.entries[i].queue.head;
        if (head != POOL_NONE)
            free(((struct gathering *)pool_at(&machine->gathering_records, head))->raised_at);
    }
    for (uint32_t group = 0; group < machine->program->group_count; group++)
        free(machine->group_nodes[group].words);
    free(machine->group_nodes);
    pool_free(&machine->waits);
    pool_free(&machine->gathering_records);
    keytable_free(&machine->gatherings);
}

size_t gathering_bytes(const struct machine *machine)
{
    size_t bytes = keytable_bytes(&machine->gatherings) +
                   machine->gathering_records.capacity * machine->gathering_records.size +
                   machine->waits.capacity * machine->waits.size +
                   machine->program->group_count * sizeof *machine->group_nodes;
    for (uint32_t group = 0; group < machine->program->group_count; group++)
        if (machine->group_nodes[group].words)
            bytes += coll_nodes_words(machine->program->groups[group].size) * sizeof(uint32_t);
    return bytes;
}
