#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/capture.h"
#include "output/output.h"
#include "trace/edit/interval.h"
#include "trace/input.h"
#include "trace/ti/decompile.h"
#include "trace/ti/packed.h"
#include "trace/trace.h"

static enum status replace_file(const char *path, const char *text, size_t size)
{
    struct output output;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    fwrite(text, 1, size, output.file); /* output_close reports what fails */
    return output_close(&output, STATUS_OK);
}

static enum status replace_ranks(struct compiled_trace *result, const char *folder)
{
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < result->program.ranks; rank++) {
        size_t size;
        char *text = decompile_rank(result, rank, &size);
        char *path = mem_format("%s/rank-%" PRIu32 ".txt", folder, rank + 1);
        char *packed = mem_format("%s" TI_PACKED_ENDING, path);
        if (!text)
            status = STATUS_FAILED;
        else
            status = access(packed, F_OK) == 0 ? ti_packed_write(packed, text, size)
                                               : replace_file(path, text, size);
        free(packed);
        free(path);
        free(text);
    }
    return status;
}

static enum status make(const struct compiled_trace *source, const char *folder, uint64_t *lines)
{
    struct compiled_trace *result;
    struct interval_cut cut;
    enum status status = interval_make(source, folder, &result, &cut);
    if (status != STATUS_OK)
        return STATUS_FAILED;
    status = replace_ranks(result, folder);
    if (status == STATUS_OK)
        diag_note("%s: %" PRIu64 " of %" PRIu64
                  " recorded lines, from a place of the program that all ranks have "
                  "to another, with %" PRIu64 " collectives of all ranks",
                  folder, cut.kept, cut.lines, cut.collectives);
    *lines = result->header->lines;
    result->program.ops->close(&result->program);
    return status;
}

/* A time that the run has not reached, as a rule. */
static enum status refuse_empty(const struct capture_command *capture)
{
    char *took = capture->took_s > 0 ? mem_format(": the run took %.3g s", capture->took_s) : mem_text("");
    diag_error("%s: no rank made a call in the part of the run that is recorded%s%s%s%s%s", capture->folder,
               capture->from ? ", from " : "", capture->from ? capture->from : "", capture->to ? " to " : "",
               capture->to ? capture->to : "", took);
    free(took);
    return STATUS_FAILED;
}

enum status capture_cut_parts(const struct capture_command *capture, uint64_t *lines)
{
    struct trace_input input;
    struct compiled_trace *source;
    enum status status = trace_input_open(&input, capture->folder);
    if (status != STATUS_OK)
        return STATUS_FAILED;
    status = trace_compile_in_memory(&input, &source);
    if (status == STATUS_OK) {
        status = interval_is_in(source) ? make(source, capture->folder, lines) : refuse_empty(capture);
        source->program.ops->close(&source->program);
    }
    trace_input_close(&input);
    return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
