#include "cli/group.h"

#include <string.h>

#include "base/diag.h"
#include "base/status.h"
#include "output/wrap.h"

static void print_help(const struct cli_group *group, FILE *out)
{
    int width = 0;
    for (size_t i = 0; i < group->count; i++)
        width = (int)strlen(group->commands[i].name) > width ? (int)strlen(group->commands[i].name) : width;
    wrap_text(out, 0, group->doc);
    fprintf(out, "\nUsage: %s COMMAND [OPTIONS] ...\n\n", group->title);
    for (size_t i = 0; i < group->count; i++) {
        struct wrap line = {.out = out, .indent = (size_t)width + 4, .column = (size_t)width + 4};
        fprintf(out, "  %-*s  ", width, group->commands[i].name);
        wrap_words(&line, group->commands[i].doc);
        fputc('\n', out);
    }
    fprintf(out, "\n  %s COMMAND --help     its options\n", group->title);
    if (group->after)
        wrap_text(out, 0, group->after);
}

static const char *name_at(const void *list, size_t index)
{
    return ((const struct cli_subcommand *)list)[index].name;
}

static const struct cli_group *first_group;

const struct cli_group *cli_group_first(void)
{
    return first_group;
}

int cli_group_run(const struct cli_group *group, int argc, char **argv)
{
    if (!first_group)
        first_group = group;
    if (argc < 2) {
        print_help(group, stderr);
        return STATUS_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(group, stdout);
        return STATUS_OK;
    }
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(word, group->commands[i].name) == 0)
            return group->commands[i].run(argc - 1, argv + 1);
    diag_error("%s has no command '%s'%s", group->title, word,
               diag_did_you_mean(diag_nearest(word, group->commands, group->count, name_at)));
    diag_note("%s --help lists them", group->title);
    return STATUS_BAD_INPUT;
}

const struct cli_command *cli_group_table(const struct cli_subcommand *subcommand)
{
    char name[64], help[] = "--help";
    char *argv[] = {name, help, NULL};
    const struct cli_command *table = NULL;
    snprintf(name, sizeof name, "%s", subcommand->name);
    cli_catch_help(&table);
    subcommand->run(2, argv);
    cli_catch_help(NULL);
    return table;
}

void cli_group_each(const struct cli_group *group, void *self,
                    void (*visit)(void *self, const struct cli_visit *here))
{
    for (size_t i = 0; i < group->count; i++) {
        const struct cli_subcommand *subcommand = &group->commands[i];
        char title[64];
        snprintf(title, sizeof title, "%s %s", group->title, subcommand->name);
        struct cli_visit here = {.title = title,
                                 .doc = subcommand->doc,
                                 .group = subcommand->group,
                                 .command = subcommand->group ? NULL : cli_group_table(subcommand)};
        visit(self, &here);
        if (subcommand->group)
            cli_group_each(subcommand->group, self, visit);
    }
}
