#include <stdio.h>

#include "base/hashmap.h"
#include "collfile/msccl.h"

/* What needs no execution. */
struct msccl_checking {
    const struct collfile_text *text;
    struct collfile_proof *proof;
    struct msccl_program *program;
    struct hashmap senders, receivers; /* the threadblock of each connection */
    bool is_wrong;
};

static void check_blocks(struct msccl_checking *check)
{
    const struct msccl_program *program = check->program;
    if (program->op == COLLFILE_ALLREDUCE || (program->block && program->loop % program->ranks == 0))
        return;
    check->is_wrong = true;
    collfile_wrong(check->text, check->proof, COLLFILE_STRUCTURE, 0,
                   "nchunksperloop=%llu: an %s of %u GPUs needs a multiple of %u",
                   (unsigned long long)program->loop, collfile_op_name(program->op), program->ranks,
                   program->ranks);
}

static void check_gpus(struct msccl_checking *check)
{
    for (uint32_t id = 0; id < check->program->ranks; id++)
        if (check->program->gpu_of[id] == MSCCL_NONE) {
            check->is_wrong = true;
            collfile_wrong(check->text, check->proof, COLLFILE_MISSING_GPU, 0,
                           "gpu %u is missing: ngpus is %u", id, check->program->ranks);
        }
}

void msccl_step_is_wrong(const struct collfile_text *text, struct collfile_proof *proof,
                         const struct msccl_program *program, uint32_t tb, uint32_t step,
                         enum collfile_problem problem, const char *format, va_list arguments)
{
    char message[300];
    const struct msccl_tb *found = &program->tbs[tb];
    vsnprintf(message, sizeof message, format, arguments);
    collfile_wrong(text, proof, problem, program->steps[step].line, "gpu %d, threadblock %d, step %d %s",
                   program->gpus[found->gpu].id, found->id, program->steps[step].number, message);
}

__attribute__((format(printf, 5, 6))) static void step_is_wrong(struct msccl_checking *check, uint32_t tb,
                                                                uint32_t step, enum collfile_problem problem,
                                                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    msccl_step_is_wrong(check->text, check->proof, check->program, tb, step, problem, format, arguments);
    va_end(arguments);
    check->is_wrong = true;
}

static void check_peer(struct msccl_checking *check, const struct msccl_tb *tb, int32_t peer,
                       const char *what)
{
    int32_t own = check->program->gpus[tb->gpu].id;
    if (peer == -1 || (peer >= 0 && peer < (int32_t)check->program->ranks && peer != own))
        return;
    check->is_wrong = true;
    collfile_wrong(check->text, check->proof, COLLFILE_STRUCTURE, tb->line,
                   "gpu %d, threadblock %d: %s=%d; another GPU from 0 to %u is expected, or -1", own, tb->id,
                   what, peer, check->program->ranks - 1);
}

static void check_place(struct msccl_checking *check, uint32_t tb, uint32_t step, struct msccl_place place)
{
    uint32_t gpu = check->program->tbs[tb].gpu;
    uint64_t chunks = msccl_buffer_chunks(check->program, gpu, (enum msccl_buffer)place.buffer);
    int64_t end = (int64_t)place.offset + check->program->steps[step].count;
    bool was_wrong = check->is_wrong;
    if (place.offset < 0 || (uint64_t)end > chunks)
        step_is_wrong(check, tb, step, COLLFILE_STRUCTURE,
                      "goes outside buffer %s, which has %llu chunks: to chunk %lld",
                      msccl_buffer_name((enum msccl_buffer)place.buffer), (unsigned long long)chunks,
                      (long long)(place.offset < 0 ? place.offset : end - 1));
    check->is_wrong = was_wrong; /* what an execution makes of it can be said */
}

static struct msccl_tb *find_tb(const struct msccl_program *program, const struct msccl_gpu *gpu, int32_t id)
{
    struct msccl_tb *tbs = program->tbs + gpu->first_tb;
    if ((uint32_t)id < gpu->tb_count && tbs[id].id == id)
        return &tbs[id];
    for (uint32_t i = 0; i < gpu->tb_count; i++)
        if (tbs[i].id == id)
            return &tbs[i];
    return NULL;
}

static void check_dependency(struct msccl_checking *check, uint32_t tb, uint32_t step)
{
    struct msccl_program *program = check->program;
    struct msccl_step *found = &program->steps[step];
    if (found->wait_tb < 0)
        return;
    const struct msccl_tb *other = find_tb(program, &program->gpus[program->tbs[tb].gpu], found->wait_tb);
    if (!other) {
        step_is_wrong(check, tb, step, COLLFILE_DEPENDENCY,
                      "depends on threadblock %d, which the GPU does not have: a dangling dependency",
                      found->wait_tb);
    } else if (found->wait_step < 0 || found->wait_step >= (int32_t)other->step_count) {
        step_is_wrong(check, tb, step, COLLFILE_DEPENDENCY,
                      "depends on step %d of threadblock %d, which has %u steps: a dangling dependency",
                      found->wait_step, other->id, other->step_count);
    } else {
        found->waits_for = other->first_step + (uint32_t)found->wait_step;
        if (!program->steps[found->waits_for].has_dependent)
            step_is_wrong(
                check, tb, step, COLLFILE_DEPENDENCY,
                "depends on step %d of threadblock %d, which has hasdep=0 and tells nobody when it is done",
                found->wait_step, other->id);
    }
}

