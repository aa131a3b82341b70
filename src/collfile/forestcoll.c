#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_index.h"
#include "collfile/builder.h"
#include "collfile/format.h"
#include "xml/xml.h"

/* ForestColl's trees (liangyuRain/ForestColl 3c13aee): each GPU's block has `nchunkspernode` chunks. A tree
 * is rooted at a GPU, takes `nchunks` of its chunks, and brings them to all others. Names of nodes are any
 * texts; a path names the switches between two GPUs, and begins and ends with their names. */

struct send {
    uint32_t from, to; /* numbers of names */
    uint32_t line;
};

struct forest_tree {
    uint32_t root;
    uint32_t chunks, height;
    uint32_t first_send, send_count;
    uint32_t line;
};

struct forest {
    struct xml_reader base;
    struct collfile_proof *proof;
    uint32_t chunks; /* of a block */
    struct text_index names;
    struct forest_tree *trees;
    struct send *sends;
    size_t tree_count, tree_capacity, send_count, send_capacity;
};

enum { NODES_MAX = 4096, CHUNKS_MAX = 1 << 20 };

/* ------------------------------------------------------------------ reading */

static bool read_name(struct forest *forest, const struct xml_element *element, const char *attribute,
                      uint32_t *number)
{
    const char *name = xml_needed(&forest->base, element, attribute);
    if (!name)
        return false;
    *number = (uint32_t)text_index_add(&forest->names, name);
    if (*number < NODES_MAX)
        return true;
    collfile_refuse(forest->base.text, element->line, element->column, "there are more than %d GPUs",
                    NODES_MAX);
    return false;
}

static bool begin_tree(struct forest *forest, const struct xml_element *element)
{
    int64_t chunks, height = 0;
    struct forest_tree tree = {.first_send = (uint32_t)forest->send_count, .line = (uint32_t)element->line};
    if (strcmp(element->name, "tree") != 0)
        return xml_unexpected(&forest->base, element, "<tree> is");
    if (!read_name(forest, element, "root", &tree.root) ||
        !xml_number(&forest->base, element, "nchunks", 1, CHUNKS_MAX, &chunks) ||
        !xml_optional(&forest->base, element, "height", 0, NODES_MAX, &height))
        return false;
    tree.chunks = (uint32_t)chunks;
    tree.height = (uint32_t)height;
    forest->trees = mem_grow(forest->trees, &forest->tree_capacity, forest->tree_count + 1, "trees");
    forest->trees[forest->tree_count++] = tree;
    return true;
}

/* The path begins with the source and ends with the destination. */
static bool leads(const char *path, const char *from, const char *to)
{
    size_t length = strlen(path), first = strlen(from), last = strlen(to);
    return length >= first + 1 + last && strncmp(path, from, first) == 0 && path[first] == ',' &&
           path[length - last - 1] == ',' && strcmp(path + length - last, to) == 0;
}

static bool begin_send(struct forest *forest, const struct xml_element *element)
{
    struct send send = {.line = (uint32_t)element->line};
    if (strcmp(element->name, "send") != 0)
        return xml_unexpected(&forest->base, element, "<send> is");
    if (!read_name(forest, element, "src", &send.from) || !read_name(forest, element, "dst", &send.to))
        return false;
    const char *path = xml_attribute(element, "path");
    const char *from = xml_attribute(element, "src"), *to = xml_attribute(element, "dst");
    if (path && !leads(path, from, to))
        collfile_wrong(forest->base.text, forest->proof, COLLFILE_PATH, element->line,
                       "the path of %s to %s does not lead from one to the other", from, to);
    forest->sends = mem_grow(forest->sends, &forest->send_capacity, forest->send_count + 1, "trees");
    forest->sends[forest->send_count++] = send;
    forest->trees[forest->tree_count - 1].send_count++;
    return true;
}

