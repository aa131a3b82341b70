#include "engine/loggops/causes.h"
#include "engine/loggops/internal.h"

/* The rules of LogGOPSim, and the same without its faults:
 *
 *   - It releases an operation when one that it depends on begins, and queues it at the time of its own cpu,
 *     so that dependences across cpus do not hold in time. Here it begins when they have ended.
 *   - It lets the size of a receive decide whether the send of a message that came before waits, so that a
 *     send can be lost, or released twice. Here the size of the message decides.
 *   - Its byte before the first, of a message of no bytes, counts as 2^64 - 1. Here it counts as none.
 *   - It puts events that wait back into the queue, again and again. Here they wait in groups (queue.c),
 * which gives the same times. */

static bool is_mended(const struct loggops *engine)
{
    return engine->rules == LOGGOPS_MENDED;
}

/* What the bytes behind the first take. */
static when_t of_bytes(const struct loggops *engine, uint64_t bytes, struct loggops_per_byte each)
{
    if (!is_mended(engine))
        return (bytes - 1) * (each.numerator / (1000 * each.denominator));
    return (when_t)loggops_bytes_ps(each, bytes);
}

/* A message that takes no time in the network uses no bandwidth. */
static when_t by_nic(const struct loggops *engine, uint64_t bytes, bool is_free)
{
    return is_free ? 0 : of_bytes(engine, bytes, engine->G);
}

static void raise_to(when_t *time, when_t at)
{
    if (*time < at)
        *time = at;
}

/* The published way to hold back what depends on a send that was released. */
static void hold_sender(const struct loggops *engine, uint32_t host, uint8_t core, uint8_t nic, when_t at)
{
    if (is_mended(engine))
        return;
    raise_to(loggops_cpu(engine, host, core), at);
    raise_to(loggops_send_nic(engine, host, nic), at);
}

/* GOAL gives receives a size too. That of the message holds. */
static void compare_sizes(struct loggops *engine, uint32_t host, uint32_t receive, uint64_t bytes)
{
    if (bytes <= loggops_operation(engine, host, receive)->amount || engine->too_small++)
        return;
    engine->small_host = host;
    engine->small_receive = receive;
    engine->small_bytes = bytes;
}

static void compute(struct loggops *engine, const struct loggops_event *event,
                    const struct graph_operation *operation)
{
    when_t *cpu = loggops_cpu(engine, event->host, operation->core);
    if (*cpu > event->at) {
        loggops_wait(engine, event, NEED_CPU, operation->core, 0);
        return;
    }
    if (engine->causes)
        loggops_causes_begin(engine, event->host, event->subject, event->at);
    *cpu = when_add(engine, event->at, loggops_duration(engine, operation));
    loggops_tell_busy(engine, event->host, operation->core, event->at, *cpu, loggops_busy_with(operation));
    loggops_begin(engine, event->host, event->subject, event->at);
    if (engine->causes)
        loggops_causes_computed(engine, event->host, event->subject, event->at, *cpu);
    loggops_end(engine, event->host, event->subject, *cpu);
}

static void send(struct loggops *engine, const struct loggops_event *event,
                 const struct graph_operation *operation)
{
    when_t *cpu = loggops_cpu(engine, event->host, operation->core);
    when_t *nic = loggops_send_nic(engine, event->host, operation->nic), at = event->at;
    if (when_max(*cpu, *nic) > at) {
        loggops_wait(engine, event, NEED_CPU_AND_SEND, operation->core, operation->nic);
        return;
    }
    const bool is_free = loggops_is_free(engine, event->host);
    if (engine->causes)
        loggops_causes_begin(engine, event->host, event->subject, at);
    when_t posted = when_add(engine, at, engine->o);
    *cpu = when_add(engine, posted, of_bytes(engine, operation->amount, engine->O));
    *nic = when_add(engine, when_add(engine, at, engine->g), by_nic(engine, operation->amount, is_free));
    loggops_tell_busy(engine, event->host, operation->core, at, *cpu, BUSY_SENDS);
    loggops_begin(engine, event->host, event->subject, at);
    loggops_send(engine, event->host, event->subject, at, when_add(engine, posted, is_free ? 0 : engine->L),
                 is_free);
    if (loggops_is_synchronous(engine, operation))
        return;
    if (engine->causes)
        loggops_causes_core_ends(engine, event->host, event->subject, *cpu);
    loggops_end(engine, event->host, event->subject, *cpu);
}

