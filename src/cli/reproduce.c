#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/reproduce_command.h"
#include "cli/values.h"

enum { TRIES = 200 };

const struct cli_option reproduce_command_options[] = {
    [REPRODUCE_QUICK] = {"--quick", 'q', NULL, "leave out what takes long"},
    [REPRODUCE_OUTPUT] = {"--output", 'o', "DIR", "the folder for what is written (reproduction)"},
    [REPRODUCE_JOBS] = {"--jobs", 'j', "N", "runs at a time (as many as there are processors)"},
    [REPRODUCE_TRIES] = {"--tries", 0, "N", "how many configurations a search tries (200)"},
    [REPRODUCE_HOLD_OUT] =
        {"--hold-out", 0, "PATTERN",
         "of a search: the numbers that fit test what is found, in place of those that the paper's\n"
         "roles hold out (none: no number)"},
    [REPRODUCE_SEARCH] = {"--search", 0, NULL, "search for the configuration that meets most numbers"},
    [REPRODUCE_ITEM] = {"--item", 0, "NAME", "compute and explain one number, or those that fit a pattern"},
    [REPRODUCE_CONFIGURATION] =
        {"--configuration", 0, "NAME",
         "of --item: in this configuration (the one that meets most of the paper's numbers)"},
    [REPRODUCE_WITH] = {"--with", 0, "UNKNOWN=VALUE",
                        "of --item: the configuration with another choice for what the paper leaves open;\n"
                        "of --search: a choice that all tries make" CLI_REPEATS},
};

/* "alltoall, breakdown, fmu, segment, tdm, or all" */
static const char *paper_list(void)
{
    static char list[256];
    size_t length = 0;
    for (size_t i = 0; papers[i] && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s, ", paper_name(papers[i]));
    if (length < sizeof list)
        snprintf(list + length, sizeof list - length, "or all");
    return list;
}

void reproduce_print_papers(FILE *out)
{
    fprintf(out, "PAPER is %s.\n", paper_list());
}

static const struct cli_command command = {
    .name = "reproduce",
    .words = "PAPER",
    .doc = "Recomputes a paper: each published number beside ours, with its deviation and a verdict.",
    .options = reproduce_command_options,
    .option_count = REPRODUCE_OPTIONS,
    .after =
        "The command writes PAPER.csv, the numbers of its figures as PAPER-figures.csv, both drawn as "
        "PAPER.html, and\n"
        "PAPER-figures.gp, which draws the figures with gnuplot. `all` writes all.csv and all.html too.\n\n"
        "With --search the values of what a paper does not state are varied. The result is DIR/found.yaml, a "
        "configuration,\n"
        "and DIR/PAPER-search.csv, all tries. The same command goes on with a search that was ended. "
        "helio-search\n"
        "is the same with the ranks of an MPI program for workers: mpirun -n N helio-search PAPER ...\n\n"
        "Examples:\n"
        "  helio reproduce fmu --quick\n"
        "  helio reproduce breakdown --item section-6/end-to-end-latency\n"
        "  helio reproduce tdm --item table-5/p3m-5-32/compiled --with coloring=initial\n"
        "  helio reproduce segment --search --quick -o search\n"
        "  helio reproduce all -o results",
    .print_lists = reproduce_print_papers,
};

static const char *name_at(const void *list, size_t index)
{
    return paper_name(((const struct paper *const *)list)[index]);
}

static enum status unknown_paper(const char *word)
{
    size_t count = 0;
    while (papers[count])
        count++;
    diag_error("there is no paper '%s'%s", word,
               diag_did_you_mean(diag_nearest(word, papers, count, name_at)));
    for (size_t i = 0; i < count; i++)
        diag_note("%s: %s", paper_name(papers[i]), paper_title(papers[i]));
    return STATUS_BAD_INPUT;
}

static void add_changes(struct reproduce_command *reproduce, const char *changes)
{
    char *before = reproduce->changes;
    reproduce->changes = before ? mem_format("%s %s", before, changes) : mem_text(changes);
    reproduce->options.changes = reproduce->changes;
    free(before);
}

static bool take(void *self, int found, const char *value)
{
    struct reproduce_command *reproduce = self;
    if (found == CLI_WORD)
        return cli_take_word(reproduce->command, &reproduce->word, value, "paper");
    switch ((enum reproduce_command_option)(found - CLI_OPTION)) {
    case REPRODUCE_QUICK:
        reproduce->options.quick = true;
        break;
    case REPRODUCE_HOLD_OUT:
        reproduce->options.held_out = value;
        break;
    case REPRODUCE_OUTPUT:
        reproduce->options.folder = value;
        break;
    case REPRODUCE_JOBS:
        return cli_value_jobs(value, &reproduce->options.jobs);
    case REPRODUCE_SEARCH:
        reproduce->searches = true;
        break;
    case REPRODUCE_ITEM:
        reproduce->options.items = value;
        break;
    case REPRODUCE_CONFIGURATION:
        reproduce->options.configuration = value;
        break;
    case REPRODUCE_WITH:
        add_changes(reproduce, value);
        break;
    case REPRODUCE_TRIES:
        return cli_value_count("--tries", value, &reproduce->options.tries);
    case REPRODUCE_OPTIONS:
        break;
    }
    return true;
}

enum status reproduce_command_init(struct reproduce_command *reproduce, const struct cli_command *of,
                                   int argc, char **argv)
{
    *reproduce =
        (struct reproduce_command){.command = of, .options = {.folder = "reproduction", .tries = TRIES}};
    int found = cli_read_all(of, argc, argv, take, reproduce);
    reproduce->help = found == CLI_HELP;
    if (found != CLI_END)
        return cli_status(found);
    if (!reproduce->word) {
        diag_error("%s needs a paper: %s", cli_title(of), paper_list());
        return STATUS_BAD_INPUT;
    }
    for (size_t i = 0; papers[i]; i++)
        if (strcmp(paper_name(papers[i]), reproduce->word) == 0)
            reproduce->paper = papers[i];
    return reproduce->paper || strcmp(reproduce->word, "all") == 0 ? STATUS_OK
                                                                   : unknown_paper(reproduce->word);
}

void reproduce_command_free(struct reproduce_command *reproduce)
{
    free(reproduce->changes);
}

static enum status execute(const struct reproduce_command *reproduce)
{
    const struct reproduce_options *options = &reproduce->options;
    if (!reproduce->paper && (reproduce->searches || options->items)) {
        diag_error("%s takes one paper", reproduce->searches ? "--search" : "--item");
        return STATUS_BAD_INPUT;
    }
    if (!reproduce->paper)
        return reproduce_all(papers, options);
    if (reproduce->searches)
        return reproduce_search(reproduce->paper, options);
    return options->items ? reproduce_items(reproduce->paper, options)
                          : reproduce_paper(reproduce->paper, options);
}

int cli_reproduce(int argc, char **argv)
{
    struct reproduce_command reproduce;
    enum status status = reproduce_command_init(&reproduce, &command, argc, argv);
    if (status == STATUS_OK && !reproduce.help)
        status = execute(&reproduce);
    reproduce_command_free(&reproduce);
    return status;
}
