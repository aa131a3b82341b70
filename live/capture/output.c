#include "live/capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"
#include "live/capture/packed.h"

/* A window of the file is mapped into memory. So a line costs no system call, and lines that have been
 * written are in the file however the program ends, even by SIGKILL. If lines are compressed, the window is a
 * half of the tail, and positions are those in the text. */

enum { WINDOW_BYTES = 4 << 20, FIELD_BYTES = 24, LONGEST_TEXT = 256, SITE_BYTES = 16 };

static struct {
    int file;
    char *window; /* NULL: not open */
    size_t window_bytes;
    off_t at;        /* the window's position in the file */
    size_t length;   /* bytes of complete lines in the window */
    char *line;      /* where the next byte goes */
    char prefix[16]; /* of each line: the rank */
    size_t prefix_length;
    bool is_muted, is_packed;
} output;

static __thread uint32_t line_site __attribute__((tls_model("initial-exec")));

/* Reports the error in errno. Nothing is written any more. */
static void give_up(const char *what)
{
    capture_warn("%s: %s; the trace ends here", what, strerror(errno));
    if (output.is_packed)
        packed_give_up();
    else if (output.window)
        munmap(output.window, output.window_bytes);
    output.window = NULL;
    close(output.file);
}

/* Reserves disk space; returns an error number. All signals are blocked meanwhile: one that the program
 * handles would interrupt posix_fallocate. If files have a limit (ulimit -f), the kernel sends SIGXFSZ, which
 * would end the program; so that signal is taken away. */
static int reserve_space(off_t at, off_t size)
{
    sigset_t all, limit, before;
    sigfillset(&all);
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = posix_fallocate(output.file, at, size);
    if (error == EFBIG)
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Moves the window so that `bytes` more fit into it. Disk space is reserved first: a write to a mapped page
 * for which there is no space would end the program by a signal. */
static bool move_window(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    off_t end = output.at + (off_t)output.length;
    off_t at = end / (off_t)page * (off_t)page;
    size_t inside = (size_t)(end - at);
    size_t size = (inside + bytes + WINDOW_BYTES) / page * page;
    if (output.window)
        munmap(output.window, output.window_bytes);
    output.window = NULL;
    errno = reserve_space(at, (off_t)size);
    void *window = errno ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, output.file, at);
    if (window == MAP_FAILED) {
        give_up("no room for the trace");
        return false;
    }
    output.window = window;
    output.window_bytes = size;
    output.at = at;
    output.length = inside;
    return true;
}

/* The lines of the window become a frame; the next window has room for `bytes`. */
static bool turn_window(size_t bytes)
{
    errno = EFBIG;
    char *window = bytes <= output.window_bytes ? packed_turn(output.length) : NULL;
    if (!window) {
        give_up("no room for the trace");
        return false;
    }
    output.window = window;
    output.at += (off_t)output.length;
    output.length = 0;
    return true;
}

static bool make_room(size_t bytes)
{
    return output.is_packed ? turn_window(bytes) : move_window(bytes);
}

/* The file is there already: a rank of another program has written it. The file itself does not show that
 * there was a second program, so an empty file beside it tells the reader (trace/ti/truncated_trace.h). */
static void mark_taken(const char *path)
{
    char mark[4200];
    snprintf(mark, sizeof mark, "%s.taken", path);
    int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
}

/* A machine or a container that does not share the folder of helio capture has a folder of its own there. The
 * one that makes it says so: the folder of helio capture is always there. */
static bool make_folder_of(const char *path)
{
    char folder[4200], host[256] = "";
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    for (char *slash = folder; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(folder, 0777); /* the last one shows whether there is a way */
        *slash = '/';
    }
    if (mkdir(folder, 0777) != 0)
        return errno == EEXIST;
    gethostname(host, sizeof host - 1);
    capture_warn(
        "made the folder %s on %s, which helio capture does not see; take it from there, and give it "
        "to helio capture --collect",
        folder, host);
    return true;
}

static int create(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == ENOENT && make_folder_of(path))
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file;
}

static bool open_packed(const char *path, size_t half_bytes)
{
    output.window = packed_open(output.file, path, half_bytes);
    output.window_bytes = half_bytes;
    if (!output.window) {
        output.is_packed = false;
        give_up("no room for the trace");
    }
    return output.window;
}

bool output_open(const char *path, int rank)
{
    char name[4200];
    const size_t half_bytes = packed_wanted();
    output.is_packed = half_bytes > 0;
    snprintf(name, sizeof name, "%s%s", path, output.is_packed ? ".zst" : "");
    output.file = create(name);
    if (output.file < 0) {
        bool is_taken = errno == EEXIST;
        capture_warn("cannot write %s: %s", name, strerror(errno));
        if (is_taken)
            mark_taken(path);
        return false;
    }
    output.prefix_length = (size_t)snprintf(output.prefix, sizeof output.prefix, "%d ", rank);
    if (output.is_packed ? open_packed(path, half_bytes) : move_window(0))
        return true;
    unlink(name);
    return false;
}

