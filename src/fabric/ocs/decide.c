#include "fabric/ocs/ocs.h"

/* Which circuit a free port takes next. Decisions are made once all events of an instant have happened, so
 * that everything that is known then counts.
 *
 * Planned pieces keep the order of the plan: a piece begins when it is the first of both its ports. A circuit
 * is set up before its bytes are there. A port waits for them as long as a set-up takes; if other bytes still
 * wait for it then, the program is off the plan until the next phase: pieces without bytes leave the lists,
 * and ports take the piece that has had bytes for the longest time and can begin. So nothing waits for ever.
 *
 * Requests begin when both ports are free, and no planned piece with bytes waits for them. */

static bool is_free(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    return ocs_port(ocs, side, plane, node)->piece == OCS_NONE;
}

/* ----------------------------------------------------------------- requests */

static sum_t bytes_of(const struct ocs *ocs, uint32_t index)
{
    const struct ocs_pair *pair = &ocs->pairs[ocs_piece(ocs, index)->pair];
    return pair->waiting_bytes - pair->covered_bytes;
}

/* The request for this port that is served next: the oldest whose other port is free, or the one of most
 * bytes. Planned pieces may have come for its bytes; then it waits for more. */
static uint32_t request_at(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    uint32_t best = OCS_NONE;
    for (uint32_t index = ocs->requests[side][node].first; index != OCS_NONE;
         index = ocs_piece(ocs, index)->behind[side]) {
        uint32_t other = ocs_node(&ocs->pairs[ocs_piece(ocs, index)->pair], 1 - side);
        if (bytes_of(ocs, index) <= 0 || !is_free(ocs, 1 - side, plane, other) ||
            ocs_first_ready(ocs, 1 - side, plane, other) != OCS_NONE)
            continue;
        if (ocs->config->policy != OCS_MOST_BYTES)
            return index;
        if (best == OCS_NONE || bytes_of(ocs, index) > bytes_of(ocs, best))
            best = index;
    }
    return best;
}

/* ------------------------------------------------------------------- plans */

/* The first planned piece of the port, if it is the first of its other port too, and that is free. One
 * circuit of a pair is set up ahead at most. */
static uint32_t planned_at(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    uint32_t index = ocs_port(ocs, side, plane, node)->list.first;
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    const struct ocs_port *port = ocs_port(ocs, 1 - side, plane, ocs_node(pair, 1 - side));
    if (piece->state != PIECE_READY && pair->armed != OCS_NONE)
        return OCS_NONE;
    return port->piece == OCS_NONE && port->list.first == index ? index : OCS_NONE;
}

/* Whether the port has waited long enough for bytes of the plan while others wait for it. */
static bool is_impatient(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    struct ocs_port *port = ocs_port(ocs, side, plane, node);
    ps_t now = fabric_now(&ocs->fabric);
    if (port->waits_since == PS_NEVER) {
        port->waits_since = now;
        if (ocs->config->switching_ps)
            loop_at(ocs->fabric.params.loop, ps_add(now, ocs->config->switching_ps), ocs->wake_kind,
                    ocs_port_number(ocs, side, plane, node));
    }
    return now - port->waits_since >= ocs->config->switching_ps;
}

/* The program does not follow the plan: pieces without bytes are put off. */
static void leave_plan(struct ocs *ocs)
{
    ocs->is_off_plan = true;
    for (uint32_t index = 0; index < ocs->pieces.fresh; index++)
        if (ocs_piece(ocs, index)->state == PIECE_IDLE && ocs_piece(ocs, index)->is_listed) {
            ocs_list_remove(ocs, index);
            ocs_mark_piece(ocs, index);
        }
}

/* Whether bytes wait for this port that no planned piece will carry. */
static bool is_requested(const struct ocs *ocs, enum ocs_side side, uint32_t node)
{
    uint32_t index = ocs->requests[side][node].first;
    while (index != OCS_NONE && bytes_of(ocs, index) <= 0)
        index = ocs_piece(ocs, index)->behind[side];
    return index != OCS_NONE;
}

/* Off the plan: the first planned piece that has bytes and whose other port is free. */
static uint32_t first_that_can_begin(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    for (uint32_t index = ocs_first_ready(ocs, side, plane, node); index != OCS_NONE;
         index = ocs_piece(ocs, index)->behind[side]) {
        const struct ocs_piece *piece = ocs_piece(ocs, index);
        if (piece->state == PIECE_READY &&
            is_free(ocs, 1 - side, plane, ocs_node(&ocs->pairs[piece->pair], 1 - side)))
            return index;
    }
    return OCS_NONE;
}

