#ifndef HELIO_FABRIC_FMU_MAPPING_H
#define HELIO_FABRIC_FMU_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/* FMU mapping (FMU paper, section III-C): which FMU a write goes to. First *try idle* chooses among the FMUs
 * whose queue is empty and to which no CFMU is connected; if there is none, or the method is NONE, *among
 * all* chooses among all M. Every choice costs O(log M) at most. */
enum fmu_try_idle { TRY_NONE, TRY_RANDOM, TRY_SIMPLE, TRY_LEAST_S, TRY_LEAST_SR };
enum fmu_among_all { AMONG_RANDOM, AMONG_LEAST_S, AMONG_LEAST_SR, AMONG_STATIC, AMONG_INCREMENTAL };

/* A tournament: finds the index of the least of M keys, the lowest index among equals, with one comparison a
 * level. */
struct fmu_tournament {
    uint64_t *keys;
    uint32_t *winners; /* [1] is the root; [size + i] is i itself */
    uint32_t size;     /* a power of two, at least M */
};

struct fmu_mapping {
    uint32_t count; /* M */
    enum fmu_try_idle try_idle;
    enum fmu_among_all among_all;
    uint64_t sends;    /* the global counter of INCREMENTAL: all sends so far */
    struct rng random; /* of both RANDOM methods */
    uint64_t *idle;    /* bit set */
    uint32_t idle_count;
    uint64_t *sent, *sent_not_read;              /* bytes per FMU: the counters of LEAST_S and LEAST_SR */
    struct fmu_tournament least_idle, least_all; /* used where the method is LEAST_S or LEAST_SR */
};

void fmu_mapping_init(struct fmu_mapping *mapping, uint32_t count, enum fmu_try_idle try_idle,
                      enum fmu_among_all among_all, uint64_t seed);
void fmu_mapping_free(struct fmu_mapping *mapping);
size_t fmu_mapping_bytes(const struct fmu_mapping *mapping);
double fmu_mapping_estimate(double count); /* at most, for so many FMUs */

/* The FMU for a write of `bytes` to node `receiver`, which is counted as sent to it. */
uint32_t fmu_mapping_choose(struct fmu_mapping *mapping, uint32_t receiver, uint64_t bytes);
/* A read of `bytes` has been requested from the FMU: the counter of LEAST_SR goes down. */
void fmu_mapping_read(struct fmu_mapping *mapping, uint32_t fmu, uint64_t bytes);
void fmu_mapping_set_idle(struct fmu_mapping *mapping, uint32_t fmu, bool idle);

#endif