void output_close(void)
{
    if (!output.window)
        return;
    if (!output.is_packed)
        munmap(output.window, output.window_bytes);
    output.window = NULL;
    if (output.is_packed ? !packed_end(output.length)
                         : ftruncate(output.file, output.at + (off_t)output.length) != 0)
        capture_warn("cannot end the trace: %s", strerror(errno));
    close(output.file);
}

/* ------------------------------------------------------------------- lines */

static void put(const char *text, size_t length)
{
    memcpy(output.line, text, length);
    output.line += length;
}

void line_begin(const char *action, unsigned most_fields)
{
    size_t most = sizeof output.prefix + (size_t)(most_fields + 2) * FIELD_BYTES + LONGEST_TEXT + SITE_BYTES;
    if (!output.window || (output.length + most > output.window_bytes && !make_room(most)))
        return;
    output.line = output.window + output.length;
    put(output.prefix, output.prefix_length);
    put(action, strlen(action));
}

void line_text(const char *text)
{
    if (!output.window || !*text)
        return;
    *output.line++ = ' ';
    put(text, strnlen(text, LONGEST_TEXT - 1));
}

void line_long_text(const char *text, size_t length)
{
    if (!output.window)
        return;
    *output.line++ = ' ';
    put(text, length);
}

static void put_int(int64_t value)
{
    char digits[FIELD_BYTES];
    char *digit = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--digit = '-';
    put(digit, (size_t)(digits + sizeof digits - digit));
}

void line_int(int64_t value)
{
    if (!output.window)
        return;
    *output.line++ = ' ';
    put_int(value);
}

void line_number(double value)
{
    if (!output.window)
        return;
    if (value < 1e6) {
        line_int((int64_t)(value + 0.5));
        return;
    }
    char text[FIELD_BYTES];
    int length = snprintf(text, sizeof text, " %.6g", value);
    put(text, (size_t)length);
}

void line_set_site(uint32_t number)
{
    line_site = number;
}

void line_mute(bool is_muted)
{
    output.is_muted = is_muted;
}

bool line_is_muted(void)
{
    return output.is_muted;
}

/* Completes the line. If the program dies before this, the file ends with a part of a line. */
void line_end_definition(void)
{
    if (!output.window)
        return;
    *output.line++ = '\n';
    output.length = (size_t)(output.line - output.window);
}

/* The next line overwrites one that is not kept. */
void line_end_without_site(void)
{
    if (!output.is_muted)
        line_end_definition();
}

void line_put_site(void)
{
    if (output.window && line_site) {
        put(" #@", 3);
        put_int(line_site);
    }
}

void line_end(void)
{
    line_put_site();
    line_end_without_site();
}

char *line_take(void)
{
    if (!output.window)
        return NULL;
    const char *begin = output.window + output.length + output.prefix_length;
    return strndup(begin, (size_t)(output.line - begin));
}

void line_keep(char **lines)
{
    char *line = line_take(), *longer = NULL;
    if (line && asprintf(&longer, "%s%s\n", *lines ? *lines : "", line) >= 0) {
        free(*lines);
        *lines = longer;
    }
    free(line);
}

const char *line_again(const char *lines)
{
    const size_t length = strcspn(lines, "\n");
    line_begin("", (unsigned)(length / FIELD_BYTES + 1));
    if (output.window)
        put(lines, length);
    return lines[length] && lines[length + 1] ? lines + length + 1 : NULL;
}

int64_t line_at(void)
{
    return (int64_t)output.at + (int64_t)output.length;
}

static const char nothing[] = "comm_size"; /* readers skip it; it is no longer than the action of a message */

/* Of lines that are compressed the line may be in a frame. So a line says which line to take out. */
static void cancel_packed(int64_t at)
{
    line_begin(nothing, 2);
    line_text("#cancel");
    line_int(at);
    line_end_definition(); /* also while lines are muted */
}

/* The line may be outside the window, so it is read and written by system calls. Its text is replaced by
 * `nothing` and blanks. */
void line_cancel(int64_t at)
{
    char line[LONGEST_TEXT];
    off_t body = (off_t)at + (off_t)output.prefix_length;
    if (!output.window)
        return;
    if (output.is_packed) {
        cancel_packed(at);
        return;
    }
    ssize_t size = pread(output.file, line, sizeof line, body);
    char *end = size > 0 ? memchr(line, '\n', (size_t)size) : NULL;
    if (!end)
        return;
    size_t length = (size_t)(end - line);
    memset(line, ' ', length);
    memcpy(line, nothing, sizeof nothing - 1);
    if (pwrite(output.file, line, length, body) != (ssize_t)length)
        capture_warn("cannot take a cancelled message out of the trace: %s", strerror(errno));
}
