#include "call/call.h"
#include "sim/path_summary.h"
#include "sim/result.h"

/* At most so many parts of the path are drawn; a longer path is drawn in groups of consecutive steps. */
enum { PARTS_DRAWN = 200 };

static json_t *seconds(ps_t time)
{
    return json_make_number((double)time / (double)PS_PER_S);
}

static double share_of(const struct path_summary *summary, ps_t time)
{
    return summary->path->length > 0 ? (double)time / (double)summary->path->length : 0;
}

static void put_kinds(json_t *object, const ps_t *kinds, bool with_zeros)
{
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", critical_kind_name((enum critical_kind)kind));
        if (with_zeros || kinds[kind])
            json_put(object, key, seconds(kinds[kind]));
    }
}

static void put_group(json_t *object, const struct path_summary *summary, const struct path_group *group)
{
    json_put(object, "time_s", seconds(group->time));
    json_put_number(object, "share", share_of(summary, group->time));
}

/* -------------------------------------------------------------------- lists */

static json_t *message_json(const struct path_summary *summary, const struct path_group *group)
{
    const struct critical_step *step = group->first;
    json_t *object = json_make_object();
    char name[32];
    json_put_text(object, "message", path_message_name(step, name, sizeof name));
    json_put_count(object, "source", step->source);
    json_put_count(object, "destination", step->destination);
    json_put_count(object, "bytes", step->bytes);
    json_put_text(object, "call", path_call_name(step));
    json_put(object, "start_s", seconds(step->start));
    json_put(object, "end_s", seconds(step->end));
    put_group(object, summary, group);
    put_kinds(object, step->kinds, false);
    if (summary->sites) {
        json_put_text(object, "sent_at", summary->sites[step->sent_site].name);
        json_put_text(object, "waited_at", summary->sites[step->waited_site].name);
    }
    if (step->awaited) {
        json_put_text(object, "waited_for", step->awaited);
        json_put_count(object, "number", step->which);
        json_put(object, "waited_s", seconds(step->awaited_ps));
    }
    return object;
}

static json_t *pair_json(const struct path_summary *summary, const struct path_group *group)
{
    json_t *object = json_make_object();
    json_put_count(object, "source", group->first->source);
    json_put_count(object, "destination", group->first->destination);
    json_put_count(object, "count", group->count);
    json_put_count(object, "bytes", group->bytes);
    put_group(object, summary, group);
    return object;
}

static json_t *rank_json(const struct path_summary *summary, const struct path_group *group)
{
    json_t *object = json_make_object();
    json_put_count(object, "rank", group->first->rank);
    put_group(object, summary, group);
    return object;
}

static json_t *call_json(const struct path_summary *summary, const struct path_group *group)
{
    json_t *object = json_make_object();
    json_put_text(object, "call", path_call_name(group->first));
    json_put_count(object, "count", group->count);
    json_put_count(object, "bytes", group->bytes);
    put_group(object, summary, group);
    return object;
}

static json_t *wait_json(const struct path_summary *summary, const struct path_group *group)
{
    json_t *object = json_make_object();
    json_put_text(object, "waited_for", group->first->awaited);
    json_put_count(object, "number", group->first->which);
    json_put_count(object, "count", group->count);
    put_group(object, summary, group);
    return object;
}

static json_t *computation_json(const struct path_summary *summary, const struct path_group *group)
{
    const struct path_between between = path_between(summary, group->first);
    json_t *object = json_make_object();
    json_put_text(object, "after", summary->sites[between.after].name);
    json_put_text(object, "before", summary->sites[between.before].name);
    json_put_count(object, "count", group->count);
    put_group(object, summary, group);
    return object;
}

static json_t *list_json(const struct path_summary *summary, const struct path_list *groups,
                         json_t *(*item)(const struct path_summary *summary, const struct path_group *group))
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < groups->count; i++)
        json_add(list, item(summary, &groups->groups[i]));
    return list;
}

/* ------------------------------------------------------------------ drawing */

/* Where the path is from `since` to `until`: on `rank`, then at the end of its messages on `to_rank`. */
struct part {
    const struct critical_step *first, *last;
    uint64_t messages;
    ps_t kinds[CRITICAL_KINDS];
};

static void add_step(struct part *part, const struct critical_step *step, enum critical_kind rest)
{
    if (!part->first)
        part->first = step;
    part->last = step;
    part->messages += !step->is_signal;
    part->kinds[CRITICAL_COMPUTATION] += step->computed;
    part->kinds[rest] += step->start - step->since - step->computed;
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        part->kinds[kind] += step->kinds[kind];
}

static json_t *part_json(const struct part *part, uint32_t to_rank)
{
    json_t *object = json_make_object();
    json_put(object, "from_s", seconds(part->first->since));
    json_put(object, "sent_s", seconds(part->last->start));
    json_put(object, "to_s", seconds(part->last->end));
    json_put_count(object, "rank", part->first->rank);
    json_put_count(object, "to_rank", to_rank);
    json_put_count(object, "messages", part->messages);
    put_kinds(object, part->kinds, false);
    return object;
}

static json_t *parts_json(const struct path_summary *summary)
{
    const struct critical_path *path = summary->path;
    size_t together = path->count / PARTS_DRAWN + 1;
    json_t *list = json_make_list();
    for (size_t from = 0; from < path->count; from += together) {
        struct part part = {.first = NULL};
        size_t to = from + together < path->count ? from + together : path->count;
        for (size_t at = from; at < to; at++)
            add_step(&part, &path->steps[at], path->rest);
        json_add(list, part_json(&part, to < path->count ? path->steps[to].rank : path->last_rank));
    }
    if (path->last_since < path->length) {
        struct part part = {.first = NULL};
        add_step(&part, &summary->last, path->rest);
        json_add(list, part_json(&part, path->last_rank));
    }
    return list;
}

json_t *path_summary_json(const struct path_summary *summary)
{
    const struct critical_path *path = summary->path;
    json_t *object = json_make_object();
    json_put_count(object, "rank", path->rank);
    json_put(object, "length_s", seconds(path->length));
    put_kinds(object, path->kinds, true);
    json_put_count(object, "message_count", path->messages);
    json_put(object, "listed_from_s", seconds(path->listed_since));
    json_put(object, "messages", list_json(summary, &summary->messages, message_json));
    json_put_number(object, "messages_share", share_of(summary, summary->messages.time));
    json_put(object, "pairs", list_json(summary, &summary->pairs, pair_json));
    json_put(object, "calls", list_json(summary, &summary->calls, call_json));
    json_put(object, "ranks", list_json(summary, &summary->ranks, rank_json));
    json_put(object, "waits", list_json(summary, &summary->waits, wait_json));
    if (summary->sites)
        json_put(object, "computations", list_json(summary, &summary->computations, computation_json));
    json_put(object, "parts", parts_json(summary));
    return object;
}