/* What the port takes in the order of the plan. */
static uint32_t choose_in_order(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    struct ocs_port *port = ocs_port(ocs, side, plane, node);
    uint32_t ready = ocs_first_ready(ocs, side, plane, node);
    bool is_wanted = ready != OCS_NONE || is_requested(ocs, side, node);
    bool is_planned = port->piece != OCS_NONE || (port->list.first != OCS_NONE && port->list.first != ready);
    if (!is_wanted || !is_planned)
        port->waits_since = PS_NEVER;
    else if (is_impatient(ocs, side, plane, node)) {
        if (port->piece != OCS_NONE)
            ocs_disarm(ocs, port->piece);
        if (ready == OCS_NONE)
            return request_at(ocs, side, plane, node);
        leave_plan(ocs);
        return first_that_can_begin(ocs, side, plane, node);
    }
    if (port->piece != OCS_NONE)
        return OCS_NONE;
    return port->list.first != OCS_NONE ? planned_at(ocs, side, plane, node)
                                        : request_at(ocs, side, plane, node);
}

static uint32_t choose_off_plan(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    const struct ocs_port *port = ocs_port(ocs, side, plane, node);
    bool is_ready = ocs_first_ready(ocs, side, plane, node) != OCS_NONE;
    if (port->piece != OCS_NONE && (is_ready || is_requested(ocs, side, node)))
        ocs_disarm(ocs, port->piece);
    if (port->piece != OCS_NONE)
        return OCS_NONE;
    return is_ready ? first_that_can_begin(ocs, side, plane, node) : request_at(ocs, side, plane, node);
}

/* The port is not carrying. The piece or request that it takes now; OCS_NONE: it waits. */
static uint32_t choose(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    return ocs->is_off_plan ? choose_off_plan(ocs, side, plane, node)
                            : choose_in_order(ocs, side, plane, node);
}

/* --------------------------------------------------------------- candidates */

static bool comes_before(const struct ocs_candidate *a, const struct ocs_candidate *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    if (a->order != b->order)
        return a->order < b->order;
    return a->port < b->port;
}

static void push(struct ocs *ocs, uint32_t index, uint32_t port)
{
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    bool by_bytes = ocs->config->policy == OCS_MOST_BYTES && piece->is_request;
    const struct ocs_candidate candidate = {
        .bytes = by_bytes ? bytes_of(ocs, index) : 0, .order = piece->order, .piece = index, .port = port};
    ocs->candidates = mem_grow(ocs->candidates, &ocs->candidate_capacity, ocs->candidate_count + 1,
                               "circuits that can begin");
    size_t at = ocs->candidate_count++;
    for (; at > 0 && comes_before(&candidate, &ocs->candidates[(at - 1) / 2]); at = (at - 1) / 2)
        ocs->candidates[at] = ocs->candidates[(at - 1) / 2];
    ocs->candidates[at] = candidate;
}

