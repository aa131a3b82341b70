#include <string.h>

#include "cli/completion.h"
#include "cli/completion_parts.h"

/* The script asks three questions, with a case for each answer: is this a command, what may follow this
 * option, what may stand here. */

static void put_command(void *out, const struct cli_visit *here)
{
    const char *path = completion_path(here->title);
    fprintf(out, "            '%s%s') path=\"$path${path:+ }${COMP_WORDS[i]}\" ;;\n",
            strchr(path, ' ') ? "" : " ", path);
}

static void put_names(FILE *out, const struct cli_command *of, size_t option)
{
    fputs("_helio_names '", out);
    for (size_t i = 0; completion_name_at(of, option, i); i++)
        fprintf(out, "%s%s", i ? " " : "", completion_name_at(of, option, i));
    fputs("'", out);
}

static void put_answer(FILE *out, enum completion_value kind)
{
    fputs(kind == COMPLETE_SETTING    ? "_helio_setting"
          : kind == COMPLETE_WORKLOAD ? "_helio_workload"
          : kind == COMPLETE_TOPOLOGY ? "_helio_topology"
                                      : "_helio_files",
          out);
}

static void put_values(void *self, const struct cli_visit *here)
{
    FILE *out = self;
    const struct cli_command *of = here->command;
    const char *path = completion_path(here->title);
    for (size_t i = 0; of && i < of->option_count; i++) {
        const struct cli_option *option = &of->options[i];
        enum completion_value kind = completion_value_of(of, i);
        if (kind == COMPLETE_NOTHING)
            continue;
        fprintf(out, "        '%s %s'", path, option->name);
        if (option->letter)
            fprintf(out, " | '%s -%c'", path, option->letter);
        fputs(") ", out);
        if (kind == COMPLETE_NAMES)
            put_names(out, of, i);
        else
            put_answer(out, kind);
        fputs("; return ;;\n", out);
    }
}

static void put_group_words(FILE *out, const char *path, const struct cli_group *group)
{
    fprintf(out, "        '%s') words='--help", path);
    if (!*path)
        fputs(" --version", out);
    for (size_t i = 0; i < group->count; i++)
        fprintf(out, " %s", group->commands[i].name);
    fputs("' ;;\n", out);
}

/* One word: blanks and quotes inside it are the shell's. */
static void put_words_of(FILE *out, const struct cli_command *of)
{
    fputs("_helio_words; names='", out);
    for (size_t i = 0; completion_word_at(of, i); i++)
        fprintf(out, "%s%s", i ? " " : "", completion_word_at(of, i));
    fputs("'", out);
}

static void put_words(void *self, const struct cli_visit *here)
{
    FILE *out = self;
    const struct cli_command *of = here->command;
    if (here->group) {
        put_group_words(out, completion_path(here->title), here->group);
        return;
    }
    fprintf(out, "        '%s') words='--help", completion_path(here->title));
    for (size_t i = 0; i < of->option_count; i++)
        fprintf(out, " %s", of->options[i].name);
    fputs("' offer=", out);
    if (completion_word_of(of) == COMPLETE_NAMES)
        put_words_of(out, of);
    else
        put_answer(out, completion_word_of(of));
    fputs(" ;;\n", out);
}

/* A case for each parameter whose values are known: 'packet.duplex', 'collective:op'. */
static void put_known_values(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (!completion_value_at(param, 0))
            continue;
        fprintf(out, "        '%s%s%s') echo '", workload ? workload : "", workload ? ":" : "", param->name);
        completion_print_values(out, "", param);
        fputs("' ;;\n", out);
    }
}

static void put_workload(void *self, const char *workload, const struct param_table *table)
{
    FILE *out = self;
    if (!workload)
        return;
    fprintf(out, "        '%s') echo '", workload);
    completion_print_names(out, table, "=");
    fputs("' ;;\n", out);
}

