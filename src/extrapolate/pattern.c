#include "extrapolate/pattern.h"

#include <string.h>

#include "base/hash.h"

/* Repetitions are at most this many calls or loops wide. */
enum { WINDOW = 1024, STAGE_WINDOW = 64, MOST_STAGES = 4096 };

struct node_list {
    struct pattern_node **at;
    size_t count, capacity;
};

static void push(struct node_list *list, struct pattern_node *node)
{
    list->at = mem_grow(list->at, &list->capacity, list->count + 1, "the calls of a pattern");
    list->at[list->count++] = node;
}

static uint64_t hash_event(const struct rank_event *event)
{
    uint64_t hash =
        hash_add(1, (uint64_t)event->op | (uint64_t)event->flags << 8 | (uint64_t)event->element_bytes << 16 |
                        (uint64_t)event->datatype << 24 | (uint64_t)event->waits_for << 32);
    hash = hash_add(hash, (uint64_t)(uint32_t)event->peer << 32 | (uint32_t)event->source);
    hash = hash_add(hash, (uint64_t)(uint32_t)event->tag | (uint64_t)event->tag_apart << 32);
    hash = hash_add(hash, event->comm);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < event->members && event->sizes[side]; i++)
            hash = hash_add(hash, event->sizes[side][i]);
    return hash_add(hash_add(hash, event->bytes), event->recv_bytes);
}

static struct pattern_node *new_leaf(struct call_pattern *pattern, const struct rank_events *events,
                                     size_t at)
{
    struct pattern_node *leaf = arena_alloc(&pattern->arena, sizeof *leaf);
    leaf->event = events->at[at];
    leaf->at = at;
    leaf->hash = hash_event(&leaf->event);
    return leaf;
}

static struct pattern_node *new_loop(struct call_pattern *pattern, struct pattern_node *const *body,
                                     size_t count, uint64_t passes)
{
    struct pattern_node *loop = arena_alloc(&pattern->arena, sizeof *loop);
    loop->body = arena_alloc(&pattern->arena, count * sizeof *loop->body);
    memcpy(loop->body, body, count * sizeof *loop->body);
    loop->body_count = (uint32_t)count;
    loop->passes = passes;
    return loop;
}

static void hash_loop(struct pattern_node *loop)
{
    loop->hash = hash_add(2, loop->passes);
    for (uint32_t i = 0; i < loop->body_count; i++)
        loop->hash = hash_add(loop->hash, loop->body[i]->hash);
}

/* -------------------------------------------------------- exact repetitions */

static bool same(struct pattern_node *const *a, struct pattern_node *const *b, size_t count)
{
    for (size_t i = count; i-- > 0;)
        if (a[i]->hash != b[i]->hash)
            return false;
    return true;
}

/* Folds the last calls of the list, if they are one more pass of the loop before them, or repeat the calls
 * before them. */
static bool fold_once(struct call_pattern *pattern, struct node_list *list)
{
    for (size_t width = 1; width < list->count && width <= WINDOW; width++) {
        struct pattern_node **tail = list->at + list->count - width;
        struct pattern_node *before = tail[-1];
        if (before->body && before->body_count == width && same(before->body, tail, width)) {
            before->passes++;
            hash_loop(before);
            list->count -= width;
            return true;
        }
        if (2 * width <= list->count && same(tail - width, tail, width)) {
            struct pattern_node *loop = new_loop(pattern, tail, width, 2);
            hash_loop(loop);
            list->count -= 2 * width;
            push(list, loop);
            return true;
        }
    }
    return false;
}

static void fold(struct call_pattern *pattern, const struct rank_events *events, struct node_list *list)
{
    for (size_t i = 0; i < events->count; i++) {
        push(list, new_leaf(pattern, events, i));
        while (fold_once(pattern, list))
            ;
    }
}

/* ------------------------------------------------------------------- stages */

struct stage_search {
    struct call_pattern *pattern;
    const struct grid *grid;
    uint32_t rank;
    bool changes; /* a partner differs between stages */
};

static bool keep_rules(struct stage_search *search, struct pattern_node *leaf, unsigned which,
                       const int32_t *peers, uint32_t stages)
{
    struct peer_rule rules[PEER_RULES];
    size_t count = peer_rules(search->grid, search->rank, peers, stages, rules);
    leaf->rules[which] = arena_alloc(&search->pattern->arena, count * sizeof *rules);
    memcpy(leaf->rules[which], rules, count * sizeof *rules);
    leaf->rule_count[which] = (uint32_t)count;
    leaf->possible[which] = count < 32 ? (1U << count) - 1 : UINT32_MAX;
    return count > 0;
}

/* 1 or -1: tags count up or down from stage to stage. */
static int tag_step(struct pattern_node *const *groups, size_t apart)
{
    int64_t step =
        groups[0]->body || groups[apart]->body ? 0 : (int64_t)groups[apart]->event.tag - groups[0]->event.tag;
    return step == 1 || step == -1 ? (int)step : 0;
}

/* Stage i begins at groups[i * apart]. Whether the first node of all stages is the same, if partners are
 * ignored. */
static bool alike(struct pattern_node *const *groups, size_t apart, uint32_t stages)
{
    const struct pattern_node *first = groups[0];
    int step = tag_step(groups, apart);
    for (uint32_t i = 1; i < stages; i++) {
        const struct pattern_node *other = groups[i * apart];
        if (first->body || other->body) {
            if (first->hash != other->hash) /* a loop within stages is the same in all of them */
                return false;
        } else if (!rank_event_like(&first->event, &other->event) ||
                   other->event.tag != first->event.tag + step * (int32_t)i ||
                   first->event.bytes != other->event.bytes ||
                   first->event.recv_bytes != other->event.recv_bytes) {
            return false;
        }
    }
    return true;
}

