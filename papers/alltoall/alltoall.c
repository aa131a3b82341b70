#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "coll/count.h"
#include "coll/nodes.h"
#include "papers/alltoall/alltoall.h"

/* Tables I and III are formulas in the paper. Here they are counted from the schedules, step by step. */

enum { BLOCK_BYTES = 1024 }; /* M of Table III, at which the table is compared */

static const struct alltoall_nodes {
    uint32_t nodes, ppn;
} shapes[] = {{128, 56}, {32, 80}}; /* the largest of Cluster A and of Cluster B */

/* The 51 million messages of the flat algorithms take some seconds to count. */
static bool is_left_out(const struct reproduction *reproduction, const struct alltoall_nodes *shape)
{
    return reproduction_is_quick(reproduction) && shape->nodes > 32;
}

static struct coll_counts count(const struct reproduction *reproduction, const struct alltoall_nodes *shape,
                                const char *algorithm)
{
    uint32_t size = shape->nodes * shape->ppn;
    struct coll_nodes nodes;
    if (is_left_out(reproduction, shape))
        return (struct coll_counts){0};
    uint32_t *words = mem_alloc(coll_nodes_storage(size), sizeof *words, "a node map");
    for (uint32_t rank = 0; rank < size; rank++)
        words[rank] = rank / shape->ppn;
    coll_nodes_init(&nodes, size, words, words);
    struct coll_call call = {
        .kind = COLL_ALLTOALL, .size = size, .element = 1, .bytes = BLOCK_BYTES, .nodes = &nodes};
    struct coll_counts counts = coll_count(coll_find(COLL_ALLTOALL, algorithm), &call, false);
    free(words);
    return counts;
}

static void give_item(struct reproduction *reproduction, const struct alltoall_nodes *shape, const char *item,
                      double ours)
{
    if (is_left_out(reproduction, shape))
        reproduction_skip(reproduction, item, NULL, "left out by --quick");
    else
        reproduction_item(reproduction, item, NULL, ours);
}

static void give(struct reproduction *reproduction, const char *table, const struct alltoall_nodes *shape,
                 const char *algorithm, const char *what, uint64_t ours)
{
    char item[128];
    snprintf(item, sizeof item, "%s/%ux%u/%s/%s", table, shape->nodes, shape->ppn, algorithm, what);
    give_item(reproduction, shape, item, (double)ours);
}

static double holds(bool is_so)
{
    return is_so ? 1 : 0;
}

/* --------------------------------------------------------- Tables I and III */

static void table_1(struct reproduction *reproduction, const struct alltoall_nodes *shape)
{
    static const char *const algorithms[] = {
        "bruck", "scatter-destination", "pairwise", "khorassani", "traff", "chochia", "v3"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        struct coll_counts counts = count(reproduction, shape, algorithms[i]);
        give(reproduction, "table-1", shape, algorithms[i], "queue-pairs", counts.queue_pairs);
        give(reproduction, "table-1", shape, algorithms[i], "posted-sends", counts.posted_sends);
    }
}

static void table_3(struct reproduction *reproduction, const struct alltoall_nodes *shape)
{
    struct coll_counts v1 = count(reproduction, shape, "v1"), v2 = count(reproduction, shape, "v2"),
                       v3 = count(reproduction, shape, "v3");
    give(reproduction, "table-3", shape, "v1", "queue-pairs", v1.queue_pairs);
    give(reproduction, "table-3", shape, "v1", "posted-sends", v1.posted_sends);
    give(reproduction, "table-3", shape, "v2", "queue-pairs", v2.queue_pairs);
    give(reproduction, "table-3", shape, "v2", "posted-sends", v2.posted_sends);
    give(reproduction, "table-3", shape, "v1", "extra-memory", coll_extra_bytes(&v1));
    give(reproduction, "table-3", shape, "v2", "extra-memory", coll_extra_bytes(&v2));
    give(reproduction, "table-3", shape, "v3", "extra-memory", coll_extra_bytes(&v3));
    /* What V3 shares without the send buffer, which is half of what V2 shares. */
    give(reproduction, "section-3-C", shape, "v3", "receive-buffer",
         coll_extra_bytes(&v3) - coll_extra_bytes(&v2) / 2);
}

/* ----------------------------------------------------------------- in words */