static void receive(struct loggops *engine, const struct loggops_event *event,
                    const struct graph_operation *operation)
{
    uint32_t host = event->host;
    when_t at = event->at;
    if (engine->causes)
        loggops_causes_receive(engine, host, event->subject, at);
    loggops_begin(engine, host, event->subject, at);
    uint32_t index = loggops_meet_message(engine, host, operation->peer, operation->tag);
    if (index == POOL_NONE) {
        loggops_run(engine, host, event->subject)->posted = loggops_ps(engine, at);
        loggops_post(engine, host, event->subject);
        return;
    }
    const struct loggops_message *message = loggops_message(engine, index);
    compare_sizes(engine, host, event->subject, message->bytes);
    when_t end = is_mended(engine) ? when_max(at, (when_t)message->delivered) : at;
    if (is_mended(engine) ? message->is_synchronous : operation->amount > engine->S) {
        if (engine->causes)
            loggops_causes_meet_handled(engine, index, at, end, ENDS_SEND);
        loggops_end(engine, message->source, message->send, at);
        hold_sender(engine, message->source, operation->core, operation->nic, at);
    }
    if (engine->causes)
        loggops_causes_meet_handled(engine, index, at, end, ENDS_RECEIVE);
    loggops_end(engine, host, event->subject, end);
    loggops_tell_received(engine, index, loggops_ps(engine, at), end, at);
}

void loggops_published_operation(struct loggops *engine, const struct loggops_event *event)
{
    const struct graph_operation *operation = loggops_operation(engine, event->host, event->subject);
    if (operation->kind == GRAPH_SEND)
        send(engine, event, operation);
    else if (operation->kind == GRAPH_RECV)
        receive(engine, event, operation);
    else
        compute(engine, event, operation);
}

/* On the cpu and the NIC with the numbers of the sender's. */
void loggops_published_message(struct loggops *engine, const struct loggops_event *event)
{
    const struct loggops_message message = *loggops_message(engine, event->subject);
    uint32_t host = event->host;
    when_t *cpu = loggops_cpu(engine, host, message.core);
    when_t *nic = loggops_receive_nic(engine, host, message.nic), at = event->at;
    if (when_max(*cpu, *nic) > at) {
        loggops_wait(engine, event, NEED_CPU_AND_RECEIVE, message.core, message.nic);
        return;
    }
    const struct loggops_handling handling = {.at = at,
                                              .core_free = *cpu,
                                              .nic_free = *nic,
                                              .by_cpu = of_bytes(engine, message.bytes, engine->O),
                                              .by_nic = by_nic(engine, message.bytes, message.is_free)};
    *cpu = when_add(engine, when_add(engine, at, engine->o), when_max(handling.by_cpu, handling.by_nic));
    *nic = when_add(engine, when_add(engine, at, engine->g), handling.by_nic);
    uint32_t met = loggops_meet_receive(engine, host, message.source, message.tag);
    if (engine->causes)
        loggops_causes_handle(engine, event->subject, met, &handling);
    loggops_tell_receives(engine, host, at, *cpu, met);
    loggops_tell_delivered(engine, event->subject, *cpu);
    if (met == POOL_NONE) {
        loggops_keep(engine, event->subject);
        return;
    }
    ps_t posted = loggops_run(engine, host, met)->posted;
    compare_sizes(engine, host, met, message.bytes);
    if (message.is_synchronous) {
        if (engine->causes)
            loggops_causes_meet(engine, event->subject, met, at, ENDS_SEND);
        loggops_end(engine, message.source, message.send, at);
        hold_sender(engine, message.source, message.core, message.nic, at);
    }
    if (engine->causes)
        loggops_causes_meet(engine, event->subject, met, *cpu, ENDS_RECEIVE);
    loggops_end(engine, host, met, *cpu);
    loggops_tell_received(engine, event->subject, posted, *cpu, at);
}
