#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "breakdown/model.h"
#include "cli/breakdown.h"
#include "cli/options.h"

enum model_option { MODEL_SYSTEM, MODEL_PAYLOAD, MODEL_JSON, MODEL_SVG, MODEL_HTML };

static const struct cli_option options[] = {
    [MODEL_SYSTEM] = {"--system", 's', "FILE.yaml", "component times; by default the paper's ThunderX2"},
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

/* The totals of the paper, beside what was observed where that is known. */
struct row {
    const char *name, *json;
    ps_t model_ps;
    int observed; /* enum system_observation; -1 = nothing to compare with */
};

enum { ROWS = 6 };

static void fill_rows(const struct model *model, struct row rows[ROWS])
{
    const struct row all[ROWS] = {
        {"Inj_overhead (Eq. 1)", "Inj_overhead", model_sum(model, INJ_OVERHEAD), OBSERVED_INJ_OVERHEAD},
        {"Msg_inj_overhead", "Msg_inj_overhead", model_message_injection(model), -1},
        {"gen_completion", "gen_completion", model_gen_completion(model), -1},
        {"Latency of the LLP", "LLP_latency", model_sum(model, LLP_LATENCY), OBSERVED_LLP_LATENCY},
        {"Overall injection (Eq. 2)", "overall_injection", model_sum(model, OVERALL_INJECTION),
         OBSERVED_OVERALL_INJECTION},
        {"End-to-end latency", "latency", model_sum(model, END_TO_END_LATENCY), OBSERVED_LATENCY},
    };
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = all[i];
}

/* False where nothing was observed, or not of a message of this size. */
static bool observed_of(const struct model *model, int observation, ps_t *observed_ps)
{
    enum { OBSERVED_BYTES = 8 }; /* of every message of the paper's benchmarks */
    if (observation < 0 || !model->system->observed[observation].given || model->bytes != OBSERVED_BYTES)
        return false;
    *observed_ps = model->system->observed[observation].time_ps;
    if (observation == OBSERVED_LLP_LATENCY)
        *observed_ps -= model->system->observed[OBSERVED_LLP_DEDUCTION].time_ps;
    return *observed_ps > 0;
}

static double deviation_percent(ps_t model_ps, ps_t observed_ps)
{
    return 100.0 * (double)(model_ps - observed_ps) / (double)observed_ps;
}

/* ----------------------------------------------------------------------------------------------- tables */

static void print_path(const struct model *model)
{
    const struct system *system = model->system;
    printf("%s%sa message of %" PRIu64 " B: ", system->name ? system->name : "", system->name ? ": " : "",
           model->bytes);
    if (system->post == SYSTEM_PIO)
        printf("descriptor by PIO in %" PRIu64 " block%s", model->blocks, model->blocks == 1 ? "" : "s");
    else
        printf("doorbell, descriptor fetched by the NIC");
    printf(", payload %s\n\n", model->inlined ? "inlined" : "fetched by the NIC");
}

static void print_rows(const struct model *model)
{
    struct row rows[ROWS];
    char ns[40], observed_ns[40];
    ps_t observed_ps;
    fill_rows(model, rows);
    printf("%-34s %13s %13s %10s\n", "ns", "model", "observed", "deviation");
    for (size_t i = 0; i < ROWS; i++) {
        printf("%-34s %13s", rows[i].name, model_ns(rows[i].model_ps, ns, sizeof ns));
        if (observed_of(model, rows[i].observed, &observed_ps))
            printf(" %13s %+8.2f %%", model_ns(observed_ps, observed_ns, sizeof observed_ns),
                   deviation_percent(rows[i].model_ps, observed_ps));
        printf("\n");
    }
    printf("%-34s %13" PRIu64 "\n", "least p (posts per poll)", model_least_p(model));
    if (model_channel_time(model))
        printf("%-34s %13s\n", "slowest channel, per message",
               model_ns(model_channel_time(model), ns, sizeof ns));
    if (!model->system->times[TIME_RC_TO_MEM_64B].given)
        printf("RC-to-MEM(64B) in gen_completion is %s\n", model->system->times[TIME_RC_TO_MEM_64B].source);
    if (observed_of(model, OBSERVED_LLP_LATENCY, &observed_ps) &&
        model->system->observed[OBSERVED_LLP_DEDUCTION].time_ps)
        printf(
            "observed latency of the LLP: %s ns less %s ns of the benchmark's own\n",
            model_ns(model->system->observed[OBSERVED_LLP_LATENCY].time_ps, observed_ns, sizeof observed_ns),
            model_ns(model->system->observed[OBSERVED_LLP_DEDUCTION].time_ps, ns, sizeof ns));
    if (model_channel_time(model) > model_sum(model, OVERALL_INJECTION))
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

static int print_tables(const struct model *model)
{
    print_path(model);
    print_rows(model);
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        print_bar(&bar);
    }
    return breakdown_flush();
}

/* ------------------------------------------------------------------------------------------------- JSON */

static json_t *json_of_totals(const struct model *model)
{
    struct row rows[ROWS];
    json_t *totals = json_object();
    fill_rows(model, rows);
    for (size_t i = 0; i < ROWS; i++) {
        ps_t observed_ps;
        json_t *total = json_pack("{s:o}", "model_ns", breakdown_json_ns(rows[i].model_ps));
        if (observed_of(model, rows[i].observed, &observed_ps)) {
            json_object_set_new(total, "observed_ns", breakdown_json_ns(observed_ps));
            json_object_set_new(total, "deviation_percent",
                                json_real(deviation_percent(rows[i].model_ps, observed_ps)));
        }
        json_object_set_new(totals, rows[i].json, total);
    }
    return totals;
}

static json_t *json_of_bars(const struct model *model)
{
    json_t *bars = json_array();
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        json_t *parts = json_array();
        for (size_t j = 0; j < bar.count; j++)
            json_array_append_new(parts,
                                  json_pack("{s:s, s:o, s:f}", "name", bar.parts[j].name, "time_ns",
                                            breakdown_json_ns(bar.parts[j].time_ps), "percent",
                                            (double)model_share(bar.parts[j].time_ps, bar.total_ps) / 100));
        json_array_append_new(bars, json_pack("{s:s, s:s, s:o, s:o}", "figure", bar.figure, "name", bar.name,
                                              "total_ns", breakdown_json_ns(bar.total_ps), "parts", parts));
    }
    return bars;
}

