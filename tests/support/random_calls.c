#include "support/random_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

enum { SLOTS_AT_MOST = 100, EVENTS = 60 };

static void append(struct random_calls *program, uint32_t rank, struct call call)
{
    assert_true(program->count[rank] < RANDOM_CALLS);
    program->calls[rank][program->count[rank]++] = call;
}

/* A new request of the rank, after a wait for all if it has many. */
static uint32_t slot_of(struct random_calls *program, uint32_t rank)
{
    if (program->slots[rank] == SLOTS_AT_MOST) {
        append(program, rank, (struct call)WAITALL);
        program->slots[rank] = 0;
    }
    return SLOT_FIRST + program->slots[rank]++;
}

/* Both ends of a message stand at the same place of one common order, so that no rank waits in a circle. */
static void add_message(struct random_calls *program, struct rng *rng)
{
    uint32_t from = (uint32_t)rng_below(rng, program->ranks), to = (uint32_t)rng_below(rng, program->ranks);
    if (from == to)
        return;
    uint64_t bytes = rng_below(rng, 4) ? rng_below(rng, 3000) : rng_below(rng, 200000);
    if (rng_below(rng, 3))
        append(program, from, (struct call)ISEND((int32_t)to, 1, bytes, slot_of(program, from)));
    else
        append(program, from, (struct call)SEND((int32_t)to, 1, bytes));
    if (rng_below(rng, 3))
        append(program, to, (struct call)IRECV((int32_t)from, 1, bytes, slot_of(program, to)));
    else
        append(program, to, (struct call)RECV((int32_t)from, 1, bytes));
}

static void add_collective(struct random_calls *program, struct rng *rng)
{
    static const enum call_op ops[] = {CALL_BARRIER, CALL_BCAST, CALL_ALLREDUCE, CALL_ALLTOALL, CALL_GATHER};
    enum call_op op = ops[rng_below(rng, 5)];
    uint64_t bytes = op == CALL_BARRIER ? 0 : rng_below(rng, 5000);
    bool immediate = rng_below(rng, 2);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        if (immediate)
            append(program, rank, (struct call)ICOLLECTIVE(op, bytes, 0, slot_of(program, rank)));
        else
            append(program, rank, (struct call)COLLECTIVE(op, bytes, 0));
    }
}

static void add_event(struct random_calls *program, struct rng *rng)
{
    uint32_t rank = (uint32_t)rng_below(rng, program->ranks);
    switch (rng_below(rng, 10)) {
    case 0:
    case 1:
    case 2:
        append(program, rank, (struct call)COMPUTE((double)rng_below(rng, 200000)));
        break;
    case 3:
        append(program, rank, (struct call)WAITALL);
        program->slots[rank] = 0;
        break;
    case 4:
        add_collective(program, rng);
        break;
    default:
        add_message(program, rng);
        break;
    }
}

/* In whole operations of 83.3 ps, so that no two ranks do something at the same time. */
static void compute(struct random_calls *program, struct rng *rng)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        if (program->count[rank] > program->computed[rank]) {
            append(program, rank, (struct call)COMPUTE(1 + (double)rng_below(rng, 200000)));
            program->computed[rank] = program->count[rank];
        }
}

struct random_calls *random_calls_make(uint64_t seed, bool untied)
{
    struct random_calls *program = mem_alloc(1, sizeof *program, "a program");
    struct rng rng = rng_init(seed, "test_critical");
    program->ranks = 2 + (uint32_t)rng_below(&rng, RANDOM_RANKS - 1);
    for (uint32_t rank = 0; untied && rank < program->ranks; rank++)
        append(program, rank, (struct call)COMPUTE((double)rng_below(&rng, 200000)));
    for (int i = 0; i < EVENTS; i++)
        if (untied) {
            add_message(program, &rng);
            compute(program, &rng);
        } else {
            add_event(program, &rng);
        }
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        append(program, rank, (struct call)FINALIZE);
        program->lists[rank] = program->calls[rank];
    }
    return program;
}
