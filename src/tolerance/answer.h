#ifndef HELIO_TOLERANCE_ANSWER_H
#define HELIO_TOLERANCE_ANSWER_H

#include "sim/experiment.h"
#include "tolerance/tolerance.h"

/* What is known of how an experiment depends on one of its parameters: exactly, from the paths of its program
 * (exact.c), or between runs (runs.c). docs/models/tolerance.md
 *
 * A parameter has a value as people know it: seconds of a time, bytes per second of a rate, seconds of a time
 * per byte. The paths know it as x: ps, or ps of each byte. */
enum tolerance_kind { TOLERANCE_TIME, TOLERANCE_RATE, TOLERANCE_TIME_PER_BYTE };

enum { TOLERANCE_LIMITS = 3, TOLERANCE_SIZES = 65 };
extern const unsigned tolerance_percents[TOLERANCE_LIMITS]; /* how much longer the program may take */

/* A value that was found. Exact answers have x too. Of runs, with !exists: `value` is the slowest value that
 * the parameter can have, and not beyond the limit; 0: there is no such end. */
struct tolerance_point {
    bool exists;
    double value;
    struct tolerance_at x;
};

struct tolerance_sample {
    double value, seconds;
};

/* Messages on the longest path, by what they have in common, and the part of the slope that is theirs. */
struct tolerance_share {
    uint64_t messages, bytes;
    int64_t slope;
    uint32_t rank;           /* by rank */
    enum call_op call;       /* by call */
    uint32_t size_class;     /* by size: 0 has 0 bytes, k > 0 has 2^(k-1) to 2^k - 1 bytes */
    struct call_place place; /* by call: of the first of these messages */
    uint32_t site;           /* by call site: its number */
    const char *site_name;   /* by call site; NULL: not known */
};

/* The largest part of the slope first. The parts of each list are the slope. */
struct tolerance_shares {
    struct tolerance_share *by_rank, *by_call, *by_size;
    struct tolerance_share *by_site; /* NULL: the program does not say where its calls are */
    size_t ranks, calls, sizes, sites;
    uint64_t messages;
    bool is_between_nodes; /* ranks share nodes, whose own messages are left out: they count no parameter */
    ps_t listed_since;     /* of a critical path: from here on its messages are known */
};
void tolerance_shares_free(struct tolerance_shares *shares);

/* A run that takes another time than the longest path, which leaves out that cores and NICs are busy. */
struct tolerance_run_beside {
    double value, path_s, run_s;
};
enum { TOLERANCE_RUNS_BESIDE = 3 };

struct tolerance_answer {
    const struct param *param;
    enum tolerance_kind kind;
    double base, makespan_s;
    /* More seconds for each second of the parameter; of a rate, for each second that a byte takes longer. */
    double slope;
    const char *why; /* runs bracket the answer; NULL: it is exact */
    struct tolerance_point limits[TOLERANCE_LIMITS];
    /* Better values gain nothing: below it, or of a rate above it. Then the program takes best_s. */
    struct tolerance_point gain_end;
    double best_s;
    bool depends;             /* on the parameter at all */
    double better_s, worse_s; /* with a value better or worse by `by`; 0: nobody asked */

    struct tolerance_at base_x, from, to; /* exact */
    struct tolerance pieces;
    struct tolerance_shares shares;
    struct tolerance_run_beside beside[TOLERANCE_RUNS_BESIDE]; /* of an exact answer, those there are */
    size_t beside_count;

    struct tolerance_sample *samples; /* of runs, from the best value to the worst */
    size_t sample_count, sample_capacity, runs;
    bool is_monotone; /* no run with a worse value was faster */
    bool is_fastest;  /* not monotone: gain_end and best_s are those of the fastest run, which no better value
                         beats */
};

struct tolerance_question {
    const struct config *config; /* of the experiment, before a machine is applied */
    struct experiment *experiment;
    const char *from, *to;            /* the interval of exact pieces, as texts; NULL: the default */
    double by;                        /* 0.1: what is better and worse; 0: nobody asks */
    bool fills;                       /* runs between the limits too, for a picture */
    bool by_runs;                     /* no exact answers */
    struct program *graph;            /* of the program; NULL: it is not made yet */
    char *no_graph;                   /* why there is none; NULL: there is, or nobody has tried */
    struct tolerance_shares critical; /* messages of the critical path of a run, for bracketed answers */
    bool has_critical;                /* it was looked for; without messages there is none */
};

/* The parameter of that name, with its value. STATUS_BAD_INPUT, reported: there is none, it is no time or
 * rate, or nothing reads it. */
enum status tolerance_find_param(const struct tolerance_question *question, const char *name,
                                 struct tolerance_answer *answer);
/* The answer for the parameter that has been found; free it also after an error. */
enum status tolerance_answer(struct tolerance_question *question, struct tolerance_answer *answer);
void tolerance_answer_free(struct tolerance_answer *answer);
void tolerance_question_free(struct tolerance_question *question);

/* x as a value, and back. */
double tolerance_value_of(enum tolerance_kind kind, struct tolerance_at x);

/* For the files of this room: what costs stand for each parameter, and both kinds of answers. */
const char *tolerance_why_not_exact(const struct tolerance_question *question,
                                    const struct tolerance_answer *answer);
enum status tolerance_answer_exactly(struct tolerance_question *question, struct tolerance_answer *answer);
enum status tolerance_answer_by_runs(const struct tolerance_question *question,
                                     struct tolerance_answer *answer);
/* The critical path of a run of the experiment: question->critical. */
enum status tolerance_find_critical(struct tolerance_question *question);
/* Of the parameter: a value has to be a whole number of ns (compat=loggopsim, compat=atlahs). */
bool tolerance_has_whole_ns(const struct tolerance_question *question, const struct tolerance_answer *answer);
/* The time of a run, with another value of the parameter if `text` is not NULL. */
enum status tolerance_run(const struct tolerance_question *question, const struct param *param,
                          const char *text, double *seconds);
void tolerance_count_shares(struct program_paths *paths, const struct program *program, struct tolerance_at x,
                            struct tolerance_shares *shares);

#endif
