#include "cli/coll_algorithms.h"

#include <string.h>

#include "base/diag.h"
#include "coll/leaders_vector.h"

bool coll_kind_read(const char *text, enum coll_kind *kind)
{
    const char *names[COLL_KINDS];
    for (int i = 0; i < COLL_KINDS; i++) {
        names[i] = coll_kind_name((enum coll_kind)i);
        *kind = (enum coll_kind)i;
        if (strcmp(names[i], text) == 0 && coll_default(*kind))
            return true;
    }
    diag_error("--op: '%s' is not a collective with algorithms%s", text,
               diag_did_you_mean(diag_nearest_of(text, names, COLL_KINDS)));
    return false;
}

bool coll_function_read(const char *text, enum coll_kind *kind)
{
    const char *name = strcmp(text, "reduce_scatterv") == 0 ? "reduce_scatter" : text;
    return coll_kind_read(strcmp(text, "alltoallw") == 0 ? "alltoallv" : name, kind);
}

const struct coll_algorithm *coll_kind_algorithm_at(enum coll_kind kind, size_t index)
{
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (coll_algorithms[i]->kind == kind && index-- == 0)
            return coll_algorithms[i];
    return NULL;
}

const struct coll_algorithm *coll_planned_at(enum coll_kind kind, size_t index)
{
    size_t listed = 0;
    while (coll_kind_algorithm_at(kind, listed))
        listed++;
    if (index < listed)
        return coll_kind_algorithm_at(kind, index);
    return index == listed ? coll_leaders_vector(kind) : NULL;
}

static const char *name_at(const void *kind, size_t index)
{
    return coll_planned_at(*(const enum coll_kind *)kind, index)->name;
}

static void report_unknown(enum coll_kind kind, const char *name, size_t count)
{
    diag_error("'%s' is not an algorithm of %s%s", name, coll_kind_name(kind),
               diag_did_you_mean(diag_nearest(name, &kind, count, name_at)));
}

const struct coll_algorithm *coll_kind_algorithm(enum coll_kind kind, const char *name)
{
    const struct coll_algorithm *found = coll_find(kind, name);
    size_t count = 0;
    while (coll_kind_algorithm_at(kind, count))
        count++;
    if (!found)
        report_unknown(kind, name, count);
    return found;
}

const struct coll_algorithm *coll_planned(enum coll_kind kind, const char *name)
{
    const struct coll_algorithm *algorithm;
    size_t count = 0;
    for (; (algorithm = coll_planned_at(kind, count)); count++)
        if (strcmp(algorithm->name, name) == 0)
            return algorithm;
    report_unknown(kind, name, count);
    return NULL;
}
