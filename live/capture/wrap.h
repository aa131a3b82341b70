#ifndef HELIO_CAPTURE_WRAP_H
#define HELIO_CAPTURE_WRAP_H

#include <stddef.h>

#include "live/capture/capture.h"
#include "live/capture/times.h"

/* The macros that make the wrappers of MPI functions. WRAP takes the name, the parameters as MPI declares
 * them, their names, what is recorded before the MPI does the call, and what is recorded after it. Sends are
 * recorded before, since their receivers may continue at once. Calls that wait are recorded after, so that
 * the trace of a program that dies ends with calls that have completed.
 *
 * Programs in C call MPI_Send. Programs in Fortran call mpi_send_ of the MPI's Fortran library, which calls
 * MPI_Send or PMPI_Send. So PMPI_Send is wrapped as well, and recorded if the caller is that library.
 *
 * A wrapper is always inlined, so that return address and frame are those of the exported function. */
#define EXPORT __attribute__((visibility("default")))

#define DEFINE_WRAPPER(name, parameters, arguments, before, after)                                           \
    __attribute__((always_inline)) static inline int wrapped_##name parameters                               \
    {                                                                                                        \
        if (!capture_enter(__builtin_return_address(0), __builtin_frame_address(0)))                         \
            return REAL(name) arguments;                                                                     \
        static struct times_call times_of_##name = {.function = #name};                                      \
        before;                                                                                              \
        capture_pause();                                                                                     \
        const double began_s = times_now();                                                                  \
        int result = REAL(name) arguments;                                                                   \
        const double ended_s = times_now();                                                                  \
        capture_resume();                                                                                    \
        times_count(&times_of_##name, began_s, ended_s);                                                     \
        after;                                                                                               \
        capture_leave();                                                                                     \
        return result;                                                                                       \
    }

/* The same for a function that may find nothing, as `nothing` says after it. Most such polls are not timed:
 * then `keep` is all that comes before the MPI's own work; it is false if the poll must be timed. A program
 * polls millions of times a second, so all else has a function of its own. */
#define LIST(...) __VA_ARGS__ /* what stands in the parentheses behind it */
/* The argument is read from memory from here on. So it stays there while the MPI works, and the poll need not
 * save a register for it. `kept` has one for each argument that is rarely needed afterwards. */
#define KEPT(argument) __extension__({ __asm__ volatile("" : "+m"(argument)); })
#define DEFINE_POLL(name, parameters, arguments, kept, keep, before, nothing, after)                         \
    /* A poll that is timed, or the rest of one that is not timed and has found something. */                \
    __attribute__((noinline)) static int full_##name(bool is_timed, int result, const void *caller,          \
                                                     const void *frame, LIST parameters)                     \
    {                                                                                                        \
        if (is_timed && !capture_enter_poll(caller, frame))                                                  \
            return REAL(name) arguments;                                                                     \
        static struct times_call times_of_##name = {.function = #name};                                      \
        before;                                                                                              \
        if (is_timed) {                                                                                      \
            capture_pause();                                                                                 \
            const double began_s = times_now();                                                              \
            capture_poll_begins();                                                                           \
            result = REAL(name) arguments;                                                                   \
            capture_poll_ends();                                                                             \
            const double ended_s = times_now();                                                              \
            capture_resume();                                                                                \
            times_count(&times_of_##name, began_s, ended_s);                                                 \
        } else {                                                                                             \
            capture_end_untimed(caller, frame);                                                              \
        }                                                                                                    \
        after;                                                                                               \
        capture_leave_poll(requests_are_long());                                                             \
        return result;                                                                                       \
    }                                                                                                        \
    __attribute__((always_inline)) static inline int wrapped_##name parameters                               \
    {                                                                                                        \
        if (__builtin_expect(!capture_may_be_untimed() || !(keep), 0))                                       \
            return full_##name(true, MPI_SUCCESS, __builtin_return_address(0), __builtin_frame_address(0),   \
                               LIST arguments);                                                              \
        capture_enter_untimed();                                                                             \
        const int result = REAL(name) arguments;                                                             \
        if (__builtin_expect(result != MPI_SUCCESS || !(nothing), 0)) {                                      \
            kept;                                                                                            \
            return full_##name(false, result, __builtin_return_address(0), __builtin_frame_address(0),       \
                               LIST arguments);                                                              \
        }                                                                                                    \
        capture_leave_untimed();                                                                             \
        return result;                                                                                       \
    }

/* The functions that the program calls, in C and in Fortran. */
#define EXPORT_BOTH(name, parameters, arguments)                                                             \
    EXPORT int MPI_##name parameters                                                                         \
    {                                                                                                        \
        return wrapped_##name arguments;                                                                     \
    }                                                                                                        \
    EXPORT int PMPI_##name parameters                                                                        \
    {                                                                                                        \
        if (!capture_is_fortran(__builtin_return_address(0)))                                                \
            return REAL(name) arguments;                                                                     \
        return wrapped_##name arguments;                                                                     \
    }

/* `after` is executed even if the MPI reports an error: requests that `before` has taken must be put back. */
#define WRAP_WAIT(name, parameters, arguments, before, after)                                                \
    DEFINE_WRAPPER(name, parameters, arguments, before, after)                                               \
    EXPORT_BOTH(name, parameters, arguments)

/* The same for a function that may find nothing. It calls capture_found() before it writes what it found. */
#define WRAP_POLL(name, parameters, arguments, kept, keep, before, nothing, after)                           \
    DEFINE_POLL(name, parameters, arguments, kept, keep, before, nothing, after)                             \
    EXPORT_BOTH(name, parameters, arguments)

#define WRAP(name, parameters, arguments, before, after)                                                     \
    WRAP_WAIT(name, parameters, arguments, before, if (result == MPI_SUCCESS) after)

/* A function that the trace does not mention, in which a program may spend time that is not computation. */
#define WRAP_SILENT(name, parameters, arguments) WRAP_WAIT(name, parameters, arguments, NOTHING, NOTHING)

#define NOTHING (void)0

#endif
