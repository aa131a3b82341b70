#ifndef HELIO_CLI_BREAKDOWN_MACHINE_H
#define HELIO_CLI_BREAKDOWN_MACHINE_H

#include "breakdown/measure.h"
#include "machine/machine.h"

/* A machine file into which a measured host model is to be written. */
struct breakdown_machine {
    const char *path;
    char *text;
    struct config *like;
    struct machine machine;
    const char *mpi;     /* whose host model it gets: its own mpi.tuning unless set; NULL: any */
    char *system, *kind; /* the text of the system file, and its MPI; NULL: not measured yet */
};

/* STATUS_BAD_INPUT, reported: it is no machine file. To be closed in any case. */
enum status breakdown_machine_open(struct breakdown_machine *into, const char *path);
void breakdown_machine_close(struct breakdown_machine *into);

/* Keeps a measurement if it is one of that MPI. STATUS_BAD_INPUT, reported: there is another one. */
enum status breakdown_machine_take(struct breakdown_machine *into, const struct measurement *measurement,
                                   const struct measure_result *result);
/* Writes the file anew, with the host model that was kept, and with latencies that go with it. */
enum status breakdown_machine_write(const struct breakdown_machine *into);

#endif
