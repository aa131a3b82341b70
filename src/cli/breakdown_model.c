#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "breakdown/totals.h"
#include "cli/breakdown.h"
#include "cli/breakdown_values.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/quote.h"
#include "output/standard.h"
#include "report/breakdown_page.h"

enum model_option { MODEL_SYSTEM, MODEL_PAYLOAD, MODEL_JSON, MODEL_SVG, MODEL_HTML };

static const struct cli_option options[] = {
    [MODEL_SYSTEM] =
        {"--system", 's', "NAME|FILE.yaml",
         "component times: thunderx2, the paper's (the default), ohio-a, ohio-b, ohio-local; or a file"},
    [MODEL_PAYLOAD] = {"--payload", 'p', "BYTES", "of the message: 8 (the default), 4KiB"},
    [MODEL_JSON] = {"--json", 0, NULL, "print one JSON object instead of the tables"},
    [MODEL_SVG] = {"--svg", 0, "FILE", "write the stacked bars as a picture"},
    [MODEL_HTML] = {"--html", 0, "FILE", "write a page of bars, with a slider for each time of the system"},
};

static const struct cli_command command = {
    .name = "breakdown model",
    .words = "",
    .doc = "Where each nanosecond of a message goes: injection overhead and latency, with and without MPI,\n"
           "and the breakdowns of Figures 4, 8 and 10 to 16 of \"Breaking Band\".",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio breakdown model\n"
             "  helio breakdown model --payload 4KiB --svg breakdown.svg\n"
             "  helio breakdown model --html breakdown.html\n\n"
             "docs/models/breakdown.md has the equations, and the keys of a system file.",
};

/* ------------------------------------------------------------------- tables */

static void print_path(const struct model *model)
{
    const struct system *system = model->system;
    if (system->name) {
        quote_terminal(stdout, system->name);
        printf(": ");
    }
    printf("a message of %" PRIu64 " B: ", model->bytes);
    if (system->post == SYSTEM_PIO)
        printf("descriptor by PIO in %" PRIu64 " block%s", model->blocks, model->blocks == 1 ? "" : "s");
    else
        printf("doorbell, descriptor fetched by the NIC");
    printf(", payload %s\n\n", model->inlined ? "inlined" : "fetched by the NIC");
}

static void print_totals(const struct model *model)
{
    struct model_total totals[MODEL_TOTALS];
    char ns[40], observed_ns[40];
    model_totals(model, totals);
    printf("%-34s %13s %13s %10s\n", "ns", "model", "observed", "deviation");
    for (size_t i = 0; i < MODEL_TOTALS; i++) {
        printf("%-34s %13s", totals[i].name, model_ns(totals[i].model_ps, ns, sizeof ns));
        if (totals[i].has_observed)
            printf(" %13s %+8.2f %%", model_ns(totals[i].observed_ps, observed_ns, sizeof observed_ns),
                   model_deviation_percent(totals[i].model_ps, totals[i].observed_ps));
        printf("\n");
    }
}

/* What the totals rest on, and what limits injection. */
static void print_remarks(const struct model *model)
{
    const struct system_value *observed = model->system->observed;
    char ns[40], observed_ns[40];
    ps_t observed_ps, channel_ps = model_channel_time(model);
    printf("%-34s %13" PRIu64 "\n", "least p (posts per poll)", model_least_p(model));
    if (channel_ps)
        printf("%-34s %13s\n", "slowest channel, per message", model_ns(channel_ps, ns, sizeof ns));
    if (!model->system->times[TIME_RC_TO_MEM_64B].given)
        cli_print_text("RC-to-MEM(64B) in gen_completion is ",
                       model->system->times[TIME_RC_TO_MEM_64B].source);
    if (model_observed(model, OBSERVED_LLP_LATENCY, &observed_ps) && observed[OBSERVED_LLP_DEDUCTION].time_ps)
        printf("observed latency of the LLP: %s ns less %s ns of the benchmark's own\n",
               model_ns(observed[OBSERVED_LLP_LATENCY].time_ps, observed_ns, sizeof observed_ns),
               model_ns(observed[OBSERVED_LLP_DEDUCTION].time_ps, ns, sizeof ns));
    if (channel_ps > model_sum(model, OVERALL_INJECTION))
        printf("injection is limited by the slowest channel, not by the CPU\n");
}

static void print_bar(const struct bar *bar)
{
    enum { CHARACTERS = 40 };
    static const char line[CHARACTERS + 1] = "########################################";
    char ns[40];
    printf("\n%s: %s, %s ns\n", bar->figure, bar->name, model_ns(bar->total_ps, ns, sizeof ns));
    for (size_t i = 0; i < bar->count; i++) {
        uint64_t share = model_share(bar->parts[i].time_ps, bar->total_ps);
        int length = (int)(share * CHARACTERS / 10000);
        printf("  %-20s %12s %3" PRIu64 ".%02" PRIu64 " %%%s%.*s\n", bar->parts[i].name,
               model_ns(bar->parts[i].time_ps, ns, sizeof ns), share / 100, share % 100, length ? "  " : "",
               length, line);
    }
}

