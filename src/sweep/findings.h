#ifndef HELIO_SWEEP_FINDINGS_H
#define HELIO_SWEEP_FINDINGS_H

#include "base/text_index.h"
#include "sim/unused.h"
#include "sweep/point.h"

/* What the points of a sweep show before they are run: parameters without effect, and fabrics that are not
 * compared fairly. Unlike the table of results (results_network.h), which compares runs with that of their
 * baseline, this compares the fabrics on the parameters of each point. */
struct sweep_findings {
    const char *reference; /* the fabric that others are compared with; NULL: none */
    struct unused_params unused;
    struct text_index unequal; /* "fmu differs from packet in more than the fabric: ..." */
};

/* The reference is the fabric of the baseline, or the first of the points that is no bound. */
struct definition;
void sweep_findings_init(struct sweep_findings *findings, const struct definition *definition,
                         const struct sweep_point *points, size_t count);
void sweep_findings_free(struct sweep_findings *findings);

/* Adds a point. `given` is its config before a machine was applied. */
struct experiment;
void sweep_findings_add(struct sweep_findings *findings, const struct config *given,
                        const struct experiment *experiment);

/* Notes the fabrics that are not compared fairly. Some, if there are many. */
void sweep_findings_note_unequal(const struct sweep_findings *findings);

#endif
