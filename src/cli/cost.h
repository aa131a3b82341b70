#ifndef HELIO_CLI_COST_H
#define HELIO_CLI_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/time.h"
#include "cost/cost.h"
#include "output/json.h"

/* A network of `helio cost`: what it costs, and what a program takes on it. */
struct cost_row {
    const char *machine, *topology; /* as given; NULL: of the experiment */
    const char *fabric;
    uint32_t nodes;
    uint32_t all_nodes; /* of the network, whose links all count; 0: the model does not say */
    bool is_counted;    /* the model says what it is built of; else there is no bill */
    struct cost_bill bill;
    struct cost_energy energy;
    struct hardware_use use;
    ps_t makespan;
    bool is_front; /* no other counted network costs less and is faster, or the same in one of both */
};

struct cost_table {
    char *program;
    /* Of rows that name none. "": each network with the numbers of its paper; NULL: not known. */
    char *machine;
    const struct cost_config *prices;
    struct cost_row *rows;
    size_t count, capacity;
};

/* cost_print.c */
void cost_print(const struct cost_table *table);
json_t *cost_json(const struct cost_table *table);
/* A folder with time over cost as a figure of gnuplot. */
enum status cost_plot(const struct cost_table *table, const char *folder);

#endif
