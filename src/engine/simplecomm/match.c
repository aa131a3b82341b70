#include <string.h>

#include "engine/simplecomm/internal.h"

/* Messages of collectives and of users share the tags, and the first that is posted is the first that is
 * matched (CheckMatch.py searches a list; a queue per key finds the same). A queue holds sends or receives,
 * never both: they would have met. */
static struct queue_table_entry *queue_of(struct simplecomm *engine, const struct compat_post *post)
{
    uint32_t source = post->sending ? post->rank : post->partner;
    uint32_t destination = post->sending ? post->partner : post->rank;
    return queue_table_at(&engine->unmatched, (struct queue_key){.high = (uint64_t)source << 32 | destination,
                                                                 .low = (uint32_t)post->tag});
}

static struct compat_post *post_at(const struct simplecomm *engine, uint32_t index)
{
    return pool_at(&engine->posts, index);
}

static void keep(struct simplecomm *engine, struct queue *queue, const struct compat_post *post)
{
    uint32_t index = pool_take(&engine->posts);
    struct compat_rank *rank = &engine->rank[post->rank];
    if (post->blocking && rank->in_point_to_point) {
        rank->blocked_by = index;
        if (post->sending && post->bytes <= engine->eager_bytes && !rank->may_give_up) {
            rank->may_give_up = true;
            engine->blocked_senders[engine->blocked_count++] = post->rank;
        }
    }
    *post_at(engine, index) = *post;
    post_at(engine, index)->next = POOL_NONE;
    if (queue->head == POOL_NONE)
        queue->head = index;
    else
        post_at(engine, queue->tail)->next = index;
    queue->tail = index;
}

static struct compat_post take_first(struct simplecomm *engine, struct queue_table_entry *entry)
{
    uint32_t index = entry->queue.head;
    struct compat_post first = *post_at(engine, index);
    if (engine->rank[first.rank].blocked_by == index)
        engine->rank[first.rank].blocked_by = POOL_NONE;
    pool_give(&engine->posts, index);
    entry->queue.head = first.next;
    if (first.next == POOL_NONE)
        queue_table_remove(&engine->unmatched, entry);
    return first;
}

static struct compat_match *match_new(struct simplecomm *engine)
{
    struct compat_match *match = engine->free_matches;
    if (match)
        engine->free_matches = match->next_free;
    else
        match = arena_alloc(&engine->match_memory, sizeof *match);
    engine->live_matches++;
    if (engine->live_matches > engine->peak_matches)
        engine->peak_matches = engine->live_matches;
    return match;
}

/* For the latency HYBRID decides by the size. For the bandwidth it decides by the size with the header, and
 * then adds the header once more (Top_Hybrid.py). */
static bool takes_fmu(const struct simplecomm *engine, const struct compat_match *match, uint64_t bytes)
{
    if (engine->topology != COMPAT_HYBRID)
        return engine->topology == COMPAT_FMU;
    return engine->pivot_bytes >= 0 && !same_node(engine, match->source, match->destination) &&
           (engine->fmus_take_the_small ? (double)bytes <= engine->pivot_bytes
                                        : (double)bytes >= engine->pivot_bytes);
}

static double seconds_for(const struct compat_link *link, uint64_t bytes)
{
    return link->bytes_per_s > 0 ? (double)bytes / link->bytes_per_s : 0;
}

static void set_times(struct simplecomm *engine, struct compat_match *match)
{
    bool within_node = same_node(engine, match->source, match->destination);
    const struct compat_link *link =
        takes_fmu(engine, match, match->bytes) ? &engine->fmu_link : &engine->network_link;
    if (within_node)
        link = &engine->node_link;
    match->latency_s = match->source == match->destination ? 0 : link->latency_s;

    double length_s;
    if (within_node)
        length_s = seconds_for(link, match->bytes + 16);
    else if (engine->topology == COMPAT_HYBRID && takes_fmu(engine, match, match->bytes + 16))
        length_s = seconds_for(&engine->fmu_link, match->bytes + 32);
    else
        length_s = seconds_for(link, match->bytes + 16);
    double base_s = fmax(match->send_base_s, match->recv_base_s);
    if (match->bytes < engine->eager_bytes)
        base_s = match->send_base_s;
    match->base_s = base_s + match->latency_s;
    match->end_s = (length_s + base_s) + match->latency_s;
}

static void compat_match_list_append(struct compat_match_list *list, struct compat_match *match)
{
    list->items = mem_grow(list->items, &list->capacity, list->count + 1, "open matches");
    list->items[list->count++] = match;
}

struct compat_match *compat_match_list_take(struct compat_match_list *list, size_t index)
{
    struct compat_match *match = list->items[index];
    list->count--;
    memmove(list->items + index, list->items + index + 1, (list->count - index) * sizeof *list->items);
    return match;
}

/* The size of the message that forms now, with the booster. */
static uint64_t boosted(struct simplecomm *engine, uint64_t bytes)
{
    const struct simplecomm_config *config = engine->config;
    uint64_t factor = engine->formed++ % config->booster_every == 0 ? config->booster_factor : 1;
    uint64_t product;
    bool fits = !__builtin_mul_overflow(bytes, factor, &product) && product <= INT64_MAX;
    engine->too_large |= !fits;
    return fits ? product : INT64_MAX;
}

static void meet(struct simplecomm *engine, const struct compat_post *send, const struct compat_post *recv)
{
    struct compat_match *match = match_new(engine);
    if (send->bytes > recv->bytes)
        compat_abort(engine, ABORT_ROOM);
    *match = (struct compat_match){.source = send->rank,
                                   .destination = recv->rank,
                                   .bytes = boosted(engine, send->bytes),
                                   .tag = send->tag,
                                   .send_op = send->op,
                                   .recv_op = recv->op,
                                   .send_blocking = send->blocking,
                                   .recv_blocking = recv->blocking,
                                   .send_given_up = send->given_up,
                                   .send_base_s = send->posted_s,
                                   .recv_base_s = recv->posted_s,
                                   .send_posted_s = send->posted_s,
                                   .recv_posted_s = recv->posted_s,
                                   .fmu = -1};
    set_times(engine, match);
    match->on_network = !takes_fmu(engine, match, match->bytes);
    if (match->on_network)
        compat_network_add(engine, match);
    else
        compat_match_list_append(&engine->fmu.open, match);
}

void compat_match_post(struct simplecomm *engine, const struct compat_post *post)
{
    if (post->blocking)
        engine->rank[post->rank].blocking_posts++;
    struct queue_table_entry *entry = queue_of(engine, post);
    uint32_t first = entry->queue.head;
    if (first == POOL_NONE || post_at(engine, first)->sending == post->sending) {
        keep(engine, &entry->queue, post);
        return;
    }
    struct compat_post partner = take_first(engine, entry);
    if (post->sending)
        meet(engine, post, &partner);
    else
        meet(engine, &partner, post);
}

bool compat_give_up_send(struct simplecomm *engine, uint32_t index)
{
    struct compat_rank *rank = &engine->rank[index];
    if (rank->blocked_by == POOL_NONE)
        return false;
    struct compat_post *post = post_at(engine, rank->blocked_by);
    if (!post->sending || post->bytes > engine->eager_bytes)
        return false;
    post->given_up = true;
    post->blocking = false;
    rank->blocking_posts--;
    rank->blocked_by = POOL_NONE;
    rank->in_point_to_point = false;
    rank->state = RANK_NORMAL;
    return true;
}
