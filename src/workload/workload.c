#include "workload/workload.h"

#include <string.h>

#include "base/mem.h"
#include "workload/list.h"

const struct workload *const workloads[] = {
    &pingpong_workload,
    &dissemination_workload,
    &alltoall_workload,
    &ring_bcast_workload,
    &ring_reduce_workload,
    &ring_allreduce_workload,
    NULL,
};

struct generated {
    struct program program;
    const struct workload *workload;
    void *config;
    struct arena texts;
    struct group world;
    char *spec;
    uint64_t steps;
    uint64_t *positions; /* per rank: calls returned so far */
};

static const struct call *generated_next(struct program *program, uint32_t rank, struct call *scratch)
{
    struct generated *generated = (struct generated *)program;
    uint64_t step = generated->positions[rank];
    if (step == generated->steps)
        return NULL;
    generated->positions[rank] = step + 1;
    *scratch = (struct call){.channel = CHANNEL_KEYED, .source_channel = CHANNEL_KEYED};
    generated->workload->call(generated->config, rank, step, scratch);
    return scratch;
}

static uint32_t generated_slots(const struct program *program, uint32_t rank)
{
    (void)program, (void)rank;
    return SLOT_FIRST;
}

static struct call_place generated_place(const struct program *program, uint32_t rank)
{
    (void)rank;
    return (struct call_place){.file = program->name};
}

static void generated_rewind(struct program *program)
{
    struct generated *generated = (struct generated *)program;
    memset(generated->positions, 0, program->ranks * sizeof *generated->positions);
}

static void generated_close(struct program *program)
{
    struct generated *generated = (struct generated *)program;
    arena_free(&generated->texts);
    free(generated->config);
    free(generated->positions);
    free(generated->spec);
    free(generated);
}

static const struct program_ops generated_ops = {
    .next = generated_next,
    .slots = generated_slots,
    .place = generated_place,
    .rewind = generated_rewind,
    .close = generated_close,
};

static const char *workload_name_at(const void *list, size_t index)
{
    return ((const struct workload *const *)list)[index]->name;
}

static const struct workload *find(const char *spec, size_t length)
{
    size_t count = 0;
    for (; workloads[count]; count++)
        if (strlen(workloads[count]->name) == length && strncmp(workloads[count]->name, spec, length) == 0)
            return workloads[count];
    char *name = mem_format("%.*s", (int)length, spec);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "--workload",
                                     .line = 1,
                                     .column = 1,
                                     .span = (uint32_t)length,
                                     .source = spec,
                                     .source_length = strlen(spec)},
                "there is no workload '%s'%s", name,
                diag_did_you_mean(diag_nearest(name, workloads, count, workload_name_at)));
    free(name);
    return NULL;
}

enum status workload_open(const char *spec, struct program **program)
{
    size_t name_length = strcspn(spec, ":");
    const struct workload *workload = find(spec, name_length);
    if (!workload)
        return STATUS_BAD_INPUT;

    struct generated *generated = mem_alloc(1, sizeof *generated, "a workload");
    generated->program.ops = &generated_ops;
    generated->workload = workload;
    generated->config = mem_alloc(1, workload->params->size, "a workload");
    generated->spec = mem_text(spec);
    size_t list_at = spec[name_length] ? name_length + 1 : name_length;
    enum status status =
        param_parse_list(workload->params, "--workload", spec, list_at, generated->config, &generated->texts);
    if (status != STATUS_OK) {
        generated_close(&generated->program);
        return status;
    }
    uint32_t ranks = workload->ranks(generated->config);
    generated->steps = workload->steps(generated->config);
    generated->positions = mem_alloc(ranks, sizeof *generated->positions, "positions of ranks");
    generated->world = (struct group){.size = ranks};
    generated->program.name = generated->spec;
    generated->program.ranks = ranks;
    generated->program.groups = &generated->world;
    generated->program.group_count = 1;
    if (__builtin_mul_overflow(generated->steps, ranks, &generated->program.total_calls))
        generated->program.total_calls = 0; /* nobody will see its end */
    *program = &generated->program;
    return STATUS_OK;
}
