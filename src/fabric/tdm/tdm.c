#include "fabric/tdm/tdm.h"

#include <stddef.h>

PARAM_TABLE(tdm_params, "tdm", struct tdm_config,
            "time-division multiplexing: what both kinds of control share",
            {.name = "tdm.slot_time",
             .type = PARAM_TIME,
             .offset = offsetof(struct tdm_config, slot_ps),
             .default_text = "1 us",
             .min = "1 ps",
             .doc = "how long one configuration of the network lasts"},
            {.name = "tdm.slot_bytes",
             .type = PARAM_SIZE,
             .offset = offsetof(struct tdm_config, slot_bytes),
             .default_text = "12500 B",
             .min = "1 B",
             .doc = "what one connection moves in a slot of its own (the default: 100 Gb/s for 1 us)"});

static const struct metric metric_list[] = {
    {"degree", METRIC_COUNT, offsetof(struct tdm_statistics, degree), "the largest multiplexing degree K"},
    {"slots", METRIC_COUNT, offsetof(struct tdm_statistics, slots), "until the last message was there"},
    {"data_slots", METRIC_COUNT_SUM, offsetof(struct tdm_statistics, data_slots),
     "of all connections, that carried data"},
    {"retransmissions", METRIC_COUNT, offsetof(struct tdm_statistics, retransmissions),
     "reservations that failed and were tried again"},
    {"reconfigurations", METRIC_COUNT, offsetof(struct tdm_statistics, reconfigurations),
     "times that the switches' registers were loaded"},
    {"hops", METRIC_COUNT, offsetof(struct tdm_statistics, hops),
     "connections that messages took, one after another"},
    {"waited_s", METRIC_TIME_SUM, offsetof(struct tdm_statistics, waited),
     "summed over messages: from submission to the first slot of data"},
    {"released_s", METRIC_TIME, offsetof(struct tdm_statistics, released),
     "when the last connection was given up"},
};

const struct metric_table tdm_metrics = {
    .metrics = metric_list,
    .count = sizeof metric_list / sizeof *metric_list,
    .size = sizeof(struct tdm_statistics),
};
