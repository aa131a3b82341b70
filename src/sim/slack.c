#include "sim/slack.h"

#include "base/diag.h"
#include "base/mem.h"
#include "call/call.h"
#include "engine/free.h"
#include "sim/result.h"
#include "sim/top_list.h"

static const char purpose[] = "slack";

const char *const slack_share_names[SLACK_SHARES] = {"none", "< 0.1 %", "< 1 %", "< 10 %"};
static const ps_t share_of_time[SLACK_SHARES] = {0, 1000, 100, 10}; /* one in so many */

/* ----------------------------------------------------------------- counting */

static ps_t bound_at(size_t index)
{
    static const ps_t steps[] = {1, 2, 5};
    ps_t bound = steps[index % 3];
    for (size_t i = 0; i < index / 3; i++)
        bound *= 10;
    return bound;
}

/* Counts each message once, at the first bound above its slack. */
static void count_one(struct slack_summary *summary, const ps_t *bounds, const ps_t *shares, ps_t slack)
{
    size_t bound = 0, share = 1;
    summary->none += slack == 0;
    if (slack == PS_NEVER) {
        summary->unlimited++;
        return;
    }
    while (bound < SLACK_BOUNDS && slack >= bounds[bound])
        bound++;
    if (bound < SLACK_BOUNDS)
        summary->bounds[bound]++;
    while (share < SLACK_SHARES && slack >= shares[share])
        share++;
    if (slack == 0)
        summary->shares[0]++;
    else if (share < SLACK_SHARES)
        summary->shares[share]++;
}

static void count_messages(struct slack_summary *summary, ps_t makespan)
{
    ps_t bounds[SLACK_BOUNDS], shares[SLACK_SHARES] = {0};
    for (size_t i = 0; i < SLACK_BOUNDS; i++)
        bounds[i] = bound_at(i);
    for (size_t i = 1; i < SLACK_SHARES; i++)
        shares[i] = makespan / share_of_time[i];
    for (size_t i = 0; i < summary->of.message_count; i++)
        count_one(summary, bounds, shares, summary->of.of_messages[i]);
    for (size_t i = 1; i < SLACK_BOUNDS; i++)
        summary->bounds[i] += summary->bounds[i - 1];
    for (size_t i = 1; i < SLACK_SHARES; i++)
        summary->shares[i] += summary->shares[i - 1];
}

/* -------------------------------------------------------------- single ones */

/* Of messages with the same slack, the first one comes first. */
static void keep_near(struct slack_summary *summary, const struct slack_near *near)
{
    size_t at = summary->near_count;
    while (at > 0 && summary->near[at - 1].slack > near->slack)
        at--;
    if (at == PATH_LISTED)
        return;
    summary->near_count =
        top_list_open(summary->near, sizeof *summary->near, summary->near_count, PATH_LISTED, at);
    summary->near[at] = *near;
}

static void keep_gain(struct slack_summary *summary, const struct path_list *longest, uint32_t source,
                      uint64_t number, ps_t gain)
{
    for (size_t i = 0; i < longest->count; i++) {
        const struct critical_step *step = longest->groups[i].first;
        if (step->source == source && step->number == number)
            summary->gains[i] = gain < step->end - step->start ? gain : step->end - step->start;
    }
}

/* Finds the names of messages, which count those of each source. */
static void keep_messages(struct slack_summary *summary, const struct path_list *longest)
{
    const struct slack_result *of = &summary->of;
    uint64_t *sent = mem_alloc(of->ranks, sizeof *sent, purpose);
    size_t gain = 0;
    for (size_t i = 0; i < of->message_count; i++) {
        const struct slack_message *message = &of->messages[i];
        const struct slack_near near = {.message = *message,
                                        .number = ++sent[message->source],
                                        .sent = of->sent[i],
                                        .slack = of->of_messages[i]};
        if (near.slack > 0 && near.slack < PS_NEVER)
            keep_near(summary, &near);
        if (gain < of->gain_count && of->gains[gain].message == i)
            keep_gain(summary, longest, message->source, near.number, of->gains[gain++].gain);
    }
    free(sent);
}

static void keep_ranks(struct result *result, struct slack_summary *summary)
{
    for (uint32_t rank = 0; rank < result->ranks; rank++) {
        result->rows[rank].slack = summary->of.of_ranks[rank];
        summary->ranks_without += summary->of.of_ranks[rank] == 0;
    }
    for (uint32_t site = 0; site < result->site_count; site++)
        result->sites[site].slack = summary->of.of_sites[site];
}

