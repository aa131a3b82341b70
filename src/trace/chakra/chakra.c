#include "trace/chakra/chakra.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/content.h"
#include "trace/image/format.h"

/* ------------------------------------------------------------------ program */

static struct chakra_program *chakra_of(const struct program *program)
{
    return (struct chakra_program *)(uintptr_t)program;
}

static struct call_place place_of_operation(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct chakra_program *chakra = chakra_of(program);
    return (struct call_place){.file = chakra->files[rank].path,
                               .line = chakra->at[chakra->graph.ranks[rank].first + operation] | DIAG_BYTE};
}

static const char *label_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    static _Thread_local char label[40];
    const struct chakra_program *chakra = chakra_of(program);
    snprintf(label, sizeof label, "node %llu",
             (unsigned long long)chakra->ids[chakra->graph.ranks[rank].first + operation]);
    return label;
}

static struct call_place place(const struct program *program, uint32_t rank)
{
    return (struct call_place){.file = chakra_of(program)->files[rank].path};
}

static void close_program(struct program *program)
{
    struct chakra_program *chakra = chakra_of(program);
    for (size_t i = 0; i < chakra->file_count; i++)
        free(chakra->files[i].path);
    free(chakra->files);
    free(chakra->name);
    free(chakra->calls);
    free(chakra->call_names);
    free(chakra->call_ranks);
    free(chakra->site_of);
    free(chakra->site_names);
    sites_free(&chakra->names);
    free(chakra->ids);
    free(chakra->at);
    chakra_groups_free(&chakra->groups);
    graph_builder_free(&chakra->builder);
    free(chakra);
}

static const struct program_ops ops = {.next = graph_program_next,
                                       .slots = graph_program_slots,
                                       .place = place,
                                       .rewind = graph_program_rewind,
                                       .read = graph_program_read,
                                       .close = close_program};

static enum status finish(struct chakra_program *chakra)
{
    enum status status = chakra_make_groups(chakra);
    chakra->graph = graph_builder_finish(&chakra->builder);
    chakra->graph.calls = chakra->call_count ? chakra->calls : NULL;
    chakra->graph.place = place_of_operation;
    chakra->graph.label = label_of;
    chakra->program.ops = &ops;
    chakra->program.graph = &chakra->graph;
    chakra_use_sites(chakra);
    chakra->program.total_calls = chakra->graph.operations;
    chakra->program.bytes_mapped = graph_builder_bytes(&chakra->builder) +
                                   (chakra->id_capacity + chakra->at_capacity) * sizeof(uint64_t) +
                                   chakra->site_capacity * sizeof *chakra->site_of +
                                   chakra->call_capacity * sizeof *chakra->calls;
    if (chakra->left_out)
        diag_warning("%llu nodes of memory or metadata have no duration, and take no time",
                     (unsigned long long)chakra->left_out);
    return status;
}

/* -------------------------------------------------------------------- files */

/* "NAME.RANK.et": where the number begins. NULL: another name. */
static const char *number_in(const char *name, size_t *stem)
{
    size_t length = strlen(name), end = length - 3, begin = end;
    if (length < 5 || strcmp(name + end, ".et") != 0)
        return NULL;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
        begin--;
    if (begin == end || begin == 0 || name[begin - 1] != '.' || end - begin > 9)
        return NULL;
    *stem = begin;
    return name + begin;
}

static void add_file(struct chakra_program *chakra, const char *folder, const char *name, uint32_t rank)
{
    chakra->files =
        mem_grow(chakra->files, &chakra->file_capacity, chakra->file_count + 1, "files of a trace");
    chakra->files[chakra->file_count++] =
        (struct chakra_file){.path = mem_format("%s%s", folder, name), .rank = rank};
}

static int compare_files(const void *a, const void *b)
{
    const struct chakra_file *left = a, *right = b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* The next name in a folder; NULL: there is none, or errno says why. */
static const char *next_name(DIR *stream)
{
    errno = 0;
    const struct dirent *entry = readdir(stream);
    return entry ? entry->d_name : NULL;
}

/* The files of the folder whose names begin with these `stem` bytes; 0: those of the first file found. */
static enum status list_files(struct chakra_program *chakra, const char *folder, const char *first,
                              size_t stem)
{
    DIR *stream = opendir(*folder ? folder : ".");
    char *begins = stem ? mem_format("%.*s", (int)stem, first) : NULL;
    const char *other = NULL, *name;
    if (!stream) {
        free(begins);
        return content_cannot_read(folder);
    }
    while ((name = next_name(stream))) {
        size_t found;
        const char *number = number_in(name, &found);
        if (!number)
            continue;
        if (!begins)
            begins = mem_format("%.*s", (int)found, name);
        if (strlen(begins) == found && strncmp(name, begins, found) == 0)
            add_file(chakra, folder, name, (uint32_t)strtoul(number, NULL, 10));
        else if (!stem)
            other = "it has the files of several traces; name one file of the trace that is meant";
    }
    const enum status status = errno ? content_cannot_read(folder) : STATUS_OK;
    closedir(stream);
    free(begins);
    if (status != STATUS_OK)
        return status;
    if (!other && !chakra->file_count) /* it had some when its form was found out */
        other = "it has no files NAME.NUMBER.et";
    if (!other)
        return STATUS_OK;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = folder}, "%s", other);
    return STATUS_BAD_INPUT;
}

