#ifndef HELIO_SCHEDULE_CIRCUIT_DEMAND_H
#define HELIO_SCHEDULE_CIRCUIT_DEMAND_H

#include "schedule/circuit/circuit.h"

/* The bytes from each port to each other one. */
struct circuit_demand_line {
    uint32_t source, destination;
    uint64_t bytes;
};

struct circuit_demand {
    struct circuit_demand_line *lines; /* sorted by (source, destination), all distinct, bytes above 0 */
    size_t count, capacity;
};

enum { CIRCUIT_MOST_PORTS = 4096, CIRCUIT_FILE_AT_MOST = 1 << 30 };

/* Adds bytes in any order; circuit_demand_unite then sorts them and adds up those of the same ports. False: a
 * sum of two ports, or of all, is 2^63 or more. */
void circuit_demand_add(struct circuit_demand *demand, uint32_t source, uint32_t destination, uint64_t bytes);
bool circuit_demand_unite(struct circuit_demand *demand);
void circuit_demand_free(struct circuit_demand *demand);

/* Lines `src,dst,bytes`: port numbers below CIRCUIT_MOST_PORTS, and a whole number of bytes, or a size with a
 * unit. The bytes of lines with the same ports add up. Or a square matrix: a line for each sender, an entry
 * for each receiver; the text is one if its first line is `matrix`, or has two fields or more than three. A
 * first line `src,dst,bytes`, empty lines and lines that start with # are left out. Wrong lines are reported
 * with their places, up to ten of them. Refused too: a demand without a byte, and one of 2^63 bytes or more.
 * `text` need not end in 0. */
enum status circuit_demand_parse(const char *name, const char *text, size_t size,
                                 struct circuit_demand *demand);
enum status circuit_demand_load(const char *path, struct circuit_demand *demand);

/* The demand on switches. STATUS_BAD_INPUT, reported: it takes too long to be counted in picoseconds. The
 * caller sets what is not about the demand: switches, all_stop, slot_ps. */
struct circuit_switching {
    ps_t delta_ps;
    uint64_t rate_bytes_per_s;
    uint32_t switches; /* at least 1 */
    uint32_t hops;     /* 2, or else 1 */
    bool all_stop;
    ps_t slot_ps; /* 0: each algorithm has its own */
};
enum { CIRCUIT_MOST_SWITCHES = 1024 };
enum status circuit_problem_init(struct circuit_problem *problem, const struct circuit_demand *demand,
                                 const struct circuit_switching *switching);
void circuit_problem_free(struct circuit_problem *problem);

#endif
