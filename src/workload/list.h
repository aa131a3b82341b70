#ifndef HELIO_WORKLOAD_LIST_H
#define HELIO_WORKLOAD_LIST_H

#include "workload/workload.h"

extern const struct workload pingpong_workload;
extern const struct workload dissemination_workload;
extern const struct workload alltoall_workload;
extern const struct workload ring_bcast_workload;
extern const struct workload ring_reduce_workload;
extern const struct workload ring_allreduce_workload;
extern const struct workload pattern_workload;
extern const struct workload npb_bt_workload;
extern const struct workload npb_cg_workload;
extern const struct workload npb_ep_workload;
extern const struct workload npb_ft_workload;
extern const struct workload npb_is_workload;
extern const struct workload npb_lu_workload;
extern const struct workload npb_mg_workload;
extern const struct workload npb_sp_workload;
extern const struct workload uniform_workload;
extern const struct workload permutation_workload;
extern const struct workload tornado_workload;
extern const struct workload bitcomplement_workload;
extern const struct workload hotspot_workload;
extern const struct workload neighbour_workload;

#endif
