#ifndef HELIO_SWEEP_RESULTS_NETWORK_H
#define HELIO_SWEEP_RESULTS_NETWORK_H

#include "sweep/results_table.h"

/* Finds the rows whose network differs in more than the fabric from what they are compared with, as in the
 * table of `helio run`: sets `reason` of each row, and results_table->reasons. What a network is follows from
 * the parameters of a run, so results of any age have it. `versus` has the row that each row is compared
 * with; SIZE_MAX: none. NULL: no row is a baseline, and each is compared with the first fabric that is no
 * bound, with the row's own parameters. */
void results_network_compare(struct results_table *results_table, const size_t *versus);

#endif
