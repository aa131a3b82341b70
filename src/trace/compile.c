#include "trace/compile.h"

#include "base/diag.h"
#include "base/progress.h"

static enum status load(struct trace_input *input)
{
    enum status status = input->format->load && !input->is_loaded ? input->format->load(input) : STATUS_OK;
    input->is_loaded = true;
    if (status != STATUS_OK || (input->ranks && input->ranks <= TRACE_MOST_RANKS))
        return status;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = input->path}, "%u ranks; a trace has 1 to %d",
                input->ranks, TRACE_MOST_RANKS);
    return STATUS_BAD_INPUT;
}

static enum status read_ranks(struct trace_input *input, struct image_writer *writer)
{
    enum status status = STATUS_OK;
    progress_begin("compiling the trace", (uint64_t)input->ranks * TRACE_RANK_PARTS);
    for (uint32_t rank = 0; status == STATUS_OK && rank < input->ranks; rank++) {
        progress_tell((uint64_t)rank * TRACE_RANK_PARTS);
        const char *file = input->format->rank_file(input, rank);
        image_writer_begin_rank(writer, rank, file ? file : input->path);
        status = input->format->read_rank(input, rank, writer);
        image_writer_end_rank(writer);
        if (image_writer_is_done(writer)) {
            diag_error("%s: %d errors are enough; stopped reading", input->path, TRACE_MOST_ERRORS);
            break;
        }
    }
    progress_end();
    if (status == STATUS_OK && writer->errors)
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK && input->format->finish)
        status = input->format->finish(input);
    return status;
}

enum status trace_compile(struct trace_input *input, FILE *out, int *error)
{
    struct image_writer writer;
    enum status status = load(input);
    if (status != STATUS_OK)
        return status;
    image_writer_init(&writer, out, input->ranks, input->format->image_flags);
    status = read_ranks(input, &writer);
    if (status == STATUS_OK) {
        int failure = image_writer_finish(&writer, input->key);
        if (failure) {
            *error = failure;
            status = STATUS_FAILED;
        }
    }
    image_writer_free(&writer);
    return status;
}
