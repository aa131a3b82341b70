#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/cache.h"
#include "output/output.h"
#include "output/stream.h"
#include "output/unfinished.h"
#include "trace/compile.h"
#include "trace/input.h"

static void print_key(const uint64_t key[2], char text[TRACE_KEY_TEXT])
{
    snprintf(text, TRACE_KEY_TEXT, "%016llx%016llx", (unsigned long long)key[0], (unsigned long long)key[1]);
}

void trace_key(const struct program *program, char text[TRACE_KEY_TEXT])
{
    print_key(program->key, text);
}

/* ---------------------------------------------------------------- the cache */

static char *cache_path(const char *folder, const struct trace_input *input)
{
    char key[TRACE_KEY_TEXT];
    print_key(input->key, key);
    return mem_format("%s/%s.v%u.helio", folder, key, IMAGE_VERSION);
}

/* ---------------------------------------------------------------- compiling */

/* STATUS_FAILED: it could not be written, and *error is the errno, which the caller reports. */
static enum status compile_to_descriptor(struct trace_input *input, int descriptor, int *error)
{
    struct stream stream;
    FILE *file = stream_open(&stream, descriptor);
    if (!file) {
        *error = errno;
        return STATUS_FAILED;
    }
    enum status status = trace_compile(input, file, error);
    if (fclose(file) && status == STATUS_OK) {
        *error = stream.error ? stream.error : errno;
        status = STATUS_FAILED;
    }
    return status;
}

/* A file without a name, in memory. STATUS_FAILED, reported. */
static enum status compile_to_memory(struct trace_input *input, int *descriptor)
{
    int error = 0;
    *descriptor = memfd_create("heliograph-trace", MFD_CLOEXEC);
    if (*descriptor < 0) {
        diag_error("no memory file for the compiled trace: %s", strerror(errno));
        return STATUS_FAILED;
    }
    enum status status = compile_to_descriptor(input, *descriptor, &error);
    if (error)
        diag_error("cannot write the compiled trace into memory: %s", strerror(error));
    if (status != STATUS_OK)
        close(*descriptor);
    return status;
}

static enum status map_own(int descriptor, const struct trace_input *input, struct compiled_trace **compiled)
{
    const char *fault;
    *compiled = compiled_map(descriptor, input, &fault);
    if (*compiled)
        return STATUS_OK;
    diag_error("%s: the compiled trace cannot be used: %s", input->path, fault);
    return STATUS_FAILED;
}

enum status trace_compile_in_memory(struct trace_input *input, struct compiled_trace **compiled)
{
    int descriptor;
    enum status status = compile_to_memory(input, &descriptor);
    if (status != STATUS_OK)
        return status;
    status = map_own(descriptor, input, compiled);
    close(descriptor);
    return status;
}

/* Other processes see the old file or the new one, never a part; if several write, their contents are equal.
 * A checksum finds what a power cut leaves, so the file is not synced. STATUS_OK: *descriptor is open on the
 * file. STATUS_FAILED: no file is left, and *error is the errno. */
static enum status compile_into_cache(struct trace_input *input, const char *path, int *descriptor,
                                      int *error)
{
    struct unfinished *unfinished = unfinished_file(path);
    if (!unfinished) {
        *error = errno;
        return STATUS_FAILED;
    }
    enum status status = compile_to_descriptor(input, unfinished_descriptor(unfinished), error);
    *descriptor = status == STATUS_OK ? fcntl(unfinished_descriptor(unfinished), F_DUPFD_CLOEXEC, 0) : -1;
    if (*descriptor >= 0 && unfinished_publish(unfinished, path, UNFINISHED_NO_SYNC))
        return STATUS_OK;
    if (status == STATUS_OK)
        *error = errno;
    if (*descriptor >= 0)
        close(*descriptor);
    else
        unfinished_discard(unfinished);
    return status == STATUS_OK ? STATUS_FAILED : status;
}

/* ------------------------------------------------------------------ opening */

/* NULL: the cache has no undamaged compiled trace with these contents. */
static struct compiled_trace *open_cached(const char *path, const struct trace_input *input)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would block */
    if (descriptor < 0)
        return NULL;
    const char *fault;
    struct compiled_trace *compiled = compiled_map(descriptor, input, &fault);
    close(descriptor);
    if (compiled && memcmp(compiled->header->key, input->key, sizeof input->key) != 0) {
        compiled->program.ops->close(&compiled->program);
        compiled = NULL;
        fault = "it is of another trace";
    }
    if (!compiled)
        diag_note("%s: not used, since %s; compiled anew", path, fault);
    return compiled;
}

static enum status fill_cache(struct trace_input *input, char *folder, const char *path,
                              struct compiled_trace **compiled)
{
    int descriptor, error = 0;
    enum status status = STATUS_FAILED;
    if (cache_folder_make(folder))
        status = compile_into_cache(input, path, &descriptor, &error);
    else
        error = errno;
    if (error) {
        diag_warning("cannot write to %s: %s; the compiled trace is not kept", folder, strerror(error));
        return trace_compile_in_memory(input, compiled);
    }
    if (status != STATUS_OK)
        return status;
    status = map_own(descriptor, input, compiled);
    close(descriptor);
    return status;
}

