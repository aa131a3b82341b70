#ifndef HELIO_FABRIC_FAULT_EVENTS_H
#define HELIO_FABRIC_FAULT_EVENTS_H

#include "base/config.h"
#include "base/time.h"
#include "topo/faults.h"

/* The parameter faults.events (docs/faults.md), in the order of its times; of one time, in the order of the
 * text. */
struct fault_events {
    struct fault_event *items;
    ps_t *at_ps;
    size_t count;
};

/* STATUS_BAD_INPUT, reported: it cannot be read. */
enum status fault_events_read(const struct config *config, struct fault_events *events);
void fault_events_free(struct fault_events *events);

/* Those that have happened until then, that time included. */
const struct fault_event *fault_events_until(const struct fault_events *events, ps_t time, size_t *count);
/* Takes the repairs out of *events. */
const struct fault_event *fault_events_without_repairs(struct fault_events *events, size_t *count);

#endif
