#include "sweep/merge.h"
#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/options.h"

enum option { OPTION_OUTPUT };

static const struct cli_option options[] = {
    [OPTION_OUTPUT] = {"--output", 'o', "ALL.db",
                       "the file that they are added to; made where there is none"},
};

static const struct cli_command command = {
    .name = "merge",
    .words = "-o ALL.db RESULTS.db...",
    .doc = "Puts the results of several sweeps, or of the shards of one, into one file. Runs that are in "
           "more than\n"
           "one of them are there once.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio sweep sweep.yaml --shard 1/2 -o one.db; helio sweep sweep.yaml --shard 2/2 -o two.db\n"
             "  helio merge -o all.db one.db two.db",
};

/* Before anything is made: a name that is mistyped is nothing to leave a new file for. */
static enum status check(char *const *paths, int count)
{
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct store *from = NULL;
        status = store_open(paths[i], STORE_READ, &from);
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

/* One change of the output, which may have runs already, may be one of the files that are put together, and
 * may be in use: a file of results that is put in the place of another would meet that one's log. */
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

int cli_merge(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *output = NULL, *value;
    char **paths = mem_alloc((size_t)argc, sizeof *paths, "arguments");
    int count = 0, found;
    while ((found = cli_read(&reader, &value)) >= CLI_OPTION || found == CLI_WORD) {
        if (found == CLI_WORD)
            paths[count++] = (char *)value;
        else
            output = value;
    }
    enum status status = found == CLI_ERROR ? STATUS_BAD_INPUT : STATUS_OK;
    if (found == CLI_END && (!output || !count)) {
        diag_error("helio merge needs a file to add to and files to put together: %s", command.words);
        status = STATUS_BAD_INPUT;
    } else if (found == CLI_END) {
        status = merge(output, paths, count);
    }
    free(paths);
    return status;
}
