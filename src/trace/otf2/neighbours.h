#ifndef HELIO_TRACE_OTF2_NEIGHBOURS_H
#define HELIO_TRACE_OTF2_NEIGHBOURS_H

#include "trace/otf2/calls.h"

/* A neighbourhood collective (MPI 3.1, section 7.6) is replayed as the messages that it consists of, all at
 * once. An archive can have their records. Else OTF2 has no kind of collective for it, but it can have the
 * grid of the communicator, from which the neighbours follow. */

/* Adds the messages of the open call on a communicator with a grid as its items. `sums`: all bytes that the
 * rank sends and receives; NULL: the archive does not say. */
void otf2_neighbours_take(struct otf2_calls *calls, const struct otf2_comm *comm,
                          const struct otf2_sums *sums, uint64_t byte);

/* Whether the open call has several messages, and nothing else. */
bool otf2_has_messages_alone(const struct otf2_calls *calls);

/* The messages of the open call, begun together: the receives, then the sends, then a wait for each. */
void otf2_add_at_once(struct otf2_calls *calls);

#endif
