#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/path.h"
#include "base/text_index.h"
#include "output/stream.h"
#include "output/unfinished.h"

struct output_state {
    char *path;                    /* as the user names it, for messages */
    char *target;                  /* where links lead */
    struct unfinished *unfinished; /* NULL: written directly */
    struct stream stream;
};

static enum status cannot_write(const char *path, int error)
{
    diag_error("cannot write %s: %s", path, strerror(error));
    return STATUS_FAILED;
}

/* ------------------------------------------------------------------ target */

/* The path that a link holds, seen from where the link is. NULL, with errno: it cannot be read. */
static char *follow(const char *path)
{
    char to[PATH_MAX];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0)
        return NULL;
    to[length] = '\0';
    const char *slash = strrchr(path, '/');
    return to[0] == '/' || !slash ? mem_text(to) : mem_format("%.*s/%s", (int)(slash - path), path, to);
}

/* Where the links of `path` lead, whether something is there or not. NULL, with errno. */
static char *resolve(const char *path)
{
    enum { LONGEST_CHAIN = 40 };
    struct stat about;
    char *at = mem_text(path);
    for (int links = 0; links < LONGEST_CHAIN; links++) {
        if (lstat(at, &about) != 0 || !S_ISLNK(about.st_mode))
            return at;
        char *next = follow(at);
        free(at);
        if (!next)
            return NULL;
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Whether the path leads through /proc/self/fd, as /dev/stdout does: it names an open file of a process, in
 * which another has its place already. */
static bool names_open_file(const char *path)
{
    char *folder = path_folder(path), *real = realpath(folder, NULL);
    bool is_proc = real && (strncmp(real, "/proc/", 6) == 0 || strcmp(real, "/proc") == 0);
    free(real);
    free(folder);
    if (is_proc)
        return true;
    struct stat about;
    char *next = lstat(path, &about) == 0 && S_ISLNK(about.st_mode) ? follow(path) : NULL;
    bool is_open = next && names_open_file(next);
    free(next);
    return is_open;
}

/* -------------------------------------------------------------------- files */

/* What is opened anew has a place of its own in the file, so that each would overwrite the other. */
static bool is_standard_output(const struct stat *there)
{
    struct stat about;
    return fstat(STDOUT_FILENO, &about) == 0 && about.st_dev == there->st_dev &&
           about.st_ino == there->st_ino;
}

/* A descriptor, or -1 with errno. */
static int open_target(struct output_state *state)
{
    struct stat there;
    bool exists = stat(state->path, &there) == 0;
    if (exists && names_open_file(state->path) && is_standard_output(&there))
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (exists && (!S_ISREG(there.st_mode) || names_open_file(state->path)))
        return open(state->path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    state->target = resolve(state->path);
    state->unfinished = state->target ? unfinished_file(state->target) : NULL;
    if (!state->unfinished)
        return -1;
    int descriptor = unfinished_descriptor(state->unfinished);
    if (exists)
        (void)!fchmod(descriptor, there.st_mode & 07777);
    return descriptor;
}

static void state_free(struct output_state *state)
{
    if (state->unfinished)
        unfinished_discard(state->unfinished);
    else if (state->stream.descriptor >= 0)
        close(state->stream.descriptor);
    free(state->path);
    free(state->target);
    free(state);
}

/* `descriptor` -1: it could not be opened, with errno. Takes `state`. */
static enum status output_start(struct output *output, struct output_state *state, int descriptor)
{
    *output = (struct output){0};
    state->stream.descriptor = descriptor;
    if (descriptor >= 0)
        output->file = stream_open(&state->stream, descriptor);
    if (output->file) {
        output->state = state;
        return STATUS_OK;
    }
    enum status status = cannot_write(state->path, errno);
    state_free(state);
    return status;
}

static struct output_state *state_new(const char *path)
{
    struct output_state *state = mem_alloc(1, sizeof *state, "an output file");
    *state = (struct output_state){.path = mem_text(path), .stream.descriptor = -1};
    return state;
}

/* Reported: users of other programs mean standard output. */
static bool is_dash(const char *path)
{
    if (strcmp(path, "-") != 0)
        return false;
    diag_error("'-' is no file; /dev/stdout is standard output, and ./- a file of that name");
    return true;
}

static struct {
    int count;
    char *const *texts;
} words;

static struct text_index of_params; /* paths, to the end of the process */

static void note_path(const char *path)
{
    text_index_add(&of_params, path);
}

void output_note_words(int count, char *const *texts)
{
    words.count = count;
    words.texts = texts;
    param_hear_paths(note_path);
}

static bool is_same_file(const char *path, const struct stat *there)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_dev == there->st_dev && about.st_ino == there->st_ino;
}

/* A word is a path, or an option with one: --output=PATH. */
static bool is_named_twice(const struct stat *there)
{
    int named = 0;
    for (int i = 1; i < words.count; i++) {
        const char *value = words.texts[i][0] == '-' ? strchr(words.texts[i], '=') : NULL;
        named += is_same_file(value ? value + 1 : words.texts[i], there);
    }
    return named > 1;
}

static bool is_of_param(const struct stat *there)
{
    bool is = false;
    for (size_t i = 0; !is && i < of_params.count; i++)
        is = is_same_file(of_params.texts[i], there);
    return is;
}

static bool is_read(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || names_open_file(path) ||
        (!is_named_twice(&there) && !is_of_param(&there)))
        return false;
    diag_error("%s is read by this command, which would overwrite it; name another file to write", path);
    return true;
}

enum status output_open_changed(struct output *output, const char *path)
{
    *output = (struct output){0};
    if (is_dash(path))
        return STATUS_BAD_INPUT;
    struct output_state *state = state_new(path);
    return output_start(output, state, open_target(state));
}

enum status output_open(struct output *output, const char *path)
{
    *output = (struct output){0};
    return is_read(path) ? STATUS_BAD_INPUT : output_open_changed(output, path);
}

bool output_has_failed(const struct output *output)
{
    return output->state->stream.error;
}

bool output_can_seek(const struct output *output)
{
    return output->state->unfinished;
}

/* A device can fail when it is closed. */
static int close_directly(struct output_state *state)
{
    int descriptor = state->stream.descriptor;
    state->stream.descriptor = -1;
    return close(descriptor) == 0 ? 0 : errno;
}

static int publish(struct output_state *state)
{
    struct unfinished *unfinished = state->unfinished;
    state->unfinished = NULL;
    state->stream.descriptor = -1;
    return unfinished_publish(unfinished, state->target, UNFINISHED_SYNC) ? 0 : errno;
}

enum status output_close(struct output *output, enum status run)
{
    if (!output->file)
        return run;
    struct output_state *state = output->state;
    int error = fclose(output->file) == 0 ? 0 : errno;
    if (state->stream.error)
        error = state->stream.error;
    if (!error && run == STATUS_OK)
        error = state->unfinished ? publish(state) : close_directly(state);
    if (error && run == STATUS_OK)
        run = cannot_write(state->path, error);
    state_free(state);
    *output = (struct output){0};
    return run;
}

/* ------------------------------------------------------------------ folders */

struct output_folder_state {
    char *path; /* without a slash at its end */
    struct unfinished *unfinished;
};

static char *without_slashes(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return mem_format("%.*s", (int)length, path);
}

static void folder_state_free(struct output_folder *folder)
{
    if (folder->state->unfinished)
        unfinished_discard(folder->state->unfinished);
    free(folder->state->path);
    free(folder->state);
    *folder = (struct output_folder){0};
}

enum status output_folder_open(struct output_folder *folder, const char *path)
{
    struct stat there;
    enum status status = STATUS_OK;
    *folder = (struct output_folder){0};
    if (is_dash(path))
        return STATUS_BAD_INPUT;
    folder->state = mem_alloc(1, sizeof *folder->state, "an output folder");
    folder->state->path = without_slashes(path);
    if (lstat(folder->state->path, &there) == 0) {
        diag_error("%s exists; name a new folder", path);
        status = STATUS_BAD_INPUT;
    } else if (!(folder->state->unfinished = unfinished_folder(folder->state->path))) {
        status = cannot_write(path, errno);
    }
    if (status != STATUS_OK)
        folder_state_free(folder);
    return status;
}

const char *output_folder_path(const struct output_folder *folder)
{
    return unfinished_path(folder->state->unfinished);
}

enum status output_folder_file(const struct output_folder *folder, const char *name, struct output *output)
{
    char *inside = mem_format("%s/%s", output_folder_path(folder), name);
    struct output_state *state = mem_alloc(1, sizeof *state, "an output file");
    state->path = mem_format("%s/%s", folder->state->path, name);
    int descriptor = open(inside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    free(inside);
    return output_start(output, state, descriptor);
}

enum status output_folder_put(const struct output_folder *folder, const char *name, const void *bytes,
                              size_t size)
{
    struct output output;
    enum status status = output_folder_file(folder, name, &output);
    if (status != STATUS_OK)
        return status;
    fwrite(bytes, 1, size, output.file);
    return output_close(&output, STATUS_OK);
}

enum status output_folder_close(struct output_folder *folder, enum status run)
{
    if (!folder->state)
        return run;
    struct unfinished *unfinished = folder->state->unfinished;
    if (run == STATUS_OK) {
        folder->state->unfinished = NULL;
        if (!unfinished_publish(unfinished, folder->state->path, UNFINISHED_SYNC))
            run = cannot_write(folder->state->path, errno);
    }
    folder_state_free(folder);
    return run;
}
