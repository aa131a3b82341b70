#ifndef HELIO_TRACE_OTF2_RECORDS_H
#define HELIO_TRACE_OTF2_RECORDS_H

#include "trace/otf2/calls.h"

/* Records of messages and of collectives as calls. What returns a bool has reported an error where it is
 * false. */

/* Reports an error at the byte of the rank's events. Returns false. */
bool otf2_calls_fail(struct otf2_calls *calls, uint64_t byte, const char *what);

/* A communicator as a rank sees it. */
struct otf2_comm_view {
    const struct otf2_comm *comm;
    const struct otf2_group *local, *remote; /* the same unless it is an inter-communicator */
    struct otf2_comm_use *use;
};

bool otf2_view_comm(struct otf2_calls *calls, uint32_t id, uint64_t byte, struct otf2_comm_view *view);
/* Sets the rank's own number in the communicator; of an inter-communicator it may be in either group. */
bool otf2_view_self(struct otf2_calls *calls, struct otf2_comm_view *view, uint64_t byte);

/* The fields that all records of messages share. `request`: of a request, its number; else NULL. */
bool otf2_read_message(struct otf2_calls *calls, const struct otf2_event *event, struct call *call,
                       bool is_send, uint64_t *request);
/* The operation is CALL_NOTHING where the record says of no collective that moves data. */
bool otf2_read_collective(struct otf2_calls *calls, const struct otf2_event *event, struct otf2_entry *entry,
                          uint64_t *request);

/* Reads the events of all ranks for their sums, the first time. */
bool otf2_calls_scan(struct otf2_calls *calls);

#endif
