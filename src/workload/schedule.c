#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "collfile/collfile.h"
#include "workload/list.h"

/* A collective schedule of another program: its messages, in the order in which each rank can send them. Each
 * rank posts all its receives, sends a message when those that it depends on have arrived, and at the end
 * waits for all. Copies and sums within a rank take no time. */
struct schedule_config {
    const char *file; /* NULL: not given */
    uint64_t bytes, iterations;
    struct collfile_schedule schedule;
    size_t *first_receive; /* of each rank, in `receives`; ranks + 1 */
    uint32_t *receives;    /* messages by destination, in their order */
    uint32_t *receive_at;  /* of each message: its place among the receives of its destination */
    uint32_t *send_at;     /* likewise, among the sends of its source */
    uint64_t *sizes;       /* of each message */
    uint64_t steps;        /* of one iteration: of the busiest rank */
    uint32_t slots;
};

PARAM_TABLE(
    schedule_params, "schedule", struct schedule_config, "a collective schedule of another program",
    {.name = "file",
     .type = PARAM_TEXT,
     .offset = offsetof(struct schedule_config, file),
     .find_path = param_find_whole,
     .doc = "the schedule, in a format of helio coll prove; `file=` may be left out"},
    {.name = "bytes",
     .type = PARAM_SIZE,
     .offset = offsetof(struct schedule_config, bytes),
     .default_text = "8 KiB",
     .max = "1 PiB",
     .doc = "what one rank contributes: its vector in allreduce and reduce_scatter, its block in allgather, "
            "the block for each rank in alltoall"},
    {.name = "iterations",
     .type = PARAM_COUNT,
     .offset = offsetof(struct schedule_config, iterations),
     .default_text = "1",
     .min = "1",
     .max = "1000000000",
     .doc = "number of repetitions"});

/* ---------------------------------------------------------------- preparing */

static void index_receives(struct schedule_config *config)
{
    const struct collfile_schedule *schedule = &config->schedule;
    size_t messages = schedule->message_count;
    config->first_receive =
        mem_alloc((size_t)schedule->ranks + 1, sizeof *config->first_receive, "a schedule");
    size_t *next = mem_alloc((size_t)schedule->ranks + 1, sizeof *next, "a schedule");
    config->receives = mem_alloc(messages + 1, sizeof *config->receives, "a schedule");
    config->receive_at = mem_alloc(messages + 1, sizeof *config->receive_at, "a schedule");
    config->sizes = mem_alloc(messages + 1, sizeof *config->sizes, "a schedule");
    for (size_t i = 0; i < messages; i++)
        config->first_receive[schedule->messages[i].to + 1]++;
    for (uint32_t rank = 0; rank < schedule->ranks; rank++)
        config->first_receive[rank + 1] += config->first_receive[rank];
    for (size_t i = 0; i < messages; i++) {
        uint32_t to = schedule->messages[i].to;
        config->receive_at[i] = (uint32_t)next[to];
        config->receives[config->first_receive[to] + next[to]++] = (uint32_t)i;
        config->sizes[i] = collfile_message_bytes(schedule, i, config->bytes);
    }
    free(next);
}

static void index_sends(struct schedule_config *config)
{
    const struct collfile_schedule *schedule = &config->schedule;
    config->send_at = mem_alloc(schedule->message_count + 1, sizeof *config->send_at, "a schedule");
    config->slots = SLOT_FIRST;
    for (uint32_t rank = 0; rank < schedule->ranks; rank++) {
        uint32_t sends = 0;
        for (size_t i = schedule->first_action[rank]; i < schedule->first_action[rank + 1]; i++)
            if (schedule->actions[i].action == COLLFILE_SEND)
                config->send_at[schedule->actions[i].message] = sends++;
        size_t receives = config->first_receive[rank + 1] - config->first_receive[rank];
        size_t actions = schedule->first_action[rank + 1] - schedule->first_action[rank];
        if (receives + actions + 1 > config->steps)
            config->steps = receives + actions + 1;
        if (SLOT_FIRST + receives + sends > config->slots)
            config->slots = (uint32_t)(SLOT_FIRST + receives + sends);
    }
}

