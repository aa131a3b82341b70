#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/values.h"
#include "reproduce/reproduce.h"

enum reproduce_option {
    REPRODUCE_QUICK,
    REPRODUCE_OUTPUT,
    REPRODUCE_JOBS,
    REPRODUCE_SEARCH,
    REPRODUCE_TRIES,
    REPRODUCE_ITEM,
    REPRODUCE_CONFIGURATION
};

enum { TRIES = 200 };

static const struct cli_option options[] = {
    [REPRODUCE_QUICK] = {"--quick", 'q', NULL, "leave out what takes long"},
    [REPRODUCE_OUTPUT] = {"--output", 'o', "DIR", "the folder for what is written (reproduction)"},
    [REPRODUCE_JOBS] = {"--jobs", 'j', "N", "runs at a time (as many as there are processors)"},
    [REPRODUCE_ITEM] = {"--item", 0, "NAME", "compute and explain one number, or those that fit a pattern"},
    [REPRODUCE_CONFIGURATION] = {"--configuration", 0, "NAME",
                                 "of --item: in this configuration (the one that meets most)"},
    [REPRODUCE_SEARCH] = {"--search", 0, NULL, "search for the configuration that meets most numbers"},
    [REPRODUCE_TRIES] = {"--tries", 0, "N", "how many configurations a search tries (200)"},
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

static void print_papers(FILE *out)
{
    fprintf(out, "PAPER is %s.\n", paper_list());
}

static const struct cli_command command = {
    .name = "reproduce",
    .words = "PAPER",
    .doc = "Recomputes a paper: each published number beside ours, with its deviation and a verdict.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "The command writes PAPER.csv, the numbers of its figures as PAPER-figures.csv, both drawn as "
        "PAPER.html, and\n"
        "PAPER-figures.gp, which draws the figures with gnuplot. `all` writes all.csv and all.html too.\n\n"
        "With --search the values of what a paper does not state are varied. The result is DIR/found.yaml, a "
        "configuration,\n"
        "and DIR/PAPER-search.csv, all tries. The same command goes on with a search that was ended.\n\n"
        "Examples:\n"
        "  helio reproduce fmu --quick\n"
        "  helio reproduce breakdown --item section-6/end-to-end-latency\n"
        "  helio reproduce segment --search --quick -o search\n"
        "  helio reproduce all -o results",
    .print_lists = print_papers,
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

struct reproduce_arguments {
    const char *word;
    bool searches;
    struct reproduce_options options;
};

static enum status reproduce_one(const struct paper *paper, const struct reproduce_arguments *arguments)
{
    if (arguments->searches)
        return reproduce_search(paper, &arguments->options);
    if (arguments->options.items)
        return reproduce_items(paper, &arguments->options);
    return reproduce_paper(paper, &arguments->options);
}

static enum status reproduce(const struct reproduce_arguments *arguments)
{
    const char *word = arguments->word;
    bool all = strcmp(word, "all") == 0;
    if (all && (arguments->searches || arguments->options.items)) {
        diag_error("%s takes one paper", arguments->searches ? "--search" : "--item");
        return STATUS_BAD_INPUT;
    }
    if (all)
        return reproduce_all(papers, &arguments->options);
    for (size_t i = 0; papers[i]; i++)
        if (strcmp(paper_name(papers[i]), word) == 0)
            return reproduce_one(papers[i], arguments);
    return unknown_paper(word);
}

static bool take(void *self, int found, const char *value)
{
    struct reproduce_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->word, value, "paper");
    switch ((enum reproduce_option)(found - CLI_OPTION)) {
    case REPRODUCE_QUICK:
        arguments->options.quick = true;
        break;
    case REPRODUCE_OUTPUT:
        arguments->options.folder = value;
        break;
    case REPRODUCE_JOBS:
        return cli_value_jobs(value, &arguments->options.jobs);
    case REPRODUCE_SEARCH:
        arguments->searches = true;
        break;
    case REPRODUCE_ITEM:
        arguments->options.items = value;
        break;
    case REPRODUCE_CONFIGURATION:
        arguments->options.configuration = value;
        break;
    case REPRODUCE_TRIES:
        return cli_value_count("--tries", value, &arguments->options.tries);
    }
    return true;
}

int cli_reproduce(int argc, char **argv)
{
    struct reproduce_arguments arguments = {.options = {.folder = "reproduction", .tries = TRIES}};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.word)
        return reproduce(&arguments);
    diag_error("helio reproduce needs a paper: %s", paper_list());
    return STATUS_BAD_INPUT;
}
