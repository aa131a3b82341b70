#include "engine/placement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "call/jobs.h"
#include "call/nodes.h"
#include "engine/params.h"
#include "fabric/topology.h"

enum placement_name { LINEAR, INTERLEAVED, BLOCKS, RANDOM, PLACEMENTS };
static const char *const names[PLACEMENTS] = {
    [LINEAR] = "linear", [INTERLEAVED] = "interleaved", [BLOCKS] = "blocks", [RANDOM] = "random"};

/* PLACEMENTS: it is none of them. */
static enum placement_name name_of(const char *text)
{
    enum placement_name name = LINEAR;
    while (name < PLACEMENTS && strcmp(text, names[name]) != 0)
        name++;
    return name;
}

static bool is_path(const char *text)
{
    return strpbrk(text, "/.") != NULL;
}

bool placement_find_path(const char *bytes, size_t from, struct param_path *path)
{
    return is_path(bytes) && param_find_whole(bytes, from, path);
}

const char *placement_path(const struct config *config)
{
    const struct node_config *node = config_of(config, &node_params);
    return is_path(node->placement) ? node->placement : NULL;
}

bool placement_is_given(const struct config *config)
{
    const struct node_config *node = config_of(config, &node_params);
    return name_of(node->placement) != LINEAR;
}

struct placement_room placement_room_of(const struct config *config, const struct program *program)
{
    const uint32_t nodes = topology_nodes(config);
    return (struct placement_room){.ranks = program->ranks,
                                   .nodes = nodes ? nodes : program->ranks,
                                   .ranks_per_node = node_config_ranks(config_of(config, &node_params)),
                                   .has_topology = nodes > 0};
}

/* ------------------------------------------------------------------ by name */

/* Blocks of ranks to the nodes in turn. A node that is full is passed over. */
static void place_in_turn(uint32_t *node_of, uint32_t ranks, uint32_t nodes, uint32_t each, uint64_t block)
{
    uint32_t *used = mem_alloc(nodes, sizeof *used, "a placement");
    for (uint32_t rank = 0; rank < ranks;) {
        for (uint32_t node = 0; node < nodes; node++)
            for (uint64_t k = 0; k < block && rank < ranks && used[node] < each; k++, used[node]++)
                node_of[rank++] = node;
    }
    free(used);
}

static void shuffle(uint32_t *node_of, uint32_t ranks, uint64_t seed)
{
    struct rng rng = rng_init(seed, "placement");
    for (uint32_t i = ranks; i > 1; i--) {
        uint32_t other = (uint32_t)rng_below(&rng, i), node = node_of[i - 1];
        node_of[i - 1] = node_of[other];
        node_of[other] = node;
    }
}

static void place_by_name(const struct node_config *node, struct placement *placement)
{
    const uint64_t blocks[PLACEMENTS] = {
        [LINEAR] = UINT64_MAX, [INTERLEAVED] = 1, [BLOCKS] = node->placement_block, [RANDOM] = UINT64_MAX};
    const enum placement_name name = name_of(node->placement);
    const uint32_t ranks = placement->program->ranks, each = node_config_ranks(node);
    placement->nodes = nodes_for_ranks(ranks, each);
    place_in_turn(placement->node_of, ranks, placement->nodes, each, blocks[name]);
    if (name == RANDOM)
        shuffle(placement->node_of, ranks, node->placement_seed);
}

/* ------------------------------------------------------------------- a file */

/*     # a comment
 *     0 3
 *     1 2 # rank 1 is on node 2 */
struct placement_reader {
    const char *name, *at, *end; /* of the file; where the line begins, and the end of the text */
    size_t line, length;         /* from 1 on; of the line */
    const struct placement_room *room;
    uint32_t *node_of;
    size_t *line_of; /* of each rank: where it is placed; 0: not yet */
    uint32_t *used;  /* of each node: its ranks */
    uint32_t placed, nodes;
};

struct placement_word {
    size_t at, length; /* in the line; no length: the line has no further word */
};

static struct placement_word next_word(const struct placement_reader *reader, size_t from)
{
    struct placement_word word = {.at = from};
    while (word.at < reader->length && strchr(" \t\r", reader->at[word.at]) && reader->at[word.at])
        word.at++;
    if (word.at < reader->length && reader->at[word.at] == '#')
        word.at = reader->length;
    while (word.at + word.length < reader->length && !strchr(" \t\r#", reader->at[word.at + word.length]))
        word.length++;
    return word;
}

static struct diag_place place_of(const struct placement_reader *reader, struct placement_word word)
{
    return (struct diag_place){.file = reader->name,
                               .line = reader->line,
                               .column = (uint32_t)word.at + 1,
                               .span = (uint32_t)word.length,
                               .source = reader->at,
                               .source_length = reader->length};
}

/* False: the word is no number that fits. */
static bool read_number(const struct placement_reader *reader, struct placement_word word, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < word.length; i++) {
        const char digit = reader->at[word.at + i];
        if (digit < '0' || digit > '9' || *number > UINT32_MAX)
            return false;
        *number = 10 * *number + (uint64_t)(digit - '0');
    }
    return word.length > 0;
}

