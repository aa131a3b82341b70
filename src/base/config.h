#ifndef HELIO_BASE_CONFIG_H
#define HELIO_BASE_CONFIG_H

#include <stdio.h>

#include "base/param.h"

/* The resolved parameters of a run: one struct per component table, filled from defaults, then an experiment
 * file, then the command line; each value remembers where it came from. */
struct config;

/* All parameters at their defaults. NULL when a default is wrong, which has been reported. */
struct config *config_new(const struct param_table *const *tables, size_t count);
void config_free(struct config *config);
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

/* "hockney.latency=8us", as given to --set; errors have the place --set:1:column. */
enum status config_set(struct config *config, const char *text);
/* One parameter by name; `origin` names where the value came from ("--fabric"). */
enum status config_assign(struct config *config, const char *name, const char *value, const char *origin);

/* The component's struct; `table` must be one the config was made with. */
const void *config_of(const struct config *config, const struct param_table *table);

/* Every parameter in table order, for manifests: its value in canonical form (NULL: none) and where that came
 * from
 * ("default", "demo.yaml:3", "--set"). */
void config_each(const struct config *config, void *self,
                 void (*visit)(void *self, const struct param *param, const char *value, const char *origin));

/* `helio params [filter]`: an experiment file that sets every parameter to its default, each commented with
 * its doc, bounds and choices. A filter keeps the names that contain it; returns how many there were. */
size_t config_print_manual(const struct param_table *const *tables, size_t count, const char *filter,
                           FILE *out);

#endif
