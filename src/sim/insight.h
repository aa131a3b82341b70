#ifndef HELIO_SIM_INSIGHT_H
#define HELIO_SIM_INSIGHT_H

#include "output/json.h"
#include "sim/result.h"

/* What results mean, in sentences for people. Each sentence follows from one rule, with thresholds that
 * docs/models/insight.md gives; most rules need the critical paths of the results.
 *
 * A *bound* is a result on a fabric that no network can beat (ideal). It is compared with the others, but
 * never listed as one of them. */
enum insight_rule {
    INSIGHT_ONE_NODE,    /* no message takes the network */
    INSIGHT_COMPUTATION, /* no network helps: ranks compute */
    INSIGHT_IMBALANCE,   /* no network helps: ranks wait for each other */
    INSIGHT_ONE_RANK,    /* no network helps: all wait for one rank */
    INSIGHT_LATENCY,     /* at least half of the path is of this kind: latency, bandwidth, ... */
    INSIGHT_BANDWIDTH,
    INSIGHT_CONTENTION,
    INSIGHT_SETUP,
    INSIGHT_SOFTWARE,
    INSIGHT_MIXED,  /* no kind has half of the path */
    INSIGHT_FASTER, /* than another fabric, and why */
    INSIGHT_SLOWER,
    INSIGHT_SAME,    /* as fast as another fabric */
    INSIGHT_SITE,    /* where in the source ranks wait longest */
    INSIGHT_BURSTS,  /* ranks waited for processors while the trace was recorded */
    INSIGHT_LOST,    /* the trace lacks what some calls moved */
    INSIGHT_NOTHING, /* there is nothing to say: no time passes */
    INSIGHT_RULES
};

/* "computation", "one rank", ... */
const char *insight_rule_name(enum insight_rule rule);

struct insight_sentence {
    enum insight_rule rule;
    const char *fabric; /* that it is about */
    const char *versus; /* that this one is compared with; NULL: none */
    char *text;
    bool has_cause;           /* of the difference, below */
    enum critical_kind cause; /* the kind of time that makes most of it */
    double cause_share;       /* of the difference; above 1 where other kinds are the other way round */
};

enum { INSIGHT_SENTENCES = 32 };

struct insight {
    struct insight_sentence sentences[INSIGHT_SENTENCES]; /* the first one is the headline */
    size_t count;
    const char *bound;  /* the fabric that is a bound; NULL: the bound is what ranks compute on the path */
    ps_t bound_ps;      /* no network makes the program faster */
    double bound_saves; /* of the time on the first fabric */
};

/* The kind of time that makes most of the difference between two times, whose CRITICAL_KINDS kinds are given
 * in the same unit. `share` is its part of the difference; above 1 where other kinds are the other way round.
 * The times must differ. */
struct insight_cause {
    enum critical_kind kind;
    double share;
};
struct insight_cause insight_cause_of(const double times[2], const double *first, const double *second);

/* " because its latency is lower (91 % of the difference)": of the second time. The caller frees it. */
char *insight_because(const struct insight_cause *cause, bool is_faster);

struct bursts_summary;

/* `bursts`: of the program (call/bursts.h), or NULL. `lost`: how many of its calls are (call/lost.h). */
void insight_make(struct insight *insight, const struct result *results, size_t count,
                  const struct bursts_summary *bursts, uint64_t lost);
void insight_free(struct insight *insight);

/* The field insight of --json. */
json_t *insight_json(const struct insight *insight);

#endif
