#include "sweep/findings.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/list.h"
#include "sim/experiment.h"
#include "sim/network.h"
#include "sweep/definition.h"
#include "sweep/results_network.h"

void sweep_findings_init(struct sweep_findings *findings, const struct definition *definition,
                         const struct sweep_point *points, size_t count)
{
    *findings = (struct sweep_findings){.reference = definition_baseline_fabric(definition)};
    for (size_t i = 0; !findings->reference && i < count; i++) {
        const struct fabric_ops *fabric = fabric_find(points[i].fabric);
        if (fabric && !fabric->is_bound)
            findings->reference = points[i].fabric;
    }
}

void sweep_findings_free(struct sweep_findings *findings)
{
    unused_params_free(&findings->unused);
    text_index_free(&findings->unequal);
}

static void compare(struct sweep_findings *findings, const struct experiment *experiment,
                    const struct fabric_ops *reference)
{
    const struct fabric_ops *fabric = experiment->fabrics[0];
    struct result_network own, other;
    struct description_texts reasons;
    const struct diag_silence silence = diag_begin_silence(); /* the run reports what is wrong */
    network_describe_alone(experiment->config, fabric, experiment->program->ranks, &own);
    network_describe_alone(experiment->config, reference, experiment->program->ranks, &other);
    diag_end_silence(&silence);
    network_differs(&other, reference->name, &own, &reasons);
    if (!reasons.count)
        return;
    char *reason = network_reasons_line(&reasons);
    char *text =
        mem_format("%s differs from %s in more than the fabric: %s", fabric->name, reference->name, reason);
    text_index_add(&findings->unequal, text);
    free(text);
    free(reason);
}

void sweep_findings_add(struct sweep_findings *findings, const struct config *given,
                        const struct experiment *experiment)
{
    const struct fabric_ops *reference = findings->reference ? fabric_find(findings->reference) : NULL;
    unused_params_add(&findings->unused, given, experiment);
    if (reference && experiment->fabrics[0] != reference)
        compare(findings, experiment, reference);
}

void sweep_findings_note_unequal(const struct sweep_findings *findings)
{
    enum { SHOWN = 8 };
    for (size_t i = 0; i < findings->unequal.count && i < SHOWN; i++)
        diag_note("%s", findings->unequal.texts[i]);
    if (findings->unequal.count > SHOWN)
        diag_note("and %zu more such differences, with other parameters; helio report marks them",
                  findings->unequal.count - SHOWN);
}
