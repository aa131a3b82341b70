#include "engine/critical_internal.h"
#include "fabric/message.h"

/* What slack needs of the causes that engines tell: each, and not only the latest of a wait. */

static const struct critical_events no_events = {
    .event = SLACK_NONE, .of_sender = SLACK_NONE, .receive = {SLACK_NONE, 0}};

static struct critical_events *events_of(struct critical *critical, uint32_t index)
{
    size_t known = critical->event_capacity;
    critical->events = mem_grow(critical->events, &critical->event_capacity, (size_t)index + 1, "slack");
    for (; known < critical->event_capacity; known++)
        critical->events[known] = no_events;
    return &critical->events[index];
}

void critical_want_slack(struct critical *critical, struct slack *slack)
{
    critical->slack = slack;
}

/* ----------------------------------------------------------------- messages */

void critical_slack_send(struct critical *critical, uint32_t index, const struct message *message, ps_t now)
{
    const struct slack_message sent = {.source = message->source,
                                       .destination = message->destination,
                                       .bytes = message->bytes & ((UINT64_C(1) << 56) - 1),
                                       .op = message->op,
                                       .site = critical->present->site};
    events_of(critical, index)->event =
        slack_send(critical->slack, slack_moment(&critical->present->slack, now), &sent);
}

void critical_slack_bind(struct critical *critical, uint32_t index, ps_t at, bool for_receiver)
{
    struct critical_events *events = events_of(critical, index);
    if (events->receive.event == SLACK_NONE)
        return;
    if (for_receiver)
        events->of_sender = events->event;
    events->event = slack_bind(critical->slack, events->event, at, events->receive, events->site);
    events->receive = SLACK_NO_MOMENT;
}

void critical_slack_polled(struct critical *critical, uint32_t index, uint32_t rank, ps_t at, ps_t now)
{
    struct critical_events *events = events_of(critical, index);
    const struct critical_strand *strand = &critical->ranks[rank];
    events->event =
        slack_bind(critical->slack, events->event, at, slack_moment(&strand->slack, now), strand->site);
}

void critical_slack_complete(struct critical *critical, uint32_t index, bool to_sender, ps_t at)
{
    const struct critical_events *events = events_of(critical, index);
    const bool apart = to_sender && events->of_sender != SLACK_NONE;
    critical->moment = (struct slack_moment){.event = apart ? events->of_sender : events->event, .at = at};
}

void critical_slack_finish(struct critical *critical, uint32_t index)
{
    *events_of(critical, index) = no_events;
}

/* -------------------------------------------------------------- for engines */

bool critical_has_slack(const struct critical *critical)
{
    return critical->slack != NULL;
}

struct slack_moment critical_moment(const struct critical *critical)
{
    return critical->moment;
}

void critical_await(struct critical *critical, struct critical_strand *strand, struct slack_moment moment)
{
    if (critical->slack)
        slack_await(critical->slack, &strand->slack, moment);
}

void critical_enter_call(struct critical *critical, struct critical_strand *strand)
{
    if (critical->slack)
        slack_enter_call(&strand->slack);
}

void critical_leave_call(struct critical *critical, struct critical_strand *strand, ps_t now)
{
    if (critical->slack)
        slack_leave_call(critical->slack, &strand->slack, strand->rank, now);
}

void critical_passed(struct critical *critical, struct critical_strand *strand, ps_t now)
{
    if (critical->slack)
        slack_go_on(critical->slack, &strand->slack, now, strand->site);
}

struct slack_moment critical_join(struct critical *critical, uint32_t *event, uint32_t rank,
                                  struct slack_moment moment)
{
    if (!critical->slack || moment.event == SLACK_NONE)
        return SLACK_NO_MOMENT;
    if (*event == SLACK_NONE)
        *event = slack_event(critical->slack, rank);
    slack_need(critical->slack, *event, moment, critical->present ? critical->present->site : 0);
    return slack_happens(critical->slack, *event);
}

void critical_receive(struct critical *critical, uint32_t index, ps_t now)
{
    if (!critical->slack)
        return;
    struct critical_events *events = events_of(critical, index);
    events->receive = slack_moment(&critical->present->slack, now);
    events->site = critical->present->site;
}

void critical_meet(struct critical *critical, uint32_t receive, uint32_t message)
{
    if (!critical->slack)
        return;
    const struct critical_events posted = *events_of(critical, receive);
    *events_of(critical, receive) = no_events;
    events_of(critical, message)->receive = posted.receive;
    events_of(critical, message)->site = posted.site;
}

void critical_match(struct critical *critical, uint32_t index, ps_t now, bool for_receiver)
{
    if (critical->slack)
        critical_slack_bind(critical, index, now, for_receiver);
}

struct slack_moment critical_message_moment(struct critical *critical, uint32_t index, ps_t at)
{
    if (!critical->slack)
        return SLACK_NO_MOMENT;
    return (struct slack_moment){.event = events_of(critical, index)->event, .at = at};
}

void critical_last(struct critical *critical, struct slack_moment moment)
{
    if (critical->slack)
        slack_end(critical->slack, moment);
}
