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
    for (size_t i = 0; of->name_at(option, i); i++)
        fprintf(out, "%s%s", i ? " " : "", of->name_at(option, i));
    fputs("'", out);
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
            fputs(kind == COMPLETE_SETTING ? "_helio_parameters" : "_helio_files", out);
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
    fputs("' files=1 ;;\n", out);
}

static const char head[] =
    "# Completion of helio's command lines in bash; `helio completion bash` prints it.\n"
    "_helio_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
    "}\n\n"
    "# Several names may stand there, with commas between them.\n"
    "_helio_names()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=\n"
    "    case $current in *,*) before=${current%,*}, ;; esac\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${current##*,}\")\n"
    "}\n\n"
    "_helio_parameters()\n"
    "{\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -S = -W '";

static const char walk[] = "' -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
                           "}\n\n"
                           "_helio()\n"
                           "{\n"
                           "    local current=${COMP_WORDS[COMP_CWORD]} path= words= files= i\n"
                           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                           "        case \"$path ${COMP_WORDS[i]}\" in\n";

static const char values[] = "            *) break ;;\n"
                             "        esac\n"
                             "    done\n"
                             "    case \"$path ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";

static const char words[] = "    esac\n"
                            "    case $path in\n";

static const char tail[] = "    esac\n"
                           "    case $current in\n"
                           "        -*) ;;\n"
                           "        *) if [ -n \"$files\" ]; then _helio_files; return; fi ;;\n"
                           "    esac\n"
                           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                           "}\n\n"
                           "complete -F _helio helio\n";

void completion_print_bash(const struct cli_group *group, FILE *out)
{
    fputs(head, out);
    completion_print_parameters(out);
    fputs(walk, out);
    cli_group_each(group, out, put_command);
    fputs(values, out);
    cli_group_each(group, out, put_values);
    fputs(words, out);
    put_group_words(out, "", group);
    cli_group_each(group, out, put_words);
    fputs(tail, out);
}
