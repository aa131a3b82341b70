#include "sim/bursts.h"

/* As many ranks as a result lists one by one. */
enum { RANKS_LISTED = 4096 };

static void put_sum(json_t *object, const struct bursts_sum *sum)
{
    json_put_count(object, "count", sum->count);
    json_put_number(object, "lasted_s", (double)sum->lasted_ns * 1e-9);
    json_put_number(object, "processor_s", (double)sum->used_ns * 1e-9);
    json_put_count(object, "late", sum->late);
}

static void put_instructions(json_t *object, const struct bursts_sum *sum)
{
    if (!sum->counted)
        return;
    json_put_count(object, "instructions", sum->instructions);
    json_put_number(object, "instructions_per_s", bursts_instructions_per_s(sum));
}

static json_t *ranks_json(const struct bursts_summary *summary)
{
    json_t *list = json_make_list();
    for (uint32_t rank = 0; rank < summary->rank_count; rank++) {
        json_t *object = json_make_object();
        put_sum(object, &summary->ranks[rank]);
        put_instructions(object, &summary->ranks[rank]);
        json_add(list, object);
    }
    return list;
}

static const char *name_of(const struct program_sites *sites, uint32_t site)
{
    return sites && site ? sites->names[site] : NULL;
}

static json_t *between_json(const struct bursts_summary *summary, const struct program_sites *sites)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < summary->between_count; i++) {
        const struct bursts_between *between = &summary->between[i];
        json_t *object = json_make_object();
        json_put_text(object, "after", name_of(sites, between->after));
        json_put_text(object, "before", name_of(sites, between->before));
        put_sum(object, &between->sum);
        put_instructions(object, &between->sum);
        json_add(list, object);
    }
    return list;
}

json_t *bursts_json(const struct bursts_summary *summary, const struct program_sites *sites)
{
    json_t *object = json_make_object();
    put_sum(object, &summary->all);
    json_put_count(object, "worst_rank", summary->worst);
    json_put_number(object, "worst_waiting_fraction", bursts_waiting(&summary->ranks[summary->worst]));
    put_instructions(object, &summary->all);
    if (summary->rank_count <= RANKS_LISTED)
        json_put(object, "ranks", ranks_json(summary));
    if (summary->between_count)
        json_put(object, "between", between_json(summary, sites));
    return object;
}
