#ifndef HELIO_BASE_PARAM_H
#define HELIO_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

/* Parameters. Each component declares its own once, in a table beside the code that uses them, with the
 * default as text *with its unit*. From the tables come the YAML reader, --set, `helio params`, the manual
 * and the manifest. */

enum param_type {
    PARAM_TIME,   /* ps_t: "8 us" */
    PARAM_RATE,   /* uint64_t bytes per second: "12.5 GB/s", "100 Gb/s" */
    PARAM_FLOPS,  /* uint64_t operations per second: "12 Gflop/s" */
    PARAM_SIZE,   /* uint64_t bytes: "64 KiB" */
    PARAM_COUNT,  /* uint64_t, no unit */
    PARAM_NUMBER, /* double, no unit */
    PARAM_BOOL,   /* bool: true, false */
    PARAM_CHOICE, /* int: index into choices */
    PARAM_TEXT,   /* const char *; NULL when the default is NULL */
    PARAM_CUSTOM, /* whatever parse() makes of it */
};

/* What is wrong with a value, for the caller to report at its place: the sentence behind "error: ", and the
 * byte of the value's text where it starts. */
struct param_problem {
    char text[512];
    uint32_t at;
};

struct param {
    const char *name; /* full path: "hockney.latency" */
    enum param_type type;
    size_t offset;            /* of the field in the component's struct */
    const char *default_text; /* the default, as a user would write it */
    const char *doc;          /* one line */
    const char *min;          /* inclusive bounds, written like a value; NULL = none */
    const char *max;
    const char *const
        *choices; /* PARAM_CHOICE: names, NULL-terminated; PARAM_CUSTOM: may list them for the manual */
    /* PARAM_CUSTOM: sets *field and returns true, or fills *problem. `self` is this table entry. */
    bool (*parse)(const struct param *self, const char *text, void *field, struct param_problem *problem);
};

struct param_table {
    const char *component; /* "hockney" */
    const char *doc;       /* one line above its parameters in `helio params` */
    const struct param *params;
    size_t count;
    size_t size; /* of the component's struct */
};

#define PARAM_TABLE(table_name, component_name, struct_type, doc_text, ...)                                  \
    static const struct param table_name##_params[] = {__VA_ARGS__};                                         \
    const struct param_table table_name = {                                                                  \
        .component = (component_name),                                                                       \
        .doc = (doc_text),                                                                                   \
        .params = table_name##_params,                                                                       \
        .count = sizeof table_name##_params / sizeof *table_name##_params,                                   \
        .size = sizeof(struct_type),                                                                         \
    }

/* One value into its field, bounds checked; false fills *problem. Texts are copied into `texts`. */
struct arena;
bool param_parse(const struct param *param, const char *text, void *field, struct arena *texts,
                 struct param_problem *problem);

/* All defaults of a table into its struct; a default that is itself wrong fills *problem. */
bool param_defaults(const struct param_table *table, void *config, struct arena *texts,
                    struct param_problem *problem);

/* A valid value in its shortest form ("0.5 us" -> "500 ns", "65536 B" -> "64 KiB", "0010" -> "10"); words
 * stay as they are. 64 bytes hold any quantity. */
const char *param_canonical(const struct param *param, const char *text, char *buffer, size_t size);

/* "name = value" at text[at .. end): copies of both, to be freed, without the blanks around them, and where
 * in the text they begin. Without an equals sign the value is NULL. */
struct param_assignment {
    char *name, *value;
    size_t name_at, value_at;
};
void param_split(const char *text, size_t at, size_t end, struct param_assignment *assignment);

/* Short texts that set a struct: "alltoall:ranks=64,bytes=8KiB" minus its head. `origin` is the whole text
 * and `at` the byte where the list starts, for error places ("WHAT:1:column"); all errors are reported, not
 * just the first. Fills *config (table->size bytes, zeroed by the caller; defaults first). */
enum status param_parse_list(const struct param_table *table, const char *what, const char *origin, size_t at,
                             void *config, struct arena *texts);

#endif
