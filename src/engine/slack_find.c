#include <string.h>

#include "engine/slack_graph.h"

static const char purpose[] = "slack";

/* What the passes over the needs share. */
struct finder {
    const struct slack *slack;
    struct slack_result *result;
    ps_t *of_events;
    uint32_t *critical_after; /* per event: messages without slack that go after it happens */
    uint32_t critical;        /* messages without slack so far */
    uint32_t *last;           /* of each message: its last event */
};

/* An event can be `slack` later, so the moment can be this much later: what it waits then comes on top. */
static inline ps_t slack_of_need(const struct finder *finder, const struct slack_need *need)
{
    const ps_t of_event = finder->of_events[need->event];
    return of_event == PS_NEVER ? PS_NEVER : of_event + finder->slack->times[need->event] - need->at;
}

static inline void keep_least(ps_t *least, ps_t slack)
{
    if (slack < *least)
        *least = slack;
}

static ps_t *unlimited(size_t count)
{
    ps_t *all = mem_alloc(count, sizeof *all, purpose);
    for (size_t i = 0; i < count; i++)
        all[i] = PS_NEVER;
    return all;
}

/* The need is of a message that has come to its end, not of one that goes on. */
static inline bool is_end_of_message(const struct slack *slack, const struct slack_need *need)
{
    return slack_is_message(slack->owners[need->of]) && slack->owners[need->event] != slack->owners[need->of];
}

/* ----------------------------------------------------------------- backward */

static void count_need(const struct finder *finder, size_t index, ps_t slack_of)
{
    const struct slack *slack = finder->slack;
    const struct slack_need *need = &slack->needs[index];
    const uint32_t owner = slack->owners[need->of];
    struct slack_result *result = finder->result;
    if (is_end_of_message(slack, need))
        keep_least(&result->of_messages[owner & ~SLACK_OF_MESSAGE], slack_of);
    else if (slack_is_rank(owner))
        keep_least(&result->of_ranks[owner], slack_of);
    if (result->of_sites && slack_is_rank(owner))
        keep_least(&result->of_sites[slack->sites[index]], slack_of);
}

/* All needs of what follows from the event have been passed, so its slack is known. */
static void reach_event(struct finder *finder, uint32_t event)
{
    const uint32_t owner = finder->slack->owners[event];
    finder->critical_after[event] = finder->critical;
    if (!slack_is_message(owner) || finder->last[owner & ~SLACK_OF_MESSAGE] != SLACK_NONE)
        return;
    finder->last[owner & ~SLACK_OF_MESSAGE] = event;
    if (finder->of_events[event] == 0)
        finder->critical++;
}

static void pass_backward(struct finder *finder)
{
    const struct slack *slack = finder->slack;
    for (size_t i = slack->event_count; i-- > 0;)
        finder->critical_after[i] = SLACK_NONE;
    finder->of_events[SLACK_END] = 0;
    for (size_t i = slack->need_count; i-- > 0;) {
        const struct slack_need *need = &slack->needs[i];
        if (finder->critical_after[need->event] == SLACK_NONE)
            reach_event(finder, need->event);
        const ps_t slack_of = slack_of_need(finder, need);
        keep_least(&finder->of_events[need->of], slack_of);
        count_need(finder, i, slack_of);
    }
    for (uint32_t rank = 0; rank < slack->ranks; rank++)
        finder->critical_after[SLACK_FIRST + rank] = finder->critical;
}

/* -------------------------------------------------------------------- gains */

/* Cut the order of events behind one that has no slack: each chain to the end of the run crosses the cut at
 * one need. So the longest chain without the event is as much shorter than the run as the least slack of the
 * needs that cross the cut and are not the event's. A need crosses the cuts between its two events; a tree
 * over the cuts takes these intervals. */
static void lower(ps_t *tree, size_t leaves, size_t from, size_t to, ps_t slack)
{
    for (from += leaves, to += leaves; from < to; from /= 2, to /= 2) {
        if (from % 2)
            keep_least(&tree[from++], slack);
        if (to % 2)
            keep_least(&tree[--to], slack);
    }
}

static bool is_critical(const struct finder *finder, uint32_t event)
{
    const uint32_t owner = finder->slack->owners[event];
    return slack_is_message(owner) && finder->of_events[event] == 0 &&
           finder->last[owner & ~SLACK_OF_MESSAGE] == event;
}

/* Event number k from the end of the run, among those without slack, is leaf k. */
static ps_t *gains_by_cut(const struct finder *finder)
{
    const size_t leaves = finder->critical;
    ps_t *tree = unlimited(2 * leaves + 1);
    for (size_t i = 0; i < finder->slack->need_count; i++) {
        const struct slack_need *need = &finder->slack->needs[i];
        const size_t from = finder->critical_after[need->event] + is_critical(finder, need->event);
        const size_t to = finder->critical_after[need->of];
        if (from < to)
            lower(tree, leaves, from, to, slack_of_need(finder, need));
    }
    for (size_t node = 2; node < 2 * leaves; node++)
        keep_least(&tree[node], tree[node / 2]);
    return tree;
}

static void find_gains(const struct finder *finder)
{
    struct slack_result *result = finder->result;
    ps_t *tree = gains_by_cut(finder);
    result->gains = mem_alloc(finder->critical, sizeof *result->gains, purpose);
    for (size_t i = 0; i < result->message_count; i++) {
        const uint32_t event = finder->last[i];
        if (event != SLACK_NONE && is_critical(finder, event))
            result->gains[result->gain_count++] = (struct slack_gain){
                .message = (uint32_t)i, .gain = tree[finder->critical + finder->critical_after[event]]};
    }
    free(tree);
}

/* ------------------------------------------------------------------- result */

/* The messages go from the graph to the result. */
static void take_messages(struct slack *slack, struct slack_result *result)
{
    result->messages = slack->messages;
    result->message_count = slack->message_count;
    result->sent = mem_alloc(result->message_count, sizeof *result->sent, purpose);
    for (size_t i = 0; i < result->message_count; i++)
        result->sent[i] = slack->times[result->messages[i].event];
    slack->messages = NULL;
    slack->message_count = slack->message_capacity = 0;
}

bool slack_find(struct slack *slack, uint32_t sites, struct slack_result *result)
{
    *result = (struct slack_result){.ranks = slack->ranks};
    if (slack->is_full)
        return false;
    take_messages(slack, result);
    result->of_messages = unlimited(result->message_count);
    result->of_ranks = unlimited(slack->ranks);
    if (slack->wants_sites) {
        result->sites = sites;
        result->of_sites = unlimited(sites);
    }
    struct finder finder = {.slack = slack,
                            .result = result,
                            .of_events = unlimited(slack->event_count),
                            .critical_after =
                                mem_alloc(slack->event_count, sizeof *finder.critical_after, purpose),
                            .last = mem_alloc(result->message_count, sizeof *finder.last, purpose)};
    for (size_t i = 0; i < result->message_count; i++)
        finder.last[i] = SLACK_NONE;
    pass_backward(&finder);
    find_gains(&finder);
    free(finder.of_events);
    free(finder.critical_after);
    free(finder.last);
    return true;
}

void slack_result_free(struct slack_result *result)
{
    free(result->messages);
    free(result->sent);
    free(result->of_messages);
    free(result->of_ranks);
    free(result->of_sites);
    free(result->gains);
    *result = (struct slack_result){0};
}
