#include "base/mem.h"
#include "fabric/ocs/ocs.h"

/* Circuits on demand. The controller hears of a message when it is submitted, and answers ocs.controller
 * later. A circuit that is up, and that nobody else waits for, carries without it. */

static bool is_unwanted(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    const struct ocs_port *port = ocs_port(ocs, side, plane, node);
    return port->piece == OCS_NONE && port->list.first == OCS_NONE &&
           ocs->requests[side][node].first == OCS_NONE;
}

static bool has_circuit(const struct ocs *ocs, const struct ocs_pair *pair)
{
    for (uint32_t plane = 0; plane < ocs->planes; plane++)
        if (!ocs->plane[plane].has_failed && ocs_is_up(ocs, plane, pair) &&
            is_unwanted(ocs, OCS_SENDER, plane, pair->source) &&
            is_unwanted(ocs, OCS_RECEIVER, plane, pair->destination))
            return true;
    return false;
}

void ocs_on_request(void *self, uint32_t pair)
{
    struct ocs *ocs = self;
    uint32_t index = ocs_piece_new(ocs, pair);
    struct ocs_piece *piece = ocs_piece(ocs, index);
    piece->is_request = true;
    piece->plane = OCS_ANY;
    piece->order = ocs->next_order++;
    piece->state = PIECE_READY;
    ps_t answer = ps_add(ocs->pairs[pair].uncovered_since, ocs->config->controller_ps);
    piece->answered = answer < fabric_now(&ocs->fabric) ? answer : fabric_now(&ocs->fabric);
    ocs->pairs[pair].request = index;
    ocs_list_insert(ocs, index);
}

void ocs_request(struct ocs *ocs, uint32_t at)
{
    struct ocs_pair *pair = &ocs->pairs[at];
    if (pair->request != OCS_NONE)
        ocs_mark_piece(ocs, pair->request); /* it may have had no bytes */
    if (pair->has_request)
        return;
    pair->has_request = true;
    ps_t now = fabric_now(&ocs->fabric);
    ps_t answer = ps_add(pair->uncovered_since, ocs->config->controller_ps);
    if (answer <= now || has_circuit(ocs, pair))
        ocs_on_request(ocs, at);
    else
        loop_at(ocs->fabric.params.loop, answer, ocs->request_kind, at);
}

/* ------------------------------------------------------------------- rounds */

static void begin_round(struct ocs *ocs)
{
    if (ocs->round_comes || ocs->round_left || !ocs->round_count)
        return;
    ocs->round_comes = true;
    loop_at(ocs->fabric.params.loop, ps_add(fabric_now(&ocs->fabric), ocs->config->controller_ps),
            ocs->round_kind, 0);
}

void ocs_ask_for_round(struct ocs *ocs, uint32_t at)
{
    struct ocs_pair *pair = &ocs->pairs[at];
    if (!pair->waits_for_round) {
        pair->waits_for_round = true;
        ocs->round_pairs =
            mem_grow(ocs->round_pairs, &ocs->round_capacity, ocs->round_count + 1, "pairs of a round");
        ocs->round_pairs[ocs->round_count++] = at;
    }
    begin_round(ocs);
}

void ocs_round_piece_ended(struct ocs *ocs)
{
    ocs->round_left--;
    begin_round(ocs);
}

void ocs_on_round(void *self, uint32_t nothing)
{
    struct ocs *ocs = self;
    (void)nothing;
    ocs->round_comes = false;
    ocs_plan_round(ocs);
}
