#include "extrapolate/evidence.h"

#include <string.h>

#include "extrapolate/communicators.h"

/* A pass of a loop is read as a trial. If it fails it is undone; the undo log holds what has to be undone.
 * SIZES and TAG: they were not known before. LEFT_OUT, ENTER (a loop): nothing to undo, but the log tells
 * where it was. */
enum undo_kind {
    UNDO_CALL,
    UNDO_LEFT_OUT,
    UNDO_ENTER,
    UNDO_SIZES,
    UNDO_VECTOR,
    UNDO_TAG,
    UNDO_PASSES,
    UNDO_POSSIBLE
};

struct undo_entry {
    uint8_t kind;
    uint8_t which; /* POSSIBLE: the leaf's first or second partner; SIZES: sent or received */
    uint32_t index;
    uint64_t value; /* CALL: the event; PASSES: their number; POSSIBLE: the rules before */
};

struct evidence_reader {
    struct evidence *evidence;
    struct call_pattern *pattern;
    const struct rank_events *events;
    uint32_t rank;
    bool free_passes; /* a loop may make more passes than in the pattern */
    size_t next, furthest;
    struct undo_entry *undo_log;
    size_t undo_count, undo_capacity;
};

static void note(struct evidence_reader *reader, struct undo_entry entry)
{
    reader->undo_log = mem_grow(reader->undo_log, &reader->undo_capacity, reader->undo_count + 1,
                                "the reading of a rank's calls");
    reader->undo_log[reader->undo_count++] = entry;
}

static uint64_t *bytes_of(const struct evidence_reader *reader, uint32_t leaf)
{
    return &reader->evidence->bytes[(size_t)leaf * reader->evidence->grid.ranks + reader->rank];
}

static uint64_t *recv_bytes_of(const struct evidence_reader *reader, uint32_t leaf)
{
    return &reader->evidence->recv_bytes[(size_t)leaf * reader->evidence->grid.ranks + reader->rank];
}

static const uint64_t **vector_of(const struct evidence_reader *reader, uint32_t leaf, unsigned side)
{
    return &reader->evidence->sizes[side][(size_t)leaf * reader->evidence->grid.ranks + reader->rank];
}

static void take_back(struct evidence_reader *reader, size_t undo_count, size_t next)
{
    while (reader->undo_count > undo_count) {
        const struct undo_entry *entry = &reader->undo_log[--reader->undo_count];
        if (entry->kind == UNDO_POSSIBLE)
            reader->pattern->leaves[entry->index]->possible[entry->which] = (uint32_t)entry->value;
        if (entry->kind == UNDO_SIZES)
            *(entry->which ? recv_bytes_of(reader, entry->index) : bytes_of(reader, entry->index)) = UNSEEN;
        if (entry->kind == UNDO_VECTOR)
            *vector_of(reader, entry->index, entry->which) = NULL;
        if (entry->kind == UNDO_TAG)
            reader->evidence->tags[entry->index] = UNSEEN;
    }
    reader->next = next;
}

static void narrow(struct evidence_reader *reader, struct pattern_node *leaf, unsigned which,
                   uint32_t possible)
{
    if (leaf->possible[which] == possible)
        return;
    note(reader, (struct undo_entry){UNDO_POSSIBLE, (uint8_t)which, leaf->index, leaf->possible[which]});
    leaf->possible[which] = possible;
}

/* The rules that still hold if the partner is `peer`. */
static uint32_t rules_giving(const struct evidence_reader *reader, const struct pattern_node *leaf,
                             unsigned which, uint32_t stage, int64_t peer)
{
    uint32_t giving = 0;
    for (uint32_t i = 0; i < leaf->rule_count[which]; i++)
        if (leaf->possible[which] >> i & 1 &&
            peer_of(&leaf->rules[which][i], &reader->evidence->grid, reader->rank, stage) == peer)
            giving |= 1U << i;
    return giving;
}

static bool keep_size(struct evidence_reader *reader, uint32_t leaf, bool received, uint64_t bytes)
{
    uint64_t *known = received ? recv_bytes_of(reader, leaf) : bytes_of(reader, leaf);
    if (*known != UNSEEN)
        return *known == bytes;
    *known = bytes;
    note(reader, (struct undo_entry){UNDO_SIZES, received, leaf, 0});
    return true;
}

