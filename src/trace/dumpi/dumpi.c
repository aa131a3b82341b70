#include "trace/dumpi/dumpi.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "trace/dumpi/meta.h"
#include "trace/dumpi/reader.h"
#include "trace/image/content.h"

struct dumpi_trace {
    struct dumpi_meta meta;
    struct dumpi_rank {
        char *path;
        const char *bytes; /* in memory; NULL: in the file */
        uint64_t size;
        int64_t changed_ns;
    } * ranks;
    uint32_t count;
    struct dumpi_comms comms;
    struct dumpi_reader reader;
};

static struct dumpi_trace *trace_of(const struct trace_input *input)
{
    return input->state;
}

static bool has_line(const struct trace_probe *probe, const char *key)
{
    return memmem(probe->head, probe->head_size, key, strlen(key)) != NULL;
}

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    if (probe->is_folder)
        return dumpi_meta_count(probe->path) ? TRACE_CLAIM_LIKELY : TRACE_CLAIM_NONE;
    return has_line(probe, "numprocs=") && has_line(probe, "fileprefix=") ? TRACE_CLAIM_CERTAIN
                                                                          : TRACE_CLAIM_NONE;
}

static void close_input(struct trace_input *input)
{
    struct dumpi_trace *trace = trace_of(input);
    for (uint32_t rank = 0; rank < trace->count; rank++)
        free(trace->ranks[rank].path);
    free(trace->ranks);
    dumpi_meta_close(&trace->meta);
    dumpi_reader_free(&trace->reader);
    dumpi_comms_free(&trace->comms);
    free(trace);
    input->state = NULL;
}

static struct dumpi_trace *new_trace(struct trace_input *input, uint32_t ranks)
{
    struct dumpi_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    input->state = trace;
    input->ranks = trace->count = ranks;
    trace->ranks = mem_alloc(ranks, sizeof *trace->ranks, "the ranks of a trace");
    dumpi_comms_init(&trace->comms, ranks);
    dumpi_reader_init(&trace->reader, &trace->comms);
    return trace;
}

/* ------------------------------------------------------------------ opening */

static const char version[] = "dumpi 1"; /* of what this reader makes of a trace: part of the key */

/* Each file is read once, for its contents' hash. */
static enum status find_key(struct dumpi_trace *trace, uint64_t key[2])
{
    struct content_hash hash;
    enum status status = content_hash_begin(&hash) ? STATUS_OK : STATUS_FAILED;
    if (status == STATUS_OK)
        content_hash_add(&hash, version, sizeof version);
    else
        diag_error("out of memory for a checksum");
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->count; rank++) {
        struct dumpi_file file;
        uint64_t file_key[2];
        trace->ranks[rank].path = dumpi_meta_file(&trace->meta, rank);
        status = dumpi_file_open(&file, trace->ranks[rank].path, NULL, 0, file_key);
        if (status != STATUS_OK)
            break;
        content_hash_add(&hash, (const char *)file_key, sizeof file_key);
        trace->ranks[rank].size = file.window.size;
        trace->ranks[rank].changed_ns = file.changed_ns;
        dumpi_file_close(&file);
    }
    content_hash_end(&hash, key);
    return status;
}

static enum status open_input(struct trace_input *input, const struct trace_probe *probe)
{
    struct dumpi_meta meta;
    enum status status = dumpi_meta_open(&meta, input->path, probe->is_folder);
    if (status != STATUS_OK)
        return status;
    struct dumpi_trace *trace = new_trace(input, meta.ranks);
    trace->meta = meta;
    status = find_key(trace, input->key);
    if (status != STATUS_OK)
        close_input(input);
    return status;
}

/* Opens a rank's file again. It must be as it was. */
static enum status open_rank(const struct dumpi_trace *trace, uint32_t rank, struct dumpi_file *file)
{
    const struct dumpi_rank *about = &trace->ranks[rank];
    enum status status = dumpi_file_open(file, about->path, about->bytes, about->size, NULL);
    if (status != STATUS_OK || (file->window.size == about->size && file->changed_ns == about->changed_ns))
        return status;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = about->path},
                "it was changed while it was read; try again when nothing writes to it any more");
    dumpi_file_close(file);
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------ communicators */

