#ifndef HELIO_BASE_CAUSES_H
#define HELIO_BASE_CAUSES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/part.h"
#include "base/time.h"

/* The chains of causes of the critical path (engine/critical.h), as far as the parts of messages change them.
 * A message has so many parts that the code which emits them adds them up in place, without a call. */

/* What the time of a chain consists of. */
enum critical_kind {
    CRITICAL_COMPUTATION, /* of a rank */
    CRITICAL_SOFTWARE,    /* of cores, PCIe and NICs for messages; with a host model */
    CRITICAL_SETUP,       /* a message requests its path and has it set up */
    CRITICAL_LATENCY,     /* its last byte and its control messages move */
    CRITICAL_BANDWIDTH,   /* its bytes enter the network, as fast as without other messages; of a sender that
                             waits for that, all behind the last part that the fabric tells */
    CRITICAL_CONTENTION,  /* it waits for other messages */
    CRITICAL_OTHER,       /* the fabric does not tell */
    CRITICAL_KINDS
};

/* A link of a chain: a message, and the time before it on the strand that sent it. The kinds are those of the
 * whole chain, from the beginning of the run to the end of the link. So a chain needs no link but its last
 * one, if nobody wants the list of the path. The parts of a message come long after one another, so the
 * record has the size of a cache line: CRITICAL_OTHER has no place in it, and is what the other kinds leave
 * of the time until `end`. */
enum { CAUSE_KINDS = CRITICAL_OTHER };
struct cause_link {
    uint8_t last_kind; /* of the last part; the pool overwrites this field of a free record, but not `uses` */
    bool is_closed;    /* later parts belong to another link */
    uint32_t uses;     /* by strands, messages, causes and other links; 0: the record is free */
    ps_t end;          /* of the parts so far; of the message, once it is closed */
    ps_t kinds[CAUSE_KINDS];
};
static_assert(sizeof(struct cause_link) == 64, "a cache line");

/* The links of a message. A fabric that buffers takes it from its sender whatever its receiver does: then the
 * two wait for different things. POOL_NONE: there is none. With CAUSE_RARE, which POOL_NONE has too, its
 * parts are not just added to `link`: it has two links, or no open one. */
#define CAUSE_RARE (UINT32_C(1) << 31)
struct cause_ends {
    uint32_t link; /* of its receiver, and of its sender where `of_sender` is POOL_NONE */
    uint32_t of_sender;
};

/* All chains of a run. */
struct causes {
    struct cause_link *links;
    struct cause_ends *messages; /* by the index of the message */
    size_t message_capacity;
    /* A part with CAUSE_RARE, or one that may have waited for other messages. */
    void (*take_rare_part)(struct causes *causes, struct cause_ends ends, enum critical_kind kind, ps_t since,
                           ps_t at, const struct tap_awaited *awaited);
};

/* The kind of time that a part is. */
static inline enum critical_kind cause_kind(enum tap_part part)
{
    static const uint8_t kinds[TAP_PARTS] = {
        [TAP_PART_WAIT] = CRITICAL_LATENCY,       [TAP_PART_HANDSHAKE] = CRITICAL_LATENCY,
        [TAP_PART_SOFTWARE] = CRITICAL_SOFTWARE,  [TAP_PART_BUS] = CRITICAL_SOFTWARE,
        [TAP_PART_ACQUIRE] = CRITICAL_SETUP,      [TAP_PART_QUEUE] = CRITICAL_CONTENTION,
        [TAP_PART_SWITCH] = CRITICAL_SETUP,       [TAP_PART_STORED] = CRITICAL_CONTENTION,
        [TAP_PART_TRANSFER] = CRITICAL_BANDWIDTH, [TAP_PART_WIRE] = CRITICAL_LATENCY,
        [TAP_PART_RELEASE] = CRITICAL_SETUP};
    return (enum critical_kind)kinds[part];
}

/* Parts come in the order of time. If two overlap, the one that began first counts to its end. */
static inline void cause_add(struct cause_link *link, enum critical_kind kind, ps_t since, ps_t at)
{
    link->kinds[kind] += at - ps_max(since, link->end);
    link->last_kind = (uint8_t)kind;
    link->end = at;
}

/* Adds a part of a message. Does nothing if the message has no link. */
static inline void causes_take_part(struct causes *causes, uint32_t message, enum tap_part part, ps_t since,
                                    ps_t at, const struct tap_awaited *awaited)
{
    if (message >= causes->message_capacity)
        return;
    uint32_t index = causes->messages[message].link;
    enum critical_kind kind = cause_kind(part);
    if ((index & CAUSE_RARE) || (awaited && (kind == CRITICAL_CONTENTION || awaited->alone))) {
        causes->take_rare_part(causes, causes->messages[message], kind, since, at, awaited);
        return;
    }
    struct cause_link *link = &causes->links[index];
    if (at > link->end)
        cause_add(link, kind, since, at);
}

#endif
