#ifndef HELIO_CLI_BREAKDOWN_PROBE_H
#define HELIO_CLI_BREAKDOWN_PROBE_H

#include "breakdown/measure.h"

/* The probes that are built beside helio, one for each stack of software. */
struct probe {
    const char *kind;    /* "uct", "openmpi", "mpich" */
    const char *mpiexec; /* NULL: it starts its two processes itself; "": this build has no such MPI */
};

enum { PROBES = 3 };
extern const struct probe probes[PROBES];

/* Whether the probe can be run: it was built, and its file is there. If not, *why is the reason, to be freed.
 */
bool probe_is_there(const struct probe *probe, char **why);

/* Runs it and reads what it prints. To be freed with measure_free. */
enum status probe_run(const struct probe *probe, struct measurement *measurement);

#endif
