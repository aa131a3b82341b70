#include <string.h>

#include "base/diag.h"
#include "coll/algorithms.h"

const struct coll_algorithm *coll_algorithms[COLL_ALGORITHMS_LIMIT + 1] = {
#define COLL_ALGORITHM(name) &coll_##name,
#include "coll/algorithms.def"
#undef COLL_ALGORITHM
};

const struct coll_algorithm *coll_find(enum coll_kind kind, const char *name)
{
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (coll_algorithms[i]->kind == kind && strcmp(coll_algorithms[i]->name, name) == 0)
            return coll_algorithms[i];
    return NULL;
}

const struct coll_algorithm *coll_default(enum coll_kind kind)
{
    size_t i = 0;
    while (coll_algorithms[i] && coll_algorithms[i]->kind != kind)
        i++;
    return coll_algorithms[i];
}

enum status coll_add(const struct coll_algorithm *algorithm)
{
    size_t count = 0;
    while (coll_algorithms[count])
        count++;
    if (coll_find(algorithm->kind, algorithm->name)) {
        diag_error("there is an algorithm '%s' of %s already", algorithm->name,
                   coll_kind_name(algorithm->kind));
        return STATUS_BAD_INPUT;
    }
    if (count == COLL_ALGORITHMS_LIMIT) {
        diag_error("algorithm '%s' of %s cannot be added: there are %d already", algorithm->name,
                   coll_kind_name(algorithm->kind), COLL_ALGORITHMS_LIMIT);
        return STATUS_BAD_INPUT;
    }
    coll_algorithms[count] = algorithm;
    return STATUS_OK;
}
