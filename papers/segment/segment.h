#ifndef HELIO_PAPERS_SEGMENT_SEGMENT_H
#define HELIO_PAPERS_SEGMENT_SEGMENT_H

#include "reproduce/paper.h"

/* J. Duro et al., Segment Switching: A New Switching Strategy for Optical HPC Networks.
 *
 *     places.h     the networks that are compared, and their runs
 *
 * Below are the parts, each in a file of its own; segment.c calls them. */
void segment_items(struct reproduction *reproduction);   /* the numbers and claims of Figures 4 to 9 */
void segment_figures(struct reproduction *reproduction); /* Figures 4 to 9 */
void segment_beyond(struct reproduction *reproduction);  /* what the paper did not try */

#endif
