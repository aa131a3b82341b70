#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "plugin/plugin.h"
#include "trace/formats.h"
#include "trace/image/content.h"
#include "trace/image/slots.h"

/* A trace format of the public header behind the ops of trace/image/format.h. */

struct plugin_trace_format {
    struct trace_format format; /* first: a trace knows its format */
    const struct heliograph_trace_format *functions;
};

/* A trace that is open. Requests have numbers of the plug-in's choice there, and slots here. */
struct plugin_trace {
    const struct heliograph_trace_format *functions;
    void *state;
    struct image_slots slots;
    uint32_t *slot_of; /* plus 1; 0: that request is not outstanding */
    size_t slot_capacity;
};

enum { MOST_REQUESTS = 1 << 24, PROBLEM_SIZE = 256 };

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    const struct heliograph_trace_format *functions = ((const struct plugin_trace_format *)format)->functions;
    int claim =
        functions->probe(functions->self, probe->path, probe->is_folder, probe->head, probe->head_size);
    if (claim >= 3)
        return TRACE_CLAIM_CERTAIN;
    return claim == 2 ? TRACE_CLAIM_LIKELY : claim == 1 ? TRACE_CLAIM_LAST : TRACE_CLAIM_NONE;
}

/* ---------------------------------------------------------------- contents */

static enum status add_file(struct content_hash *hash, const char *path)
{
    char *bytes;
    size_t size;
    enum status status = content_load(path, &bytes, &size);
    if (status != STATUS_OK)
        return status;
    content_hash_add(hash, bytes, size);
    free(bytes);
    return STATUS_OK;
}

