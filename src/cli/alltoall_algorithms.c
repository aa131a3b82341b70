#include "cli/alltoall_algorithms.h"

#include "base/diag.h"

const struct coll_algorithm *alltoall_algorithm_at(size_t index)
{
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (coll_algorithms[i]->kind == COLL_ALLTOALL && index-- == 0)
            return coll_algorithms[i];
    return NULL;
}

static const char *name_at(const void *list, size_t index)
{
    (void)list;
    return alltoall_algorithm_at(index)->name;
}

const struct coll_algorithm *alltoall_algorithm(const char *name)
{
    const struct coll_algorithm *found = coll_find(COLL_ALLTOALL, name);
    size_t count = 0;
    while (alltoall_algorithm_at(count))
        count++;
    if (!found)
        diag_error("'%s' is not an algorithm of alltoall%s", name,
                   diag_did_you_mean(diag_nearest(name, NULL, count, name_at)));
    return found;
}