/* What only the lists need. */
static void drop_messages(struct slack_result *of)
{
    free(of->messages);
    free(of->sent);
    free(of->gains);
    of->messages = NULL;
    of->sent = NULL;
    of->gains = NULL;
    of->gain_count = 0;
}

void slack_keep(struct result *result, struct slack *slack)
{
    struct slack_summary *summary = mem_alloc(1, sizeof *summary, purpose);
    result->slack = summary;
    for (size_t i = 0; i < PATH_LISTED; i++)
        summary->gains[i] = -1;
    if (!slack_find(slack, result->site_count, &summary->of)) {
        diag_warning("--slack: the run on %s has too many messages, so their slack is not known",
                     result->fabric);
        slack_summary_free(summary);
        result->slack = NULL;
        return;
    }
    count_messages(summary, result->makespan);
    keep_messages(summary, &result->path_summary->messages);
    keep_ranks(result, summary);
    drop_messages(&summary->of);
}

void slack_summary_free(struct slack_summary *summary)
{
    if (summary)
        slack_result_free(&summary->of);
    free(summary);
}

size_t slack_least_ranks(const struct result *result, size_t most, uint32_t *ranks)
{
    size_t count = 0;
    for (uint32_t rank = 0; rank < result->ranks; rank++) {
        size_t at = count;
        const ps_t slack = result->rows[rank].slack;
        while (at > 0 && result->rows[ranks[at - 1]].slack > slack)
            at--;
        if (slack == 0 || at == most)
            continue;
        count = top_list_open(ranks, sizeof *ranks, count, most, at);
        ranks[at] = rank;
    }
    return count;
}

/* --------------------------------------------------------------------- JSON */

static json_t *seconds(ps_t time)
{
    return json_make_number((double)time / (double)PS_PER_S);
}

const char *slack_near_name(const struct slack_near *near, char *buffer, size_t size)
{
    return free_name_print(near->message.source, near->number, buffer, size);
}

static json_t *near_json(const struct result *result, const struct slack_near *near)
{
    const struct slack_message *message = &near->message;
    json_t *object = json_make_object();
    char name[32];
    json_put_text(object, "message", slack_near_name(near, name, sizeof name));
    json_put_count(object, "source", message->source);
    json_put_count(object, "destination", message->destination);
    json_put_count(object, "bytes", message->bytes);
    json_put_text(object, "call", path_call_kind(message->op));
    json_put(object, "start_s", seconds(near->sent));
    json_put(object, "slack_s", seconds(near->slack));
    if (result->sites)
        json_put_text(object, "sent_at", result->sites[message->site].name);
    return object;
}

/* From the last bound below which no message is but those without slack, to the first one that has all. */
static json_t *bounds_json(const struct slack_summary *summary)
{
    json_t *list = json_make_list();
    const uint64_t all = summary->of.message_count - summary->unlimited;
    for (size_t i = 0; i < SLACK_BOUNDS; i++) {
        const bool is_first = i + 1 < SLACK_BOUNDS && summary->bounds[i + 1] == summary->none;
        const bool is_last = i > 0 && summary->bounds[i - 1] == all;
        if (is_first || is_last)
            continue;
        json_t *object = json_make_object();
        json_put(object, "below_s", seconds(bound_at(i)));
        json_put_count(object, "count", summary->bounds[i]);
        json_add(list, object);
    }
    return list;
}

static json_t *gains_json(const struct result *result)
{
    const struct path_list *longest = &result->path_summary->messages;
    json_t *list = json_make_list();
    for (size_t i = 0; i < longest->count; i++) {
        const ps_t gain = result->slack->gains[i];
        char name[32];
        if (gain < 0)
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "message", path_message_name(longest->groups[i].first, name, sizeof name));
        json_put(object, "gain_s", seconds(gain));
        json_add(list, object);
    }
    return list;
}

json_t *slack_json(const struct result *result)
{
    const struct slack_summary *summary = result->slack;
    json_t *object = json_make_object(), *near = json_make_list();
    json_put_count(object, "messages", summary->of.message_count);
    json_put_count(object, "messages_without", summary->none);
    json_put_count(object, "messages_unlimited", summary->unlimited);
    json_put(object, "messages_below", bounds_json(summary));
    for (size_t i = 0; i < summary->near_count; i++)
        json_add(near, near_json(result, &summary->near[i]));
    json_put(object, "near", near);
    json_put(object, "gains", gains_json(result));
    json_put_count(object, "ranks_without", summary->ranks_without);
    return object;
}