static enum status print_tables(const struct model *model)
{
    print_path(model);
    print_totals(model);
    print_remarks(model);
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        print_bar(&bar);
    }
    return standard_flush();
}

/* --------------------------------------------------------------------- JSON */

static json_t *totals_json(const struct model *model)
{
    struct model_total totals[MODEL_TOTALS];
    json_t *object = json_make_object();
    model_totals(model, totals);
    for (size_t i = 0; i < MODEL_TOTALS; i++) {
        json_t *total = json_make_object();
        json_put(total, "model_ns", breakdown_json_ns(totals[i].model_ps));
        if (totals[i].has_observed) {
            json_put(total, "observed_ns", breakdown_json_ns(totals[i].observed_ps));
            json_put_number(total, "deviation_percent",
                            model_deviation_percent(totals[i].model_ps, totals[i].observed_ps));
        }
        json_put(object, totals[i].key, total);
    }
    return object;
}

static json_t *bar_json(const struct bar *bar)
{
    json_t *object = json_make_object(), *parts = json_make_list();
    for (size_t i = 0; i < bar->count; i++) {
        json_t *part = json_make_object();
        json_put_text(part, "name", bar->parts[i].name);
        json_put(part, "time_ns", breakdown_json_ns(bar->parts[i].time_ps));
        json_put_number(part, "percent", (double)model_share(bar->parts[i].time_ps, bar->total_ps) / 100);
        json_add(parts, part);
    }
    json_put_text(object, "figure", bar->figure);
    json_put_text(object, "name", bar->name);
    json_put(object, "total_ns", breakdown_json_ns(bar->total_ps));
    json_put(object, "parts", parts);
    return object;
}

static json_t *bars_json(const struct model *model)
{
    json_t *bars = json_make_list();
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        json_add(bars, bar_json(&bar));
    }
    return bars;
}

/* Every time of the system file with its source. */
static json_t *system_json(const struct system *system)
{
    json_t *object = json_make_object(), *times = json_make_object();
    for (enum system_time i = 0; i < SYSTEM_TIMES; i++) {
        json_t *time = json_make_object();
        json_put(time, "time_ns", breakdown_json_ns(system->times[i].time_ps));
        json_put_text(time, "source", system->times[i].source);
        json_put(times, system_time_name(i), time);
    }
    if (system->name)
        json_put_text(object, "name", system->name);
    json_put(object, "times", times);
    return object;
}

static enum status print_json(const struct model *model)
{
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-breakdown-model-1");
    json_put(object, "system", system_json(model->system));
    json_put_count(object, "payload_bytes", model->bytes);
    json_put_flag(object, "inlined", model->inlined);
    json_put_count(object, "descriptor_blocks", model->blocks);
    json_put_count(object, "least_p", model_least_p(model));
    json_put(object, "slowest_channel_ns", breakdown_json_ns(model_channel_time(model)));
    json_put(object, "totals", totals_json(model));
    json_put(object, "breakdowns", bars_json(model));
    return cli_print_json(object, BREAKDOWN_DIGITS);
}

/* ------------------------------------------------------------------ command */

struct model_arguments {
    const char *system, *svg, *html;
    uint64_t bytes;
    bool json;
};

static bool take(void *self, int found, const char *value)
{
    struct model_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio breakdown model takes no '%s'; a system file is given with --system", value);
        return false;
    }
    switch ((enum model_option)(found - CLI_OPTION)) {
    case MODEL_SYSTEM:
        arguments->system = value;
        break;
    case MODEL_PAYLOAD:
        return breakdown_read_payload(value, &arguments->bytes);
    case MODEL_JSON:
        arguments->json = true;
        break;
    case MODEL_SVG:
        arguments->svg = value;
        break;
    case MODEL_HTML:
        arguments->html = value;
        break;
    }
    return true;
}

int cli_breakdown_model(int argc, char **argv)
{
    struct model_arguments arguments = {.bytes = 8};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    struct system_file file;
    enum status status = system_init(&file, arguments.system);
    if (status != STATUS_OK)
        return status;
    struct model model;
    model_init(&model, &file.system, arguments.bytes);
    if (arguments.svg)
        status = model_picture(&model, arguments.svg);
    if (arguments.html && status == STATUS_OK)
        status = breakdown_page_save(&model, arguments.html);
    enum status printed = arguments.json ? print_json(&model) : print_tables(&model);
    system_free(&file);
    return status == STATUS_OK ? printed : status;
}
