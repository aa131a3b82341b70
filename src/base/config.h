#ifndef HELIO_BASE_CONFIG_H
#define HELIO_BASE_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/param.h"

/* The parameters of a run: for each component table a struct, filled from defaults, then from an experiment
 * file, then from the command line. Each value has an origin: the place that set it. */
struct config;

/* All parameters at their defaults. NULL, reported: a default is wrong. */
struct config *config_open(const struct param_table *const *tables, size_t count);
/* The same with the tables of another config. */
struct config *config_open_like(const struct config *config);
void config_close(struct config *config);
/* Adds the parameters of further tables, at their defaults: the array of tables that the config was opened
 * with has grown to `count`. False, reported: a default is wrong. */
bool config_extend(struct config *config, size_t count);
/* A copy with the same values and origins, which is several times as fast as opening one. */
struct config *config_copy(const struct config *config);

/* Reads an experiment file: YAML in UTF-8, at most 1 MiB. Nested maps follow the dots of parameter names
 * ("hockney: {latency: 8 us}"), and full names are keys too. Paths are relative to the file. A parameter that
 * takes text can have a list, whose items are joined by commas. Errors are unknown and duplicate keys, wrong
 * values, numbers without a unit, and YAML's aliases, merge keys, tags and further documents. Each is
 * reported with file, line, column, source line and what would be right, up to the twentieth. The correct
 * values of a file with errors are set.
 */
enum status config_read_file(struct config *config, const char *path);
enum status config_read_text(struct config *config, const char *name, const char *text, size_t length);

/* Reads the map at one key of the text as if it were the file, and passes over all else. */
enum status config_read_text_under(struct config *config, const char *name, const char *text, size_t length,
                                   const char *key);

/* A value in an experiment file that is no parameter: a scalar with its text ("" = empty), or a list or a map
 * with its items. Items of a map have keys. */
struct config_node {
    enum config_node_kind { CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP } kind;
    const char *key, *text;
    size_t key_offset, key_span, offset, span; /* their places in the file, for config_node_error */
    struct config_node *items;
    size_t count;
};

/* Reads the value of a key that is no parameter. The node is valid during the call. */
struct config_reader;
struct config_section {
    const char *name; /* the key, at the top of the file; NULL, the last one: any other key */
    void (*read)(void *self, struct config_reader *reader, const struct config_node *node);
};
enum status config_read_text_with(struct config *config, const char *name, const char *text, size_t length,
                                  const struct config_section *sections, size_t section_count, void *self);

/* The bytes of an experiment file, to be freed, for those who read it twice: a pipe gives them once. They are
 * at most one more than a file may have. NULL, reported: it cannot be read, or is a file of another kind. */
char *config_load_file(const char *path, size_t *length);

/* Reads only the value of one key of the text of a file. It needs no config, and reports no errors: reading
 * the parameters reports them later. */
void config_scan_text(const char *name, const char *text, size_t length, const struct config_section *section,
                      void *self);

/* For sections: reports what is wrong with the node, or with its key. Reading the file then fails. */
void config_node_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void config_key_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For sections: how many errors have been reported in this file so far. */
size_t config_reader_errors(const struct config_reader *reader);
/* For sections: whether `name` is a map of parameters. */
bool config_reader_knows_group(const struct config_reader *reader, const char *name);
/* The parameter with the most similar name, for "did you mean"; NULL: none is similar. */
const char *config_reader_nearest(const struct config_reader *reader, const char *name);
/* For sections: the parameter of this name, and its table. NULL: there is none. */
const struct param *config_reader_param(const struct config_reader *reader, const char *name,
                                        const struct param_table **table);
/* For sections: the node's text, with its paths as they are seen from the working directory. The caller frees
 * it. */
char *config_node_text(const struct config_reader *reader, const struct config_node *node,
                       const struct param *param);
/* For sections: reports a problem with the node's text, at its place. */
void config_node_problem(struct config_reader *reader, const struct config_node *node,
                         const struct param_problem *problem);
/* For sections: the place of the node's key, allocated in `texts`. */
struct diag_place config_key_place(const struct config_reader *reader, const struct config_node *node,
                                   struct arena *texts);

/* For sections: the origin of the node's value, such as "sweep.yaml:3", allocated in `texts`. */
const char *config_node_origin(const struct config_reader *reader, const struct config_node *node,
                               struct arena *texts);

/* The values are those of a run that has been made: nothing is to be derived from them any more. Copies of
 * the config have the mark too. */
void config_finish(struct config *config);
bool config_is_finished(const struct config *config);

/* Sets a parameter by "hockney.latency=8us", as given to --set. Errors have the place --set:1:column. */
enum status config_set(struct config *config, const char *text);
/* Sets one parameter by name. `origin` is what set it, such as "--fabric". */
enum status config_assign(struct config *config, const char *name, const char *value, const char *origin);

/* The same for readers of other files, which report a wrong value themselves: false, and *problem says what
 * is wrong. The parameter has to exist. */
bool config_try(struct config *config, const char *name, const char *value, const char *origin,
                struct param_problem *problem);

/* The component's struct. `table` has to be one of the config's tables. */
const void *config_of(const struct config *config, const struct param_table *table);

/* One parameter by its full name, for components that do not know whose it is: its field in the component's
 * struct, and its value as text (NULL: none). NULL where no table declares it. */
const void *config_field(const struct config *config, const char *name);
const char *config_text(const struct config *config, const char *name);

/* The parameter with the most similar name, for "did you mean"; NULL: none is similar. */
const char *config_nearest(const struct config *config, const char *name);

/* Which tables somebody has read, by one of the three functions above, since the config was opened or its
 * reads were forgotten: so a component's parameters are found without a list of them. */
void config_forget_reads(const struct config *config);
bool config_was_read(const struct config *config, const struct param_table *table);

/* Visits every parameter in the order of the tables, with its value in canonical form (NULL: none) and its
 * origin
 * ("default", "demo.yaml:3", "--set"). */
void config_each(const struct config *config, void *self,
                 void (*visit)(void *self, const struct param *param, const char *value, const char *origin));

/* Whether a parameter's value is its default, whatever has set it. The parameter has to exist. */
bool config_has_default(const struct config *config, const char *name);

/* After an error about the value of a parameter, which has to exist: notes where a file sets it, and whether
 * a path is meant that is relative to the working directory. Nothing if no file sets it. */
void config_note_origin(const struct config *config, const char *name);

/* The origin of a parameter's value. The parameter has to exist. */
const char *config_origin(const struct config *config, const char *name);

/* Values that parameters get from something that a file names, such as a machine. A file that also set them
 * would put them out of force. */
struct config_given {
    /* The value, and a comment that says where it comes from, which the caller frees. False: the parameter
     * has its default. */
    bool (*find)(void *self, const struct param *param, const char **value, char **comment);
    void *self;
};

/* `helio params [filter]`: prints an experiment file that sets every parameter to its default, with its doc,
 * bounds and choices as comments. Parameters that get their value elsewhere are comments, too (`given`; NULL:
 * none do). A filter selects the names that contain it. Returns the number of parameters. */
size_t config_print_manual(const struct param_table *const *tables, size_t count, const char *filter,
                           const struct config_given *given, FILE *out);

#endif
