#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_stream.h"
#include "cli/cli.h"
#include "cli/group.h"
#include "output/output.h"
#include "output/standard.h"
#include "sim/components.h"
#include "workload/workload.h"

enum manual_option { MANUAL_OUTPUT };

static const struct cli_option options[] = {
    [MANUAL_OUTPUT] = {"--output", 'o', "DIR", "write all pages into this folder"},
};

static const struct cli_command command = {
    .name = "manual",
    .words = "[COMMAND...]",
    .doc =
        "Prints a page of the manual for man: of helio, of a command such as `trace info`, `parameters`, or\n"
        "`workloads`.\n"
        "Everything in it comes from the tables that the program itself reads.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio manual run | man -l -\n"
             "  helio manual -o /usr/local/share/man/man1",
};

#define PARAMETERS_PAGE "parameters"
#define WORKLOADS_PAGE  "workloads"

/* -------------------------------------------------------------------- troff */

/* Text without a meaning to troff, which reads a dash as a hyphen, and a point at the start of a line as a
 * request. */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", out);
        if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\\')
            fputs("\\e", out);
        else
            fputc(text[i], out);
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_line(FILE *out, const char *text)
{
    put_text(out, text);
    fputc('\n', out);
}

/* "helio-trace-info" for "helio trace info": what the page is called. */
static void put_name(FILE *out, const char *title)
{
    for (; *title; title++)
        fputs(*title == ' ' ? "\\-" : (char[]){*title, '\0'}, out);
}

static void put_head(FILE *out, const char *title, int section, const char *doc)
{
    fputs(".TH ", out);
    put_name(out, title);
    fprintf(out, " %d \"\" \"Heliograph " HELIO_VERSION "\" \"Heliograph\"\n.SH NAME\n", section);
    put_name(out, title);
    fputs(" \\- ", out);
    put_line(out, doc);
}

/* Text whose lines are kept. */
static void put_lines(FILE *out, const char *text)
{
    fputs(".nf\n", out);
    put_line(out, text);
    fputs(".fi\n", out);
}

static void put_tail(FILE *out, const char *see_also)
{
    fputs(".SH \"EXIT STATUS\"\n0: done; 1: it failed; 2: wrong usage or input.\n.SH \"SEE ALSO\"\n", out);
    fprintf(out, "%s\n", see_also);
}

/* -------------------------------------------------------------------- pages */

static void put_option(FILE *out, const struct cli_command *of, size_t index)
{
    const struct cli_option *option = &of->options[index];
    fputs(".TP\n.B ", out);
    if (option->letter)
        fprintf(out, "\\-%c, ", option->letter);
    put_text(out, option->name);
    if (option->value) {
        fputs(" \\fI", out);
        put_text(out, option->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_line(out, option->doc);
    for (size_t i = 0; of->name_at && of->name_at(index, i); i++) {
        put_text(out, of->name_at(index, i));
        fputs(of->name_at(index, i + 1) ? ",\n" : "\n", out);
    }
}

/* Both parts of a command's notes, which are lines: what depends on lists, and the rest. */
static void put_notes(FILE *out, const struct cli_command *of)
{
    char *notes = NULL;
    size_t length = 0;
    FILE *text = memory_stream_open(&notes, &length);
    if (of->print_lists)
        of->print_lists(text);
    fputs(of->after ? of->after : "", text);
    fclose(text);
    if (length) {
        fputs(".SH NOTES\n", out);
        put_lines(out, notes);
    }
    free(notes);
}

static void put_command_page(FILE *out, const struct cli_visit *here)
{
    const struct cli_command *of = here->command;
    put_head(out, here->title, 1, here->doc);
    fputs(".SH SYNOPSIS\n.B ", out);
    put_text(out, here->title);
    fputs(of->option_count ? "\n[OPTIONS]\n" : "\n", out);
    if (*of->words)
        put_line(out, of->words);
    fputs(".SH DESCRIPTION\n", out);
    put_line(out, of->doc);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < of->option_count; i++)
        put_option(out, of, i);
    fputs(".TP\n.B \\-h, \\-\\-help\nprint a summary of this page\n", out);
    put_notes(out, of);
    put_tail(out, ".BR helio (1),\n.BR helio\\-parameters (7)");
}

static void put_group_page(FILE *out, const char *title, const char *doc, const struct cli_group *group)
{
    put_head(out, title, 1, doc);
    fputs(".SH SYNOPSIS\n.B ", out);
    put_text(out, title);
    fputs("\nCOMMAND [OPTIONS] ...\n.SH DESCRIPTION\n", out);
    put_line(out, group->doc);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < group->count; i++) {
        fputs(".TP\n.BR ", out);
        put_name(out, title);
        fputs("\\-", out);
        put_name(out, group->commands[i].name);
        fputs(" (1)\n", out);
        put_line(out, group->commands[i].doc);
    }
    if (group->after) {
        fputs(".SH NOTES\n", out);
        put_lines(out, group->after);
    }
    put_tail(out, ".BR helio (1),\n.BR helio\\-parameters (7)");
}

static void put_parameter(FILE *out, const struct param *param)
{
    fputs(".TP\n.B ", out);
    put_text(out, param->name);
    if (param->default_text) {
        fputs(" \\fR(", out);
        put_text(out, *param->default_text ? param->default_text : "empty");
        fputc(')', out);
    }
    fputc('\n', out);
    put_line(out, param->doc);
    if (param->min || param->max)
        fputs(".br\n", out);
    if (param->min) {
        fputs(param->max ? "from " : "at least ", out);
        put_line(out, param->min);
    }
    if (param->max) {
        fputs(param->min ? "to " : "at most ", out);
        put_line(out, param->max);
    }
    if (param->choices)
        fputs(".br\none of\n", out);
    for (size_t i = 0; param->choices && param->choices[i]; i++) {
        put_text(out, param->choices[i]);
        fputs(param->choices[i + 1] ? ",\n" : "\n", out);
    }
}

