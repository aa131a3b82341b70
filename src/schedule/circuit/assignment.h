#ifndef HELIO_SCHEDULE_CIRCUIT_ASSIGNMENT_H
#define HELIO_SCHEDULE_CIRCUIT_ASSIGNMENT_H

#include <stdint.h>

/* Matchings of most weight between rows and columns, exactly: shortest augmenting paths with prices (Kuhn
 * 1955, Munkres 1957; Jonker and Volgenant 1987), in time size^3. Weights are not negative, so a matching of
 * every row with a column, some of weight 0, is among the heaviest. Weights may fall between two calls: then
 * only rows whose edge has become lighter get new columns. */
struct assignment {
    uint32_t size;
    int64_t *weights; /* [size][size]: the caller's, below 2^61 */
    uint32_t *column_of, *row_of;
    int64_t *row_price, *column_price; /* row + column <= -weight, equal on edges of the matching */
    int64_t *distance;
    uint32_t *reached_from;
    uint32_t *columns; /* done, then those at the least distance, then the rest */
};

#define ASSIGNMENT_NONE UINT32_MAX

void assignment_init(struct assignment *assignment, uint32_t size);
void assignment_free(struct assignment *assignment);

/* Forgets matching and prices: to be called when a weight has grown. */
void assignment_restart(struct assignment *assignment);

/* Finds the heaviest matching of the weights as they are. */
void assignment_solve(struct assignment *assignment);

#endif
