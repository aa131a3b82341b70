#ifndef HELIO_FABRIC_TDM_TDM_H
#define HELIO_FABRIC_TDM_TDM_H

#include "base/metric.h"
#include "base/param.h"
#include "base/status.h"
#include "base/time.h"

/* What the fabrics with time-division multiplexing share. Time is divided into slots, numbered from 0 at the
 * start of the run; a connection that owns slot k of K moves slot_bytes in each of its slots.
 * docs/models/tdm.md
 *
 *   tdm.h, .c         parameters, statistics, slots and times
 *   compiled.c        tdm-compiled: connections are scheduled before the program runs
 *   registers.h, .c   a scheduled pattern, as the switches' registers hold it
 *   dynamic.c         tdm-dynamic: a connection is reserved when a message needs it
 *   dynamic.h, dynamic_params.c    its parameters
 */
struct tdm_config {
    ps_t slot_ps;
    uint64_t slot_bytes;
    ps_t wire_ps;
};

extern const struct param_table tdm_params; /* struct tdm_config */

struct topo;
struct derivation;
struct fabric_description;
struct config;
struct hardware;

/* For fabric_ops.derive and describe. */
void tdm_derive(struct derivation *derivation);
/* What both kinds of control share: rates at a multiplexing degree, and the latency of data in the network.
 */
void tdm_describe(const struct config *config, uint32_t nodes, uint64_t degree,
                  struct fabric_description *description);
enum status tdm_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);

/* In a slot every link moves tdm.slot_bytes. STATUS_BAD_INPUT, reported: the network gives a link another
 * rate; a platform, one that is less. */
enum status tdm_check_rates(const struct tdm_config *config, const struct topo *topo);
/* What light takes on all links of the way between two nodes. */
ps_t tdm_light_ps(const struct tdm_config *config, const struct topo *topo, uint32_t source,
                  uint32_t destination);

struct tdm_statistics {
    uint64_t degree;           /* the largest */
    uint64_t slots;            /* until the last message was delivered */
    sum_t data_slots;          /* that carried data, over all messages and hops */
    uint64_t retransmissions;  /* reservations that failed */
    uint64_t reconfigurations; /* times that registers were loaded */
    uint64_t hops;             /* of messages over a logical topology */
    sum_t waited;              /* from submission to the first slot of data, over all messages */
    ps_t released;             /* the last connection was given up */
};

extern const struct metric_table tdm_metrics; /* struct tdm_statistics */

/* The first slot that begins at or after this time, and when a slot begins. Both saturate. */
static inline int64_t tdm_slot_from(const struct tdm_config *config, ps_t at)
{
    return at / config->slot_ps + (at % config->slot_ps != 0);
}

static inline ps_t tdm_slot_begin(const struct tdm_config *config, int64_t slot)
{
    ps_t at;
    return __builtin_mul_overflow(slot, config->slot_ps, &at) ? PS_NEVER : at;
}

/* Slots of data of a message: at least one, for its envelope. */
static inline int64_t tdm_slots_of(const struct tdm_config *config, uint64_t bytes)
{
    uint64_t slots = bytes / config->slot_bytes + (bytes % config->slot_bytes != 0);
    return slots ? (int64_t)(slots & INT64_MAX) : 1;
}

/* The first slot at or after `from` that is slot k of a frame of K slots; the first frame begins at slot
 * `base`. */
static inline int64_t tdm_next_slot(int64_t from, int64_t base, int64_t k, int64_t degree)
{
    if (from <= base)
        return ps_add(base, k);
    int64_t ahead = (k - (from - base)) % degree;
    return ps_add(from, ahead < 0 ? ahead + degree : ahead);
}

/* The slot after the last of `count` slots, one in each frame, the first of which is `first`. */
static inline int64_t tdm_end_slot(int64_t first, int64_t count, int64_t degree)
{
    int64_t length;
    if (__builtin_mul_overflow(count - 1, degree, &length))
        return PS_NEVER;
    return ps_add(ps_add(first, length), 1);
}

#endif
