#include <string.h>

#include "cli/completion.h"
#include "cli/completion_parts.h"

#define QUOTE "'\\''" /* a single quote within single quotes */

/* A function per group and per command; "_helio_trace_info" is that of `helio trace info`. */

static void put_function_name(FILE *out, const char *title)
{
    fputc('_', out);
    for (; *title; title++)
        fputc(*title == ' ' ? '_' : *title, out);
}

/* '*'{-s,--set=}'[doc]:parameter:_helio_parameters': the value is the next word, or stands behind "=". */
static void put_option(FILE *out, const struct cli_command *of, size_t index)
{
    const struct cli_option *option = &of->options[index];
    enum completion_value kind = completion_value_of(of, index);
    const char *equals = kind == COMPLETE_NOTHING ? "" : "=";
    if (option->letter)
        fprintf(out, "        '*'{-%c,%s%s}'[", option->letter, option->name, equals);
    else
        fprintf(out, "        '*%s%s[", option->name, equals);
    completion_print_doc(out, option->doc, "[]:\\", QUOTE);
    fputc(']', out);
    if (kind == COMPLETE_FILE)
        fputs(":file:_files", out);
    else if (kind == COMPLETE_SETTING)
        fputs(":parameter:_helio_parameters", out);
    else if (kind == COMPLETE_WORKLOAD)
        fputs(":workload:_helio_workloads", out);
    else if (kind == COMPLETE_TOPOLOGY)
        fputs(":topology:_helio_topologies", out);
    else if (kind == COMPLETE_NAMES) {
        bool takes_several = strstr(option->value, "[,") != NULL;
        fputs(takes_several ? ":name:_values -s , name" : ":name:(", out);
        for (size_t i = 0; completion_name_at(of, index, i); i++)
            fprintf(out, "%s%s", i || takes_several ? " " : "", completion_name_at(of, index, i));
        fputs(takes_several ? "" : ")", out);
    }
    fputs("' \\\n", out);
}

static void put_command(FILE *out, const struct cli_visit *here)
{
    put_function_name(out, here->title);
    fputs("()\n{\n    _arguments \\\n", out);
    for (size_t i = 0; i < here->command->option_count; i++)
        put_option(out, here->command, i);
    fputs("        '(-h --help)'{-h,--help}'[a summary]' \\\n        '*:", out);
    switch (completion_word_of(here->command)) {
    case COMPLETE_WORKLOAD:
        fputs("workload:_helio_workloads", out);
        break;
    case COMPLETE_TOPOLOGY:
        fputs("topology:_helio_topologies", out);
        break;
    case COMPLETE_NAMES:
        fputs("name:(", out);
        for (size_t i = 0; completion_word_at(here->command, i); i++)
            fprintf(out, "%s%s", i ? " " : "", completion_word_at(here->command, i));
        fputc(')', out);
        break;
    default:
        fputs("file:_files", out);
    }
    fputs("'\n}\n\n", out);
}

static void put_group(FILE *out, const char *title, const struct cli_group *group)
{
    put_function_name(out, title);
    fputs("()\n{\n    local -a commands=(\n", out);
    for (size_t i = 0; i < group->count; i++) {
        fprintf(out, "        '%s:", group->commands[i].name);
        completion_print_doc(out, group->commands[i].doc, ":\\", QUOTE);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local function=$0_${words[2]}\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    (($+functions[$function])) && $function\n"
          "}\n\n",
          out);
}

static void put_function(void *out, const struct cli_visit *here)
{
    if (here->command)
        put_command(out, here);
    else
        put_group(out, here->title, here->group);
}

/* For each parameter whose values are known: 'packet.duplex' 'full half', 'collective:op' 'barrier bcast' */
static void put_known_values(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    for (size_t i = 0; i < table->count; i++) {
        if (!completion_value_at(&table->params[i], 0))
            continue;
        fprintf(out, "        '%s%s%s' '", workload ? workload : "", workload ? ":" : "",
                table->params[i].name);
        completion_print_values(out, "", &table->params[i]);
        fputs("'\n", out);
    }
}

static void put_workload(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    if (!workload)
        return;
    fprintf(out, "        '%s' '", workload);
    completion_print_names(out, table, "");
    fputs("'\n", out);
}

/* $1 is the owner of the parameters, "collective:" or nothing; then come their names. */
static const char head[] =
    "#compdef helio\n# Completion of helio's command lines in zsh; `helio completion zsh` prints it.\n\n"
    "_helio_settings()\n"
    "{\n"
    "    local name=${PREFIX%%=*} owner=$1\n"
    "    local -A values=(\n";

static const char workloads[] = "    )\n"
                                "    if [[ $PREFIX != *=* ]]; then\n"
                                "        compadd -S = -- ${@[2,-1]}\n"
                                "        return\n"
                                "    fi\n"
                                "    compset -P 1 '*='\n"
                                "    case $owner$name in\n"
                                "        workload) _helio_workloads ;;\n"
                                "        topology) _helio_topologies ;;\n"
                                "        trace) _files ;;\n"
                                "        *)\n"
                                "            compset -P '*,'\n"
                                "            compadd -- ${=values[$owner$name]}\n"
                                "            ;;\n"
                                "    esac\n"
                                "}\n\n"
                                "_helio_workloads()\n"
                                "{\n"
                                "    local name\n"
                                "    local -A settings=(\n";

static const char parameters[] = "    )\n"
                                 "    for name in ${(k)settings}; do\n"
                                 "        if [[ $PREFIX == $name:* ]]; then\n"
                                 "            compset -P \"$name:\"\n"
                                 "            compset -P '*,'\n"
                                 "            _helio_settings \"$name:\" ${=settings[$name]}\n"
                                 "            return\n"
                                 "        fi\n"
                                 "    done\n"
                                 "    compadd -- ${(k)settings}\n"
                                 "}\n\n"
                                 "_helio_parameters()\n"
                                 "{\n"
                                 "    _helio_settings '' ";

void completion_print_zsh(const struct cli_group *group, FILE *out)
{
    fputs(head, out);
    completion_each_table(out, put_known_values);
    fputs(workloads, out);
    completion_each_table(out, put_workload);
    fputs(parameters, out);
    completion_print_parameters(out, "");
    fputs("\n}\n\n_helio_topologies()\n{\n    compadd -S '' -- ", out);
    completion_print_topologies(out);
    fputs("\n}\n\n", out);
    put_group(out, group->title, group);
    cli_group_each(group, out, put_function);
    fputs("_helio \"$@\"\n", out);
}