static bool keep_vector(struct evidence_reader *reader, const struct pattern_node *leaf, unsigned side,
                        const struct rank_event *event)
{
    const uint64_t *sizes = event->sizes[side], **known;
    if (!sizes && rank_event_has_sizes(&leaf->event, side) == rank_event_has_sizes(event, side))
        return true;
    if (!sizes || !rank_event_has_sizes(&leaf->event, side))
        return false;
    known = vector_of(reader, leaf->index, side);
    if (*known)
        return !memcmp(*known, sizes, event->members * sizeof *sizes);
    *known = sizes;
    note(reader, (struct undo_entry){UNDO_VECTOR, (uint8_t)side, leaf->index, 0});
    return true;
}

/* Whether the event is a sendrecv of which this rank makes one half, since the other is to MPI_PROC_NULL. */
static bool is_half(const struct rank_event *event, const struct rank_event *whole)
{
    struct rank_event half = *whole;
    half.op = event->op;
    half.tag_apart = 0;
    return whole->op == CALL_SENDRECV && (event->op == CALL_SEND || event->op == CALL_RECV) &&
           rank_event_like(event, &half);
}

/* A call of the pattern has the same size each time that a rank makes it. */
static bool keep_sizes(struct evidence_reader *reader, const struct pattern_node *leaf,
                       const struct rank_event *event)
{
    bool half = event->op != leaf->event.op;
    for (unsigned side = 0; side < 2; side++)
        if (!keep_vector(reader, leaf, side, event))
            return false;
    if (event->op == CALL_GATHERV || event->op == CALL_SCATTERV) /* its own block: see generate_verify() */
        return true;
    if (event->op == CALL_ALLGATHERV) /* its own block is as large as the others expect */
        return event->sizes[1] &&
               event->bytes ==
                   event->sizes[1][comm_place(event->comm, &reader->evidence->grid, reader->rank)];
    return ((half && event->op == CALL_RECV) || keep_size(reader, leaf->index, false, event->bytes)) &&
           ((half && event->op == CALL_SEND) || keep_size(reader, leaf->index, true, event->recv_bytes));
}

/* The partner of the leaf's end `which` in this event, which may be a half. */
static int64_t partner(const struct pattern_node *leaf, const struct rank_event *event, unsigned which)
{
    if (event->op == leaf->event.op)
        return rank_event_peer(event, which);
    return which == (event->op == CALL_RECV) ? event->peer : PEER_NONE;
}

/* It has the same tag on all ranks, or a tag that grows from stage to stage. */
static bool keep_tag(struct evidence_reader *reader, const struct pattern_node *leaf, uint32_t stage,
                     int32_t tag)
{
    uint64_t *known = &reader->evidence->tags[leaf->index];
    uint32_t first = (uint32_t)tag - (uint32_t)leaf->tag_step * stage;
    if (*known != UNSEEN)
        return *known == first;
    *known = first;
    note(reader, (struct undo_entry){UNDO_TAG, 0, leaf->index, 0});
    return true;
}

/* Reads the next event as this call. */
static bool read_call(struct evidence_reader *reader, struct pattern_node *leaf, uint32_t stage)
{
    if (reader->next == reader->events->count)
        return false;
    const struct rank_event *event = &reader->events->at[reader->next];
    uint32_t possible[2] = {0};
    if (!rank_event_like(event, &leaf->event) && !is_half(event, &leaf->event))
        return false;
    for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++) {
        possible[which] = rules_giving(reader, leaf, which, stage, partner(leaf, event, which));
        if (!possible[which])
            return false;
    }
    uint32_t apart = event->op == CALL_RECV && leaf->event.op == CALL_SENDRECV ? leaf->event.tag_apart : 0;
    if (!keep_tag(reader, leaf, stage, (int32_t)((uint32_t)event->tag - apart)) ||
        !keep_sizes(reader, leaf, event))
        return false;
    for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++)
        narrow(reader, leaf, which, possible[which]);
    note(reader, (struct undo_entry){UNDO_CALL, 0, leaf->index, reader->next});
    reader->next++;
    if (reader->next > reader->furthest)
        reader->furthest = reader->next;
    return true;
}

/* Leaves out a call: the rank is at the edge and has no partner, or is not in the communicator. */
static bool leave_out(struct evidence_reader *reader, struct pattern_node *leaf, uint32_t stage)
{
    uint32_t possible[2] = {0};
    if (!comm_has(leaf->event.comm, &reader->evidence->grid, reader->rank)) {
        note(reader, (struct undo_entry){UNDO_LEFT_OUT, 0, leaf->index, 0});
        return true;
    }
    if (leaf->event.op > CALL_WAIT || !rank_event_peers(&leaf->event))
        return false;
    for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++) {
        possible[which] = rules_giving(reader, leaf, which, stage, PEER_NONE);
        if (!possible[which])
            return false;
    }
    for (unsigned which = 0; which < rank_event_peers(&leaf->event); which++)
        narrow(reader, leaf, which, possible[which]);
    note(reader, (struct undo_entry){UNDO_LEFT_OUT, 0, leaf->index, 0});
    return true;
}

