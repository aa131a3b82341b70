#include "compare/compare.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/standard.h"
#include "report/compare_page.h"

enum compare_option { COMPARE_JSON, COMPARE_HTML };

static const struct cli_option options[] = {
    [COMPARE_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [COMPARE_HTML] = {"--html", 0, "FILE.html", "write a page that compares them, with charts"},
};

static const struct cli_command command = {
    .name = "compare",
    .words = "FIRST.json SECOND.json",
    .doc = "Compares two results of helio run --json, or two of its pages: settings, times, and what makes "
           "the difference.\n"
           "The reasons need the critical paths of both: helio run --json --insight.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Example:\n"
        "  helio run -w alltoall:ranks=16 -f packet --json --insight > first.json\n"
        "  helio run -w alltoall:ranks=16 -f packet -s mpi.alltoall=bruck --json --insight > second.json\n"
        "  helio compare first.json second.json",
};

struct compare_arguments {
    const char *files[2];
    size_t count;
    const char *html;
    bool json;
};

static bool take(void *self, int found, const char *value)
{
    struct compare_arguments *arguments = self;
    if (found == CLI_OPTION + COMPARE_HTML)
        arguments->html = value;
    else if (found == CLI_OPTION + COMPARE_JSON)
        arguments->json = true;
    if (found != CLI_WORD)
        return true;
    if (arguments->count == 2) {
        diag_error("helio compare takes two results, not also '%s'", value);
        return false;
    }
    arguments->files[arguments->count++] = value;
    return true;
}

enum { COMPARE_DIGITS = 15 }; /* of real numbers, as results have */

static enum status print(const struct comparison *comparison, bool json)
{
    if (!json) {
        comparison_print(comparison, stdout);
        return standard_flush();
    }
    return cli_print_json(comparison_json(comparison), COMPARE_DIGITS);
}

static enum status write_page(const struct comparison *comparison, const char *path)
{
    struct compare_page_side sides[2];
    for (size_t i = 0; i < 2; i++)
        sides[i] = (struct compare_page_side){.name = comparison->sides[i].file,
                                              .result = comparison->sides[i].json};
    return compare_page_save(path, &sides[0], &sides[1], comparison_json(comparison));
}

int cli_compare(int argc, char **argv)
{
    struct compare_arguments arguments = {.count = 0};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.count < 2) {
        diag_error("helio compare needs two results: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    struct comparison comparison;
    enum status status = compare_files(arguments.files[0], arguments.files[1], &comparison);
    if (status == STATUS_OK)
        status = print(&comparison, arguments.json);
    if (status == STATUS_OK && arguments.html)
        status = write_page(&comparison, arguments.html);
    comparison_free(&comparison);
    return status;
}
