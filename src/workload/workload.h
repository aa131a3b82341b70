#ifndef HELIO_WORKLOAD_WORKLOAD_H
#define HELIO_WORKLOAD_WORKLOAD_H

#include <stdbool.h>

#include "base/param.h"
#include "base/status.h"
#include "call/call.h"

/* Generated programs, named by short texts: "alltoall:ranks=64,bytes=8KiB". A workload is a function from
 * (rank, step) to a call; nothing is stored, so a million ranks cost eight bytes each. */
struct workload {
    const char *name;
    const char *doc;
    const struct param_table *params; /* of its text */
    uint32_t (*ranks)(const void *config);
    uint64_t (*steps)(const void *config); /* calls of each rank */
    /* The rank's call number `step`; *call is all zero. */
    void (*call)(const void *config, uint32_t rank, uint64_t step, struct call *call);
};

/* All workloads there are; ends with NULL. */
extern const struct workload *const workloads[];

/* The program that a text names; errors point into the text. */
enum status workload_open(const char *spec, struct program **program);

#endif
