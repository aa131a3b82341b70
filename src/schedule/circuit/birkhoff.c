#include "schedule/circuit/birkhoff.h"

#include "base/mem.h"

static uint64_t smallest(const struct stuffed *matrix, const struct edge_matcher *matcher)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t row = 0; row < matrix->size; row++) {
        uint32_t column = matcher->column_of[row];
        if (column != MATCHER_NONE && *stuffed_at(matrix, row, column) < least)
            least = *stuffed_at(matrix, row, column);
    }
    return least;
}

static void subtract(struct stuffed *matrix, struct edge_matcher *matcher, uint64_t bytes)
{
    for (uint32_t row = 0; row < matrix->size; row++) {
        uint32_t column = matcher->column_of[row];
        if (column == MATCHER_NONE)
            continue;
        uint64_t *left = stuffed_at(matrix, row, column);
        *left -= bytes;
        if (!*left)
            matcher_remove(matcher, row, column);
    }
}

void birkhoff_slots(struct stuffed *matrix,
                    bool (*take)(void *self, const struct edge_matcher *matcher, uint64_t bytes), void *self)
{
    struct edge_matcher matcher;
    matcher_init(&matcher, matrix->size);
    for (uint32_t row = 0; row < matrix->size; row++)
        for (uint32_t column = 0; column < matrix->size; column++)
            if (*stuffed_at(matrix, row, column))
                matcher_add(&matcher, row, column);
    for (;;) {
        matcher_match(&matcher, false);
        uint64_t bytes = smallest(matrix, &matcher);
        if (bytes == UINT64_MAX || !take(self, &matcher, bytes))
            break;
        subtract(matrix, &matcher, bytes);
    }
    matcher_free(&matcher);
}

void stuffed_circuits(const struct circuit_problem *problem, const struct edge_matcher *matcher,
                      uint32_t *entries)
{
    for (uint32_t row = 0; row < problem->senders; row++) {
        uint32_t column = matcher->column_of[row];
        entries[row] = column == MATCHER_NONE ? CIRCUIT_NONE : stuffed_entry(problem, row, column);
    }
}
