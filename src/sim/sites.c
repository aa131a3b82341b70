#include "sim/sites.h"

#include "base/mem.h"
#include "sim/path_summary.h"
#include "sim/top_list.h"

static void collect(void *self, const struct tap_record *record)
{
    struct result_site *site = &((struct result *)self)->sites[record->site];
    site->waits += record->at > record->since;
    site->idle += record->at - record->since;
}

void sites_collect(struct result *result, const struct program_sites *sites, struct tap *tap)
{
    result->sites = mem_alloc(sites->count, sizeof *result->sites, "call sites of a result");
    result->site_count = sites->count;
    for (uint32_t site = 1; site < sites->count; site++)
        result->sites[site].name = mem_text(sites->names[site]);
    tap_handle(tap, TAP_BIT(TAP_IDLE), collect, result);
}

void sites_add_path(struct result *result)
{
    const struct critical_path *path = result->path;
    if (!path || !path->steps)
        return;
    for (size_t i = 0; i < path->count; i++)
        result->sites[path->steps[i].waited_site].path += path->steps[i].end - path->steps[i].start;
    result->sites_have_path = true;
    if (result->path_summary)
        result->path_summary->sites = result->sites;
}

double sites_idle_share(const struct result *result, const struct result_site *site)
{
    double finish = 0;
    for (uint32_t rank = 0; rank < result->ranks; rank++)
        finish += (double)result->rows[rank].finish;
    return finish > 0 ? (double)site->idle / finish : 0;
}

size_t sites_longest(const struct result *result, size_t most, uint32_t *longest)
{
    size_t count = 0;
    for (uint32_t site = 1; site < result->site_count; site++) {
        size_t at = count;
        if (!result->sites[site].idle)
            continue;
        while (at > 0 && result->sites[longest[at - 1]].idle < result->sites[site].idle)
            at--;
        if (at == most)
            continue;
        count = top_list_open(longest, sizeof *longest, count, most, at);
        longest[at] = site;
    }
    return count;
}

static json_t *seconds(sum_t time)
{
    return json_make_number((double)time / (double)PS_PER_S);
}

json_t *sites_json(const struct result *result)
{
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < result->site_count; i++) {
        const struct result_site *site = &result->sites[i];
        const bool has_slack = result->slack && site->slack < PS_NEVER;
        if (!site->waits && !site->path && !has_slack)
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "name", site->name); /* null: calls whose place is not known */
        json_put_count(object, "waits", site->waits);
        json_put(object, "idle_s", seconds(site->idle));
        json_put_number(object, "idle_share", sites_idle_share(result, site));
        if (result->sites_have_path)
            json_put(object, "critical_path_s", seconds((sum_t)site->path));
        if (has_slack)
            json_put(object, "slack_s", seconds((sum_t)site->slack));
        json_add(list, object);
    }
    return list;
}
