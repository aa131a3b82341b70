#ifndef HELIO_BASE_TAP_H
#define HELIO_BASE_TAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

/* The event tap: everything that observes a run listens here, and nothing that is observed knows who listens.
 */
enum tap_kind {
    TAP_SENT,      /* a message was posted by its sender, at `at` */
    TAP_INJECTED,  /* a message was handed to the fabric, at `at` */
    TAP_PART,      /* what became of a message from `since` to `at`, which may lie in the future */
    TAP_DELIVERED, /* it is known to arrive whole, at `at`, which may lie in the future */
    TAP_RECEIVED,  /* it and its receiver will have met, at `at`, which may lie in the future */
    TAP_FINISHED,  /* both ends are done with it: all of its times are known */
    TAP_BLOCKED,   /* `rank` waits from `at` on, in `call`; TAP_IDLE will tell until when */
    TAP_IDLE,      /* `rank` was blocked in `call` until `at`, by what `cause` and `peer` say */
    TAP_COMPUTED,  /* `rank` computed from `since` to `at` */
    TAP_ENDED,     /* `rank` made its last call, at `at` */
    TAP_SOFTWARE,  /* with a host model, before that: the core of `rank` has spent `at` on messages in all */
};

/* What a message did for a part of its time: moved, or waited. */
enum tap_part {
    TAP_PART_WAIT,      /* for its receiver; whatever else happened meanwhile goes before it */
    TAP_PART_HANDSHAKE, /* for a control message of its rendezvous */
    TAP_PART_SOFTWARE,  /* the core at one of its ends worked on it, or had to finish something else first */
    TAP_PART_BUS,       /* between core or memory and the NIC */
    TAP_PART_ACQUIRE,   /* asked for the resource that moves it */
    TAP_PART_QUEUE,     /* stood in the queue for it */
    TAP_PART_SWITCH,    /* a circuit was set up for it */
    TAP_PART_STORED,    /* was in a buffer on its way, and waited to leave it */
    TAP_PART_TRANSFER,  /* its bytes were put onto the way */
    TAP_PART_WIRE,      /* the last of them were on the way */
    TAP_PART_RELEASE,   /* gave the resource back */
    TAP_PARTS
};

#define TAP_NOBODY UINT32_MAX

struct message;

struct tap_record {
    enum tap_kind kind;
    uint32_t rank;
    uint32_t call;  /* enum call_op in which the rank was blocked */
    uint32_t cause; /* enum call_op of the completion that it waited for last */
    uint32_t peer;  /* the rank at that one's other end, or TAP_NOBODY */
    uint32_t index; /* of the message: names it from TAP_SENT to TAP_FINISHED */
    ps_t since, at;
    const struct message *message;
    enum tap_part part;
    const char *awaited; /* what the part waited for: a constant text, and which of them; NULL = nothing */
    uint32_t which;
    ps_t alone; /* how long the part would take if nothing else was under way; 0 = not known */
};

enum { TAP_KINDS = TAP_SOFTWARE + 1, TAP_HANDLERS = 8 };

struct tap_handler {
    void (*handle)(void *self, const struct tap_record *record);
    void *self;
};

/* Listeners by what they want to hear: telling costs nothing beyond the calls. */
struct tap {
    uint32_t count[TAP_KINDS];
    struct tap_handler handlers[TAP_KINDS][TAP_HANDLERS];
};

#define TAP_BIT(kind) (UINT32_C(1) << (kind))

/* `wanted`: TAP_BITs or-ed. */
static inline void tap_handle(struct tap *tap, uint32_t wanted,
                              void (*handle)(void *self, const struct tap_record *record), void *self)
{
    for (uint32_t kind = 0; kind < TAP_KINDS; kind++) {
        if (!(wanted & TAP_BIT(kind)))
            continue;
        assert(tap->count[kind] < TAP_HANDLERS);
        tap->handlers[kind][tap->count[kind]++] = (struct tap_handler){.handle = handle, .self = self};
    }
}

/* For what costs something to find out before it is told. */
static inline bool tap_has_handler(const struct tap *tap, enum tap_kind kind)
{
    return tap->count[kind] != 0;
}

static inline void tap_emit(const struct tap *tap, const struct tap_record *record)
{
    const struct tap_handler *handlers = tap->handlers[record->kind];
    for (uint32_t i = 0; i < tap->count[record->kind]; i++)
        handlers[i].handle(handlers[i].self, record);
}

/* Parts told of a message later begin where those told before it end. */
static inline void tap_emit_part(const struct tap *tap, uint32_t index, enum tap_part part, ps_t since,
                                 ps_t at, const char *awaited, uint32_t which)
{
    if (tap_has_handler(tap, TAP_PART) && at > since)
        tap_emit(tap, &(struct tap_record){.kind = TAP_PART,
                                           .index = index,
                                           .since = since,
                                           .at = at,
                                           .part = part,
                                           .awaited = awaited,
                                           .which = which});
}

#endif