/* How many calls that make communicators the rank has. UINT64_MAX: the file does not say. */
static uint64_t count_makers(struct dumpi_file *file)
{
    uint32_t calls[DUMPI_FUNCTIONS];
    uint64_t makers = 0;
    if (!dumpi_file_calls(file, calls, DUMPI_FUNCTIONS))
        return UINT64_MAX;
    for (unsigned function = 0; function < DUMPI_FUNCTIONS; function++)
        if (dumpi_use_of(function) == DUMPI_USE_COMM)
            makers += calls[function];
    return makers;
}

/* Collects the calls that make groups and communicators, up to the last. */
static enum status scan_rank(struct dumpi_trace *trace, uint32_t rank)
{
    struct dumpi_file file;
    struct dumpi_record record = {.at = 0};
    const char *fault = NULL;
    enum status status = open_rank(trace, rank, &file);
    if (status != STATUS_OK)
        return status;
    trace->comms.makers[rank].file = trace->ranks[rank].path;
    enum dumpi_next next = DUMPI_NEXT_RECORD;
    for (uint64_t left = count_makers(&file); left && next == DUMPI_NEXT_RECORD;) {
        next = dumpi_next(&file, &record, &fault);
        if (next != DUMPI_NEXT_RECORD)
            break;
        enum dumpi_use use = dumpi_use_of(record.function);
        if (use == DUMPI_USE_COMM || use == DUMPI_USE_GROUP || use == DUMPI_USE_FREE)
            dumpi_comms_add(&trace->comms, rank, &record);
        left -= use == DUMPI_USE_COMM && left != UINT64_MAX;
    }
    if (next == DUMPI_NEXT_BAD)
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = trace->ranks[rank].path, .line = record.at | DIAG_BYTE},
                    "%s", fault);
    dumpi_file_close(&file);
    return next == DUMPI_NEXT_BAD || next == DUMPI_NEXT_REPORTED ? STATUS_BAD_INPUT : STATUS_OK;
}

static enum status load(struct trace_input *input)
{
    struct dumpi_trace *trace = trace_of(input);
    enum status status = STATUS_OK;
    progress_begin("finding communicators", trace->count);
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->count; rank++) {
        progress_tell(rank);
        status = scan_rank(trace, rank);
    }
    progress_end();
    return status == STATUS_OK ? dumpi_comms_follow(&trace->comms) : status;
}

/* ------------------------------------------------------------------ reading */

static enum status read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct dumpi_trace *trace = trace_of(input);
    struct dumpi_file file;
    enum status status = open_rank(trace, rank, &file);
    if (status != STATUS_OK)
        return status;
    if (rank == 0)
        dumpi_comms_define(&trace->comms, &writer->comms);
    status = dumpi_reader_read(&trace->reader, &file, writer, rank);
    if (status == STATUS_OK && rank + 1 == trace->count)
        dumpi_reader_note_unused(&trace->reader, writer);
    dumpi_file_close(&file);
    return status;
}

static const char *rank_file(const struct trace_input *input, uint32_t rank)
{
    const struct dumpi_trace *trace = trace_of(input);
    return rank < trace->count ? trace->ranks[rank].path : NULL;
}

const struct trace_format dumpi_trace_format = {
    .name = "dumpi",
    .doc = "the file .meta of a DUMPI trace of sst-dumpi, or a folder that holds one",
    .probe = probe,
    .open = open_input,
    .load = load,
    .read_rank = read_rank,
    .rank_file = rank_file,
    .close = close_input,
    .image_flags = IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE,
};

void dumpi_input_of_bytes(struct trace_input *input, const char *path, const char *const *bytes,
                          const size_t *sizes, uint32_t ranks)
{
    *input = (struct trace_input){.format = &dumpi_trace_format, .path = path, .name = mem_text(path)};
    struct dumpi_trace *trace = new_trace(input, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        trace->ranks[rank].path = mem_format("%s-%04u.bin", path, rank);
        trace->ranks[rank].bytes = bytes[rank];
        trace->ranks[rank].size = sizes[rank];
    }
}
