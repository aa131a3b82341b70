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
    TAP_SOFTWARE,  /* with a host model, before that: the core of `rank` has spent `at` on messages in all */
};

struct message;

struct tap_record {
    enum tap_kind kind;
    uint32_t rank;
    uint32_t cause;
    ps_t since, at;
    const struct message *message;
};

enum { TAP_KINDS = TAP_SOFTWARE + 1, TAP_LISTENERS = 8 };

struct tap_listener {
    void (*hear)(void *self, const struct tap_record *record);
    void *self;
};

/* Listeners by what they want to hear: telling costs nothing beyond the calls. */
struct tap {
    uint32_t count[TAP_KINDS];
    struct tap_listener listeners[TAP_KINDS][TAP_LISTENERS];
};

#define TAP_BIT(kind) (UINT32_C(1) << (kind))

/* `wanted`: TAP_BITs or-ed. */
static inline void tap_listen(struct tap *tap, uint32_t wanted,
                              void (*hear)(void *self, const struct tap_record *record), void *self)
{
    for (uint32_t kind = 0; kind < TAP_KINDS; kind++) {
        if (!(wanted & TAP_BIT(kind)))
            continue;
        assert(tap->count[kind] < TAP_LISTENERS);
        tap->listeners[kind][tap->count[kind]++] = (struct tap_listener){.hear = hear, .self = self};
    }
}

static inline void tap_tell(const struct tap *tap, const struct tap_record *record)
{
    const struct tap_listener *listeners = tap->listeners[record->kind];
    for (uint32_t i = 0; i < tap->count[record->kind]; i++)
        listeners[i].hear(listeners[i].self, record);
}

#endif
