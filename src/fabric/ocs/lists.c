#include "base/mem.h"
#include "fabric/ocs/ocs.h"

/* What waits for each port: planned pieces, in the order of the plan, and requests, in the order in which
 * they came. */

static struct ocs_list *list_of(const struct ocs *ocs, const struct ocs_piece *piece, enum ocs_side side)
{
    uint32_t node = ocs_node(&ocs->pairs[piece->pair], side);
    return piece->plane == OCS_ANY ? &ocs->requests[side][node]
                                   : &ocs_port(ocs, side, piece->plane, node)->list;
}

void ocs_mark(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    uint32_t port = ocs_port_number(ocs, side, plane, node);
    if (ocs->config->switch_kind)
        ocs->plane[plane].is_dirty = true;
    else if (!ocs->is_dirty[port]) {
        ocs->is_dirty[port] = 1;
        ocs->dirty = mem_grow(ocs->dirty, &ocs->dirty_capacity, ocs->dirty_count + 1, "ports");
        ocs->dirty[ocs->dirty_count++] = port;
    }
    if (!ocs->decides)
        loop_at(ocs->fabric.params.loop, fabric_now(&ocs->fabric), ocs->decide_kind, 0);
    ocs->decides = true;
}

static void insert(struct ocs *ocs, uint32_t index, enum ocs_side side)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    struct ocs_list *list = list_of(ocs, piece, side);
    uint32_t before = list->last;
    while (before != OCS_NONE && ocs_piece(ocs, before)->order > piece->order)
        before = ocs_piece(ocs, before)->before[side];
    uint32_t behind = before == OCS_NONE ? list->first : ocs_piece(ocs, before)->behind[side];
    piece->before[side] = before;
    piece->behind[side] = behind;
    *(before == OCS_NONE ? &list->first : &ocs_piece(ocs, before)->behind[side]) = index;
    *(behind == OCS_NONE ? &list->last : &ocs_piece(ocs, behind)->before[side]) = index;
}

/* Something about the piece has changed: its ports decide anew. */
void ocs_mark_piece(struct ocs *ocs, uint32_t index)
{
    const struct ocs_piece *piece = ocs_piece(ocs, index);
    const struct ocs_pair *pair = &ocs->pairs[piece->pair];
    uint32_t from = piece->plane == OCS_ANY ? 0 : piece->plane;
    uint32_t to = piece->plane == OCS_ANY ? ocs->planes : piece->plane + 1;
    for (uint32_t plane = from; plane < to; plane++)
        for (enum ocs_side side = 0; side < OCS_SIDES; side++)
            ocs_mark(ocs, side, plane, ocs_node(pair, side));
}

void ocs_list_insert(struct ocs *ocs, uint32_t index)
{
    ocs_piece(ocs, index)->is_listed = true;
    for (enum ocs_side side = 0; side < OCS_SIDES; side++)
        insert(ocs, index, side);
    ocs_mark_piece(ocs, index);
}

void ocs_list_remove(struct ocs *ocs, uint32_t index)
{
    struct ocs_piece *piece = ocs_piece(ocs, index);
    if (!piece->is_listed)
        return;
    piece->is_listed = false;
    for (enum ocs_side side = 0; side < OCS_SIDES; side++) {
        struct ocs_list *list = list_of(ocs, piece, side);
        uint32_t before = piece->before[side], behind = piece->behind[side];
        *(before == OCS_NONE ? &list->first : &ocs_piece(ocs, before)->behind[side]) = behind;
        *(behind == OCS_NONE ? &list->last : &ocs_piece(ocs, behind)->before[side]) = before;
    }
}

uint32_t ocs_first_ready(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node)
{
    uint32_t index = ocs_port(ocs, side, plane, node)->list.first;
    while (index != OCS_NONE && ocs_piece(ocs, index)->state != PIECE_READY)
        index = ocs_piece(ocs, index)->behind[side];
    return index;
}
