#ifndef HELIO_MACHINE_MACHINE_H
#define HELIO_MACHINE_MACHINE_H

#include <stddef.h>

#include "base/config.h"
#include "base/embedded.h"
#include "base/mem.h"
#include "base/status.h"
#include "fabric/machine.h"

/* Machines as files. A machine is a fragment of an experiment file: it sets parameters, and has five
 * sections of its own, `name`, `doc`, `sources`, `measured` and `system`. docs/machines.md
 *
 *     file.c    reads a machine file, or a preset: machines/NAME.yaml, which is in the program
 *     apply.c   gives an experiment the machine's values, and lets each fabric derive its own
 *     check.c   what is wrong with a machine file beside its syntax
 *     edit.c    a machine file with other values and another host model
 */

/* The presets, machines/NAME.yaml, in alphabetical order. Ends with path NULL. */
extern const struct embedded_file machine_files[];

/* The same presets as lists of their values, which cmake/machine-values.cmake makes of the files: a run on a
 * preset reads no YAML. Lists end with NULL. */
struct machine_value {
    const char *param, *value, *origin;
};
struct machine_preset {
    const char *name; /* "infiniband-ndr" */
    const struct machine_value *values;
};
extern const struct machine_preset machine_presets[];

struct machine_source {
    const char *param, *text; /* where the value of the parameter comes from */
};

/* What was measured and is no parameter; nothing in the program uses it. */
struct machine_measured {
    const char *name, *text;
};

struct machine {
    const char *given;     /* as the user named it */
    const char *file;      /* the label of its places: "machines/infiniband-ndr.yaml" */
    const char *name;      /* NULL: the file has none */
    const char *doc;       /* NULL: likewise */
    struct config *config; /* the values of the file; all others have the origin "default" */
    struct machine_source *sources;
    size_t source_count, source_capacity;
    const char *system_origin; /* of its section system, a host model; NULL: it has none */
    struct machine_measured *measured;
    size_t measured_count, measured_capacity;
    struct arena texts;
};

/* Reads the machine of that name or path. `like` has the tables of parameters that it may set.
 * STATUS_BAD_INPUT, reported: there is no such machine, or its file is wrong. On STATUS_OK the caller closes
 * it. */
enum status machine_open(struct machine *machine, const char *given, const struct config *like);
/* The same of a text, which is called `file` in messages. */
enum status machine_open_text(struct machine *machine, const char *file, const char *text, size_t length,
                              const struct config *like);
void machine_close(struct machine *machine);

/* NULL: there is no preset of that name. */
const struct machine_preset *machine_preset(const char *name);
const struct embedded_file *machine_preset_file(const struct machine_preset *preset);
const char *machine_nearest(const char *name); /* a preset that may be meant; NULL: none is near */

/* Gives `config` the values of the machine for all parameters that have their defaults, and lets each fabric
 * derive its own parameters. `given` may not be MACHINE_AS_PUBLISHED. `tell` as in struct derivation. */
enum status machine_apply(const struct machine *machine, struct config *config,
                          void (*tell)(void *self, const struct derived *derived), void *self);

/* The same for the machine of that name or path. */
enum status machine_apply_named(const char *given, struct config *config);

/* Where the value of a parameter comes from; NULL: the file does not say. */
const char *machine_source_of(const struct machine *machine, const char *param);

/* Whether every number has a source, every source a number, and a rate is there, from which fabrics derive
 * theirs. Reports all that is wrong. */
enum status machine_check(const struct machine *machine);

/* A value that a machine file is to have, with its source. */
struct machine_change {
    const char *param, *value; /* value: NULL if the file gives it in another way */
    const char *source;
};

/* The text of a machine file with these values in place of its own, and the text of a system file as its
 * section `system`. All other lines stay. To be freed. */
char *machine_edit(const char *text, const struct machine_change *changes, size_t count, const char *system,
                   size_t *edited_length);
/* Whether the edited text is the machine that is meant: one that is not written line by line is not.
 * STATUS_BAD_INPUT, reported. */
enum status machine_verify(const char *name, const char *text, size_t length,
                           const struct machine_change *changes, size_t count, const struct config *like);

/* A machine that is given by a path: struct param, find_path. */
bool machine_find_path(const char *bytes, size_t from, struct param_path *path);

#endif
