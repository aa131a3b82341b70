#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "breakdown/whatif.h"
#include "cli/breakdown.h"
#include "cli/breakdown_values.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/quote.h"
#include "output/standard.h"

enum whatif_option { WHATIF_SYSTEM, WHATIF_PAYLOAD, WHATIF_SET, WHATIF_OPTIMISE, WHATIF_BY, WHATIF_JSON };

static const char *name_at(size_t option, size_t index)
{
    if (option != WHATIF_OPTIMISE || index >= whatif_optimisation_count)
        return NULL;
    return whatif_optimisations[index].name;
}

static const struct cli_option options[] = {
    [WHATIF_SYSTEM] =
        {"--system", 's', "NAME|FILE.yaml",
         "component times: thunderx2, the paper's (the default), ohio-a, ohio-b, ohio-local; or a file"},
    [WHATIF_PAYLOAD] = {"--payload", 'p', "BYTES", "of the message: 8 (the default), 4KiB"},
    [WHATIF_SET] = {"--set", 0, "COMPONENT=CHANGE", "LLP_post=-50%, wire=+300ns, PIO=15ns" CLI_REPEATS},
    [WHATIF_OPTIMISE] = {"--optimise", 'o', "NAME",
                         "a change that section 7 of the paper discusses" CLI_REPEATS "; NAME is one of"},
    [WHATIF_BY] = {"--by", 0, "PERCENT", "the improvement that the ranking compares, 50 by default"},
    [WHATIF_JSON] = {"--json", 0, NULL, "print one JSON object instead of the tables"},
};

/* The targets that are sets, or those that are single components, as words in lines of a width. */
static void print_words(FILE *out, bool is_set)
{
    enum { WIDTH = 100 };
    const struct whatif_target *target;
    int column = fprintf(out, is_set ? "Sets of them:" : "Components:");
    for (size_t i = 0; (target = whatif_target_at(i)); i++) {
        if (whatif_is_set(target) != is_set)
            continue;
        if (column + (int)strlen(target->name) >= WIDTH)
            column = fprintf(out, "\n ") - 1;
        column += fprintf(out, " %s", target->name);
    }
    fputc('\n', out);
}

static void print_targets(FILE *out)
{
    print_words(out, false);
    print_words(out, true);
    fputs("PCIe is one crossing of two.\n\n", out);
}

static const struct cli_command command = {
    .name = "breakdown whatif",
    .words = "",
    .doc =
        "What a change of a component, or of several, does to latency and injection overhead of a message;\n"
        "which single improvement buys most; and the curves of Figure 17 of \"Breaking Band\".",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .print_lists = print_targets,
    .after = "Examples:\n"
             "  helio breakdown whatif\n"
             "  helio breakdown whatif --set wire=+300ns --set LLP_post=-50%",
    .name_at = name_at,
};

enum { CHANGES_AT_MOST = 32 };

struct whatif_arguments {
    const char *system;
    uint64_t bytes;
    const char *changes[CHANGES_AT_MOST];
    const char *change_from[CHANGES_AT_MOST]; /* the option that it is from, for messages */
    size_t change_count;
    unsigned by_percent;
    bool json;
};

/* What is printed: the system with all changes made, its totals, and those of the system as it was given. */
struct whatif_view {
    const struct whatif_arguments *arguments;
    const struct system *system;
    struct whatif_totals before, given;
};

/* ------------------------------------------------------------------- tables */

static void print_change(const char *name, ps_t before_ps, ps_t after_ps)
{
    char before[40], after[40];
    printf("%-28s %12s %12s %+11.2f %% %+10.2f %%\n", name, model_ns(before_ps, before, sizeof before),
           model_ns(after_ps, after, sizeof after), whatif_reduction_percent(before_ps, after_ps),
           whatif_speedup_percent(before_ps, after_ps));
}

static void print_heading(const char *what)
{
    printf("%-28s %12s %12s %13s %12s\n", what, "before, ns", "after, ns", "reduction", "speedup");
}

