#ifndef HELIO_BASE_CONFIG_PARTS_H
#define HELIO_BASE_CONFIG_PARTS_H

/* What config.c and the reader of experiment files share. */

#include "base/config.h"
#include "base/mem.h"

struct value {
    const struct param *param;
    void *field;
    const char *text;   /* canonical; NULL = none */
    const char *origin; /* "default", "demo.yaml:3", "--set" */
    bool read;          /* by the file being read: it may say so once */
};

struct config {
    const struct param_table *const *tables;
    size_t table_count;
    void **structs;
    struct value *values; /* of all tables, in their order */
    size_t value_count;
    struct arena texts;
};

struct value *config_find(const struct config *config, const char *name); /* NULL when there is none */
const char *config_nearest(const struct config *config, const char *name);
bool config_put(struct config *config, struct value *value, const char *text, const char *origin,
                struct param_problem *problem);

#endif
