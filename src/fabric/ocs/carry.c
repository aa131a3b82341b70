#include "base/mem.h"
#include "fabric/ocs/ocs.h"

/* Circuits: set up, carrying, and what happens when they end or their switch fails. */

bool ocs_is_up(const struct ocs *ocs, uint32_t plane, const struct ocs_pair *pair)
{
    return ocs_port(ocs, OCS_SENDER, plane, pair->source)->peer == pair->destination &&
           ocs_port(ocs, OCS_RECEIVER, plane, pair->destination)->peer == pair->source;
}

/* The part that follows on the same circuit begins when the one before ends. Rounding counts once for all. */
static void place_part(const struct ocs *ocs, struct ocs_piece *piece, uint64_t bytes)
{
    uint64_t all;
    piece->part_began = piece->run_bytes ? piece->part_ends : piece->run_began;
    if (__builtin_add_overflow(piece->run_bytes, bytes, &all)) {
        piece->run_began = piece->part_began;
        all = bytes;
    }
    piece->run_bytes = all;
    piece->part_bytes = bytes;
    piece->part_ends = ps_add(piece->run_began, service_ps(all, ocs->rate_bytes_per_s));
}

/* The circuit takes bytes of the pair's next message. */
static void take_part(struct ocs *ocs, uint32_t index)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    struct ocs_pair *pair = &ocs->pairs[piece->pair];
    struct ocs_transfer *transfer = ocs_transfer(ocs, pair->waiting.head);
    uint64_t bytes = transfer->left < piece->budget ? transfer->left : piece->budget;
    piece->transfer = pair->waiting.head;
    piece->budget -= bytes;
    transfer->left -= bytes;
    transfer->parts++;
    pair->waiting_bytes -= bytes;
    pair->covered_bytes -= bytes;
    if (!transfer->left) {
        queue_take(&pair->waiting, QUEUE_LINKS(ocs->transfers.records, struct ocs_transfer, next));
        pair->taken++;
    }
    if (queue_is_empty(&pair->waiting))
        ocs_no_bytes_left(ocs, pair);
    place_part(ocs, piece, bytes);
    loop_at(ocs->fabric.params.loop, piece->part_ends, ocs->end_kind, index);
    if (transfer->visible != PS_NEVER)
        return;
    pair->last_visible = ps_max(pair->last_visible, ps_add(piece->part_began, ocs_light_ps(ocs)));
    transfer->visible = pair->last_visible;
    fabric_visible(&ocs->fabric, transfer->message, transfer->visible);
}

/* A request takes what waits; with several switches, one message each. */
static void take_budget(struct ocs *ocs, struct ocs_piece *piece, struct ocs_pair *pair)
{
    sum_t bytes = pair->waiting_bytes - pair->covered_bytes;
    const struct ocs_transfer *first = ocs_transfer(ocs, pair->waiting.head);
    if (ocs->planes > 1 && bytes > (sum_t)first->left)
        bytes = (sum_t)first->left;
    piece->budget = bytes < (sum_t)UINT64_MAX ? (uint64_t)bytes : UINT64_MAX;
    pair->covered_bytes += piece->budget;
    if (ocs->planes > 1 && first->next != OCS_NONE) /* nothing covers the messages behind it */
        pair->uncovered_since = ocs_transfer(ocs, first->next)->told;
    pair->has_request = false;
    pair->request = OCS_NONE;
}

static void release(struct ocs *ocs, uint32_t plane, enum ocs_side side, uint32_t node)
{
    struct ocs_port *port = ocs_port(ocs, side, plane, node);
    if (port->peer != OCS_NONE)
        ocs_port(ocs, 1 - side, plane, port->peer)->peer = OCS_NONE;
    port->peer = OCS_NONE;
}

/* Reserves the ports of a piece that is listed. True: the circuit has to be set up. */
bool ocs_take_ports(struct ocs *ocs, uint32_t plane, uint32_t index)
{
    ocs_list_remove(ocs, index);
    struct ocs_piece *piece = ocs_piece(ocs, index);
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    bool is_up = ocs_is_up(ocs, plane, pair);
    piece->plane = plane;
    for (enum ocs_side side = 0; side < OCS_SIDES; side++) {
        if (!is_up)
            release(ocs, plane, side, ocs_node(pair, side));
        ocs_port(ocs, side, plane, ocs_node(pair, side))->piece = index;
    }
    ocs_port(ocs, OCS_SENDER, plane, pair->source)->peer = pair->destination;
    ocs_port(ocs, OCS_RECEIVER, plane, pair->destination)->peer = pair->source;
    *(is_up ? &ocs->statistics.kept : &ocs->statistics.setups) += 1;
    return !is_up;
}

