#include "engine/loggops/internal.h"

/* The rules of the fork of LogGOPSim in ATLAHS. Dependences carry the time of the end of what they depend on.
 * A message is charged where its receive is, when both are there. Where events have equal times, the fork has
 * no order; here it is theirs of becoming ready. */

/* A message has at least one byte. */
static uint64_t behind_first(uint64_t bytes)
{
    return bytes ? bytes - 1 : 0;
}

static uint64_t size_of(uint64_t bytes)
{
    return bytes ? bytes : 1;
}

static when_t by_cpu(const struct loggops *engine, uint64_t bytes)
{
    return behind_first(bytes) * (engine->O.numerator / (1000 * engine->O.denominator));
}

static when_t of_bytes(const struct loggops *engine, uint64_t bytes)
{
    double time = (double)behind_first(bytes) * engine->G_of_atlahs;
    return time < 0x1p63 ? (when_t)time : (when_t)PS_NEVER;
}

static void raise_to(when_t *time, when_t at)
{
    if (*time < at)
        *time = at;
}

static void compute(struct loggops *engine, const struct loggops_event *event,
                    const struct graph_operation *operation)
{
    when_t *cpu = loggops_cpu(engine, event->host, operation->core);
    if (*cpu > event->at) {
        loggops_push_again(engine, event, *cpu);
        return;
    }
    *cpu = event->at + loggops_duration(engine, operation);
    loggops_tell_busy(engine, event->host, operation->core, event->at, *cpu, loggops_busy_with(operation));
    loggops_begin(engine, event->host, event->subject, 0);
    loggops_end(engine, event->host, event->subject, *cpu);
}

static void send(struct loggops *engine, const struct loggops_event *event,
                 const struct graph_operation *operation)
{
    when_t *cpu = loggops_cpu(engine, event->host, operation->core);
    when_t *nic = loggops_send_nic(engine, event->host, operation->nic), at = event->at;
    if (when_max(*cpu, *nic) > at) {
        loggops_push_again(engine, event, when_max(*cpu, *nic));
        return;
    }
    const bool is_free = loggops_is_free(engine, event->host);
    when_t by_nic = is_free ? 0 : of_bytes(engine, operation->amount);
    *cpu = at + engine->o + by_cpu(engine, operation->amount);
    *nic = at + engine->g + by_nic;
    loggops_tell_busy(engine, event->host, operation->core, at, *cpu, BUSY_SENDS);
    loggops_begin(engine, event->host, event->subject, 0);
    loggops_send(engine, event->host, event->subject, at, *cpu + (is_free ? 0 : engine->L) + by_nic, is_free);
    if (size_of(operation->amount) <= engine->S)
        loggops_end(engine, event->host, event->subject, *cpu);
}

/* The send of a large message ends with its receive, and holds its cpu and NIC until then. */
static void release_sender(struct loggops *engine, const struct loggops_message *message, uint8_t core,
                           uint8_t sending_nic, when_t cpu, when_t nic)
{
    loggops_end(engine, message->source, message->send, cpu);
    raise_to(loggops_cpu(engine, message->source, core), cpu);
    raise_to(loggops_send_nic(engine, message->source, sending_nic), nic);
}

static void receive(struct loggops *engine, const struct loggops_event *event,
                    const struct graph_operation *operation)
{
    uint32_t host = event->host;
    when_t at = event->at;
    loggops_begin(engine, host, event->subject, 0);
    uint32_t index = loggops_meet_message(engine, host, operation->peer, operation->tag);
    if (index == POOL_NONE) {
        loggops_run(engine, host, event->subject)->posted = loggops_ps(engine, at);
        loggops_post(engine, host, event->subject);
        return;
    }
    when_t nic = when_max(*loggops_send_nic(engine, host, operation->nic), at) + engine->g;
    when_t cpu = nic + engine->o + by_cpu(engine, operation->amount);
    *loggops_cpu(engine, host, operation->core) = cpu;
    *loggops_receive_nic(engine, host, operation->nic) = nic;
    loggops_tell_receives(engine, host, nic, cpu, event->subject);
    loggops_tell_delivered(engine, index, at);
    if (size_of(operation->amount) > engine->S)
        release_sender(engine, loggops_message(engine, index), operation->core, operation->nic, cpu, nic);
    loggops_end(engine, host, event->subject, cpu);
    loggops_tell_received(engine, index, loggops_ps(engine, at), cpu, cpu);
}

void loggops_atlahs_operation(struct loggops *engine, const struct loggops_event *event)
{
    const struct graph_operation *operation = loggops_operation(engine, event->host, event->subject);
    if (operation->kind == GRAPH_SEND)
        send(engine, event, operation);
    else if (operation->kind == GRAPH_RECV)
        receive(engine, event, operation);
    else
        compute(engine, event, operation);
}

void loggops_atlahs_message(struct loggops *engine, const struct loggops_event *event)
{
    const struct loggops_message message = *loggops_message(engine, event->subject);
    uint32_t host = event->host;
    uint32_t met = loggops_meet_receive(engine, host, message.source, message.tag);
    if (met == POOL_NONE) {
        loggops_keep(engine, event->subject);
        return;
    }
    ps_t posted = loggops_run(engine, host, met)->posted;
    const struct graph_operation *receive = loggops_operation(engine, host, met);
    when_t *cpu = loggops_cpu(engine, host, receive->core);
    when_t *nic = loggops_receive_nic(engine, host, message.nic), at = event->at;
    if (when_max(*cpu, *nic) > at) { /* the receive goes to the end of its queue */
        loggops_push_again(engine, event, when_max(*cpu, *nic));
        loggops_post(engine, host, met);
        return;
    }
    *nic = when_max(*nic, at) + engine->g;
    *cpu = *nic + engine->o + by_cpu(engine, message.bytes);
    loggops_tell_receives(engine, host, *nic, *cpu, met);
    loggops_tell_delivered(engine, event->subject, at);
    if (size_of(message.bytes) > engine->S)
        release_sender(engine, &message, message.core, message.nic, *cpu, *nic);
    loggops_end(engine, host, met, *cpu);
    loggops_tell_received(engine, event->subject, posted, *cpu, *cpu);
}
