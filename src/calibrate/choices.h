#ifndef HELIO_CALIBRATE_CHOICES_H
#define HELIO_CALIBRATE_CHOICES_H

#include "calibrate/machine_file.h"
#include "coll/coll.h"

/* Which algorithms the collectives of an MPI are, as live/choices has seen by counting their messages:
 *
 *   heliochoices 1
 *   mpi openmpi|mpich             library TEXT
 *   world NODES RANKS
 *   choice RANKS CALL FIRST LAST NAMES    calls of FIRST to LAST bytes: our algorithms that send the same
 *                                         messages, with commas between them; -: none of ours does
 *   table RANKS CALL SIZES AGREE          sizes that were tried, and those at which our table of this MPI's
 *                                         choices (mpi.tuning) names one of these algorithms
 *   uncounted TEXT                        why messages cannot be counted
 *   end
 *
 * CALL is a collective, or reduce_scatter_block. Its lines follow one another, the sizes rise, and `table` is
 * its last line. */

enum { CHOICE_NAMES = 32 };

struct choice_range {
    uint64_t first, last;
    const struct coll_algorithm *fits[CHOICE_NAMES];
    size_t count; /* 0: none of ours */
};

/* A collective with so many ranks. */
struct choice_call {
    uint32_t ranks;
    enum coll_kind kind;
    bool block; /* MPI_Reduce_scatter_block */
    struct choice_range *ranges;
    size_t count, capacity;
    uint32_t sizes, agree;
    bool is_done; /* the line `table` has come */
};

struct choices {
    char mpi[16], library[128];
    uint32_t nodes, ranks;
    struct choice_call *calls;
    size_t count, capacity;
    char uncounted[CALIBRATE_TEXT]; /* empty: counted */
    bool is_there;                  /* there was a first line */
    bool is_done;                   /* the line `end` has come */
};

/* Reads lines until the end of the file, or the line `end`; `lines` were read before. Lines of others go to
 * `pass`; if that is NULL, they are errors. Nothing at all is no error. The choices are to be freed in any
 * case. STATUS_FAILED, reported: there is no line `end`. */
enum status choices_read(struct choices *choices, FILE *file, const char *name, size_t lines,
                         void (*pass)(const char *line));
void choices_free(struct choices *choices);

/* Whether the call sends what our table says at all sizes. */
bool choice_agrees(const struct choice_call *call);
/* The call as a parameter of the machine file, such as "ring<=64KiB,bruck". False: the file has none, since
 * mpi.tuning says it, since no parameter can, or since the call is not one of all ranks. */
bool choice_print(const struct choices *choices, const struct choice_call *call, char *buffer, size_t size);
/* Whether the machine file says another algorithm than one that sends what the call sends. */
bool choice_is_lost(const struct choices *choices, const struct choice_call *call);
/* Adds them to what the machine file says: choices_list.c. */
void choices_list(const struct choices *choices, struct calibrate_entries *entries);

#endif
