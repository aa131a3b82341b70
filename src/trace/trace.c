#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/diag.h"
#include "base/mem.h"
#include "trace/compile.h"
#include "trace/input.h"

static void print_key(const uint64_t key[2], char text[TRACE_KEY_TEXT])
{
    snprintf(text, TRACE_KEY_TEXT, "%016llx%016llx", (unsigned long long)key[0], (unsigned long long)key[1]);
}

void trace_key(const struct program *program, char text[TRACE_KEY_TEXT])
{
    print_key(((const struct compiled_trace *)program)->header->key, text);
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
    int copy = dup(descriptor);
    FILE *file = copy >= 0 ? fdopen(copy, "wb") : NULL;
    if (!file) {
        *error = errno;
        if (copy >= 0)
            close(copy);
        return STATUS_FAILED;
    }
    enum status status = trace_compile(input, file, error);
    if (fclose(file) && status == STATUS_OK) {
        *error = errno;
        status = STATUS_FAILED;
    }
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

static enum status compile_in_memory(struct trace_input *input, struct compiled_trace **compiled)
{
    int error = 0;
    int descriptor = memfd_create("heliograph-trace", MFD_CLOEXEC);
    if (descriptor < 0) {
        diag_error("no memory file for the compiled trace: %s", strerror(errno));
        return STATUS_FAILED;
    }
    enum status status = compile_to_descriptor(input, descriptor, &error);
    if (status == STATUS_OK)
        status = map_own(descriptor, input, compiled);
    else if (error)
        diag_error("cannot write the compiled trace into memory: %s", strerror(error));
    close(descriptor);
    return status;
}

/* Writes a temporary file beside `path` and renames it when it is complete. Other processes see the old file
 * or the new one, never a part; if several write, their contents are equal. STATUS_OK: *descriptor is open on
 * the file. STATUS_FAILED: no file is left, and *error is the errno. */
static enum status compile_into(struct trace_input *input, const char *path, int *descriptor, int *error)
{
    char *temporary = mem_format("%s.XXXXXX", path);
    enum status status = STATUS_FAILED;
    *descriptor = mkostemp(temporary, O_CLOEXEC);
    if (*descriptor < 0) {
        *error = errno;
        free(temporary);
        return status;
    }
    mode_t mask = umask(0);
    umask(mask);
    status = compile_to_descriptor(input, *descriptor, error);
    if (status == STATUS_OK && (fchmod(*descriptor, 0666 & ~mask) || rename(temporary, path))) {
        *error = errno;
        status = STATUS_FAILED;
    }
    if (status != STATUS_OK) {
        unlink(temporary);
        close(*descriptor);
    }
    free(temporary);
    return status;
}

/* ------------------------------------------------------------------ opening */

/* NULL: the cache has no undamaged compiled trace with these contents. */
static struct compiled_trace *open_cached(const char *path, const struct trace_input *input)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
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
        status = compile_into(input, path, &descriptor, &error);
    else
        error = errno;
    if (error) {
        diag_warning("cannot write to %s: %s; the compiled trace is not kept", folder, strerror(error));
        return compile_in_memory(input, compiled);
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
        return compile_in_memory(input, compiled);
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
    int descriptor = open(input->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        diag_error("cannot read %s: %s", input->path, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    const char *fault;
    *compiled = compiled_map(descriptor, input, &fault);
    close(descriptor);
    if (*compiled)
        return STATUS_OK;
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = input->path},
        "this compiled trace cannot be used: %s; make it anew with `helio trace convert --to compiled`",
        fault);
    return STATUS_BAD_INPUT;
}

enum status trace_open_compiled(const char *path, struct compiled_trace **compiled)
{
    struct trace_input input;
    struct compiled_trace *opened;
    enum status status = trace_input_open(&input, path);
    if (status != STATUS_OK)
        return status;
    status = input.format->open ? open_source(&input, &opened) : open_image(&input, &opened);
    trace_input_close(&input);
    if (status == STATUS_OK)
        *compiled = opened;
    return status;
}

enum status trace_open(const char *path, struct program **program)
{
    struct compiled_trace *compiled;
    enum status status = trace_open_compiled(path, &compiled);
    if (status == STATUS_OK) {
        compiled_report_notes(compiled, NOTES_ALL);
        *program = &compiled->program;
    }
    return status;
}

enum status trace_compile_to(const char *path, const char *file)
{
    struct trace_input input;
    enum status status = trace_input_open(&input, path);
    if (status != STATUS_OK)
        return status;
    if (!input.format->open) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "it is a compiled trace already");
        status = STATUS_BAD_INPUT;
    } else {
        int descriptor, error = 0;
        status = compile_into(&input, file, &descriptor, &error);
        if (error)
            diag_error("cannot write %s: %s", file, strerror(error));
        if (status == STATUS_OK)
            close(descriptor);
    }
    trace_input_close(&input);
    return status;
}
