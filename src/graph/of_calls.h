#ifndef HELIO_GRAPH_OF_CALLS_H
#define HELIO_GRAPH_OF_CALLS_H

#include "call/graph.h"
#include "workload/patterns.h"

/* The graph of a program of calls: what ranks that execute the calls one after another do, as operations with
 * dependences.
 *
 *   - What follows a blocking call begins when the call has ended; what follows a non-blocking one, when that
 *     has begun. A wait is no operation: what follows it requires the operations of its requests.
 *   - A collective call becomes the messages of its algorithm. A phase requires all of the phase before.
 *   - The messages of a non-blocking collective call are on a core of their own, since they go on while the
 *     rank computes.
 *   - A message has the tag of its call, or a new one if that is of another communicator than the world, or
 *     of a collective call.
 *
 * So it takes the same time as the calls on every fabric, if hosts cost nothing. Where messages share
 * something, the order of those that are sent at the same time decides too, and that may differ. */
struct graph_of_calls_options {
    struct patterns_options patterns; /* algorithms of collective calls */
    double ps_per_operation;          /* of computation */
    double scale;                     /* of computation that is given as a time */
    bool whole_ns; /* computations are whole nanoseconds; what is cut off one is added to the next */
    /* Whether such a collective call of the source stays one, the same on all ranks; NULL: none does. */
    bool (*keeps)(const struct program *source, const struct call *call);
    const struct tap *tap; /* which is told of the algorithms of collective calls; NULL: none is */
};

/* Whether a program has to be converted before its graph is one of messages and computations alone. */
static inline bool graph_has_calls(const struct program *program)
{
    return !program->graph || program->graph->calls || program->graph->has_calls_too;
}

/* A source that is a graph keeps its operations, and its collective calls become their messages.
 *
 * Reads `source` from its first call to its last, and leaves it rewound. The caller closes both programs.
 * STATUS_BAD_INPUT, reported: a graph cannot say what the program does. */
enum status graph_of_calls(struct program *source, const struct graph_of_calls_options *options,
                           struct program **program);

#endif