/* False, reported: the rank cannot be there. */
static bool put(struct placement_reader *reader, struct placement_word rank_word, uint64_t rank,
                struct placement_word node_word, uint64_t node)
{
    const struct placement_room *room = reader->room;
    const struct diag_place at_rank = place_of(reader, rank_word), at_node = place_of(reader, node_word);
    if (rank >= room->ranks)
        diag_report(DIAG_ERROR, &at_rank, "there is no rank %" PRIu64 "; the program has ranks 0 to %" PRIu32,
                    rank, room->ranks - 1);
    else if (reader->line_of[rank])
        diag_report(DIAG_ERROR, &at_rank, "rank %" PRIu64 " has a node already, in line %zu", rank,
                    reader->line_of[rank]);
    else if (node >= room->nodes)
        diag_report(DIAG_ERROR, &at_node, "there is no node %" PRIu64 "; %s nodes 0 to %" PRIu32, node,
                    room->has_topology ? "the topology has"
                                       : "without a topology there are as many nodes as ranks,",
                    room->nodes - 1);
    else if (reader->used[node] == room->ranks_per_node)
        diag_report(DIAG_ERROR, &at_node,
                    "node %" PRIu64 " is full: ranks_per_node is %" PRIu32 ", and it has %" PRIu32
                    " before this one",
                    node, room->ranks_per_node, reader->used[node]);
    else {
        reader->node_of[rank] = (uint32_t)node;
        reader->line_of[rank] = reader->line;
        reader->used[node]++;
        reader->placed++;
        reader->nodes = node >= reader->nodes ? (uint32_t)node + 1 : reader->nodes;
        return true;
    }
    return false;
}

/* False, reported. */
static bool read_line(struct placement_reader *reader)
{
    uint64_t numbers[2];
    struct placement_word words[2], rest = {.at = 0};
    for (size_t i = 0; i < 2; i++) {
        words[i] = next_word(reader, rest.at);
        rest.at = words[i].at + words[i].length;
        if (i == 0 && !words[i].length)
            return true;
        if (!read_number(reader, words[i], &numbers[i])) {
            const struct diag_place place = place_of(reader, words[i].length ? words[i] : words[0]);
            diag_report(DIAG_ERROR, &place, "a line has a rank and its node, such as '0 3'%s",
                        words[i].length ? ", and this is no such number" : "; the node is missing");
            return false;
        }
    }
    rest = next_word(reader, rest.at);
    if (rest.length) {
        const struct diag_place place = place_of(reader, rest);
        diag_report(DIAG_ERROR, &place, "a line has a rank and its node, and nothing else");
        return false;
    }
    return put(reader, words[0], numbers[0], words[1], numbers[1]);
}

static bool read_lines(struct placement_reader *reader)
{
    while (reader->at < reader->end) {
        const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
        reader->line++;
        reader->length = (size_t)((newline ? newline : reader->end) - reader->at);
        if (!read_line(reader))
            return false;
        reader->at = newline ? newline + 1 : reader->end;
    }
    return true;
}

/* False, reported: a rank has no node. */
static bool is_whole(const struct placement_reader *reader)
{
    const uint32_t ranks = reader->room->ranks;
    const struct diag_place place = {.file = reader->name, .line = reader->line + 1, .column = 1};
    uint32_t rank = 0;
    if (reader->placed == ranks)
        return true;
    while (reader->line_of[rank])
        rank++;
    diag_report(DIAG_ERROR, &place,
                "rank %" PRIu32 " has no node: the file ends after %" PRIu32 " of %" PRIu32 " ranks", rank,
                reader->placed, ranks);
    return false;
}

enum status placement_read(const char *name, const char *text, size_t length,
                           const struct placement_room *room, uint32_t *node_of, uint32_t *nodes)
{
    struct placement_reader reader = {
        .name = name, .at = text, .end = text + length, .room = room, .node_of = node_of};
    if ((uint64_t)room->nodes * room->ranks_per_node < room->ranks) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = name},
                    "%" PRIu32 " ranks do not fit on %" PRIu32 " nodes of %" PRIu32
                    "; raise ranks_per_node, or choose a larger topology",
                    room->ranks, room->nodes, room->ranks_per_node);
        return STATUS_BAD_INPUT;
    }
    reader.line_of = mem_alloc(room->ranks, sizeof *reader.line_of, "a placement");
    reader.used = mem_alloc(room->nodes, sizeof *reader.used, "a placement");
    const bool good = read_lines(&reader) && is_whole(&reader);
    free(reader.line_of);
    free(reader.used);
    *nodes = reader.nodes;
    return good ? STATUS_OK : STATUS_BAD_INPUT;
}

static enum status place_by_file(const struct config *config, const char *path, struct placement *placement)
{
    const uint64_t most = UINT64_C(1) << 30;
    const struct placement_room room = placement_room_of(config, placement->program);
    char *text = NULL;
    size_t length;
    enum status status = file_load(path, most, "a placement", &text, &length);
    if (status == STATUS_OK)
        status = placement_read(path, text, length, &room, placement->node_of, &placement->nodes);
    free(text);
    return status;
}

