#include "coll/plan.h"

#include <stdlib.h>

struct plan_writer {
    struct coll_sink base;
    struct coll_plan *plan;
    uint32_t messages; /* in the present phase */
};

/* Notes in which order the plan reads the send buffer and writes the receive buffer. */
static void note_order(struct coll_plan *plan, const struct plan_step *step)
{
    /* A local step reads at its place in the list. A send may read until the end of its phase, so it may read
     * after a receive of the same phase writes. */
    bool is_local = step->op == PLAN_COPY || step->op == PLAN_REDUCE;
    bool reads = (step->op == PLAN_SEND || is_local) && step->from == COLL_SEND_BUFFER;
    bool writes = (step->op == PLAN_RECV || is_local) && step->into == COLL_RECV_BUFFER;
    if (reads && (writes || plan->touched || step->op == PLAN_SEND))
        plan->reads_first = false;
    plan->touched |= writes;
}

static bool reserve(struct coll_plan *plan, size_t capacity)
{
    struct plan_step *steps = realloc(plan->steps, capacity * sizeof *steps);
    if (!steps)
        return false;
    plan->steps = steps;
    plan->step_capacity = capacity;
    return true;
}

static void add(struct coll_sink *sink, struct plan_step step)
{
    struct coll_plan *plan = ((struct plan_writer *)sink)->plan;
    if (plan->step_count == plan->step_capacity &&
        !reserve(plan, plan->step_count ? 2 * plan->step_count : 64)) {
        plan->out_of_memory = true;
        return;
    }
    step.times = 1;
    plan->steps[plan->step_count++] = step;
    ((struct plan_writer *)sink)->messages += step.op == PLAN_SEND || step.op == PLAN_RECV;
    note_order(plan, &step);
}

/* Whether a local step goes on what the last one does: then it is counted there. */
static bool goes_on(const struct coll_plan *plan, const struct plan_step *step)
{
    struct plan_step *last = plan->step_count > 0 ? &plan->steps[plan->step_count - 1] : NULL;
    if (!last || last->op != step->op || last->from != step->from || last->into != step->into ||
        last->bytes != step->bytes || last->times == UINT32_MAX)
        return false;
    int64_t before = (int64_t)last->times - 1;
    int64_t from_stride = (int64_t)(step->from_offset - last->from_offset) - before * last->from_stride;
    int64_t into_stride = (int64_t)(step->into_offset - last->into_offset) - before * last->into_stride;
    if (last->times > 1 && (from_stride != last->from_stride || into_stride != last->into_stride))
        return false;
    last->from_stride = from_stride;
    last->into_stride = into_stride;
    last->times++;
    return true;
}

static void add_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    add(sink, (struct plan_step){.op = PLAN_SEND,
                                 .peer = peer,
                                 .flag = PLAN_NO_FLAG,
                                 .from = (uint8_t)from.buffer,
                                 .from_offset = from.offset,
                                 .bytes = from.bytes});
}

static void add_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    add(sink, (struct plan_step){.op = PLAN_RECV,
                                 .peer = peer,
                                 .flag = flag,
                                 .into = (uint8_t)into.buffer,
                                 .into_offset = into.offset,
                                 .bytes = into.bytes});
}

static void add_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    add_recv_raise(sink, peer, into, PLAN_NO_FLAG);
}

static void add_barrier(struct coll_sink *sink)
{
    ((struct plan_writer *)sink)->plan->barriers++;
    add(sink, (struct plan_step){.op = PLAN_BARRIER, .flag = PLAN_NO_FLAG});
}

static void add_raise(struct coll_sink *sink, uint32_t flag)
{
    add(sink, (struct plan_step){.op = PLAN_RAISE, .flag = flag});
}

static void add_await(struct coll_sink *sink, uint32_t flag)
{
    add(sink, (struct plan_step){.op = PLAN_AWAIT, .flag = flag});
}

static void add_local(struct coll_sink *sink, enum plan_op op, struct coll_span from, struct coll_span into)
{
    struct coll_plan *plan = ((struct plan_writer *)sink)->plan;
    const struct plan_step step = {.op = (uint8_t)op,
                                   .flag = PLAN_NO_FLAG,
                                   .from = (uint8_t)from.buffer,
                                   .into = (uint8_t)into.buffer,
                                   .from_offset = from.offset,
                                   .into_offset = into.offset,
                                   .bytes = from.bytes};
    if (goes_on(plan, &step))
        note_order(plan, &step);
    else
        add(sink, step);
}

static void add_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    add_local(sink, PLAN_COPY, from, into);
}

static void add_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    add_local(sink, PLAN_REDUCE, from, into);
}

bool coll_plan_init(struct coll_plan *plan, const struct coll_algorithm *algorithm,
                    const struct coll_call *call)
{
    *plan = (struct coll_plan){.algorithm = algorithm,
                               .shared_bytes = algorithm->shared ? algorithm->shared(call) : 0,
                               .scratch_bytes = coll_scratch(algorithm, call),
                               .flags = algorithm->flags ? algorithm->flags(call) : 0,
                               .reads_first = true};
    struct plan_writer writer = {.base = {.send = add_send,
                                          .recv = add_recv,
                                          .recv_raise = add_recv_raise,
                                          .barrier = add_barrier,
                                          .raise = add_raise,
                                          .await = add_await,
                                          .copy = add_copy,
                                          .reduce = add_reduce,
                                          .local = true},
                                 .plan = plan};
    for (uint32_t phase = 0; !plan->out_of_memory && coll_emit(algorithm, call, phase, &writer.base);
         phase++) {
        if (writer.messages > plan->messages_max)
            plan->messages_max = writer.messages;
        writer.messages = 0;
        add(&writer.base, (struct plan_step){.op = PLAN_PHASE_END, .flag = PLAN_NO_FLAG});
    }
    if (!plan->out_of_memory && plan->step_count > 0)
        reserve(plan, plan->step_count); /* what is not needed goes back */
    return !plan->out_of_memory;
}

void coll_plan_free(struct coll_plan *plan)
{
    free(plan->steps);
    *plan = (struct coll_plan){0};
}
