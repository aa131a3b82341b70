#ifndef HELIO_TOLERANCE_TOLERANCE_H
#define HELIO_TOLERANCE_TOLERANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "call/graph.h"

/* How the time of a program depends on a parameter. Where messages do not wait for each other, the time is
 * that of the longest path through the operations. A path takes a + k x, where x is the parameter and k
 * counts it on the path: messages of a latency, bytes of a time per byte. So T(x) is convex and piecewise
 * linear, and its pieces are found exactly. docs/models/tolerance.md
 *
 *   tolerance.h    what is computed
 *   paths.h        the paths of a program as a small graph
 *   paths.c        follows the events of the program: pairs up sends and receives, and adds their costs
 *   nodes.c        makes the graph from them
 *   longest.c      the longest path at one value, and the messages on it
 *   pieces.h       the part of the graph that matters in an interval
 *   pieces.c       the pieces of T
 *   coarse.c       divides the interval at many points in few passes
 *   lanes.h        one pass at several values at once
 *   lanes.c        the longest paths at all of them
 *   groups.h       the parts of several stretches at once
 *   groups.c       finds which edges matter in each stretch
 *   limits.c       where T reaches a limit
 *   shares.c       messages of a path by rank, call, size and call site
 *   critical.c     the messages of a run's critical path
 *   answer.h       what an experiment's dependence on a parameter is, exactly or between runs */

/* A value of the parameter, exactly: numerator / denominator, in ps, or in ps of each byte. */
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

/* The parameter that x stands for; those below keep their values. */
enum tolerance_variable {
    TOLERANCE_LATENCY,           /* of each message */
    TOLERANCE_PER_BYTE,          /* G */
    TOLERANCE_OVERHEAD,          /* o */
    TOLERANCE_OVERHEAD_PER_BYTE, /* O */
};

/* What messages and operations cost, in ps. Times of bytes that do not vary are rounded up to whole ps, as in
 * runs. */
struct tolerance_costs {
    enum tolerance_variable variable;
    bool is_loggops; /* else Hockney: latency + bytes, and fixed times of hosts */
    int64_t latency;
    int64_t overhead;                    /* o, at each end */
    uint64_t G_numerator, G_denominator; /* ps of each byte; LogGOPS: behind the first */
    uint64_t O_numerator, O_denominator;
    int64_t host_send, nic, host_receive; /* Hockney: of a message to another node; nic at each end */
    uint64_t eager_bytes;                 /* larger messages wait for their receive */
    uint32_t ranks_per_node;              /* messages within a node take the times below */
    int64_t node_latency;
    uint64_t node_rate_bytes_per_s;
    double scale; /* of computation that is given as a time */
    double ps_per_operation;
};

struct program_paths;

/* STATUS_BAD_INPUT, reported: which send meets which receive depends on times, there is a deadlock, or a path
 * takes more than 2^60 ps (13 days). The program stays the caller's, and outlives the paths. */
enum status program_paths_open(const struct program *program, const struct tolerance_costs *costs,
                               struct program_paths **paths);
void program_paths_close(struct program_paths *paths);

/* The longest path at `at`; of several the one with the largest k, or with `fewest` the smallest. */
struct tolerance_line program_paths_longest(struct program_paths *paths, struct tolerance_at at, bool fewest);

/* Tells of each operation that counts the parameter on the longest path at `at`, the one with the largest k,
 * and of each message between nodes: then the operation is its send. `counted` is how often; all together it
 * is k. From the last one to the first. */
typedef void tolerance_take_message(void *self, uint32_t rank, uint32_t operation, bool is_message,
                                    int64_t counted);
void program_paths_messages(struct program_paths *paths, struct tolerance_at at, tolerance_take_message *take,
                            void *self);

struct tolerance {
    struct tolerance_piece *pieces; /* ascending; the first one begins at the lower end */
    size_t count, capacity;
    struct tolerance_at to; /* the upper end */
};

/* The pieces between two values. The caller frees tolerance->pieces. */
void tolerance_find(struct program_paths *paths, struct tolerance_at from, struct tolerance_at to,
                    struct tolerance *tolerance);

/* The piece that holds from `at` on. */
const struct tolerance_piece *tolerance_piece_at(const struct tolerance *tolerance, struct tolerance_at at);

/* The line that T follows from `at` on: of the pieces, of which there may be none, or of the paths. */
struct tolerance_line tolerance_line_at(struct program_paths *paths, const struct tolerance *pieces,
                                        struct tolerance_at at);

/* The largest value at which the time is at most `percent` above that at `base`: on the pieces, of which
 * there may be none, or beyond them. False: there is none, since the time does not grow. */
bool tolerance_limit(struct program_paths *paths, const struct tolerance *pieces, struct tolerance_at base,
                     unsigned percent, struct tolerance_at *limit);

/* The largest value at which the time is what it is at 0: below it nothing is gained. False: there is none,
 * since the time never grows. */
bool tolerance_floor(struct program_paths *paths, const struct tolerance *pieces, struct tolerance_at *floor);

/* numerator / denominator in lowest terms; the denominator is not 0. Beyond 64 bits the nearest that fits. */
struct tolerance_at tolerance_ratio(__int128 numerator, __int128 denominator);
/* a < b: negative. */
int tolerance_compare(struct tolerance_at a, struct tolerance_at b);
/* As doubles. */
double tolerance_value(struct tolerance_at at);
double tolerance_time(struct tolerance_line line, struct tolerance_at at);

/* The line's time minus that of another, times the denominator of `at`. */
static inline __int128 tolerance_above(struct tolerance_line line, struct tolerance_line other,
                                       struct tolerance_at at)
{
    return (__int128)(line.a - other.a) * at.denominator + (__int128)(line.k - other.k) * at.numerator;
}

#endif
