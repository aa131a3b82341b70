#include "cli/alltoall.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/group.h"
#include "coll/nodes.h"

/* ------------------------------------------------------------------------------------------------- shape */

enum placement { BLOCK, ROUND_ROBIN, PLACEMENTS };
static const char *const placements[PLACEMENTS] = {[BLOCK] = "block", [ROUND_ROBIN] = "round-robin"};

static bool read_number(const char *option, const char *text, uint64_t most, uint32_t *number)
{
    struct units_problem problem;
    uint64_t value;
    if (!units_count(text, &value, &problem))
        diag_error("%s: %s", option, problem.text);
    else if (value == 0 || value > most)
        diag_error("%s: a number from 1 to %llu is expected, not %s", option, (unsigned long long)most, text);
    else {
        *number = (uint32_t)value;
        return true;
    }
    return false;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    struct units_problem problem;
    const uint64_t at_most = UINT64_C(1) << 30;
    if (!units_count(text, bytes, &problem) && !units_size(text, bytes, &problem))
        diag_error("--bytes: %s", problem.text);
    else if (*bytes > at_most)
        diag_error("--bytes: a block is at most 1 GiB, not %s", text);
    else
        return true;
    return false;
}

static bool read_placement(const char *text, enum placement *placement)
{
    *placement = BLOCK;
    if (!text)
        return true;
    while (*placement < PLACEMENTS && strcmp(text, placements[*placement]) != 0)
        ++*placement;
    if (*placement < PLACEMENTS)
        return true;
    diag_error("--placement is block or round-robin, not '%s'%s", text,
               diag_did_you_mean(diag_nearest_of(text, placements, PLACEMENTS)));
    return false;
}

static uint32_t count_items(const char *text)
{
    uint32_t items = 1;
    for (; *text; text++)
        items += *text == ',';
    return items;
}

/* "8" for all nodes, or "8,8,5"; returns the number of ranks of each node, or NULL, reported. */
static uint32_t *read_ppn(const struct alltoall_text *text, uint32_t *nodes)
{
    uint32_t items = count_items(text->ppn);
    if (items > ALLTOALL_RANKS_MAX || (items > 1 && text->nodes && items != *nodes)) {
        diag_error("--ppn names %u nodes, where --nodes is %s", items,
                   text->nodes ? text->nodes : "not given");
        return NULL;
    }
    if (items > 1)
        *nodes = items;
    uint32_t *ranks = mem_alloc(*nodes, sizeof *ranks, "ranks of nodes");
    char *words = mem_text(text->ppn), *rest = words;
    for (uint32_t i = 0; i < *nodes; i++) {
        const char *word = items > 1 || i == 0 ? strsep(&rest, ",") : NULL;
        if (!word) {
            ranks[i] = ranks[i - 1];
        } else if (!read_number("--ppn", word, ALLTOALL_RANKS_MAX, &ranks[i])) {
            free(ranks);
            ranks = NULL;
            break;
        }
    }
    free(words);
    return ranks;
}

/* The node of each rank; uses up `left`, the ranks that each node still takes. */
static void place_ranks(uint32_t *place_of, uint32_t size, uint32_t nodes, uint32_t *left,
                        enum placement placement)
{
    for (uint32_t rank = 0, node = 0; rank < size; rank++) {
        while (left[node] == 0)
            node = (node + 1) % nodes;
        left[node]--;
        place_of[rank] = node;
        if (placement == ROUND_ROBIN)
            node = (node + 1) % nodes;
    }
}

static enum status open_map(struct alltoall_shape *shape, uint32_t nodes, uint32_t *ranks,
                            enum placement placement)
{
    uint64_t size = 0;
    shape->ppn = ranks[0];
    for (uint32_t i = 0; i < nodes; i++) {
        size += ranks[i];
        if (ranks[i] != shape->ppn)
            shape->ppn = 0;
    }
    if (size > ALLTOALL_RANKS_MAX) {
        diag_error("these are %llu ranks; at most %d are counted", (unsigned long long)size,
                   ALLTOALL_RANKS_MAX);
        return STATUS_BAD_INPUT;
    }
    uint32_t *place_of = mem_alloc(size, sizeof *place_of, "places of ranks");
    place_ranks(place_of, (uint32_t)size, nodes, ranks, placement);
    shape->words = mem_alloc(coll_nodes_words((uint32_t)size), sizeof *shape->words, "a node map");
    coll_nodes_make(&shape->nodes, (uint32_t)size, place_of, shape->words);
    shape->call.size = (uint32_t)size;
    free(place_of);
    return STATUS_OK;
}

