#include <string.h>

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
    case COMPLETE_NAMES:
        fputs(" -x -a '", out);
        for (size_t i = 0; of->name_at(index, i); i++)
            fprintf(out, "%s%s", i ? " " : "", of->name_at(index, i));
        fputc('\'', out);
    }
    put_doc(out, option->doc);
    fputc('\n', out);
}

static void put_lines(void *self, const struct cli_visit *here)
{
    FILE *out = self;
    const char *path = completion_path(here->title);
    if (here->group)
        put_group(out, path, here->group);
    for (size_t i = 0; here->command && i < here->command->option_count; i++)
        put_option(out, path, here->command, i);
}

/* A path that the words so far may be. */
static void put_path(void *self, const struct cli_visit *here)
{
    fprintf(self, " '%s'", completion_path(here->title));
}

void completion_print_fish(const struct cli_group *group, FILE *out)
{
    fputs("# Completion of helio's command lines in fish; `helio completion fish` prints it.\n"
          "function __helio_parameters\n    printf '%s=\\n' ",
          out);
    completion_print_parameters(out);
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
