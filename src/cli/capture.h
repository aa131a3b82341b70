#ifndef HELIO_CLI_CAPTURE_H
#define HELIO_CLI_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A program that is run with the tracer of its MPI. */
struct capture_command {
    const char *folder; /* of the trace, to be made; NULL: the tracer records nothing */
    const char *mpi;    /* NULL: that of the launcher */
    uint64_t rate_flops;
    char **words;           /* the launcher and the program; ends with NULL */
    bool has_sites;         /* the trace says where in the source calls are */
    const char **collected; /* folders of ranks that have been captured elsewhere, instead of a program */
    size_t collected_count, collected_capacity;
    const char *from, *to; /* the part of the run that is recorded; NULL: from its begin, or to its end */
    double took_s;         /* the run, once it has ended; 0: it was not run here */
    bool has_bursts;       /* the trace says what each computation was */
    bool is_packed;        /* the trace is compressed while the program runs */
    bool is_silent;        /* about a trace that is whole */
};

/* Runs it and completes its trace. From here on this process outlives the signals that end the program, so it
 * ends with the program. */
enum status capture_program(struct capture_command *capture);

/* Makes `folder` of the ranks' files in the collected folders. An error is reported, and leaves no folder. */
enum status capture_collect(const struct capture_command *capture);

/* Cuts the parts of a run that the ranks have recorded back to what is a program. Sets the number of its
 * lines. STATUS_FAILED, reported: the files stay as they are. */
enum status capture_cut_parts(const struct capture_command *capture, uint64_t *lines);

#endif
