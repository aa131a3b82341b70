#include <string.h>

#include "base/hash.h"
#include "engine/loggops/internal.h"

/* Receives meet messages in the order in which they were posted, messages receives in the order in which they
 * were handled. A host that uses no wildcards looks them up; one that does walks through them. */

static bool uses_any(const struct loggops *engine, uint32_t host)
{
    return engine->any && engine->any[host].is_used;
}

/* --------------------------------------------------------------- the tables */

/* A table is small and beside nothing else that is used in between, so an entry is a number. The operation or
 * the message that it leads to has the source and the tag; it is needed next in any case. */

static uint64_t key_of(uint32_t source, uint32_t tag)
{
    return (uint64_t)source << 32 | tag;
}

static uint64_t key_at(const struct loggops *engine, uint32_t host, uint32_t entry)
{
    const struct graph_rank *rank = &engine->graph->ranks[host];
    if (entry <= rank->count)
        return key_of(rank->operations[entry - 1].peer, rank->operations[entry - 1].tag);
    const struct loggops_message *message = loggops_message(engine, entry - 1 - rank->count);
    return key_of(message->source, message->tag);
}

static uint32_t *link_at(const struct loggops *engine, uint32_t host, uint32_t entry)
{
    const struct graph_rank *rank = &engine->graph->ranks[host];
    if (entry <= rank->count)
        return &engine->operations[rank->first + entry - 1].link;
    return &loggops_message(engine, entry - 1 - rank->count)->link;
}

static uint32_t mask_of(const struct loggops_host *table)
{
    return (uint32_t)((UINT64_C(1) << table->log) - 1);
}

/* The entry with this key, or the free one where it belongs. */
static uint32_t find(const struct loggops *engine, uint32_t host, uint64_t key)
{
    const struct loggops_host *table = loggops_host(engine, host);
    const uint32_t *entries = engine->entries + table->first;
    uint32_t at = (uint32_t)hash_key(key) & mask_of(table);
    while (entries[at] && key_at(engine, host, entries[at]) != key)
        at = (at + 1) & mask_of(table);
    return at;
}

/* A search ends at the first free entry, so each entry behind the hole whose home is not behind it moves into
 * the hole, and leaves the next hole. */
static void clear(struct loggops *engine, uint32_t host, uint32_t hole)
{
    struct loggops_host *table = loggops_host(engine, host);
    uint32_t *entries = engine->entries + table->first;
    for (uint32_t i = (hole + 1) & mask_of(table); entries[i]; i = (i + 1) & mask_of(table)) {
        uint32_t home = (uint32_t)hash_key(key_at(engine, host, entries[i]));
        if (((i - home) & mask_of(table)) < ((i - hole) & mask_of(table)))
            continue;
        entries[hole] = entries[i];
        hole = i;
    }
    entries[hole] = 0;
    table->used--;
}

enum { PROBES = 3 }; /* mostly no more are needed */

void loggops_prefetch_receive(const struct loggops *engine, const struct loggops_message *message,
                              bool is_found)
{
    const struct loggops_host *table = loggops_host(engine, message->destination);
    const uint32_t *entries = engine->entries + table->first;
    const uint32_t receives = engine->graph->ranks[message->destination].count;
    uint32_t at = (uint32_t)hash_key(key_of(message->source, message->tag)) & mask_of(table);
    if (!is_found)
        __builtin_prefetch(&entries[at]);
    for (int i = 0; is_found && i < PROBES && entries[at] && entries[at] <= receives; i++) {
        __builtin_prefetch(loggops_operation(engine, message->destination, entries[at] - 1));
        __builtin_prefetch(loggops_run(engine, message->destination, entries[at] - 1));
        at = (at + 1) & mask_of(table);
    }
}

static void make_table(struct loggops *engine, struct loggops_host *host, unsigned log)
{
    size_t size = (size_t)1 << log;
    engine->entries = mem_grow(engine->entries, &engine->entry_capacity, engine->entry_count + size,
                               "posted receives and messages");
    host->first = engine->entry_count;
    host->log = log;
    memset(engine->entries + host->first, 0, size * sizeof *engine->entries);
    engine->entry_count += size;
}

/* At most 5 of 8 entries are used. */
void loggops_make_table(struct loggops *engine, uint32_t host, uint32_t receives)
{
    unsigned log = 1;
    while ((UINT64_C(5) << log) / 8 < receives && log < 31)
        log++;
    make_table(engine, loggops_host(engine, host), log);
}

/* Only where more is sent than received. The old entries are not used again. */
static void grow(struct loggops *engine, uint32_t host)
{
    struct loggops_host *table = loggops_host(engine, host);
    size_t first = table->first, size = (size_t)1 << table->log;
    make_table(engine, table, table->log + 1);
    for (size_t i = 0; i < size; i++) {
        uint32_t entry = engine->entries[first + i];
        if (entry)
            engine->entries[table->first + find(engine, host, key_at(engine, host, entry))] = entry;
    }
}

