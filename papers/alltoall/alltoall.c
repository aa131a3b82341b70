#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "coll/count.h"
#include "coll/nodes.h"
#include "papers/alltoall/alltoall.h"

/* Tables I and III are formulas in the paper. Here they are counted from the schedules, step by step, at
 * several numbers of nodes and ranks, and a formula holds if it does at each. */

enum { BLOCK_BYTES = 1024 }; /* M of Table III, at which the table is compared */

struct alltoall_nodes {
    uint32_t nodes, ppn;
};

static struct coll_counts count(const struct alltoall_nodes *shape, const char *algorithm)
{
    uint32_t size = shape->nodes * shape->ppn;
    struct coll_nodes nodes;
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

/* --------------------------------------------------------- Tables I and III */

/* The formulas: what they give at N nodes of PPN ranks. */
static uint64_t every_pair(uint64_t nodes, uint64_t ppn)
{
    return (nodes - 1) * ppn * ppn;
}

static uint64_t one_of_each_rank(uint64_t nodes, uint64_t ppn)
{
    return (nodes - 1) * ppn;
}

static uint64_t one_of_each_node(uint64_t nodes, uint64_t ppn)
{
    (void)ppn;
    return nodes - 1;
}

static uint64_t two_buffers(uint64_t nodes, uint64_t ppn)
{
    return 2 * BLOCK_BYTES * nodes * ppn * ppn;
}

static uint64_t a_buffer_and_two(uint64_t nodes, uint64_t ppn)
{
    return (BLOCK_BYTES + 2) * nodes * ppn * ppn;
}

/* The same, read as section III-C has the receive buffer: all blocks that are sent, and two that arrive. */
static uint64_t a_buffer_and_two_blocks(uint64_t nodes, uint64_t ppn)
{
    return (nodes + 2) * BLOCK_BYTES * ppn * ppn;
}

static uint64_t two_blocks(uint64_t nodes, uint64_t ppn)
{
    (void)nodes;
    return 2 * BLOCK_BYTES * ppn * ppn;
}

/* What a schedule has. */
static uint64_t queue_pairs(const struct coll_counts *counts, const struct alltoall_nodes *shape)
{
    (void)shape;
    return counts->queue_pairs;
}

static uint64_t posted_sends(const struct coll_counts *counts, const struct alltoall_nodes *shape)
{
    (void)shape;
    return counts->posted_sends;
}

static uint64_t extra_memory(const struct coll_counts *counts, const struct alltoall_nodes *shape)
{
    (void)shape;
    return coll_extra_bytes(counts);
}

/* Extra memory without the shared send buffer, which has the node's blocks for all ranks. */
static uint64_t receive_buffer(const struct coll_counts *counts, const struct alltoall_nodes *shape)
{
    return coll_extra_bytes(counts) - (uint64_t)BLOCK_BYTES * shape->nodes * shape->ppn * shape->ppn;
}

/* V3's queue pairs and sends are in both tables, and here once. */
static const struct alltoall_formula {
    const char *item, *algorithm;
    uint64_t (*published)(uint64_t nodes, uint64_t ppn);
    uint64_t (*ours)(const struct coll_counts *counts, const struct alltoall_nodes *shape);
} formulas[] = {
    {"table-1/scatter-destination/queue-pairs", "scatter-destination", every_pair, queue_pairs},
    {"table-1/scatter-destination/posted-sends", "scatter-destination", every_pair, posted_sends},
    {"table-1/pairwise/queue-pairs", "pairwise", every_pair, queue_pairs},
    {"table-1/pairwise/posted-sends", "pairwise", every_pair, posted_sends},
    {"table-1/khorassani/queue-pairs", "khorassani", one_of_each_rank, queue_pairs},
    {"table-1/khorassani/posted-sends", "khorassani", one_of_each_rank, posted_sends},
    {"table-1/traff/queue-pairs", "traff", one_of_each_node, queue_pairs},
    {"table-1/traff/posted-sends", "traff", one_of_each_node, posted_sends},
    {"table-1/chochia/queue-pairs", "chochia", one_of_each_node, queue_pairs},
    {"table-1/chochia/posted-sends", "chochia", one_of_each_node, posted_sends},
    {"table-1/v3/queue-pairs", "v3", one_of_each_node, queue_pairs},
    {"table-1/v3/posted-sends", "v3", one_of_each_node, posted_sends},
    {"table-3/v1/queue-pairs", "v1", one_of_each_node, queue_pairs},
    {"table-3/v1/posted-sends", "v1", one_of_each_rank, posted_sends},
    {"table-3/v1/extra-memory", "v1", two_buffers, extra_memory},
    {"table-3/v2/queue-pairs", "v2", one_of_each_node, queue_pairs},
    {"table-3/v2/posted-sends", "v2", one_of_each_node, posted_sends},
    {"table-3/v2/extra-memory", "v2", two_buffers, extra_memory},
    {"table-3/v3/extra-memory", "v3", a_buffer_and_two, extra_memory},
    {"section-3-C/v3/receive-buffer", "v3", two_blocks, receive_buffer},
};

/* Where they are compared. The last is the paper's largest run, whose 51 million messages of the flat
 * algorithms take some seconds to count. */
static const struct alltoall_nodes shapes[] = {{2, 56}, {16, 56}, {32, 80}, {128, 56}};

static size_t shapes_of(const struct reproduction *reproduction)
{
    return sizeof shapes / sizeof *shapes - (reproduction_is_quick(reproduction) ? 1 : 0);
}

static bool holds(const struct reproduction *reproduction, const struct alltoall_formula *formula)
{
    bool so = true;
    for (size_t i = 0; i < shapes_of(reproduction); i++) {
        struct coll_counts counts = count(&shapes[i], formula->algorithm);
        so = so && formula->ours(&counts, &shapes[i]) == formula->published(shapes[i].nodes, shapes[i].ppn);
    }
    return so;
}

/* "~ PPN log2(N PPN)": Bruck's algorithm has a message for each bit of a rank's number, so it stands for a
 * whole number beside the logarithm. The configuration says which peers are counted. */
static void bruck_items(struct reproduction *reproduction)
{
    bool counts_all = reproduction_chooses(reproduction, "bruck-peers", "all");
    bool pairs_hold = true, sends_hold = true;
    for (size_t i = 0; i < shapes_of(reproduction); i++) {
        struct coll_counts counts = count(&shapes[i], "bruck");
        double bits = log2((double)shapes[i].nodes * shapes[i].ppn), ppn = shapes[i].ppn;
        double pairs = (double)(counts_all ? counts.node_messages : counts.queue_pairs) / ppn,
               sends = (double)(counts_all ? counts.node_messages : counts.posted_sends) / ppn;
        pairs_hold = pairs_hold && pairs >= floor(bits) && pairs <= ceil(bits);
        sends_hold = sends_hold && sends >= floor(bits) && sends <= ceil(bits);
    }
    reproduction_item(reproduction, "table-1/bruck/queue-pairs", NULL, pairs_hold);
    reproduction_item(reproduction, "table-1/bruck/posted-sends", NULL, sends_hold);
}

/* The formula as the configuration reads it. */
static struct alltoall_formula as_read(struct reproduction *reproduction,
                                       const struct alltoall_formula *printed)
{
    struct alltoall_formula formula = *printed;
    if (formula.published == a_buffer_and_two &&
        reproduction_chooses(reproduction, "v3-memory", "two-blocks"))
        formula.published = a_buffer_and_two_blocks;
    return formula;
}

static void tables_1_and_3(struct reproduction *reproduction)
{
    if (reproduction_wants(reproduction, "table-1/bruck/"))
        bruck_items(reproduction);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct alltoall_formula formula = as_read(reproduction, &formulas[i]);
        if (reproduction_wants(reproduction, formula.item))
            reproduction_item(reproduction, formula.item, NULL, holds(reproduction, &formula));
    }
}