/* Whether the likeliest rule of each partner, of those that are left, has none for this rank. */
static bool is_beyond_edge(const struct evidence_reader *reader, const struct pattern_node *leaf,
                           uint32_t stage)
{
    unsigned peers = rank_event_peers(&leaf->event);
    bool is_beyond = peers > 0;
    for (unsigned which = 0; which < peers && is_beyond; which++) {
        unsigned likeliest = (unsigned)__builtin_ctz(leaf->possible[which]);
        is_beyond = peer_of(&leaf->rules[which][likeliest], &reader->evidence->grid, reader->rank, stage) ==
                    PEER_NONE;
    }
    return is_beyond;
}

static bool read_leaf(struct evidence_reader *reader, struct pattern_node *leaf, uint32_t stage)
{
    if (reader->pattern->edges && is_beyond_edge(reader, leaf, stage) && leave_out(reader, leaf, stage))
        return true;
    return read_call(reader, leaf, stage) || leave_out(reader, leaf, stage);
}

static bool read_loop(struct evidence_reader *reader, struct pattern_node *loop, uint32_t stage);

static bool read_body(struct evidence_reader *reader, struct pattern_node *loop, uint32_t stage)
{
    for (uint32_t i = 0; i < loop->body_count; i++) {
        struct pattern_node *node = loop->body[i];
        if (!(node->body ? read_loop : read_leaf)(reader, node, stage))
            return false;
    }
    return true;
}

/* The most passes to look for: the number that other ranks of this trace make; else that of the pattern,
 * since most loops do not depend on the number of ranks. Stages go on while they have partners, each rank at
 * most once. */
static uint64_t most_passes(const struct evidence_reader *reader, const struct pattern_node *loop)
{
    uint64_t known = reader->evidence->passes[loop->index];
    if (known != UNSEEN)
        return known;
    if (loop->stages)
        return reader->evidence->grid.ranks;
    return reader->free_passes ? UINT64_MAX : loop->passes;
}

static bool read_loop(struct evidence_reader *reader, struct pattern_node *loop, uint32_t stage)
{
    uint64_t known = reader->evidence->passes[loop->index], most = most_passes(reader, loop), passes = 0;
    for (; passes < most; passes++) {
        size_t undo_count = reader->undo_count, next = reader->next;
        if (passes == 0)
            note(reader, (struct undo_entry){UNDO_ENTER, 0, loop->index, 0});
        if (!read_body(reader, loop, loop->stages ? (uint32_t)passes : stage)) {
            take_back(reader, undo_count, next);
            break;
        }
        /* Every call is left out: the rank does not show the number of passes. All but the first look alike.
         */
        if (reader->next == next && (passes == 1 || most == 1))
            return true;
    }
    note(reader, (struct undo_entry){UNDO_PASSES, 0, loop->index, passes});
    return known == UNSEEN || passes == known;
}

/* --------------------------------------------------------------- the tables */

static bool set(uint64_t *entry, uint64_t value)
{
    if (*entry != UNSEEN && *entry != value)
        return false;
    *entry = value;
    return true;
}

/* The calls that a rank has left out since its last call, and the gaps it has so far, by call. */
struct left_calls {
    uint32_t *at;
    size_t count, capacity;
    size_t *gaps;     /* [place]: index + 1 of the first gap there */
    uint32_t entered; /* loops since the last call, made or left out */
};

static void leave(struct left_calls *left, uint32_t place)
{
    for (size_t i = 0; i < left->count; i++)
        if (left->at[i] == place)
            return;
    left->at = mem_grow(left->at, &left->capacity, left->count + 1, "calls that a rank leaves out");
    left->at[left->count++] = place;
}

static struct burst_gap *gap_of(struct evidence *evidence, struct left_calls *left, uint32_t rank,
                                uint32_t made)
{
    for (size_t g = left->gaps[made]; g; g = evidence->gaps[g - 1].next) {
        struct burst_gap *gap = &evidence->gaps[g - 1];
        if (gap->left_count == left->count && !memcmp(gap->left, left->at, left->count * sizeof *left->at))
            return gap;
    }
    evidence->gaps =
        mem_grow(evidence->gaps, &evidence->gap_capacity, evidence->gap_count + 1, "bursts of computation");
    uint32_t *leaves = arena_alloc(&evidence->arena, left->count * sizeof *leaves);
    memcpy(leaves, left->at, left->count * sizeof *leaves);
    struct burst_gap *gap = &evidence->gaps[evidence->gap_count++];
    *gap = (struct burst_gap){.rank = rank,
                              .made = made,
                              .left_count = (uint32_t)left->count,
                              .left = leaves,
                              .next = left->gaps[made]};
    left->gaps[made] = evidence->gap_count;
    return gap;
}

