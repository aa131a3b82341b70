#include <stdio.h>

#include "collfile/msccl.h"

/* Chunks of the input and of the output of a rank. */
static void sizes_of(const struct msccl_program *program, uint64_t *input, uint64_t *output)
{
    *input = program->op == COLLFILE_ALLGATHER ? program->block : program->loop;
    *output = program->op == COLLFILE_REDUCE_SCATTER ? program->block : program->loop;
}

uint64_t msccl_buffer_chunks(const struct msccl_program *program, uint32_t gpu, enum msccl_buffer buffer)
{
    uint64_t input, output;
    sizes_of(program, &input, &output);
    if (buffer == MSCCL_SCRATCH)
        return (uint64_t)program->gpus[gpu].chunks[MSCCL_SCRATCH];
    return buffer == MSCCL_INPUT ? input : output;
}

void msccl_memory_init(struct msccl_memory *memory, const struct msccl_program *program)
{
    *memory = (struct msccl_memory){.program = program};
    sizes_of(program, &memory->input, &memory->output);
    memory->first = mem_alloc(program->gpu_count + 1, sizeof *memory->first, "memory of GPUs");
    for (size_t i = 0; i < program->gpu_count; i++)
        memory->first[i + 1] = memory->first[i] + memory->input + memory->output +
                               msccl_buffer_chunks(program, (uint32_t)i, MSCCL_SCRATCH);
    memory->contents =
        mem_alloc(memory->first[program->gpu_count] + 1, sizeof *memory->contents, "memory of GPUs");
    rank_sets_init(&memory->sets, program->ranks);
    memory->all = rank_sets_first(&memory->sets, program->ranks);
    for (size_t i = 0; i < program->gpu_count; i++)
        for (uint32_t k = 0; k < memory->input; k++) {
            uint64_t cell = msccl_cell(memory, (uint32_t)i, (struct msccl_place){.buffer = MSCCL_INPUT}, k);
            memory->contents[cell] =
                (struct msccl_content){.set = rank_sets_one((uint32_t)program->gpus[i].id), .index = k};
        }
}

void msccl_memory_free(struct msccl_memory *memory)
{
    free(memory->first);
    free(memory->contents);
    rank_sets_free(&memory->sets);
}

uint64_t msccl_cell(const struct msccl_memory *memory, uint32_t gpu, struct msccl_place place, uint32_t k)
{
    const struct msccl_program *program = memory->program;
    uint64_t base = memory->first[gpu], at = (uint64_t)place.offset + k;
    uint64_t own = (uint64_t)program->gpus[gpu].id * program->block;
    if (place.buffer == MSCCL_SCRATCH)
        return base + memory->input + memory->output + at;
    if (!program->in_place)
        return base + (place.buffer == MSCCL_OUTPUT ? memory->input : 0) + at;
    if (place.buffer == MSCCL_OUTPUT)
        return base + (program->op == COLLFILE_REDUCE_SCATTER ? own : 0) + at;
    return base + (program->op == COLLFILE_ALLGATHER ? own : 0) + at;
}

struct msccl_content msccl_add(struct msccl_memory *memory, struct msccl_content a, struct msccl_content b)
{
    if (a.set == RANK_SET_NONE)
        return a;
    if (b.set == RANK_SET_NONE)
        return b;
    if (a.index != b.index)
        return (struct msccl_content){.set = RANK_SET_NONE, .index = MSCCL_MIXED};
    uint32_t set = rank_sets_join(&memory->sets, a.set, b.set);
    return (struct msccl_content){.set = set, .index = set == RANK_SET_NONE ? MSCCL_TWICE : a.index};
}

struct msccl_content msccl_expected(const struct msccl_memory *memory, uint32_t id, uint64_t k)
{
    const struct msccl_program *program = memory->program;
    uint64_t block = program->block;
    switch (program->op) {
    case COLLFILE_ALLGATHER:
        return (struct msccl_content){.set = rank_sets_one((uint32_t)(k / block)),
                                      .index = (uint32_t)(k % block)};
    case COLLFILE_ALLTOALL:
        return (struct msccl_content){.set = rank_sets_one((uint32_t)(k / block)),
                                      .index = (uint32_t)(id * block + k % block)};
    case COLLFILE_REDUCE_SCATTER:
        return (struct msccl_content){.set = memory->all, .index = (uint32_t)(id * block + k)};
    default:
        return (struct msccl_content){.set = memory->all, .index = (uint32_t)k};
    }
}

const char *msccl_describe(const struct msccl_memory *memory, struct msccl_content content, char *buffer,
                           size_t size)
{
    static const char *const spoiled[] = {[MSCCL_UNDEFINED] = "nothing that anybody has written",
                                          [MSCCL_TWICE] = "a sum that has a rank twice",
                                          [MSCCL_MIXED] = "a sum of different chunks"};
    char ranks[96];
    if (content.set == RANK_SET_NONE)
        snprintf(buffer, size, "%s", spoiled[content.index]);
    else
        snprintf(buffer, size, "chunk %u %s", content.index,
                 rank_sets_print(&memory->sets, content.set, ranks, sizeof ranks));
    return buffer;
}

const char *msccl_buffer_name(enum msccl_buffer buffer)
{
    static const char *const names[] = {"i", "o", "s"};
    return names[buffer];
}
