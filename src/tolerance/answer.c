#include "tolerance/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "fabric/loggops.h"
#include "sim/components.h"
#include "sim/unused.h"

const unsigned tolerance_percents[TOLERANCE_LIMITS] = {1, 2, 5};

double tolerance_value_of(enum tolerance_kind kind, struct tolerance_at x)
{
    double value = tolerance_value(x) / (double)PS_PER_S;
    return kind == TOLERANCE_RATE ? 1 / value : value;
}

static bool is_per_byte(const struct param *param)
{
    return param->type == PARAM_CUSTOM &&
           (strcmp(param->name, "loggops.G") == 0 || strcmp(param->name, "loggops.O") == 0);
}

static enum status read_base(const struct config *config, struct tolerance_answer *answer)
{
    const struct param *param = answer->param;
    const void *field = config_field(config, param->name);
    if (param->type == PARAM_TIME) {
        answer->kind = TOLERANCE_TIME;
        answer->base_x = (struct tolerance_at){*(const ps_t *)field, 1};
    } else if (param->type == PARAM_RATE) {
        uint64_t rate = *(const uint64_t *)field;
        answer->kind = TOLERANCE_RATE;
        if (!rate) {
            diag_error("%s is 0 here, which is no rate: it has no upper end", param->name);
            return STATUS_BAD_INPUT;
        }
        answer->base_x = tolerance_ratio(PS_PER_S, (__int128)rate);
        answer->base = (double)rate;
        return STATUS_OK;
    } else {
        const struct loggops_per_byte *each = field;
        answer->kind = TOLERANCE_TIME_PER_BYTE;
        answer->base_x = tolerance_ratio((__int128)each->numerator, (__int128)each->denominator);
    }
    answer->base = tolerance_value_of(answer->kind, answer->base_x);
    return STATUS_OK;
}

enum status tolerance_find_param(const struct tolerance_question *question, const char *name,
                                 struct tolerance_answer *answer)
{
    const struct experiment *experiment = question->experiment;
    answer->param = components_param(name);
    if (!answer->param) {
        const char *nearest = config_nearest(experiment->config, name);
        diag_error("there is no parameter '%s'%s", name,
                   nearest ? diag_did_you_mean(nearest) : "; helio params lists them");
        return STATUS_BAD_INPUT;
    }
    if (answer->param->type != PARAM_TIME && answer->param->type != PARAM_RATE &&
        !is_per_byte(answer->param)) {
        diag_error("%s is neither a time nor a rate in bytes a second", name);
        return STATUS_BAD_INPUT;
    }
    if (!experiment_reads(experiment, answer->param)) {
        diag_error("%s has no effect on %s: nothing in this experiment reads it", name,
                   experiment->fabrics[0]->name);
        return STATUS_BAD_INPUT;
    }
    return read_base(experiment->config, answer);
}

enum status tolerance_answer(struct tolerance_question *question, struct tolerance_answer *answer)
{
    answer->why = tolerance_why_not_exact(question, answer);
    answer->is_monotone = true;
    enum status status = STATUS_OK;
    if (!answer->why)
        status = tolerance_answer_exactly(question, answer);
    if (status == STATUS_OK && answer->why)
        status = tolerance_answer_by_runs(question, answer);
    if (status == STATUS_OK && answer->why && !question->has_critical)
        status = tolerance_find_critical(question);
    return status;
}

void tolerance_answer_free(struct tolerance_answer *answer)
{
    free(answer->pieces.pieces);
    tolerance_shares_free(&answer->shares);
    free(answer->samples);
    answer->pieces = (struct tolerance){.count = 0};
    answer->samples = NULL;
    answer->beside_count = 0;
}
