#include "schedule/circuit/matcher.h"

#include <string.h>

#include "base/mem.h"

void matcher_init(struct edge_matcher *matcher, uint32_t size)
{
    *matcher = (struct edge_matcher){.size = size, .words = (size_t)size / 64 + 1};
    matcher->edges = mem_alloc(size * matcher->words + 1, sizeof *matcher->edges, "edges of a matching");
    matcher->unseen = mem_alloc(matcher->words, sizeof *matcher->unseen, "edges of a matching");
    matcher->column_of = mem_alloc((size_t)size + 1, sizeof *matcher->column_of, "a matching");
    matcher->row_of = mem_alloc((size_t)size + 1, sizeof *matcher->row_of, "a matching");
    matcher->queue = mem_alloc((size_t)size + 1, sizeof *matcher->queue, "a matching");
    matcher->reached_from = mem_alloc((size_t)size + 1, sizeof *matcher->reached_from, "a matching");
    matcher_clear(matcher);
}

void matcher_free(struct edge_matcher *matcher)
{
    free(matcher->edges);
    free(matcher->unseen);
    free(matcher->column_of);
    free(matcher->row_of);
    free(matcher->queue);
    free(matcher->reached_from);
    *matcher = (struct edge_matcher){0};
}

void matcher_clear(struct edge_matcher *matcher)
{
    memset(matcher->edges, 0, matcher->size * matcher->words * sizeof *matcher->edges);
    for (uint32_t i = 0; i < matcher->size; i++)
        matcher->column_of[i] = matcher->row_of[i] = MATCHER_NONE;
}

void matcher_remove(struct edge_matcher *matcher, uint32_t row, uint32_t column)
{
    matcher->edges[row * matcher->words + column / 64] &= ~(UINT64_C(1) << column % 64);
    if (matcher->column_of[row] == column)
        matcher->column_of[row] = matcher->row_of[column] = MATCHER_NONE;
}

/* Turns round the path that ends at the free column. */
static void augment(struct edge_matcher *matcher, uint32_t column)
{
    while (column != MATCHER_NONE) {
        uint32_t row = matcher->reached_from[column], next = matcher->column_of[row];
        matcher->column_of[row] = column;
        matcher->row_of[column] = row;
        column = next;
    }
}

/* The columns that `row` leads to and nobody has reached yet; true: one of them is free. */
static bool reach(struct edge_matcher *matcher, uint32_t row, uint32_t *filled)
{
    const uint64_t *edges = matcher->edges + row * matcher->words;
    for (size_t word = 0; word < matcher->words; word++)
        for (uint64_t found = edges[word] & matcher->unseen[word]; found; found &= found - 1) {
            uint32_t column = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(found);
            matcher->unseen[word] &= ~(found & -found);
            matcher->reached_from[column] = row;
            if (matcher->row_of[column] == MATCHER_NONE) {
                augment(matcher, column);
                return true;
            }
            matcher->queue[(*filled)++] = matcher->row_of[column];
        }
    return false;
}

static bool find_column(struct edge_matcher *matcher, uint32_t row)
{
    uint32_t filled = 1;
    memset(matcher->unseen, 0xff, matcher->words * sizeof *matcher->unseen);
    matcher->queue[0] = row;
    for (uint32_t taken = 0; taken < filled; taken++)
        if (reach(matcher, matcher->queue[taken], &filled))
            return true;
    return false;
}

bool matcher_match(struct edge_matcher *matcher, bool perfect_only)
{
    bool perfect = true;
    for (uint32_t row = 0; row < matcher->size; row++)
        if (matcher->column_of[row] == MATCHER_NONE && !find_column(matcher, row)) {
            perfect = false;
            if (perfect_only)
                return false;
        }
    return perfect;
}