/* Whether the partners follow a rule, too. With `keep`, groups[0] gets the rules. */
static bool agree(struct stage_search *search, struct pattern_node *const *groups, size_t apart,
                  uint32_t stages, bool keep)
{
    if (!alike(groups, apart, stages))
        return false;
    if (groups[0]->body)
        return true;
    int32_t peers[MOST_STAGES];
    struct peer_rule rules[PEER_RULES];
    for (unsigned which = 0; which < rank_event_peers(&groups[0]->event); which++) {
        for (uint32_t i = 0; i < stages; i++) {
            peers[i] = rank_event_peer(&groups[i * apart]->event, which);
            search->changes |= peers[i] != peers[0];
        }
        if (keep ? !keep_rules(search, groups[0], which, peers, stages)
                 : !peer_rules(search->grid, search->rank, peers, stages, rules))
            return false;
    }
    if (keep)
        groups[0]->tag_step = tag_step(groups, apart);
    return true;
}

static bool are_stages(struct stage_search *search, struct pattern_node *const *at, size_t width,
                       uint32_t stages, bool keep)
{
    search->changes = false;
    for (size_t i = 0; i < width; i++)
        if (!agree(search, at + i, width, stages, keep))
            return false;
    return search->changes;
}

/* The largest number of stages of `width` calls each that begin here. 1: there are no stages. */
static uint32_t count_stages(struct stage_search *search, struct pattern_node *const *at, size_t count,
                             size_t width)
{
    uint32_t stages = 1;
    while (stages < MOST_STAGES && (stages + 1) * width <= count &&
           are_stages(search, at, width, stages + 1, false))
        stages++;
    return stages;
}

static void fold_stages(struct stage_search *search, struct node_list *list)
{
    struct node_list folded = {0};
    for (size_t i = 0; i < list->count;) {
        size_t left = list->count - i, best_width = 0;
        uint32_t best = 1;
        for (size_t width = 1; width <= STAGE_WINDOW && 2 * width <= left; width++) {
            uint32_t stages = count_stages(search, list->at + i, left, width);
            if (stages > 1 && stages * width > best * best_width) {
                best = stages;
                best_width = width;
            }
        }
        if (best == 1) {
            push(&folded, list->at[i++]);
            continue;
        }
        are_stages(search, list->at + i, best_width, best, true);
        struct pattern_node *loop = new_loop(search->pattern, list->at + i, best_width, best);
        loop->stages = true;
        push(&folded, loop);
        i += best * best_width;
    }
    free(list->at);
    *list = folded;
}

/* Inner loops first, so that the stages of each pass of a loop are found within its body. */
static void fold_stages_within(struct stage_search *search, struct pattern_node *loop)
{
    struct node_list list = {0};
    for (uint32_t i = 0; i < loop->body_count; i++) {
        if (loop->body[i]->body)
            fold_stages_within(search, loop->body[i]);
        push(&list, loop->body[i]);
    }
    fold_stages(search, &list);
    if (list.count < loop->body_count) {
        memcpy(loop->body, list.at, list.count * sizeof *list.at);
        loop->body_count = (uint32_t)list.count;
    }
    free(list.at);
}

/* ---------------------------------------------------------------- the whole */

static void number_nodes(struct stage_search *search, struct pattern_node *loop, uint32_t depth,
                         struct node_list *leaves, struct node_list *loops)
{
    if (depth > search->pattern->depth)
        search->pattern->depth = depth;
    loop->index = (uint32_t)loops->count;
    push(loops, loop);
    for (uint32_t i = 0; i < loop->body_count; i++) {
        struct pattern_node *node = loop->body[i];
        if (node->body) {
            number_nodes(search, node, depth + 1, leaves, loops);
            continue;
        }
        node->index = (uint32_t)leaves->count;
        node->place = search->pattern->place_count;
        node->places = depth;
        search->pattern->place_count += depth;
        push(leaves, node);
        for (unsigned which = 0; which < rank_event_peers(&node->event); which++) {
            int32_t peer = rank_event_peer(&node->event, which);
            if (!node->rules[which])
                keep_rules(search, node, which, &peer, 1);
        }
    }
}

void call_pattern_build(struct call_pattern *pattern, const struct rank_events *events,
                        const struct grid *grid, uint32_t rank, bool stages)
{
    struct stage_search search = {pattern, grid, rank, false};
    struct node_list list = {0}, leaves = {0}, loops = {0};
    *pattern = (struct call_pattern){0};
    fold(pattern, events, &list);
    pattern->root = *new_loop(pattern, list.at, list.count, 1);
    free(list.at);
    if (stages)
        fold_stages_within(&search, &pattern->root);
    number_nodes(&search, &pattern->root, 1, &leaves, &loops);
    pattern->leaves = leaves.at;
    pattern->leaf_count = (uint32_t)leaves.count;
    pattern->loops = loops.at;
    pattern->loop_count = (uint32_t)loops.count;
}

void call_pattern_free(struct call_pattern *pattern)
{
    free(pattern->leaves);
    free(pattern->loops);
    arena_free(&pattern->arena);
    *pattern = (struct call_pattern){0};
}
