#ifndef HELIO_PAPERS_FMU_FMU_H
#define HELIO_PAPERS_FMU_FMU_H

#include "reproduce/paper.h"

/* M. G. Palma et al., Inter-Node Message Passing Through Optical Reconfigurable Memory Channel.
 *
 *     ways.h     the way in which a configuration recomputes the paper
 *     rate.h     its rate of computation, which may be a fit to Table 5
 *     runs.h     runs at that rate, and what several sections take from them
 *
 * Below are the sections, each in a file of its own; fmu.c calls them. */
void fmu_conclusions(struct reproduction *reproduction);      /* which of them hold, and what they rest on */
void fmu_tables(struct reproduction *reproduction);           /* Tables 3, 4 and 5 */
void fmu_characterization(struct reproduction *reproduction); /* Figure 3, drawn */
void fmu_messages(struct reproduction *reproduction);         /* Figures 11 and 12 */
void fmu_rings(struct reproduction *reproduction);            /* Figure 13, section VII-A */
void fmu_npb(struct reproduction *reproduction);              /* Figures 14 and 15, section VII-B */
void fmu_fit(struct reproduction *reproduction);     /* the rate behind Table 5, and what depends on it */
void fmu_mapping(struct reproduction *reproduction); /* section VI-D */
void fmu_within(struct reproduction *reproduction);  /* Figure 16, section VII-C */
void fmu_beyond(struct reproduction *reproduction);  /* what the paper did not try */

#endif
