#include "host/rnic.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/estimate.h"
#include "base/mem.h"

static const char *const transport_names[] = {
    [RNIC_NONE] = "none", [RNIC_RC] = "rc", [RNIC_UD] = "ud", [RNIC_DC] = "dc", NULL};
static const char *const replace_names[] = {[RNIC_LRU] = "lru", [RNIC_RANDOM] = "random", NULL};

PARAM_TABLE(
    rnic_params, "rnic", struct rnic_config,
    "with host.system: queue pairs of RDMA NICs, and their cache of connections (docs/models/host.md)",
    {.name = "rnic.transport",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct rnic_config, transport),
     .default_text = "none",
     .choices = transport_names,
     .doc = "reliable connections, unreliable datagrams, dynamic connections; none: they cost nothing"},
    {.name = "rnic.queue_pairs",
     .type = PARAM_COUNT,
     .offset = offsetof(struct rnic_config, queue_pairs),
     .default_text = "131072",
     .min = "1",
     .max = "16777216",
     .doc = "queue pairs that a NIC has at most (OHIO, section I: ConnectX-6)"},
    {.name = "rnic.first_level",
     .type = PARAM_COUNT,
     .offset = offsetof(struct rnic_config, first_level),
     .default_text = "256",
     .min = "1",
     .max = "1000000",
     .doc = "connections in the first level of the cache (OHIO, section I: where rates begin to fall)"},
    {.name = "rnic.second_level",
     .type = PARAM_COUNT,
     .offset = offsetof(struct rnic_config, second_level),
     .default_text = "5500",
     .min = "1",
     .max = "1000000",
     .doc = "connections in both levels together: 2 MB of 375 B each (OHIO, section I)"},
    {.name = "rnic.second_level_time",
     .type = PARAM_TIME,
     .offset = offsetof(struct rnic_config, second_level_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .max = "1 s",
     .doc = "time for a connection that is in the second level and not in the first; no paper has it"},
    {.name = "rnic.replace",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct rnic_config, replace),
     .default_text = "lru",
     .choices = replace_names,
     .doc = "which connection leaves a full level: the least recently used one, or a random one"},
    {.name = "rnic.page",
     .type = PARAM_SIZE,
     .offset = offsetof(struct rnic_config, page_bytes),
     .default_text = "4 KiB",
     .min = "1 KiB",
     .max = "1 GiB",
     .doc = "page of registered memory: the NIC reads a translation for each page of a payload"});

/* ------------------------------------------------------------------ levels */

static void level_unlink(struct rnic *rnic, uint32_t index)
{
    struct rnic_slot *slot = &rnic->slots[index];
    struct rnic_level *level = &rnic->levels[slot->level];
    if (slot->previous == POOL_NONE)
        level->head = slot->next;
    else
        rnic->slots[slot->previous].next = slot->next;
    if (slot->next == POOL_NONE)
        level->tail = slot->previous;
    else
        rnic->slots[slot->next].previous = slot->previous;
    uint32_t last = level->members[--level->count];
    level->members[slot->place] = last;
    rnic->slots[last].place = slot->place;
}

static void level_push(struct rnic *rnic, uint32_t which, uint32_t index)
{
    struct rnic_level *level = &rnic->levels[which];
    struct rnic_slot *slot = &rnic->slots[index];
    slot->level = which;
    slot->previous = POOL_NONE;
    slot->next = level->head;
    if (level->head == POOL_NONE)
        level->tail = index;
    else
        rnic->slots[level->head].previous = index;
    level->head = index;
    level->members = mem_grow(level->members, &level->capacity, level->count + 1, "cached connections");
    slot->place = level->count;
    level->members[level->count++] = index;
}

static uint32_t level_victim(struct rnics *rnics, const struct rnic_level *level)
{
    if (rnics->config->replace == RNIC_LRU)
        return level->tail;
    return level->members[rng_below(&rnics->rng, level->count)];
}

/* ------------------------------------------------------------------- cache */

/* Makes room in the first level: moves one connection to the second. */
static void make_room(struct rnics *rnics, struct rnic *rnic)
{
    struct rnic_level *first = &rnic->levels[0];
    if (first->count < first->limit)
        return;
    uint32_t index = level_victim(rnics, first);
    level_unlink(rnic, index);
    level_push(rnic, 1, index);
}

/* The slot of a new connection: a fresh one, or that of a connection that leaves both levels. */
static uint32_t slot_for(struct rnics *rnics, struct rnic *rnic)
{
    const struct rnic_level *first = &rnic->levels[0], *second = &rnic->levels[1];
    uint32_t used = first->count + second->count;
    if (used < first->limit + second->limit) {
        rnic->slots = mem_grow(rnic->slots, &rnic->slot_capacity, used + 1, "cached connections");
        return used;
    }
    uint32_t index = level_victim(rnics, second->limit ? second : first);
    level_unlink(rnic, index);
    queue_table_remove(&rnic->cached, queue_table_at(&rnic->cached, rnic->slots[index].key));
    return index;
}

