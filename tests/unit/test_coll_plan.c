/* Plans of the preloaded collectives: the steps that the generator emits, one by one and in their order, and
 * few enough of them for 100 nodes of 128 ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/nodes.h"
#include "coll/plan.h"

/* A sink that compares what the generator emits with the next step of the plan. */
struct comparer {
    struct coll_sink base;
    const struct coll_plan *plan;
    size_t next;   /* step of the plan */
    uint32_t done; /* of its times */
    uint32_t barriers, reads, writes;
};

/* The next step, which is of this kind. */
static struct plan_step take(struct coll_sink *sink, enum plan_op op)
{
    struct comparer *self = (struct comparer *)sink;
    assert_true(self->next < self->plan->step_count);
    struct plan_step step = self->plan->steps[self->next];
    assert_int_equal(step.op, op);
    assert_true(step.times == 1 || step.op == PLAN_COPY || step.op == PLAN_REDUCE);
    step.from_offset += (uint64_t)(self->done * step.from_stride);
    step.into_offset += (uint64_t)(self->done * step.into_stride);
    if (++self->done == step.times)
        self->next++, self->done = 0;
    return step;
}

static void is_from(struct plan_step step, struct coll_span span)
{
    assert_int_equal(step.from, span.buffer);
    assert_int_equal(step.from_offset, span.offset);
    assert_int_equal(step.bytes, span.bytes);
}

static void is_into(struct plan_step step, struct coll_span span)
{
    assert_int_equal(step.into, span.buffer);
    assert_int_equal(step.into_offset, span.offset);
    assert_int_equal(step.bytes, span.bytes);
}

static void compare_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct plan_step step = take(sink, PLAN_SEND);
    assert_int_equal(step.peer, peer);
    is_from(step, from);
}

static void compare_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    struct plan_step step = take(sink, PLAN_RECV);
    assert_int_equal(step.peer, peer);
    assert_int_equal(step.flag, flag);
    is_into(step, into);
}

static void compare_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    compare_recv_raise(sink, peer, into, PLAN_NO_FLAG);
}

static void compare_barrier(struct coll_sink *sink)
{
    take(sink, PLAN_BARRIER);
}

static void compare_raise(struct coll_sink *sink, uint32_t flag)
{
    assert_int_equal(take(sink, PLAN_RAISE).flag, flag);
}

static void compare_await(struct coll_sink *sink, uint32_t flag)
{
    assert_int_equal(take(sink, PLAN_AWAIT).flag, flag);
}

static void compare_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct plan_step step = take(sink, PLAN_COPY);
    is_from(step, from);
    is_into(step, into);
}

static void compare_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct plan_step step = take(sink, PLAN_REDUCE);
    is_from(step, from);
    is_into(step, into);
}

static void plan_is_the_schedule(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    struct coll_plan plan;
    assert_true(coll_plan_init(&plan, algorithm, call));
    struct comparer self = {.base = {.send = compare_send,
                                     .recv = compare_recv,
                                     .recv_raise = compare_recv_raise,
                                     .barrier = compare_barrier,
                                     .raise = compare_raise,
                                     .await = compare_await,
                                     .copy = compare_copy,
                                     .reduce = compare_reduce,
                                     .local = true},
                            .plan = &plan};
    for (uint32_t phase = 0; coll_emit(algorithm, call, phase, &self.base); phase++)
        take(&self.base, PLAN_PHASE_END);
    assert_int_equal(self.next, plan.step_count);
    assert_int_equal(plan.step_capacity, plan.step_count);
    coll_plan_free(&plan);
}

static void plans_are_the_schedule(const struct coll_algorithm *algorithm, struct coll_call *call)
{
    call->kind = algorithm->kind;
    call->bytes = algorithm->kind == COLL_BARRIER ? 0 : 32;
    for (call->rank = 0; call->rank < call->size; call->rank++)
        plan_is_the_schedule(algorithm, call);
}

static const enum coll_kind kinds[] = {COLL_BARRIER,   COLL_BCAST,    COLL_REDUCE,
                                       COLL_ALLREDUCE, COLL_ALLTOALL, COLL_ALLGATHER,
                                       COLL_GATHER,    COLL_SCATTER,  COLL_REDUCE_SCATTER};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Ranks on nodes: `per_node` on each, in turn if `in_turn`. */
struct ranks {
    uint32_t *storage;
    struct coll_nodes nodes;
    struct coll_call call;
};

static struct ranks ranks_on(uint32_t nodes, uint32_t per_node, bool in_turn)
{
    struct ranks ranks = {.storage = NULL};
    uint32_t size = nodes * per_node;
    ranks.storage = malloc((coll_nodes_storage(size) + size) * sizeof *ranks.storage);
    uint32_t *place_of = ranks.storage + coll_nodes_storage(size);
    for (uint32_t rank = 0; rank < size; rank++)
        place_of[rank] = in_turn ? rank % nodes : rank / per_node;
    coll_nodes_init(&ranks.nodes, size, place_of, ranks.storage);
    ranks.call = (struct coll_call){.size = size, .leaders = 1, .element = 4};
    return ranks;
}

static void plans_are_the_schedules(void **state)
{
    (void)state;
    for (uint32_t nodes = 1; nodes <= 4; nodes++)
        for (uint32_t per_node = 1; per_node <= 4; per_node++)
            for (int in_turn = 0; in_turn < 2; in_turn++) {
                struct ranks ranks = ranks_on(nodes, per_node, in_turn);
                ranks.call.nodes = &ranks.nodes;
                for (size_t i = 0; coll_algorithms[i]; i++)
                    plans_are_the_schedule(coll_algorithms[i], &ranks.call);
                free(ranks.storage);
            }
}

/* What `leaders` takes at 100 nodes of 128 ranks does not grow with the number of ranks, but with those of a
 * node and with the number of nodes. */
static void plans_of_many_ranks_are_small(void **state)
{
    (void)state;
    enum { NODES = 100, PER_NODE = 128, MOST_STEPS = 4 * (NODES + PER_NODE) };
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        struct ranks ranks = ranks_on(NODES, PER_NODE, in_turn);
        ranks.call.nodes = &ranks.nodes;
        for (int kind = 0; kind < KINDS; kind++) {
            ranks.call.kind = kinds[kind];
            ranks.call.bytes = kinds[kind] == COLL_BARRIER ? 0 : 32;
            const uint32_t of_each_sort[] = {0, 1, PER_NODE, PER_NODE + 1};
            for (size_t i = 0; i < sizeof of_each_sort / sizeof *of_each_sort; i++) {
                struct coll_plan plan;
                ranks.call.rank = of_each_sort[i];
                assert_true(coll_plan_init(&plan, coll_find(kinds[kind], "leaders"), &ranks.call));
                if (plan.step_count > MOST_STEPS)
                    fail_msg("%s, rank %u: %zu steps", coll_kind_name(kinds[kind]), ranks.call.rank,
                             plan.step_count);
                coll_plan_free(&plan);
            }
        }
        free(ranks.storage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_the_schedules),
        cmocka_unit_test(plans_of_many_ranks_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
