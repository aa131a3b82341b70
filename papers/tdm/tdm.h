#ifndef HELIO_PAPERS_TDM_TDM_H
#define HELIO_PAPERS_TDM_TDM_H

#include "reproduce/paper.h"

/* X. Yuan et al., Compiled Communication for All-optical TDM Networks.
 *
 *     degrees.h     multiplexing degrees of patterns on the paper's network
 *
 * Below are the parts, each in a file of its own; tdm.c calls them. */
void tdm_tables(struct reproduction *reproduction);   /* figures and Tables 1 to 3 */
bool tdm_programs(struct reproduction *reproduction); /* Table 5; false: runs are missing */
void tdm_beyond(struct reproduction *reproduction);   /* larger tori */

#endif
