#ifndef HELIO_BASE_STATUS_H
#define HELIO_BASE_STATUS_H

/* The room that all others use. It knows nothing of networks or programs.
 *
 *     status.h            what a function that can fail returns
 *     diag.h              messages to the user, with places in input
 *     mem.h               memory, arenas, pools
 *     queue.h             first in, first out: linked records of a pool
 *     hash.h              hash functions, and the search of the two tables hashmap.h and queue_table.h
 *     stats.h             quantiles, medians, means, confidence intervals
 *     time.h units.h      simulated time; quantities with units
 *     event.h             the event queue and its loop
 *     tap.h               the events of a run, for observers
 *     rng.h               random streams
 *     profile.h           a level over time
 *     param.h metric.h    tables of parameters and of metrics
 *     config.h            the parameters of a run. config_reader.h and config_yaml.c read experiment files,
 *                         config_node.c their other sections, config_manual.c prints all parameters;
 *                         config_internal.h is what these share
 *     embedded.h          files in the program
 *     clock.h utf8.h      the real clock; characters of a text
 *     progress.h          how far the work is
 *
 * The status of a function, and of the process when it exits. The function that finds a cause reports it
 * (base/diag.h), and its callers only return the status. Outputs are valid only with STATUS_OK. */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,    /* the run could not go on: deadlock, full disk, time overflow, no memory */
    STATUS_BAD_INPUT = 2, /* wrong usage or wrong input: file:line:column has been reported */
    STATUS_CANCELLED = 3, /* a signal, or a program that uses the library, ended it: nothing is wrong */
};

#endif
