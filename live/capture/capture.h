#ifndef HELIO_CAPTURE_CAPTURE_H
#define HELIO_CAPTURE_CAPTURE_H

/* The tracer that is preloaded into MPI programs. Each rank writes the lines of its time-independent trace as
 * it makes its calls (docs/capture.md). The same source makes one library for each MPI. Each file uses only
 * those above it in this map.
 *
 *   diagnostics.c       messages for the user, and the rank in them
 *   symbols.c           finds functions of the MPI by name
 *   packed.c            lines as frames of zstd
 *   output.c            lines in a mapped file
 *   traffic.c           how many messages and collectives are behind the rank
 *   interval.c          the part of the run that is recorded
 *   sites.c             where in the program calls are
 *   thread_clock.c      the processor time of a thread, mostly without a system call
 *   counter.c           instructions of a thread
 *   bursts.c            what is known of the computation between calls besides its processor time
 *   poll_times.c        the time between polls, of which only some are timed
 *   process.c           whether calls are recorded, the lock, the computation between calls
 *   types.c             datatypes: SimGrid's numbers and true sizes
 *   topology.c          who the neighbours of a rank are
 *   comms.c             communicators: their members, and names on which all members agree
 *   requests.c          requests and matched messages by handle
 *   record.c            lines of point-to-point calls
 *   collectives.c       lines of collectives
 *   between.c           lines of collectives of intercommunicators
 *   neighbours.c        lines of neighbourhood collectives
 *   waits.c             lines of waits
 *   times.c             how long the program ran, if that is asked for
 *   session.c           MPI_Init and MPI_Finalize: opens and closes all of this
 *   wrap*.c             the MPI functions that the library replaces (wrap.h)
 *   calls.txt           names the calls that are recorded and those that a trace need not mention; each other
 *                       call is marked as lost
 *
 * The library runs inside other people's programs. It never ends the program, with two exceptions: it is
 * built for another MPI than the program's, whose handles it cannot even pass on, or the MPI lacks a function
 * that the program calls. It writes nothing to standard output. It needs no symbol of an MPI when it is
 * loaded. */

#include "live/capture/between.h"
#include "live/capture/collectives.h"
#include "live/capture/comms.h"
#include "live/capture/interval.h"
#include "live/capture/neighbours.h"
#include "live/capture/process.h"
#include "live/capture/record.h"
#include "live/capture/requests.h"
#include "live/capture/session.h"
#include "live/capture/symbols.h"
#include "live/capture/waits.h"

#endif
