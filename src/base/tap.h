#ifndef HELIO_BASE_TAP_H
#define HELIO_BASE_TAP_H

#include <assert.h>
#include <stdint.h>

#include "base/time.h"

/* The event tap: everything that observes a run listens here, and nothing that is observed knows who listens.
 */
enum tap_kind {
    TAP_INJECTED,  /* a message was handed to the fabric, at `at` */
    TAP_DELIVERED, /* it is known to arrive whole, at `at`, which may lie in the future */
    TAP_FINISHED,  /* both ends are done with it: all of its times are known */
    TAP_IDLE,      /* `rank` was blocked from `since` to `at`, because of `cause` (an enum call_op) */
    TAP_COMPUTED,  /* `rank` computed from `since` to `at` */
    TAP_ENDED,     /* `rank` made its last call, at `at` */
};

struct message;

struct tap_record {
    enum tap_kind kind;
    uint32_t rank;
    uint32_t cause;
    ps_t since, at;
    const struct message *message;
};

enum { TAP_LISTENERS = 8 };

struct tap {
    uint32_t wanted; /* bit per kind: somebody listens */
    uint32_t count;
    struct {
        uint32_t wanted;
        void (*hear)(void *self, const struct tap_record *record);
        void *self;
    } listeners[TAP_LISTENERS];
};

#define TAP_BIT(kind) (UINT32_C(1) << (kind))

/* `wanted`: TAP_BITs or-ed. */
static inline void tap_listen(struct tap *tap, uint32_t wanted,
                              void (*hear)(void *self, const struct tap_record *record), void *self)
{
    assert(tap->count < TAP_LISTENERS);
    tap->listeners[tap->count].wanted = wanted;
    tap->listeners[tap->count].hear = hear;
    tap->listeners[tap->count++].self = self;
    tap->wanted |= wanted;
}

static inline void tap_tell(const struct tap *tap, const struct tap_record *record)
{
    if (!(tap->wanted & TAP_BIT(record->kind)))
        return;
    for (uint32_t i = 0; i < tap->count; i++)
        if (tap->listeners[i].wanted & TAP_BIT(record->kind))
            tap->listeners[i].hear(tap->listeners[i].self, record);
}

#endif
