#ifndef HELIO_WORKLOAD_LIST_H
#define HELIO_WORKLOAD_LIST_H

#include "workload/workload.h"

/* The workloads of workloads.def, each defined in its file. */
#define WORKLOAD(name) extern const struct workload name##_workload;
#include "workload/workloads.def"
#undef WORKLOAD

#endif
