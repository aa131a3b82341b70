#include "base/mem.h"
#include "fabric/ocs/ocs.h"

/* The messages of a pair of nodes leave in the order in which they were submitted. Circuits take their bytes:
 * a piece of a plan as many as it was planned for, a request what waits when it begins. A message may so be
 * carried by several circuits, one after another or by several switches at once. */

static struct queue_links transfer_links(const struct ocs *ocs)
{
    return QUEUE_LINKS(ocs->transfers.records, struct ocs_transfer, next);
}

static struct queue_links piece_links(const struct ocs *ocs)
{
    return QUEUE_LINKS(ocs->pieces.records, struct ocs_piece, next);
}

uint32_t ocs_pair_of(struct ocs *ocs, uint32_t source, uint32_t destination)
{
    uint32_t *slot = hashmap_slot(&ocs->by_nodes, (uint64_t)source << 32 | destination);
    if (*slot == 0) {
        ocs->pairs = mem_grow(ocs->pairs, &ocs->pair_capacity, ocs->pair_count + 1, "pairs of nodes");
        struct ocs_pair *pair = &ocs->pairs[ocs->pair_count++];
        *pair = (struct ocs_pair){
            .source = source, .destination = destination, .armed = OCS_NONE, .request = OCS_NONE};
        queue_init(&pair->waiting);
        queue_init(&pair->idle);
        queue_init(&pair->ready);
        *slot = (uint32_t)ocs->pair_count;
    }
    return *slot - 1;
}

/* A message of no bytes takes the time of one. */
void ocs_pair_submit(struct ocs *ocs, uint32_t index)
{
    const struct message *message = fabric_message(&ocs->fabric, index);
    uint64_t bytes = fabric_message_bytes(&ocs->fabric, message);
    uint32_t at = ocs_pair_of(ocs, message->source_node, message->destination_node);
    uint32_t taken = pool_take(&ocs->transfers);
    *ocs_transfer(ocs, taken) = (struct ocs_transfer){.message = index,
                                                      .pair = at,
                                                      .left = bytes ? bytes : 1,
                                                      .told = fabric_now(&ocs->fabric),
                                                      .visible = PS_NEVER};
    struct ocs_pair *pair = &ocs->pairs[at];
    if (pair->waiting_bytes <= pair->covered_bytes)
        pair->uncovered_since = fabric_now(&ocs->fabric);
    pair->waiting_bytes += bytes ? bytes : 1;
    pair->submitted++;
    queue_append(&pair->waiting, transfer_links(ocs), taken);
    ocs->expected -= pair->submitted <= pair->planned && ocs->expected > 0;
    ocs_cover(ocs, at);
    ocs_load_ahead(ocs);
}

/* ------------------------------------------------------------------- pieces */

uint32_t ocs_piece_new(struct ocs *ocs, uint32_t pair)
{
    uint32_t index = pool_take(&ocs->pieces);
    *ocs_piece(ocs, index) = (struct ocs_piece){.pair = pair, .state = PIECE_IDLE, .transfer = OCS_NONE};
    return index;
}

void ocs_piece_append(struct ocs *ocs, uint32_t piece)
{
    queue_append(&ocs->pairs[ocs_piece(ocs, piece)->pair].idle, piece_links(ocs), piece);
    if (!ocs->is_off_plan)
        ocs_list_insert(ocs, piece);
}

static void free_piece(struct ocs *ocs, uint32_t index)
{
    bool is_of_round = ocs_piece(ocs, index)->is_of_round;
    ocs_piece(ocs, index)->state = PIECE_FREE;
    pool_give(&ocs->pieces, index);
    if (is_of_round)
        ocs_round_piece_ended(ocs);
}

/* Frees the pieces of the pair whose messages have all been taken, because they were planned for more bytes,
 * and those of a switch that has failed. */
