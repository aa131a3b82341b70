#include "breakdown/totals.h"

bool model_observed(const struct model *model, enum system_observation observation, ps_t *observed_ps)
{
    enum { OBSERVED_BYTES = 8 }; /* the message size of the paper's benchmarks */
    const struct system_value *observed = model->system->observed;
    if (!observed[observation].given || model->bytes != OBSERVED_BYTES)
        return false;
    *observed_ps = observed[observation].time_ps;
    if (observation == OBSERVED_LLP_LATENCY)
        *observed_ps -= observed[OBSERVED_LLP_DEDUCTION].time_ps;
    return *observed_ps > 0;
}

static struct model_total total_of(const struct model *model, const char *name, const char *key,
                                   uint32_t parts, enum system_observation observation)
{
    struct model_total total = {.name = name, .key = key, .model_ps = model_sum(model, parts)};
    total.has_observed = model_observed(model, observation, &total.observed_ps);
    return total;
}

void model_totals(const struct model *model, struct model_total totals[static MODEL_TOTALS])
{
    totals[0] = total_of(model, "Inj_overhead (Eq. 1)", "Inj_overhead", INJ_OVERHEAD, OBSERVED_INJ_OVERHEAD);
    totals[1] = (struct model_total){
        .name = "Msg_inj_overhead", .key = "Msg_inj_overhead", .model_ps = model_message_injection(model)};
    totals[2] = (struct model_total){
        .name = "gen_completion", .key = "gen_completion", .model_ps = model_gen_completion(model)};
    totals[3] = total_of(model, "Latency of the LLP", "LLP_latency", LLP_LATENCY, OBSERVED_LLP_LATENCY);
    totals[4] = total_of(model, "Overall injection (Eq. 2)", "overall_injection", OVERALL_INJECTION,
                         OBSERVED_OVERALL_INJECTION);
    totals[5] = total_of(model, "End-to-end latency", "latency", END_TO_END_LATENCY, OBSERVED_LATENCY);
}

double model_deviation_percent(ps_t model_ps, ps_t observed_ps)
{
    return 100.0 * (double)(model_ps - observed_ps) / (double)observed_ps;
}
