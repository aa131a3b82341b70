#ifndef HELIO_ENGINE_SLACK_GRAPH_H
#define HELIO_ENGINE_SLACK_GRAPH_H

#include "base/mem.h"
#include "engine/slack.h"

/* The graph of a run, as slack.c records it and slack_find.c reads it. */

/* `event` does not happen before the moment `at` of the event `of`. */
struct slack_need {
    uint32_t event, of;
    ps_t at;
};

/* The event 0 is the end of the run. The events from 1 to `ranks` are the beginnings of ranks. */
enum { SLACK_END = 0, SLACK_FIRST = 1 };

/* Whose event it is: a rank, a message, with this bit, or nobody, SLACK_NONE. */
#define SLACK_OF_MESSAGE (UINT32_C(1) << 31)

struct slack {
    uint32_t ranks;
    struct slack_need *needs;
    size_t need_count, need_capacity;
    uint32_t *sites; /* of each need; NULL: nobody wants them */
    size_t site_capacity;
    ps_t *times; /* of each event: the latest of its needs so far */
    uint32_t *owners;
    size_t event_count, time_capacity, owner_capacity;
    struct slack_message *messages;
    size_t message_count, message_capacity;
    bool wants_sites;
    bool is_full; /* there are more events than numbers: it records no longer */
};

static inline bool slack_is_rank(uint32_t owner)
{
    return !(owner & SLACK_OF_MESSAGE);
}

static inline bool slack_is_message(uint32_t owner)
{
    return (owner & SLACK_OF_MESSAGE) && owner != SLACK_NONE;
}

#endif
