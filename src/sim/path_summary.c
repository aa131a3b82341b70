#include "sim/path_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "call/call.h"
#include "engine/free.h"

/* The texts of what messages wait for are constants, but one text may be there more than once. */
enum { AWAITED_TEXTS = 64 };

struct grouping {
    struct path_summary *summary;
    struct hashmap by_key; /* the groups of the present list */
    struct path_group *groups;
    size_t group_count, group_capacity;
    const char *awaited[AWAITED_TEXTS];
    size_t awaited_count;
};

const char *path_call_kind(uint8_t op)
{
    return op < CALL_BARRIER ? "p2p" : call_op_name((enum call_op)op);
}

const char *path_call_name(const struct critical_step *step)
{
    return path_call_kind(step->op);
}

const char *path_message_name(const struct critical_step *step, char *buffer, size_t size)
{
    return free_name_print(step->source, step->number, buffer, size);
}

static const struct critical_step *step_at(const struct grouping *grouping, size_t at)
{
    const struct critical_path *path = grouping->summary->path;
    return at < path->count ? &path->steps[at] : &grouping->summary->last;
}

/* ------------------------------- what steps have in common, and what counts */

static ps_t message_time(const struct critical_step *step)
{
    return step->is_signal ? 0 : step->end - step->start;
}

static ps_t rank_time(const struct critical_step *step)
{
    return step->start - step->since;
}

static ps_t computed_time(const struct critical_step *step)
{
    return step->computed;
}

static ps_t waited_time(const struct critical_step *step)
{
    return step->awaited ? step->awaited_ps : 0;
}

static uint64_t key_of_pair(struct grouping *grouping, size_t at)
{
    const struct critical_step *step = step_at(grouping, at);
    return (uint64_t)step->source << 32 | step->destination;
}

static uint64_t key_of_rank(struct grouping *grouping, size_t at)
{
    return step_at(grouping, at)->rank;
}

struct path_between path_between(const struct path_summary *summary, const struct critical_step *step)
{
    const struct critical_path *path = summary->path;
    const size_t at = step == &summary->last ? path->count : (size_t)(step - path->steps);
    return (struct path_between){.after = at ? path->steps[at - 1].waited_site : 0,
                                 .before = step->sent_site};
}

static uint64_t key_of_computation(struct grouping *grouping, size_t at)
{
    const struct path_between between = path_between(grouping->summary, step_at(grouping, at));
    return (uint64_t)between.after << 32 | between.before;
}

static uint64_t key_of_call(struct grouping *grouping, size_t at)
{
    uint8_t op = step_at(grouping, at)->op;
    return op < CALL_BARRIER ? 0 : op;
}

/* The number of the text: further texts than there is room for count as the last one. */
static uint64_t key_of_awaited(struct grouping *grouping, size_t at)
{
    const struct critical_step *step = step_at(grouping, at);
    size_t text = 0;
    while (text < grouping->awaited_count && strcmp(grouping->awaited[text], step->awaited) != 0)
        text++;
    if (text == AWAITED_TEXTS)
        text--;
    else if (text == grouping->awaited_count)
        grouping->awaited[grouping->awaited_count++] = step->awaited;
    return (uint64_t)text << 32 | step->which;
}

/* ----------------------------------------------------------------- grouping */

static void add_group(struct path_list *list, const struct path_group *group)
{
    size_t at = list->count;
    while (at > 0 && list->groups[at - 1].time < group->time)
        at--;
    if (at == PATH_LISTED)
        return;
    if (list->count == PATH_LISTED)
        list->time -= list->groups[--list->count].time;
    memmove(&list->groups[at + 1], &list->groups[at], (list->count - at) * sizeof *list->groups);
    list->groups[at] = *group;
    list->count++;
    list->time += group->time;
}

static void add_step(struct path_group *group, const struct critical_step *step, ps_t time)
{
    if (!group->first)
        group->first = step;
    group->count++;
    group->bytes += step->bytes;
    group->time += time;
}

/* The group of this key, an empty one if it is new. */
static struct path_group *group_of(struct grouping *grouping, uint64_t key)
{
    uint32_t *slot = hashmap_slot(&grouping->by_key, key);
    if (!*slot) {
        grouping->groups =
            mem_grow(grouping->groups, &grouping->group_capacity, grouping->group_count + 1, "critical path");
        grouping->groups[grouping->group_count++] = (struct path_group){.first = NULL};
        *slot = (uint32_t)grouping->group_count;
    }
    return &grouping->groups[*slot - 1];
}

/* Groups with the same time are listed in the order in which they begin. */
static void group(struct grouping *grouping, uint64_t (*key_of)(struct grouping *grouping, size_t at),
                  ps_t (*time_of)(const struct critical_step *step), struct path_list *list)
{
    hashmap_clear(&grouping->by_key);
    grouping->group_count = 0;
    for (size_t at = 0; at <= grouping->summary->path->count; at++) {
        const struct critical_step *step = step_at(grouping, at);
        ps_t time = time_of(step);
        if (time > 0)
            add_step(group_of(grouping, key_of(grouping, at)), step, time);
    }
    for (size_t i = 0; i < grouping->group_count; i++)
        add_group(list, &grouping->groups[i]);
}

static void list_messages(struct path_summary *summary)
{
    for (size_t at = 0; at < summary->path->count; at++) {
        const struct critical_step *step = &summary->path->steps[at];
        struct path_group message = {.first = NULL};
        add_step(&message, step, message_time(step));
        if (message.time > 0)
            add_group(&summary->messages, &message);
    }
}

struct path_summary *path_summary_make(const struct critical_path *path)
{
    struct path_summary *summary = mem_alloc(1, sizeof *summary, "critical path");
    *summary = (struct path_summary){.path = path,
                                     .last = {.rank = path->last_rank,
                                              .is_signal = true,
                                              .since = path->last_since,
                                              .computed = path->last_computed,
                                              .start = path->length,
                                              .end = path->length}};
    struct grouping grouping = {.summary = summary};
    list_messages(summary);
    group(&grouping, key_of_pair, message_time, &summary->pairs);
    group(&grouping, key_of_rank, rank_time, &summary->ranks);
    group(&grouping, key_of_call, message_time, &summary->calls);
    group(&grouping, key_of_awaited, waited_time, &summary->waits);
    group(&grouping, key_of_computation, computed_time, &summary->computations);
    hashmap_free(&grouping.by_key);
    free(grouping.groups);
    return summary;
}
