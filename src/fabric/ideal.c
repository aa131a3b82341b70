#include "base/mem.h"
#include "fabric/list.h"

/* The ideal fabric: every message arrives the instant it is ready. What remains of a program's time on it is
 * its computation and its dependences, the bound that no network can beat.
 *
 * It is also the shortest fabric there can be. To write another: copy its shape, declare parameters and
 * metrics beside it, and name its ops in list.c (CONTRIBUTING.md has the recipe). */
struct ideal {
    struct fabric fabric;
    const struct event_loop *loop;
    struct fabric_callbacks callbacks;
};

static enum status ideal_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    struct ideal *ideal = mem_alloc(1, sizeof *ideal, "the ideal fabric");
    ideal->fabric.ops = &ideal_fabric;
    ideal->loop = plan->loop;
    ideal->callbacks = plan->callbacks;
    *fabric = &ideal->fabric;
    return STATUS_OK;
}

static void ideal_submit(struct fabric *fabric, uint32_t message)
{
    const struct ideal *ideal = (const struct ideal *)fabric;
    const struct fabric_callbacks *callbacks = &ideal->callbacks;
    callbacks->visible(callbacks->self, message, ideal->loop->now);
    callbacks->sender_done(callbacks->self, message, ideal->loop->now);
    callbacks->delivered(callbacks->self, message, ideal->loop->now);
}

static size_t ideal_bytes(const struct fabric *fabric)
{
    (void)fabric;
    return sizeof(struct ideal);
}

static void ideal_close(struct fabric *fabric)
{
    free(fabric);
}

const struct fabric_ops ideal_fabric = {
    .name = "ideal",
    .doc = "no latency, no limit of bandwidth: what the program alone costs",
    .host_path = HOST_PATH_NIC,
    .prepare = ideal_prepare,
    .submit = ideal_submit,
    .bytes = ideal_bytes,
    .close = ideal_close,
};
