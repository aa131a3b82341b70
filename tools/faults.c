/* The library that tools/faults preloads into the program under test. It runs the program many times, each
 * time with another fault, without loading it anew: before main it waits for jobs, and forks a child for
 * each.
 *
 *   FAULTS=IN,OUT   descriptors: a job is a line that is read from IN, its result a line that is written to
 * OUT
 *
 *   job      KIND ORDINAL once|on|stacks FOLDER STDOUT
 *     KIND      memory: an allocation fails. ENOSPC, EIO, ...: a system call fails so (`causes` has all).
 *               short: a read or write transfers half. KILL, TERM, INT: the process gets this signal.
 *     ORDINAL   the first that fails, counted from 1 in main and in all that it forks; 0: none
 *     stacks    in place of once or on: FOLDER.stacks gets two numbers of 64 bits for each allocation, its
 *               ordinal and the hash of its call stack
 *     FOLDER    the working folder. Beside it are written FOLDER.stdout and FOLDER.stderr.
 *     STDOUT    file, full (/dev/full), closed, pipe (without a reader), ignored (the same, and SIGPIPE is
 * ignored) results  "pid PID" when the child has begun; "exit STATUS COUNT" or "signal NUMBER COUNT" when it,
 * and each process that it has forked, has ended. COUNT says how many allocations or calls were counted.
 *            "refused REASON": the system does not allow to trace.
 *
 * Allocations are counted by this library, which defines malloc and its kin. System calls are counted by the
 * waiting process, which traces the child (ptrace): calls within the C library, as those of stdio, have no
 * other place where they can be caught. A program that the child executes is not disturbed.
 *
 *   FAULTS_DIE=SIGNAL,ORDINAL   without FAULTS: the process gets the signal at this allocation after main has
 * begun */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRACED_MAX = 64 };

struct job {
    char kind[16], mode[8], folder[256], stdout_kind[16];
    long ordinal;
};

/* What the waiting process shares with its children. */
struct shared {
    long allocations;
};

static struct {
    int (*main)(int, char **, char **);
    int in, out;
    struct shared *shared;
    bool is_armed; /* allocations count */
    bool goes_on, shows_where;
    int stacks;       /* the descriptor of their file; 0: none */
    unsigned limit_s; /* of processor time */
    long fails;
    int dies; /* a signal */
} self;

/* -------------------------------------------------------------- allocations */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static void show_where(void)
{
    void *frames[48];
    self.is_armed = false;
    backtrace_symbols_fd(frames, backtrace(frames, 48), STDERR_FILENO);
    self.is_armed = true;
}

static void write_stack(long ordinal)
{
    void *frames[64];
    uint64_t record[2] = {(uint64_t)ordinal, 0};
    self.is_armed = false;
    for (int i = backtrace(frames, 64); i-- > 0;)
        record[1] = (record[1] ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    if (write(self.stacks, record, sizeof record) != sizeof record)
        abort();
    self.is_armed = true;
}

static bool allocation_fails(void)
{
    if (!self.is_armed)
        return false;
    long ordinal = __atomic_add_fetch(&self.shared->allocations, 1, __ATOMIC_RELAXED);
    if (self.stacks)
        write_stack(ordinal);
    if (!self.fails || ordinal < self.fails || (!self.goes_on && ordinal > self.fails))
        return false;
    if (self.dies) {
        raise(self.dies);
        return false;
    }
    if (self.shows_where)
        show_where();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return allocation_fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return allocation_fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return allocation_fails() ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return allocation_fails() ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    void *found = memalign(alignment, bytes);
    if (!found)
        return ENOMEM;
    *block = found;
    return 0;
}

/* ------------------------------------------------------------------- sleeps */

/* Sleeps end at once: who waits some minutes for a lock that cannot be had is not waited for. */
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted, (void)left;
    return 0;
}

int usleep(useconds_t wanted)
{
    (void)wanted;
    return 0;
}

