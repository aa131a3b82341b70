#include "live/capture/counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"

static bool is_open, is_software;

/* Of each thread: its file plus 1; 0: not opened yet, -1: it cannot be. */
static __thread int thread_file __attribute__((tls_model("initial-exec")));

/* A thread that ends closes its file: a program may start threads without end, and files are few. */
static pthread_key_t ending;

static void close_file(void *file_plus_1)
{
    close((int)(intptr_t)file_plus_1 - 1);
    thread_file = -1; /* destructors that come later may make calls, too */
}

/* False, as errno says, and then the file is closed. */
static bool keep_file(int file)
{
    if (file < 0)
        return false;
    const int error = pthread_setspecific(ending, (void *)(intptr_t)(file + 1));
    if (error)
        close(file);
    errno = error;
    return !error;
}

static int open_event(void)
{
    struct perf_event_attr event = {
        .size = sizeof event,
        .type = is_software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
        .config = is_software ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *reason(int error)
{
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return "this machine shows no such counter, as most virtual machines do";
    if (error == EACCES || error == EPERM)
        return "the system forbids it: see kernel.perf_event_paranoid, and the rules of the container";
    if (error == ENOSYS)
        return "this kernel has no counters";
    return strerror(error);
}

bool counter_open(const char *event)
{
    is_software = strcmp(event, "task-clock") == 0;
    errno = pthread_key_create(&ending, close_file);
    const int file = errno ? -1 : open_event();
    is_open = keep_file(file);
    thread_file = is_open ? file + 1 : -1;
    if (!is_open && capture_rank() == 0)
        capture_warn("instructions are not counted: %s", reason(errno));
    return is_open;
}

uint64_t counter_read(void)
{
    uint64_t count = 0;
    if (!is_open || thread_file < 0)
        return 0;
    if (thread_file == 0) {
        const int file = open_event();
        thread_file = keep_file(file) ? file + 1 : -1;
    }
    return thread_file > 0 && read(thread_file - 1, &count, sizeof count) == sizeof count ? count : 0;
}
