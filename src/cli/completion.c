#include "cli/completion.h"

#include <string.h>

#include "base/diag.h"
#include "base/status.h"
#include "cli/cli.h"
#include "sim/components.h"

static const struct shell {
    const char *name;
    void (*print)(FILE *out);
} shells[] = {
    {"bash", completion_print_bash},
    {"zsh", completion_print_zsh},
    {"fish", completion_print_fish},
};

enum { SHELLS = sizeof shells / sizeof *shells };

static const struct cli_command command = {
    .name = "completion",
    .words = "bash|zsh|fish",
    .doc = "Prints what lets a shell complete helio's commands, options, and the names that they take.",
    .after = "Examples:\n"
             "  source <(helio completion bash)                 in ~/.bashrc\n"
             "  helio completion zsh > ~/.zfunc/_helio          with ~/.zfunc in fpath, before compinit\n"
             "  helio completion fish > ~/.config/fish/completions/helio.fish",
};

enum completion_value completion_value_of(const struct cli_command *of, size_t option)
{
    const char *value = of->options[option].value;
    if (!value)
        return COMPLETE_NOTHING;
    if (of->name_at && of->name_at(option, 0))
        return COMPLETE_NAMES;
    return strcmp(value, "PARAMETER=VALUE") == 0 ? COMPLETE_SETTING : COMPLETE_FILE;
}

const char *completion_path(const char *title)
{
    const char *blank = strchr(title, ' ');
    return blank ? blank + 1 : "";
}

void completion_print_parameters(FILE *out)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    const char *before = "";
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tables[i]->count; j++, before = " ")
            fprintf(out, "%s%s", before, tables[i]->params[j].name);
}

void completion_print_doc(FILE *out, const char *doc, const char *special, const char *quote)
{
    for (; *doc && *doc != '\n'; doc++) {
        if (*doc == '\'')
            fputs(quote, out);
        else
            fprintf(out, "%s%c", strchr(special, *doc) ? "\\" : "", *doc);
    }
}

static const char *shell_name_at(const void *list, size_t index)
{
    return ((const struct shell *)list)[index].name;
}

static enum status print_for(const char *name)
{
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(name, shells[i].name) != 0)
            continue;
        shells[i].print(stdout);
        return fflush(stdout) ? STATUS_FAILED : STATUS_OK;
    }
    diag_error("helio completion knows bash, zsh and fish, not '%s'%s", name,
               diag_did_you_mean(diag_nearest(name, shells, SHELLS, shell_name_at)));
    return STATUS_BAD_INPUT;
}

int cli_completion(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *shell = NULL, *word;
    for (int found; (found = cli_read(&reader, &word)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (shell) {
            diag_error("helio completion takes one shell, not also '%s'", word);
            return STATUS_BAD_INPUT;
        }
        shell = word;
    }
    if (!shell) {
        diag_error("helio completion needs a shell: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    return print_for(shell);
}
