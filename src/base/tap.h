#ifndef HELIO_BASE_TAP_H
#define HELIO_BASE_TAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/causes.h"
#include "base/part.h"
#include "base/time.h"

/* The event tap. Observers of a run add handlers, and the observed code emits records without knowing the
 * handlers. */
enum tap_kind {
    TAP_SENT,      /* a message was posted by its sender, at `at` */
    TAP_INJECTED,  /* a message was handed to the fabric, at `at` */
    TAP_DELIVERED, /* the last byte is at the receiver at `at`, which may be in the future */
    TAP_RECEIVED,  /* message and receive are both there at `at`, which may be in the future */
    TAP_FINISHED,  /* both ends are done with a message: all of its times are known */
    TAP_BLOCKED,  /* `rank` waits from `at` on, in `call`, until a TAP_IDLE; not every engine knows it then */
    TAP_IDLE,     /* `rank` was blocked in `call` from `since` to `at`, because of `cause` and `peer` */
    TAP_COMPUTED, /* `rank` computed from `since` to `at` */
    TAP_ENDED,    /* `rank` made its last call, at `at` */
    TAP_SOFTWARE, /* before TAP_ENDED, with a host model: the software time of `rank` is `at` in all */
    TAP_BEGAN,    /* `rank` begins at `at`, when its job starts; all others begin at 0 */
    TAP_COLLECTIVE, /* the first rank of a group has entered `collective` */
};

#define TAP_NOBODY UINT32_MAX

struct message;

/* What was recorded of a computation (call/bursts.h). */
struct tap_burst {
    uint64_t lasted_ns, used_ns, instructions;
    bool is_counted;            /* the instructions are known */
    const char *after, *before; /* the call sites between which it is; NULL: not known */
};

/* A collective call, once for all of its ranks. */
struct tap_collective {
    uint32_t kind; /* enum coll_kind */
    uint32_t ranks;
    bool has_size;                     /* all ranks know it */
    uint64_t bytes;                    /* that choices by size compare with their limits (coll/coll.h) */
    const char *operation, *algorithm; /* names; they live as long as the program */
};

struct tap_record {
    enum tap_kind kind;
    uint32_t rank;
    uint32_t call;  /* enum call_op in which the rank was blocked. TAP_COMPUTED: CALL_COMPUTE, so many
                       operations;  CALL_SLEEP, so much time; else nothing */
    uint32_t cause; /* enum call_op of the last completion that it waited for */
    uint32_t peer;  /* the rank at its other end, or TAP_NOBODY */
    uint32_t core;  /* of the rank, which computed */
    union {
        uint32_t index; /* of the message, from TAP_SENT to TAP_FINISHED */
        uint32_t site;  /* TAP_IDLE: the call site of the call (call/sites.h); 0: not known */
    };
    uint32_t slot; /* TAP_RECEIVED: of the receive, in its rank; TAP_NOBODY: it has none */
    ps_t since, at;
    union {
        const struct message *message;
        const char *site_name;                   /* TAP_IDLE: of `site`; NULL: not known */
        const struct tap_collective *collective; /* TAP_COLLECTIVE */
        const struct tap_burst *burst; /* TAP_COMPUTED, if somebody wants it; NULL: nothing was recorded */
    };
};

enum { TAP_KINDS = TAP_COLLECTIVE + 1, TAP_HANDLERS = 8 };

struct tap_handler {
    void (*handle)(void *self, const struct tap_record *record);
    void *self;
};

/* What the message `index` did from `since` to `at`, which may be in the future. A message has many parts, so
 * they are passed without a record. `awaited` is NULL if the part waits for nothing. */
struct tap_part_handler {
    void (*handle)(void *self, uint32_t index, enum tap_part part, ps_t since, ps_t at,
                   const struct tap_awaited *awaited);
    void *self;
};

struct program;
struct call;

/* `rank` makes `call` at `at`, which is the end of the one before. Only ranks that execute calls one after
 * another do. */
struct tap_call_handler {
    void (*handle)(void *self, const struct program *program, uint32_t rank, const struct call *call,
                   ps_t at);
    void *self;
};

/* Handlers by kind, so that emitting a record costs only the calls of its handlers. */
struct tap {
    uint32_t count[TAP_KINDS];
    struct tap_handler handlers[TAP_KINDS][TAP_HANDLERS];
    struct tap_call_handler call; /* at most one */
    struct tap_part_handler part; /* the only handler of parts, or one that passes them on to all */
    struct tap_part_handler parts[TAP_HANDLERS];
    uint32_t part_count;
    struct causes *causes; /* to which parts are added; or NULL */
    bool wants_parts;      /* somebody does */
    bool wants_bursts;     /* somebody does */
};

#define TAP_BIT(kind) (UINT32_C(1) << (kind))

/* Adds a handler of the kinds in `wanted`, a set of TAP_BITs. */
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

/* For records that cost time to fill in. */
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

/* Adds a handler of the parts of messages. */
void tap_handle_parts(struct tap *tap, struct tap_part_handler handler);
/* The parts of messages are added to these chains; there is at most one such set. */
void tap_add_up(struct tap *tap, struct causes *causes);

/* For parts that cost time to find out. */
static inline bool tap_wants_parts(const struct tap *tap)
{
    return tap->wants_parts;
}

/* Emits a part of a message, unless it is empty. The parts of a message are emitted in the order of time. */
static inline void tap_emit_waiting(const struct tap *tap, uint32_t index, enum tap_part part, ps_t since,
                                    ps_t at, const struct tap_awaited *awaited)
{
    if (!tap->wants_parts || at <= since)
        return;
    if (tap->causes)
        causes_take_part(tap->causes, index, part, since, at, awaited);
    if (tap->part.handle)
        tap->part.handle(tap->part.self, index, part, since, at, awaited);
}

static inline void tap_emit_part(const struct tap *tap, uint32_t index, enum tap_part part, ps_t since,
                                 ps_t at, const char *awaited, uint32_t which)
{
    tap_emit_waiting(tap, index, part, since, at,
                     awaited ? &(struct tap_awaited){.what = awaited, .which = which} : NULL);
}

#endif