static void print_changes(const struct whatif_view *view)
{
    printf("With");
    for (size_t i = 0; i < view->arguments->change_count; i++) {
        printf(" ");
        quote_terminal(stdout, view->arguments->changes[i]);
    }
    printf("\n\n");
    print_heading("");
    print_change("End-to-end latency", view->given.latency_ps, view->before.latency_ps);
    print_change("Overall injection overhead", view->given.injection_ps, view->before.injection_ps);
}

static void print_optimisations(const struct whatif_view *view)
{
    static const char *const headings[] = {"Section 7, latency", "Section 7, injection"};
    for (int kind = 0; kind < 2; kind++) {
        printf("%s", kind ? "\n" : "");
        print_heading(headings[kind]);
        for (size_t i = 0; i < whatif_optimisation_count; i++) {
            const struct whatif_optimisation *one = &whatif_optimisations[i];
            struct whatif_totals after = whatif_totals_optimised(view->system, view->arguments->bytes, one);
            char name[64];
            snprintf(name, sizeof name, "%s (%s)", one->name, one->change);
            if (kind == 0)
                print_change(name, view->before.latency_ps, after.latency_ps);
            else
                print_change(name, view->before.injection_ps, after.injection_ps);
        }
    }
}

static size_t rank_components(const struct whatif_view *view, struct whatif_rank ranks[WHATIF_RANKS])
{
    return whatif_ranking(view->system, view->arguments->bytes, view->arguments->by_percent * 100, ranks);
}

static void print_ranking(const struct whatif_view *view)
{
    struct whatif_rank ranks[WHATIF_RANKS];
    size_t count = rank_components(view, ranks);
    printf("\nWhich single improvement buys most: each component %u %% less, reduction of\n",
           view->arguments->by_percent);
    printf("%-28s %12s %12s\n", "", "latency", "injection");
    for (size_t i = 0; i < count; i++)
        printf("%2zu. %-24s %10.2f %% %10.2f %%\n", i + 1, ranks[i].name,
               whatif_reduction_percent(view->before.latency_ps, ranks[i].totals.latency_ps),
               whatif_reduction_percent(view->before.injection_ps, ranks[i].totals.injection_ps));
}

/* The total of a curve with its component reduced by the index-th degree. */
static ps_t curve_point(const struct whatif_view *view, const struct whatif_curve *curve, size_t degree)
{
    struct whatif_totals after = whatif_totals_reduced(view->system, view->arguments->bytes, curve->times,
                                                       whatif_degrees_percent[degree] * 100);
    return whatif_curve_total(curve, &after);
}

static void print_curve(const struct whatif_view *view, const struct whatif_curve *curve)
{
    ps_t from = whatif_curve_total(curve, &view->before);
    printf("  %-16s", curve->name);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < WHATIF_DEGREES; i++) {
            ps_t to = curve_point(view, curve, i);
            printf(" %6.2f", kind ? whatif_speedup_percent(from, to) : whatif_reduction_percent(from, to));
        }
        printf("%s", kind ? "\n" : "  |");
    }
}

static void print_curves(const struct whatif_view *view)
{
    static const char *const panels[] = {"overall injection", "end-to-end latency, CPU",
                                         "end-to-end latency, I/O", "end-to-end latency, network"};
    printf("\nFigure 17: components reduced by");
    for (size_t i = 0; i < WHATIF_DEGREES; i++)
        printf(" %u", whatif_degrees_percent[i]);
    printf(" %%; left the reduction (T - T') / T, which the paper calls speedup,\nright the speedup T / T' - "
           "1, in %%\n");
    for (size_t i = 0; i < whatif_curve_count; i++) {
        if (i == 0 || whatif_curves[i].panel != whatif_curves[i - 1].panel)
            printf("(%c) %s\n", whatif_curves[i].panel, panels[whatif_curves[i].panel - 'a']);
        print_curve(view, &whatif_curves[i]);
    }
}

