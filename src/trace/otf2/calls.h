#ifndef HELIO_TRACE_OTF2_CALLS_H
#define HELIO_TRACE_OTF2_CALLS_H

#include "trace/otf2/definitions.h"
#include "trace/otf2/events.h"
#include "trace/otf2/local.h"
#include "trace/otf2/queue.h"
#include "trace/otf2/sizes.h"
#include "trace/otf2/vectors.h"

/* Turns the records of one rank after another into calls. Time between calls of MPI is computation, and what
 * a record in a call of MPI says is what that call does. */

/* A communicator in the image, and in the rank that is being read. */
struct otf2_comm_use {
    uint32_t number;       /* in the image, plus 1; 0: not defined yet */
    uint32_t number_stamp; /* of a rank's own: the rank that defined it */
    uint32_t neighbours;   /* the communicator of its neighbourhood collectives, plus 1 */
    uint32_t rank, stamp;  /* this rank's number in it, if `stamp` is that of the rank */
};

/* Something that a call of MPI does, until the call ends. */
struct otf2_item {
    enum { OTF2_ITEM_CALL, OTF2_ITEM_WAIT, OTF2_ITEM_TEST } kind;
    struct otf2_entry entry;
    uint64_t request; /* of a test */
};

struct otf2_calls {
    const struct otf2_definitions *definitions;
    struct otf2_local local;
    struct otf2_queue queue;
    struct otf2_vectors vectors;
    struct otf2_vector_numbers numbers; /* of the rank's calls so far */
    /* Reads the events of all ranks from `source` for their sums. */
    enum status (*read_vectors)(void *source, struct otf2_vectors *vectors);
    void *source;
    enum status status; /* of that */
    struct image_writer *writer;
    const char *path; /* of the rank's events */
    uint32_t rank, stamp;
    struct otf2_comm_use *comms; /* of each communicator */
    uint64_t *vector;            /* room for two sizes per rank */
    /* the call of MPI that is open */
    uint32_t depth;
    uint32_t region_id; /* as the location numbers it */
    const struct otf2_region *region;
    uint64_t entered_at;  /* the byte */
    uint32_t outstanding; /* requests when it was entered */
    struct otf2_item *items;
    size_t item_count, item_capacity;
    /* time, in ticks */
    uint64_t left;             /* when the last call of MPI was left, or the first event */
    uint64_t last, last_byte;  /* of the last event: its time and its place */
    uint64_t flushed;          /* that tracing took since then */
    bool has_calls;            /* any rank has */
    bool has_begun, has_ended; /* there was an event; MPI_Finalize is over */
};

/* `definitions` live as long as the calls. */
void otf2_calls_init(struct otf2_calls *calls, const struct otf2_definitions *definitions);
void otf2_calls_free(struct otf2_calls *calls);

/* calls->local is that of the rank, calls->path that of its events. */
void otf2_calls_begin(struct otf2_calls *calls, struct image_writer *writer, uint32_t rank);
/* False: stop reading; an error has been reported. */
bool otf2_calls_take(struct otf2_calls *calls, const struct otf2_event *event);
void otf2_calls_end(struct otf2_calls *calls);

#endif
