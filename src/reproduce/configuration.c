#include "reproduce/configuration.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "reproduce/csv.h"
#include "reproduce/internal.h"
#include "reproduce/papers.h"
#include "sim/components.h"

/* ----------------------------------------------------------------- unknowns */

size_t configurations_unknown(const struct configurations *configurations, const char *name)
{
    size_t i = 0;
    while (i < configurations->unknown_count && strcmp(configurations->unknowns[i].name, name) != 0)
        i++;
    return i;
}

const char *unknown_value(const struct unknown *unknown, const char *value)
{
    for (size_t i = 0; i < unknown->count; i++)
        if (strcmp(unknown->values[i], value) == 0)
            return unknown->values[i];
    return NULL;
}

size_t configurations_possible(const struct configurations *configurations)
{
    size_t possible = 1;
    for (size_t i = 0; i < configurations->unknown_count; i++)
        if (__builtin_mul_overflow(possible, configurations->unknowns[i].count, &possible))
            return SIZE_MAX;
    return possible;
}

size_t configurations_number(const struct configurations *configurations, const char *const *choices)
{
    size_t number = 0;
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        const struct unknown *unknown = &configurations->unknowns[i];
        size_t value = 0;
        while (value + 1 < unknown->count && strcmp(unknown->values[value], choices[i]) != 0)
            value++;
        number = number * unknown->count + value;
    }
    return number;
}

void configurations_choices(const struct configurations *configurations, size_t number, const char **choices)
{
    for (size_t i = configurations->unknown_count; i-- > 0;) {
        const struct unknown *unknown = &configurations->unknowns[i];
        choices[i] = unknown->values[number % unknown->count];
        number /= unknown->count;
    }
}

static void split_values(struct arena *texts, struct unknown *unknown, const char *text)
{
    unknown->values = arena_alloc(texts, (strlen(text) / 2 + 1) * sizeof *unknown->values);
    for (const char *at = text; *(at += strspn(at, " ")); at += strcspn(at, " "))
        unknown->values[unknown->count++] = arena_text(texts, at, strcspn(at, " "));
}

static const char *take_unknown(void *self, const char *const *fields)
{
    struct configurations *configurations = self;
    struct unknown unknown = {.name = fields[0], .says = fields[2]};
    unknown.is_parameter = components_param(unknown.name) != NULL;
    split_values(&configurations->texts, &unknown, fields[1]);
    if (!*unknown.name || !unknown.count || !*unknown.says)
        return "an unknown needs a name, values, and what the paper says of it";
    if (configurations_unknown(configurations, unknown.name) < configurations->unknown_count)
        return "there is another line of this unknown";
    configurations->unknowns = mem_grow(configurations->unknowns, &configurations->unknown_capacity,
                                        configurations->unknown_count + 1, "unknowns");
    configurations->unknowns[configurations->unknown_count++] = unknown;
    return NULL;
}

static enum status read_unknowns(struct configurations *configurations, const char *paper)
{
    static const struct csv_table table = {"unknown,values,says\n", 3, take_unknown};
    char *path = mem_format("papers/%s/unknowns.csv", paper);
    const struct embedded_file *file = embedded_find(paper_files, path);
    free(path);
    return file ? csv_read(file, &table, &configurations->texts, configurations) : STATUS_OK;
}

/* ----------------------------------------------------------- configurations */

static struct configuration *add(struct configurations *configurations, const char *name, const char *says)
{
    configurations->list = mem_grow(configurations->list, &configurations->capacity,
                                    configurations->count + 1, "configurations");
    struct configuration *configuration = &configurations->list[configurations->count++];
    *configuration = (struct configuration){.name = name, .says = says};
    configuration->choices = arena_alloc(&configurations->texts, (configurations->unknown_count + 1) *
                                                                     sizeof *configuration->choices);
    for (size_t i = 0; i < configurations->unknown_count; i++)
        configuration->choices[i] = configurations->unknowns[i].values[0];
    return configuration;
}

void configuration_settle(struct configurations *configurations, struct configuration *configuration)
{
    size_t length = 1;
    for (size_t i = 0; i < configurations->unknown_count; i++)
        length += strlen(configurations->unknowns[i].name) + strlen(configuration->choices[i]) + 2;
    char *text = arena_alloc(&configurations->texts, length), *end = text;
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        const char *value = configuration->choices[i];
        if (configurations->unknowns[i].is_parameter && strcmp(value, "default") != 0)
            end += sprintf(end, "%s%s=%s", end > text ? " " : "", configurations->unknowns[i].name, value);
    }
    configuration->settings = text;
}

