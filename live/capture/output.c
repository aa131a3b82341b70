#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/capture.h"

/* The file is mapped, a window at a time: a line costs no system call, and what has been written is in the
 * file however the program ends, even by a signal that cannot be caught. */

enum { WINDOW_BYTES = 4 << 20, FIELD_BYTES = 24, LONGEST_TEXT = 256 };

static struct {
    int file;
    char *window; /* NULL: not open */
    size_t window_bytes;
    off_t at;      /* of the window in the file */
    size_t length; /* of what is in the window */
    char *line;    /* where the next byte goes */
    char prefix[16];
    size_t prefix_length;
} output;

static void give_up(const char *what)
{
    capture_say("%s: %s; the trace ends here", what, strerror(errno));
    if (output.window)
        munmap(output.window, output.window_bytes);
    output.window = NULL;
    close(output.file);
}

/* No signal of the program's falls in here: one may make it give up, and where files have a limit (ulimit -f)
 * it raises one itself, which would end the program. */
static int take_room(off_t at, off_t size)
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

/* The window moves on so that `bytes` fit behind what there is. Room on the disk is taken first: to run out
 * of it in the middle of a mapped page would end the program. */
static bool move_on(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    off_t end = output.at + (off_t)output.length;
    off_t at = end / (off_t)page * (off_t)page;
    size_t inside = (size_t)(end - at);
    size_t size = (inside + bytes + WINDOW_BYTES) / page * page;
    if (output.window)
        munmap(output.window, output.window_bytes);
    output.window = NULL;
    errno = take_room(at, (off_t)size);
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

/* Another program's rank was here before. That there was a second one is not seen from its file: a sign
 * beside it says so (trace/ti/truncated_trace.h). */
static void leave_sign(const char *path)
{
    char sign[4200];
    snprintf(sign, sizeof sign, "%s.taken", path);
    int file = open(sign, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0)
        close(file);
}

bool output_open(const char *path, int rank)
{
    output.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output.file < 0) {
        bool is_taken = errno == EEXIST;
        capture_say("cannot write %s: %s", path, strerror(errno));
        if (is_taken)
            leave_sign(path);
        return false;
    }
    output.prefix_length = (size_t)snprintf(output.prefix, sizeof output.prefix, "%d ", rank);
    if (move_on(0))
        return true;
    unlink(path);
    return false;
}

void output_close(void)
{
    if (!output.window)
        return;
    munmap(output.window, output.window_bytes);
    output.window = NULL;
    if (ftruncate(output.file, output.at + (off_t)output.length) != 0)
        capture_say("cannot end the trace: %s", strerror(errno));
    close(output.file);
}

/* -------------------------------------------------------------------------------------------------- lines */

static void put(const char *text, size_t length)
{
    memcpy(output.line, text, length);
    output.line += length;
}

void line_begin(const char *action, unsigned most_fields)
{
    size_t most = sizeof output.prefix + (size_t)(most_fields + 2) * FIELD_BYTES + LONGEST_TEXT;
    if (!output.window || (output.length + most > output.window_bytes && !move_on(most)))
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

void line_int(int64_t value)
{
    char digits[FIELD_BYTES];
    char *digit = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (!output.window)
        return;
    do
        *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--digit = '-';
    *output.line++ = ' ';
    put(digit, (size_t)(digits + sizeof digits - digit));
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

/* The line counts from here on: whoever looks into the file before finds it without its end. */
void line_end(void)
{
    if (!output.window)
        return;
    *output.line++ = '\n';
    output.length = (size_t)(output.line - output.window);
}

int64_t line_at(void)
{
    return (int64_t)output.at + (int64_t)output.length;
}

/* The line may have left the window. Another action of no more letters takes its place, followed by blanks.
 */
void line_cancel(int64_t at)
{
    static const char nothing[] = "comm_size";
    char line[LONGEST_TEXT];
    off_t body = (off_t)at + (off_t)output.prefix_length;
    if (!output.window)
        return;
    ssize_t size = pread(output.file, line, sizeof line, body);
    char *end = size > 0 ? memchr(line, '\n', (size_t)size) : NULL;
    if (!end)
        return;
    size_t length = (size_t)(end - line);
    memset(line, ' ', length);
    memcpy(line, nothing, sizeof nothing - 1);
    if (pwrite(output.file, line, length, body) != (ssize_t)length)
        capture_say("cannot take a cancelled message out of the trace: %s", strerror(errno));
}
