#ifndef HELIO_CALL_BURSTS_H
#define HELIO_CALL_BURSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

/* What `helio capture --bursts` has recorded of bursts, the computation between two calls. A burst lasts
 * longer than its processor time if its thread waited for a processor, slept, or waited for a file. */
struct call_burst {
    uint64_t lasted_ns, used_ns; /* on the clock of the system; of processor time, which is at most as long */
    uint64_t instructions;
    bool is_counted;        /* the instructions are known */
    uint32_t after, before; /* call sites (call/sites.h) of the calls between which it is; 0: not known */
};

typedef void bursts_take(void *self, const struct call_burst *burst);

/* The bursts of a program. */
struct program_bursts {
    /* That of the computation that the program has returned last for the rank. False: nothing is recorded. */
    bool (*last)(const struct program_bursts *bursts, uint32_t rank, struct call_burst *burst);
    /* Tells of all bursts of the rank, one after another. */
    void (*each)(const struct program_bursts *bursts, uint32_t rank, bursts_take *take, void *self);
};

struct bursts_sum {
    uint64_t count;
    uint64_t late;               /* that waited longer than they computed */
    __int128 lasted_ns, used_ns; /* as in struct call_burst */
    uint64_t counted;            /* bursts whose instructions are known */
    __int128 instructions;
    __int128 counted_ns; /* of processor time in them */
};

/* The part of its time that a burst waits. */
static inline double bursts_waiting(const struct bursts_sum *sum)
{
    return sum->lasted_ns ? (double)(sum->lasted_ns - sum->used_ns) / (double)sum->lasted_ns : 0;
}

/* Of processor time; 0: not known. */
static inline double bursts_instructions_per_s(const struct bursts_sum *sum)
{
    return sum->counted_ns ? 1e9 * (double)sum->instructions / (double)sum->counted_ns : 0;
}

/* Bursts between the same call sites. */
struct bursts_between {
    uint32_t after, before;
    struct bursts_sum sum;
};

/* All bursts of a program, by rank and by place. */
struct bursts_summary {
    struct bursts_sum all;
    struct bursts_sum *ranks;
    uint32_t rank_count;
    uint32_t worst;                 /* the rank that waited the largest part of its time */
    struct bursts_between *between; /* with most processor time first */
    size_t between_count;           /* 0: no call site is known */
};

/* False: the program has none, and there is nothing to free. */
bool bursts_summarise(const struct program *program, struct bursts_summary *summary);
void bursts_summary_free(struct bursts_summary *summary);

#endif
