#include "live/capture/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/capture/bursts.h"
#include "live/capture/comms.h"
#include "live/capture/diagnostics.h"
#include "live/capture/interval.h"
#include "live/capture/output.h"
#include "live/capture/process.h"
#include "live/capture/requests.h"
#include "live/capture/sites.h"
#include "live/capture/symbols.h"
#include "live/capture/times.h"

/* Handles of the two MPIs differ in size, so that calls could not even be passed on. */
static void refuse_other_mpi(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    REAL(Get_library_version)(version, &length);
    const char *mine = strcmp(HELIO_MPI, "openmpi") == 0 ? "Open MPI" : "MPICH";
    if (strstr(version, mine))
        return;
    capture_warn("this library was built for %s, but the program runs with %.40s; use the other one", mine,
                 version);
    exit(1);
}

/* Operations that a second is written as. `text` is HELIO_CAPTURE_RATE, or NULL. */
static double rate_of(const char *text)
{
    const double usual = 12e9;
    if (!text || !*text)
        return usual;
    char *end;
    double rate = strtod(text, &end);
    if (end != text && !*end && isfinite(rate) && rate > 0)
        return rate;
    capture_warn("HELIO_CAPTURE_RATE=%.40s is not a number of operations per second; %g is taken", text,
                 usual);
    return usual;
}

/* False: there is no trace of this rank; said, if it is an error. */
static bool open_trace(const char *folder, int rank)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/rank-%d.txt", folder, rank + 1) >= sizeof path) {
        capture_warn("HELIO_CAPTURE_DIR is too long, so there is no trace");
        return false;
    }
    if (!output_open(path, rank))
        return false;
    comms_open();
    line_begin("init", 0);
    line_end();
    comm_write_members(comm_of(MPI_COMM_WORLD), "#c"); /* shows readers which ranks are missing */
    return true;
}

static void start_recording(void)
{
    interval_open();
    bursts_open();
    const char *where = getenv("HELIO_CAPTURE_WHERE");
    if (where && *where)
        sites_open();
    int thread_level; /* the environment may have raised it above what the program requires */
    REAL(Query_thread)(&thread_level);
    const enum process_threads threads = thread_level == MPI_THREAD_MULTIPLE     ? THREADS_AT_ONCE
                                         : thread_level == MPI_THREAD_SERIALIZED ? THREADS_IN_TURN
                                                                                 : THREADS_ONE;
    process_start(rate_of(getenv("HELIO_CAPTURE_RATE")), threads, !times_are_wanted());
}

static bool is_open; /* the rank is recorded, or timed, or both */

void capture_open(void)
{
    const char *folder = getenv("HELIO_CAPTURE_DIR");
    bool records = folder && *folder;
    if (is_open || (!records && !times_are_wanted()))
        return;
    refuse_other_mpi();
    MPI_Comm parent;
    REAL(Comm_get_parent)(&parent);
    if (parent !=
        MPI_COMM_NULL) /* started by other processes: a world of its own, which has the same ranks */
        return;
    int rank;
    REAL(Comm_rank)(MPI_COMM_WORLD, &rank);
    capture_set_rank(rank);
    if (records && !open_trace(folder, rank))
        return;
    is_open = true;
    times_begin();
    if (records)
        start_recording();
}

void capture_close(const void *caller, const void *frame)
{
    if (!is_open)
        return;
    is_open = false;
    int rank;
    REAL(Comm_rank)(MPI_COMM_WORLD, &rank);
    const bool records = process_is_recording();
    if (records)
        process_stop(); /* what the times take is not computation of the program */
    times_end(rank);
    if (!records)
        return;
    requests_check_cancelled();
    line_mute(false);
    sites_enter(caller, frame);
    line_begin("finalize", 0);
    line_end();
    output_close();
}