static enum status read_file(struct schedule_config *config)
{
    struct collfile_proof proof;
    enum status status = collfile_prove(config->file, config->bytes, &proof, &config->schedule);
    if (status == STATUS_OK && !proof.right) {
        diag_error("%s is wrong, so it has no time: %s", config->file, proof.first_problem);
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && proof.relays) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = config->file},
                    "its flows end at switches, which are no ranks; an output with paths is expected");
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && proof.op == COLLFILE_CIRCUITS) {
        diag_report(
            DIAG_ERROR, &(struct diag_place){.file = config->file},
            "this is a list of circuits, which has no messages; a schedule of a collective is expected");
        status = STATUS_BAD_INPUT;
    }
    collfile_proof_free(&proof);
    return status;
}

static bool schedule_prepare(const struct workload *workload, void *self, struct program *program,
                             struct workload_problem *problem)
{
    (void)workload;
    struct schedule_config *config = self;
    problem->param = NULL;
    if (!config->file) {
        problem->param = "file";
        snprintf(problem->text, sizeof problem->text, "a schedule is needed: schedule:FILE");
        return false;
    }
    program->file = config->file;
    if (read_file(config) != STATUS_OK)
        return false;
    index_receives(config);
    index_sends(config);
    return true;
}

static void schedule_release(void *self)
{
    struct schedule_config *config = self;
    collfile_schedule_free(&config->schedule);
    free(config->first_receive);
    free(config->receives);
    free(config->receive_at);
    free(config->send_at);
    free(config->sizes);
}

/* -------------------------------------------------------------------- calls */

static uint32_t schedule_ranks(const void *self)
{
    return ((const struct schedule_config *)self)->schedule.ranks;
}

static uint32_t schedule_slots(const void *self)
{
    return ((const struct schedule_config *)self)->slots;
}

static uint64_t schedule_steps(const void *self)
{
    const struct schedule_config *config = self;
    return config->steps * config->iterations;
}

static void receive(const struct schedule_config *config, uint32_t message, struct call *call)
{
    call->op = CALL_RECV;
    call->flags = CALL_IMMEDIATE;
    call->slot = SLOT_FIRST + config->receive_at[message];
    call->peer = (int32_t)config->schedule.messages[message].from;
    call->tag = (int32_t)message;
    call->recv_bytes = config->sizes[message];
}

static void act(const struct schedule_config *config, const struct collfile_do *action, size_t receives,
                struct call *call)
{
    uint32_t message = action->message;
    if (action->action == COLLFILE_WAIT) {
        call->op = CALL_WAIT;
        call->slot = SLOT_FIRST + config->receive_at[message];
        return;
    }
    call->op = CALL_SEND;
    call->flags = CALL_IMMEDIATE;
    call->slot = (uint32_t)(SLOT_FIRST + receives + config->send_at[message]);
    call->peer = (int32_t)config->schedule.messages[message].to;
    call->tag = (int32_t)message;
    call->bytes = config->sizes[message];
}

/* All ranks have as many steps as the busiest one. A rank does nothing in a step that it does not need. */
static void schedule_call(const void *self, uint32_t rank, uint64_t step, struct call *call)
{
    const struct schedule_config *config = self;
    const struct collfile_schedule *schedule = &config->schedule;
    size_t at = (size_t)(step % config->steps);
    size_t receives = config->first_receive[rank + 1] - config->first_receive[rank];
    size_t actions = schedule->first_action[rank + 1] - schedule->first_action[rank];
    if (at < receives)
        receive(config, config->receives[config->first_receive[rank] + at], call);
    else if (at < receives + actions)
        act(config, &schedule->actions[schedule->first_action[rank] + at - receives], receives, call);
    else
        call->op = at == receives + actions ? CALL_WAITALL : CALL_NOTHING;
}

const struct workload schedule_workload = {
    .name = "schedule",
    .doc = "a proven collective schedule of another program: schedule:FILE,bytes=1MiB",
    .params = &schedule_params,
    .unnamed = "file",
    .prepare = schedule_prepare,
    .release = schedule_release,
    .ranks = schedule_ranks,
    .steps = schedule_steps,
    .call = schedule_call,
    .slots_of = schedule_slots,
};
