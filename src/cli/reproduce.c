#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "reproduce/reproduce.h"

enum reproduce_option { OPTION_QUICK, OPTION_OUTPUT, OPTION_JOBS };

static const struct cli_option options[] = {
    [OPTION_QUICK] = {"--quick", 'q', NULL, "leave out what takes long"},
    [OPTION_OUTPUT] = {"--output", 'o', "DIR", "the folder for what is written (reproduction)"},
    [OPTION_JOBS] = {"--jobs", 'j', "N", "runs at a time (as many as there are processors)"},
};

static const struct cli_command command = {
    .name = "reproduce",
    .words = "PAPER",
    .doc = "Recomputes a paper: each published number beside ours, with its deviation and a verdict.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "PAPER is alltoall, breakdown, fmu, segment, tdm, or all. Written are PAPER.csv, its figures' "
             "numbers as "
             "PAPER-figures.csv, and both\n"
             "drawn as PAPER.html; PAPER-figures.gp draws the figures with gnuplot; by all, all.csv and "
             "all.html besides.\n\n"
             "Examples:\n"
             "  helio reproduce fmu --quick\n"
             "  helio reproduce all -o results",
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

static enum status reproduce(const char *word, const struct reproduce_options *chosen)
{
    if (strcmp(word, "all") == 0)
        return reproduce_all(papers, chosen);
    for (size_t i = 0; papers[i]; i++)
        if (strcmp(paper_name(papers[i]), word) == 0)
            return reproduce_paper(papers[i], chosen);
    return unknown_paper(word);
}

static enum status read_jobs(const char *value, struct reproduce_options *chosen)
{
    enum { JOBS_AT_MOST = 1024 };
    uint64_t jobs;
    struct units_problem problem;
    if (!units_count(value, &jobs, &problem) || !jobs || jobs > JOBS_AT_MOST) {
        diag_error("--jobs takes a number from 1 to %d, not '%s'", JOBS_AT_MOST, value);
        return STATUS_BAD_INPUT;
    }
    chosen->jobs = (unsigned)jobs;
    return STATUS_OK;
}

int cli_reproduce(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    struct reproduce_options chosen = {.folder = "reproduction"};
    const char *word = NULL, *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found == CLI_OPTION + OPTION_QUICK) {
            chosen.quick = true;
        } else if (found == CLI_OPTION + OPTION_OUTPUT) {
            chosen.folder = value;
        } else if (found == CLI_OPTION + OPTION_JOBS) {
            if (read_jobs(value, &chosen) != STATUS_OK)
                return STATUS_BAD_INPUT;
        } else if (word) {
            diag_error("helio reproduce takes one paper, not also '%s'", value);
            return STATUS_BAD_INPUT;
        } else {
            word = value;
        }
    }
    if (!word) {
        diag_error("helio reproduce needs a paper: alltoall, breakdown, fmu, segment, tdm, or all");
        return STATUS_BAD_INPUT;
    }
    return reproduce(word, &chosen);
}
