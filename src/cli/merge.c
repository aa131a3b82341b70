#include "sweep/merge.h"
#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/options.h"

enum merge_option { MERGE_OUTPUT };

static const struct cli_option options[] = {
    [MERGE_OUTPUT] = {"--output", 'o', "ALL.db", "the file that they are added to; made where there is none"},
};

static const struct cli_command command = {
    .name = "merge",
    .words = "-o ALL.db RESULTS.db...",
    .doc = "Puts the results of several sweeps, or of the shards of one, into one file. A run that several "
           "of them\n"
           "have is kept once.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio sweep sweep.yaml --shard 1/2 -o one.db; helio sweep sweep.yaml --shard 2/2 -o two.db\n"
             "  helio merge -o all.db one.db two.db",
};

/* Checked before a file is made, so that a mistyped name or a damaged file leaves none behind. */
static enum status check(char *const *paths, int count)
{
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct store *from = NULL;
        status = store_open(paths[i], STORE_READ, &from);
        if (status == STATUS_OK)
            status = store_check(from);
        store_close(from);
    }
    return status;
}

static enum status merge_into(struct store *into, char *const *paths, int count)
{
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct store *from = NULL;
        status = store_open(paths[i], STORE_READ, &from);
        if (status == STATUS_OK)
            status = store_merge(into, from);
        store_close(from);
    }
    return status;
}

/* The output is changed in one transaction. It may have runs already, may be one of the inputs, and may be in
 * use. So it is not replaced by a new file: a database must not meet the log of another one. */
static enum status merge(const char *output, char *const *paths, int count)
{
    struct store *into = NULL;
    enum status status = check(paths, count);
    if (status == STATUS_OK)
        status = store_open(output, STORE_WRITE, &into);
    if (status != STATUS_OK)
        return status;
    status = store_begin(into);
    if (status == STATUS_OK)
        status = merge_into(into, paths, count);
    if (status == STATUS_OK)
        status = store_commit(into);
    if (status != STATUS_OK)
        store_rollback(into);
    store_close(into);
    return status;
}

struct merge_arguments {
    const char *output;
    char **paths;
    int count;
};

static bool take(void *self, int found, const char *value)
{
    struct merge_arguments *arguments = self;
    if (found == CLI_WORD)
        arguments->paths[arguments->count++] = (char *)value;
    else
        arguments->output = value;
    return true;
}

int cli_merge(int argc, char **argv)
{
    struct merge_arguments arguments = {.paths =
                                            mem_alloc((size_t)argc, sizeof *arguments.paths, "arguments")};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    enum status status = cli_status(found);
    if (found == CLI_END && arguments.output && arguments.count)
        status = merge(arguments.output, arguments.paths, arguments.count);
    else if (found == CLI_END)
        diag_error("helio merge needs a file to add to and files to put together: %s", command.words);
    free(arguments.paths);
    return status;
}
