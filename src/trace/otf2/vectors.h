#ifndef HELIO_TRACE_OTF2_VECTORS_H
#define HELIO_TRACE_OTF2_VECTORS_H

#include "trace/otf2/definitions.h"
#include "trace/otf2/events.h"
#include "trace/otf2/local.h"
#include "trace/otf2/sizes.h"

/* The sums of all ranks in collectives whose sizes differ by rank, such as MPI_Gatherv. A record has the sums
 * of its rank alone. So the events of all ranks are read for these sums, once, when the first such call is
 * met. Calls of a communicator are numbered in the order in which a rank makes them; those that do not block
 * count apart, since a trace has them where they complete. */

struct otf2_vectors {
    const struct otf2_definitions *definitions;
    bool is_read;
    bool has_graphs;      /* a rank makes a communicator whose neighbours the archive does not have */
    struct hashmap calls; /* by communicator and number */
    uint64_t *starts;     /* of each call: where the sums of its ranks begin */
    size_t call_count, call_capacity;
    struct otf2_sums *sums; /* by the rank in the communicator */
    size_t sum_count, sum_capacity;
};

/* How far a reader of a rank's records has come: two numbers for each communicator. */
struct otf2_vector_numbers {
    uint32_t *next;
};

void otf2_vectors_free(struct otf2_vectors *vectors);

/* Whether the sizes of this kind of collective are found so. */
bool otf2_is_vector(uint8_t kind);

/* Takes the sums from the records of a rank. What is wrong with a record is left to the reader of calls. */
void otf2_vectors_begin(struct otf2_vectors *vectors, struct otf2_vector_numbers *numbers);
void otf2_vectors_take(struct otf2_vectors *vectors, struct otf2_vector_numbers *numbers,
                       const struct otf2_local *local, uint32_t rank, const struct otf2_event *event);

/* The sums of all ranks in the rank's next call on a communicator. NULL: the records have no such call. */
const struct otf2_sums *otf2_vectors_next(const struct otf2_vectors *vectors,
                                          struct otf2_vector_numbers *numbers, size_t comm, bool is_blocking);

#endif
