#include "collfile/builder.h"
#include "collfile/msccl.h"

/* A rank of the simulator does one thing after another, a GPU has threadblocks side by side. Each rank sends
 * in the order of rounds; before a send it waits for what the threadblock, and the steps that this one
 * depends on, have received before. So a send can be later than on a GPU by messages of earlier rounds only.
 */
struct order {
    const struct msccl_program *program;
    const struct msccl_run *run;
    struct collfile_schedule *schedule;
    bool *is_known;  /* steps whose messages the rank has waited for */
    uint32_t *stack; /* steps to look at */
    uint32_t *sends; /* of a rank, in their order */
};

static int compare_sends(const void *a, const void *b, void *self)
{
    const struct msccl_run *sorted = self;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    if (sorted->rounds[left] != sorted->rounds[right])
        return sorted->rounds[left] < sorted->rounds[right] ? -1 : 1;
    if (sorted->levels[left] != sorted->levels[right])
        return sorted->levels[left] < sorted->levels[right] ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void push(struct order *order, size_t *count, uint32_t step)
{
    if (step == MSCCL_NONE || order->is_known[step])
        return;
    order->is_known[step] = true;
    order->stack[(*count)++] = step;
}

/* Waits for all messages that this step and the steps before it have received. */
static void wait_before(struct order *order, uint32_t step, const bool *is_first)
{
    size_t count = 0;
    push(order, &count, step);
    while (count) {
        uint32_t at = order->stack[--count];
        if (order->run->received[at])
            builder_do(order->schedule, COLLFILE_WAIT, order->run->received[at] - 1);
        if (!is_first[at])
            push(order, &count, at - 1);
        push(order, &count, order->program->steps[at].waits_for);
    }
}

static void order_rank(struct order *order, uint32_t id, const bool *is_first)
{
    uint32_t index = order->program->gpu_of[id];
    size_t count = 0;
    if (index != MSCCL_NONE) {
        const struct msccl_gpu *gpu = &order->program->gpus[index];
        for (uint32_t tb = gpu->first_tb; tb < gpu->first_tb + gpu->tb_count; tb++)
            for (uint32_t i = 0; i < order->program->tbs[tb].step_count; i++)
                if (order->run->sent[order->program->tbs[tb].first_step + i])
                    order->sends[count++] = order->program->tbs[tb].first_step + i;
    }
    qsort_r(order->sends, count, sizeof *order->sends, compare_sends, (void *)order->run);
    for (size_t i = 0; i < count; i++) {
        wait_before(order, order->sends[i], is_first);
        builder_do(order->schedule, COLLFILE_SEND, order->run->sent[order->sends[i]] - 1);
    }
    builder_end_rank(order->schedule, id);
}

/* Where the contents of a message belong in a block: of what `bytes` means. */
static void add_messages(const struct msccl_program *program, const struct msccl_run *run,
                         struct collfile_schedule *schedule)
{
    for (size_t i = 0; i < run->message_count; i++) {
        const struct msccl_message *message = &run->messages[i];
        const struct msccl_tb *tb = &program->tbs[message->tb];
        builder_message(schedule, (uint32_t)program->gpus[tb->gpu].id, (uint32_t)tb->send, message->round);
        for (uint32_t k = 0; k < message->count; k++) {
            struct msccl_content content = run->contents[message->first + k];
            builder_part(schedule,
                         content.set == RANK_SET_NONE ? 0 : (uint32_t)(content.index % schedule->chunks), 1);
        }
    }
}

void msccl_messages(const struct msccl_program *program, const struct msccl_run *run,
                    struct collfile_schedule *schedule)
{
    size_t steps = program->step_count + 1;
    struct order order = {.program = program, .run = run, .schedule = schedule};
    bool *is_first = mem_alloc(steps, sizeof *is_first, "steps");
    order.is_known = mem_alloc(steps, sizeof *order.is_known, "steps");
    order.stack = mem_alloc(steps, sizeof *order.stack, "steps");
    order.sends = mem_alloc(steps, sizeof *order.sends, "steps");
    for (uint32_t tb = 0; tb < program->tb_count; tb++)
        if (program->tbs[tb].step_count)
            is_first[program->tbs[tb].first_step] = true;

    if (run->message_count) {
        add_messages(program, run, schedule);
        for (uint32_t id = 0; id < program->ranks; id++)
            order_rank(&order, id, is_first);
    }
    free(is_first);
    free(order.is_known);
    free(order.stack);
    free(order.sends);
}
