#include "report/breakdown_page.h"

#include <jansson.h>

#include "base/mem.h"
#include "breakdown/whatif.h"
#include "report/page.h"

/* The page recomputes sums. Each component's time is a constant and a multiple of one or two times of the
 * system file, so a time contributes what is lost without it. */

static json_t *json_ns(ps_t time_ps)
{
    return json_real((double)time_ps / 1000);
}

static json_t *json_of_set(uint32_t parts)
{
    json_t *indices = json_array();
    for (unsigned part = 0; part < PARTS; part++)
        if (parts & PART_BIT(part))
            json_array_append_new(indices, json_integer(part));
    return indices;
}

static json_t *json_of_parts(const struct model *model)
{
    json_t *parts = json_array();
    for (unsigned part = 0; part < PARTS; part++)
        json_array_append_new(parts, json_pack("{s:s, s:o}", "name", model_part_name((enum component)part),
                                               "time_ns", json_ns(model->time_ps[part])));
    return parts;
}

/* {"part": index, "time_ns": t} for every component that this time is a part of. */
static json_t *json_of_contributions(const struct model *model, enum system_time time)
{
    json_t *contributions = json_array();
    struct system without = *model->system;
    struct model rest;
    without.times[time].time_ps = 0;
    model_init(&rest, &without, model->bytes);
    for (unsigned part = 0; part < PARTS; part++) {
        ps_t lost_ps = model->time_ps[part] - rest.time_ps[part];
        if (lost_ps)
            json_array_append_new(contributions, json_pack("{s:I, s:o}", "part", (json_int_t)part, "time_ns",
                                                           json_ns(lost_ps)));
    }
    return contributions;
}

static json_t *json_of_times(const struct model *model)
{
    json_t *times = json_array();
    for (enum system_time time = 0; time < SYSTEM_TIMES; time++) {
        const struct system_value *value = &model->system->times[time];
        json_array_append_new(times, json_pack("{s:s, s:o, s:s, s:o}", "name", system_time_name(time),
                                               "time_ns", json_ns(value->time_ps), "source", value->source,
                                               "parts", json_of_contributions(model, time)));
    }
    return times;
}

static json_t *json_of_totals(void)
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
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "id", totals[i].id, "name", totals[i].name,
                                              "parts", json_of_set(totals[i].parts)));
    return list;
}

static json_t *json_of_bars(const struct model *model)
{
    json_t *bars = json_array();
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        json_t *parts = json_array();
        for (size_t j = 0; j < bar.count; j++)
            json_array_append_new(parts, json_pack("{s:s, s:o}", "name", bar.parts[j].name, "parts",
                                                   json_of_set(bar.parts[j].parts)));
        json_array_append_new(
            bars, json_pack("{s:s, s:s, s:o}", "figure", bar.figure, "name", bar.name, "parts", parts));
    }
    return bars;
}

/* The optimisations of section 7: which times they set, to what. */
static json_t *json_of_optimisations(const struct model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < whatif_optimisation_count; i++) {
        const struct whatif_optimisation *one = &whatif_optimisations[i];
        struct system changed = *model->system;
        if (whatif_apply(&changed, one->name, one->change) != STATUS_OK)
            continue;
        json_t *times = json_array();
        for (enum system_time time = 0; time < SYSTEM_TIMES; time++)
            if (changed.times[time].time_ps != model->system->times[time].time_ps)
                json_array_append_new(times, json_pack("{s:I, s:o}", "time", (json_int_t)time, "time_ns",
                                                       json_ns(changed.times[time].time_ps)));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name", one->name, "change",
                                              one->change, "doc", one->doc, "times", times));
    }
    return list;
}

static char *results_of(const struct model *model)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s*, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "helio-breakdown-page-1",
        "version", HELIO_VERSION, "system", model->system->name, "payload_bytes", (json_int_t)model->bytes,
        "inlined", model->inlined, "channel_ns", json_ns(model_channel_time(model)), "components",
        json_of_parts(model), "times", json_of_times(model), "totals", json_of_totals(), "bars",
        json_of_bars(model), "optimisations", json_of_optimisations(model));
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(object);
    return text ? text : mem_text("{}");
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
