#include "engine/slack.h"

#include <assert.h>

#include "base/estimate.h"
#include "engine/slack_graph.h"

static const char purpose[] = "slack";

/* ------------------------------------------------------------------- events */

/* All events of a message have a number below the bit that says so. */
static bool is_full(struct slack *slack)
{
    if (slack->event_count >= SLACK_NONE || slack->message_count >= (SLACK_OF_MESSAGE - 1))
        slack->is_full = true;
    return slack->is_full;
}

uint32_t slack_event(struct slack *slack, uint32_t owner)
{
    if (is_full(slack))
        return SLACK_END;
    const size_t event = slack->event_count++;
    slack->times = mem_grow(slack->times, &slack->time_capacity, event + 1, purpose);
    slack->owners = mem_grow(slack->owners, &slack->owner_capacity, event + 1, purpose);
    slack->times[event] = 0;
    slack->owners[event] = owner;
    return (uint32_t)event;
}

void slack_need(struct slack *slack, uint32_t event, struct slack_moment moment, uint32_t site)
{
    if (moment.event == SLACK_NONE || slack->is_full)
        return;
    assert(moment.event != SLACK_END);
    const size_t need = slack->need_count++;
    slack->needs = mem_grow(slack->needs, &slack->need_capacity, need + 1, purpose);
    slack->needs[need] = (struct slack_need){.event = event, .of = moment.event, .at = moment.at};
    slack->times[event] = ps_max(slack->times[event], moment.at);
    if (!slack->wants_sites)
        return;
    slack->sites = mem_grow(slack->sites, &slack->site_capacity, need + 1, purpose);
    slack->sites[need] = site;
}

struct slack_moment slack_happens(const struct slack *slack, uint32_t event)
{
    return (struct slack_moment){.event = event, .at = slack->times[event]};
}

/* ------------------------------------------------------------------ strands */

struct slack_strand slack_rank(uint32_t rank)
{
    return (struct slack_strand){.event = SLACK_FIRST + rank, .next = SLACK_NONE, .rank = rank};
}

void slack_await(struct slack *slack, struct slack_strand *strand, struct slack_moment moment)
{
    if (moment.event == SLACK_NONE)
        return;
    if (strand->next == SLACK_NONE)
        strand->next = slack_event(slack, strand->rank);
    slack_need(slack, strand->next, moment, 0);
}

void slack_enter_call(struct slack_strand *strand)
{
    strand->rank = SLACK_NONE;
}

void slack_leave_call(struct slack *slack, struct slack_strand *strand, uint32_t rank, ps_t now)
{
    strand->rank = rank;
    if (slack->is_full || slack->owners[strand->event] == rank)
        return;
    const uint32_t event = slack_event(slack, rank);
    slack_need(slack, event, slack_moment(strand, now), 0);
    strand->event = event;
}

void slack_go_on(struct slack *slack, struct slack_strand *strand, ps_t own, uint32_t site)
{
    if (strand->next == SLACK_NONE)
        return;
    slack_need(slack, strand->next, slack_moment(strand, own), site);
    strand->event = strand->next;
    strand->next = SLACK_NONE;
}

void slack_end(struct slack *slack, struct slack_moment moment)
{
    slack_need(slack, SLACK_END, moment, 0);
}

/* ----------------------------------------------------------------- messages */

uint32_t slack_send(struct slack *slack, struct slack_moment moment, const struct slack_message *message)
{
    if (is_full(slack))
        return SLACK_NONE;
    const size_t index = slack->message_count++;
    slack->messages = mem_grow(slack->messages, &slack->message_capacity, index + 1, purpose);
    const uint32_t event = slack_event(slack, SLACK_OF_MESSAGE | (uint32_t)index);
    slack->messages[index] = *message;
    slack->messages[index].event = event;
    slack_need(slack, event, moment, message->site);
    return event;
}

uint32_t slack_bind(struct slack *slack, uint32_t event, ps_t at, struct slack_moment moment, uint32_t site)
{
    if (event == SLACK_NONE || is_full(slack))
        return event;
    const uint32_t next = slack_event(slack, slack->owners[event]);
    slack_need(slack, next, (struct slack_moment){.event = event, .at = at}, 0);
    slack_need(slack, next, moment, site);
    return next;
}

/* --------------------------------------------------------------- life cycle */

struct slack *slack_open(uint32_t ranks, bool wants_sites)
{
    struct slack *slack = mem_alloc(1, sizeof *slack, purpose);
    slack->ranks = ranks;
    slack->wants_sites = wants_sites;
    slack_event(slack, SLACK_NONE);
    for (uint32_t rank = 0; rank < ranks; rank++)
        slack_event(slack, rank);
    return slack;
}

void slack_close(struct slack *slack)
{
    if (!slack)
        return;
    free(slack->needs);
    free(slack->sites);
    free(slack->times);
    free(slack->owners);
    free(slack->messages);
    free(slack);
}

/* A message has one event, or two where it waits for its receive or is polled. The wait for it has one more,
 * which needs the message and the rank itself. An operation of a graph has two. */
double slack_estimate(double ranks, double messages, double operations)
{
    const double events = 2 * messages + 2 * operations + ranks;
    const double needs = 4 * messages + 3 * operations + ranks;
    const double of_event = 2 * sizeof(ps_t) + 2 * sizeof(uint32_t);
    const double of_message =
        sizeof(struct slack_message) + 2 * sizeof(ps_t) + sizeof(struct slack_gain) + sizeof(uint32_t);
    return needs * sizeof(struct slack_need) + events * of_event + messages * of_message;
}
