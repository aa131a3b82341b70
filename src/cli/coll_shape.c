#include "cli/coll_shape.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/coll_algorithms.h"
#include "cli/values.h"
#include "coll/count.h"
#include "coll/nodes.h"
#include "workload/workload.h"

enum rank_placement { BLOCK, ROUND_ROBIN, PLACEMENTS };
static const char *const placements[PLACEMENTS] = {[BLOCK] = "block", [ROUND_ROBIN] = "round-robin"};

static bool read_number(const char *option, const char *text, uint64_t most, uint32_t *number)
{
    uint64_t value;
    if (!cli_value_count(option, text, &value))
        return false;
    if (value == 0 || value > most) {
        diag_error("%s: a number from 1 to %llu is expected, not %s", option, (unsigned long long)most, text);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    const uint64_t at_most = UINT64_C(1) << 30;
    if (!cli_value_bytes("--bytes", text, bytes))
        return false;
    if (*bytes > at_most)
        diag_error("--bytes: a block is at most 1 GiB, not %s", text);
    return *bytes <= at_most;
}

static bool read_placement(const char *text, enum rank_placement *placement)
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

/* "8" for all nodes, or "8,8,5". Returns the number of ranks of each node, or NULL, reported. */
static uint32_t *read_ppn(const struct coll_text *text, uint32_t *nodes)
{
    const char *ppn = text->values[COLL_SHAPE_PPN], *given = text->values[COLL_SHAPE_NODES];
    uint32_t items = count_items(ppn);
    if (items > COLL_SHAPE_RANKS_MAX || (items > 1 && given && items != *nodes)) {
        diag_error("--ppn names %u nodes, where --nodes is %s", items, given ? given : "not given");
        return NULL;
    }
    if (items > 1)
        *nodes = items;
    uint32_t *ranks = mem_alloc(*nodes, sizeof *ranks, "ranks of nodes");
    char *words = mem_text(ppn), *rest = words;
    for (uint32_t i = 0; i < *nodes; i++) {
        const char *word = items > 1 || i == 0 ? strsep(&rest, ",") : NULL;
        if (!word) {
            ranks[i] = ranks[i - 1];
        } else if (!read_number("--ppn", word, COLL_SHAPE_RANKS_MAX, &ranks[i])) {
            free(ranks);
            ranks = NULL;
            break;
        }
    }
    free(words);
    return ranks;
}

/* The node of each rank. `left` is how many ranks each node still takes; it is 0 for all in the end. */
static void place_ranks(uint32_t *place_of, uint32_t size, uint32_t nodes, uint32_t *left,
                        enum rank_placement placement)
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

static enum status open_map(struct coll_shape *shape, uint32_t nodes, uint32_t *ranks,
                            enum rank_placement placement)
{
    uint64_t size = 0;
    shape->ppn = ranks[0];
    for (uint32_t i = 0; i < nodes; i++) {
        size += ranks[i];
        if (ranks[i] != shape->ppn)
            shape->ppn = 0;
    }
    if (size > COLL_SHAPE_RANKS_MAX) {
        diag_error("these are %llu ranks; at most %d are counted", (unsigned long long)size,
                   COLL_SHAPE_RANKS_MAX);
        return STATUS_BAD_INPUT;
    }
    uint32_t *place_of = mem_alloc(size, sizeof *place_of, "places of ranks");
    place_ranks(place_of, (uint32_t)size, nodes, ranks, placement);
    shape->words = mem_alloc(coll_nodes_storage((uint32_t)size), sizeof *shape->words, "a node map");
    coll_nodes_init(&shape->nodes, (uint32_t)size, place_of, shape->words);
    shape->call.size = (uint32_t)size;
    free(place_of);
    return STATUS_OK;
}

static bool has_lengths(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_ALLGATHERV || kind == COLL_GATHERV ||
           kind == COLL_SCATTERV || kind == COLL_REDUCE_SCATTER;
}

static bool read_imbalance(const char *text, enum coll_kind kind, double *imbalance)
{
    struct units_problem problem;
    *imbalance = 0;
    if (!text)
        return true;
    if (!units_number_or_percent(text, imbalance, &problem))
        diag_error("--imbalance: %s", problem.text);
    else if (!(*imbalance >= 0 && *imbalance <= 1))
        diag_error("--imbalance is a number from 0 to 1, not %s", text);
    else if (!has_lengths(kind))
        diag_error(
            "all blocks of %s are equal; leave --imbalance out, or take alltoallv, allgatherv, gatherv, "
            "scatterv or reduce_scatter",
            coll_kind_name(kind));
    else
        return true;
    return false;
}

/* The lengths that the workload `collective` has. */
static void open_lengths(struct coll_shape *shape)
{
    struct coll_call *call = &shape->call;
    if (shape->imbalance == 0)
        return;
    shape->counts = mem_alloc(call->size, sizeof *shape->counts, "lengths of blocks");
    for (uint32_t i = 0; i < call->size; i++) {
        uint64_t mean = call->bytes;
        if (call->kind == COLL_REDUCE_SCATTER)
            mean = call->bytes / call->size + (i < call->bytes % call->size);
        shape->counts[i] = workload_block(mean, shape->imbalance, i, call->size);
    }
    call->all.counts = shape->counts;
    coll_take_lengths(call);
}

enum status coll_shape_init(struct coll_shape *shape, const struct coll_text *text)
{
    const char *nodes_text = text->values[COLL_SHAPE_NODES], *ppn = text->values[COLL_SHAPE_PPN];
    const char *bytes = text->values[COLL_SHAPE_BYTES], *leaders = text->values[COLL_SHAPE_LEADERS];
    uint32_t nodes = 0;
    enum rank_placement placement;
    double imbalance;
    *shape = (struct coll_shape){.call = {.kind = COLL_ALLTOALL, .element = 1, .leaders = 1}};
    const char *op = text->values[COLL_SHAPE_OP];
    if (op && !coll_function_read(op, &shape->call.kind))
        return STATUS_BAD_INPUT;
    if (shape->call.kind == COLL_BARRIER && !bytes)
        bytes = "0";
    if (!ppn || !bytes || (!nodes_text && count_items(ppn) == 1)) {
        diag_error("--nodes, --ppn and --bytes are needed, as in --nodes 4 --ppn 8 --bytes 64");
        return STATUS_BAD_INPUT;
    }
    if ((nodes_text && !read_number("--nodes", nodes_text, COLL_SHAPE_RANKS_MAX, &nodes)) ||
        !read_bytes(bytes, &shape->call.bytes) ||
        !read_placement(text->values[COLL_SHAPE_PLACEMENT], &placement) ||
        !read_imbalance(text->values[COLL_SHAPE_IMBALANCE], shape->call.kind, &imbalance) ||
        (leaders && !read_number("--leaders", leaders, COLL_SHAPE_RANKS_MAX, &shape->call.leaders)))
        return STATUS_BAD_INPUT;
    uint32_t *ranks = read_ppn(text, &nodes);
    if (!ranks)
        return STATUS_BAD_INPUT;
    enum status status = open_map(shape, nodes, ranks, placement);
    free(ranks);
    shape->call.nodes = &shape->nodes;
    shape->bytes = shape->call.bytes;
    shape->imbalance = imbalance;
    shape->is_round_robin = placement == ROUND_ROBIN;
    if (status == STATUS_OK)
        open_lengths(shape);
    return status;
}

void coll_shape_free(struct coll_shape *shape)
{
    free(shape->words);
    free(shape->counts);
}

const char *coll_shape_print(const struct coll_shape *shape, char *buffer, size_t size)
{
    uint32_t nodes = shape->nodes.count;
    char bytes[64], ranks[64], imbalance[32] = "", leaders[32] = "";
    if (shape->ppn)
        snprintf(ranks, sizeof ranks, "%u node%s of %u rank%s", nodes, nodes == 1 ? "" : "s", shape->ppn,
                 shape->ppn == 1 ? "" : "s");
    else
        snprintf(ranks, sizeof ranks, "%u nodes, %u ranks", nodes, shape->call.size);
    if (shape->counts)
        snprintf(imbalance, sizeof imbalance, ", imbalance %.6g", shape->imbalance);
    if (shape->call.leaders > 1)
        snprintf(leaders, sizeof leaders, ", %u leaders", shape->call.leaders);
    units_print_size(shape->bytes, bytes, sizeof bytes);
    snprintf(buffer, size, "%s, %s%s, %s%s%s%s", coll_kind_name(shape->call.kind), ranks,
             shape->is_round_robin ? " placed round-robin" : "", bytes,
             shape->call.kind == COLL_ALLTOALL ? " for each pair of ranks" : "", imbalance, leaders);
    return buffer;
}
