#include "calibrate/pieces.h"

#include <math.h>

/* Clocks and lines are no better than a tenth of a per cent. */
#define LEAST_ERROR 1e-3

struct line {
    double at_zero, slope, squares;
};

static double squares_of(const double *x, const double *y, size_t count, double at_zero, double slope)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (y[i] - at_zero - slope * x[i]) / y[i];
        sum += off * off;
    }
    return sum;
}

/* Least squares with the weights 1 / y^2, around the weighted means, so that large x lose no digits. A slope
 * below 0 means that the time does not grow: the line is then level. */
static struct line line_fit(const double *x, const double *y, size_t count)
{
    double weight = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double w = 1 / (y[i] * y[i]);
        weight += w;
        mean_x += w * x[i];
        mean_y += w * y[i];
    }
    mean_x /= weight;
    mean_y /= weight;
    for (size_t i = 0; i < count; i++) {
        double w = 1 / (y[i] * y[i]);
        xx += w * (x[i] - mean_x) * (x[i] - mean_x);
        xy += w * (x[i] - mean_x) * (y[i] - mean_y);
    }
    struct line line = {.slope = xx > 0 && xy > 0 ? xy / xx : 0};
    line.at_zero = mean_y - line.slope * mean_x;
    line.squares = squares_of(x, y, count, line.at_zero, line.slope);
    return line;
}

/* ------------------------------------------------------ dynamic programming */

/* Of the first `end` points in `pieces` pieces: the least sum of squares, and where the last begins. */
struct split {
    double squares;
    size_t begin;
};

struct break_search {
    const double *x, *y;
    size_t count;
    struct split best[PIECES_AT_MOST + 1][POINTS_AT_MOST + 1];
};

static void extend(struct break_search *search, size_t pieces, size_t end)
{
    struct split best = {.squares = INFINITY};
    size_t before = (pieces - 1) * PIECE_POINTS;
    for (size_t begin = pieces > 1 ? before : 0; begin + PIECE_POINTS <= end; begin++) {
        double left = pieces > 1 ? search->best[pieces - 1][begin].squares : 0;
        if (left < best.squares) {
            double squares = left + line_fit(search->x + begin, search->y + begin, end - begin).squares;
            if (squares < best.squares)
                best = (struct split){squares, begin};
        }
        if (pieces == 1)
            break;
    }
    search->best[pieces][end] = best;
}

/* Normal errors of one relative size. A piece has two numbers and, but for the first, a break. A break
 * counts twice, because the best of all places is taken: N. R. Zhang and D. O. Siegmund, "A Modified Bayes
 * Information Criterion", Biometrics 63 (2007). */
static double bic(double squares, size_t points, size_t pieces, double error)
{
    double variance = fmax(squares / (double)points, error * error);
    return (double)points * log(variance) + (double)(4 * pieces - 2) * log((double)points);
}

static void put_lines(const double *x, const double *y, struct pieces *fit)
{
    double squares = 0;
    size_t points = 0;
    for (size_t i = 0; i < fit->count; i++) {
        struct piece *piece = &fit->list[i];
        struct line line = line_fit(x + piece->first, y + piece->first, piece->count);
        piece->at_zero = line.at_zero;
        piece->slope = line.slope;
        squares += line.squares;
        points += piece->count;
    }
    fit->deviation = sqrt(squares / (double)points);
}

void pieces_fit(const double *x, const double *y, size_t count, double error, struct pieces *fit)
{
    struct break_search search = {.x = x, .y = y, .count = count};
    size_t chosen = 1;
    double least = INFINITY;
    for (size_t pieces = 1; pieces <= PIECES_AT_MOST && pieces * PIECE_POINTS <= count; pieces++) {
        for (size_t end = pieces * PIECE_POINTS; end <= count; end++)
            extend(&search, pieces, end);
        double criterion = bic(search.best[pieces][count].squares, count, pieces, fmax(error, LEAST_ERROR));
        if (criterion < least) {
            least = criterion;
            chosen = pieces;
        }
    }
    *fit = (struct pieces){.count = chosen};
    for (size_t i = chosen, end = count; i > 0; i--) {
        size_t begin = search.best[i][end].begin;
        fit->list[i - 1] = (struct piece){.first = begin, .count = end - begin};
        end = begin;
    }
    put_lines(x, y, fit);
}

void pieces_refit(const double *x, const double *y, const struct pieces *fit, struct pieces *refit)
{
    *refit = *fit;
    put_lines(x, y, refit);
}

size_t pieces_find(const struct pieces *fit, const double *x, double at)
{
    size_t i = 0;
    while (i + 1 < fit->count && x[fit->list[i].first + fit->list[i].count - 1] < at)
        i++;
    return i;
}

double piece_value(const struct piece *piece, double at)
{
    return piece->at_zero + piece->slope * at;
}