/* Only a threadblock that sends or receives takes the connection. */
static void check_connection(struct msccl_checking *check, uint32_t tb, uint32_t step, bool is_send)
{
    const struct msccl_program *program = check->program;
    const struct msccl_tb *found = &program->tbs[tb];
    int32_t peer = is_send ? found->send : found->recv, own = program->gpus[found->gpu].id;
    if (peer < 0) {
        step_is_wrong(check, tb, step, COLLFILE_STRUCTURE, "is %s, but its threadblock has %s=-1",
                      msccl_kinds[program->steps[step].type].name, is_send ? "send" : "recv");
        return;
    }
    uint64_t key = msccl_connection_key(is_send ? own : peer, is_send ? peer : own, found->channel);
    uint32_t *slot = hashmap_slot(is_send ? &check->senders : &check->receivers, key);
    if (*slot == 0)
        *slot = tb + 1;
    else if (*slot != tb + 1)
        step_is_wrong(check, tb, step, COLLFILE_CONNECTION,
                      "%s gpu %d on channel %d, which threadblock %d does too: a connection belongs to one",
                      is_send ? "sends to" : "receives from", peer, found->channel,
                      program->tbs[*slot - 1].id);
}

static void check_step(struct msccl_checking *check, uint32_t tb, uint32_t index)
{
    const struct msccl_tb *found = &check->program->tbs[tb];
    uint32_t step = found->first_step + index;
    const struct msccl_step *content = &check->program->steps[step];
    const struct msccl_kind *kind = &msccl_kinds[content->type];
    if (content->number != (int32_t)index) {
        step_is_wrong(check, tb, step, COLLFILE_STRUCTURE, "stands where step %u belongs", index);
        return;
    }
    if (content->type != MSCCL_NOP && content->count == 0)
        step_is_wrong(check, tb, step, COLLFILE_STRUCTURE, "has cnt=0; 1 or more chunks are expected");
    if (kind->reads)
        check_place(check, tb, step, content->source);
    if (kind->writes)
        check_place(check, tb, step, content->destination);
    if (kind->sends)
        check_connection(check, tb, step, true);
    if (kind->receives)
        check_connection(check, tb, step, false);
    check_dependency(check, tb, step);
}

static void check_tb(struct msccl_checking *check, uint32_t tb)
{
    const struct msccl_tb *found = &check->program->tbs[tb];
    bool was_wrong = check->is_wrong;
    check->is_wrong = false;
    check_peer(check, found, found->send, "send");
    check_peer(check, found, found->recv, "recv");
    if (found->channel < 0) {
        check->is_wrong = true;
        collfile_wrong(check->text, check->proof, COLLFILE_STRUCTURE, found->line,
                       "gpu %d, threadblock %d: chan=%d; 0 or more is expected",
                       check->program->gpus[found->gpu].id, found->id, found->channel);
    }
    for (uint32_t i = 0; i < found->step_count && !check->is_wrong; i++)
        check_step(check, tb, i);
    check->is_wrong |= was_wrong;
}

static void check_copies(struct msccl_checking *check)
{
    const struct msccl_program *program = check->program;
    for (size_t i = 0; i < program->copy_count; i++) {
        const struct msccl_copy *copy = &program->copies[i];
        if ((uint64_t)copy->from < msccl_buffer_chunks(program, copy->gpu, MSCCL_INPUT) &&
            (uint64_t)copy->to < msccl_buffer_chunks(program, copy->gpu, MSCCL_OUTPUT))
            continue;
        check->is_wrong = true;
        collfile_wrong(check->text, check->proof, COLLFILE_STRUCTURE, copy->line,
                       "gpu %d copies i %d to o %d before the start, which is outside a buffer",
                       program->gpus[copy->gpu].id, copy->from, copy->to);
    }
}

bool msccl_check(const struct collfile_text *text, struct collfile_proof *proof,
                 struct msccl_program *program)
{
    struct msccl_checking check = {.text = text, .proof = proof, .program = program};
    check_blocks(&check);
    check_gpus(&check);
    if (!check.is_wrong)
        check_copies(&check);
    for (uint32_t tb = 0; tb < program->tb_count; tb++)
        check_tb(&check, tb);
    hashmap_free(&check.senders);
    hashmap_free(&check.receivers);
    return !check.is_wrong;
}
