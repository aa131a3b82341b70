#ifndef HELIO_ENGINE_SLACK_H
#define HELIO_ENGINE_SLACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* Slack: how much later a rank could be, or how much longer a message could take, without a later end of the
 * run, while all other times stay as they were. docs/slack.md
 *
 * The critical path (engine/critical.h) keeps the one cause that ended each wait. This keeps all of them, as
 * a graph. An *event* is a point from which things follow at fixed distances: a rank goes on after a wait, or
 * a message may go. A *moment* is a time at or behind an event, and moves with it: a rank sends, a message
 * arrives. An event needs moments, and happens at the latest of them.
 *
 * The needs are a list. An event has all of its needs before anything follows from it, because it happens
 * then; so the list is in a topological order, and one pass from its last need to its first one finds the
 * slack of all events. */
#define SLACK_NONE UINT32_MAX

struct slack_moment {
    uint32_t event; /* SLACK_NONE: there is no such moment */
    ps_t at;
};

#define SLACK_NO_MOMENT ((struct slack_moment){SLACK_NONE, 0})

/* A message, in the order of sending. */
struct slack_message {
    uint32_t source, destination;
    uint64_t bytes : 56;
    uint64_t op : 8; /* enum call_op that caused it */
    uint32_t event;  /* at which it was sent */
    uint32_t site;   /* of the call that sent it (call/sites.h); 0: not known */
};

/* What a strand (engine/critical.h) has of the graph. */
struct slack_strand {
    uint32_t event; /* with which it moves */
    uint32_t next;  /* with which it moves after its present wait; SLACK_NONE: it has waited for nothing */
    uint32_t rank;  /* whose time it takes; SLACK_NONE: nobody's, as it goes on by itself */
};

struct slack;

struct slack *slack_open(uint32_t ranks, bool wants_sites);
void slack_close(struct slack *slack); /* NULL: does nothing */
/* Bytes of a run with so many messages, and of its result. */
double slack_estimate(double ranks, double messages, double operations);

/* ---------------------------------------------------------------- recording */

struct slack_strand slack_rank(uint32_t rank);

/* An event that needs nothing so far. `rank`: what moves with it is that rank's; SLACK_NONE: nobody's. */
uint32_t slack_event(struct slack *slack, uint32_t rank);
/* `site`: of the call at the moment, if a strand is there. */
void slack_need(struct slack *slack, uint32_t event, struct slack_moment moment, uint32_t site);

static inline struct slack_moment slack_moment(const struct slack_strand *strand, ps_t at)
{
    return (struct slack_moment){.event = strand->event, .at = at};
}

/* The moment of the event itself, after its needs so far. */
struct slack_moment slack_happens(const struct slack *slack, uint32_t event);

/* The strand waits for the moment, among others. Does nothing without a moment. */
void slack_await(struct slack *slack, struct slack_strand *strand, struct slack_moment moment);
/* The strand, that of a rank, goes on by itself in a collective call; and returns from it now. */
void slack_enter_call(struct slack_strand *strand);
void slack_leave_call(struct slack *slack, struct slack_strand *strand, uint32_t rank, ps_t now);
/* The strand goes on. It came to its wait at `own`, in a call of the site. */
void slack_go_on(struct slack *slack, struct slack_strand *strand, ps_t own, uint32_t site);

/* A message is sent at the moment. Returns its event. */
uint32_t slack_send(struct slack *slack, struct slack_moment moment, const struct slack_message *message);
/* The message of the event, which has come to `at`, goes on after the moment, too. Returns its next event. */
uint32_t slack_bind(struct slack *slack, uint32_t event, ps_t at, struct slack_moment moment, uint32_t site);

/* The rank ends at the moment. */
void slack_end(struct slack *slack, struct slack_moment moment);

/* ------------------------------------------------------------------- result */

/* A message without slack. If it alone took less time, the run would be shorter by as much, up to `gain`:
 * then another chain is as long. PS_NEVER: there is none. */
struct slack_gain {
    uint32_t message;
    ps_t gain;
};

/* Arrays of slack. PS_NEVER: nothing that ends later would show it. The caller frees the result. */
struct slack_result {
    uint32_t ranks, sites;
    size_t message_count;
    struct slack_message *messages;
    ps_t *sent; /* of each message: when it was sent */
    ps_t *of_messages;
    ps_t *of_ranks;           /* the least of all that the rank does */
    ps_t *of_sites;           /* the least of all calls of the site; NULL: sites are not known */
    struct slack_gain *gains; /* in the order of messages */
    size_t gain_count;
};

/* `sites`: how many call sites there are, with number 0. False: the run was too large for its events to have
 * numbers; the result is empty then. */
bool slack_find(struct slack *slack, uint32_t sites, struct slack_result *result);
void slack_result_free(struct slack_result *result);

#endif