static enum status open_source(struct trace_input *input, struct compiled_trace **compiled)
{
    char *folder = cache_folder();
    if (!folder) {
        diag_warning("neither XDG_CACHE_HOME nor HOME is set: the compiled trace is not kept");
        return trace_compile_in_memory(input, compiled);
    }
    char *path = cache_path(folder, input);
    *compiled = open_cached(path, input);
    enum status status = *compiled ? STATUS_OK : fill_cache(input, folder, path, compiled);
    free(path);
    free(folder);
    return status;
}

static enum status open_image(const struct trace_input *input, struct compiled_trace **compiled)
{
    int descriptor = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        diag_error("cannot read %s: %s", input->path, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    const char *fault;
    *compiled = compiled_copy(descriptor, input, &fault);
    close(descriptor);
    if (*compiled)
        return STATUS_OK;
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = input->path},
        "this compiled trace cannot be used: %s; make it anew with `helio trace convert --to compiled`",
        fault);
    return STATUS_BAD_INPUT;
}

/* A compiled trace has calls. */
static enum status refuse_graph(const struct trace_input *input)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = input->path},
                "its ranks execute graphs of operations; TI text, compiled traces, and what `helio trace` "
                "cuts, filters, merges, repeats and extrapolates have sequences of calls");
    return STATUS_BAD_INPUT;
}

static enum status open_compiled(struct trace_input *input, struct compiled_trace **compiled)
{
    struct compiled_trace *opened;
    enum status status = input->format->open ? open_source(input, &opened) : open_image(input, &opened);
    if (status == STATUS_OK)
        *compiled = opened;
    return status;
}

enum status trace_open_compiled(const char *path, struct compiled_trace **compiled)
{
    struct trace_input input;
    enum status status = trace_input_open(&input, path);
    if (status != STATUS_OK)
        return status;
    status = input.format->open_program ? refuse_graph(&input) : open_compiled(&input, compiled);
    trace_input_close(&input);
    return status;
}

static enum status open_calls(struct trace_input *input, struct program **program)
{
    struct compiled_trace *compiled;
    enum status status = open_compiled(input, &compiled);
    if (status == STATUS_OK) {
        compiled_report_notes(compiled, NOTES_ALL);
        *program = &compiled->program;
    }
    return status;
}

enum status trace_open_either(const char *path, struct compiled_trace **compiled, struct program **graph)
{
    struct trace_input input;
    enum status status = trace_input_open(&input, path);
    *compiled = NULL;
    *graph = NULL;
    if (status != STATUS_OK)
        return status;
    status = input.format->open_program ? input.format->open_program(&input, graph)
                                        : open_compiled(&input, compiled);
    trace_input_close(&input);
    return status;
}

enum status trace_open(const char *path, struct program **program)
{
    struct trace_input input;
    enum status status = trace_input_open(&input, path);
    if (status != STATUS_OK)
        return status;
    status = input.format->open_program ? input.format->open_program(&input, program)
                                        : open_calls(&input, program);
    trace_input_close(&input);
    return status;
}

/* A pipe cannot be written out of order, so the trace is compiled in memory first. */
static enum status compile_through_memory(struct trace_input *input, FILE *out)
{
    int descriptor;
    char bytes[64 * 1024];
    ssize_t got = 0;
    enum status status = compile_to_memory(input, &descriptor);
    if (status != STATUS_OK)
        return status;
    for (off_t at = 0; (got = pread(descriptor, bytes, sizeof bytes, at)) > 0; at += got)
        fwrite(bytes, 1, (size_t)got, out);
    if (got < 0)
        diag_error("cannot read the compiled trace from memory: %s", strerror(errno));
    close(descriptor);
    return got < 0 ? STATUS_FAILED : STATUS_OK;
}

static enum status compile_to_file(struct trace_input *input, const char *file)
{
    struct output output;
    int error = 0;
    enum status status = output_open(&output, file);
    if (status != STATUS_OK)
        return status;
    if (output_can_seek(&output))
        status = trace_compile(input, output.file, &error);
    else
        status = compile_through_memory(input, output.file);
    if (error)
        diag_error("cannot write %s: %s", file, strerror(error));
    return output_close(&output, status);
}

enum status trace_compile_to(const char *path, const char *file)
{
    struct trace_input input;
    enum status status = trace_input_open(&input, path);
    if (status != STATUS_OK)
        return status;
    if (input.format->open_program) {
        status = refuse_graph(&input);
    } else if (!input.format->open) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "it is a compiled trace already");
        status = STATUS_BAD_INPUT;
    } else {
        status = compile_to_file(&input, file);
    }
    trace_input_close(&input);
    return status;
}
