#include "engine/loggops/internal.h"

/* Receives meet messages in the order in which they were posted, messages receives in the order in which they
 * were handled. A host that uses no wildcards looks them up; one that does walks through them. */

static struct queue_links receive_links(const struct loggops *engine)
{
    return QUEUE_LINKS(engine->receives.records, struct loggops_receive, next);
}

static struct queue_links message_links(const struct loggops *engine)
{
    return QUEUE_LINKS(engine->messages.records, struct message, next);
}

static struct queue_key key_of(uint32_t host, uint32_t source, uint32_t tag)
{
    return (struct queue_key){.high = (uint64_t)host << 32 | source, .low = tag};
}

static bool fits(uint32_t peer, uint32_t tag, uint32_t source, uint32_t sent_tag)
{
    return (peer == GRAPH_ANY || peer == source) &&
           (tag == GRAPH_ANY || sent_tag == GRAPH_ANY || tag == sent_tag);
}

static uint32_t take_keyed(struct queue_table *table, struct queue_links links, struct queue_key key)
{
    struct queue_table_entry *entry = queue_table_find(table, key);
    if (!entry)
        return POOL_NONE;
    uint32_t index = queue_take(&entry->queue, links);
    if (queue_is_empty(&entry->queue))
        queue_table_remove(table, entry);
    return index;
}

uint32_t loggops_meet_receive(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    struct loggops_host *at = &engine->hosts[host];
    if (!at->has_any)
        return take_keyed(&engine->posted, receive_links(engine), key_of(host, source, tag));
    uint32_t before = POOL_NONE, index = at->posted.head;
    for (; index != POOL_NONE; before = index, index = loggops_receive_at(engine, index)->next) {
        const struct loggops_receive *receive = loggops_receive_at(engine, index);
        if (fits(receive->peer, receive->tag, source, tag)) {
            queue_cut(&at->posted, receive_links(engine), before, index);
            return index;
        }
    }
    return POOL_NONE;
}

uint32_t loggops_meet_message(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag)
{
    struct loggops_host *at = &engine->hosts[host];
    if (!at->has_any)
        return take_keyed(&engine->unexpected, message_links(engine), key_of(host, source, tag));
    uint32_t before = POOL_NONE, index = at->unexpected.head;
    for (; index != POOL_NONE; before = index, index = message_at(&engine->messages, index)->next) {
        const struct message *message = message_at(&engine->messages, index);
        if (fits(source, tag, message->source, (uint32_t)message->tag)) {
            queue_cut(&at->unexpected, message_links(engine), before, index);
            return index;
        }
    }
    return POOL_NONE;
}

void loggops_post(struct loggops *engine, uint32_t host, uint32_t receive)
{
    const struct loggops_receive *posted = loggops_receive_at(engine, receive);
    struct queue *queue = &engine->hosts[host].posted;
    if (!engine->hosts[host].has_any)
        queue = &queue_table_at(&engine->posted, key_of(host, posted->peer, posted->tag))->queue;
    queue_append(queue, receive_links(engine), receive);
}

void loggops_keep(struct loggops *engine, uint32_t host, uint32_t index)
{
    const struct message *message = message_at(&engine->messages, index);
    struct queue *queue = &engine->hosts[host].unexpected;
    if (!engine->hosts[host].has_any)
        queue = &queue_table_at(&engine->unexpected, key_of(host, message->source, (uint32_t)message->tag))
                     ->queue;
    queue_append(queue, message_links(engine), index);
}

void loggops_find_any(struct loggops *engine)
{
    const struct graph *graph = engine->graph;
    for (uint32_t host = 0; graph->has_any && host < engine->params->program->ranks; host++) {
        const struct graph_rank *rank = &graph->ranks[host];
        for (uint32_t i = 0; i < rank->count; i++) {
            const struct graph_operation *operation = &rank->operations[i];
            if (operation->kind == GRAPH_RECV &&
                (operation->peer == GRAPH_ANY || operation->tag == GRAPH_ANY))
                engine->hosts[host].has_any = true;
            else if (operation->kind == GRAPH_SEND && operation->tag == GRAPH_ANY)
                engine->hosts[operation->peer].has_any = true;
        }
    }
}