/* Reads the file of a configuration. */
struct configuration_file {
    struct configurations *configurations;
    struct configuration *configuration;
};

static const char *take_text(struct configuration_file *file, struct config_reader *reader,
                             const struct config_node *node)
{
    if (node->kind == CONFIG_SCALAR && *node->text)
        return arena_text(&file->configurations->texts, node->text, strlen(node->text));
    config_node_error(reader, node, "a line of text is expected here");
    return "";
}

static void read_name(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct configuration_file *file = self;
    file->configuration->name = take_text(file, reader, node);
}

static void read_says(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct configuration_file *file = self;
    file->configuration->says = take_text(file, reader, node);
}

static void read_setting(struct configuration_file *file, struct config_reader *reader,
                         const struct config_node *node)
{
    const struct configurations *configurations = file->configurations;
    size_t index = configurations_unknown(configurations, node->key);
    const char *value = take_text(file, reader, node);
    if (index == configurations->unknown_count)
        config_key_error(reader, node, "unknowns.csv has no such line");
    else if (*value && !unknown_value(&configurations->unknowns[index], value))
        config_node_error(reader, node, "unknowns.csv does not list this value");
    else
        file->configuration->choices[index] = value;
}

static void read_settings(void *self, struct config_reader *reader, const struct config_node *node)
{
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node, "settings is a map from unknowns to values");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        read_setting(self, reader, &node->items[i]);
}

static void read_lines(struct configuration_file *file, struct config_reader *reader,
                       const struct config_node *node, struct found_lines *lines)
{
    lines->list = arena_alloc(&file->configurations->texts, (node->count + 1) * sizeof *lines->list);
    for (lines->count = 0; lines->count < node->count; lines->count++)
        lines->list[lines->count] = take_text(file, reader, &node->items[lines->count]);
}

static void read_search(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct configuration_file *file = self;
    file->configuration->is_found = true;
    for (size_t i = 0; i < node->count && node->kind == CONFIG_MAP; i++)
        if (strcmp(node->items[i].key, "path") == 0)
            read_lines(file, reader, &node->items[i], &file->configuration->path);
        else if (strcmp(node->items[i].key, "changes") == 0)
            read_lines(file, reader, &node->items[i], &file->configuration->changes);
}

static enum status read_configuration(struct configurations *configurations, const struct embedded_file *file)
{
    static const struct config_section sections[] = {{"configuration", read_name},
                                                     {"says", read_says},
                                                     {"settings", read_settings},
                                                     {"search", read_search}};
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    if (!config)
        return STATUS_FAILED;
    struct configuration_file target = {configurations, add(configurations, "", "")};
    enum status status = config_read_text_with(config, file->path, file->text, file->length, sections,
                                               sizeof sections / sizeof *sections, &target);
    config_close(config);
    if (status == STATUS_OK && !*target.configuration->says) {
        diag_error("%s: says is missing: a sentence on the configuration", file->path);
        status = STATUS_FAILED;
    }
    return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static bool is_configuration_of(const struct embedded_file *file, const char *paper)
{
    static const char first[] = "configuration: ";
    size_t length = strlen(paper);
    return strncmp(file->path, "papers/", 7) == 0 && strncmp(file->path + 7, paper, length) == 0 &&
           file->path[7 + length] == '/' && file->length > sizeof first &&
           memcmp(file->text, first, sizeof first - 1) == 0;
}

enum status configurations_load(struct configurations *configurations, const char *paper)
{
    *configurations = (struct configurations){.count = 0};
    enum status status = read_unknowns(configurations, paper);
    for (const struct embedded_file *file = paper_files; file->path && status == STATUS_OK; file++)
        if (is_configuration_of(file, paper))
            status = read_configuration(configurations, file);
    if (status == STATUS_OK && !configurations->count)
        add(configurations, "text", "what the paper's text says");
    for (size_t i = 0; i < configurations->count; i++)
        configuration_settle(configurations, &configurations->list[i]);
    if (status != STATUS_OK)
        configurations_free(configurations);
    return status;
}

void configurations_free(struct configurations *configurations)
{
    free(configurations->unknowns);
    free(configurations->list);
    arena_free(&configurations->texts);
    *configurations = (struct configurations){.count = 0};
}