static bool begin(struct xml_reader *xml, const struct xml_element *element)
{
    struct forest *forest = (struct forest *)xml;
    int64_t chunks;
    if (element->depth == 1)
        return begin_tree(forest, element);
    if (element->depth == 2)
        return begin_send(forest, element);
    if (element->depth > 2)
        return xml_unexpected(xml, element, "<send> has no elements");
    if (!xml_number(xml, element, "nchunkspernode", 1, CHUNKS_MAX, &chunks))
        return false;
    forest->chunks = (uint32_t)chunks;
    return true;
}

/* -------------------------------------------------------------------- proof */

/* Who sends to each GPU in this tree: send + 1; 0: nobody. */
static void find_parents(struct forest *forest, const struct forest_tree *tree, uint32_t *parents)
{
    memset(parents, 0, forest->names.count * sizeof *parents);
    for (uint32_t i = 0; i < tree->send_count; i++) {
        const struct send *send = &forest->sends[tree->first_send + i];
        if (parents[send->to] || send->to == tree->root)
            collfile_wrong(forest->base.text, forest->proof, COLLFILE_PATH, send->line,
                           "the tree brings its chunks to %s twice", forest->names.texts[send->to]);
        else
            parents[send->to] = tree->first_send + i + 1;
    }
}

/* Sends between the root and the GPU; 0: there is none, or a loop. */
static uint32_t depth_of(const struct forest *forest, const struct forest_tree *tree, const uint32_t *parents,
                         uint32_t node)
{
    uint32_t depth = 0;
    while (node != tree->root && parents[node] && depth <= forest->names.count) {
        node = forest->sends[parents[node] - 1].from;
        depth++;
    }
    return node == tree->root ? depth : 0;
}

static void check_tree(struct forest *forest, const struct forest_tree *tree, const uint32_t *parents)
{
    uint32_t height = 0;
    for (uint32_t node = 0; node < forest->names.count; node++) {
        uint32_t depth = depth_of(forest, tree, parents, node);
        if (node != tree->root && depth == 0)
            collfile_wrong(forest->base.text, forest->proof, COLLFILE_MISSING_PAIR, tree->line,
                           "the tree of %s does not reach %s", forest->names.texts[tree->root],
                           forest->names.texts[node]);
        height = depth > height ? depth : height;
    }
    if (tree->height && tree->height != height)
        collfile_wrong(forest->base.text, forest->proof, COLLFILE_STRUCTURE, tree->line,
                       "the tree has height %u, not %u", height, tree->height);
    if (height > forest->proof->rounds)
        forest->proof->rounds = height;
}

/* The first chunk of each tree among those of its root. */
static uint32_t *place_trees(struct forest *forest)
{
    uint32_t *first = mem_alloc(forest->tree_count + 1, sizeof *first, "trees");
    uint64_t *sums = mem_alloc(forest->names.count + 1, sizeof *sums, "trees");
    for (size_t i = 0; i < forest->tree_count; i++) {
        first[i] = (uint32_t)(sums[forest->trees[i].root] % forest->chunks);
        sums[forest->trees[i].root] += forest->trees[i].chunks;
    }
    for (size_t node = 0; node < forest->names.count; node++) {
        if (sums[node] == 0)
            collfile_wrong(forest->base.text, forest->proof, COLLFILE_MISSING_GPU, 0,
                           "no tree is rooted at %s", forest->names.texts[node]);
        else if (sums[node] != forest->chunks)
            collfile_wrong(forest->base.text, forest->proof, COLLFILE_VOLUME, 0,
                           "the trees of %s carry %llu chunks of %u", forest->names.texts[node],
                           (unsigned long long)sums[node], forest->chunks);
    }
    free(sums);
    return first;
}

/* ----------------------------------------------------------------- messages */

struct outgoing {
    uint32_t from, depth, send;
    uint32_t needs; /* message + 1 */
};

static int compare_outgoing(const void *a, const void *b)
{
    const struct outgoing *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    return left->send < right->send ? -1 : left->send > right->send;
}

