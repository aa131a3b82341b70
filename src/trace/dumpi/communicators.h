#ifndef HELIO_TRACE_DUMPI_COMMUNICATORS_H
#define HELIO_TRACE_DUMPI_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/status.h"
#include "trace/dumpi/lists.h"
#include "trace/dumpi/record.h"
#include "trace/image/comms.h"

/* The communicators of a trace. Which ranks a communicator has is in no record: it follows from what all its
 * makers said, as the colours and keys of MPI_Comm_split. So the calls that make groups and communicators are
 * read from all ranks first; then the ranks are followed from one such call to the next, and a call that
 * needs others waits until all have come to it. */

/* A call that makes a group or a communicator. `a` and `b` are the handles it is made from, `c` the new one.
 */
struct dumpi_event {
    uint64_t at;
    uint16_t function, a, b, c;
    int32_t x, y, z;
    uint32_t list;
};

struct dumpi_comm {
    uint32_t local, remote; /* lists of ranks of the world; remote: of an intercommunicator, else 0 */
    uint32_t shape;         /* the dimensions of a grid; 0: none */
    uint32_t image;         /* its number in the compiled trace */
    bool is_outside;        /* with processes or of calls that the trace does not have */
    bool is_topology;       /* MPI_Cart_create or MPI_Graph_create has made it ... */
    uint32_t made_by;       /* ... on this rank first, with this call: its number from 1 */
    uint64_t made_at;
    bool is_used;      /* a call communicates on it, makes another of it, or asks for a neighbour */
    uint16_t function; /* what its ranks are about to make of it ... */
    uint32_t arrived;  /* ... those that have come there */
};

enum { DUMPI_WORLD = 0, DUMPI_OUTSIDE = 1 };
#define DUMPI_NO_COMM UINT32_MAX

/* A rank: its events, and what they have made. */
struct dumpi_maker {
    const char *file;
    struct dumpi_event *events;
    size_t count, capacity;
    size_t next;    /* event, while they are followed */
    uint32_t *made; /* the communicator that each event that makes one has made; DUMPI_NO_COMM: none here */
    size_t made_count, made_capacity;
};

struct dumpi_comms {
    struct dumpi_lists lists;
    struct dumpi_comm *comms;
    size_t count, capacity;
    struct dumpi_maker *makers; /* by rank */
    uint32_t ranks;
};

void dumpi_comms_init(struct dumpi_comms *comms, uint32_t ranks);
void dumpi_comms_free(struct dumpi_comms *comms);

/* The handle that the call of a record makes. */
uint16_t dumpi_made_handle(const struct dumpi_record *record);

/* A call that makes a group or a communicator, in the order of the rank's calls. */
void dumpi_comms_add(struct dumpi_comms *comms, uint32_t rank, const struct dumpi_record *record);

/* Finds the ranks of all communicators. An error is reported. */
enum status dumpi_comms_follow(struct dumpi_comms *comms);

/* A communicator of these lists; `remote` and `shape` may be 0. */
uint32_t dumpi_new_comm(struct dumpi_comms *comms, uint32_t local, uint32_t remote, uint32_t shape);

/* Tells the compiled trace all communicators. */
void dumpi_comms_define(struct dumpi_comms *comms, struct comms *image);

#endif
