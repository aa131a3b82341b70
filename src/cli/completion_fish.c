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
        fputs(" -x -a '(__helio_parameters \"\" (__helio_word))'", out);
        break;
    case COMPLETE_WORKLOAD:
        fputs(" -x -a '(__helio_workloads \"\" (__helio_word))'", out);
        break;
    case COMPLETE_TOPOLOGY:
        fputs(" -x -a '", out);
        completion_print_topologies(out);
        fputc('\'', out);
        break;
    case COMPLETE_NAMES:
        fputs(" -x -a '(__helio_names \"\" (__helio_word)", out);
        for (size_t i = 0; completion_name_at(of, index, i); i++)
            fprintf(out, " %s", completion_name_at(of, index, i));
        fputs(")'", out);
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
        fputs("(__helio_workloads \"\" (__helio_word))", out);
    else if (kind == COMPLETE_TOPOLOGY)
        completion_print_topologies(out);
    for (size_t i = 0; kind == COMPLETE_NAMES && completion_word_at(of, i); i++)
        fprintf(out, "%s%s", i ? " " : "", completion_word_at(of, i));
    fputs("'\n", out);
}

/* For each parameter whose values are known: 'packet.duplex', 'collective:op'. */
static void put_known_values(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    for (size_t i = 0; i < table->count; i++) {
        if (!completion_value_at(&table->params[i], 0))
            continue;
        fprintf(out, "        case '%s%s%s'\n            string split ' ' '", workload ? workload : "",
                workload ? ":" : "", table->params[i].name);
        completion_print_values(out, "", &table->params[i]);
        fputs("'\n", out);
    }
}

static void put_workload(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    if (!workload)
        return;
    fprintf(out, "        case '%s'\n            string split ' ' '", workload);
    completion_print_names(out, table, "=");
    fputs("'\n", out);
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

static const char head[] =
    "# Completion of helio's command lines in fish; `helio completion fish` prints it.\n"
    "#\n"
    "# Functions print whole words: $argv[1] is what stands before what is completed, and $argv[2] that.\n"
    "function __helio_word\n"
    "    string replace -r -- '^--[a-z-]+=' '' (commandline -ct)\n"
    "end\n\n"
    "# Several names may stand there, with commas between them.\n"
    "function __helio_names\n"
    "    string join -- \\n $argv[1](string replace -r -- '[^,]*$' '' $argv[2])$argv[3..-1]\n"
    "end\n\n"
    "function __helio_values\n"
    "    switch $argv[1]\n";

static const char known_workloads[] = "    end\n"
                                      "end\n\n"
                                      "function __helio_workload_settings\n"
                                      "    switch $argv[1]\n";

/* $argv[3] is the owner of the parameters, "collective:" or nothing; then come their names. */
static const char settings[] = "    end\n"
                               "end\n\n"
                               "function __helio_settings\n"
                               "    if not string match -q -- '*=*' $argv[2]\n"
                               "        string join -- \\n $argv[1]$argv[4..-1]\n"
                               "        return\n"
                               "    end\n"
                               "    set -l name (string replace -r -- '=.*' '' $argv[2])\n"
                               "    set -l before $argv[1]$name=\n"
                               "    set -l rest (string replace -- $name= '' $argv[2])\n"
                               "    switch $argv[3]$name\n"
                               "        case workload\n"
                               "            __helio_workloads $before $rest\n"
                               "        case trace\n"
                               "            string join -- \\n $before(__fish_complete_path $rest)\n"
                               "        case '*'\n"
                               "            __helio_names $before $rest (__helio_values $argv[3]$name)\n"
                               "    end\n"
                               "end\n\n"
                               "function __helio_workloads\n"
                               "    set -l names ";

static const char parameters[] =
    "\n"
    "    for name in $names\n"
    "        string match -q -- $name:'*' $argv[2]\n"
    "        or continue\n"
    "        set -l rest (string replace -- $name: '' $argv[2])\n"
    "        set -l before $argv[1]$name:(string replace -r -- '[^,]*$' '' $rest)\n"
    "        __helio_settings $before (string replace -r -- '.*,' '' $rest) $name: "
    "(__helio_workload_settings $name)\n"
    "        return\n"
    "    end\n"
    "    string join -- \\n $argv[1]$names\n"
    "end\n\n"
    "function __helio_parameters\n"
    "    __helio_settings $argv '' ";

static const char walk[] = "\n"
                           "end\n\n"
                           "function __helio_at\n"
                           "    set -l path ''\n"
                           "    set -l words (commandline -opc)\n"
                           "    for word in $words[2..-1]\n"
                           "        set -l longer (string trim -- \"$path $word\")\n"
                           "        contains -- $longer";

static const char tail[] = "\n"
                           "        or break\n"
                           "        set path $longer\n"
                           "    end\n"
                           "    test \"$path\" = $argv[1]\n"
                           "end\n\n";

void completion_print_fish(const struct cli_group *group, FILE *out)
{
    fputs(head, out);
    completion_each_table(out, put_known_values);
    fputs(known_workloads, out);
    completion_each_table(out, put_workload);
    fputs(settings, out);
    completion_print_workloads(out);
    fputs(parameters, out);
    completion_print_parameters(out, "=");
    fputs(walk, out);
    cli_group_each(group, out, put_path);
    fputs(tail, out);
    put_group(out, "", group);
    cli_group_each(group, out, put_lines);
}
