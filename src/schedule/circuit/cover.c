#include "schedule/circuit/cover.h"

#include <string.h>

#include "base/mem.h"
#include "schedule/circuit/matcher.h"

enum { LOOK_AHEAD = 16, SLOTS_BEFORE_SWEEP = 32 };

struct cover_entry {
    ps_t left_ps;
    uint32_t entry;
};

struct cover {
    struct player *player;
    struct edge_matcher matcher;
    uint32_t *times;           /* [size][size]: how often an edge is still needed */
    struct cover_entry *order; /* entries with something left, the largest first */
    uint32_t count, degree;
    uint32_t *entries;
};

static int compare_left(const void *a, const void *b)
{
    const struct cover_entry *left = a, *right = b;
    if (left->left_ps != right->left_ps)
        return left->left_ps > right->left_ps ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

/* Adds edges until each row and column has as many as the largest degree. */
static void make_regular(struct cover *cover, uint32_t *row_degree, uint32_t *column_degree)
{
    uint32_t size = cover->matcher.size, column = 0;
    for (uint32_t i = 0; i < size; i++) {
        cover->degree = row_degree[i] > cover->degree ? row_degree[i] : cover->degree;
        cover->degree = column_degree[i] > cover->degree ? column_degree[i] : cover->degree;
    }
    for (uint32_t row = 0; row < size; row++)
        while (row_degree[row] < cover->degree) {
            while (column_degree[column] == cover->degree)
                column++;
            uint32_t row_free = cover->degree - row_degree[row];
            uint32_t column_free = cover->degree - column_degree[column];
            uint32_t more = row_free < column_free ? row_free : column_free;
            cover->times[(size_t)row * size + column] += more;
            row_degree[row] += more;
            column_degree[column] += more;
        }
}

static void cover_init(struct cover *cover, struct player *player)
{
    const struct circuit_problem *problem = player->problem;
    uint32_t size = circuit_size(problem);
    uint32_t *degrees = mem_alloc(2 * (size_t)size, sizeof *degrees, "degrees of ports");
    *cover = (struct cover){.player = player};
    matcher_init(&cover->matcher, size);
    cover->times = mem_alloc((size_t)size * size, sizeof *cover->times, "edges of a matching");
    cover->order = mem_alloc((size_t)problem->count + 1, sizeof *cover->order, "entries by size");
    cover->entries = mem_alloc(problem->senders, sizeof *cover->entries, "a slot");
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        if (!player->left_ps[i])
            continue;
        cover->order[cover->count++] = (struct cover_entry){player->left_ps[i], i};
        cover->times[(size_t)entry->sender * size + entry->receiver] = 1;
        degrees[entry->sender]++;
        degrees[size + entry->receiver]++;
    }
    make_regular(cover, degrees, degrees + size);
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t column = 0; column < size; column++)
            if (cover->times[(size_t)row * size + column])
                matcher_add(&cover->matcher, row, column);
    if (cover->count)
        qsort(cover->order, cover->count, sizeof *cover->order, compare_left);
    free(degrees);
}

static void cover_free(struct cover *cover)
{
    matcher_free(&cover->matcher);
    free(cover->times);
    free(cover->order);
    free(cover->entries);
}

/* Large entries first, as far as their ports are free; then as many others as make the matching perfect. */
static void match(struct cover *cover)
{
    const struct circuit_problem *problem = cover->player->problem;
    struct edge_matcher *matcher = &cover->matcher;
    uint32_t end = matcher->size * LOOK_AHEAD;
    for (uint32_t i = 0; i < matcher->size; i++)
        matcher->column_of[i] = matcher->row_of[i] = MATCHER_NONE;
    for (uint32_t i = 0; i < cover->count && i < end; i++) {
        const struct circuit_entry *entry = &problem->entries[cover->order[i].entry];
        if (!cover->player->left_ps[cover->order[i].entry] ||
            matcher->column_of[entry->sender] != MATCHER_NONE ||
            matcher->row_of[entry->receiver] != MATCHER_NONE)
            continue;
        matcher->column_of[entry->sender] = entry->receiver;
        matcher->row_of[entry->receiver] = entry->sender;
    }
    matcher_match(matcher, false);
}

static bool play(struct cover *cover)
{
    const struct circuit_problem *problem = cover->player->problem;
    struct edge_matcher *matcher = &cover->matcher;
    ps_t slot_ps = 0;
    player_matched(cover->player, matcher->column_of, cover->entries);
    for (uint32_t row = 0; row < problem->senders; row++)
        if (cover->entries[row] != CIRCUIT_NONE)
            slot_ps = ps_max(slot_ps, cover->player->left_ps[cover->entries[row]]);
    for (uint32_t row = 0; row < matcher->size; row++) {
        uint32_t column = matcher->column_of[row];
        if (column != MATCHER_NONE && --cover->times[(size_t)row * matcher->size + column] == 0)
            matcher_remove(matcher, row, column);
    }
    return slot_ps == 0 || player_slot(cover->player, cover->entries, slot_ps);
}

/* Takes out of the order what is carried. */
static void sweep(struct cover *cover)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cover->count; i++)
        if (cover->player->left_ps[cover->order[i].entry])
            cover->order[kept++] = cover->order[i];
    cover->count = kept;
}

void cover_rest(struct player *player)
{
    struct cover cover;
    if (!player->unfinished)
        return;
    cover_init(&cover, player);
    for (uint32_t slot = 0; slot < cover.degree; slot++) {
        match(&cover);
        if (!play(&cover))
            break;
        if (slot % SLOTS_BEFORE_SWEEP == 0)
            sweep(&cover);
    }
    cover_free(&cover);
}
