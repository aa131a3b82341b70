#ifndef HELIO_ENGINE_FREE_H
#define HELIO_ENGINE_FREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/param.h"
#include "base/status.h"

/* Messages that take no time between the two nodes, or within one: what would the run take without them?
 * (docs/insight.md). The work of hosts and NICs for them stays. A message has the name RANK:N: the N-th that
 * the rank sends, from 1 on, those of collectives included, handshakes not. */

/* At most so many in one run. */
enum { FREE_MESSAGES = 64 };

struct free_name {
    uint32_t rank;
    uint64_t number;
};

struct free_config {
    uint32_t count;
    struct free_name names[FREE_MESSAGES];
};

extern const struct param_table free_params; /* struct free_config */

/* The name in text; a buffer of 32 bytes is enough. */
const char *free_name_print(uint32_t rank, uint64_t number, char *buffer, size_t size);

/* Counts what ranks send. */
struct free_messages;

/* NULL in *messages: no message is free. STATUS_BAD_INPUT, reported: a rank that is not there. */
enum status free_messages_open(const struct config *config, uint32_t ranks, struct free_messages **messages);
void free_messages_close(struct free_messages *messages); /* NULL: does nothing */

/* The rank sends its next message. True: that is free. */
bool free_messages_count(struct free_messages *messages, uint32_t rank);

/* After a run. STATUS_BAD_INPUT, reported: a message was never sent. */
enum status free_messages_check(const struct free_messages *messages);

#endif
