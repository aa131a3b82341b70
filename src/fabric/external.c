#include "fabric/external.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/list.h"

/* The list has ops, so an outside fabric is one that ends in its functions. */
struct listed {
    struct fabric_ops ops;
    struct fabric_external outside;
};

struct outside {
    struct fabric fabric;
    const struct fabric_external *functions;
    const struct event_loop *loop;
    const struct pool *messages;
    struct fabric_callbacks callbacks;
    void *state;
    bool failed;
};

static enum status external_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    const struct listed *listed = (const struct listed *)plan->ops;
    const struct fabric_external *functions = &listed->outside;
    void *state = functions->begin ? functions->begin(functions->self, plan->nodes) : functions->self;
    if (functions->begin && !state) {
        diag_error("the fabric %s cannot be set up for %u nodes", functions->name, plan->nodes);
        return STATUS_FAILED;
    }
    struct outside *outside = mem_alloc(1, sizeof *outside, "a fabric from outside");
    *outside = (struct outside){.fabric.ops = plan->ops,
                                .functions = functions,
                                .loop = plan->loop,
                                .messages = plan->messages,
                                .callbacks = plan->callbacks,
                                .state = state};
    *fabric = &outside->fabric;
    return STATUS_OK;
}

/* The rest of the house relies on this, and these functions are not ours. */
static bool is_possible(ps_t now, ps_t visible, ps_t sender_done, ps_t delivered)
{
    return visible >= now && sender_done >= now && delivered >= visible && delivered >= sender_done;
}

static void external_submit(struct fabric *fabric, uint32_t message)
{
    struct outside *outside = (struct outside *)fabric;
    const struct fabric_callbacks *callbacks = &outside->callbacks;
    const struct fabric_external *functions = outside->functions;
    ps_t now = outside->loop->now, visible = now, sender_done = now, delivered = now;
    if (outside->failed)
        return;
    const struct message *moved = message_at(outside->messages, message);
    functions->transfer(outside->state, moved, now, &visible, &sender_done, &delivered);
    if (!is_possible(now, visible, sender_done, delivered)) {
        diag_error(
            "the fabric %s says that a message of %llu bytes, ready at %lld ps, is visible at %lld, has "
            "left at %lld and is delivered at %lld ps; nothing may be earlier than ready or later than "
            "delivered",
            functions->name, (unsigned long long)moved->bytes, (long long)now, (long long)visible,
            (long long)sender_done, (long long)delivered);
        outside->failed = true;
        callbacks->failed(callbacks->self, STATUS_FAILED);
        return;
    }
    callbacks->visible(callbacks->self, message, visible);
    callbacks->sender_done(callbacks->self, message, sender_done);
    callbacks->delivered(callbacks->self, message, delivered);
}

static size_t external_bytes(const struct fabric *fabric)
{
    (void)fabric;
    return sizeof(struct outside); /* what its own state takes is not ours to know */
}

static void external_close(struct fabric *fabric)
{
    struct outside *outside = (struct outside *)fabric;
    if (outside->functions->end)
        outside->functions->end(outside->state);
    free(outside);
}

static bool is_name(const char *name)
{
    return name && *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

enum status fabric_add_external(const struct fabric_external *outside)
{
    if (!is_name(outside->name) || !outside->doc || !outside->transfer) {
        diag_error("a fabric needs a name of a-z, 0-9, - and _, a line of documentation, and a function that "
                   "transfers");
        return STATUS_BAD_INPUT;
    }
    struct listed *listed = mem_alloc(1, sizeof *listed, "a fabric from outside");
    *listed = (struct listed){.outside = *outside};
    listed->outside.name = mem_text(outside->name);
    listed->outside.doc = mem_text(outside->doc);
    listed->ops = (struct fabric_ops){.name = listed->outside.name,
                                      .doc = listed->outside.doc,
                                      .host_path = HOST_PATH_NIC,
                                      .prepare = external_prepare,
                                      .submit = external_submit,
                                      .bytes = external_bytes,
                                      .close = external_close};
    enum status status = fabric_add(&listed->ops);
    if (status == STATUS_OK)
        return STATUS_OK;
    free((char *)listed->outside.name);
    free((char *)listed->outside.doc);
    free(listed);
    return status;
}
