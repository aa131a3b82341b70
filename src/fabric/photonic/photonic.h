#ifndef HELIO_FABRIC_PHOTONIC_PHOTONIC_H
#define HELIO_FABRIC_PHOTONIC_PHOTONIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/event.h"
#include "base/metric.h"
#include "base/status.h"
#include "base/tap.h"
#include "topo/topo.h"

/* Photonic networks at flow level: circuits of WDM channels, reserved by probes. After J. Duro, S. Petit,
 * M. E. Gomez, J. Sahuquillo: Segment Switching: A New Switching Strategy for Optical HPC Networks, IEEE
 * Access 9 (2021). Every reading that the paper leaves open is a parameter. docs/models/photonic.md */
enum photonic_switching {
    PHOTONIC_CIRCUIT,    /* a circuit for a whole message (section III) */
    PHOTONIC_PACKETISED, /* one for each packet of at most an MTU (VI-A) */
    PHOTONIC_SEGMENT,    /* as far as channels are free, and on from a buffer (IV, Algorithm 1) */
};

extern const struct param_table photonic_params; /* struct photonic_config */
extern const struct param_table segment_params;  /* struct segment_config */
extern const struct metric_table photonic_metrics;

/* What becomes of a message, each once and at or after the present; delivered is the last. */
struct photonic_callbacks {
    void *self;
    void (*visible)(void *self, uint32_t message, ps_t at);     /* the first probe reaches its destination */
    void (*sender_done)(void *self, uint32_t message, ps_t at); /* its last packet has left its source */
    void (*delivered)(void *self, uint32_t message, ps_t at);
    void (*failed)(void *self, enum status status); /* the watchdog has ended the run, and said why */
};

struct photonic_plan {
    const struct config *config; /* has both tables of parameters */
    enum photonic_switching switching;
    const char *name;        /* of the fabric, for messages */
    const struct topo *topo; /* is copied */
    struct event_loop *loop;
    const struct tap *tap; /* hears where a message's time goes */
    uint64_t seed;
    struct photonic_callbacks callbacks;
};

struct photonic;

/* STATUS_BAD_INPUT, reported, where parameters do not go together. */
enum status photonic_open(const struct photonic_plan *plan, struct photonic **photonic);
void photonic_close(struct photonic *photonic);
size_t photonic_bytes(const struct photonic *photonic); /* memory held */

/* A message between two nodes of the topology, which differ, generated now. `id` comes back in the answers.
 */
void photonic_send(struct photonic *photonic, uint32_t id, uint32_t source, uint32_t destination,
                   uint64_t bytes);

/* What was measured until now, the struct of the metric table; valid until the next call. */
const void *photonic_statistics(struct photonic *photonic);

/* Notes on the links that packets wait for. */
void photonic_explain(const struct photonic *photonic);

#endif
