#ifndef HELIO_BASE_CONFIG_INTERNAL_H
#define HELIO_BASE_CONFIG_INTERNAL_H

/* What config.c, the reader of experiment files and the writer of the manual share. */

#include "base/config.h"
#include "base/mem.h"

struct config_value {
    const struct param *param;
    void *field;
    const char *text;   /* canonical; NULL = none */
    const char *origin; /* "default", "demo.yaml:3", "--set" */
    bool read;          /* the file that is being read has set it; a second time is an error */
};

/* The part of parameters' names before a dot, such as "hockney": a map in an experiment file. */
struct config_group {
    const char *name;    /* "hockney" */
    const char *example; /* its first parameter */
    bool read;
};

struct config {
    const struct param_table *const *tables;
    size_t table_count;
    void **structs;
    struct config_value *values; /* of all tables, in their order */
    size_t value_count;
    struct config_group *groups;
    size_t group_count, group_capacity;
    struct arena texts;
    bool is_finished; /* config_finish */
    bool *was_read;   /* of each table: somebody has asked for its values */
};

/* NULL: there is none. */
struct config_value *config_find(const struct config *config, const char *name);
struct config_group *config_find_group(const struct config *config, const char *name);
const char *config_nearest_group(const struct config *config, const char *name);

/* Sets a value from its text. False fills *problem and keeps the old value. */
bool config_put(struct config *config, struct config_value *value, const char *text, const char *origin,
                struct param_problem *problem);

/* The table that has the parameter. */
const struct param_table *config_table_of(const struct config *config, const struct param *param);

#endif