void ocs_begin(struct ocs *ocs, uint32_t index, ps_t setup)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    uint32_t at = piece->pair;
    bool is_request = piece->is_request;
    if (is_request)
        take_budget(ocs, piece, &ocs->pairs[at]);
    else if (piece->state == PIECE_READY)
        ocs_piece_begins(ocs, index);
    for (enum ocs_side side = 0; side < OCS_SIDES; side++)
        ocs_port(ocs, side, piece->plane, ocs_node(&ocs->pairs[at], side))->waits_since = PS_NEVER;
    *(is_request ? &ocs->statistics.unplanned : &ocs->statistics.planned) += 1;
    ocs->statistics.setting += setup;
    ocs->plane[piece->plane].carrying++;
    piece->state = PIECE_CARRYING;
    piece->since = fabric_now(&ocs->fabric);
    piece->run_began = ps_add(piece->since, setup);
    piece->run_bytes = 0;
    take_part(ocs, index);
    if (is_request)
        ocs_cover(ocs, at);
}

/* ------------------------------------------------------------- set up ahead */

void ocs_arm(struct ocs *ocs, uint32_t index, ps_t setup)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    piece->state = PIECE_ARMED;
    piece->run_began = ps_add(fabric_now(&ocs->fabric), setup);
    ocs->statistics.setting += setup;
    ocs->pairs[piece->pair].armed = index;
}

/* The bytes of a circuit that was set up ahead have come. */
void ocs_begin_armed(struct ocs *ocs, uint32_t index)
{
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    ps_t up_at = piece->run_began, now = fabric_now(&ocs->fabric);
    ps_t rest = up_at > now ? up_at - now : 0;
    ocs->pairs[piece->pair].armed = OCS_NONE;
    ocs->statistics.setting -= rest; /* counted when it was set up */
    ocs_begin(ocs, index, rest);
}

static void free_ports(struct ocs *ocs, const struct ocs_piece *piece)
{
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    for (enum ocs_side side = 0; side < OCS_SIDES; side++) {
        ocs_port(ocs, side, piece->plane, ocs_node(pair, side))->piece = OCS_NONE;
        ocs_mark(ocs, side, piece->plane, ocs_node(pair, side));
    }
}

void ocs_disarm(struct ocs *ocs, uint32_t index)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    piece->state = PIECE_IDLE;
    ocs->pairs[piece->pair].armed = OCS_NONE;
    if (piece->run_began > fabric_now(&ocs->fabric)) /* the set-up is not over */
        release(ocs, piece->plane, OCS_SENDER, pair->source);
    free_ports(ocs, piece);
}

/* --------------------------------------------------------------------- ends */

static ps_t between(ps_t least, ps_t at, ps_t most)
{
    at = ps_max(least, at);
    return at < most ? at : most;
}

/* A message waits until its ports are free. While the controller works on the answer for it, it waits for no
 * other message, even if its ports are taken, too. */
static void emit_wait(const struct ocs *ocs, const struct ocs_piece *piece,
                      const struct ocs_transfer *transfer, ps_t ports)
{
    const struct tap *tap = ocs->fabric.params.tap;
    uint32_t node = ocs->pairs[piece->pair].source;
    ps_t answered = between(transfer->told, piece->answered, ports);
    ps_t asked = between(transfer->told, piece->answered - ocs->config->controller_ps, answered);
    tap_emit_part(tap, transfer->message, TAP_PART_QUEUE, transfer->told, asked, "a circuit from node", node);
    tap_emit_part(tap, transfer->message, TAP_PART_ACQUIRE, asked, answered,
                  "the controller's answer to node", node);
    tap_emit_part(tap, transfer->message, TAP_PART_QUEUE, answered, ports, "a circuit from node", node);
}

/* What a part did: it waited for its ports, for the circuit, and was sent. */
static void emit_part(struct ocs *ocs, const struct ocs_piece *piece, struct ocs_transfer *transfer)
{
    const struct tap *tap = ocs->fabric.params.tap;
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    ps_t ports = ps_max(transfer->told, piece->since), up = ps_max(ports, piece->part_began);
    ps_t setup = ps_max(ports, piece->run_began);
    setup = setup < up ? setup : up;
    emit_wait(ocs, piece, transfer, ports);
    tap_emit_part(tap, transfer->message, TAP_PART_SWITCH, ports, setup, "the set-up of a circuit from node",
                  pair->source);
    tap_emit_part(tap, transfer->message, TAP_PART_QUEUE, setup, up, "messages sent before it by node",
                  pair->source);
    tap_emit_part(tap, transfer->message, TAP_PART_TRANSFER, up, ps_max(up, piece->part_ends), NULL, 0);
    ocs->statistics.waited += up - transfer->told;
    ocs->statistics.carried += piece->part_ends - piece->part_began;
    transfer->told = ps_max(up, piece->part_ends);
}

