#include "engine/simplecomm/internal.h"

enum { CALLS_READ = 4096 };

static bool posts_to_all(const struct call *call)
{
    return call->op == CALL_ALLTOALLV ||
           (call->op == CALL_ALLTOALL && call->bytes < COMPAT_ALLTOALL_RING_FROM_BYTES);
}

/* Sends that a rank has posted at once: all its requests, or one to each rank in an alltoall that does not go
 * round a ring. Rank 0 stands for all. */
static double sends_at_once(const struct program *program)
{
    struct program_cursor cursor = {0};
    struct call scratch;
    const struct call *call;
    double requests = program->ops->slots(program, 0) - SLOT_FIRST + 1;
    for (int i = 0; i < CALLS_READ && program->ops->read; i++) {
        call = program->ops->read(program, 0, &cursor, &scratch);
        if (!call)
            break;
        if (posts_to_all(call) && requests < program->ranks - 1)
            requests = program->ranks - 1;
    }
    return requests;
}

enum status compat_estimate(const struct engine_params *params, struct estimate *estimate)
{
    const struct program *program = params->program;
    const uint64_t *fmus = config_field(params->config, "fmu.count");
    double ranks = program->ranks, matches = ranks * sends_at_once(program);
    double slots = program->ops->slots(program, 0);
    estimate_add(estimate, "ranks", "fewer ranks",
                 ranks * ((double)sizeof(struct compat_rank) + (slots + 2) * sizeof(int32_t)) +
                     estimate_pool(ranks, sizeof(struct compat_completion)) + queue_table_estimate(ranks));
    estimate_add(estimate, "messages", "fewer ranks",
                 matches * (double)(sizeof(struct compat_match) + sizeof(struct compat_match *) +
                                    sizeof(struct kahuna_transfer)) +
                     estimate_pool(matches, sizeof(struct compat_post)) + queue_table_estimate(matches));
    estimate_add(estimate, "fabric", "another fabric",
                 (fmus ? (double)*fmus : 0) * (sizeof(struct compat_ring) + 8 * sizeof(double)) +
                     ranks * 2 * sizeof(double));
    return STATUS_OK;
}
