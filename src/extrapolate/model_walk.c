#include "extrapolate/model_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "extrapolate/communicators.h"
#include "extrapolate/computation.h"

/* ----------------------------------------------------------------- instance */

static bool fill_site(struct model_instance *instance, const struct site *site, struct site_values *values)
{
    values->by_rank = fit_is_by_rank(&site->bytes) || fit_is_by_rank(&site->recv_bytes);
    return fit_value(&site->tag, &instance->grid, 0, &values->tag) &&
           (values->by_rank || (fit_value(&site->bytes, &instance->grid, 0, &values->bytes) &&
                                fit_value(&site->recv_bytes, &instance->grid, 0, &values->recv_bytes)));
}

/* The sizes for all peers of a rank whose share is `share`. */
static uint64_t *make_vector(const struct vector_rule *rule, uint64_t factor, uint64_t share,
                             uint32_t members)
{
    uint64_t *sizes = mem_alloc(members, sizeof *sizes, "sizes of messages");
    for (uint32_t peer = 0; peer < members; peer++)
        sizes[peer] = factor * share * vector_share(rule->peer, members, peer);
    return sizes;
}

static bool fill_vectors(const struct model_instance *instance, const struct site *site,
                         const struct rank_event *event, struct site_values *values)
{
    values->members = event->members ? comm_size(event->comm, &instance->grid) : 0;
    for (int side = 0; side < 2; side++) {
        const struct vector_rule *rule = &site->sizes[side];
        uint64_t factor, share = rule->own ? rule->own / (values->members ? values->members : 1) : 1;
        if (!rank_event_has_sizes(event, (unsigned)side))
            continue;
        if (!fit_value(&rule->factor, &instance->grid, 0, &factor))
            return false;
        values->vectors[side][0] = make_vector(rule, factor, share, values->members);
        values->vectors[side][1] = make_vector(rule, factor, share + (rule->own > 0), values->members);
    }
    return true;
}

/* To six digits, as in traces: a fit is not more exact. */
static double rounded(double operations)
{
    if (operations <= 0)
        return 0;
    int digits = 5 - (int)floor(log10(operations));
    double ten = pow(10, digits < 0 ? -digits : digits);
    return digits < 0 ? rint(operations / ten) * ten : rint(operations * ten) / ten;
}

static void fill_bursts(struct model_instance *instance, uint32_t role)
{
    const struct role_model *part = &instance->model->roles[role];
    uint32_t places = part->pattern.place_count;
    instance->bursts[role] = mem_alloc(places, sizeof(double), "computation");
    for (uint32_t place = 0; place < places; place++) {
        const struct burst *burst = &part->bursts[place];
        instance->bursts[role][place] = burst->base + burst->scale * pow(instance->grid.ranks, burst->power);
    }
    const struct rank_classes *classes = &part->classes;
    size_t count = classes->differ ? (size_t)classes->count * places : 0;
    instance->class_bursts[role] = mem_alloc(count, sizeof(double), "computation");
    for (size_t i = 0; i < count; i++)
        instance->class_bursts[role][i] = classes->scale[i] * pow(instance->grid.ranks, classes->power[i]);
}

bool model_instance_init(struct model_instance *instance, const struct program_model *model, uint32_t ranks,
                         char *why, size_t why_size)
{
    *instance = (struct model_instance){.model = model, .grid = grid_of(model->hypothesis.grid, ranks)};
    for (uint32_t role = 0; role <= model->hypothesis.apart; role++) {
        const struct role_model *part = &model->roles[role];
        instance->sites[role] = mem_alloc(part->pattern.leaf_count, sizeof(struct site_values), "sizes");
        instance->passes[role] = mem_alloc(part->pattern.loop_count, sizeof(uint64_t), "passes");
        for (uint32_t leaf = 0; leaf < part->pattern.leaf_count; leaf++)
            if (!fill_site(instance, &part->sites[leaf], &instance->sites[role][leaf]) ||
                !fill_vectors(instance, &part->sites[leaf], &part->pattern.leaves[leaf]->event,
                              &instance->sites[role][leaf])) {
                snprintf(why, why_size,
                         "a message would have no whole number of bytes, or no tag, on %u ranks", ranks);
                return false;
            }
        for (uint32_t loop = 0; loop < part->pattern.loop_count; loop++)
            if (!fit_value(&part->passes[loop], &instance->grid, 0, &instance->passes[role][loop])) {
                snprintf(why, why_size, "a loop would have no whole number of passes on %u ranks", ranks);
                return false;
            }
        fill_bursts(instance, role);
    }
    return true;
}

