#ifndef HELIO_BASE_PARAM_H
#define HELIO_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/time.h"

/* Parameters. Each component declares its parameters once, in a table beside the code that uses them. A
 * default is a text *with its unit*. The reader of experiment files, --set, `helio params`, the manual and
 * the manifest use these tables. */

enum param_type {
    PARAM_TIME,   /* ps_t: "8 us" */
    PARAM_RATE,   /* uint64_t bytes per second: "12.5 GB/s", "100 Gb/s" */
    PARAM_FLOPS,  /* uint64_t operations per second: "12 Gflop/s" */
    PARAM_SIZE,   /* uint64_t bytes: "64 KiB" */
    PARAM_COUNT,  /* uint64_t, no unit */
    PARAM_NUMBER, /* double, no unit, or in percent */
    PARAM_BOOL,   /* bool: true, false */
    PARAM_CHOICE, /* int: index into choices */
    PARAM_TEXT, /* const char *, any bytes, given in their text form (base/bytes.h); NULL when the default is
                   NULL */
    PARAM_CUSTOM, /* what parse() stores: a copy of its bytes has the same value */
};

/* What is wrong with a value: the text behind "error: ", and the byte of the value at which the problem
 * starts. The caller reports it with its place. */
struct param_problem {
    char text[512];
    uint32_t at;
};

/* Fills the problem; returns false. */
bool param_fail(struct param_problem *problem, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A path in the bytes of a value. */
struct param_path {
    size_t at, length;
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
    /* A text that is a path, or has paths in it: finds the first one in the bytes from `from` on. False:
     * there is none. NULL = such texts have no paths. */
    bool (*find_path)(const char *bytes, size_t from, struct param_path *path);
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

/* Parses one value into its field, and checks its bounds. False fills *problem. Texts are copied into
 * `texts`. */
struct arena;
bool param_parse(const struct param *param, const char *text, void *field, struct arena *texts,
                 struct param_problem *problem);

/* Sets all fields of a table's struct to their defaults. False fills *problem: a default is wrong. */
bool param_defaults(const struct param_table *table, void *config, struct arena *texts,
                    struct param_problem *problem);

/* A valid value in its shortest form: "0.5 us" -> "500 ns", "65536 B" -> "64 KiB", "0010" -> "10". Other
 * texts do not change. A buffer of 64 bytes is enough for a quantity. */
const char *param_canonical(const struct param *param, const char *text, char *buffer, size_t size);

/* The same allocated in `texts`; bytes are in their text form. */
const char *param_keep(const struct param *param, const char *text, struct arena *texts);

/* A value that stands in `file`, with its paths as they are seen from the working directory: paths in a file
 * are relative to the file. The caller frees it. */
char *param_text_beside(const struct param *param, const char *text, const char *file);

/* From now on `hear` gets each path that a value of a parameter has, as it is seen from the working
 * directory: values of experiment files and of options. */
void param_hear_paths(void (*hear)(const char *path));

/* Tells the paths of a value to whom param_hear_paths() has named. */
void param_tell_paths(const struct param *param, const char *text);

/* What to say about a path of the value which is not there, although it would be if paths in a file were
 * relative to the working directory. `origin` is where the value stands, "demo.yaml:3". The caller frees it;
 * NULL: there is nothing to say. */
char *param_path_hint(const struct param *param, const char *text, const char *origin);

/* The parameter of the table that has this name; NULL: there is none. */
const struct param *param_find(const struct param_table *table, const char *name);

/* For find_path: the whole value is a path. */
bool param_find_whole(const char *bytes, size_t from, struct param_path *path);

/* Checks a text as param_parse does, without a struct for it. `table` has the parameter. Returns the text in
 * canonical form, allocated in `texts`. NULL fills *problem: it is not a value of the parameter. */
const char *param_check(const struct param_table *table, const struct param *param, const char *text,
                        struct arena *texts, struct param_problem *problem);

/* Values of the types up to PARAM_NUMBER, which have an order. */
union param_quantity {
    ps_t time;      /* PARAM_TIME */
    uint64_t whole; /* PARAM_RATE, _FLOPS, _SIZE, _COUNT */
    double number;  /* PARAM_NUMBER */
};
bool param_quantity_read(enum param_type type, const char *text, union param_quantity *value,
                         struct param_problem *problem);
int param_quantity_compare(enum param_type type, const union param_quantity *a,
                           const union param_quantity *b);
/* In canonical form; a buffer of 64 bytes is enough. */
const char *param_quantity_print(enum param_type type, const union param_quantity *value, char *buffer,
                                 size_t size);

/* Splits "name = value" at text[at .. end) into copies of both, without the blanks around them, and the bytes
 * at which they begin. The caller frees the copies. Without an equals sign the value is NULL. */
struct param_assignment {
    char *name, *value;
    size_t name_at, value_at;
};
void param_split(const char *text, size_t at, size_t end, struct param_assignment *assignment);

/* Parses a list of assignments such as "ranks=64,bytes=8KiB" of "alltoall:ranks=64,bytes=8KiB". `origin` is
 * the whole text, and the list starts at byte `at`. All errors are reported, with places WHAT:1:column. Sets
 * *config, which is table->size bytes and zeroed by the caller, to defaults and then to the list's values. */
enum status param_parse_list(const struct param_table *table, const char *what, const char *origin, size_t at,
                             void *config, struct arena *texts);

#endif