static ps_t look_up(struct rnics *rnics, struct rnic *rnic, struct queue_key key)
{
    uint32_t index = queue_table_at(&rnic->cached, key)->queue.head;
    if (index == POOL_NONE) {
        /* Removing an entry moves others, so the entry just made is taken back first. */
        queue_table_remove(&rnic->cached, queue_table_at(&rnic->cached, key));
        index = slot_for(rnics, rnic);
        queue_table_at(&rnic->cached, key)->queue.head = index;
        rnic->slots[index].key = key;
        make_room(rnics, rnic);
        level_push(rnic, 0, index);
        rnics->statistics.first_misses++;
        rnics->statistics.second_misses++;
        return rnics->fetch_ps;
    }
    bool was_second = rnic->slots[index].level == 1;
    level_unlink(rnic, index);
    make_room(rnics, rnic);
    level_push(rnic, 0, index);
    rnics->statistics.first_misses += was_second;
    return was_second ? rnics->config->second_level_ps : 0;
}

/* ------------------------------------------------------------- queue pairs */

static void make_queue_pair(struct rnics *rnics, uint32_t node, struct queue_key key)
{
    struct rnic *rnic = &rnics->nodes[node];
    struct queue_table_entry *entry = queue_table_at(&rnic->made, key);
    if (entry->queue.head != POOL_NONE)
        return;
    entry->queue.head = (uint32_t)rnic->made.used;
    uint64_t each = rnics->config->transport == RNIC_DC ? 2 : 1, count = each * rnic->made.used;
    if (count > rnics->statistics.queue_pairs)
        rnics->statistics.queue_pairs = count;
    if (count <= rnics->config->queue_pairs || rnics->status != STATUS_OK)
        return;
    diag_error("node %u needs more than the %" PRIu64 " queue pairs of its NIC (rnic.queue_pairs); "
               "rnic.transport=ud needs one for each rank, dc two",
               node, rnics->config->queue_pairs);
    rnics->status = STATUS_FAILED;
}

ps_t rnics_use(struct rnics *rnics, uint32_t node, uint32_t rank, uint32_t peer)
{
    struct queue_key key = {.high = rank,
                            .low = rnics->config->transport == RNIC_RC ? (uint64_t)peer + 1 : 0};
    make_queue_pair(rnics, node, key);
    return look_up(rnics, &rnics->nodes[node], key);
}

ps_t rnics_connect(struct rnics *rnics, uint32_t rank, uint32_t peer, ps_t now)
{
    ps_t at = ps_max(now, rnics->connected[rank]);
    if (rnics->destinations[rank] == peer)
        return at;
    rnics->destinations[rank] = peer;
    rnics->statistics.reconnects++;
    rnics->connected[rank] = ps_add(at, rnics->reconnect_ps);
    return rnics->connected[rank];
}

/* --------------------------------------------------------------------- run */

static void open_node(const struct rnic_config *config, struct rnic *rnic)
{
    queue_table_init(&rnic->made);
    queue_table_init(&rnic->cached);
    uint64_t beyond =
        config->second_level > config->first_level ? config->second_level - config->first_level : 0;
    rnic->levels[0] = (struct rnic_level){POOL_NONE, POOL_NONE, .limit = (uint32_t)config->first_level};
    rnic->levels[1] = (struct rnic_level){POOL_NONE, POOL_NONE, .limit = (uint32_t)beyond};
}

void rnics_open(struct rnics *rnics, const struct rnic_config *config, uint32_t nodes, uint32_t ranks,
                uint64_t seed, ps_t fetch_ps, ps_t reconnect_ps)
{
    *rnics = (struct rnics){.config = config,
                            .nodes = mem_alloc(nodes, sizeof *rnics->nodes, "RNICs"),
                            .count = nodes,
                            .fetch_ps = fetch_ps,
                            .reconnect_ps = reconnect_ps,
                            .rng = rng_init(seed, "rnic"),
                            .destinations = mem_alloc(ranks, sizeof *rnics->destinations, "connections"),
                            .connected = mem_alloc(ranks, sizeof *rnics->connected, "connections")};
    for (uint32_t i = 0; i < nodes; i++)
        open_node(config, &rnics->nodes[i]);
    for (uint32_t i = 0; i < ranks; i++)
        rnics->destinations[i] = POOL_NONE;
}

void rnics_close(struct rnics *rnics)
{
    for (uint32_t i = 0; i < rnics->count; i++) {
        struct rnic *rnic = &rnics->nodes[i];
        queue_table_free(&rnic->made);
        queue_table_free(&rnic->cached);
        free(rnic->slots);
        free(rnic->levels[0].members);
        free(rnic->levels[1].members);
    }
    free(rnics->nodes);
    free(rnics->destinations);
    free(rnics->connected);
}

double rnics_estimate(uint32_t nodes, uint32_t ranks, double messages)
{
    double pairs = 2 * messages / nodes; /* of a node */
    double of_node = (double)sizeof(struct rnic) + 2 * queue_table_estimate(pairs) +
                     estimate_array(pairs, sizeof(struct rnic_slot));
    return nodes * of_node + ranks * (double)(sizeof(uint32_t) + sizeof(ps_t));
}

size_t rnics_bytes(const struct rnics *rnics)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < rnics->count; i++) {
        const struct rnic *rnic = &rnics->nodes[i];
        bytes += sizeof *rnic + queue_table_bytes(&rnic->made) + queue_table_bytes(&rnic->cached) +
                 rnic->slot_capacity * sizeof *rnic->slots +
                 (rnic->levels[0].capacity + rnic->levels[1].capacity) * sizeof *rnic->levels[0].members;
    }
    return bytes;
}
