#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/completion.h"
#include "cli/completion_parts.h"

/* A line per command and per option, each with the path behind which it may stand. */

static void put_doc(FILE *out, const char *doc)
{
    fputs(" -d '", out);
    completion_print_doc(out, doc, "\\", "\\'");
    fputs("'", out);
}

static void put_at(FILE *out, const char *path)
{
    fprintf(out, "complete -c helio -n '__helio_at \"%s\"'", path);
}

static void put_group(FILE *out, const char *path, const struct cli_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        put_at(out, path);
        fprintf(out, " -f -a %s", group->commands[i].name);
        put_doc(out, group->commands[i].doc);
        fputc('\n', out);
    }
}

static void put_option(FILE *out, const char *path, const struct cli_command *of, size_t index)
{
    const struct cli_option *option = &of->options[index];
    put_at(out, path);
    fprintf(out, " -l %s", option->name + strlen("--"));
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    switch (completion_value_of(of, index)) {
    case COMPLETE_NOTHING:
        break;
    case COMPLETE_FILE:
        fputs(" -r", out);
        break;
    case COMPLETE_SETTING:
        fputs(" -x -a '(__helio_parameters)'", out);
        break;
    case COMPLETE_WORKLOAD:
        fputs(" -x -a '(__helio_workloads)'", out);
        break;
    case COMPLETE_TOPOLOGY:
        break;
    case COMPLETE_NAMES:
        fputs(" -x -a '", out);
        for (size_t i = 0; of->name_at(index, i); i++)
            fprintf(out, "%s%s", i ? " " : "", of->name_at(index, i));
        fputc('\'', out);
    }
    put_doc(out, option->doc);
    fputc('\n', out);
}

/* What a command takes beside options; files come by themselves. */
static void put_command_words(FILE *out, const char *path, const struct cli_command *of)
{
    enum completion_value kind = completion_word_of(of);
    if (kind == COMPLETE_FILE)
        return;
    put_at(out, path);
    fputs(" -f -a '", out);
    if (kind == COMPLETE_WORKLOAD)
        fputs("(__helio_workloads)", out);
    else
        completion_print_topologies(out);
    fputs("'\n", out);
}

/* Each parameter with an equals sign, and with each value that is known. */
static void put_parameters(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    for (size_t i = 0; !workload && i < table->count; i++) {
        const struct param *param = &table->params[i];
        char *before = mem_format("%s=", param->name);
        fprintf(out, " %s", before);
        if (completion_value_at(param, 0))
            fputc(' ', out);
        completion_print_values(out, before, param);
        free(before);
    }
}

/* The name, and the name with each parameter behind it. */
static void put_workload(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    if (!workload)
        return;
    fprintf(out, " %s", workload);
    for (size_t i = 0; i < table->count; i++)
        fprintf(out, " %s:%s=", workload, table->params[i].name);
}

static void put_lines(void *self, const struct cli_visit *here)
{
    FILE *out = self;
    const char *path = completion_path(here->title);
    if (here->group)
        put_group(out, path, here->group);
    for (size_t i = 0; here->command && i < here->command->option_count; i++)
        put_option(out, path, here->command, i);
    if (here->command)
        put_command_words(out, path, here->command);
}

/* A path that the words so far may be. */
static void put_path(void *self, const struct cli_visit *here)
{
    fprintf(self, " '%s'", completion_path(here->title));
}

void completion_print_fish(const struct cli_group *group, FILE *out)
{
    fputs("# Completion of helio's command lines in fish; `helio completion fish` prints it.\n"
          "function __helio_parameters\n    printf '%s\\n'",
          out);
    completion_each_table(out, put_parameters);
    fputs("\nend\n\nfunction __helio_workloads\n    printf '%s\\n'", out);
    completion_each_table(out, put_workload);
    fputs("\nend\n\nfunction __helio_at\n    set -l path ''\n    set -l words (commandline -opc)\n    for "
          "word in $words[2..-1]\n"
          "        set -l longer (string trim -- \"$path $word\")\n        contains -- $longer",
          out);
    cli_group_each(group, out, put_path);
    fputs("\n        or break\n        set path $longer\n    end\n    test \"$path\" = $argv[1]\nend\n\n",
          out);
    put_group(out, "", group);
    cli_group_each(group, out, put_lines);
}
