#include "sweep/process_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "output/interrupt.h"
#include "sweep/worker.h"

/* A worker is made by fork, so it has the points and receives only an index. It has a socket of its own to
 * the parent, the only process that writes to the store. */
struct process {
    pid_t pid; /* 0: not started, or ended */
    int socket;
    bool busy;
};

struct processes {
    const struct sweep_point *points;
    struct memory_room room; /* of each worker */
    struct process *list;
    size_t count;
    struct pollfd *polled;
    _Atomic uint64_t *parts_done; /* shared with the workers; NULL: nobody looks */
};

/* ---------------------------------------------------------------- transport */

static bool send_all(int socket, const void *bytes, size_t length)
{
    for (const char *at = bytes; length;) {
        ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        at += sent, length -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t length)
{
    for (char *at = bytes; length;) {
        ssize_t received = recv(socket, at, length, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        at += received, length -= (size_t)received;
    }
    return true;
}

/* --------------------------------------------------------------- the worker */

/* Ends when the parent closes its end of the socket. */
static void run_until_closed(const struct processes *processes, int socket)
{
    const struct sweep_point *points = processes->points;
    struct sweep_worker worker = {.parts_done = processes->parts_done, .room = processes->room};
    uint64_t point;
    while (receive_all(socket, &point, sizeof point)) {
        struct sweep_outcome outcome;
        size_t length;
        sweep_worker_run(&worker, &points[point], &outcome);
        void *bytes = sweep_outcome_pack(&outcome, &length);
        const uint64_t header = length;
        bool sent = send_all(socket, &header, sizeof header) && send_all(socket, bytes, length);
        free(bytes);
        sweep_outcome_free(&outcome);
        if (!sent)
            break;
    }
    sweep_worker_free(&worker);
}

static void become_worker(struct processes *processes, int socket, pid_t parent)
{
    /* When a sweep is killed, its workers end too: they could run for hours. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STATUS_FAILED);
    interrupt_leave_to_parent();
    for (size_t i = 0; i < processes->count; i++)
        if (processes->list[i].pid)
            close(processes->list[i].socket);
    run_until_closed(processes, socket);
    _exit(STATUS_OK); /* not exit(): the open files, above all the store, belong to the parent */
}

/* --------------------------------------------------------------- the parent */

static bool start(struct processes *processes, struct process *process)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        return false;
    fflush(NULL); /* else both processes would write the buffered text */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(sockets[0]);
        become_worker(processes, sockets[1], parent);
    }
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return false;
    }
    *process = (struct process){.pid = pid, .socket = sockets[0]};
    return true;
}

/* Waits for a process that has ended or is about to. */
static void bury(struct process *process, struct worker_answer *answer)
{
    int state = 0;
    close(process->socket);
    while (waitpid(process->pid, &state, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(state))
        snprintf(answer->cause, sizeof answer->cause, "it was ended by signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else
        snprintf(answer->cause, sizeof answer->cause, "it ended with status %d", WEXITSTATUS(state));
    *process = (struct process){.pid = 0};
}

static bool submit_point(struct worker_pool *worker_pool, size_t worker, size_t point,
                         struct worker_answer *answer)
{
    struct processes *processes = worker_pool->self;
    struct process *process = &processes->list[worker];
    *answer = (struct worker_answer){.worker = worker};
    if (!process->pid && !start(processes, process)) {
        snprintf(answer->cause, sizeof answer->cause, "no process could be started: %s", strerror(errno));
        return false;
    }
    const uint64_t index = point;
    process->busy = send_all(process->socket, &index, sizeof index);
    if (!process->busy)
        bury(process, answer);
    return process->busy;
}

/* The worker with the lowest number that has answered. False: a signal asks to stop. */
static bool wait_for_any(struct processes *processes, size_t *worker)
{
    enum { LOOK_EVERY_MS = 100 }; /* for a signal that came just before poll() */
    for (size_t i = 0; i < processes->count; i++) {
        const struct process *process = &processes->list[i];
        processes->polled[i] = (struct pollfd){.fd = process->busy ? process->socket : -1, .events = POLLIN};
    }
    while (poll(processes->polled, processes->count, LOOK_EVERY_MS) <= 0)
        if (interrupt_wanted())
            return false;
    *worker = 0;
    while (*worker + 1 < processes->count && !processes->polled[*worker].revents)
        ++*worker;
    return true;
}

static bool wait_for_answer(struct worker_pool *worker_pool, struct worker_answer *answer)
{
    struct processes *processes = worker_pool->self;
    size_t worker;
    *answer = (struct worker_answer){.bytes = NULL};
    if (!wait_for_any(processes, &worker))
        return false;
    struct process *process = &processes->list[worker];
    uint64_t length;
    *answer = (struct worker_answer){.worker = worker};
    process->busy = false;
    if (receive_all(process->socket, &length, sizeof length)) {
        answer->length = length;
        answer->bytes = mem_alloc(length, 1, "a packed result");
        if (receive_all(process->socket, answer->bytes, length))
            return true;
        free(answer->bytes);
        answer->bytes = NULL;
    }
    bury(process, answer);
    return true;
}

static void cancel(struct worker_pool *worker_pool)
{
    const struct processes *processes = worker_pool->self;
    for (size_t i = 0; i < processes->count; i++)
        if (processes->list[i].busy)
            kill(processes->list[i].pid, SIGTERM);
}

static void shut_down(struct worker_pool *worker_pool)
{
    struct processes *processes = worker_pool->self;
    struct worker_answer ignored;
    for (size_t i = 0; i < processes->count; i++)
        if (processes->list[i].pid)
            bury(&processes->list[i], &ignored);
    if (processes->parts_done)
        munmap((void *)processes->parts_done, sizeof *processes->parts_done);
    free(processes->list);
    free(processes->polled);
    free(processes);
}

/* Without memory to share, the line shows whole runs. */
static _Atomic uint64_t *share_parts(void)
{
    if (!progress_is_shown())
        return NULL;
    void *shared = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? NULL : shared;
}

void process_pool_init(struct worker_pool *worker_pool, size_t workers, const struct sweep_point *points,
                       struct memory_room room)
{
    struct processes *processes = mem_alloc(1, sizeof *processes, "workers");
    *processes = (struct processes){.points = points,
                                    .room = room,
                                    .list = mem_alloc(workers, sizeof *processes->list, "workers"),
                                    .count = workers,
                                    .parts_done = share_parts(),
                                    .polled = mem_alloc(workers, sizeof *processes->polled, "workers")};
    *worker_pool = (struct worker_pool){.workers = workers,
                                        .self = processes,
                                        .parts_done = processes->parts_done,
                                        .submit = submit_point,
                                        .wait = wait_for_answer,
                                        .cancel = cancel,
                                        .shutdown = shut_down};
}