static void claims(struct reproduction *reproduction)
{
    enum { CACHE_BYTES = 2000000, CONNECTION_BYTES = 375, QUEUE_PAIRS_MOST = 131072 };
    struct coll_counts flat = count(reproduction, &shapes[0], "pairwise"),
                       v1 = count(reproduction, &shapes[0], "v1"), v2 = count(reproduction, &shapes[0], "v2"),
                       v3 = count(reproduction, &shapes[0], "v3");
    double in_cache = (double)CACHE_BYTES / CONNECTION_BYTES;
    reproduction_item(reproduction, "introduction/connections-in-the-cache", NULL, floor(in_cache));
    give_item(reproduction, &shapes[0], "introduction/flat-7168-ranks-pass-the-queue-pair-limit",
              holds(flat.queue_pairs > QUEUE_PAIRS_MOST));
    give_item(reproduction, &shapes[0], "introduction/v3-7168-ranks-fit-into-the-cache",
              holds((double)v3.queue_pairs <= in_cache));
    give_item(reproduction, &shapes[0], "section-3-D/v3-takes-least-memory",
              holds(coll_extra_bytes(&v3) < coll_extra_bytes(&v1) &&
                    coll_extra_bytes(&v3) < coll_extra_bytes(&v2)));
    give_item(reproduction, &shapes[0], "section-3-B/one-message-a-node",
              holds(v1.posted_sends == shapes[0].ppn * v2.posted_sends));
}

/* ------------------------------------------------------------------ figures */

static uint64_t queue_pairs_of(const struct coll_counts *counts)
{
    return counts->queue_pairs;
}

/* A line for each algorithm: a count by the number of nodes, 56 ranks on each. */
static void draw_counts(struct reproduction *reproduction, const char *const *algorithms, size_t lines,
                        uint64_t (*value_of)(const struct coll_counts *counts))
{
    uint32_t most = reproduction_is_quick(reproduction) ? 16 : 128;
    for (size_t i = 0; i < lines; i++)
        for (uint32_t nodes = 2; nodes <= most; nodes *= 2) {
            struct alltoall_nodes shape = {nodes, 56};
            struct coll_counts counts = count(reproduction, &shape, algorithms[i]);
            reproduction_point_at(reproduction, "", algorithms[i], nodes, (double)value_of(&counts));
        }
}

/* Queue pairs of a node by the number of nodes, 56 ranks on each: the paper's argument rests on them. */
static void figure_of_queue_pairs(struct reproduction *reproduction)
{
    static const char *const algorithms[] = {"pairwise", "khorassani", "bruck", "v3"};
    reproduction_figure(reproduction,
                        &(struct figure){.id = "queue-pairs",
                                         .title = "Queue pairs of a node, 56 ranks on each (Table I)",
                                         .says =
                                             "Flat algorithms pass the adapter's limit of 131072 queue pairs "
                                             "between 32 and 64 nodes; leaders stay below 256.",
                                         .how = "Counted from the schedules, step by step.",
                                         .x = "nodes",
                                         .y = "queue pairs of a node",
                                         .kind = FIGURE_LINES,
                                         .x_log = true,
                                         .y_log = true});
    draw_counts(reproduction, algorithms, sizeof algorithms / sizeof *algorithms, queue_pairs_of);
}

/* Table III by the number of nodes: what a node shares beside its ranks' buffers. */
static void figure_of_memory(struct reproduction *reproduction)
{
    static const char *const algorithms[] = {"khorassani", "traff", "chochia", "v1", "v2", "v3", "leaders"};
    reproduction_figure(
        reproduction, &(struct figure){.id = "memory",
                                       .title = "Extra memory of a node, 56 ranks on each, 1 KiB (Table III)",
                                       .says = "V3 keeps two blocks of what it receives, V1 and V2 all.",
                                       .how = "Counted from the schedules, step by step.",
                                       .x = "nodes",
                                       .y = "bytes",
                                       .kind = FIGURE_LINES,
                                       .x_log = true,
                                       .y_log = true});
    draw_counts(reproduction, algorithms, sizeof algorithms / sizeof *algorithms, coll_extra_bytes);
}

static void reproduce(struct reproduction *reproduction)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        table_1(reproduction, &shapes[i]);
        table_3(reproduction, &shapes[i]);
    }
    claims(reproduction);
    alltoall_measured(reproduction);
    figure_of_queue_pairs(reproduction);
    figure_of_memory(reproduction);
}

PAPER(alltoall, "OHIO: Improving RDMA Network Scalability in MPI_Alltoall", reproduce);
