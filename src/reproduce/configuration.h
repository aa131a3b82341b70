#ifndef HELIO_REPRODUCE_CONFIGURATION_H
#define HELIO_REPRODUCE_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

/* What a paper leaves open, and what is chosen for it.
 *
 * papers/NAME/unknowns.csv has a line `unknown,values,says` for each thing that the paper does not state. Its
 * name is that of a parameter, or a word that the paper's code asks for (reproduction_choice). `values` are
 * those that are possible, separated by blanks; the first holds where a configuration says nothing. The
 * value "default" of a parameter leaves the parameter alone.
 *
 * A configuration chooses a value for each unknown. It is a file of papers/NAME/ whose first line is
 * "configuration: ITS-NAME". Its other keys are `says`, a sentence, and `settings`, a map from unknowns to
 * values; a search adds `search`, with the lists `path`
 * and `changes` of what it did. A paper without such files has one configuration, the
 * first value of each unknown. */
struct unknown {
    const char *name, *says;
    const char **values;
    size_t count;
    bool is_parameter;
};

struct configuration {
    const char *name, *says;
    const char **choices; /* the value of each unknown */
    const char *settings; /* those that are parameters, as a run takes them: "photonic.injection=10 ..." */
    bool is_found;        /* by a search */
    struct found_lines {
        const char **list;
        size_t count;
    } path, changes; /* of the search: what it changed in turn; what each other value of each unknown gives */
};

struct configurations {
    struct arena texts;
    struct unknown *unknowns;
    size_t unknown_count, unknown_capacity;
    struct configuration *list; /* at least one */
    size_t count, capacity;
};

/* Reads the files of a paper. STATUS_FAILED, reported: a file is not as described above. */
enum status configurations_load(struct configurations *configurations, const char *paper);
void configurations_free(struct configurations *configurations);

/* The index of an unknown; `unknown_count`: there is none of that name. */
size_t configurations_unknown(const struct configurations *configurations, const char *name);

/* The unknown's own text of a value, which a search compares; NULL: it is none of its values. */
const char *unknown_value(const struct unknown *unknown, const char *value);

/* How many configurations are possible: one for each way to choose; SIZE_MAX: that many or more. Each has a
 * number below that, and both ways the choices are texts of the unknowns' values. */
size_t configurations_possible(const struct configurations *configurations);
size_t configurations_number(const struct configurations *configurations, const char *const *choices);
void configurations_choices(const struct configurations *configurations, size_t number, const char **choices);

/* Fills `settings` from the choices, in the arena of the configurations. */
void configuration_settle(struct configurations *configurations, struct configuration *configuration);

#endif
