#ifndef HELIO_PAPERS_TDM_DRAWS_H
#define HELIO_PAPERS_TDM_DRAWS_H

#include "base/rng.h"
#include "reproduce/paper.h"
#include "schedule/pattern.h"

/* The random patterns of section 3.4, drawn as a configuration says. */

/* "Randomly generating the source and the destination", until there are so many connections. A pair that is
 * there already is drawn again (random_pairs=distinct), or stays with another destination that is drawn
 * (new-destination) or the next free one (next-destination), or is there twice (replacement). */
void tdm_draw_random(struct reproduction *reproduction, unsigned connections, uint64_t seed,
                     struct tdm_pattern *pattern);

/* A redistribution of the 64 x 64 x 64 array between two distributions over 64 processors. Each dimension has
 * a power of two of these: the first one is drawn, the second from what is left, and the third has the rest
 * (processors=in-turn); then the three change places at random (shuffled); or each such triple is as likely
 * (uniform). Blocks are powers of two (blocks=powers) or any sizes that leave no processor without elements.
 */
void tdm_draw_redistribution(struct reproduction *reproduction, struct rng *rng, struct tdm_pattern *pattern);

#endif