static enum status check_files(struct chakra_program *chakra, const char *path)
{
    if (chakra->file_count)
        qsort(chakra->files, chakra->file_count, sizeof *chakra->files, compare_files);
    for (size_t i = 0; i < chakra->file_count; i++) {
        if (chakra->files[i].rank == i)
            continue;
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                    "NPU %zu has no file: NPUs are numbered from 0, and each has a file NAME.NUMBER.et", i);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status find_files(struct chakra_program *chakra, const struct trace_input *input)
{
    size_t length = strlen(input->path), stem = 0;
    const char *name = strrchr(input->path, '/');
    enum status status;
    name = name ? name + 1 : input->path;
    bool is_file = number_in(name, &stem) != NULL;
    char *folder = is_file ? mem_format("%.*s", (int)(name - input->path), input->path)
                           : mem_format("%s%s", input->path, input->path[length - 1] == '/' ? "" : "/");
    if (!is_file && length > 3 && strcmp(input->path + length - 3, ".et") == 0) {
        add_file(chakra, "", input->path, 0); /* a file of one NPU */
        status = STATUS_OK;
    } else {
        status = list_files(chakra, folder, name, stem);
    }
    free(folder);
    return status == STATUS_OK ? check_files(chakra, input->path) : status;
}

/* ------------------------------------------------------------------ opening */

static enum status read_files(struct chakra_program *chakra)
{
    struct content_hash hash;
    enum status status = STATUS_OK;
    bool hashes = content_hash_begin(&hash);
    content_hash_add(&hash, "chakra 1", 8);
    for (uint32_t rank = 0; status == STATUS_OK && rank < chakra->program.ranks; rank++) {
        char *bytes;
        size_t size;
        status = content_load(chakra->files[rank].path, &bytes, &size);
        if (status != STATUS_OK)
            break;
        content_hash_add(&hash, bytes, size);
        status = chakra_read_rank(chakra, rank, chakra->files[rank].path, (const uint8_t *)bytes, size);
        free(bytes);
    }
    content_hash_end(&hash, chakra->program.key);
    if (hashes)
        return status;
    diag_error("out of memory for a checksum");
    return STATUS_FAILED;
}

static enum status open_program(struct trace_input *input, struct program **program)
{
    struct chakra_program *chakra = mem_alloc(1, sizeof *chakra, "a Chakra trace");
    enum status status = find_files(chakra, input);
    chakra->program.ranks = (uint32_t)chakra->file_count;
    if (status == STATUS_OK)
        status = read_files(chakra);
    if (status == STATUS_OK)
        status = finish(chakra);
    if (status != STATUS_OK) {
        close_program(&chakra->program);
        return status;
    }
    chakra->name = mem_text(input->name);
    chakra->program.name = chakra->name;
    *program = &chakra->program;
    return STATUS_OK;
}

enum status chakra_open_bytes(const char *const *paths, const uint8_t *const *bytes, const size_t *sizes,
                              uint32_t ranks, struct program **program)
{
    struct chakra_program *chakra = mem_alloc(1, sizeof *chakra, "a Chakra trace");
    enum status status = STATUS_OK;
    chakra->program.ranks = ranks;
    chakra->name = mem_text("chakra");
    chakra->program.name = chakra->name;
    for (uint32_t i = 0; i < ranks; i++)
        add_file(chakra, "", paths[i], i);
    for (uint32_t i = 0; status == STATUS_OK && i < ranks; i++)
        status = chakra_read_rank(chakra, i, paths[i], bytes[i], sizes[i]);
    if (status == STATUS_OK)
        status = finish(chakra);
    if (status == STATUS_OK)
        *program = &chakra->program;
    else
        close_program(&chakra->program);
    return status;
}

/* ------------------------------------------------------------------- format */

static bool folder_has_traces(const char *path)
{
    DIR *stream = opendir(path);
    size_t stem;
    bool found = false;
    if (!stream)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(stream));)
        found = number_in(entry->d_name, &stem) != NULL;
    closedir(stream);
    return found;
}

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    size_t length = strlen(probe->path);
    (void)format;
    if (probe->is_folder)
        return folder_has_traces(probe->path) ? TRACE_CLAIM_LIKELY : TRACE_CLAIM_NONE;
    return length > 3 && strcmp(probe->path + length - 3, ".et") == 0 ? TRACE_CLAIM_LIKELY : TRACE_CLAIM_NONE;
}

const struct trace_format chakra_trace_format = {
    .name = "chakra",
    .doc = "a folder of Chakra execution traces, NAME.NUMBER.et, or one of these files",
    .probe = probe,
    .open_program = open_program,
};
