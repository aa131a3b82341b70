#ifndef HELIO_FABRIC_FMU_METRICS_H
#define HELIO_FABRIC_FMU_METRICS_H

#include "base/metric.h"
#include "fabric/fmu.h"

/* The metrics of FMUs, for every fabric whose statistics contain a struct fmu_statistics at byte `at`. */
#define FMU_METRIC(name, type, field, doc, at)                                                               \
    {                                                                                                        \
        name, type, (at) + offsetof(struct fmu_statistics, field), doc                                       \
    }
#define FMU_METRICS(at)                                                                                      \
    FMU_METRIC("accesses", METRIC_COUNT, accesses, "writes and reads that were served", at),                 \
        FMU_METRIC("switch_count", METRIC_COUNT, switches, "circuits set up, T_switch each", at),            \
        FMU_METRIC("coalesced_count", METRIC_COUNT, coalesced, "accesses under the switch of another", at),  \
        FMU_METRIC("queue_wait_mean_s", METRIC_RATIO, queue_wait_mean_s, "T_queue of an access, mean", at),  \
        FMU_METRIC("queue_wait_max_s", METRIC_TIME, queue_wait_max, "T_queue of an access, longest", at),    \
        FMU_METRIC("space_waits", METRIC_COUNT, space_waits, "writes that waited for room in the rings",     \
                   at),                                                                                      \
        FMU_METRIC("q_data_bytes", METRIC_BYTES, peak_q_data_bytes, "peak of Q_data of any FMU", at),        \
        FMU_METRIC("q_header_entries", METRIC_COUNT, peak_q_header_entries, "peak of Q_header of any", at),  \
        FMU_METRIC("q_data_in_bytes", METRIC_BYTES, q_data_in_bytes, "bytes that got room in a Q_data", at), \
        FMU_METRIC("q_data_out_bytes", METRIC_BYTES, q_data_out_bytes, "bytes whose room is free again",     \
                   at),                                                                                      \
        FMU_METRIC("profile_bin_s", METRIC_TIME, profile_bin, "width of the bins of the next two", at),      \
        FMU_METRIC("waiting_profile_s", METRIC_TIMES, waiting,                                               \
                   "over time: accesses that waited for an FMU x how long, in each bin", at),                \
        FMU_METRIC("connected_profile_s", METRIC_TIMES, connected,                                           \
                   "over time: connected FMUs x how long, in each bin", at),                                 \
        FMU_METRIC("busy_s", METRIC_TIMES, busy_s, "per FMU: time that it was connected", at),               \
        FMU_METRIC("writes", METRIC_COUNTS, writes, "per FMU: messages written to it", at)

#endif
