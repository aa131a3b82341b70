#include <stddef.h>

#include "cost/cost.h"

#define COST(name_text, type_of, field, default_value, doc_text, ...)                                        \
    {                                                                                                        \
        .name = "cost." name_text, .type = type_of, .offset = offsetof(struct cost_config, field),           \
        .default_text = default_value, .doc = doc_text, __VA_ARGS__                                          \
    }
#define COST_NUMBER(name_text, field, default_value, doc_text)                                               \
    COST(name_text, PARAM_NUMBER, field, default_value, doc_text, .min = "0", .max = "1e12")

/* The sources of the defaults are in docs/models/cost.md. */
PARAM_TABLE(
    cost_params, "cost", struct cost_config,
    "prices in US dollars and powers of what networks are built of (helio cost)",
    COST_NUMBER("nic", nic, "0", "of a NIC of any rate; 0: cost.nic_gbps counts"),
    COST_NUMBER("nic_gbps", nic_per_gbps, "5.47", "of a NIC for each Gb/s, if cost.nic is 0"),
    COST_NUMBER("nic_watts", nic_watts, "0", "of a NIC of any rate; 0: cost.nic_power counts"),
    COST_NUMBER("nic_power", nic_pj_per_bit, "62.25",
                "pJ per bit that a NIC can move each way, if cost.nic_watts is 0"),
    COST_NUMBER("switch", switch_chassis, "0", "of a packet switch without its ports"),
    COST_NUMBER("switch_port", switch_port, "223", "of a port of a packet switch, at cost.switch_rate"),
    COST("switch_rate", PARAM_RATE, switch_rate_bytes_per_s, "400 Gb/s",
         "the rate of a port that costs cost.switch_port; others cost in proportion", .min = "1 Gb/s"),
    COST_NUMBER("switch_power", switch_pj_per_bit, "29.2",
                "pJ per bit that the ports of a packet switch can move each way"),
    COST_NUMBER("optical_switch", optical_chassis, "0", "of an optical switch without its ports"),
    COST_NUMBER("optical_port", optical_port, "60", "of a port of an optical switch"),
    COST_NUMBER("optical_port_watts", optical_port_watts, "0.794", "of a port of an optical switch"),
    COST_NUMBER("copper", copper, "0.68", "of a copper cable for each Gb/s, without its length"),
    COST_NUMBER("copper_metre", copper_metre, "0", "of a metre of it for each Gb/s"),
    COST_NUMBER("copper_reach", copper_reach_metres, "5", "metres; longer cables are fibers"),
    COST_NUMBER("fiber_metre", fiber_metre, "0.3", "of a metre of fiber, of any rate"),
    COST_NUMBER("transceiver", transceiver, "0.746", "of a transceiver for each Gb/s"),
    COST_NUMBER("transceiver_power", transceiver_pj_per_bit, "30", "pJ per bit that a transceiver can move"),
    COST_NUMBER("memory", memory, "305", "of a memory unit of fabric fmu; 0: they are not priced"),
    COST_NUMBER("memory_watts", memory_watts, "10", "of a memory unit"),
    COST("rack_nodes", PARAM_COUNT, rack_nodes, "32", "nodes of a rack", .min = "1", .max = "1000000"),
    COST("rack_switches", PARAM_COUNT, rack_switches, "32", "switches of a rack without nodes", .min = "1",
         .max = "1000000"),
    COST_NUMBER("rack_width", rack_width_metres, "1", "metres from rack to rack of a row"),
    COST_NUMBER("row_pitch", row_pitch_metres, "1", "metres from row to row"),
    COST_NUMBER("in_rack", in_rack_metres, "1", "metres of a cable within a rack"),
    COST_NUMBER("slack", slack_metres, "2", "metres of a cable between racks beyond their distance"),
    COST_NUMBER("switched_energy", switched_pj_per_bit, "7.2",
                "pJ per bit that passes a packet switch, beside its power"),
    COST_NUMBER("converted_energy", converted_pj_per_bit, "0",
                "pJ per bit at each end of a message, beside the power of transceivers"),
    COST_NUMBER("setup_energy", setup_joules, "0", "joules of a circuit that is set up"));