static void enter_burst(struct evidence *evidence, struct left_calls *left, uint32_t rank, uint32_t place,
                        double operations)
{
    evidence->operations[(size_t)place * evidence->grid.ranks + rank] += operations;
    evidence->visits[(size_t)place * evidence->grid.ranks + rank]++;
    if (!left->count)
        return;
    struct burst_gap *gap = gap_of(evidence, left, rank, place);
    gap->operations += operations;
    gap->times++;
    left->count = 0;
}

static bool enter(struct evidence *evidence, const struct evidence_reader *reader)
{
    struct left_calls left = {
        .gaps = mem_alloc(reader->pattern->place_count, sizeof *left.gaps, "bursts of computation")};
    bool fits = true;
    for (size_t i = 0; i < reader->undo_count && fits; i++) {
        const struct undo_entry *entry = &reader->undo_log[i];
        if (entry->kind == UNDO_PASSES)
            fits = set(&evidence->passes[entry->index], entry->value);
        left.entered += entry->kind == UNDO_ENTER;
        if (entry->kind != UNDO_LEFT_OUT && entry->kind != UNDO_CALL)
            continue;
        uint32_t place = pattern_place(reader->pattern->leaves[entry->index], left.entered);
        left.entered = 0;
        if (entry->kind == UNDO_LEFT_OUT)
            leave(&left, place);
        else
            enter_burst(evidence, &left, reader->rank, place, reader->events->at[entry->value].operations);
    }
    free(left.at);
    free(left.gaps);
    return fits;
}

static bool read_rank(struct evidence_reader *reader)
{
    return read_body(reader, &reader->pattern->root, 0) && reader->next == reader->events->count;
}

bool evidence_add(struct evidence *evidence, struct call_pattern *pattern, uint32_t rank,
                  const struct rank_events *events, size_t *furthest)
{
    struct evidence_reader reader = {
        .evidence = evidence, .pattern = pattern, .events = events, .rank = rank};
    bool fits = read_rank(&reader);
    if (!fits) {
        take_back(&reader, 0, 0);
        reader.free_passes = true;
        fits = read_rank(&reader);
    }
    *furthest = reader.furthest;
    fits = fits && enter(evidence, &reader);
    free(reader.undo_log);
    return fits;
}

static uint64_t *unseen(size_t count, const char *what)
{
    uint64_t *table = mem_alloc(count, sizeof *table, what);
    memset(table, 0xff, count * sizeof *table);
    return table;
}

void evidence_init(struct evidence *evidence, const struct call_pattern *pattern, const struct grid *grid)
{
    size_t sizes = (size_t)pattern->leaf_count * grid->ranks;
    size_t vectors = 0;
    for (uint32_t leaf = 0; leaf < pattern->leaf_count; leaf++)
        if (pattern->leaves[leaf]->event.members)
            vectors = sizes;
    size_t places = (size_t)pattern->place_count * grid->ranks;
    *evidence = (struct evidence){
        .grid = *grid,
        .bytes = unseen(sizes, "sizes of messages"),
        .recv_bytes = unseen(sizes, "sizes of messages"),
        .sizes = {mem_alloc(vectors, sizeof(uint64_t *), "sizes of messages"),
                  mem_alloc(vectors, sizeof(uint64_t *), "sizes of messages")},
        .passes = unseen(pattern->loop_count, "passes of loops"),
        .tags = unseen(pattern->leaf_count, "tags"),
        .operations = mem_alloc(places, sizeof *evidence->operations, "computation"),
        .visits = mem_alloc(places, sizeof *evidence->visits, "computation"),
    };
}

void evidence_free(struct evidence *evidence)
{
    free(evidence->bytes);
    free(evidence->recv_bytes);
    free(evidence->passes);
    free(evidence->tags);
    free(evidence->operations);
    free(evidence->visits);
    free(evidence->sizes[0]);
    free(evidence->sizes[1]);
    free(evidence->gaps);
    arena_free(&evidence->arena);
    *evidence = (struct evidence){0};
}
