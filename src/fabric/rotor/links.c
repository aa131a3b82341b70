#include <inttypes.h>

#include "base/diag.h"
#include "fabric/rotor/rotor.h"

/* A link sends one cell after another while its circuit is up: a part of one message, at most rotor.cell and
 * what is left of the slot. Its choice for the next cell, from first to last:
 *
 *   1. short messages whose path takes this circuit now;
 *   2. what the node stores for the node at the other end;
 *   3. its own messages to that node;
 *   4. rotor.hops=2: its own messages to others, in turn, which that node stores until its circuit is up.
 *
 * A link has an event only while there is something that it could send, so an idle fabric has none. */

enum { MOST_TRIES = 64 }; /* of a short message before it waits for the circuit to its destination */

static void attend(struct rotor *rotor, uint32_t number);
static void dispatch(struct rotor *rotor, uint32_t index);

static struct queue_links piece_links(const struct rotor *rotor)
{
    return QUEUE_LINKS(rotor->pieces.records, struct rotor_piece, next);
}

static struct queue_links send_links(const struct rotor *rotor)
{
    return QUEUE_LINKS(rotor->messages.records, struct rotor_message, next_to_send);
}

static struct rotor_piece *piece_at(const struct rotor *rotor, uint32_t index)
{
    return &((struct rotor_piece *)(void *)rotor->pieces.records)[index];
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* -------------------------------------------------------------------- pairs */

/* POOL_NONE: the pair has had no messages. */
static uint32_t find_pair(const struct rotor *rotor, uint32_t source, uint32_t destination)
{
    return hashmap_get(&rotor->pair_numbers, rotor_pair_key(source, destination)) - 1;
}

static uint32_t need_pair(struct rotor *rotor, uint32_t source, uint32_t destination)
{
    uint32_t *slot = hashmap_slot(&rotor->pair_numbers, rotor_pair_key(source, destination));
    if (*slot)
        return *slot - 1;
    *slot = ++rotor->pair_count;
    rotor->pairs = mem_grow(rotor->pairs, &rotor->pair_capacity, rotor->pair_count, "pairs of nodes");
    rotor->pairs[rotor->pair_count - 1] = (struct rotor_pair){.source = source,
                                                              .destination = destination,
                                                              .to_send = {POOL_NONE, POOL_NONE},
                                                              .stored = {POOL_NONE, POOL_NONE},
                                                              .in_order = {POOL_NONE, POOL_NONE}};
    return rotor->pair_count - 1;
}

static bool has_work(const struct rotor *rotor, uint32_t number)
{
    return number != POOL_NONE &&
           !(queue_is_empty(&rotor->pairs[number].to_send) && queue_is_empty(&rotor->pairs[number].stored));
}

/* The pair gets a message to send, and so a place at the end of its node's ring. */
static void enter_ring(struct rotor *rotor, uint32_t number)
{
    struct rotor_pair *pair = &rotor->pairs[number];
    struct rotor_node *node = &rotor->nodes[pair->source];
    if (node->pairs == POOL_NONE) {
        pair->before = pair->after = node->pairs = number;
        return;
    }
    struct rotor_pair *head = &rotor->pairs[node->pairs];
    pair->after = node->pairs;
    pair->before = head->before;
    rotor->pairs[pair->before].after = number;
    head->before = number;
}

static void leave_ring(struct rotor *rotor, uint32_t number)
{
    struct rotor_pair *pair = &rotor->pairs[number];
    struct rotor_node *node = &rotor->nodes[pair->source];
    if (node->pairs == number)
        node->pairs = pair->after == number ? POOL_NONE : pair->after;
    rotor->pairs[pair->before].after = pair->after;
    rotor->pairs[pair->after].before = pair->before;
}

/* -------------------------------------------------------------------- links */

static struct rotor_link *link_of(const struct rotor *rotor, uint32_t node, uint32_t of_switch)
{
    return &rotor->links[(size_t)node * rotor->plan.switches + of_switch];
}

/* Whether any circuit serves the node. */
static bool sends_over_others(const struct rotor *rotor, uint32_t node)
{
    return rotor->config->hops > 1 && rotor->nodes[node].pairs != POOL_NONE;
}

/* The link looks for something to send at `at`, or earlier. */
static void wake(struct rotor *rotor, struct rotor_link *link, ps_t at)
{
    if (link->event_at <= at)
        return;
    link->event_at = at;
    loop_at(rotor->fabric.params.loop, at, rotor->link_kind, (uint32_t)(link - rotor->links));
}

static void wake_in_next_slot(struct rotor *rotor, struct rotor_link *link, const struct rotor_up *up)
{
    wake(rotor, link, ps_add(up->until, rotor->config->guard_ps));
}

/* The link is free from `at` on, in the slot `up`: what comes next. */
static void go_on(struct rotor *rotor, uint32_t node, uint32_t of_switch, const struct rotor_up *up, ps_t at)
{
    struct rotor_link *link = link_of(rotor, node, of_switch);
    bool has_shorts = !queue_is_empty(&link->shorts), sends_over = sends_over_others(rotor, node);
    bool is_over = !rotor_capacity(&rotor->plan, up->until - at);
    if (!is_over && (has_shorts || sends_over)) {
        wake(rotor, link, at);
        return;
    }
    if (has_shorts)
        wake(rotor, link, up->until);
    else if (sends_over)
        wake_in_next_slot(rotor, link, up);
    uint32_t pair = find_pair(rotor, node, (uint32_t)(((uint64_t)node + up->matching) % rotor->plan.nodes));
    if (!has_work(rotor, pair))
        return;
    if (is_over)
        attend(rotor, pair);
    else
        wake(rotor, link, at);
}

/* A cell that a link sends. */
struct cell {
    uint32_t node, of_switch, to; /* from where, over which circuit */
    const struct rotor_up *up;
    uint64_t room; /* bytes left in the slot, at most a cell */
    ps_t end;
};

/* The link takes so many bytes of something. */
static void occupy(struct rotor *rotor, struct cell *cell, uint64_t bytes)
{
    struct rotor_link *link = link_of(rotor, cell->node, cell->of_switch);
    cell->end = ps_add(fabric_now(&rotor->fabric), rotor_service(&rotor->plan, bytes));
    link->busy_until = cell->end;
    rotor->statistics.slots += link->used_until != cell->up->until;
    link->used_until = cell->up->until;
}

/* `bytes` of the first piece of a queue, as a piece of their own. */
static uint32_t cut(struct rotor *rotor, struct queue *queue, uint64_t bytes)
{
    uint32_t head = queue->head;
    if (piece_at(rotor, head)->bytes == bytes)
        return queue_take(queue, piece_links(rotor));
    uint32_t index = pool_take(&rotor->pieces);
    struct rotor_piece *piece = piece_at(rotor, index);
    *piece = *piece_at(rotor, head);
    piece->bytes = bytes;
    piece_at(rotor, head)->bytes -= bytes;
    return index;
}

static void send_short(struct rotor *rotor, struct cell *cell)
{
    struct queue *shorts = &link_of(rotor, cell->node, cell->of_switch)->shorts;
    uint64_t bytes = at_most(piece_at(rotor, shorts->head)->bytes, cell->room);
    occupy(rotor, cell, bytes);
    uint32_t first = shorts->head, index = cut(rotor, shorts, bytes);
    if (index != first) /* the rest of the piece goes to the end, so that all are in turn */
        queue_append(shorts, piece_links(rotor), queue_take(shorts, piece_links(rotor)));
    struct rotor_piece *piece = piece_at(rotor, index);
    uint32_t number = piece->message;
    bool leaves = piece->at_source;
    bool is_there = rotor->pairs[rotor_message_at(rotor, number)->pair].destination == cell->to;
    piece->at_source = false;
    piece->node = cell->to;
    piece->tries++;
    if (is_there)
        pool_give(&rotor->pieces, index);
    else
        loop_at(rotor->fabric.params.loop, ps_add(cell->end, rotor->plan.light_ps), rotor->piece_kind, index);
    go_on(rotor, cell->node, cell->of_switch, cell->up, cell->end);
    if (leaves) {
        rotor->statistics.short_bytes += bytes;
        rotor_leave(rotor, number, bytes, cell->end);
    }
    if (is_there)
        rotor_arrive(rotor, number, bytes, cell->end);
}

static void send_stored(struct rotor *rotor, struct cell *cell, uint32_t pair)
{
    struct queue *stored = &rotor->pairs[pair].stored;
    uint64_t bytes = at_most(piece_at(rotor, stored->head)->bytes, cell->room);
    occupy(rotor, cell, bytes);
    uint32_t index = cut(rotor, stored, bytes), number = piece_at(rotor, index)->message;
    bool leaves = piece_at(rotor, index)->at_source; /* a short message without a path */
    pool_give(&rotor->pieces, index);
    rotor->nodes[cell->node].stored -= bytes;
    rotor->pairs[pair].waiting -= bytes;
    go_on(rotor, cell->node, cell->of_switch, cell->up, cell->end);
    if (leaves) {
        rotor->statistics.short_bytes += bytes;
        rotor_leave(rotor, number, bytes, cell->end);
    }
    rotor_arrive(rotor, number, bytes, cell->end);
}

/* The next bytes of the pair's first message, which leave their source. */
static uint32_t take_own(struct rotor *rotor, uint32_t pair, uint64_t bytes)
{
    struct queue *to_send = &rotor->pairs[pair].to_send;
    uint32_t number = to_send->head;
    rotor->pairs[pair].waiting -= bytes;
    if (rotor_message_at(rotor, number)->at_source == bytes) {
        queue_take(to_send, send_links(rotor));
        if (queue_is_empty(to_send))
            leave_ring(rotor, pair);
    }
    return number;
}

static void send_own(struct rotor *rotor, struct cell *cell, uint32_t pair)
{
    const struct rotor_message *first = rotor_message_at(rotor, rotor->pairs[pair].to_send.head);
    uint64_t bytes = at_most(first->at_source, cell->room);
    occupy(rotor, cell, bytes);
    uint32_t number = take_own(rotor, pair, bytes);
    rotor->statistics.direct_bytes += bytes;
    go_on(rotor, cell->node, cell->of_switch, cell->up, cell->end);
    rotor_leave(rotor, number, bytes, cell->end);
    rotor_arrive(rotor, number, bytes, cell->end);
}

/* The bytes that the pair's next cell would have. */
static uint64_t next_bytes(const struct rotor *rotor, const struct cell *cell, uint32_t pair)
{
    return at_most(rotor_message_at(rotor, rotor->pairs[pair].to_send.head)->at_source, cell->room);
}

/* Whether the node at the other end takes the pair's next cell and passes it on. */
static bool is_accepted(const struct rotor *rotor, const struct cell *cell, uint32_t pair)
{
    const struct rotor_plan *plan = &rotor->plan;
    uint32_t destination = rotor->pairs[pair].destination;
    if (destination == cell->to ||
        plan->failed[rotor_switch_of(plan, rotor_matching(plan, cell->to, destination))])
        return false;
    uint64_t bytes = next_bytes(rotor, cell, pair), limit = rotor->config->stored_bytes;
    if (limit && rotor->nodes[cell->to].stored + bytes > limit)
        return false;
    if (rotor->config->accept == ROTOR_ACCEPT_ANY)
        return true;
    uint32_t onward = find_pair(rotor, cell->to, destination);
    uint64_t waiting = onward == POOL_NONE ? 0 : rotor->pairs[onward].waiting;
    return waiting + bytes <= plan->slot_bytes;
}

/* The next pair of the ring that can send over the node at the other end; POOL_NONE: there is none. */
static uint32_t choose_pair(const struct rotor *rotor, const struct cell *cell)
{
    uint32_t first = rotor->nodes[cell->node].pairs, pair = first;
    if (!sends_over_others(rotor, cell->node))
        return POOL_NONE;
    do {
        if (is_accepted(rotor, cell, pair))
            return pair;
        pair = rotor->pairs[pair].after;
    } while (pair != first);
    return POOL_NONE;
}

/* False: the node at the other end takes none of the messages. */
static bool send_over(struct rotor *rotor, struct cell *cell)
{
    uint32_t pair = choose_pair(rotor, cell);
    if (pair == POOL_NONE)
        return false;
    uint64_t bytes = next_bytes(rotor, cell, pair), *stored = &rotor->nodes[cell->to].stored;
    uint32_t onward = need_pair(rotor, cell->to, rotor->pairs[pair].destination);
    rotor->pairs[onward].waiting += bytes;
    *stored += bytes;
    if (*stored > rotor->statistics.stored_peak)
        rotor->statistics.stored_peak = *stored;
    occupy(rotor, cell, bytes);
    rotor->nodes[cell->node].pairs = rotor->pairs[pair].after;
    uint32_t number = take_own(rotor, pair, bytes), index = pool_take(&rotor->pieces);
    *piece_at(rotor, index) = (struct rotor_piece){.bytes = bytes, .message = number, .node = cell->to};
    rotor_message_at(rotor, number)->is_two_hop = true;
    rotor->statistics.two_hop_bytes += bytes;
    loop_at(rotor->fabric.params.loop, ps_add(cell->end, rotor->plan.light_ps), rotor->piece_kind, index);
    go_on(rotor, cell->node, cell->of_switch, cell->up, cell->end);
    rotor_leave(rotor, number, bytes, cell->end);
    return true;
}

/* Sends a cell over a circuit that is up and free. False: there is nothing to send. */
static bool send_cell(struct rotor *rotor, struct cell *cell)
{
    if (!queue_is_empty(&link_of(rotor, cell->node, cell->of_switch)->shorts)) {
        send_short(rotor, cell);
        return true;
    }
    uint32_t pair = find_pair(rotor, cell->node, cell->to);
    if (!has_work(rotor, pair))
        return send_over(rotor, cell);
    if (!queue_is_empty(&rotor->pairs[pair].stored))
        send_stored(rotor, cell, pair);
    else
        send_own(rotor, cell, pair);
    return true;
}

/* Pieces that have not left in their slot look for another path. */
static void dispatch_again(struct rotor *rotor, struct rotor_link *link, const struct rotor_up *up)
{
    struct queue rest = link->shorts;
    if (queue_is_empty(&rest) || link->shorts_until == up->until)
        return;
    queue_init(&link->shorts);
    while (!queue_is_empty(&rest))
        dispatch(rotor, queue_take(&rest, piece_links(rotor)));
}

/* The link sends if it is free and there is something to send. Otherwise it gets an event if it must look
 * again. */
static void serve(struct rotor *rotor, uint32_t node, uint32_t of_switch)
{
    const struct rotor_plan *plan = &rotor->plan;
    struct rotor_link *link = link_of(rotor, node, of_switch);
    ps_t now = fabric_now(&rotor->fabric);
    const struct rotor_up *up = rotor_up_at(plan, of_switch, now);
    if (plan->failed[of_switch])
        return;
    dispatch_again(rotor, link, up);
    if (now < link->busy_until) {
        wake(rotor, link, link->busy_until);
    } else if (now < up->since) {
        if (sends_over_others(rotor, node))
            wake(rotor, link, up->since);
    } else {
        struct cell cell = {.node = node,
                            .of_switch = of_switch,
                            .to = (uint32_t)(((uint64_t)node + up->matching) % plan->nodes),
                            .up = up,
                            .room = at_most(rotor_capacity(plan, up->until - now), plan->cell_bytes)};
        if (!cell.room)
            go_on(rotor, node, of_switch, up, now);
        else if (!send_cell(rotor, &cell) && sends_over_others(rotor, node))
            wake_in_next_slot(rotor, link, up);
    }
}

static void on_link(void *self, uint32_t index)
{
    struct rotor *rotor = self;
    struct rotor_link *link = &rotor->links[index];
    if (link->event_at != fabric_now(&rotor->fabric))
        return; /* an earlier event came instead */
    link->event_at = PS_NEVER;
    serve(rotor, index / rotor->plan.switches, index % rotor->plan.switches);
}

/* What the pair has is sent now, or when its circuit is up. */
static void attend(struct rotor *rotor, uint32_t number)
{
    const struct rotor_plan *plan = &rotor->plan;
    struct rotor_pair *pair = &rotor->pairs[number];
    uint32_t matching = rotor_matching(plan, pair->source, pair->destination);
    uint32_t of_switch = rotor_switch_of(plan, matching);
    if (pair->waits || plan->failed[of_switch] || !has_work(rotor, number))
        return;
    ps_t now = fabric_now(&rotor->fabric), from = now;
    const struct rotor_up *up = rotor_up_at(plan, of_switch, now);
    if (up->matching == matching && now >= up->since) {
        ps_t free_at = ps_max(now, link_of(rotor, pair->source, of_switch)->busy_until);
        if (rotor_capacity(plan, up->until - free_at)) {
            serve(rotor, pair->source, of_switch);
            return;
        }
        from = up->until;
    }
    pair->waits = true;
    loop_at(rotor->fabric.params.loop, rotor_next(plan, matching, from), rotor->pair_kind, number);
}

static void on_pair(void *self, uint32_t number)
{
    struct rotor *rotor = self;
    rotor->pairs[number].waits = false;
    attend(rotor, number);
}

/* ------------------------------------------------------ pieces on their way */

/* The piece waits at its node for the circuit to its destination. */
static void store(struct rotor *rotor, uint32_t index)
{
    const struct rotor_piece *piece = piece_at(rotor, index);
    uint32_t destination = rotor->pairs[rotor_message_at(rotor, piece->message)->pair].destination;
    uint32_t number = need_pair(rotor, piece->node, destination);
    queue_append(&rotor->pairs[number].stored, piece_links(rotor), index);
    attend(rotor, number);
}

static void give_up_path(struct rotor *rotor, uint32_t index, uint32_t destination)
{
    const struct rotor_piece *piece = piece_at(rotor, index);
    uint32_t matching = rotor_matching(&rotor->plan, piece->node, destination);
    if (!rotor->plan.failed[rotor_switch_of(&rotor->plan, matching)]) {
        rotor->nodes[piece->node].stored += piece->bytes;
        rotor->pairs[need_pair(rotor, piece->node, destination)].waiting += piece->bytes;
        store(rotor, index);
        return;
    }
    diag_error("a short message at node %" PRIu32 " found no path in %d tries, and the switch that leads to "
               "its destination has failed; rotor.slot must be longer, or rotor.short smaller",
               piece->node, MOST_TRIES);
    fabric_failed(&rotor->fabric, STATUS_FAILED);
}

/* The piece of a short message goes on from its node. */
static void dispatch(struct rotor *rotor, uint32_t index)
{
    struct rotor_piece *piece = piece_at(rotor, index);
    ps_t now = fabric_now(&rotor->fabric);
    uint32_t node = piece->node;
    uint32_t destination = rotor->pairs[rotor_message_at(rotor, piece->message)->pair].destination;
    uint32_t matching = rotor_matching(&rotor->plan, node, destination);
    if (piece->tries >= MOST_TRIES) {
        give_up_path(rotor, index, destination);
        return;
    }
    rotor_routes_at(&rotor->routes, &rotor->plan, now);
    uint32_t of_switch = rotor->routes.first[matching];
    if (of_switch == ROTOR_NO_WAY) {
        piece->tries++;
        loop_at(rotor->fabric.params.loop, rotor->routes.valid_until, rotor->piece_kind, index);
        return;
    }
    struct rotor_link *link = link_of(rotor, node, of_switch);
    const struct rotor_up *up = rotor_up_at(&rotor->plan, of_switch, now);
    dispatch_again(rotor, link, up);
    link->shorts_until = up->until;
    queue_append(&link->shorts, piece_links(rotor), index);
    serve(rotor, node, of_switch);
}

static void on_piece(void *self, uint32_t index)
{
    struct rotor *rotor = self;
    if (rotor_message_at(rotor, piece_at(rotor, index)->message)->is_short)
        dispatch(rotor, index);
    else
        store(rotor, index);
}

/* ------------------------------------------------------------------- fabric */

static void send_at_once(struct rotor *rotor, uint32_t number, uint32_t node)
{
    uint32_t index = pool_take(&rotor->pieces);
    *piece_at(rotor, index) = (struct rotor_piece){
        .bytes = rotor_message_at(rotor, number)->bytes, .message = number, .node = node, .at_source = true};
    dispatch(rotor, index);
}

static void send_in_turn(struct rotor *rotor, uint32_t number, uint32_t node)
{
    uint32_t pair = rotor_message_at(rotor, number)->pair;
    bool was_idle = rotor->nodes[node].pairs == POOL_NONE;
    if (queue_is_empty(&rotor->pairs[pair].to_send))
        enter_ring(rotor, pair);
    queue_append(&rotor->pairs[pair].to_send, send_links(rotor), number);
    rotor->pairs[pair].waiting += rotor_message_at(rotor, number)->bytes;
    attend(rotor, pair);
    /* If the node has other messages, its links have their events. */
    for (uint32_t s = 0; was_idle && sends_over_others(rotor, node) && s < rotor->plan.switches; s++)
        serve(rotor, node, s);
}

void rotor_links_submit(struct rotor *rotor, uint32_t index)
{
    struct fabric *fabric = &rotor->fabric;
    struct message *message = fabric_message(fabric, index);
    uint64_t bytes = fabric_message_bytes(fabric, message);
    uint32_t source = message->source_node;
    bool is_short = bytes < rotor->config->short_bytes;
    if (!is_short && !rotor_can_reach(rotor, source, message->destination_node))
        return;
    uint32_t number = pool_take(&rotor->messages);
    uint32_t pair = need_pair(rotor, source, message->destination_node);
    bytes += bytes == 0; /* an envelope takes the time of a byte */
    message->fabric = number;
    *rotor_message_at(rotor, number) = (struct rotor_message){.index = index,
                                                              .pair = pair,
                                                              .bytes = bytes,
                                                              .at_source = bytes,
                                                              .missing = bytes,
                                                              .first = PS_NEVER,
                                                              .visible = PS_NEVER,
                                                              .is_short = is_short};
    queue_append(&rotor->pairs[pair].in_order,
                 QUEUE_LINKS(rotor->messages.records, struct rotor_message, next_in_order), number);
    if (is_short)
        send_at_once(rotor, number, source);
    else
        send_in_turn(rotor, number, source);
}

void rotor_links_init(struct rotor *rotor)
{
    const struct rotor_plan *plan = &rotor->plan;
    struct event_loop *loop = rotor->fabric.params.loop;
    size_t links = (size_t)plan->nodes * plan->switches;
    rotor->link_kind = loop_register(loop, on_link, rotor);
    rotor->pair_kind = loop_register(loop, on_pair, rotor);
    rotor->piece_kind = loop_register(loop, on_piece, rotor);
    pool_init(&rotor->messages, sizeof(struct rotor_message), "messages under way");
    pool_init(&rotor->pieces, sizeof(struct rotor_piece), "parts of messages");
    rotor->nodes = mem_alloc(plan->nodes, sizeof *rotor->nodes, "nodes");
    rotor->links = mem_alloc(links, sizeof *rotor->links, "links");
    for (uint32_t i = 0; i < plan->nodes; i++)
        rotor->nodes[i].pairs = POOL_NONE;
    for (size_t i = 0; i < links; i++)
        rotor->links[i] = (struct rotor_link){.event_at = PS_NEVER, .shorts = {POOL_NONE, POOL_NONE}};
    if (rotor->config->short_bytes)
        rotor_routes_init(&rotor->routes, plan->nodes);
}

void rotor_links_free(struct rotor *rotor)
{
    if (!rotor->links)
        return;
    pool_free(&rotor->messages);
    pool_free(&rotor->pieces);
    free(rotor->pairs);
    free(rotor->nodes);
    free(rotor->links);
    rotor_routes_free(&rotor->routes);
}

size_t rotor_links_bytes(const struct rotor *rotor)
{
    const struct rotor_plan *plan = &rotor->plan;
    size_t routes = rotor->config->short_bytes ? 3 * sizeof(uint32_t) : 0;
    return plan->nodes * (sizeof *rotor->nodes + plan->switches * sizeof *rotor->links + routes) +
           rotor->pair_capacity * sizeof *rotor->pairs + rotor->messages.capacity * rotor->messages.size +
           rotor->pieces.capacity * rotor->pieces.size;
}