/* ----------------------------------------------------------------- in words */

/* To which power of the nodes, or of the ranks of each, the messages between nodes grow. */
static bool is_order(const char *algorithm, int of_nodes, int of_ranks)
{
    const struct alltoall_nodes from = {16, 28}, more_nodes = {32, 28}, more_ranks = {16, 56};
    double messages = (double)count(&from, algorithm).messages;
    return round(log2((double)count(&more_nodes, algorithm).messages / messages)) == of_nodes &&
           round(log2((double)count(&more_ranks, algorithm).messages / messages)) == of_ranks;
}

static void claims(struct reproduction *reproduction)
{
    enum { CACHE_BYTES = 2000000, CONNECTION_BYTES = 375, CONNECTIONS = 5000, QUEUE_PAIRS_MOST = 131072 };
    const struct alltoall_nodes *largest = &shapes[sizeof shapes / sizeof *shapes - 1];
    struct coll_counts v1 = count(&shapes[2], "v1"), v2 = count(&shapes[2], "v2"),
                       v3 = count(&shapes[2], "v3");
    double in_cache = (double)CACHE_BYTES / CONNECTION_BYTES;
    reproduction_item(reproduction, "introduction/connections-in-the-cache", NULL, floor(in_cache));
    reproduction_item(reproduction, "introduction/memory-of-5000-connections", NULL,
                      1e-6 * CONNECTIONS * CONNECTION_BYTES);
    reproduction_item(reproduction, "introduction/queue-pairs-until-performance-degrades", NULL,
                      reproduction_parameter("rnic.first_level"));
    reproduction_item(reproduction, "introduction/messages-of-flat-algorithms", NULL,
                      is_order("pairwise", 2, 2) && is_order("scatter-destination", 2, 2));
    reproduction_item(reproduction, "introduction/messages-of-hierarchical-algorithms", NULL,
                      is_order("traff", 2, 0) && is_order("chochia", 2, 0) && is_order("v3", 2, 0));
    reproduction_item(reproduction, "section-3-D/v3-takes-least-memory", NULL,
                      coll_extra_bytes(&v3) < coll_extra_bytes(&v1) &&
                          coll_extra_bytes(&v3) < coll_extra_bytes(&v2));
    reproduction_item(reproduction, "introduction/v3-7168-ranks-fit-into-the-cache", NULL,
                      (double)count(largest, "v3").queue_pairs <= in_cache);
    if (!reproduction_is_quick(reproduction))
        reproduction_item(reproduction, "introduction/flat-7168-ranks-pass-the-queue-pair-limit", NULL,
                          count(largest, "pairwise").queue_pairs > QUEUE_PAIRS_MOST);
}