enum status alltoall_shape_open(struct alltoall_shape *shape, const struct alltoall_text *text)
{
    uint32_t nodes = 0;
    enum placement placement;
    *shape = (struct alltoall_shape){.call = {.kind = COLL_ALLTOALL, .element = 1, .leaders = 1}};
    if (!text->ppn || !text->bytes || (!text->nodes && count_items(text->ppn) == 1)) {
        diag_error("--nodes, --ppn and --bytes are needed, as in --nodes 4 --ppn 8 --bytes 64");
        return STATUS_BAD_INPUT;
    }
    if ((text->nodes && !read_number("--nodes", text->nodes, ALLTOALL_RANKS_MAX, &nodes)) ||
        !read_bytes(text->bytes, &shape->call.bytes) || !read_placement(text->placement, &placement) ||
        (text->leaders && !read_number("--leaders", text->leaders, ALLTOALL_RANKS_MAX, &shape->call.leaders)))
        return STATUS_BAD_INPUT;
    uint32_t *ranks = read_ppn(text, &nodes);
    if (!ranks)
        return STATUS_BAD_INPUT;
    enum status status = open_map(shape, nodes, ranks, placement);
    free(ranks);
    shape->call.nodes = &shape->nodes;
    return status;
}

void alltoall_shape_close(struct alltoall_shape *shape)
{
    free(shape->words);
}

const char *alltoall_shape_print(const struct alltoall_shape *shape, char *buffer, size_t size)
{
    uint32_t nodes = shape->nodes.count;
    if (shape->ppn)
        snprintf(buffer, size, "%u node%s of %u rank%s", nodes, nodes == 1 ? "" : "s", shape->ppn,
                 shape->ppn == 1 ? "" : "s");
    else
        snprintf(buffer, size, "%u nodes, %u ranks", nodes, shape->call.size);
    return buffer;
}

/* --------------------------------------------------------------------------------------------- algorithms */

const char *alltoall_algorithm_at(size_t index)
{
    for (size_t i = 0; i < coll_algorithm_count; i++)
        if (coll_algorithms[i]->kind == COLL_ALLTOALL && index-- == 0)
            return coll_algorithms[i]->name;
    return NULL;
}

static const char *name_at(const void *list, size_t index)
{
    (void)list;
    return alltoall_algorithm_at(index);
}

const struct coll_algorithm *alltoall_algorithm(const char *name)
{
    const struct coll_algorithm *found = coll_find(COLL_ALLTOALL, name);
    size_t count = 0;
    while (alltoall_algorithm_at(count))
        count++;
    if (!found)
        diag_error("'%s' is not an algorithm of alltoall%s", name,
                   diag_did_you_mean(diag_nearest(name, NULL, count, name_at)));
    return found;
}

int alltoall_flush(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    diag_error("cannot write to standard output");
    return STATUS_FAILED;
}

/* ----------------------------------------------------------------------------------------------- commands */

static const struct cli_subcommand commands[] = {
    {"plan", cli_alltoall_plan, "messages, queue pairs, posted sends and memory of each algorithm", NULL},
    {"explain", cli_alltoall_explain, "one algorithm, step by step, and whether it is proven", NULL},
    {"bench", cli_alltoall_bench, "measure the preloaded library beside the MPI on a real cluster", NULL},
    {"tune", cli_alltoall_tune, "measure, and write which algorithm the library is to take when", NULL},
};

const struct cli_group cli_alltoall_group = {
    .title = "helio alltoall",
    .doc = "MPI_Alltoall on nodes with many ranks: the algorithms, and what they cost.",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

int cli_alltoall(int argc, char **argv)
{
    return cli_group_run(&cli_alltoall_group, argc, argv);
}