void model_instance_free(struct model_instance *instance)
{
    for (int role = 0; role < 2; role++) {
        for (uint32_t i = 0; instance->sites[role] && i < instance->model->roles[role].pattern.leaf_count;
             i++)
            for (int vector = 0; vector < 4; vector++)
                free(instance->sites[role][i].vectors[vector / 2][vector % 2]);
        free(instance->sites[role]);
        free(instance->passes[role]);
        free(instance->bursts[role]);
        free(instance->class_bursts[role]);
    }
    *instance = (struct model_instance){0};
}

/* --------------------------------------------------------------------- walk */

static uint32_t role_of(const struct model_walk *walk, const struct model_instance *instance)
{
    return program_model_role(instance->model, walk->rank);
}

void model_walk_begin(struct model_walk *walk, const struct model_instance *instance)
{
    const struct role_model *part = &instance->model->roles[role_of(walk, instance)];
    walk->frames[0] = (struct loop_frame){.loop = &part->pattern.root};
    walk->depth = 1;
    walk->carried = 0;
    walk->entered = 0;
    walk->class_bursts = NULL;
    if (!part->classes.differ)
        return;
    uint32_t class =
        rank_class_index(&part->classes, rank_class(&part->pattern, &instance->grid, walk->rank));
    if (class != UINT32_MAX)
        walk->class_bursts =
            &instance->class_bursts[role_of(walk, instance)][(size_t) class * part->pattern.place_count];
}

/* The burst at a place, by what is known of all ranks or of the rank's class. */
static double burst_at(const struct model_walk *walk, const struct model_instance *instance, uint32_t place)
{
    uint32_t role = role_of(walk, instance);
    const struct role_model *part = &instance->model->roles[role];
    double operations = walk->class_bursts ? walk->class_bursts[place] : instance->bursts[role][place];
    return operations > 0 ? operations * burst_share(part, &part->bursts[place], &instance->grid, walk->rank)
                          : 0;
}

/* The rank's own block is its entry in the sizes. Of a gatherv and a scatterv, only the root has all sizes.
 */
static void give_entry(struct rank_event *event, uint32_t place)
{
    unsigned side = event->op != CALL_SCATTERV;
    if (!event->sizes[side])
        return;
    event->bytes = event->sizes[side][place];
    event->recv_bytes = event->op == CALL_SCATTERV ? event->bytes : 0;
    if (rank_event_root_knows(event, side) && place != (uint32_t)event->peer)
        event->sizes[side] = NULL;
}

static bool give_sizes(const struct model_walk *walk, const struct model_instance *instance, uint32_t leaf,
                       struct rank_event *event)
{
    uint32_t role = role_of(walk, instance);
    const struct site_values *values = &instance->sites[role][leaf];
    const struct site *site = &instance->model->roles[role].sites[leaf];
    event->bytes = values->bytes;
    event->recv_bytes = values->recv_bytes;
    event->members = values->members;
    uint32_t place = values->members ? comm_place(event->comm, &instance->grid, walk->rank) : 0;
    for (int side = 0; side < 2 && values->members; side++)
        event->sizes[side] =
            values->vectors[side][site->sizes[side].own && place < site->sizes[side].own % values->members];
    if (rank_event_has_entry(event))
        give_entry(event, place);
    return !values->by_rank ||
           (fit_value(&site->bytes, &instance->grid, walk->rank, &event->bytes) &&
            fit_value(&site->recv_bytes, &instance->grid, walk->rank, &event->recv_bytes));
}