/* ---------------------------------------------------------- a queue of jobs */

/* How many nodes the jobs can have. False, reported. */
static bool nodes_of_queue(const struct config *config, const struct program *program, uint32_t *nodes)
{
    const uint32_t wanted = program->jobs->queue->nodes, there = topology_nodes(config);
    *nodes = wanted ? wanted : there;
    if (placement_is_given(config))
        diag_error("placement: with a queue a job gets its nodes when it starts; jobs.placement says which");
    else if (!*nodes)
        diag_error("a queue of jobs needs a number of nodes: give a topology, or nodes, such as "
                   "jobs:FILE.yaml,queue=fcfs,nodes=16");
    else if (there && wanted > there)
        diag_error("the queue has %" PRIu32 " nodes, and the topology %" PRIu32, wanted, there);
    else
        return true;
    return false;
}

/* False, reported: a job can never start. */
static bool all_jobs_fit(const struct program *program, uint32_t nodes, uint32_t ranks_per_node)
{
    const struct program_jobs *jobs = program->jobs;
    for (size_t i = 0; i < jobs->count; i++) {
        const uint32_t wanted = nodes_for_ranks(jobs->list[i].ranks, ranks_per_node);
        if (wanted <= nodes)
            continue;
        diag_error("job %s needs %" PRIu32 " nodes, and the machine has %" PRIu32, jobs->list[i].name, wanted,
                   nodes);
        return false;
    }
    return true;
}

/* Until a job starts, its ranks are where they would be if it was the only one. */
static enum status place_by_queue(const struct config *config, struct program *program,
                                  struct placement *placement)
{
    struct program_queue *queue = program->jobs->queue;
    const uint32_t each = node_config_ranks(config_of(config, &node_params));
    uint32_t nodes;
    if (!nodes_of_queue(config, program, &nodes) || !all_jobs_fit(program, nodes, each))
        return STATUS_BAD_INPUT;
    *placement =
        (struct placement){.program = program,
                           .node_of = mem_alloc(program->ranks, sizeof *placement->node_of, "a placement"),
                           .nodes = nodes,
                           .node_of_before = program->node_of,
                           .nodes_before = program->nodes,
                           .of_queue_before = queue->node_of};
    for (uint32_t job = 0, rank = 0; job < program->jobs->count; job++)
        for (uint32_t i = 0; i < program->jobs->list[job].ranks; i++)
            placement->node_of[rank++] = i / each;
    program->node_of = queue->node_of = placement->node_of;
    program->nodes = nodes;
    return STATUS_OK;
}

/* --------------------------------------------------------------------- open */

static enum status no_such(const char *given)
{
    diag_error("there is no placement '%s'%s", given,
               diag_did_you_mean(diag_nearest_of(given, names, PLACEMENTS)));
    diag_note("a placement is linear, interleaved, blocks or random, or the path of a file, with a dot or a "
              "slash");
    return STATUS_BAD_INPUT;
}

enum status placement_open(const struct config *config, struct program *program, struct placement *placement)
{
    const struct node_config *node = config_of(config, &node_params);
    const char *path = placement_path(config);
    *placement = (struct placement){.program = NULL};
    if (!program->openloop)
        program->nodes_per_server =
            node->nodes_per_server ? (uint32_t)node->nodes_per_server : topology_nodes_per_server(config);
    if (!path && name_of(node->placement) == PLACEMENTS)
        return no_such(node->placement);
    if (program->jobs && program->jobs->queue)
        return place_by_queue(config, program, placement);
    if (!placement_is_given(config) || program->openloop)
        return STATUS_OK;
    *placement =
        (struct placement){.program = program,
                           .node_of = mem_alloc(program->ranks, sizeof *placement->node_of, "a placement"),
                           .node_of_before = program->node_of,
                           .nodes_before = program->nodes};
    enum status status = STATUS_OK;
    if (path)
        status = place_by_file(config, path, placement);
    else
        place_by_name(node, placement);
    program->node_of = placement->node_of;
    program->nodes = placement->nodes;
    return status;
}

void placement_put(struct placement *placement, struct program *program, const uint32_t *node_of)
{
    if (!placement->program)
        *placement = (struct placement){
            .program = program,
            .node_of = mem_alloc(program->ranks, sizeof *placement->node_of, "a placement"),
            .node_of_before = program->node_of,
            .nodes_before = program->nodes};
    placement->nodes = 0;
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        placement->node_of[rank] = node_of[rank];
        placement->nodes = node_of[rank] >= placement->nodes ? node_of[rank] + 1 : placement->nodes;
    }
    program->node_of = placement->node_of;
    program->nodes = placement->nodes;
}

void placement_close(struct placement *placement)
{
    if (placement->program) {
        placement->program->node_of = placement->node_of_before;
        placement->program->nodes = placement->nodes_before;
        if (placement->program->jobs && placement->program->jobs->queue)
            placement->program->jobs->queue->node_of = placement->of_queue_before;
    }
    free(placement->node_of);
    *placement = (struct placement){.program = NULL};
}
