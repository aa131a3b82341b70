#ifndef HELIO_WORKLOAD_NPB_H
#define HELIO_WORKLOAD_NPB_H

#include "workload/phase.h"
#include "workload/workload.h"

/* The NAS Parallel Benchmarks 3.3, MPI (Bailey et al., The NAS Parallel Benchmarks, NAS-95-020 and its later
 * versions): the calls of each rank, and the operations between them as the benchmarks count them for their
 * Mop/s. docs/npb.md says which operations these are and how they are spread over phases. */

/* What the text says. The config of every benchmark begins with it. */
struct npb {
    uint64_t ranks;
    int class;                   /* index into npb_classes */
    uint64_t start;              /* operations before the first communication */
    uint64_t noise_every, noise; /* mean operations between interruptions, and of one */
    uint64_t noise_seed;
};

enum { NPB_S, NPB_W, NPB_A, NPB_B, NPB_C, NPB_D, NPB_E, NPB_CLASSES };
extern const char *const npb_classes[];      /* S W A B C D E */
extern const char *const npb_classes_to_d[]; /* without E */

/* The parameters of all benchmarks, for PARAM_TABLE. */
#define NPB_PARAMS(config_type, class_names)                                                                 \
    {.name = "class",                                                                                        \
     .type = PARAM_CHOICE,                                                                                   \
     .offset = offsetof(config_type, npb.class),                                                             \
     .default_text = "S",                                                                                    \
     .choices = class_names,                                                                                 \
     .doc = "the size of the problem"},                                                                      \
        {.name = "ranks",                                                                                    \
         .type = PARAM_COUNT,                                                                                \
         .offset = offsetof(config_type, npb.ranks),                                                         \
         .default_text = "4",                                                                                \
         .min = "1",                                                                                         \
         .max = "1000000",                                                                                   \
         .doc = "number of ranks"},                                                                          \
        {.name = "start",                                                                                    \
         .type = PARAM_COUNT,                                                                                \
         .offset = offsetof(config_type, npb.start),                                                         \
         .default_text = "0",                                                                                \
         .max = "1000000000000000",                                                                          \
         .doc = "operations of each rank before its first communication"},                                   \
        {.name = "noise_every",                                                                              \
         .type = PARAM_COUNT,                                                                                \
         .offset = offsetof(config_type, npb.noise_every),                                                   \
         .default_text = "0",                                                                                \
         .max = "1000000000000000",                                                                          \
         .doc = "operations from one interruption of a rank to the next, in the mean; 0: no interruptions"}, \
        {.name = "noise",                                                                                    \
         .type = PARAM_COUNT,                                                                                \
         .offset = offsetof(config_type, npb.noise),                                                         \
         .default_text = "0",                                                                                \
         .max = "1000000000000000",                                                                          \
         .doc = "operations that an interruption takes, in the mean"},                                       \
    {                                                                                                        \
        .name = "noise_seed", .type = PARAM_COUNT, .offset = offsetof(config_type, npb.noise_seed),          \
        .default_text = "1", .doc = "of the interruptions"                                                   \
    }

/* The parameter of a benchmark whose iterations are alike. */
#define NPB_ITERATIONS(config_type, member)                                                                  \
    {                                                                                                        \
        .name = "iterations", .type = PARAM_COUNT, .offset = offsetof(config_type, member),                  \
        .default_text = "0", .max = "1000000", .doc = "of the method; 0: as many as the class has"           \
    }

uint32_t npb_ranks(const void *config);

/* Reports that the benchmark does not run on this number of ranks, and lists the numbers up to `most` for
 * which `fits` is true. Returns false. */
bool npb_refuse_ranks(const struct npb *npb, const char *name, uint64_t most,
                      bool (*fits)(const struct npb *npb, uint64_t ranks), struct workload_problem *problem);
bool npb_is_power_of_two(uint64_t ranks);
int npb_log2(uint64_t power_of_two);

/* Operations of a phase are whole. */
double npb_whole(double operations);

/* The first calls of every benchmark: MPI is initialized, and the rank prepares its data. */
void npb_begin(struct phase *phase, const struct npb *npb);

/* To be called when phase `number` of the rank has been emitted. Where its wanted call is a computation, it
 * becomes longer by the interruptions in it. Returns `more`. */
bool npb_interrupt(const struct npb *npb, uint32_t rank, uint64_t number, const struct phase *phase,
                   bool more);

#endif
