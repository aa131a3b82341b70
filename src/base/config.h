#ifndef HELIO_BASE_CONFIG_H
#define HELIO_BASE_CONFIG_H

#include <stdio.h>

#include "base/param.h"

/* The resolved parameters of a run: one struct per component table, filled from defaults, then an experiment
 * file, then --set; each value remembers where it came from. */
struct config;

struct config *config_new(const struct param_table *const *tables, size_t count);
void config_free(struct config *config);

/* An experiment file. Nested maps follow the dots of parameter names; a list of scalars is joined by commas.
 * Unknown and duplicate keys, wrong values and bare numbers for quantities are reported with file, line,
 * column, source line and what would be right; all of a file's errors are reported, not just the first. */
enum status config_read_file(struct config *config, const char *path);
enum status config_read_text(struct config *config, const char *name, const char *text, size_t length);

/* "hockney.latency=8us", as given on the command line. */
enum status config_set(struct config *config, const char *assignment);
/* The same with the parts apart; `origin` names where the value came from ("--fabric"). */
enum status config_assign(struct config *config, const char *name, const char *value, const char *origin);

/* The component's struct; `table` must be one the config was made with. */
const void *config_of(const struct config *config, const struct param_table *table);

/* The value as text (canonical), and whether it differs from the default's source. NULL for an unknown name.
 */
const char *config_text(const struct config *config, const char *name, char *buffer, size_t size);
bool config_is_default(const struct config *config, const char *name);

/* Every parameter in table order, for manifests: calls visit(self, name, canonical value, origin). */
void config_each(const struct config *config, void *self,
                 void (*visit)(void *self, const struct param *param, const char *value, const char *origin));

/* `helio params [filter]`: an editable YAML file, each parameter commented with its doc, default, bounds and
 * choices. A filter keeps names that contain it; returns how many were printed. */
size_t config_print_manual(const struct param_table *const *tables, size_t count, const char *filter,
                           FILE *out);

#endif