/* What is changed, and whether a stream of such messages depends on these components at all. */
static void print_message(const struct whatif_view *view)
{
    struct model model;
    char ns[40];
    model_init(&model, view->system, view->arguments->bytes);
    if (view->system->name) {
        quote_terminal(stdout, view->system->name);
        printf(": ");
    }
    printf("a message of %" PRIu64 " B\n", view->arguments->bytes);
    if (model_channel_time(&model) > view->before.injection_ps)
        printf(
            "a stream of them is limited by the slowest channel, %s ns a message, whatever injection takes\n",
            model_ns(model_channel_time(&model), ns, sizeof ns));
    printf("\n");
}

static enum status print_tables(const struct whatif_view *view)
{
    print_message(view);
    if (view->arguments->change_count)
        print_changes(view);
    else
        print_optimisations(view);
    print_ranking(view);
    if (!view->arguments->change_count)
        print_curves(view);
    return standard_flush();
}

/* --------------------------------------------------------------------- JSON */

static json_t *change_json(ps_t before_ps, ps_t after_ps)
{
    json_t *object = json_make_object();
    json_put(object, "before_ns", breakdown_json_ns(before_ps));
    json_put(object, "after_ns", breakdown_json_ns(after_ps));
    json_put_number(object, "reduction_percent", whatif_reduction_percent(before_ps, after_ps));
    json_put_number(object, "speedup_percent", whatif_speedup_percent(before_ps, after_ps));
    return object;
}

static json_t *totals_json(const struct whatif_totals *before, const struct whatif_totals *after)
{
    json_t *object = json_make_object();
    json_put(object, "latency", change_json(before->latency_ps, after->latency_ps));
    json_put(object, "overall_injection", change_json(before->injection_ps, after->injection_ps));
    return object;
}

static json_t *optimisations_json(const struct whatif_view *view)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < whatif_optimisation_count; i++) {
        const struct whatif_optimisation *one = &whatif_optimisations[i];
        struct whatif_totals after = whatif_totals_optimised(view->system, view->arguments->bytes, one);
        json_t *entry = totals_json(&view->before, &after);
        json_put_text(entry, "name", one->name);
        json_put_text(entry, "change", one->change);
        json_put_text(entry, "doc", one->doc);
        json_add(list, entry);
    }
    return list;
}

static json_t *ranking_json(const struct whatif_view *view)
{
    struct whatif_rank ranks[WHATIF_RANKS];
    size_t count = rank_components(view, ranks);
    json_t *list = json_make_list();
    for (size_t i = 0; i < count; i++) {
        json_t *entry = totals_json(&view->before, &ranks[i].totals);
        json_put_text(entry, "component", ranks[i].name);
        json_add(list, entry);
    }
    return list;
}

static json_t *curve_json(const struct whatif_view *view, const struct whatif_curve *curve)
{
    ps_t from = whatif_curve_total(curve, &view->before);
    json_t *points = json_make_list(), *object = json_make_object();
    for (size_t i = 0; i < WHATIF_DEGREES; i++) {
        json_t *point = change_json(from, curve_point(view, curve, i));
        json_put_count(point, "component_reduced_by_percent", whatif_degrees_percent[i]);
        json_add(points, point);
    }
    json_put_text(object, "panel", (char[]){curve->panel, '\0'});
    json_put_text(object, "component", curve->name);
    json_put_text(object, "total", curve->panel == 'a' ? "overall_injection" : "latency");
    json_put(object, "points", points);
    return object;
}

