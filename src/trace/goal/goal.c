#include "trace/goal/goal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "trace/image/format.h"

/* ------------------------------------------------------------------ program */

static struct goal_program *goal_of(const struct program *program)
{
    return (struct goal_program *)(uintptr_t)program;
}

/* The text, read again. False: the file is not what it was. */
static bool has_text(struct goal_program *goal)
{
    uint64_t key[2];
    if (!goal->bytes && content_load(goal->path, &goal->bytes, &goal->size) != STATUS_OK)
        goal->bytes = NULL;
    if (!goal->bytes || goal->program.key[0] == 0)
        return goal->bytes;
    content_key(goal->bytes, goal->size, key);
    return !memcmp(key, goal->program.key, sizeof key);
}

/* Lines are counted where a message needs one. `index`: of the operation among those of all ranks. */
static struct call_place place_at(struct goal_program *goal, uint32_t rank, uint32_t operation,
                                  uint64_t index)
{
    uint64_t line = 1;
    if (goal->is_binary) {
        uint64_t first = goal_binary_rank_at(goal, rank);
        if (!first)
            return (struct call_place){.file = goal->path};
        return (struct call_place){.file = goal->path,
                                   .line = (first + (uint64_t)GOAL_OPERATION_BYTES * operation) | DIAG_BYTE};
    }
    if (!has_text(goal))
        return (struct call_place){.file = goal->path};
    const char *end = goal->bytes + goal->rank_at[rank] + goal->at[index];
    for (const char *at = goal->bytes; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        line++;
    return (struct call_place){.file = goal->path, .line = line};
}

static bool is_one_of(const struct goal_program *goal, size_t at, const char *characters)
{
    return at < goal->size && goal->bytes[at] && strchr(characters, goal->bytes[at]);
}

/* The word before a colon; without one, or in the binary form, the number of the operation. */
static const char *label_at(struct goal_program *goal, uint32_t rank, uint32_t operation, uint64_t index)
{
    static _Thread_local char label[64];
    snprintf(label, sizeof label, "operation %u", operation);
    if (goal->is_binary || !has_text(goal))
        return label;
    size_t at = (size_t)goal->rank_at[rank] + goal->at[index], end = at;
    while (end < goal->size && !is_one_of(goal, end, ": \t\r\n/"))
        end++;
    size_t length = end - at;
    while (is_one_of(goal, end, " \t"))
        end++;
    if (is_one_of(goal, end, ":") && length < sizeof label)
        snprintf(label, sizeof label, "%.*s", (int)length, goal->bytes + at);
    return label;
}

static struct call_place place_of_operation(const struct program *program, uint32_t rank, uint32_t operation)
{
    struct goal_program *goal = goal_of(program);
    return place_at(goal, rank, operation, goal->graph.ranks[rank].first + operation);
}

static const char *label_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    struct goal_program *goal = goal_of(program);
    return label_at(goal, rank, operation, goal->graph.ranks[rank].first + operation);
}

static struct call_place place(const struct program *program, uint32_t rank)
{
    (void)rank;
    return (struct call_place){.file = goal_of(program)->path};
}

static void close_program(struct program *program)
{
    struct goal_program *goal = goal_of(program);
    graph_builder_free(&goal->builder);
    free(goal->path);
    free(goal->name);
    free(goal->bytes);
    free(goal->rank_at);
    free(goal->at);
    free(goal);
}

static const struct program_ops ops = {.next = graph_program_next,
                                       .slots = graph_program_slots,
                                       .place = place,
                                       .rewind = graph_program_rewind,
                                       .read = graph_program_read,
                                       .close = close_program};

/* One of the circle, by its place and its label. */
__attribute__((format(printf, 5, 6))) static void report_at(struct goal_program *goal, enum diag_level level,
                                                            uint32_t rank, uint32_t operation,
                                                            const char *format, ...)
{
    const struct graph_builder *builder = &goal->builder;
    const uint64_t index = builder->graph.operations - builder->ranks[rank].count + operation;
    const struct call_place at = place_at(goal, rank, operation, index);
    char text[160];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    diag_report(level, &(struct diag_place){.file = at.file, .line = at.line}, "%s%s",
                label_at(goal, rank, operation, index), text);
}

void goal_report_circle(struct goal_program *goal, uint32_t rank)
{
    const struct graph_circle *circle = &goal->builder.circle;
    report_at(goal, DIAG_ERROR, rank, circle->operations[0],
              " of rank %u requires itself, by way of the operations that it requires; none of them could "
              "ever begin",
              rank);
    for (uint32_t i = 1; i < circle->count && i < GRAPH_CIRCLE_SHOWN; i++)
        report_at(goal, DIAG_NOTE, rank, circle->operations[i], " is required by the operation above");
    if (circle->count > GRAPH_CIRCLE_SHOWN)
        diag_note("and %u more", circle->count - GRAPH_CIRCLE_SHOWN);
}

