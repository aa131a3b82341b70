#ifndef HELIO_PAPERS_TDM_TDM_H
#define HELIO_PAPERS_TDM_TDM_H

#include "reproduce/paper.h"

/* X. Yuan et al., Compiled Communication for All-optical TDM Networks.
 *
 *     degrees.h     multiplexing degrees of patterns on the paper's network
 *     draws.h       random patterns and redistributions
 *
 * Below are the parts, each in a file of its own; tdm.c calls them. */
void tdm_tables(struct reproduction *reproduction);   /* figures, Tables 1 and 2, section 3.4 */
void tdm_regular(struct reproduction *reproduction);  /* Table 3 */
bool tdm_programs(struct reproduction *reproduction); /* Table 5; false: runs are missing */
bool tdm_gap(struct reproduction *reproduction);      /* beyond the paper: faster control; the same */
void tdm_beyond(struct reproduction *reproduction);   /* larger tori */

#endif
