#ifndef HELIO_CALIBRATE_PIECES_H
#define HELIO_CALIBRATE_PIECES_H

#include <stddef.h>

/* Times of messages by size as straight lines, one for each range of sizes: docs/models/calibrate.md. A line
 * is a + b x, with b at least 0. */
struct piece {
    size_t first, count; /* of the points that it was fitted to */
    double at_zero, slope;
};

enum { PIECES_AT_MOST = 4, PIECE_POINTS = 3, POINTS_AT_MOST = 96 };

struct pieces {
    struct piece list[PIECES_AT_MOST];
    size_t count;
    double deviation; /* root of the mean square of (y - line) / y */
};

/* Fits points in ascending order of x; every y is above 0. The sum of the squares of (y - line) / y is least
 * for the number of pieces, by dynamic programming over the places of the breaks; the number is that with
 * the least BIC. `error`: the standard error of y / y, below which a deviation is no reason for another
 * piece. A piece has at least PIECE_POINTS points. There are at least that many points, and at most
 * POINTS_AT_MOST. */
void pieces_fit(const double *x, const double *y, size_t count, double error, struct pieces *fit);

/* The same lines through other values at the same x: the breaks stay. */
void pieces_refit(const double *x, const double *y, const struct pieces *fit, struct pieces *refit);

/* The piece of the x: the first one whose last point is not below it; the last one behind all points. */
size_t pieces_find(const struct pieces *fit, const double *x, double at);
double piece_value(const struct piece *piece, double at);

#endif
