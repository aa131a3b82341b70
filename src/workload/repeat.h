#ifndef HELIO_WORKLOAD_REPEAT_H
#define HELIO_WORKLOAD_REPEAT_H

#include "workload/workload.h"

/* What workloads that are one collective call after another share. */

struct repeat_config {
    uint64_t ranks, bytes, iterations;
};

#define REPEAT_PARAMS(default_bytes, default_iterations, bytes_doc)                                          \
    {.name = "ranks",                                                                                        \
     .type = PARAM_COUNT,                                                                                    \
     .offset = offsetof(struct repeat_config, ranks),                                                        \
     .default_text = "64",                                                                                   \
     .min = "1",                                                                                             \
     .max = "1000000000",                                                                                    \
     .doc = "number of ranks"},                                                                              \
        {.name = "bytes",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = offsetof(struct repeat_config, bytes),                                                    \
         .default_text = default_bytes,                                                                      \
         .doc = bytes_doc},                                                                                  \
    {                                                                                                        \
        .name = "iterations", .type = PARAM_COUNT, .offset = offsetof(struct repeat_config, iterations),     \
        .default_text = default_iterations, .min = "1", .max = "10000000", .doc = "repetitions of the whole" \
    }

uint32_t repeat_ranks(const void *config);
uint64_t repeat_steps(const void *config); /* one call each iteration */

/* The collective call `op` of the config's bytes. */
void repeat_call(const void *config, enum call_op op, struct call *call);

#endif