/* ------------------------------------------------------------- system calls */

/* The groups of system calls that a cause concerns. */
enum {
    OPEN = 1,
    READ = 2,
    WRITE = 4,
    SYNC = 8,
    CLOSE = 16,
    RESIZE = 32,
    NAME = 64,
    STAT = 128,
    MAP = 256,
    LOCK = 512,
    DESCRIPTOR = 1024,
    FORK = 2048,
    WAIT = 4096,
    CREATE = 8192,  /* an open that makes a file */
    REMOVE = 16384, /* no cause: a file that cannot be removed stays, whatever the program does */
    EVERY = 0xffff,
};

static const struct cause {
    const char *name;
    int number; /* errno */
    int groups;
} causes[] = {
    {"ENOSPC", ENOSPC, WRITE | SYNC | RESIZE | NAME | CREATE},
    {"EIO", EIO, OPEN | READ | WRITE | SYNC | CLOSE | RESIZE | NAME | STAT | CREATE},
    {"EINTR", EINTR, OPEN | READ | WRITE | SYNC | CLOSE | RESIZE | LOCK | WAIT | CREATE},
    {"EACCES", EACCES, OPEN | NAME | STAT | CREATE},
    {"EMFILE", EMFILE, OPEN | DESCRIPTOR | CREATE},
    {"ENOMEM", ENOMEM, MAP | FORK},
    {"ENOLCK", ENOLCK, LOCK},
    {"EAGAIN", EAGAIN, FORK},
    {"short", 0, READ | WRITE},
    {"KILL", 0, EVERY},
    {"TERM", 0, EVERY},
    {"INT", 0, EVERY},
};

static const struct call_group {
    int number, group;
} calls[] = {
    {SYS_openat, OPEN},
    {SYS_read, READ},
    {SYS_pread64, READ},
    {SYS_readv, READ},
    {SYS_getdents64, READ},
    {SYS_write, WRITE},
    {SYS_pwrite64, WRITE},
    {SYS_writev, WRITE},
    {SYS_fsync, SYNC},
    {SYS_fdatasync, SYNC},
    {SYS_close, CLOSE},
    {SYS_ftruncate, RESIZE},
    {SYS_fallocate, RESIZE},
    {SYS_renameat, NAME},
    {SYS_renameat2, NAME},
    {SYS_linkat, NAME},
    {SYS_symlinkat, NAME},
    {SYS_unlinkat, REMOVE},
    {SYS_mkdirat, NAME},
    {SYS_newfstatat, STAT},
    {SYS_statx, STAT},
    {SYS_faccessat, STAT},
    {SYS_faccessat2, STAT},
    {SYS_readlinkat, STAT},
    {SYS_mmap, MAP},
    {SYS_mremap, MAP},
    {SYS_fcntl, LOCK},
    {SYS_flock, LOCK},
    {SYS_pipe2, DESCRIPTOR},
    {SYS_dup, DESCRIPTOR},
    {SYS_memfd_create, DESCRIPTOR},
    {SYS_socket, DESCRIPTOR},
    {SYS_clone, FORK},
    {SYS_clone3, FORK},
    {SYS_wait4, WAIT},
    {SYS_ppoll, WAIT},
    {SYS_pselect6, WAIT},
    {SYS_waitid, WAIT},
#ifdef SYS_open /* what newer machines have no more */
    {SYS_open, OPEN},
    {SYS_creat, CREATE},
    {SYS_rename, NAME},
    {SYS_link, NAME},
    {SYS_symlink, NAME},
    {SYS_unlink, REMOVE},
    {SYS_mkdir, NAME},
    {SYS_rmdir, REMOVE},
    {SYS_stat, STAT},
    {SYS_lstat, STAT},
    {SYS_fstat, STAT},
    {SYS_access, STAT},
    {SYS_readlink, STAT},
    {SYS_pipe, DESCRIPTOR},
    {SYS_fork, FORK},
    {SYS_vfork, FORK},
    {SYS_poll, WAIT},
    {SYS_select, WAIT},
#endif
};

