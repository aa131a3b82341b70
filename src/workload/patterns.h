#ifndef HELIO_WORKLOAD_PATTERNS_H
#define HELIO_WORKLOAD_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sum.h"
#include "call/call.h"
#include "coll/coll.h"

/* A program as compiled communication sees it ("Compiled Communication for All-optical TDM Networks", section
 * 3): phases, each with the set of (source, destination) pairs that communicate in it.
 *
 * A collective call of all ranks is a phase: the messages of its algorithm. The stretch between two of them
 * is a phase too. If the sends of every rank in a stretch repeat equally often, each iteration is a phase,
 * and so are the parts before and after the iterations. Phases with the same pairs have the same pattern. The
 * main loop of the program is the repetition with the most bytes in the sequence of phases, whatever their
 * pairs. */
struct pattern_pair {
    uint32_t source, destination; /* nodes; never equal */
};

struct program_pattern {
    struct pattern_pair *pairs; /* ascending by (source, destination), all distinct; at least one */
    size_t pair_count;
    uint64_t hash;        /* of the pairs */
    uint64_t phases;      /* that have it */
    uint64_t iterations;  /* of the main loop that have it */
    uint64_t messages;    /* of all its phases */
    sum_t bytes;          /* likewise */
    uint32_t first_phase; /* the first of phases that has it */
};

/* Phases that follow each other and send the same. */
struct pattern_phase {
    uint32_t pattern;
    uint64_t times;    /* at least 1 */
    uint64_t messages; /* of all these times */
    sum_t bytes;       /* likewise */
    uint64_t volume;   /* into `volumes`: messages of each pair of the pattern, of one time */
    uint64_t skeleton; /* hash of the calls without their peers */
};

/* Gets the bytes from node to node: for each pair of each phase, those of all its times. */
struct patterns_listener {
    void (*pair)(struct patterns_listener *listener, uint32_t source, uint32_t destination, sum_t bytes);
};

struct patterns {
    uint32_t ranks, nodes;
    struct program_pattern *patterns; /* in the order in which they first appear */
    struct pattern_phase *phases;
    uint64_t *volumes;
    size_t count, capacity, phase_count, phase_capacity, volume_count, volume_capacity;
    uint64_t iterations; /* of the main loop; 1 = there is none, and the program is one iteration */
    uint64_t messages;
    sum_t bytes;
    struct patterns_listener *listener; /* the options' */
};

/* How the collectives and the ranks of a program become messages between nodes. */
struct patterns_options {
    const struct coll_choice *choices;  /* [COLL_KINDS]; NULL = every kind's default */
    uint32_t window, leaders;           /* as in struct coll_call */
    uint64_t segment_bytes;             /* likewise */
    uint64_t splits;                    /* of coll_parts */
    uint32_t ranks_per_node;            /* rank r is on node r / ranks_per_node, without a placement */
    struct patterns_listener *listener; /* NULL = none */
};

/* A collective call of a rank, without nodes, and the algorithm that it takes. */
struct coll_call patterns_coll_call(const struct program *program, const struct patterns_options *options,
                                    uint32_t rank, const struct call *call);
const struct coll_algorithm *patterns_algorithm(const struct patterns_options *options,
                                                const struct coll_call *call);

/* Goes through the whole program, and rewinds it before and after. STATUS_BAD_INPUT, reported: the ranks
 * disagree about their collectives, or a peer is not a rank. */
enum status patterns_find(struct program *program, const struct patterns_options *options,
                          struct patterns *patterns);
void patterns_free(struct patterns *patterns);

/* Whether each iteration of the main loop has the pattern. */
static inline bool pattern_recurs(const struct patterns *patterns, const struct program_pattern *pattern)
{
    return pattern->iterations == patterns->iterations;
}

/* Whether another program, such as the same one for another size of problem, has the same pattern. A compiler
 * that has seen the other program then knows the pattern before the run. */
bool pattern_is_in(const struct program_pattern *pattern, const struct patterns *others);

/* How static a program is: the bytes of the patterns that recur in each iteration, the bytes of the patterns
 * that the other program has too (they are foreseen), and the bytes of the patterns with both properties.
 * `others` may be NULL. */
struct patterns_shares {
    sum_t recurring_bytes, foreseen_bytes, static_bytes;
};
void patterns_share(const struct patterns *patterns, const struct patterns *others,
                    struct patterns_shares *shares);

/* Percent of all bytes; 100 if there are no bytes. */
double patterns_percent(const struct patterns *patterns, sum_t bytes);

#endif