static enum status print_json(const struct whatif_view *view)
{
    const struct whatif_arguments *arguments = view->arguments;
    json_t *changes = json_make_list(), *curves = json_make_list(), *object = json_make_object();
    struct model model;
    model_init(&model, view->system, arguments->bytes);
    for (size_t i = 0; i < arguments->change_count; i++)
        json_add_text(changes, arguments->changes[i]);
    for (size_t i = 0; i < whatif_curve_count; i++)
        json_add(curves, curve_json(view, &whatif_curves[i]));
    json_put_text(object, "schema", "helio-breakdown-whatif-1");
    if (view->system->name)
        json_put_text(object, "system", view->system->name);
    json_put_count(object, "payload_bytes", arguments->bytes);
    json_put(object, "slowest_channel_ns", breakdown_json_ns(model_channel_time(&model)));
    json_put(object, "changes", changes);
    json_put(object, "totals", totals_json(&view->given, &view->before));
    json_put(object, "optimisations", optimisations_json(view));
    json_put_count(object, "ranking_by_percent", arguments->by_percent);
    json_put(object, "ranking", ranking_json(view));
    json_put(object, "curves", curves);
    return cli_print_json(object, BREAKDOWN_DIGITS);
}

/* ------------------------------------------------------------------ command */

static const char *optimisation_name_at(const void *list, size_t index)
{
    return ((const struct whatif_optimisation *)list)[index].name;
}

static const char *optimisation_change(const char *name)
{
    for (size_t i = 0; i < whatif_optimisation_count; i++)
        if (strcmp(whatif_optimisations[i].name, name) == 0)
            return whatif_optimisations[i].change;
    diag_error("there is no optimisation '%s'%s", name,
               diag_did_you_mean(diag_nearest(name, whatif_optimisations, whatif_optimisation_count,
                                              optimisation_name_at)));
    return NULL;
}

static bool add_change(struct whatif_arguments *arguments, const char *from, const char *change)
{
    if (!change)
        return false;
    if (arguments->change_count == CHANGES_AT_MOST) {
        diag_error("more than %d changes at once", CHANGES_AT_MOST);
        return false;
    }
    arguments->change_from[arguments->change_count] = from;
    arguments->changes[arguments->change_count++] = change;
    return true;
}

static bool read_percent(const char *text, unsigned *percent)
{
    unsigned value;
    int length = 0;
    if (sscanf(text, "%3u%n", &value, &length) == 1 && (!text[length] || !strcmp(text + length, "%")) &&
        value >= 1 && value <= 100 && *text != '+' && *text != ' ') {
        *percent = value;
        return true;
    }
    diag_error("--by is a whole percentage from 1 to 100, not '%s'", text);
    return false;
}

static bool take(void *self, int found, const char *value)
{
    struct whatif_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio breakdown whatif takes no '%s'; a change is given with --set", value);
        return false;
    }
    switch ((enum whatif_option)(found - CLI_OPTION)) {
    case WHATIF_SYSTEM:
        arguments->system = value;
        return true;
    case WHATIF_PAYLOAD:
        return breakdown_read_payload(value, &arguments->bytes);
    case WHATIF_SET:
        return add_change(arguments, "--set", value);
    case WHATIF_OPTIMISE:
        return add_change(arguments, "--optimise", optimisation_change(value));
    case WHATIF_BY:
        return read_percent(value, &arguments->by_percent);
    default:
        arguments->json = true;
        return true;
    }
}

static enum status print_changed(const struct whatif_arguments *arguments, struct system *system)
{
    struct whatif_view view = {
        .arguments = arguments, .system = system, .given = whatif_totals_of(system, arguments->bytes)};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arguments->change_count; i++)
        if (whatif_apply(system, arguments->bytes, arguments->change_from[i], arguments->changes[i]) !=
            STATUS_OK)
            status = STATUS_BAD_INPUT;
    if (status != STATUS_OK)
        return status;
    view.before = whatif_totals_of(system, arguments->bytes);
    return arguments->json ? print_json(&view) : print_tables(&view);
}

int cli_breakdown_whatif(int argc, char **argv)
{
    struct whatif_arguments arguments = {.bytes = 8, .by_percent = 50};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    struct system_file file;
    enum status status = system_init(&file, arguments.system);
    if (status != STATUS_OK)
        return status;
    status = print_changed(&arguments, &file.system);
    system_free(&file);
    return status;
}