/* Puts an entry behind the others of its key. */
static void append(struct loggops *engine, uint32_t host, uint32_t entry)
{
    struct loggops_host *table = loggops_host(engine, host);
    uint64_t key = key_at(engine, host, entry);
    uint32_t at = find(engine, host, key), last = engine->entries[table->first + at];
    if (!last && (table->used + 1) * UINT64_C(8) > (mask_of(table) + 1) * UINT64_C(7)) {
        grow(engine, host);
        at = find(engine, host, key);
    }
    table->used += !last;
    uint32_t *link = link_at(engine, host, entry);
    *link = entry;
    if (last) {
        *link = *link_at(engine, host, last);
        *link_at(engine, host, last) = entry;
    }
    engine->entries[table->first + at] = entry;
}

/* The first of its key: a message, or a receive. 0: there is none. */
static uint32_t take(struct loggops *engine, uint32_t host, uint64_t key, bool is_message)
{
    const struct loggops_host *table = loggops_host(engine, host);
    uint32_t at = find(engine, host, key), last = engine->entries[table->first + at];
    if (!last || (last > engine->graph->ranks[host].count) != is_message)
        return 0;
    uint32_t first = *link_at(engine, host, last);
    if (first == last)
        clear(engine, host, at);
    else
        *link_at(engine, host, last) = *link_at(engine, host, first);
    return first;
}

/* ---------------------------------------------------------- with wildcards */

static struct queue_links receive_links(const struct loggops *engine, uint32_t host)
{
    return QUEUE_LINKS(loggops_run(engine, host, 0), struct loggops_run, link);
}

static struct queue_links message_links(const struct loggops *engine)
{
    return QUEUE_LINKS(engine->messages.records, struct loggops_message, link);
}

static bool fits(uint32_t peer, uint32_t tag, uint32_t source, uint32_t sent_tag)
{
    return (peer == GRAPH_ANY || peer == source) &&
           (tag == GRAPH_ANY || sent_tag == GRAPH_ANY || tag == sent_tag);
}

static uint32_t find_receive(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    struct queue *posted = &engine->any[host].posted;
    uint32_t before = POOL_NONE, index = posted->head;
    for (; index != POOL_NONE; before = index, index = loggops_run(engine, host, index)->link) {
        const struct graph_operation *receive = loggops_operation(engine, host, index);
        if (fits(receive->peer, receive->tag, source, tag)) {
            queue_cut(posted, receive_links(engine, host), before, index);
            return index;
        }
    }
    return POOL_NONE;
}

static uint32_t find_message(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    struct queue *unexpected = &engine->any[host].unexpected;
    uint32_t before = POOL_NONE, index = unexpected->head;
    for (; index != POOL_NONE; before = index, index = loggops_message(engine, index)->link) {
        const struct loggops_message *message = loggops_message(engine, index);
        if (fits(source, tag, message->source, message->tag)) {
            queue_cut(unexpected, message_links(engine), before, index);
            return index;
        }
    }
    return POOL_NONE;
}

/* -------------------------------------------------------------------- both */

uint32_t loggops_meet_receive(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    uint32_t index;
    if (uses_any(engine, host)) {
        index = find_receive(engine, host, source, tag);
    } else {
        uint32_t entry = take(engine, host, key_of(source, tag), false);
        index = entry ? entry - 1 : POOL_NONE;
    }
    engine->posted -= index != POOL_NONE;
    return index;
}

uint32_t loggops_meet_message(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    if (uses_any(engine, host))
        return find_message(engine, host, source, tag);
    uint32_t entry = take(engine, host, key_of(source, tag), true);
    return entry ? entry - 1 - engine->graph->ranks[host].count : POOL_NONE;
}

void loggops_post(struct loggops *engine, uint32_t host, uint32_t receive)
{
    engine->posted++;
    if (uses_any(engine, host))
        queue_append(&engine->any[host].posted, receive_links(engine, host), receive);
    else
        append(engine, host, receive + 1);
}

void loggops_keep(struct loggops *engine, uint32_t index)
{
    uint32_t host = loggops_message(engine, index)->destination;
    if (uses_any(engine, host))
        queue_append(&engine->any[host].unexpected, message_links(engine), index);
    else
        append(engine, host, engine->graph->ranks[host].count + 1 + index);
}

static void use_any(struct loggops *engine, uint32_t host)
{
    engine->any[host].is_used = true;
    queue_init(&engine->any[host].posted);
    queue_init(&engine->any[host].unexpected);
}

void loggops_find_any(struct loggops *engine)
{
    const struct graph *graph = engine->graph;
    uint32_t hosts = engine->params->program->ranks;
    if (!graph->has_any)
        return;
    engine->any = mem_alloc(hosts, sizeof *engine->any, "hosts");
    for (uint32_t host = 0; host < hosts; host++) {
        const struct graph_rank *rank = &graph->ranks[host];
        for (uint32_t i = 0; i < rank->count; i++) {
            const struct graph_operation *operation = &rank->operations[i];
            if (operation->kind == GRAPH_RECV &&
                (operation->peer == GRAPH_ANY || operation->tag == GRAPH_ANY))
                use_any(engine, host);
            else if (operation->kind == GRAPH_SEND && operation->tag == GRAPH_ANY)
                use_any(engine, operation->peer);
        }
    }
}