/* ------------------------------------------------------------------ opening */

static bool is_binary(const char *bytes, size_t size)
{
    uint64_t magic = 0;
    if (size < sizeof magic)
        return false;
    memcpy(&magic, bytes, sizeof magic);
    return magic == GOAL_MAGIC || magic == GOAL_CONSUMED;
}

/* The program of a graph that has been built, or nothing. */
static enum status finish(struct goal_program *goal, enum status status, struct program **program)
{
    if (status != STATUS_OK) {
        close_program(&goal->program);
        return status;
    }
    goal->graph = graph_builder_finish(&goal->builder);
    goal->graph.place = place_of_operation;
    goal->graph.label = label_of;
    goal->program.ops = &ops;
    goal->program.graph = &goal->graph;
    goal->program.total_calls = goal->graph.operations;
    goal->program.bytes_mapped = graph_builder_bytes(&goal->builder) + goal->at_capacity * sizeof *goal->at;
    *program = &goal->program;
    return STATUS_OK;
}

static struct goal_program *new_program(const char *path, bool has_binary_form)
{
    struct goal_program *goal = mem_alloc(1, sizeof *goal, "a GOAL program");
    goal->path = mem_text(path);
    goal->is_binary = has_binary_form;
    return goal;
}

enum status goal_open_bytes(const char *path, char *bytes, size_t size, struct program **program)
{
    struct goal_program *goal = new_program(path, is_binary(bytes, size));
    struct content_window window = {.bytes = bytes, .to = size, .size = size};
    goal->bytes = bytes;
    goal->size = size;
    content_key(bytes, size, goal->program.key);
    return finish(goal, goal->is_binary ? goal_read_binary(goal, &window) : goal_read_text(goal), program);
}

/* The binary form of many ranks is larger than its graph, so it is never in memory as a whole. */
static enum status open_binary(const char *path, struct program **program)
{
    struct content_window window;
    struct goal_program *goal = new_program(path, true);
    enum status status = content_window_open(&window, path, NULL);
    if (status == STATUS_OK) {
        status = content_window_begin_key(&window);
        if (status == STATUS_OK)
            status = goal_read_binary(goal, &window);
        if (status == STATUS_OK)
            status = content_window_end_key(&window, goal->program.key);
        content_window_close(&window);
    }
    return finish(goal, status, program);
}

static enum status open_text(const char *path, struct program **program)
{
    char *bytes;
    size_t size;
    enum status status = content_load(path, &bytes, &size);
    if (status == STATUS_OK)
        status = goal_open_bytes(path, bytes, size, program);
    if (status != STATUS_OK)
        return status;
    struct goal_program *goal = goal_of(*program);
    free(goal->bytes);
    goal->bytes = NULL;
    return STATUS_OK;
}

/* The first bytes say which form the file has. A file that cannot be read is reported as a text. */
static bool has_binary_head(const char *path)
{
    char head[sizeof(uint64_t)];
    FILE *file = file_open_regular(path);
    const size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return is_binary(head, got);
}

static enum status open_program(struct trace_input *input, struct program **program)
{
    enum status status =
        has_binary_head(input->path) ? open_binary(input->path, program) : open_text(input->path, program);
    if (status != STATUS_OK)
        return status;
    struct goal_program *goal = goal_of(*program);
    goal->name = mem_text(input->name);
    (*program)->name = goal->name;
    return STATUS_OK;
}

/* ------------------------------------------------------------------- format */

/* Text begins with num_ranks, behind blanks and comments. */
static bool is_text(const char *bytes, size_t size)
{
    static const char word[] = "num_ranks";
    size_t at = 0;
    while (at < size) {
        if (strchr(" \t\r\n", bytes[at])) {
            at++;
        } else if (size - at > 1 && bytes[at] == '/' && bytes[at + 1] == '/') {
            while (at < size && bytes[at] != '\n')
                at++;
        } else if (size - at > 1 && bytes[at] == '/' && bytes[at + 1] == '*') {
            for (at += 2; at + 1 < size && !(bytes[at] == '*' && bytes[at + 1] == '/'); at++)
                ;
            at += 2;
        } else {
            break;
        }
    }
    return size > at + sizeof word && !memcmp(bytes + at, word, sizeof word - 1);
}

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    const char *head = (const char *)probe->head, *name = strrchr(probe->path, '.');
    if (probe->is_folder)
        return TRACE_CLAIM_NONE;
    if (is_binary(head, probe->head_size) || is_text(head, probe->head_size))
        return TRACE_CLAIM_CERTAIN;
    return name && strcmp(name, ".goal") == 0 ? TRACE_CLAIM_LIKELY : TRACE_CLAIM_NONE;
}

const struct trace_format goal_trace_format = {
    .name = "goal",
    .doc = "a file of GOAL, LogGOPSim's graphs of operations, as text or binary",
    .probe = probe,
    .open_program = open_program,
};
