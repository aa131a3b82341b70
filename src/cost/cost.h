#ifndef HELIO_COST_COST_H
#define HELIO_COST_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "fabric/hardware.h"

/* What a network costs, and what it draws: docs/models/cost.md.
 *
 *     cost.h, params.c   prices and powers, as parameters
 *     count.c            the parts of a network: switches, ports, cables by length, transceivers
 *     price.c            their money and their watts, and the energy of a run
 */

struct cost_config {
    double nic, nic_watts; /* each, of any rate; 0: by rate */
    double nic_per_gbps, nic_pj_per_bit;
    double switch_chassis, switch_port; /* each; the port at this rate */
    uint64_t switch_rate_bytes_per_s;
    double switch_pj_per_bit;                                 /* of what its ports can move each way */
    double optical_chassis, optical_port, optical_port_watts; /* each */
    double copper, copper_metre;                              /* for each Gb/s */
    double copper_reach_metres;
    double fiber_metre;
    double transceiver; /* for each Gb/s */
    double transceiver_pj_per_bit;
    double memory, memory_watts; /* each */
    uint64_t rack_nodes, rack_switches;
    double rack_width_metres, row_pitch_metres, in_rack_metres, slack_metres;
    double switched_pj_per_bit, converted_pj_per_bit, setup_joules;
};

extern const struct param_table cost_params; /* struct cost_config */

enum cost_part {
    COST_NICS,
    COST_SWITCHES,
    COST_OPTICAL_SWITCHES,
    COST_COPPER,
    COST_FIBER,
    COST_TRANSCEIVERS,
    COST_MEMORIES,
    COST_PARTS
};

/* Parts of one kind. */
struct cost_line {
    uint64_t count;
    uint64_t ports;  /* of switches; those that are used */
    uint64_t widest; /* the most ports of one switch */
    double metres;   /* of cables */
    double gbps;     /* the sum over ports, cables or transceivers, each way */
    double gbps_metres;
    double money, watts;
};

struct cost_bill {
    struct cost_line lines[COST_PARTS];
    double money, watts; /* the sums */
};

const char *cost_part_name(enum cost_part part);                    /* "switches" */
const char *cost_part_counted(enum cost_part part, uint64_t count); /* "switch" of one */

/* Whether parts of this kind have a price in `prices`. */
bool cost_has_price(const struct cost_config *prices, enum cost_part part);

/* Counts and prices the parts. */
void cost_of(const struct hardware *hardware, const struct cost_config *prices, struct cost_bill *bill);

/* Where racks stand, in metres: the length of a cable between two of so many racks. */
double cost_cable_metres(const struct cost_config *prices, uint64_t racks, uint64_t from, uint64_t to);

/* The energy of a run, in joules. Negative: what the run has used is not known, and has a price. */
struct cost_energy {
    double standing, moving, switching; /* of the time; of the bytes; of circuits that were set up */
};
struct cost_energy cost_energy(const struct cost_bill *bill, const struct cost_config *prices, double seconds,
                               double bytes, const struct hardware_use *use);
/* The sum; negative: a part is not known. */
double cost_energy_total(const struct cost_energy *energy);

/* Fills the lines, without prices. */
void cost_count(const struct hardware *hardware, const struct cost_config *prices, struct cost_bill *bill);

/* Which of `count` points with a cost and a time no other point beats in both: of equal points all. */
struct cost_point {
    double money, seconds;
    bool is_front;
};
void cost_find_front(struct cost_point *points, size_t count);

#endif