static const char head[] =
    "# Completion of helio's command lines in bash; `helio completion bash` prints it.\n"
    "#\n"
    "# bash takes a word apart at its equals signs and colons. _helio_word puts it together: $word is "
    "$before and\n"
    "# $rest, and $rest is what is completed.\n"
    "_helio_word()\n"
    "{\n"
    "    local i=$COMP_CWORD\n"
    "    word=${COMP_WORDS[i]}\n"
    "    while [ \"$i\" -gt 1 ]; do\n"
    "        case ${COMP_WORDS[i]}${COMP_WORDS[i - 1]} in\n"
    "            [=:]* | *[=:]) ;;\n"
    "            *) break ;;\n"
    "        esac\n"
    "        i=$((i - 1))\n"
    "        word=${COMP_WORDS[i]}$word\n"
    "    done\n"
    "    option=${COMP_WORDS[i - 1]} before= rest=$word\n"
    "    case $word in --*=*) option=${word%%=*} before=$option= rest=${word#*=} ;; esac\n"
    "}\n\n"
    "# Offers what compgen finds for these arguments, without what is in earlier words for bash.\n"
    "_helio_offer()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" \"$@\" -- \"$rest\")\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*[=:]}\"}\"}\")\n"
    "}\n\n"
    "_helio_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    _helio_offer -f\n"
    "}\n\n"
    "# Several names may stand there, with commas between them.\n"
    "_helio_names()\n"
    "{\n"
    "    case $rest in *,*) before=$before${rest%,*}, rest=${rest##*,} ;; esac\n"
    "    _helio_offer -W \"$1\"\n"
    "}\n\n"
    "_helio_words()\n"
    "{\n"
    "    _helio_offer -W \"$names\"\n"
    "}\n\n"
    "_helio_topology()\n"
    "{\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    _helio_offer -W '";

static const char known_values[] = "'\n"
                                   "}\n\n"
                                   "_helio_values()\n"
                                   "{\n"
                                   "    case $1 in\n";

static const char known_workloads[] = "    esac\n"
                                      "}\n\n"
                                      "_helio_workload_settings()\n"
                                      "{\n"
                                      "    case $1 in\n";

/* $1 is the owner of the parameters, "collective:" or nothing; $2 their names. */
static const char settings[] = "    esac\n"
                               "}\n\n"
                               "_helio_settings()\n"
                               "{\n"
                               "    local name=${rest%%=*}\n"
                               "    case $rest in\n"
                               "        *=*)\n"
                               "            before=$before$name= rest=${rest#*=}\n"
                               "            case $1$name in\n"
                               "                workload) _helio_workload ;;\n"
                               "                topology) _helio_topology ;;\n"
                               "                trace) _helio_files ;;\n"
                               "                *) _helio_names \"$(_helio_values \"$1$name\")\" ;;\n"
                               "            esac\n"
                               "            ;;\n"
                               "        *)\n"
                               "            compopt -o nospace 2>/dev/null\n"
                               "            _helio_offer -W \"$2\"\n"
                               "            ;;\n"
                               "    esac\n"
                               "}\n\n"
                               "_helio_workload()\n"
                               "{\n"
                               "    local name names='";

static const char workload_names[] =
    "'\n"
    "    for name in $names; do\n"
    "        case $rest in\n"
    "            \"$name\":*)\n"
    "                before=$before$name: rest=${rest#\"$name\":}\n"
    "                case $rest in *,*) before=$before${rest%,*}, rest=${rest##*,} ;; esac\n"
    "                _helio_settings \"$name:\" \"$(_helio_workload_settings \"$name\")\"\n"
    "                return\n"
    "                ;;\n"
    "        esac\n"
    "    done\n"
    "    _helio_offer -W \"$names\"\n"
    "}\n\n"
    "_helio_setting()\n"
    "{\n"
    "    _helio_settings '' '";

static const char walk[] = "'\n"
                           "}\n\n"
                           "_helio()\n"
                           "{\n"
                           "    local path= words= offer= names= word option before rest i\n"
                           "    _helio_word\n"
                           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                           "        case \"$path ${COMP_WORDS[i]}\" in\n";

static const char values[] = "            *) break ;;\n"
                             "        esac\n"
                             "    done\n"
                             "    case \"$path $option\" in\n";

static const char words[] = "    esac\n"
                            "    case $path in\n";

static const char tail[] = "    esac\n"
                           "    case $word in\n"
                           "        -*) ;;\n"
                           "        *) if [ -n \"$offer\" ]; then $offer; return; fi ;;\n"
                           "    esac\n"
                           "    _helio_offer -W \"$words\"\n"
                           "}\n\n"
                           "complete -F _helio helio\n";

void completion_print_bash(const struct cli_group *group, FILE *out)
{
    fputs(head, out);
    completion_print_topologies(out);
    fputs(known_values, out);
    completion_each_table(out, put_known_values);
    fputs(known_workloads, out);
    completion_each_table(out, put_workload);
    fputs(settings, out);
    completion_print_workloads(out);
    fputs(workload_names, out);
    completion_print_parameters(out, "=");
    fputs(walk, out);
    cli_group_each(group, out, put_command);
    fputs(values, out);
    cli_group_each(group, out, put_values);
    fputs(words, out);
    put_group_words(out, "", group);
    cli_group_each(group, out, put_words);
    fputs(tail, out);
}
