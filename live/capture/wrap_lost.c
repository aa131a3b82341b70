#include "live/capture/wrap.h"

/* The functions that the MPI declares and calls.txt does not name: one-sided communication, files, dynamic
 * processes and others. The trace says only that they were called. lost.awk makes the list from the MPI's
 * mpi.h. */
#define LOST(name, parameters, arguments)                                                                    \
    WRAP_WAIT(name, parameters, arguments, record_lost("MPI_" #name, NULL), NOTHING)

#include "capture_lost.h"