/* Messages have the numbers of their sends. */
static void add_tree(struct forest *forest, const struct forest_tree *tree, uint32_t first,
                     const uint32_t *parents, struct outgoing *outgoing, struct collfile_schedule *schedule)
{
    for (uint32_t i = 0; i < tree->send_count; i++) {
        uint32_t number = tree->first_send + i;
        const struct send *send = &forest->sends[number];
        uint32_t depth = depth_of(forest, tree, parents, send->from) + 1;
        builder_message(schedule, send->from, send->to, depth);
        for (uint32_t k = 0; k < tree->chunks && k < forest->chunks; k++)
            builder_part(schedule, (first + k) % forest->chunks, 1);
        outgoing[number] = (struct outgoing){
            .from = send->from, .depth = depth, .send = number, .needs = parents[send->from]};
    }
}

static void add_actions(struct forest *forest, struct outgoing *outgoing, struct collfile_schedule *schedule)
{
    size_t at = 0;
    bool *is_known = mem_alloc(forest->send_count + 1, sizeof *is_known, "trees");
    qsort(outgoing, forest->send_count, sizeof *outgoing, compare_outgoing);
    for (uint32_t rank = 0; rank < forest->names.count; rank++) {
        for (; at < forest->send_count && outgoing[at].from == rank; at++) {
            uint32_t needs = outgoing[at].needs;
            if (needs && !is_known[needs - 1]) {
                is_known[needs - 1] = true;
                builder_do(schedule, COLLFILE_WAIT, needs - 1);
            }
            builder_do(schedule, COLLFILE_SEND, outgoing[at].send);
        }
        builder_end_rank(schedule, rank);
    }
    free(is_known);
}

static enum status check(struct forest *forest, struct collfile_schedule *schedule)
{
    uint64_t parts = 0, work = (uint64_t)forest->tree_count * forest->names.count * forest->names.count;
    for (size_t i = 0; i < forest->tree_count; i++)
        parts += (uint64_t)forest->trees[i].send_count * forest->trees[i].chunks;
    if (parts > 1 << 24 || work > UINT64_C(1) << 32)
        return collfile_refuse(forest->base.text, 0, 0, "too large to be proven: %zu trees of %zu GPUs",
                               forest->tree_count, forest->names.count);
    uint32_t *parents = mem_alloc(forest->names.count + 1, sizeof *parents, "trees");
    struct outgoing *outgoing = mem_alloc(forest->send_count + 1, sizeof *outgoing, "trees");
    uint32_t *first = place_trees(forest);
    schedule->chunks = forest->chunks;
    builder_begin(schedule, (uint32_t)forest->names.count);
    for (size_t i = 0; i < forest->tree_count; i++) {
        find_parents(forest, &forest->trees[i], parents);
        check_tree(forest, &forest->trees[i], parents);
        add_tree(forest, &forest->trees[i], first[i], parents, outgoing, schedule);
    }
    add_actions(forest, outgoing, schedule);
    free(parents);
    free(outgoing);
    free(first);
    return STATUS_OK;
}

/* ------------------------------------------------------------------- format */

static bool probe(const struct collfile_text *text)
{
    char root[32];
    xml_root_name(text->bytes, text->size, root);
    return strcmp(root, "Algo") == 0;
}

static enum status prove(const struct collfile_text *text, struct collfile_proof *proof,
                         struct collfile_schedule *schedule)
{
    struct forest forest = {.base = {.text = text,
                                     .bytes = text->bytes,
                                     .size = text->size,
                                     .refuse = collfile_refuse_at,
                                     .begin = begin},
                            .proof = proof};
    enum status status = xml_read(&forest.base);
    if (status == STATUS_OK && forest.tree_count == 0)
        status = collfile_refuse(text, 1, 0, "<Algo> has no <tree>");
    if (status == STATUS_OK) {
        proof->op = COLLFILE_ALLGATHER;
        proof->ranks = forest.names.count;
        proof->steps = forest.send_count;
        status = check(&forest, schedule);
    }
    text_index_free(&forest.names);
    free(forest.trees);
    free(forest.sends);
    return status;
}

const struct collfile_format forestcoll_format = {
    .name = "ForestColl XML",
    .doc = "<Algo> with <tree> and <send>, as ForestColl writes it",
    .probe = probe,
    .prove = prove,
};
