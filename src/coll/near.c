#include "coll/near.h"

#include "coll/blocks.h"

struct near_plan near_plan_of(const struct coll_call *call, bool split, bool odd_stay, struct coll_span sum,
                              struct coll_span arrival)
{
    struct near_plan plan = {.call = call,
                             .split = split,
                             .odd_stay = odd_stay,
                             .fold = fold_of(call->rank, call->size),
                             .own = span_of(COLL_SEND_BUFFER, 0, call->bytes),
                             .sum = sum,
                             .arrival = arrival};
    if (!odd_stay && plan.fold.role != FOLD_PLAIN)
        plan.fold.role = plan.fold.role == FOLD_HELPER ? FOLD_LEAVER : FOLD_HELPER;
    return plan;
}

uint32_t near_rank(const struct near_plan *plan, uint32_t id)
{
    return id < plan->fold.rest ? 2 * id + plan->odd_stay : id + plan->fold.rest;
}

/* The range of `units` that remains after halvings: the lower half for an id whose bit is 0. */
static void halve_range(uint32_t id, uint32_t halvings, uint64_t units, uint64_t *begin, uint64_t *count)
{
    *begin = 0;
    *count = units;
    for (uint32_t i = 0; i < halvings; i++) {
        uint64_t lower = *count / 2;
        if (id >> i & 1) {
            *begin += lower;
            *count -= lower;
        } else {
            *count = lower;
        }
    }
}

static uint64_t elements_of(const struct coll_call *call)
{
    return call->bytes / call->element + (call->bytes % call->element != 0);
}

struct coll_span near_window(const struct near_plan *plan, uint32_t id, uint32_t halvings,
                             struct coll_span of)
{
    const struct coll_call *call = plan->call;
    uint64_t begin, count;
    /* One part for each element: an element of a split vector is a unit of its own. */
    uint64_t elements = elements_of(call);
    halve_range(id, halvings, plan->split ? elements : plan->fold.power, &begin, &count);
    if (!plan->split) {
        struct blocks parts = blocks_parts(plan->fold.power, call->bytes, call->element);
        struct coll_span run = blocks_span(&parts, of.buffer, (uint32_t)begin, (uint32_t)count);
        return span_of(of.buffer, of.offset + run.offset, run.bytes);
    }
    uint64_t first = begin * call->element, end = (begin + count) * call->element;
    first = first < call->bytes ? first : call->bytes;
    end = end < call->bytes ? end : call->bytes;
    return span_of(of.buffer, of.offset + first, end - first);
}

/* --------------------------------------------------------------------- fold */

uint32_t near_fold_phases(const struct near_plan *plan)
{
    if (plan->fold.role == FOLD_PLAIN)
        return 0;
    return plan->split ? 2 : 1;
}

/* Half of a vector: the lower one for the rank that stays, which is the even one. */
static struct coll_span half_of(const struct near_plan *plan, struct coll_span of, bool upper)
{
    uint64_t lower = elements_of(plan->call) / 2 * plan->call->element;
    return upper ? span_of(of.buffer, of.offset + lower, of.bytes - lower)
                 : span_of(of.buffer, of.offset, lower);
}

static void fold_split(const struct near_plan *plan, uint32_t phase, struct coll_sink *sink)
{
    bool leaves = plan->fold.role == FOLD_LEAVER;
    if (phase == 0) {
        step_copy(sink, plan->own, plan->sum);
        step_exchange(sink, plan->fold.partner, half_of(plan, plan->own, !leaves), plan->fold.partner,
                      half_of(plan, plan->arrival, leaves));
        return;
    }
    step_reduce(sink, half_of(plan, plan->arrival, leaves), half_of(plan, plan->sum, leaves));
    if (leaves)
        sink->send(sink, plan->fold.partner, half_of(plan, plan->sum, true));
    else
        sink->recv(sink, plan->fold.partner, half_of(plan, plan->sum, true));
}

void near_fold(const struct near_plan *plan, uint32_t phase, struct coll_sink *sink)
{
    if (plan->split) {
        fold_split(plan, phase, sink);
    } else if (plan->fold.role == FOLD_LEAVER) {
        sink->send(sink, plan->fold.partner, plan->own);
    } else {
        step_copy(sink, plan->own, plan->sum);
        sink->recv(sink, plan->fold.partner, plan->arrival);
    }
}

/* ------------------------------------------------------------------ halving */

void near_add(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink)
{
    if (halvings > 0)
        step_reduce(sink, near_window(plan, plan->fold.id, halvings, plan->arrival),
                    near_window(plan, plan->fold.id, halvings, plan->sum));
    else if (plan->fold.role == FOLD_PLAIN)
        step_copy(sink, plan->own, plan->sum);
    else if (!plan->split)
        step_reduce(sink, plan->arrival, plan->sum);
}

void near_halve(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink)
{
    uint32_t other = plan->fold.id ^ UINT32_C(1) << halvings, peer = near_rank(plan, other);
    step_exchange(sink, peer, near_window(plan, other, halvings + 1, plan->sum), peer,
                  near_window(plan, plan->fold.id, halvings + 1, plan->arrival));
}
