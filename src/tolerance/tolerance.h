#ifndef HELIO_TOLERANCE_TOLERANCE_H
#define HELIO_TOLERANCE_TOLERANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "call/graph.h"

/* How the time of a program depends on a latency. Where messages do not wait for each other, the time is that
 * of the longest path through the operations, and each path takes a + k x for k messages on it: T(x) is
 * convex and piecewise linear, and its pieces are found exactly, in one pass. docs/tolerance.md
 *
 *   tolerance.h                what is computed
 *   envelope.h, envelope.c     functions that are the maximum of lines
 *   paths.c                    the events of a graph in order, its longest path at one latency, or at all
 *   pieces.c                   the pieces of T, and the tolerances */

/* A latency in ps, exactly: numerator / denominator. */
struct tolerance_at {
    int64_t numerator, denominator;
};

/* On a piece the time is a + k x, in ps. */
struct tolerance_line {
    int64_t a, k;
};

/* From `from` on, the time follows the line. */
struct tolerance_piece {
    struct tolerance_at from;
    struct tolerance_line line;
};

/* What messages and operations cost, in ps. A message of s bytes, of which b = bytes(s) count: */
struct tolerance_costs {
    bool is_loggops;                     /* else Hockney: latency + b, and nothing for the hosts */
    int64_t overhead;                    /* o, at each end */
    uint64_t G_numerator, G_denominator; /* ps of each byte; LogGOPS: behind the first */
    uint64_t O_numerator, O_denominator;
    uint64_t eager_bytes;    /* larger messages wait for their receive */
    uint32_t ranks_per_node; /* messages within a node take the times below */
    int64_t node_latency;
    uint64_t node_rate_bytes_per_s;
    double ps_per_operation;
};

struct program_paths;

/* Pairs up sends and receives, and puts the events of all operations in an order. STATUS_BAD_INPUT, reported:
 * which send meets which receive depends on times, or there is a deadlock. The program stays the caller's. */
enum status program_paths_open(const struct program *program, const struct tolerance_costs *costs,
                               struct program_paths **paths);
void program_paths_close(struct program_paths *paths);
size_t program_paths_bytes(const struct program_paths *paths);

/* The longest path at `at`; of several the one with most messages, or with `fewest` the one with fewest. */
struct tolerance_line program_paths_longest(struct program_paths *paths, struct tolerance_at at, bool fewest);

struct envelope;
struct interval;
/* The longest paths at all latencies of the interval; the caller drops the envelope. */
void program_paths_all(struct program_paths *paths, struct interval interval, struct envelope *longest);

struct tolerance {
    struct tolerance_piece *pieces; /* ascending; the first one begins at the lower end */
    size_t count, capacity;
};

/* The pieces between two latencies, in ps. The caller frees tolerance->pieces. */
void tolerance_find(struct program_paths *paths, int64_t from, int64_t to, struct tolerance *tolerance);

/* The piece that holds from `at` on. */
const struct tolerance_piece *tolerance_piece_at(const struct tolerance *tolerance, struct tolerance_at at);

/* The largest latency at which the time is at most `percent` above that at `base`: on the pieces, which end
 * at `to`, or beyond. False: there is none, since the time does not grow. */
bool tolerance_limit(struct program_paths *paths, const struct tolerance *tolerance, struct tolerance_at base,
                     int64_t to, unsigned percent, struct tolerance_at *limit);

/* a < b: negative. */
int tolerance_compare(struct tolerance_at a, struct tolerance_at b);
/* The time at `at`, as a double. */
double tolerance_time(struct tolerance_line line, struct tolerance_at at);

#endif