static void drop_useless(struct ocs *ocs, struct ocs_pair *pair)
{
    while (!queue_is_empty(&pair->idle)) {
        uint32_t index = pair->idle.head;
        const struct ocs_piece *piece = ocs_piece(ocs, index);
        if (piece->last_message > pair->taken && !ocs->plane[piece->plane].has_failed)
            return;
        if (piece->state == PIECE_ARMED)
            ocs_disarm(ocs, index);
        ocs_list_remove(ocs, index);
        ocs_mark_piece(ocs, index);
        queue_take(&pair->idle, piece_links(ocs));
        free_piece(ocs, index);
    }
}

static void take_out(struct ocs *ocs, struct queue *queue, uint32_t index)
{
    uint32_t before = OCS_NONE;
    for (uint32_t at = queue->head; at != index; at = ocs_piece(ocs, at)->next)
        before = at;
    queue_cut(queue, piece_links(ocs), before, index);
}

void ocs_piece_begins(struct ocs *ocs, uint32_t index)
{
    take_out(ocs, &ocs->pairs[ocs_piece(ocs, index)->pair].ready, index);
}

void ocs_no_bytes_left(struct ocs *ocs, struct ocs_pair *pair)
{
    for (uint32_t index = pair->ready.head; index != OCS_NONE; index = ocs_piece(ocs, index)->next) {
        ocs_piece(ocs, index)->state = PIECE_IDLE;
        pair->covered_bytes -= ocs_piece(ocs, index)->budget;
    }
    queue_join(&pair->idle, piece_links(ocs), pair->ready);
    queue_init(&pair->ready);
}

/* The pair's next piece gets bytes: the one whose circuit is up already, or else the first. */
static bool fill_next(struct ocs *ocs, struct ocs_pair *pair)
{
    drop_useless(ocs, pair);
    uint32_t index = pair->armed != OCS_NONE ? pair->armed : pair->idle.head;
    if (index == OCS_NONE)
        return false;
    struct ocs_piece *piece = ocs_piece(ocs, index);
    take_out(ocs, &pair->idle, index);
    pair->covered_bytes += piece->budget;
    if (piece->state == PIECE_ARMED) {
        ocs_begin_armed(ocs, index);
        return true;
    }
    piece->state = PIECE_READY;
    if (ocs->is_off_plan)
        piece->order = ocs->next_order++;
    queue_append(&pair->ready, piece_links(ocs), index);
    if (piece->is_listed)
        ocs_mark_piece(ocs, index);
    else
        ocs_list_insert(ocs, index);
    return true;
}

void ocs_cover(struct ocs *ocs, uint32_t at)
{
    const struct ocs_config *config = ocs->config;
    while (ocs->pairs[at].covered_bytes < ocs->pairs[at].waiting_bytes) {
        if (fill_next(ocs, &ocs->pairs[at]))
            continue;
        if (ocs->pairs[at].phases_ahead) {
            ocs_load_phase(ocs);
            continue;
        }
        if (config->control == OCS_DEMAND && config->policy == OCS_ROUNDS)
            ocs_ask_for_round(ocs, at);
        else
            ocs_request(ocs, at);
        return;
    }
}

/* What is left of a planned piece waits for more bytes of its pair. One that has carried all of it repeats,
 * if the phase does. */
static void keep_planned(struct ocs *ocs, uint32_t index)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    struct ocs_pair *pair = &ocs->pairs[piece->pair];
    piece->state = PIECE_IDLE;
    if (ocs->plane[piece->plane].has_failed) {
        free_piece(ocs, index);
    } else if (piece->budget) {
        queue_prepend(&pair->idle, piece_links(ocs), index);
        if (!ocs->is_off_plan)
            ocs_list_insert(ocs, index);
    } else if (piece->times > 1) {
        piece->times--;
        piece->budget = piece->refill;
        piece->order += piece->stride;
        piece->group += piece->stride;
        ocs_piece_append(ocs, index);
    } else {
        free_piece(ocs, index);
    }
}

void ocs_piece_ended(struct ocs *ocs, uint32_t index)
{
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    uint32_t at = piece->pair;
    ocs->pairs[at].covered_bytes -= piece->budget;
    if (piece->is_request)
        free_piece(ocs, index);
    else
        keep_planned(ocs, index);
    drop_useless(ocs, &ocs->pairs[at]);
    ocs_cover(ocs, at);
}