/* Section II-B: the queue pairs of a NIC, as the simulator's NICs count them in a flat alltoall. Over DC a
 * rank has two of them, one that sends and one that is a target. */
static void transport_items(struct reproduction *reproduction)
{
    enum { NODES = 4 };
    const double ppn = alltoall_cluster_a.ppn;
    const double published[] = {(NODES - 1) * ppn * ppn, ppn, ppn};
    static const char *const transports[] = {"rc", "ud", "dc"};
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
        struct alltoall_setup setup = {&alltoall_cluster_a, NODES, "pairwise", transports[i], 1};
        bool sends_alone =
            strcmp(transports[i], "dc") == 0 && reproduction_chooses(reproduction, "dc-ends", "one");
        double ours = alltoall_queue_pairs(reproduction, &setup) / (sends_alone ? 2 : 1);
        char item[64];
        snprintf(item, sizeof item, "section-2-B/queue-pairs-of-an-adapter/%s", transports[i]);
        reproduction_item(reproduction, item, NULL, isnan(ours) ? NAN : ours == published[i]);
        if (i == 0)
            reproduction_item(reproduction, "section-2-B/queue-pairs-of-a-process/rc", NULL,
                              isnan(ours) ? NAN : ours / ppn == (NODES - 1) * ppn);
    }
}

/* ------------------------------------------------------------------ figures */

static uint64_t drawn_queue_pairs(const struct coll_counts *counts)
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
            struct coll_counts counts = count(&shape, algorithms[i]);
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
                                         .is_common = true,
                                         .x_log = true,
                                         .y_log = true});
    draw_counts(reproduction, algorithms, sizeof algorithms / sizeof *algorithms, drawn_queue_pairs);
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
                                       .is_common = true,
                                       .x_log = true,
                                       .y_log = true});
    draw_counts(reproduction, algorithms, sizeof algorithms / sizeof *algorithms, coll_extra_bytes);
}

static void reproduce(struct reproduction *reproduction)
{
    if (reproduction_wants(reproduction, "table-") || reproduction_wants(reproduction, "section-3-C/"))
        tables_1_and_3(reproduction);
    if (reproduction_wants(reproduction, "introduction/") || reproduction_wants(reproduction, "section-3-D/"))
        claims(reproduction);
    if (reproduction_wants(reproduction, "section-2-B/"))
        transport_items(reproduction);
    if (reproduction_draws(reproduction) || reproduction_wants(reproduction, "figure-") ||
        reproduction_wants(reproduction, "section-4/"))
        alltoall_measured(reproduction);
    if (!reproduction_is_first(reproduction) || !reproduction_draws(reproduction))
        return;
    figure_of_queue_pairs(reproduction);
    figure_of_memory(reproduction);
}

PAPER(alltoall, "OHIO: Improving RDMA Network Scalability in MPI_Alltoall", "found", reproduce);
