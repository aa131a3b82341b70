#ifndef TESTS_SUPPORT_LIGHT_H
#define TESTS_SUPPORT_LIGHT_H

/* A photonic network alone: messages are submitted at given times, and their fates are recorded. Every run
 * checks that all channels, slots and ports are free at the end. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "fabric/photonic/photonic.h"

enum { LIGHT_MESSAGES = 8192, LIGHT_LINKS = 8192 };

struct light_message {
    ps_t at;
    uint32_t source, destination;
    uint64_t bytes;
};

struct light_outcome {
    enum status status;
    ps_t visible[LIGHT_MESSAGES], sender_done[LIGHT_MESSAGES], delivered[LIGHT_MESSAGES]; /* -1: never */
    uint32_t deliveries;
    ps_t makespan;
    struct photonic_statistics statistics;
    int64_t stored[STORED_CLASSES];
    ps_t link_data[LIGHT_LINKS], link_granted[LIGHT_LINKS]; /* indexed by the topology's link number */
    ps_t link_busy[LIGHT_LINKS];
    uint64_t link_steps[LIGHT_LINKS], buffer_steps; /* of all buffers */
    char said[8192];
};

/* Messages are in the order of their times. `settings` end with NULL. */
void light_run(const char *topology, enum photonic_switching switching, const char *const *settings,
               const struct light_message *messages, uint32_t count, uint64_t seed,
               struct light_outcome *outcome);

/* Handles the parts of messages, if a test has set it. */
extern struct tap_part_handler light_part_handler;

#endif
