#ifndef HELIO_SWEEP_POINT_H
#define HELIO_SWEEP_POINT_H

#include <stddef.h>

#include "base/config.h"

/* A point of a sweep: parameters that lead to one run. */

struct sweep_setting {
    const char *name, *value; /* "fmu.count", "16": as given to --set */
    const char *origin;       /* where the file says it, "sweep.yaml:3", for errors; NULL = not from a file */
};

/* Points share their base, which is not changed. */
struct sweep_point {
    const struct config *base;
    const struct sweep_setting *settings; /* on top of it */
    size_t count;                         /* of settings */
    const char *fabric;                   /* one name */
};

/* The point's parameters: those of the base, then its settings and its fabric. The caller closes them. NULL:
 * one of them is wrong, and has been reported. */
struct config *sweep_config(const struct sweep_point *point);

/* "fmu, fmu.count=16, seed=2"; the caller frees it. */
char *sweep_label(const struct sweep_point *point);

#endif
