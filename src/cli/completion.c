#include "cli/completion.h"

#include <string.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "output/standard.h"

static const struct completion_shell {
    const char *name;
    void (*print)(const struct cli_group *group, FILE *out);
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

static const char *shell_name_at(const void *list, size_t index)
{
    return ((const struct completion_shell *)list)[index].name;
}

static enum status print_for(const char *name)
{
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(name, shells[i].name) != 0)
            continue;
        shells[i].print(cli_group_first(), stdout);
        return standard_flush();
    }
    diag_error("helio completion knows bash, zsh and fish, not '%s'%s", name,
               diag_did_you_mean(diag_nearest(name, shells, SHELLS, shell_name_at)));
    return STATUS_BAD_INPUT;
}

static bool take(void *shell, int found, const char *value)
{
    (void)found; /* there are no options */
    return cli_take_word(&command, shell, value, "shell");
}

int cli_completion(int argc, char **argv)
{
    const char *shell = NULL;
    int found = cli_read_all(&command, argc, argv, take, &shell);
    if (found != CLI_END)
        return cli_status(found);
    if (shell)
        return print_for(shell);
    diag_error("helio completion needs a shell: %s", command.words);
    return STATUS_BAD_INPUT;
}
