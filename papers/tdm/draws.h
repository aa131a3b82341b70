#ifndef HELIO_PAPERS_TDM_DRAWS_H
#define HELIO_PAPERS_TDM_DRAWS_H

#include "base/rng.h"
#include "reproduce/paper.h"
#include "schedule/pattern.h"

/* The random patterns of section 3.4, drawn as a configuration says. */

/* Where the random numbers come from (generator): independent ones, or the C library's rand of the time,
 * whose state x becomes 1103515245 x + 12345 mod 2^31, without its 8 or 16 lowest bits. Bit k of x repeats
 * after 2^(k+1) numbers, so the pairs that rand-8 draws are not independent. */
struct tdm_dice {
    struct rng rng;
    uint32_t state;
    unsigned dropped; /* bits of rand; 0: independent numbers */
};

struct tdm_dice tdm_dice_of(struct reproduction *reproduction, uint32_t seed, const char *component);
uint32_t tdm_dice_below(struct tdm_dice *dice, uint32_t limit);

/* "Randomly generating the source and the destination", until there are so many connections. A pair that is
 * there already is drawn again (random_pairs=distinct), or stays with another destination that is drawn
 * (new-destination) or the next free one (next-destination), or is there twice (replacement). */
void tdm_draw_random(struct reproduction *reproduction, unsigned connections, uint32_t seed,
                     struct tdm_pattern *pattern);

/* A redistribution of the 64 x 64 x 64 array between two distributions over 64 processors. Each dimension has
 * a power of two of these: the first one is drawn, the second from what is left, and the third has the rest
 * (processors=in-turn); then the three change places at random (shuffled); or each such triple is as likely
 * (uniform). Blocks are powers of two (blocks=powers) or any sizes that leave no processor without elements.
 */
void tdm_draw_redistribution(struct reproduction *reproduction, struct tdm_dice *dice,
                             struct tdm_pattern *pattern);

#endif
