#include <inttypes.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "output/quote.h"
#include "output/standard.h"
#include "trace/edit/cut.h"
#include "trace/trace.h"

enum cut_option { CUT_ITERATIONS, CUT_COLLECTIVES, CUT_OUT };

static const struct cli_option options[] = {
    [CUT_ITERATIONS] = {"--iterations", 'i', "A..B", "iterations of the outermost loop, from 1"},
    [CUT_COLLECTIVES] = {"--collectives", 'c', "A..B",
                         "from behind blocking collective A - 1 of the world to behind collective B"},
    [CUT_OUT] = {"--output", 'o', "OUT",
                 "what to write: a folder of text, NAME.tar.zst, or NAME.helio, which is compiled;\n"
                 "without, the places where the trace can be cut are printed"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "trace cut",
    .words = "TRACE [--iterations A..B | --collectives A..B -o OUT]",
    .doc = "A part of a trace, on all ranks, between their init and finalize. A.. is up to the end of the\n"
           "program, ..B from its beginning, and A is one. A cut is refused if it separates a send from its\n"
           "receive, a request from its wait, or the ranks of a collective call.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio trace cut cg.S.4.tar.zst\n"
             "  helio trace cut cg.S.4.tar.zst --iterations 3..7 -o cg.3-7",
};

struct cut_arguments {
    const char *path, *part, *out;
    int option; /* that `part` is the value of */
};

static bool take(void *self, int found, const char *value)
{
    struct cut_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->path, value, "trace");
    if (found == CLI_OPTION + CUT_OUT) {
        arguments->out = value;
        return true;
    }
    if (arguments->part && arguments->option != found - CLI_OPTION) {
        diag_error("--iterations and --collectives: a part is one of them");
        return false;
    }
    arguments->part = value;
    arguments->option = found - CLI_OPTION;
    return true;
}

/* ------------------------------------------------------------------ listing */

/* "1..5, 7": the places where the trace can be cut. */
static void print_places(const struct places *places, uint64_t first)
{
    bool any = false;
    for (uint64_t place = 1, last; place <= places->count; place = last + 1) {
        for (last = place; last <= places->count && place_is_free(places, last);)
            last++;
        if (last > place) {
            printf("%s%" PRIu64, any ? ", " : "", place - first);
            if (last - 1 > place)
                printf("..%" PRIu64, last - 1 - first);
            any = true;
        }
    }
    printf("%s\n", any ? "" : "none");
}

static void list_collectives(const struct compiled_trace *source)
{
    struct places places;
    if (places_open(&places, source, PLACES_COLLECTIVES, false) == STATUS_OK) {
        printf("  collectives   %" PRIu64 " blocking ones of the world; it can be cut behind: ",
               places.count);
        print_places(&places, 0);
    } else {
        printf("  collectives   none at which all ranks stand\n");
    }
    places_free(&places);
}

static void list_iterations(const struct compiled_trace *source)
{
    struct places places;
    if (places_open(&places, source, PLACES_ITERATIONS, false) == STATUS_OK) {
        printf("  iterations    %" PRIu64 ", of %" PRIu64 " calls on rank 0; it can be cut behind: ",
               places.count - 1, places.loops.of[0].period);
        print_places(&places, 1);
    } else {
        printf("  iterations    none that all ranks have\n");
    }
    places_free(&places);
}

static enum status list(const struct compiled_trace *source)
{
    quote_terminal(stdout, source->program.name);
    printf(": %" PRIu32 " ranks, %" PRIu64 " lines\n", source->program.ranks, source->header->lines);
    list_collectives(source);
    list_iterations(source);
    return standard_flush();
}

/* ------------------------------------------------------------------ cutting */

static enum status write_part(const struct places *places, const struct trace_part *cut, const char *out)
{
    struct rank_pieces pieces;
    struct compiled_trace *result;
    pieces_open(&pieces, places->source);
    cut_apply(places, cut, &pieces);
    const struct edit edit = pieces_edit(&pieces);
    enum status status = edit_make(&edit, out, &result);
    pieces_free(&pieces);
    if (status != STATUS_OK)
        return status;
    status = edit_put(result, out);
    result->program.ops->close(&result->program);
    return status;
}

static enum status cut_out(const struct compiled_trace *source, const struct cut_arguments *arguments)
{
    struct places places;
    struct trace_part cut;
    enum place_kind kind = arguments->option == CUT_ITERATIONS ? PLACES_ITERATIONS : PLACES_COLLECTIVES;
    enum status status = places_open(&places, source, kind, true);
    if (status == STATUS_OK)
        status = cut_read(&places, options[arguments->option].name, arguments->part, &cut);
    if (status == STATUS_OK)
        status = cut_check(&places, &cut);
    if (status == STATUS_OK)
        status = write_part(&places, &cut, arguments->out);
    places_free(&places);
    return status;
}

int cli_trace_cut(int argc, char **argv)
{
    struct cut_arguments arguments = {.path = NULL};
    struct compiled_trace *source;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!arguments.path || !arguments.part != !arguments.out) {
        diag_error("helio trace cut needs a trace, and a part together with -o OUT: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    enum status status = trace_open_compiled(arguments.path, &source);
    if (status != STATUS_OK)
        return status;
    compiled_report_notes(source, NOTES_ALL);
    status = arguments.part ? cut_out(source, &arguments) : list(source);
    source->program.ops->close(&source->program);
    return status;
}