/* Every time of the system file with its source. */
static json_t *json_of_system(const struct system *system)
{
    json_t *times = json_object();
    for (enum system_time time = 0; time < SYSTEM_TIMES; time++)
        json_object_set_new(times, system_time_name(time),
                            json_pack("{s:o, s:s}", "time_ns", breakdown_json_ns(system->times[time].time_ps),
                                      "source", system->times[time].source));
    return json_pack("{s:s*, s:o}", "name", system->name, "times", times);
}

static int print_json(const struct model *model)
{
    return breakdown_print_json(json_pack(
        "{s:s, s:o, s:I, s:b, s:I, s:I, s:o, s:o, s:o}", "schema", "helio-breakdown-model-1", "system",
        json_of_system(model->system), "payload_bytes", (json_int_t)model->bytes, "inlined", model->inlined,
        "descriptor_blocks", (json_int_t)model->blocks, "least_p", (json_int_t)model_least_p(model),
        "slowest_channel_ns", breakdown_json_ns(model_channel_time(model)), "totals", json_of_totals(model),
        "breakdowns", json_of_bars(model)));
}

/* ---------------------------------------------------------------------------------------------- command */

struct arguments {
    const char *system, *svg, *html;
    uint64_t bytes;
    bool json;
};

/* CLI_END when all is read; CLI_HELP; CLI_ERROR, reported. */
static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD) {
            diag_error("helio breakdown model takes no '%s'; a system file is given with --system", value);
            return CLI_ERROR;
        }
        switch ((enum model_option)(found - CLI_OPTION)) {
        case MODEL_SYSTEM:
            arguments->system = value;
            break;
        case MODEL_PAYLOAD:
            if (!breakdown_read_payload(value, &arguments->bytes))
                return CLI_ERROR;
            break;
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
    }
    return CLI_END;
}

static enum status write_page(const struct model *model, const char *path)
{
    struct report_page *page = NULL;
    enum status status = report_page_open(path, &page);
    if (status == STATUS_OK)
        status = breakdown_page_write(model, page);
    status = report_page_close(page, status);
    if (status == STATUS_OK)
        diag_note("the report is %s: a page for any browser", path);
    return status;
}

int cli_breakdown_model(int argc, char **argv)
{
    struct arguments arguments = {.bytes = 8};
    int found = read_arguments(argc, argv, &arguments);
    if (found != CLI_END)
        return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
    struct system_file file;
    enum status status = system_open(&file, arguments.system);
    if (status != STATUS_OK)
        return (int)status;
    struct model model;
    model_make(&model, &file.system, arguments.bytes);
    if (arguments.svg)
        status = model_picture(&model, arguments.svg);
    if (arguments.html && status == STATUS_OK)
        status = write_page(&model, arguments.html);
    int printed = arguments.json ? print_json(&model) : print_tables(&model);
    system_close(&file);
    return status == STATUS_OK ? printed : (int)status;
}