enum { CALLS = sizeof calls / sizeof *calls };

static const struct cause *cause_find(const char *name)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(causes[i].name, name) == 0)
            return &causes[i];
    return NULL;
}

/* In the child: lets the tracer see the calls of a cause. */
static bool filter_calls(const struct cause *cause)
{
    struct sock_filter program[2 * CALLS + 2];
    unsigned short used = 0;
    program[used++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALLS; i++)
        if (cause->groups & (calls[i].group == OPEN ? OPEN | CREATE : calls[i].group)) {
            program[used++] =
                (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
            program[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
        }
    program[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = used, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* The processes that are traced. */
struct tracer {
    const struct job *job;
    const struct cause *cause;
    pid_t child;
    int status; /* of the child */
    bool has_ended;
    long count;
    struct {
        pid_t process;
        bool executes;  /* another program */
        bool is_inside; /* a call whose result is to be replaced */
    } traced[TRACED_MAX];
    int known;
};

static int tracer_find(struct tracer *tracer, pid_t process)
{
    for (int i = 0; i < tracer->known; i++)
        if (tracer->traced[i].process == process)
            return i;
    if (tracer->known == TRACED_MAX)
        abort();
    tracer->traced[tracer->known].process = process;
    return tracer->known++;
}

static void tracer_forget(struct tracer *tracer, pid_t process)
{
    tracer->traced[tracer_find(tracer, process)] = tracer->traced[tracer->known - 1];
    tracer->known--;
}

#ifdef __x86_64__

static int group_of(const struct user_regs_struct *registers)
{
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].number == (int)registers->orig_rax) {
            unsigned long long flags = calls[i].number == SYS_openat ? registers->rdx : registers->rsi;
            return calls[i].group == OPEN && flags & O_CREAT ? CREATE : calls[i].group;
        }
    return 0;
}

/* Messages have to be written, so standard error is spared. */
static bool is_concerned(const struct tracer *tracer, const struct user_regs_struct *registers)
{
    int group = group_of(registers);
    if (!(tracer->cause->groups & group) || (group & (WRITE | CLOSE) && registers->rdi == STDERR_FILENO))
        return false;
    return tracer->cause->number || tracer->cause->groups == EVERY || registers->rdx > 1;
}

static void send_signal(struct tracer *tracer)
{
    const char *name = tracer->cause->name;
    if (strcmp(name, "INT") == 0) /* as Ctrl-C, to the whole group */
        kill(-tracer->child, SIGINT);
    else
        kill(tracer->child, strcmp(name, "TERM") == 0 ? SIGTERM : SIGKILL);
}

/* A process is about to call. Returns how it goes on. */
static int tracer_at_call(struct tracer *tracer, pid_t process)
{
    struct user_regs_struct registers;
    int at = tracer_find(tracer, process);
    if (tracer->traced[at].executes || ptrace(PTRACE_GETREGS, process, NULL, &registers) != 0 ||
        !is_concerned(tracer, &registers))
        return PTRACE_CONT;
    tracer->count++;
    long first = tracer->job->ordinal;
    if (!first || tracer->count < first || (tracer->count > first && strcmp(tracer->job->mode, "on") != 0))
        return PTRACE_CONT;
    if (tracer->cause->groups == EVERY) {
        send_signal(tracer);
        return PTRACE_CONT;
    }
    if (group_of(&registers) == CLOSE) { /* the descriptor is closed, as Linux does, and the call fails */
        tracer->traced[at].is_inside = true;
        return PTRACE_SYSCALL;
    }
    if (tracer->cause->number) {
        registers.orig_rax = (unsigned long long)-1; /* no call */
        registers.rax = (unsigned long long)-tracer->cause->number;
    } else {
        registers.rdx = registers.rdx / 2;
    }
    ptrace(PTRACE_SETREGS, process, NULL, &registers);
    return PTRACE_CONT;
}

static void tracer_after_call(struct tracer *tracer, pid_t process)
{
    struct user_regs_struct registers;
    int at = tracer_find(tracer, process);
    if (tracer->traced[at].is_inside && ptrace(PTRACE_GETREGS, process, NULL, &registers) == 0) {
        registers.rax = (unsigned long long)-tracer->cause->number;
        ptrace(PTRACE_SETREGS, process, NULL, &registers);
    }
    tracer->traced[at].is_inside = false;
}

#else

static int tracer_at_call(struct tracer *tracer, pid_t process)
{
    (void)tracer, (void)process;
    return PTRACE_CONT;
}

static void tracer_after_call(struct tracer *tracer, pid_t process)
{
    (void)tracer, (void)process;
}

#endif

/* A process has stopped: it goes on, with its signal if it got one. */
static void tracer_continue(struct tracer *tracer, pid_t process, int status)
{
    int event = status >> 16, stop = WSTOPSIG(status), how = PTRACE_CONT;
    int at = tracer_find(tracer, process);
    if (event == PTRACE_EVENT_SECCOMP)
        how = tracer_at_call(tracer, process);
    else if (event == PTRACE_EVENT_EXEC)
        tracer->traced[at].executes = true;
    else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        unsigned long forked = 0;
        if (ptrace(PTRACE_GETEVENTMSG, process, NULL, &forked) == 0)
            tracer->traced[tracer_find(tracer, (pid_t)forked)].executes = tracer->traced[at].executes;
    } else if (stop == (SIGTRAP | 0x80))
        tracer_after_call(tracer, process);
    bool is_signal = !event && stop != SIGSTOP && stop != SIGTRAP && stop != (SIGTRAP | 0x80);
    ptrace((enum __ptrace_request)how, process, NULL, (void *)(long)(is_signal ? stop : 0));
}

/* Runs the traced processes until all have ended. */
static void tracer_run(struct tracer *tracer)
{
    int status;
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (waitpid(tracer->child, &status, __WALL) == tracer->child && WIFSTOPPED(status)) {
        ptrace(PTRACE_SETOPTIONS, tracer->child, NULL, (void *)options);
        tracer_find(tracer, tracer->child);
        ptrace(PTRACE_CONT, tracer->child, NULL, NULL);
    } else {
        tracer->status = status;
        tracer->has_ended = true;
    }
    for (pid_t process; (process = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
        if (process <= 0)
            continue;
        if (WIFSTOPPED(status)) {
            tracer_continue(tracer, process, status);
            continue;
        }
        tracer_forget(tracer, process);
        if (process == tracer->child) {
            tracer->status = status;
            tracer->has_ended = true;
        }
    }
}

/* -------------------------------------------------------------------- child */

static void open_at(int descriptor, const char *path, int flags)
{
    int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(125);
    if (file != descriptor)
        close(file);
}

static void set_stdout(const struct job *job)
{
    char path[300];
    int ends[2];
    snprintf(path, sizeof path, "%s.stdout", job->folder);
    open_at(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
    if (strcmp(job->stdout_kind, "full") == 0)
        open_at(STDOUT_FILENO, "/dev/full", O_WRONLY);
    if (strcmp(job->stdout_kind, "pipe") == 0 || strcmp(job->stdout_kind, "ignored") == 0) {
        if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0)
            _exit(125);
        close(ends[0]);
        close(ends[1]);
        signal(SIGPIPE, strcmp(job->stdout_kind, "ignored") == 0 ? SIG_IGN : SIG_DFL);
    }
    if (strcmp(job->stdout_kind, "closed") == 0)
        close(STDOUT_FILENO);
}

static void open_stacks(const struct job *job)
{
    enum { FREE_DESCRIPTOR = 500 }; /* above those that programs get */
    char path[300];
    snprintf(path, sizeof path, "%s.stacks", job->folder);
    open_at(FREE_DESCRIPTOR, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    fcntl(FREE_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
    self.stacks = FREE_DESCRIPTOR;
}

/* In the child: gets ready for main. */
static void child_begin(const struct job *job, const struct cause *cause)
{
    char path[300];
    setpgid(0, 0);
    close(self.in);
    close(self.out);
    open_at(STDIN_FILENO, "/dev/null", O_RDONLY);
    snprintf(path, sizeof path, "%s.stderr", job->folder);
    open_at(STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    set_stdout(job);
    if (chdir(job->folder) != 0)
        _exit(125);
    setrlimit(RLIMIT_CPU, &(struct rlimit){self.limit_s, self.limit_s + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    self.fails = cause ? 0 : job->ordinal;
    self.goes_on = strcmp(job->mode, "on") == 0;
    if (strcmp(job->mode, "stacks") == 0)
        open_stacks(job);
    if (cause && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0 || !filter_calls(cause)))
        _exit(126);
    self.is_armed = !cause;
}

/* ------------------------------------------------------------------- server */

static void answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void answer(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vdprintf(self.out, format, args);
    va_end(args);
}

/* Waits for the child and for all that it has forked. */
static int child_wait(pid_t child)
{
    int status, found = 0;
    for (pid_t process; (process = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;)
        if (process == child)
            found = status;
    return found;
}

/* Reads a line, one byte after the other, so that children share no buffer. */
static bool read_job(struct job *job)
{
    char line[400];
    size_t used = 0;
    while (used + 1 < sizeof line && read(self.in, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = '\0';
    return sscanf(line, "%15s %ld %7s %255s %15s", job->kind, &job->ordinal, job->mode, job->folder,
                  job->stdout_kind) == 5;
}

/* Does the jobs. Returns in the children only, which go on with main. */
static void serve(void)
{
    struct job job;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    while (read_job(&job)) {
        const struct cause *cause = cause_find(job.kind);
        struct tracer tracer = {.job = &job, .cause = cause};
        self.shared->allocations = 0;
        pid_t child = tracer.child = fork();
        if (child == 0) {
            child_begin(&job, cause);
            return;
        }
        answer("pid %d\n", (int)child);
        if (cause)
            tracer_run(&tracer);
        else
            tracer.status = child_wait(child);
        long count = cause ? tracer.count : self.shared->allocations;
        if (WIFSIGNALED(tracer.status))
            answer("signal %d %ld\n", WTERMSIG(tracer.status), count);
        else if (WEXITSTATUS(tracer.status) == 126 && cause)
            answer("refused tracing\n");
        else
            answer("exit %d %ld\n", WEXITSTATUS(tracer.status), count);
    }
    exit(0);
}

static int main_with_faults(int argc, char **argv, char **environment)
{
    const char *descriptors = getenv("FAULTS"), *die = getenv("FAULTS_DIE");
    void *page = mmap(NULL, sizeof *self.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        exit(125);
    self.shared = page;
    if (descriptors && sscanf(descriptors, "%d,%d,%u", &self.in, &self.out, &self.limit_s) == 3) {
        void *first[1];
        self.shows_where = backtrace(first, 1) >= 0 && getenv("FAULTS_WHERE"); /* loads what it needs */
        unsetenv("FAULTS");
        unsetenv("LD_PRELOAD");
        serve();
    } else if (die && sscanf(die, "%d,%ld", &self.dies, &self.fails) == 2) {
        self.is_armed = true;
    }
    return self.main(argc, argv, environment);
}

/* The program's start calls this function instead of the C library's. */
int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    __typeof__(&__libc_start_main) start = (__typeof__(start))dlsym(RTLD_NEXT, "__libc_start_main");
    self.main = program;
    return start(main_with_faults, argc, argv, init, fini, rtld_fini, stack_end);
}
