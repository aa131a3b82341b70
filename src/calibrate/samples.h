#ifndef HELIO_CALIBRATE_SAMPLES_H
#define HELIO_CALIBRATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* What the probe of `helio calibrate` (live/calibrate) prints: a line for each sample, in the order in which
 * they were taken.
 *
 *   heliocalibrate 1
 *   mpi openmpi|mpich             library TEXT
 *   world NODES RANKS MOST PROCESSORS          MOST: ranks of the largest node
 *   eager PLACE BYTES                          the largest message that needs no receive
 *   sample KIND PLACE AT_ONCE BYTES NS         AT_ONCE: pairs, or ranks of the node, that do so together
 *   guard NAME ok|failed TEXT
 *   end */
enum calibrate_kind {
    CALIBRATE_HALF,    /* half a round trip */
    CALIBRATE_SEND,    /* a call of MPI_Send */
    CALIBRATE_RECEIVE, /* a call of MPI_Recv of a message that has arrived */
    CALIBRATE_GAP,     /* from one message to the next of a window */
    CALIBRATE_STREAM,  /* the same of large messages, of several pairs at once */
    CALIBRATE_COPY,    /* a copy in memory */
    CALIBRATE_COMPUTE, /* a thousand floating-point operations; BYTES: of their data */
    CALIBRATE_KINDS
};

enum calibrate_place { CALIBRATE_BETWEEN, CALIBRATE_WITHIN, CALIBRATE_PLACES }; /* nodes */

struct calibrate_series {
    enum calibrate_kind kind;
    enum calibrate_place place;
    uint32_t at_once;
    uint64_t bytes;
    double *ns; /* in the order of the lines */
    size_t count, capacity;
};

enum { CALIBRATE_GUARDS = 16, CALIBRATE_TEXT = 256 };

struct calibrate_guard {
    char name[32];
    bool passed;
    char reason[CALIBRATE_TEXT];
};

struct calibrate_samples {
    char mpi[16], library[128];
    uint32_t nodes, ranks, most, processors;
    bool has_eager[CALIBRATE_PLACES];
    uint64_t eager[CALIBRATE_PLACES];
    struct calibrate_series *series;
    size_t count, capacity;
    struct calibrate_guard guards[CALIBRATE_GUARDS];
    size_t guard_count;
    size_t lines; /* that were read */
    bool is_done; /* the line `end` has come */
};

/* Reads lines from the file until its end, or the line `end`. Lines of others, as an MPI may print, go to
 * `pass`; if that is NULL they are errors, which are reported with their place. The samples are to be freed
 * in any case. STATUS_FAILED, reported: there is no line `end`. */
enum status calibrate_read(struct calibrate_samples *samples, FILE *file, const char *name,
                           void (*pass)(const char *line));
void calibrate_free(struct calibrate_samples *samples);

const char *calibrate_kind_name(enum calibrate_kind kind);
const char *calibrate_place_name(enum calibrate_place place);
/* NULL: there is none. */
const struct calibrate_series *calibrate_find(const struct calibrate_samples *samples,
                                              enum calibrate_kind kind, enum calibrate_place place,
                                              uint32_t at_once, uint64_t bytes);
void calibrate_add_guard(struct calibrate_samples *samples, const char *name, bool passed,
                         const char *reason);

#endif
