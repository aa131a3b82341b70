#ifndef HELIO_ENGINE_CRITICAL_LOG_H
#define HELIO_ENGINE_CRITICAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/causes.h"
#include "base/mem.h"
#include "base/time.h"
#include "engine/critical.h"

/* The steps of the chains that can still become the critical path, for its list. A step is appended when
 * another link begins behind its link. Nothing else changes the log until it is full: then the steps to which
 * no chain leads are taken out. So a step costs a write to memory that is written in its order, and not a
 * record that is freed among others. If the chains need more than half of the most that the log may be, it
 * forgets the oldest steps, and knows their sums. */

/* What is known of a link beside its kinds, which are those of its own time. A cache line. */
struct critical_detail {
    uint32_t before; /* the chain before this link, as in `before` of the log */
    uint32_t step;   /* this link in the log; POOL_NONE: not yet, or forgotten */
    uint32_t rank;   /* whose time comes before the message */
    uint32_t source, destination;
    uint32_t which; /* the number of what it waited for longest */
    uint64_t bytes;
    uint64_t number : 48; /* of the message among those that its source sends; 0: a signal */
    uint64_t op : 8;
    uint64_t awaited : 8; /* the number of the text, from 1 on; 0: nothing */
    ps_t since;           /* the end of the chain before */
    ps_t start;           /* of the message */
    ps_t awaited_ps;
};
static_assert(sizeof(struct critical_detail) == 64, "a cache line");

/* A step in 64 bytes. If one of its values needs more than 32 bits, a second slot follows it with the upper
 * halves. */
enum critical_value {
    CRITICAL_NUMBER,
    CRITICAL_BYTES,
    CRITICAL_AWAITED,
    CRITICAL_WORKED,
    CRITICAL_COMPUTED,
    CRITICAL_KIND, /* of the message's time: all kinds but computation, which it has none of */
    CRITICAL_VALUES = CRITICAL_KIND + CRITICAL_KINDS - 1,
};
struct critical_slot {
    uint32_t rank, source, destination, which;
    uint32_t values[CRITICAL_VALUES];
    uint8_t op, awaited;
    bool is_wide;
};
static_assert(sizeof(struct critical_slot) == 64, "a cache line");

/* Of a chain from the beginning of the run on. */
struct critical_sum {
    ps_t kinds[CRITICAL_KINDS];
    uint64_t messages;
};
static_assert(sizeof(struct critical_sum) == sizeof(struct critical_slot), "it takes the place of a slot");

/* Call sites (call/sites.h) of the rank whose time comes before the message: of the call that sent it, and of
 * the call that waited for what came before. */
struct critical_sites {
    uint32_t sent, waited;
};

/* What comes before a step or a link: a step, POOL_NONE, or with CRITICAL_FORGOTTEN a place in `forgotten`.
 */
#define CRITICAL_FORGOTTEN (UINT32_C(1) << 31)

struct critical_log {
    struct critical_slot *slots;
    struct critical_sites *sites; /* of each slot; NULL: nobody wants them */
    uint32_t *before;        /* of each slot: what comes before the step, or that the slot is a second one */
    uint64_t *marks;         /* a bit for each slot, while room is made */
    uint32_t *marked_before; /* how many slots before each 64 have a mark */
    uint32_t count, capacity, most;
    uint32_t reserved;              /* slots that there is memory for; `capacity` or more */
    struct critical_sum *forgotten; /* of the chains whose beginning is forgotten */
    size_t forgotten_count;
    bool has_wide;           /* a step had two slots */
    enum critical_kind rest; /* what a rank does when it neither computes nor waits */
};

/* `steps`, 2 or more: how many the log has room for without forgetting, or half as many where all have two
 * slots. `rest` is what a rank does when it neither computes nor waits. */
void critical_log_open(struct critical_log *log, uint32_t steps, enum critical_kind rest);
/* From now on the log has room for `sites`, which the caller fills in. Comes before the first step. */
void critical_log_want_sites(struct critical_log *log);
void critical_log_free(struct critical_log *log);
double critical_log_estimate(double steps, double links);

static inline bool critical_log_is_full(const struct critical_log *log)
{
    return log->count + 2 > log->capacity;
}

/* Takes out the steps to which no link in use leads, of `count` links and their details. */
void critical_log_make_room(struct critical_log *log, struct critical_detail *details,
                            const struct cause_link *links, uint32_t count);

/* The link as it is now becomes a step. Returns it. The log is not full. */
uint32_t critical_log_append(struct critical_log *log, const struct critical_detail *detail,
                             const struct cause_link *link);

static inline bool critical_log_has(uint32_t before)
{
    return before < CRITICAL_FORGOTTEN;
}

/* Adds to a sum what the chain consists of. */
void critical_log_sum(const struct critical_log *log, uint32_t before, struct critical_sum *sum);

/* The step that ends at `end`, without what it awaited, whose text has the number in *awaited. */
struct critical_step critical_log_step(const struct critical_log *log, uint32_t step, ps_t end,
                                       uint32_t *awaited);

#endif
