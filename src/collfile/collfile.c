#include "collfile/collfile.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "collfile/format.h"

const char *collfile_op_name(enum collfile_op op)
{
    static const char *const names[] = {"allreduce", "allgather", "alltoall", "reduce_scatter", "circuits"};
    return names[op];
}

const char *collfile_problem_name(enum collfile_problem problem)
{
    static const char *const names[] = {
        [COLLFILE_STRUCTURE] = "structure",
        [COLLFILE_DEPENDENCY] = "dependencies",
        [COLLFILE_CONNECTION] = "connections",
        [COLLFILE_DEADLOCK] = "deadlocked_threadblocks",
        [COLLFILE_MESSAGE_LEFT] = "messages_left",
        [COLLFILE_UNDEFINED_READ] = "undefined_reads",
        [COLLFILE_RACE] = "races",
        [COLLFILE_WRONG_CHUNK] = "wrong_chunks",
        [COLLFILE_MISSING_GPU] = "missing_gpus",
        [COLLFILE_MISSING_PAIR] = "missing_pairs",
        [COLLFILE_PATH] = "broken_paths",
        [COLLFILE_ORDER] = "too_early",
        [COLLFILE_VOLUME] = "volumes",
        [COLLFILE_FLOW] = "flows_not_conserved",
        [COLLFILE_CIRCUIT] = "overlapping_circuits",
    };
    return names[problem];
}

/* -------------------------------------------------------------------- sizes */

/* Chunk k of a block: from where the first k chunks end. So all chunks together are the block. */
static uint64_t chunk_bytes(uint64_t bytes, uint64_t chunk, uint64_t chunks)
{
    unsigned __int128 end = (unsigned __int128)bytes * (chunk + 1) / chunks;
    unsigned __int128 begin = (unsigned __int128)bytes * chunk / chunks;
    return (uint64_t)(end - begin);
}

uint64_t collfile_message_bytes(const struct collfile_schedule *schedule, size_t message, uint64_t bytes)
{
    const struct collfile_message *found = &schedule->messages[message];
    uint64_t sum = 0;
    for (size_t i = 0; i < found->part_count; i++) {
        const struct collfile_part *part = &schedule->parts[found->first_part + i];
        uint64_t whole = chunk_bytes(bytes, part->chunk % schedule->chunks, schedule->chunks);
        sum += part->volume >= 1 ? whole : (uint64_t)ceil((double)whole * part->volume);
    }
    return sum;
}

/* -------------------------------------------------------------------- links */

static int compare_links(const void *a, const void *b)
{
    const struct collfile_link *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

static struct collfile_link link_of(const struct collfile_schedule *schedule, size_t message, uint64_t bytes)
{
    const struct collfile_message *found = &schedule->messages[message];
    struct collfile_link link = {.from = found->from, .to = found->to, .messages = 1};
    for (size_t i = 0; i < found->part_count; i++)
        link.chunks += schedule->parts[found->first_part + i].volume;
    if (bytes)
        link.bytes = collfile_message_bytes(schedule, message, bytes);
    return link;
}

static void count_links(const struct collfile_schedule *schedule, struct collfile_proof *proof)
{
    size_t count = schedule->message_count, kept = 0;
    struct collfile_link *links = mem_alloc(count + 1, sizeof *links, "links");
    for (size_t i = 0; i < count; i++)
        links[i] = link_of(schedule, i, proof->bytes);
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_links(&links[kept - 1], &links[i]) != 0) {
            links[kept++] = links[i];
            continue;
        }
        links[kept - 1].messages += links[i].messages;
        links[kept - 1].chunks += links[i].chunks;
        links[kept - 1].bytes += links[i].bytes;
    }
    proof->links = links;
    proof->link_count = kept;
    proof->messages = count;
    proof->chunks_moved = 0;
    for (size_t i = 0; i < kept; i++) {
        proof->chunks_moved += links[i].chunks;
        if (proof->gpu_of_rank) {
            links[i].from = proof->gpu_of_rank[links[i].from];
            links[i].to = proof->gpu_of_rank[links[i].to];
        }
    }
}

/* -------------------------------------------------------------------- files */

static enum status refuse_format(const struct collfile_text *text)
{
    char names[256] = "";
    if (text->size == 0)
        return collfile_refuse(text, 0, 0, "it is empty; a schedule of a collective is expected");
    for (size_t i = 0; collfile_formats[i]; i++) {
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, collfile_formats[i]->name, sizeof names - strlen(names) - 1);
    }
    return collfile_refuse(text, 1, 1, "this is no schedule of a collective that is known here: %s", names);
}

static enum status prove(const struct collfile_text *text, uint64_t bytes, struct collfile_proof *proof,
                         struct collfile_schedule *schedule)
{
    struct collfile_schedule own = {.ranks = 0};
    struct collfile_schedule *made = schedule ? schedule : &own;
    *made = (struct collfile_schedule){.ranks = 0};
    *proof = (struct collfile_proof){.bytes = bytes};
    size_t i = 0;
    while (collfile_formats[i] && !collfile_formats[i]->probe(text))
        i++;
    if (!collfile_formats[i])
        return refuse_format(text);
    proof->format = collfile_formats[i]->name;
    enum status status = collfile_formats[i]->prove(text, proof, made);
    proof->right = !*proof->first_problem;
    proof->chunks = made->chunks;
    if (status == STATUS_OK)
        count_links(made, proof);
    collfile_schedule_free(&own);
    return status;
}

enum status collfile_prove(const char *path, uint64_t bytes, struct collfile_proof *proof,
                           struct collfile_schedule *schedule)
{
    struct collfile_text text;
    *proof = (struct collfile_proof){.bytes = bytes};
    if (schedule)
        *schedule = (struct collfile_schedule){.ranks = 0};
    enum status status = collfile_text_load(&text, path);
    if (status == STATUS_OK)
        status = prove(&text, bytes, proof, schedule);
    collfile_text_free(&text);
    return status;
}

enum status collfile_prove_text(const char *path, const char *bytes, size_t size, uint64_t block_bytes,
                                struct collfile_proof *proof, struct collfile_schedule *schedule)
{
    struct collfile_text text = {.path = path, .bytes = mem_alloc(size + 1, 1, "a schedule"), .size = size};
    memcpy(text.bytes, bytes, size);
    enum status status = prove(&text, block_bytes, proof, schedule);
    collfile_text_free(&text);
    return status;
}

void collfile_proof_free(struct collfile_proof *proof)
{
    free(proof->links);
    free(proof->gpu_of_rank);
    proof->links = NULL;
    proof->gpu_of_rank = NULL;
    proof->link_count = 0;
}

void collfile_schedule_free(struct collfile_schedule *schedule)
{
    free(schedule->messages);
    free(schedule->parts);
    free(schedule->actions);
    free(schedule->first_action);
    *schedule = (struct collfile_schedule){.ranks = 0};
}
