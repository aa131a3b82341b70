#include "trace/edit/edit.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/output.h"
#include "trace/check/check.h"
#include "trace/image/content.h"
#include "trace/image/format.h"
#include "trace/output_name.h"
#include "trace/ti/decompile.h"
#include "trace/ti/reader.h"
#include "trace/ti/write.h"
#include "trace/trace.h"

/* ------------------------------------------------------- reading the texts */

struct edit_state {
    const struct edit *edit;
    struct ti_reader reader;
    struct content_hash hash; /* of all texts: the key of the same trace as a folder of text */
    char *file;               /* the name of a rank's file */
};

static enum status read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct edit_state *state = input->state;
    char *text = NULL;
    size_t size = 0;
    enum status status = state->edit->rank_text(state->edit->self, rank, &text, &size);
    if (status == STATUS_OK) {
        content_hash_add(&state->hash, text, size);
        ti_reader_read(&state->reader, writer, rank, text, size);
    }
    free(text);
    return status;
}

static enum status finish(struct trace_input *input)
{
    struct edit_state *state = input->state;
    content_hash_end(&state->hash, input->key);
    state->hash.state = NULL;
    return STATUS_OK;
}

static const char *rank_file(const struct trace_input *input, uint32_t rank)
{
    struct edit_state *state = input->state;
    char name[RANK_FILE_NAME];
    free(state->file);
    state->file = mem_format("%s/%s", input->name, rank_file_name(rank, name));
    return state->file;
}

static const struct trace_format texts = {
    .name = "edit", .read_rank = read_rank, .finish = finish, .rank_file = rank_file};

static char *without_ending(const char *path)
{
    static const char *const endings[] = {".tar.zst", ".helio"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (output_name_ends_in(path, endings[i]))
            return mem_format("%.*s", (int)(length - strlen(endings[i])), path);
    return mem_text(path);
}

static enum status compile(const struct edit *edit, const char *out, struct compiled_trace **result)
{
    struct edit_state state = {.edit = edit};
    struct trace_input input = {
        .format = &texts, .path = out, .ranks = edit->ranks, .is_loaded = true, .state = &state};
    enum status status = STATUS_FAILED;
    uint64_t unused[2];
    input.name = without_ending(out);
    if (content_hash_begin(&state.hash))
        status = trace_compile_in_memory(&input, result);
    else
        diag_error("out of memory for a checksum");
    if (state.hash.state)
        content_hash_end(&state.hash, unused);
    ti_reader_free(&state.reader);
    free(state.file);
    free(input.name);
    return status;
}

/* ----------------------------------------------------------------- checking */

enum status edit_make(const struct edit *edit, const char *out, struct compiled_trace **result)
{
    struct trace_check check;
    if (!output_name_fits(out, OUTPUT_NAME_ARCHIVE | OUTPUT_NAME_COMPILED, "a folder"))
        return STATUS_BAD_INPUT;
    enum status status = compile(edit, out, result);
    if (status == STATUS_BAD_INPUT)
        diag_note("%s is not written", out);
    if (status != STATUS_OK || check_trace(*result, &check))
        return status;
    diag_error("%s is not written: it would not be a valid program", out);
    (*result)->program.ops->close(&(*result)->program);
    *result = NULL;
    return STATUS_BAD_INPUT;
}

enum status edit_check_source(const struct compiled_trace *source)
{
    struct trace_check check;
    if (check_trace(source, &check))
        return STATUS_OK;
    diag_error("%s is not a valid program (helio trace validate), so nothing is made from it",
               source->program.name);
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------ writing */

static enum status write_image(const struct compiled_trace *result, const char *out)
{
    struct output output;
    enum status status = output_open(&output, out);
    if (status != STATUS_OK)
        return status;
    fwrite(result->image, 1, result->image_bytes, output.file); /* output_close reports what fails */
    return output_close(&output, STATUS_OK);
}

enum status edit_put(struct compiled_trace *result, const char *out)
{
    return output_name_ends_in(out, ".helio") ? write_image(result, out) : decompile_write(result, out);
}
