#ifndef HELIO_ENGINE_LOGGOPS_CAUSES_H
#define HELIO_ENGINE_LOGGOPS_CAUSES_H

#include <stdint.h>

#include "engine/loggops/internal.h"

/* What the critical path (engine/critical.h) is told of a run by our own rules. engine->causes is NULL where
 * nobody asks, and where the rules are those of a simulator; then nothing of this is called. */

void loggops_causes_open(struct loggops *engine);
void loggops_causes_close(struct loggops *engine);

/* A core begins to compute or to send, and its times are still those before that. The operations that wait
 * for this are released next. */
void loggops_causes_begin(struct loggops *engine, uint32_t host, uint32_t operation, when_t at);
/* The same core is done: it has sent, or has computed since then. */
void loggops_causes_core_ends(struct loggops *engine, uint32_t host, uint32_t operation, when_t at);
void loggops_causes_computed(struct loggops *engine, uint32_t host, uint32_t operation, when_t since,
                             when_t at);
/* The core sends the message, which is at its peer at `there`; the times of core and NIC are those behind it.
 */
void loggops_causes_send(struct loggops *engine, uint32_t index, const struct message *shown, when_t at,
                         when_t there);
void loggops_causes_receive(struct loggops *engine, uint32_t host, uint32_t receive, when_t at);

struct loggops_handling {
    when_t at, core_free, nic_free; /* the times of core and NIC before it */
    when_t by_cpu, by_nic;          /* what the bytes take */
};

/* The receiver handles the message. The times of its core and NIC are those behind it. */
void loggops_causes_handle(struct loggops *engine, uint32_t index, uint32_t met,
                           const struct loggops_handling *handling);

enum loggops_ends { ENDS_SEND, ENDS_RECEIVE };

/* The message that is being handled has met the receive; what this releases at `at` is released next. */
void loggops_causes_meet(struct loggops *engine, uint32_t index, uint32_t receive, when_t at,
                         enum loggops_ends what);
/* The receive, which begins at `at`, has met the message, which was handled before. The receive ends last. */
void loggops_causes_meet_handled(struct loggops *engine, uint32_t index, when_t at, when_t end,
                                 enum loggops_ends what);

/* The operation `by` has begun or ended, and the other one waits for that. */
void loggops_causes_release(struct loggops *engine, uint32_t host, uint32_t by, uint32_t operation);
/* An operation has ended, and all that wait for it are released. */
void loggops_causes_ended(struct loggops *engine, uint32_t host, uint32_t operation);
/* The host ends at `finish`. */
void loggops_causes_host_ends(struct loggops *engine, uint32_t host, when_t finish);

#endif
