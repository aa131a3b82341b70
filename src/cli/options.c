#include "cli/options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/wrap.h"
#include "plugin/plugin.h"

enum { HELP_INDENT = 10 };

/* The names in table order, separated by commas. */
static void print_names(const struct cli_command *command, size_t option, FILE *out)
{
    struct wrap line = {.out = out, .indent = HELP_INDENT, .column = HELP_INDENT};
    fprintf(out, "%*s", HELP_INDENT, "");
    for (size_t i = 0; command->name_at(option, i); i++) {
        char *name = mem_format("%s%s", command->name_at(option, i),
                                command->name_at(option, i + 1) ? "," : ""); /* of any length: plug-ins */
        wrap_words(&line, name);
        free(name);
    }
    putc('\n', out);
}

static void print_usage(const struct cli_command *command, FILE *out)
{
    struct wrap line = {.out = out, .indent = sizeof "Usage:"};
    wrap_words(&line, "Usage:");
    wrap_words(&line, cli_title(command));
    wrap_words(&line, command->option_count ? "[OPTIONS]" : "");
    wrap_words(&line, command->words);
    fputs("\n\n", out);
}

const char *cli_title(const struct cli_command *command)
{
    static char title[64];
    snprintf(title, sizeof title, "%s%s", command->alone ? "" : "helio ", command->name);
    return title;
}

static const struct cli_command **caught;

void cli_catch_help(const struct cli_command **table)
{
    caught = table;
}

void cli_print_help(const struct cli_command *command, FILE *out)
{
    print_usage(command, out);
    wrap_text(out, 0, command->doc);
    fprintf(out, "\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct cli_option *option = &command->options[i];
        char letter[4] = {' ', ' ', ' ', '\0'};
        if (option->letter)
            letter[0] = '-', letter[1] = option->letter, letter[2] = ',';
        fprintf(out, "  %s %s%s%s\n", letter, option->name, option->value ? " " : "",
                option->value ? option->value : "");
        wrap_text(out, HELP_INDENT, option->doc);
        if (command->name_at && command->name_at(i, 0))
            print_names(command, i, out);
    }
    fprintf(out, "      --help\n          this text\n");
    if (command->print_lists || command->after)
        fputc('\n', out);
    if (command->print_lists)
        command->print_lists(out);
    if (command->after)
        wrap_text(out, 0, command->after);
}

static const char *option_name_at(const void *options, size_t index)
{
    return ((const struct cli_option *)options)[index].name;
}

/* The option that `word` (without a value behind '=') names, or -1. */
static int find_option(const struct cli_command *command, const char *word, size_t length)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct cli_option *option = &command->options[i];
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0)
            return (int)i;
        if (length == 2 && word[0] == '-' && option->letter && word[1] == option->letter)
            return (int)i;
    }
    return -1;
}

static int unknown_option(const struct cli_command *command, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    diag_error(
        "%s has no option '%s'%s", cli_title(command), name,
        diag_did_you_mean(diag_nearest(name, command->options, command->option_count, option_name_at)));
    diag_note("%s --help lists its options", cli_title(command));
    return CLI_ERROR;
}

/* False, reported: an option that takes one value has another one already. */
static bool take_value(struct cli_reader *reader, int index, const char *value)
{
    const struct cli_option *option = &reader->command->options[index];
    assert(index < CLI_OPTIONS_AT_MOST);
    const char *before = reader->given[index];
    reader->given[index] = value;
    if (!before || strstr(option->doc, CLI_REPEATS) || strcmp(before, value) == 0)
        return true;
    diag_error("option %s is given twice, as '%s' and '%s'; %s", option->name, before, value,
               strstr(option->value, "[,") ? "a list with commas gives several" : "it takes one value");
    return false;
}

/* -j4 is -j 4, and -fabric is none but --fabric with a dash too few: the length of the option's name. */
static size_t name_length(const struct cli_command *command, const char *word)
{
    const size_t length = strcspn(word, "=");
    if (length <= 2 || word[1] == '-')
        return length;
    for (size_t i = 0; i < command->option_count; i++)
        if (strlen(command->options[i].name) == length + 1 &&
            strncmp(command->options[i].name + 1, word, length) == 0)
            return length;
    const int index = find_option(command, word, 2);
    return index >= 0 && command->options[index].value ? 2 : length;
}

static int read_option(struct cli_reader *reader, const char *word, const char **value)
{
    const struct cli_command *command = reader->command;
    size_t length = name_length(command, word);
    int index = find_option(command, word, length);
    if (index < 0)
        return unknown_option(command, word, length);
    const struct cli_option *option = &command->options[index];
    *value = NULL;
    if (!option->value && word[length] == '=') {
        diag_error("option %s takes no value", option->name);
        return CLI_ERROR;
    }
    if (option->value && word[length]) {
        *value = word + length + (word[length] == '=');
    } else if (option->value) {
        if (reader->next == reader->argc) {
            diag_error("option %s needs a value: %s %s", option->name, option->name, option->value);
            return CLI_ERROR;
        }
        *value = reader->argv[reader->next++];
    }
    return *value && !take_value(reader, index, *value) ? CLI_ERROR : CLI_OPTION + index;
}

int cli_read(struct cli_reader *reader, const char **value)
{
    if (reader->next == reader->argc)
        return CLI_END;
    const char *word = reader->argv[reader->next++];
    if (!reader->only_words && strcmp(word, "--") == 0) {
        reader->only_words = 1;
        return cli_read(reader, value);
    }
    if (reader->only_words || word[0] != '-' || word[1] == '\0') {
        *value = word;
        return CLI_WORD;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        if (caught)
            *caught = reader->command;
        else
            cli_print_help(reader->command, stdout);
        return CLI_HELP;
    }
    int found = read_option(reader, word, value);
    if (found < CLI_OPTION || strcmp(reader->command->options[found - CLI_OPTION].name, "--plugin") != 0)
        return found;
    return plugin_load(*value) == STATUS_OK ? cli_read(reader, value) : CLI_ERROR;
}

int cli_read_all(const struct cli_command *command, int argc, char **argv, cli_take *take, void *self)
{
    struct cli_reader reader = {.command = command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (!take(self, found, value))
            return CLI_ERROR;
    }
    return CLI_END;
}

enum status cli_status(int found)
{
    return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
}

bool cli_take_word(const struct cli_command *command, const char **word, const char *value, const char *what)
{
    if (*word) {
        diag_error("%s takes one %s, not also '%s'", cli_title(command), what, value);
        return false;
    }
    *word = value;
    return true;
}

bool cli_take_results(const struct cli_command *command, const char **word, const char *value)
{
    if (*word) {
        diag_error("%s takes one file of results, not also '%s'; helio merge puts several together",
                   cli_title(command), value);
        return false;
    }
    *word = value;
    return true;
}
