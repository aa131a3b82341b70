#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/capture/capture.h"

/* Bursts below this are no computation but what the calls themselves and the clock leave behind; they are
 * added to the next burst. SimGrid's smpi/cpu-threshold is the same. */
static const double least_burst_s = 1e-6;

static struct {
    bool is_on, is_threaded;
    pthread_mutex_t lock;
    double operations_per_s;
    int rank;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of each thread: whether it is within a call, and its processor time when it left the last. */
static __thread int depth __attribute__((tls_model("initial-exec")));
static __thread double left_s __attribute__((tls_model("initial-exec")));
static __thread double carried_s
    __attribute__((tls_model("initial-exec"))); /* of bursts too short to be written */
static __thread bool has_left __attribute__((tls_model("initial-exec")));

void capture_say(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(text, sizeof text, "helio capture: rank %d: ", process.rank);
    length += vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof text - 2)
        length = (int)sizeof text - 2;
    text[length] = '\n';
    ssize_t written = write(STDERR_FILENO, text, (size_t)length + 1);
    (void)written;
}

int capture_rank(void)
{
    return process.rank;
}

static int is_mpi(struct dl_phdr_info *library, size_t size, void *path)
{
    (void)size;
    if (!strstr(library->dlpi_name, "/libmpi.so") && !strstr(library->dlpi_name, "/libmpich.so"))
        return 0;
    *(const char **)path = library->dlpi_name;
    return 1;
}

/* A program that loads its MPI by dlopen, as Python does, may keep it from everybody else. */
static void *find_in_private(const char *name)
{
    static void *library;
    const char *path = NULL;
    if (!library && dl_iterate_phdr(is_mpi, &path))
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

void *capture_find(void *where, const char *name)
{
    void *found = dlsym(where, name);
    if (!found)
        found = find_in_private(name);
    if (found)
        return found;
    capture_say("the MPI of this program has no %s", name);
    _exit(1); /* there is nothing to pass the call on to */
}

/* --------------------------------------------------------------------------------------------------- time */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void write_burst(void)
{
    if (!has_left)
        return;
    carried_s += now_s() - left_s;
    if (carried_s < least_burst_s)
        return;
    line_begin("compute", 1);
    line_number(carried_s * process.operations_per_s);
    line_end();
    carried_s = 0;
}

/* -------------------------------------------------------------------------------------------------- calls */

void capture_resume(void)
{
    if (process.is_threaded)
        pthread_mutex_lock(&process.lock);
}

void capture_pause(void)
{
    if (process.is_threaded)
        pthread_mutex_unlock(&process.lock);
}

bool capture_enter(void)
{
    if (!process.is_on || depth > 0)
        return false;
    depth++;
    capture_resume();
    write_burst();
    return true;
}

void capture_leave(void)
{
    capture_pause();
    depth--;
    left_s = now_s();
    has_left = true;
}

/* ------------------------------------------------------------------------------------------------ Fortran */

/* Where the library of Fortran's bindings lies in memory: what it calls, it calls for the program. */
static struct {
    uintptr_t begin, end;
} bindings;

static int find_bindings(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "libmpi_mpifh") && !strstr(library->dlpi_name, "libmpichfort"))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        bindings.begin = library->dlpi_addr + part->p_vaddr;
        bindings.end = bindings.begin + part->p_memsz;
    }
    return 1;
}

bool capture_is_fortran(const void *caller)
{
    static bool is_known;
    if (!is_known)
        dl_iterate_phdr(find_bindings, NULL);
    is_known = true;
    return (uintptr_t)caller >= bindings.begin && (uintptr_t)caller < bindings.end;
}

/* ------------------------------------------------------------------------------------------ begin and end */

/* The handles of two MPIs are not even of one size: nothing could be passed on. */
static void refuse_other_mpi(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    REAL(Get_library_version)(version, &length);
    const char *mine = strcmp(HELIO_MPI, "openmpi") == 0 ? "Open MPI" : "MPICH";
    if (strstr(version, mine))
        return;
    capture_say("this library was built for %s, but the program runs with %.40s; use the other one", mine,
                version);
    exit(1);
}

void capture_begin(void)
{
    const char *folder = getenv("HELIO_CAPTURE_DIR"), *rate = getenv("HELIO_CAPTURE_RATE");
    if (!folder || process.is_on)
        return;
    refuse_other_mpi();
    MPI_Comm parent;
    REAL(Comm_get_parent)(&parent);
    if (parent != MPI_COMM_NULL) /* a world of its own, whose ranks are others' names here */
        return;
    char path[4096];
    int thread_level;
    REAL(Comm_rank)(MPI_COMM_WORLD, &process.rank);
    REAL(Query_thread)(&thread_level); /* which the environment may have raised */
    process.is_threaded = thread_level == MPI_THREAD_MULTIPLE;
    process.operations_per_s = rate ? strtod(rate, NULL) : 12e9;
    snprintf(path, sizeof path, "%s/rank-%d.txt", folder, process.rank + 1);
    if (!output_open(path, process.rank))
        return;
    comms_open();
    process.is_on = true;
    line_begin("init", 0);
    line_end();
    comm_write_members(comm_of(MPI_COMM_WORLD), "#c"); /* from which a missing rank is seen */
    left_s = now_s();
    has_left = true;
}

void capture_end(void)
{
    if (!process.is_on)
        return;
    process.is_on = false;
    write_burst();
    requests_end();
    line_begin("finalize", 0);
    line_end();
    output_close();
}