static void deliver(struct ocs *ocs, uint32_t index)
{
    const struct ocs_transfer *transfer = ocs_transfer(ocs, index);
    uint32_t message = transfer->message;
    ps_t now = fabric_now(&ocs->fabric), there = ps_add(now, ocs_light_ps(ocs));
    there = ps_max(there, transfer->visible);
    tap_emit_part(ocs->fabric.params.tap, message, TAP_PART_WIRE, now, there, NULL, 0);
    pool_give(&ocs->transfers, index);
    fabric_sender_done(&ocs->fabric, message, now);
    fabric_delivered(&ocs->fabric, message, there);
}

static void disconnect(struct ocs *ocs, uint32_t index)
{
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    ocs->plane[piece->plane].carrying--;
    free_ports(ocs, piece);
    ocs_piece_ended(ocs, index);
}

/* Callbacks come last, since they may send at once. */
void ocs_on_end(void *self, uint32_t index)
{
    struct ocs *ocs = self;
    struct ocs_piece *piece = ocs_piece(ocs, index);
    if (piece->state != PIECE_CARRYING || piece->part_ends != fabric_now(&ocs->fabric))
        return; /* its switch has failed since */
    uint32_t at = piece->transfer;
    struct ocs_transfer *transfer = ocs_transfer(ocs, at);
    emit_part(ocs, piece, transfer);
    transfer->parts--;
    bool is_whole = !transfer->left && !transfer->parts;
    if (piece->budget && !queue_is_empty(&ocs->pairs[piece->pair].waiting))
        take_part(ocs, index);
    else
        disconnect(ocs, index);
    if (is_whole)
        deliver(ocs, at);
}

/* ----------------------------------------------------------------- failures */

/* The bytes of the part that have not been sent go back to their message. A part that ends in this very
 * instant keeps one. */
static void cut(struct ocs *ocs, uint32_t index)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    struct ocs_pair *pair = &ocs->pairs[piece->pair];
    struct ocs_transfer *transfer = ocs_transfer(ocs, piece->transfer);
    ps_t now = fabric_now(&ocs->fabric);
    piece->part_began = now < piece->part_began ? now : piece->part_began;
    piece->part_ends = now;
    unsigned __int128 sent =
        (unsigned __int128)(now - piece->part_began) * ocs->rate_bytes_per_s / (uint64_t)PS_PER_S;
    uint64_t rest = piece->part_bytes > sent ? piece->part_bytes - (uint64_t)sent : 1;
    emit_part(ocs, piece, transfer);
    transfer->parts--;
    if (!transfer->left) {
        queue_prepend(&pair->waiting, QUEUE_LINKS(ocs->transfers.records, struct ocs_transfer, next),
                      piece->transfer);
        pair->taken--;
    }
    transfer->left += rest;
    pair->waiting_bytes += rest;
    pair->uncovered_since = now;
}

static void fail_piece(struct ocs *ocs, uint32_t index)
{
    switch (ocs_piece(ocs, index)->state) {
    case PIECE_CARRYING:
        cut(ocs, index);
        disconnect(ocs, index);
        break;
    case PIECE_READY:
        ocs_list_remove(ocs, index);
        if (!ocs_piece(ocs, index)->is_request)
            ocs_piece_begins(ocs, index);
        ocs_piece_ended(ocs, index);
        break;
    case PIECE_ARMED:
        ocs_disarm(ocs, index);
        break;
    default:
        break;
    }
}

static void fail_plane(struct ocs *ocs, uint32_t plane)
{
    ocs->plane[plane].has_failed = true;
    for (uint32_t i = 0; i < ocs->pieces.fresh; i++)
        if (ocs_piece(ocs, i)->plane == plane)
            fail_piece(ocs, i);
}

void ocs_on_fail(void *self, uint32_t failure)
{
    struct ocs *ocs = self;
    uint32_t wavelengths = (uint32_t)ocs->config->wavelengths;
    uint32_t first = ocs->config->failed.number[failure] * wavelengths;
    for (uint32_t plane = first; plane < first + wavelengths; plane++)
        fail_plane(ocs, plane);
}
