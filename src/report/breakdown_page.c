#include "report/breakdown_page.h"

#include "base/mem.h"
#include "breakdown/whatif.h"
#include "output/json.h"
#include "report/page.h"

/* The page recomputes sums. Each component's time is a constant and a multiple of one or two times of the
 * system file, so a time contributes what is lost without it. */

static json_t *ns_of(ps_t time_ps)
{
    return json_make_number((double)time_ps / 1000);
}

static json_t *set_json(uint32_t parts)
{
    json_t *indices = json_make_list();
    for (unsigned part = 0; part < PARTS; part++)
        if (parts & PART_BIT(part))
            json_add_count(indices, part);
    return indices;
}

static json_t *parts_json(const struct model *model)
{
    json_t *parts = json_make_list();
    for (unsigned i = 0; i < PARTS; i++) {
        json_t *part = json_make_object();
        json_put_text(part, "name", model_part_name((enum component)i));
        json_put(part, "time_ns", ns_of(model->time_ps[i]));
        json_add(parts, part);
    }
    return parts;
}

/* {"part": index, "time_ns": t} for every component that this time is a part of. */
static json_t *contributions_json(const struct model *model, enum system_time time)
{
    json_t *contributions = json_make_list();
    struct system without = *model->system;
    struct model rest;
    without.times[time].time_ps = 0;
    model_init(&rest, &without, model->bytes);
    for (unsigned part = 0; part < PARTS; part++) {
        ps_t lost_ps = model->time_ps[part] - rest.time_ps[part];
        if (!lost_ps)
            continue;
        json_t *contribution = json_make_object();
        json_put_count(contribution, "part", part);
        json_put(contribution, "time_ns", ns_of(lost_ps));
        json_add(contributions, contribution);
    }
    return contributions;
}

static json_t *times_json(const struct model *model)
{
    json_t *times = json_make_list();
    for (enum system_time i = 0; i < SYSTEM_TIMES; i++) {
        const struct system_value *value = &model->system->times[i];
        json_t *time = json_make_object();
        json_put_text(time, "name", system_time_name(i));
        json_put(time, "time_ns", ns_of(value->time_ps));
        json_put_text(time, "source", value->source);
        json_put(time, "parts", contributions_json(model, i));
        json_add(times, time);
    }
    return times;
}

static json_t *totals_json(void)
{
    static const struct {
        const char *id, *name;
        uint32_t parts;
    } totals[] = {
        {"latency", "End-to-end latency", END_TO_END_LATENCY},
        {"llp_latency", "Latency of the LLP", LLP_LATENCY},
        {"overall_injection", "Overall injection overhead", OVERALL_INJECTION},
        {"inj_overhead", "Injection overhead of the LLP", INJ_OVERHEAD},
    };
    json_t *list = json_make_list();
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        json_t *total = json_make_object();
        json_put_text(total, "id", totals[i].id);
        json_put_text(total, "name", totals[i].name);
        json_put(total, "parts", set_json(totals[i].parts));
        json_add(list, total);
    }
    return list;
}

static json_t *bar_json(const struct model *model, size_t index)
{
    struct bar bar;
    model_bar(model, index, &bar);
    json_t *parts = json_make_list(), *object = json_make_object();
    for (size_t i = 0; i < bar.count; i++) {
        json_t *part = json_make_object();
        json_put_text(part, "name", bar.parts[i].name);
        json_put(part, "parts", set_json(bar.parts[i].parts));
        json_add(parts, part);
    }
    json_put_text(object, "figure", bar.figure);
    json_put_text(object, "name", bar.name);
    json_put(object, "parts", parts);
    return object;
}

static json_t *bars_json(const struct model *model)
{
    json_t *bars = json_make_list();
    for (size_t i = 0; i < model_bar_count(); i++)
        json_add(bars, bar_json(model, i));
    return bars;
}

/* The times that an optimisation sets. */
static json_t *changes_json(const struct model *model, const struct system *changed)
{
    json_t *times = json_make_list();
    for (enum system_time i = 0; i < SYSTEM_TIMES; i++) {
        if (changed->times[i].time_ps == model->system->times[i].time_ps)
            continue;
        json_t *time = json_make_object();
        json_put_count(time, "time", i);
        json_put(time, "time_ns", ns_of(changed->times[i].time_ps));
        json_add(times, time);
    }
    return times;
}

/* The optimisations of section 7: which times they set, to what. */
static json_t *optimisations_json(const struct model *model)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < whatif_optimisation_count; i++) {
        const struct whatif_optimisation *one = &whatif_optimisations[i];
        struct system changed = *model->system;
        if (whatif_apply(&changed, model->bytes, one->name, one->change) != STATUS_OK)
            continue;
        json_t *entry = json_make_object();
        json_put_text(entry, "name", one->name);
        json_put_text(entry, "change", one->change);
        json_put_text(entry, "doc", one->doc);
        json_put(entry, "times", changes_json(model, &changed));
        json_add(list, entry);
    }
    return list;
}

static char *results_of(const struct model *model)
{
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-breakdown-page-1");
    json_put_text(object, "version", HELIO_VERSION);
    if (model->system->name)
        json_put_text(object, "system", model->system->name);
    json_put_count(object, "payload_bytes", model->bytes);
    json_put_flag(object, "inlined", model->inlined);
    json_put(object, "channel_ns", ns_of(model_channel_time(model)));
    json_put(object, "components", parts_json(model));
    json_put(object, "times", times_json(model));
    json_put(object, "totals", totals_json());
    json_put(object, "bars", bars_json(model));
    json_put(object, "optimisations", optimisations_json(model));
    return json_take_line(object, 12);
}

enum status breakdown_page_save(const struct model *model, const char *path)
{
    char *results = results_of(model);
    char *title = mem_format("Where %s goes", model->bytes == 8 ? "each nanosecond of a small message"
                                                                : "the time of a message");
    enum status status = report_page_save(
        path, &(struct report_content){
                  .title = title, .results = results, .meanings = "{}", .program = REPORT_OF_BREAKDOWN});
    free(title);
    free(results);
    return status;
}