/* All regular files of a folder, by their names. */
static enum status add_folder(struct content_hash *hash, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    enum status status = count < 0 ? content_cannot_read(path) : STATUS_OK;
    for (int i = 0; i < count; i++) {
        char *file = mem_format("%s/%s", path, entries[i]->d_name);
        struct stat found;
        if (status == STATUS_OK && stat(file, &found) == 0 && S_ISREG(found.st_mode)) {
            content_hash_add(hash, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
            status = add_file(hash, file);
        }
        free(file);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status;
}

static enum status find_key(struct trace_input *input, const struct trace_probe *probe)
{
    struct content_hash hash;
    const struct trace_format *format = input->format;
    const char *version = ((const struct plugin_trace_format *)format)->functions->version;
    const char *parts[] = {format->name, version ? version : "", plugin_hash()};
    if (!content_hash_begin(&hash)) {
        content_hash_end(&hash, input->key);
        diag_error("%s: there is no memory for a hash", input->path);
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        content_hash_add(&hash, parts[i], strlen(parts[i]) + 1);
    enum status status = probe->is_folder ? add_folder(&hash, probe->path) : add_file(&hash, probe->path);
    content_hash_end(&hash, input->key);
    return status;
}

/* ----------------------------------------------------------------- reading */

static void close_trace(struct trace_input *input)
{
    struct plugin_trace *trace = input->state;
    if (trace->state && trace->functions->close)
        trace->functions->close(trace->state);
    image_slots_free(&trace->slots);
    free(trace->slot_of);
    free(trace);
}

static enum status open_trace(struct trace_input *input, const struct trace_probe *probe)
{
    enum status status = find_key(input, probe);
    if (status != STATUS_OK)
        return status;
    struct plugin_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    trace->functions = ((const struct plugin_trace_format *)input->format)->functions;
    input->state = trace;
    return STATUS_OK;
}

/* The plug-in reads the trace where it is not in the cache. */
static enum status load_trace(struct trace_input *input)
{
    struct plugin_trace *trace = input->state;
    const struct heliograph_trace_format *functions = trace->functions;
    const struct diag_place place = {.file = input->path};
    char problem[PROBLEM_SIZE] = "";
    trace->state = functions->open(functions->self, input->path, &input->ranks, problem, sizeof problem);
    if (!trace->state) {
        diag_report(DIAG_ERROR, &place, "%s",
                    *problem ? problem : "the format does not open this trace, and does not say why");
        return STATUS_BAD_INPUT;
    }
    if (input->ranks && input->ranks <= TRACE_MOST_RANKS)
        return STATUS_OK;
    diag_report(DIAG_ERROR, &place, "a trace has 1 to %d ranks, not %u", TRACE_MOST_RANKS, input->ranks);
    return STATUS_BAD_INPUT;
}

/* No request is outstanding. */
static void forget_requests(struct plugin_trace *trace)
{
    image_slots_clear(&trace->slots);
    if (trace->slot_of)
        memset(trace->slot_of, 0, trace->slot_capacity * sizeof *trace->slot_of);
}

/* Gives the call the slot of its request. False fills `problem`. */
static bool place_request(struct plugin_trace *trace, const struct heliograph_call *made, struct call *call,
                          char *problem)
{
    uint32_t request = made->request;
    if (call->op == CALL_WAITALL)
        forget_requests(trace);
    if (!made->immediate && call->op != CALL_WAIT)
        return true;
    if (request >= MOST_REQUESTS) {
        snprintf(problem, PROBLEM_SIZE, "request %u is beyond %d", request, MOST_REQUESTS);
        return false;
    }
    size_t known = trace->slot_capacity;
    trace->slot_of = mem_grow(trace->slot_of, &trace->slot_capacity, (size_t)request + 1, "requests");
    memset(trace->slot_of + known, 0, (trace->slot_capacity - known) * sizeof *trace->slot_of);
    uint32_t *slot = &trace->slot_of[request];
    if (made->immediate == (*slot != 0)) {
        snprintf(problem, PROBLEM_SIZE, "request %u is %s", request,
                 *slot ? "outstanding already" : "not outstanding, so it cannot be waited for");
        return false;
    }
    if (made->immediate) {
        *slot = image_slots_take(&trace->slots) + 1;
        call->slot = SLOT_FIRST + *slot - 1;
        return true;
    }
    call->slot = SLOT_FIRST + *slot - 1;
    image_slots_give(&trace->slots, *slot - 1);
    *slot = 0;
    return true;
}

static void report_line(struct image_writer *writer, const char *path, uint64_t line, const char *problem)
{
    image_writer_error(writer, &(struct diag_place){.file = path, .line = line}, "%s", problem);
}

static enum status read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct plugin_trace *trace = input->state;
    forget_requests(trace);
    for (int first = 1; !image_writer_is_done(writer); first = 0) {
        struct heliograph_call made = {.operation = HELIOGRAPH_COMPUTE};
        struct call call = {.op = CALL_NOTHING};
        char problem[PROBLEM_SIZE] = "";
        uint64_t line = 0;
        int found = trace->functions->next(trace->state, rank, first, &made, &line, problem, sizeof problem);
        if (found == 0)
            return STATUS_OK;
        if (found < 0) {
            report_line(writer, input->path, line,
                        *problem ? problem : "the format takes this line as wrong, and does not say why");
            return STATUS_OK;
        }
        if (!plugin_call_convert(&made, input->ranks, &call, problem, sizeof problem) ||
            !place_request(trace, &made, &call, problem))
            report_line(writer, input->path, line, problem);
        else if (!image_writer_add(writer, &call, NULL, line))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static const char *rank_file(const struct trace_input *input, uint32_t rank)
{
    (void)rank;
    return input->path;
}

/* ------------------------------------------------------------- registering */

enum status plugin_register_trace_format(const struct heliograph_trace_format *format)
{
    size_t least = offsetof(struct heliograph_trace_format, next) + sizeof format->next;
    if (!plugin_struct_is_valid("a trace format", format->struct_size, least, format->name, format->doc))
        return STATUS_BAD_INPUT;
    if (!format->probe || !format->open || !format->next) {
        diag_error("trace format %s needs the functions probe, open and next", format->name);
        return STATUS_BAD_INPUT;
    }
    if (trace_format_find(format->name)) {
        diag_error("there is a trace format %s already", format->name);
        return STATUS_BAD_INPUT;
    }
    struct heliograph_trace_format *copy = plugin_copy(format, format->struct_size, sizeof *copy);
    copy->name = mem_text(format->name);
    copy->doc = mem_text(format->doc);
    struct plugin_trace_format *entry = mem_alloc(1, sizeof *entry, "a trace format");
    *entry = (struct plugin_trace_format){.functions = copy,
                                          .format = {.name = copy->name,
                                                     .doc = copy->doc,
                                                     .probe = probe,
                                                     .open = open_trace,
                                                     .load = load_trace,
                                                     .read_rank = read_rank,
                                                     .rank_file = rank_file,
                                                     .close = close_trace,
                                                     .image_flags = IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE}};
    return trace_format_add(&entry->format);
}