enum made { MADE, LEFT_OUT, LOST };

/* A sendrecv with one end at MPI_PROC_NULL is the send or the receive. */
static void make_half(struct rank_event *event, bool receives)
{
    event->op = receives ? CALL_RECV : CALL_SEND;
    event->tag = (int32_t)((uint32_t)event->tag + (receives ? event->tag_apart : 0));
    event->tag_apart = 0;
    event->peer = receives ? event->source : event->peer;
    event->source = 0;
    *(receives ? &event->bytes : &event->recv_bytes) = 0;
}

static enum made make_call(const struct model_walk *walk, const struct model_instance *instance,
                           const struct pattern_node *leaf, uint32_t stage, struct rank_event *event)
{
    int64_t peers[2] = {leaf->event.peer, leaf->event.source};
    if (!comm_has(leaf->event.comm, &instance->grid, walk->rank))
        return LEFT_OUT;
    for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++) {
        uint32_t rule = (uint32_t)__builtin_ctz(leaf->possible[which]);
        peers[which] = peer_of(&leaf->rules[which][rule], &instance->grid, walk->rank, stage);
        if (peers[which] == PEER_INVALID)
            return LOST;
    }
    bool both = rank_event_peers(&leaf->event) == 2;
    bool none[2] = {peers[0] == PEER_NONE, both && peers[1] == PEER_NONE};
    if (rank_event_peers(&leaf->event) && none[0] && (!both || none[1]))
        return leaf->event.op > CALL_WAIT ? LOST : LEFT_OUT;
    *event = leaf->event;
    event->peer = (int32_t)peers[0];
    event->source = (int32_t)peers[1];
    event->tag = (int32_t)((uint32_t)instance->sites[role_of(walk, instance)][leaf->index].tag +
                           (uint32_t)leaf->tag_step * stage);
    if (!give_sizes(walk, instance, leaf->index, event))
        return LOST;
    if (both && (none[0] || none[1]))
        make_half(event, none[0]);
    return MADE;
}

/* Enters the loop, unless it makes no pass. */
static void enter_loop(struct model_walk *walk, const struct model_instance *instance,
                       const struct pattern_node *loop, uint32_t stage)
{
    if (!instance->passes[role_of(walk, instance)][loop->index])
        return;
    walk->entered++;
    walk->frames[walk->depth++] = (struct loop_frame){.loop = loop, .stage = loop->stages ? 0 : stage};
}

/* At the end of a body: begins the next pass, or leaves the loop. */
static void end_pass(struct model_walk *walk, const struct model_instance *instance)
{
    struct loop_frame *frame = &walk->frames[walk->depth - 1];
    frame->pass++;
    frame->next = 0;
    if (frame->loop->stages)
        frame->stage = (uint32_t)frame->pass;
    if (frame->pass == instance->passes[role_of(walk, instance)][frame->loop->index])
        walk->depth--;
}

enum model_walk_step model_walk_next(struct model_walk *walk, const struct model_instance *instance,
                                     struct rank_event *event)
{
    while (walk->depth) {
        struct loop_frame *frame = &walk->frames[walk->depth - 1];
        if (frame->next == frame->loop->body_count) {
            end_pass(walk, instance);
            continue;
        }
        const struct pattern_node *node = frame->loop->body[frame->next++];
        if (node->body) {
            enter_loop(walk, instance, node, frame->stage);
            continue;
        }
        enum made made = make_call(walk, instance, node, frame->stage, event);
        if (made == LOST)
            return WALK_LOST;
        walk->carried += made == MADE || !walk->class_bursts
                             ? burst_at(walk, instance, pattern_place(node, walk->entered))
                             : 0;
        walk->entered = 0;
        if (made == MADE) {
            event->operations = rounded(walk->carried);
            walk->carried = 0;
            walk->leaf = node->index;
            return WALK_CALL;
        }
    }
    return WALK_END;
}
