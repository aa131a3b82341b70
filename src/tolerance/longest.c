#include "tolerance/paths.h"

static inline bool is_longer(struct tolerance_line a, struct tolerance_line b, struct tolerance_at at,
                             bool fewest)
{
    __int128 difference = tolerance_above(a, b, at);
    if (difference)
        return difference > 0;
    return fewest ? a.k < b.k : a.k > b.k;
}

static inline struct tolerance_line sum(struct tolerance_line a, struct tolerance_line b)
{
    return (struct tolerance_line){a.a + b.a, a.k + b.k};
}

struct tolerance_line paths_longest(const struct paths_edges *edges, struct tolerance_at at, bool fewest,
                                    struct tolerance_line *longest)
{
    longest[0] = (struct tolerance_line){.a = 0};
    for (uint32_t node = 1; node < edges->nodes; node++) {
        size_t edge = edges->first[node], end = edges->first[node + 1];
        struct tolerance_line best = sum(longest[edges->source[edge]], edges->cost[edge]);
        while (++edge < end) {
            struct tolerance_line next = sum(longest[edges->source[edge]], edges->cost[edge]);
            if (is_longer(next, best, at, fewest))
                best = next;
        }
        longest[node] = best;
    }
    return longest[edges->nodes - 1];
}

struct tolerance_line program_paths_longest(struct program_paths *paths, struct tolerance_at at, bool fewest)
{
    const bool is_known = paths->has_longest && paths->longest_fewest == fewest &&
                          tolerance_compare(paths->longest_at, at) == 0;
    if (!is_known)
        paths_longest(&paths->edges, at, fewest, paths->longest);
    paths->longest_at = at;
    paths->longest_fewest = fewest;
    paths->has_longest = true;
    return paths->longest[paths->edges.nodes - 1];
}

static uint32_t rank_of(const struct graph *graph, uint32_t ranks, uint32_t operation)
{
    uint32_t low = 0, high = ranks; /* first of low <= operation */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->ranks[middle].first <= operation)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* An edge by which the longest path comes to the node. */
static size_t edge_to(const struct program_paths *paths, uint32_t node)
{
    size_t edge = paths->edges.first[node];
    struct tolerance_line wanted = paths->longest[node];
    for (;; edge++) {
        struct tolerance_line here = sum(paths->longest[paths->edges.source[edge]], paths->edges.cost[edge]);
        if (here.a == wanted.a && here.k == wanted.k)
            return edge;
    }
}

void program_paths_messages(struct program_paths *paths, struct tolerance_at at, tolerance_take_message *take,
                            void *self)
{
    const struct graph *graph = paths->program->graph;
    program_paths_longest(paths, at, false);
    for (uint32_t node = paths->edges.nodes - 1; node;) {
        size_t edge = edge_to(paths, node);
        for (uint32_t i = paths->last_message[edge]; i != PATHS_NO_MESSAGE; i = paths->messages[i].before) {
            const bool alone = paths->messages[i].send & PATHS_ALONE;
            const uint32_t index = paths->messages[i].send & ~PATHS_ALONE;
            const uint32_t rank = rank_of(graph, paths->program->ranks, index);
            const struct graph_rank *of = &graph->ranks[rank];
            const uint32_t operation = (uint32_t)(index - of->first);
            take(self, rank, operation, !alone, paths_counted(paths, &of->operations[operation], alone));
        }
        node = paths->edges.source[edge];
    }
}