static struct ocs_candidate pop(struct ocs *ocs)
{
    struct ocs_candidate *heap = ocs->candidates, first = heap[0], last = heap[--ocs->candidate_count];
    size_t count = ocs->candidate_count, at = 0;
    for (size_t child = 1; child < count; at = child, child = 2 * at + 1) {
        child += child + 1 < count && comes_before(&heap[child + 1], &heap[child]);
        if (!comes_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* What the port would take now; OCS_NONE: nothing. */
static uint32_t look(struct ocs *ocs, uint32_t number)
{
    enum ocs_side side = number % OCS_SIDES;
    uint32_t plane = number / OCS_SIDES / ocs->nodes, node = number / OCS_SIDES % ocs->nodes;
    const struct ocs_port *port = ocs_port(ocs, side, plane, node);
    if (ocs->plane[plane].has_failed ||
        (port->piece != OCS_NONE && ocs_piece(ocs, port->piece)->state != PIECE_ARMED))
        return OCS_NONE;
    return choose(ocs, side, plane, node);
}

static void start(struct ocs *ocs, uint32_t index, uint32_t plane)
{
    ps_t setup = ocs_take_ports(ocs, plane, index) ? ocs->config->switching_ps : 0;
    if (ocs_piece(ocs, index)->state == PIECE_READY)
        ocs_begin(ocs, index, setup);
    else
        ocs_arm(ocs, index, setup);
}

/* A port whose candidate has lost its other port looks again. */
static void decide_ports(struct ocs *ocs)
{
    while (ocs->dirty_count || ocs->candidate_count) {
        if (ocs->dirty_count) {
            uint32_t port = ocs->dirty[--ocs->dirty_count], index;
            ocs->is_dirty[port] = 0;
            if ((index = look(ocs, port)) != OCS_NONE)
                push(ocs, index, port);
            continue;
        }
        struct ocs_candidate candidate = pop(ocs);
        uint32_t index = look(ocs, candidate.port);
        if (index == OCS_NONE)
            continue;
        if (index == candidate.piece)
            start(ocs, index, candidate.port / OCS_SIDES / ocs->nodes);
        else
            push(ocs, index, candidate.port);
    }
}

/* ----------------------------------------------------------------- all-stop */

/* An all-stop switch changes when none of its circuits carries. The pieces of a plan's slot that have bytes
 * are set up together, and requests take the ports that these leave. */
static uint32_t ready_at(const struct ocs *ocs, uint32_t plane, uint32_t node)
{
    uint32_t index = ocs_first_ready(ocs, OCS_SENDER, plane, node);
    if (index == OCS_NONE || !is_free(ocs, OCS_SENDER, plane, node))
        return OCS_NONE;
    uint32_t other = ocs->pairs[ocs_piece(ocs, index)->pair].destination;
    bool is_first = ocs_first_ready(ocs, OCS_RECEIVER, plane, other) == index;
    return is_first && is_free(ocs, OCS_RECEIVER, plane, other) ? index : OCS_NONE;
}

/* The group of the earliest piece that can begin. If a piece of an earlier group or of this one has no bytes,
 * the program is off the plan. */
static uint64_t first_group(struct ocs *ocs, uint32_t plane)
{
    uint64_t order = UINT64_MAX, group = UINT64_MAX;
    for (uint32_t node = 0; node < ocs->nodes; node++) {
        uint32_t index = ready_at(ocs, plane, node);
        if (index == OCS_NONE || ocs_piece(ocs, index)->order >= order)
            continue;
        order = ocs_piece(ocs, index)->order;
        group = ocs_piece(ocs, index)->group;
    }
    for (uint32_t node = 0; node < ocs->nodes && group != UINT64_MAX; node++) {
        uint32_t index = ocs_port(ocs, OCS_SENDER, plane, node)->list.first;
        if (index != OCS_NONE && ocs_piece(ocs, index)->state != PIECE_READY &&
            ocs_piece(ocs, index)->group <= group)
            leave_plan(ocs);
    }
    return group;
}

static uint32_t choose_for_slot(const struct ocs *ocs, uint32_t plane, uint32_t node, uint64_t group)
{
    if (ocs_first_ready(ocs, OCS_SENDER, plane, node) == OCS_NONE)
        return request_at(ocs, OCS_SENDER, plane, node);
    if (ocs->is_off_plan)
        return first_that_can_begin(ocs, OCS_SENDER, plane, node);
    uint32_t index = ready_at(ocs, plane, node);
    return index != OCS_NONE && ocs_piece(ocs, index)->group == group ? index : OCS_NONE;
}

static void push_for_slot(struct ocs *ocs, uint32_t plane, uint32_t node, uint64_t group)
{
    uint32_t index =
        is_free(ocs, OCS_SENDER, plane, node) ? choose_for_slot(ocs, plane, node, group) : OCS_NONE;
    if (index != OCS_NONE)
        push(ocs, index, ocs_port_number(ocs, OCS_SENDER, plane, node));
}

static void decide_plane(struct ocs *ocs, uint32_t plane)
{
    uint64_t group = first_group(ocs, plane);
    uint32_t count = 0;
    bool changes = false;
    for (uint32_t node = 0; node < ocs->nodes; node++)
        push_for_slot(ocs, plane, node, group);
    while (ocs->candidate_count) {
        struct ocs_candidate candidate = pop(ocs);
        uint32_t node = candidate.port / OCS_SIDES % ocs->nodes;
        if (choose_for_slot(ocs, plane, node, group) != candidate.piece) {
            push_for_slot(ocs, plane, node, group);
            continue;
        }
        changes |= ocs_take_ports(ocs, plane, candidate.piece);
        ocs->chosen[count++] = candidate.piece;
    }
    for (uint32_t i = 0; i < count; i++)
        ocs_begin(ocs, ocs->chosen[i], changes ? ocs->config->switching_ps : 0);
}

void ocs_on_decide(void *self, uint32_t nothing)
{
    struct ocs *ocs = self;
    (void)nothing;
    ocs->decides = !ocs->config->switch_kind; /* what begins may let another switch decide */
    for (uint32_t plane = 0; plane < ocs->planes && ocs->config->switch_kind; plane++) {
        bool is_due = ocs->plane[plane].is_dirty && !ocs->plane[plane].carrying;
        ocs->plane[plane].is_dirty = false;
        if (is_due && !ocs->plane[plane].has_failed)
            decide_plane(ocs, plane);
    }
    if (ocs->config->switch_kind)
        return;
    decide_ports(ocs);
    ocs->decides = false;
}

/* A port has waited for bytes of its plan. */
void ocs_on_wake(void *self, uint32_t number)
{
    struct ocs *ocs = self;
    ocs_mark(ocs, number % OCS_SIDES, number / OCS_SIDES / ocs->nodes, number / OCS_SIDES % ocs->nodes);
}
