#ifndef HELIO_BREAKDOWN_TOTALS_H
#define HELIO_BREAKDOWN_TOTALS_H

#include "breakdown/model.h"

/* The totals of "Breaking Band" for one message, and the observed values, if they are known. */
struct model_total {
    const char *name; /* in tables: "Inj_overhead (Eq. 1)" */
    const char *key;  /* in JSON: "Inj_overhead" */
    ps_t model_ps;
    bool has_observed;
    ps_t observed_ps;
};

enum { MODEL_TOTALS = 6 };
void model_totals(const struct model *model, struct model_total totals[static MODEL_TOTALS]);

/* What was observed for a message of this size, from the system file. The latency of the LLP is without the
 * benchmark's own part. False: nothing was observed. */
bool model_observed(const struct model *model, enum system_observation observation, ps_t *observed_ps);

/* The deviation of the model from what was observed. */
double model_deviation_percent(ps_t model_ps, ps_t observed_ps);

#endif
