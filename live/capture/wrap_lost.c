#include "live/capture/wrap.h"

/* All other calls that an MPI declares and calls.txt does not name, one-sided communication, files, processes
 * that are started: the trace says that they were made. The list is made from the MPI's mpi.h (lost.awk). */
#define LOST(name, parameters, arguments)                                                                    \
    WRAP_WAIT(name, parameters, arguments, record_lost("MPI_" #name, NULL), NOTHING)

#include "capture_lost.h"
