#include "workload/list.h"

#include <string.h>

#include "base/diag.h"

const struct workload *workloads[WORKLOADS_LIMIT + 1] = {
#define WORKLOAD(name) &name##_workload,
#include "workload/workloads.def"
#undef WORKLOAD
};

const struct workload *workload_find(const char *name, size_t length)
{
    for (size_t i = 0; workloads[i]; i++)
        if (strlen(workloads[i]->name) == length && memcmp(workloads[i]->name, name, length) == 0)
            return workloads[i];
    return NULL;
}

bool workload_name_is_free(const char *name)
{
    size_t length = strlen(name);
    if (workload_find(name, length)) {
        diag_error("there is a workload '%s' already", name);
        return false;
    }
    for (size_t i = 0; workloads[i]; i++)
        if (strncmp(workloads[i]->name, name, length) == 0 && workloads[i]->name[length] == ':') {
            diag_error("workload '%s' cannot be added: '%s' begins with that name", name, workloads[i]->name);
            return false;
        }
    return true;
}

enum status workload_add(const struct workload *workload)
{
    size_t count = 0;
    while (workloads[count])
        count++;
    if (!workload_name_is_free(workload->name))
        return STATUS_BAD_INPUT;
    if (count == WORKLOADS_LIMIT) {
        diag_error("workload '%s' cannot be added: there are %d already", workload->name, WORKLOADS_LIMIT);
        return STATUS_BAD_INPUT;
    }
    workloads[count] = workload;
    return STATUS_OK;
}
