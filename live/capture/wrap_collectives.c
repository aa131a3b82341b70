#include "live/capture/wrap.h"

/* ------------------------------------------------------------- collectives */

/* A collective, its non-blocking variant, which has one more parameter, the request, and its persistent one
 * (MPI 4). */
#define UNPACK(...)           __VA_ARGS__
#define TEXT(name)            TEXT_OF(name)
#define TEXT_OF(name)         #name
#define WRAP_NAMED(name, ...) WRAP(name, __VA_ARGS__)
#define WRAP_BOTH(name, iname, record, action_name, parameters, arguments, ...)                              \
    WRAP_NAMED(NAMED(name), (UNPACK parameters), (UNPACK arguments), NOTHING,                                \
               record_collective(record, &(struct collective_call){.mpi_name = "MPI_" TEXT(NAMED(name)),     \
                                                                   .action = action_name,                    \
                                                                   .comm = comm,                             \
                                                                   .is_large = IS_LARGE,                     \
                                                                   __VA_ARGS__}))                            \
    WRAP_NAMED(NAMED(iname), (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request),        \
               NOTHING,                                                                                      \
               record_collective(record, &(struct collective_call){.mpi_name = "MPI_" TEXT(NAMED(iname)),    \
                                                                   .action = action_name,                    \
                                                                   .comm = comm,                             \
                                                                   .request = request,                       \
                                                                   .is_large = IS_LARGE,                     \
                                                                   __VA_ARGS__}))
#if MPI_VERSION >= 4
#define WRAP_PERSISTENT(name, record, action_name, parameters, arguments, ...)                               \
    WRAP_NAMED(name, (UNPACK parameters, MPI_Info info, MPI_Request * request),                              \
               (UNPACK arguments, info, request), NOTHING,                                                   \
               record_collective(record, &(struct collective_call){.mpi_name = "MPI_" TEXT(name),            \
                                                                   .action = action_name,                    \
                                                                   .comm = comm,                             \
                                                                   .request = request,                       \
                                                                   .is_persistent = true,                    \
                                                                   .is_large = IS_LARGE,                     \
                                                                   __VA_ARGS__}))
#else
#define WRAP_PERSISTENT(...)
#endif
#define WRAP_COLLECTIVE(name, iname, record, action_name, ...)                                               \
    WRAP_BOTH(name, iname, record, action_name, __VA_ARGS__)                                                 \
    WRAP_PERSISTENT(NAMED(name##_init), record, action_name, __VA_ARGS__)

#define COUNT       int
#define START       int
#define IS_LARGE    false
#define NAMED(name) name
WRAP_COLLECTIVE(Barrier, Ibarrier, record_barrier, "barrier", (MPI_Comm comm), (comm), .root = -1)
#include "live/capture/wrap_collectives.def"

/* MPI 4 has each function for counts beyond an int as well. */
#if MPI_VERSION >= 4
#undef COUNT
#undef START
#undef IS_LARGE
#undef NAMED
#define COUNT       MPI_Count
#define START       MPI_Aint
#define IS_LARGE    true
#define NAMED(name) name##_c
#include "live/capture/wrap_collectives.def"
#endif
