#ifndef HELIO_BASE_CONFIG_H
#define HELIO_BASE_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/param.h"

/* The resolved parameters of a run: one struct per component table, filled from defaults, then an experiment
 * file, then the command line; each value remembers where it came from. */
struct config;

/* All parameters at their defaults. NULL when a default is wrong, which has been reported. */
struct config *config_open(const struct param_table *const *tables, size_t count);
void config_close(struct config *config);
/* The array of tables that the config was made with has grown to `count`: the new ones' parameters, at their
 * defaults. False, reported: a default is wrong. */
bool config_extend(struct config *config, size_t count);
/* Another one with the same values and origins, to be changed apart. NULL as above. */
struct config *config_copy(const struct config *config);

/* An experiment file: YAML in UTF-8, at most 1 MiB. Nested maps follow the dots of parameter names ("hockney:
 * {latency: 8 us}"), whole names work as keys too, and a list stands for its items joined by commas where a
 * parameter takes text. Unknown and duplicate keys, wrong values, bare numbers for quantities, and what an
 * experiment file does without (aliases, merge keys, tags, further documents) are reported with file, line,
 * column, source line and what would be right; all of a file's errors up to the twentieth, not just the
 * first. The good values of a file with errors have been taken. */
enum status config_read_file(struct config *config, const char *path);
enum status config_read_text(struct config *config, const char *name, const char *text, size_t length);

/* What stands in an experiment file beside parameters, as it is written there: a scalar's text ("" =
 * nothing), the items of a list, or those of a map, each with its key. */
struct config_node {
    enum config_node_kind { CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP } kind;
    const char *key, *text;
    size_t key_offset, key_span, offset, span; /* where they stand, for config_node_error */
    struct config_node *items;
    size_t count;
};

/* Who reads what stands under a key that is no parameter. The node is gone after the call. */
struct config_reader;
struct config_section {
    const char *name; /* the key, at the top of the file */
    void (*read)(void *self, struct config_reader *reader, const struct config_node *node);
};
enum status config_read_file_with(struct config *config, const char *path,
                                  const struct config_section *sections, size_t section_count, void *self);
enum status config_read_text_with(struct config *config, const char *name, const char *text, size_t length,
                                  const struct config_section *sections, size_t section_count, void *self);

/* Reads what stands under one key of the file, before there is a config, and nothing else. What is wrong with
 * the file is not reported, since reading the parameters does so later. */
void config_scan_file(const char *path, const struct config_section *section, void *self);
void config_scan_text(const char *name, const char *text, size_t length, const struct config_section *section,
                      void *self);

/* For sections: report what is wrong with the node, or with its key. The file is wrong then. */
void config_node_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void config_key_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For sections: whether `name`, the node's key or part of it, is a parameter, or a map of parameters. */
bool config_reader_knows(const struct config_reader *reader, const char *name);
bool config_reader_knows_group(const struct config_reader *reader, const char *name);
/* The nearest parameter, for "did you mean"; NULL where none is near. */
const char *config_reader_nearest(const struct config_reader *reader, const char *name);
/* For sections: the node's text as a value of the parameter `name`, in canonical form and in `texts`. NULL,
 * reported: it is none. */
const char *config_node_value(struct config_reader *reader, const char *name, const struct config_node *node,
                              struct arena *texts);

/* For sections: where the node's value stands, "sweep.yaml:3", as config_each says it; in `texts`. */
const char *config_node_origin(const struct config_reader *reader, const struct config_node *node,
                               struct arena *texts);

/* "hockney.latency=8us", as given to --set; errors have the place --set:1:column. */
enum status config_set(struct config *config, const char *text);
/* One parameter by name; `origin` names where the value came from ("--fabric"). */
enum status config_assign(struct config *config, const char *name, const char *value, const char *origin);

/* For readers of other kinds of files: the same, but what is wrong with the value is handed back, to be
 * reported where it stands there. There must be a parameter of that name. */
bool config_try(struct config *config, const char *name, const char *value, const char *origin,
                struct param_problem *problem);

/* The component's struct; `table` must be one the config was made with. */
const void *config_of(const struct config *config, const struct param_table *table);

/* One parameter by its full name, for components that do not know whose it is: its field in the component's
 * struct, and its value as text (NULL: none). NULL where no table declares it. */
const void *config_field(const struct config *config, const char *name);
const char *config_text(const struct config *config, const char *name);

/* Every parameter in table order, for manifests: its value in canonical form (NULL: none) and where that came
 * from
 * ("default", "demo.yaml:3", "--set"). */
void config_each(const struct config *config, void *self,
                 void (*visit)(void *self, const struct param *param, const char *value, const char *origin));

/* Of one parameter that there is: where its value came from. */
const char *config_origin(const struct config *config, const char *name);

/* `helio params [filter]`: an experiment file that sets every parameter to its default, each commented with
 * its doc, bounds and choices. A filter keeps the names that contain it; returns how many there were. */
size_t config_print_manual(const struct param_table *const *tables, size_t count, const char *filter,
                           FILE *out);

#endif
