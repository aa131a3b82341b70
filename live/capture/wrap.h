#ifndef HELIO_CAPTURE_WRAP_H
#define HELIO_CAPTURE_WRAP_H

#include "live/capture/capture.h"

/* The MPI functions that are stood in for. Each is a line of WRAP: its parameters as MPI declares them, the
 * names of these, what is recorded before the MPI does its work, and what behind it. Sends are recorded
 * before, since their receivers may go on at once; what waits is recorded behind, so that the trace of a
 * program that dies ends with calls that have completed.
 *
 * Programs in C call MPI_Send. Those in Fortran call mpi_send_ and the like of the MPI's bindings, which call
 * MPI_Send or PMPI_Send: the latter is stood in for as well, and recorded where it is called by
 * the bindings. */
#define EXPORT __attribute__((visibility("default")))

#define STAND_IN(name, parameters, arguments, before, after)                                                 \
    static inline int wrapped_##name parameters                                                              \
    {                                                                                                        \
        if (!capture_enter())                                                                                \
            return REAL(name) arguments;                                                                     \
        before;                                                                                              \
        capture_pause();                                                                                     \
        int result = REAL(name) arguments;                                                                   \
        capture_resume();                                                                                    \
        after;                                                                                               \
        capture_leave();                                                                                     \
        return result;                                                                                       \
    }                                                                                                        \
    EXPORT int MPI_##name parameters                                                                         \
    {                                                                                                        \
        return wrapped_##name arguments;                                                                     \
    }

/* Whose `after` has to be done even where the MPI reports an error: what it took has to be put back. */
#define WRAP_WAIT(name, parameters, arguments, before, after)                                                \
    STAND_IN(name, parameters, arguments, before, after)                                                     \
    EXPORT int PMPI_##name parameters                                                                        \
    {                                                                                                        \
        if (!capture_is_fortran(__builtin_return_address(0)))                                                \
            return REAL(name) arguments;                                                                     \
        return wrapped_##name arguments;                                                                     \
    }

#define WRAP(name, parameters, arguments, before, after)                                                     \
    WRAP_WAIT(name, parameters, arguments, before, if (result == MPI_SUCCESS) after)

/* What a trace is not about, but where a program may spend time that is no computation. */
#define WRAP_SILENT(name, parameters, arguments) WRAP_WAIT(name, parameters, arguments, NOTHING, NOTHING)

#define NOTHING (void)0

#endif