static void put_parameters_page(FILE *out)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    put_head(out, "helio-" PARAMETERS_PAGE, 7, "what an experiment file may set");
    fputs(".SH DESCRIPTION\n"
          "An experiment file is YAML, its keys are these, and \\-\\-set sets them one by one. A quantity "
          "has a\n"
          "unit; defaults stand in parentheses. helio params prints all as a file to edit.\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fputs(".SH ", out);
        put_line(out, tables[i]->component);
        put_line(out, tables[i]->doc);
        for (size_t j = 0; j < tables[i]->count; j++)
            put_parameter(out, &tables[i]->params[j]);
    }
    fputs(".SH \"SEE ALSO\"\n.BR helio\\-params (1),\n.BR helio\\-run (1),\n.BR helio\\-sweep (1)\n", out);
}

static void put_workloads_page(FILE *out)
{
    put_head(out, "helio-" WORKLOADS_PAGE, 7, "programs that Heliograph generates");
    fputs(".SH DESCRIPTION\n"
          "\\-\\-workload and the key workload of an experiment file take NAME:PARAMETER=VALUE,... A "
          "quantity has a\n"
          "unit; defaults stand in parentheses.\n",
          out);
    for (size_t i = 0; workloads[i]; i++) {
        const struct param_table *table = workloads[i]->params;
        fputs(".SH ", out);
        put_line(out, workloads[i]->name);
        put_line(out, workloads[i]->doc);
        for (size_t j = 0; j < table->count; j++)
            put_parameter(out, &table->params[j]);
    }
    fputs(".SH \"SEE ALSO\"\n.BR helio\\-run (1),\n.BR helio\\-gen (1),\n.BR helio\\-parameters (7)\n", out);
}

static void put_page(FILE *out, const struct cli_visit *here)
{
    if (here->command)
        put_command_page(out, here);
    else
        put_group_page(out, here->title, here->doc, here->group);
}

static struct cli_visit helio_itself(void)
{
    return (struct cli_visit){
        .title = "helio", .doc = "an interconnect laboratory", .group = cli_group_first()};
}

/* -------------------------------------------------------------- one, or all */

struct manual_wanted {
    const char *title; /* "helio trace info" */
    bool found;
};

static void print_wanted(void *self, const struct cli_visit *here)
{
    struct manual_wanted *wanted = self;
    if (strcmp(wanted->title, here->title) != 0)
        return;
    put_page(stdout, here);
    wanted->found = true;
}

static enum status print_page(const char *title)
{
    struct manual_wanted wanted = {.title = title};
    if (strcmp(title, "helio " PARAMETERS_PAGE) == 0) {
        put_parameters_page(stdout);
        wanted.found = true;
    }
    if (strcmp(title, "helio " WORKLOADS_PAGE) == 0) {
        put_workloads_page(stdout);
        wanted.found = true;
    }
    struct cli_visit itself = helio_itself();
    print_wanted(&wanted, &itself);
    cli_group_each(itself.group, &wanted, print_wanted);
    if (!wanted.found) {
        diag_error("there is no page for '%s'; helio manual prints that of helio, which names the others",
                   title);
        return STATUS_BAD_INPUT;
    }
    return standard_flush();
}

struct manual_folder {
    const char *path;
    enum status status;
};

/* Writes the page of a command or group, or, if `here` is NULL, the one that `put_other` prints. */
static void write_page(struct manual_folder *folder, const char *title, int section,
                       const struct cli_visit *here, void (*put_other)(FILE *out))
{
    struct output output;
    char *path = mem_format("%s/%s.%d", folder->path, title, section);
    for (char *c = path + strlen(folder->path) + 1; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    if (folder->status == STATUS_OK)
        folder->status = output_open(&output, path);
    if (folder->status == STATUS_OK) {
        if (here)
            put_page(output.file, here);
        else
            put_other(output.file);
        folder->status = output_close(&output, STATUS_OK);
    }
    free(path);
}

static void write_visited(void *self, const struct cli_visit *here)
{
    write_page(self, here->title, 1, here, NULL);
}

static enum status write_all(const char *path)
{
    struct manual_folder folder = {.path = path};
    struct cli_visit itself = helio_itself();
    write_visited(&folder, &itself);
    cli_group_each(itself.group, &folder, write_visited);
    write_page(&folder, "helio-" PARAMETERS_PAGE, 7, NULL, put_parameters_page);
    write_page(&folder, "helio-" WORKLOADS_PAGE, 7, NULL, put_workloads_page);
    return folder.status;
}

struct manual_arguments {
    char *title; /* "helio trace info" */
    const char *output;
};

static bool take(void *self, int found, const char *value)
{
    struct manual_arguments *arguments = self;
    if (found != CLI_WORD) {
        arguments->output = value;
        return true;
    }
    char *longer = mem_format("%s %s", arguments->title, value);
    free(arguments->title);
    arguments->title = longer;
    return true;
}

int cli_manual(int argc, char **argv)
{
    struct manual_arguments arguments = {.title = mem_text("helio")};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    enum status status = cli_status(found);
    if (found == CLI_END)
        status = arguments.output ? write_all(arguments.output) : print_page(arguments.title);
    free(arguments.title);
    return status;
}
