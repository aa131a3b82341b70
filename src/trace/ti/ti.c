#include "trace/ti/ti.h"

#include <string.h>

#include "base/diag.h"
#include "base/file_kind.h"
#include "base/mem.h"
#include "trace/image/content.h"
#include "trace/ti/archive.h"
#include "trace/ti/reader.h"
#include "trace/ti/source.h"

struct ti_trace {
    struct ti_source source;
    struct ti_reader reader;
    struct content_hash
        hash; /* of the files while they are read to be compiled; open() has read them for their key */
};

static struct ti_trace *trace_of(const struct trace_input *input)
{
    return input->state;
}

static enum ti_source_kind kind_of(const struct trace_probe *probe)
{
    if (probe->is_folder)
        return TI_FOLDER;
    return file_kind_is_archive(probe->head, probe->head_size) ? TI_ARCHIVE : TI_INDEX;
}

/* An index file is a text of any name, and an archive has to be unpacked to see what is in it. */
static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    (void)probe;
    return TRACE_CLAIM_LAST;
}

static void close_input(struct trace_input *input)
{
    struct ti_trace *trace = trace_of(input);
    uint64_t unused[2];
    if (trace->hash.state)
        content_hash_end(&trace->hash, unused);
    ti_reader_free(&trace->reader);
    ti_source_close(&trace->source);
    free(trace);
    input->state = NULL;
}

static enum status open_input(struct trace_input *input, const struct trace_probe *probe)
{
    const struct file_kind *kind =
        kind_of(probe) == TI_INDEX ? file_kind_of((const char *)probe->head, probe->head_size) : NULL;
    if (kind) {
        file_kind_report(input->path, kind);
        return STATUS_BAD_INPUT;
    }
    struct ti_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    input->state = trace;
    trace->source.kind = kind_of(probe);
    trace->source.path = input->path;
    enum status status = ti_source_open(&trace->source, input->key);
    if (status == STATUS_OK)
        input->ranks = trace->source.files.count;
    else
        close_input(input);
    return status;
}

static enum status load(struct trace_input *input)
{
    struct ti_trace *trace = trace_of(input);
    enum status status = ti_source_unpack(&trace->source);
    input->ranks = trace->source.files.count;
    return status;
}

static enum status begin_hash(struct ti_trace *trace)
{
    if (!ti_source_can_change(&trace->source) || content_hash_begin(&trace->hash))
        return STATUS_OK;
    diag_error("out of memory for a checksum");
    return STATUS_FAILED;
}

static enum status read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct ti_trace *trace = trace_of(input);
    struct ti_text text;
    enum status status = rank ? STATUS_OK : begin_hash(trace);
    if (status == STATUS_OK)
        status = ti_source_read(&trace->source, rank, &text);
    if (status != STATUS_OK)
        return status;
    if (trace->hash.state)
        content_hash_add(&trace->hash, text.bytes, text.size);
    ti_reader_read(&trace->reader, writer, rank, text.bytes, text.size);
    ti_text_free(&text);
    return STATUS_OK;
}

/* Another process may have written to the files since their key was computed. What has been read now must not
 * be kept under that key. */
static enum status check_unchanged(struct trace_input *input)
{
    struct ti_trace *trace = trace_of(input);
    uint64_t key[2];
    if (!trace->hash.state)
        return STATUS_OK;
    content_hash_end(&trace->hash, key);
    if (!memcmp(key, input->key, sizeof key))
        return STATUS_OK;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = input->path},
                "it was changed while it was read; try again when nothing writes to it any more");
    return STATUS_BAD_INPUT;
}

static const char *rank_file(const struct trace_input *input, uint32_t rank)
{
    const struct ti_files *files = &trace_of(input)->source.files;
    return rank < files->count ? files->at[rank].name : NULL;
}

const struct trace_format ti_trace_format = {
    .name = "ti",
    .doc = "a folder of rank-<k>.txt in SimGrid's time-independent format, an index file that names one such "
           "file per rank, or an archive of the folder",
    .probe = probe,
    .open = open_input,
    .load = load,
    .read_rank = read_rank,
    .finish = check_unchanged,
    .rank_file = rank_file,
    .close = close_input,
};

void ti_input_of_texts(struct trace_input *input, const char *path, const char *const *texts,
                       const size_t *sizes, uint32_t ranks)
{
    struct ti_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    trace->source = (struct ti_source){.kind = TI_MEMORY, .path = path};
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct ti_file file = {.name = mem_format("rank-%u.txt", rank + 1),
                               .bytes = mem_alloc(sizes[rank] + 1, 1, "the text of a rank"),
                               .size = sizes[rank]};
        memcpy(file.bytes, texts[rank], sizes[rank]);
        ti_files_add(&trace->source.files, file);
    }
    *input = (struct trace_input){
        .format = &ti_trace_format, .path = path, .name = mem_text(path), .ranks = ranks, .state = trace};
}
