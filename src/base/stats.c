#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --------------------------------------------------------- order statistics */

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int compare_integers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void stats_sort(double *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, compare_doubles);
}

/* A radix sort: passes over the digits, the lowest first. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 512 /* that qsort sorts as fast */ };

static inline size_t digit_of(int64_t value, unsigned shift)
{
    const uint64_t ordered = (uint64_t)value ^ UINT64_C(1) << 63; /* negative values come first */
    return (size_t)(ordered >> shift) % DIGITS;
}

static void sort_by_digit(const int64_t *from, int64_t *into, size_t count, unsigned shift)
{
    size_t place[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        place[digit_of(from[i], shift)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        into[place[digit_of(from[i], shift)]++] = from[i];
}

/* Digits that are the same in all values need no pass. */
static void sort_by_digits(int64_t *values, size_t count)
{
    uint64_t differs = 0;
    for (size_t i = 1; i < count; i++)
        differs |= (uint64_t)values[i] ^ (uint64_t)values[0];
    if (!differs)
        return;
    int64_t *other = mem_alloc(count, sizeof *other, "sorting"), *from = values, *into = other;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if ((differs >> shift) % DIGITS == 0)
            continue;
        sort_by_digit(from, into, count, shift);
        int64_t *sorted = into;
        into = from;
        from = sorted;
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
    free(other);
}

void stats_sort_int64(int64_t *values, size_t count)
{
    if (count > FEW)
        sort_by_digits(values, count);
    else if (count)
        qsort(values, count, sizeof *values, compare_integers);
}

double stats_median(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* The probability that the true median is below the value with `cut` values before it, or above its
 * counterpart at the other end, is twice the sum of the binomial probabilities of 0 to `cut` of `count`. */
struct median_estimate stats_estimate_median(const double *sorted, size_t count)
{
    double outside = 0, probability = pow(0.5, (double)count);
    size_t cut = 0; /* values left out at each end */
    for (size_t k = 0; 2 * k + 1 < count; k++) {
        outside += 2 * probability;
        if (outside > 0.05)
            break;
        cut = k;
        probability *= (double)(count - k) / (double)(k + 1);
    }
    return (struct median_estimate){
        .median = stats_median(sorted, count), .low = sorted[cut], .high = sorted[count - 1 - cut]};
}

/* -------------------------------------------------------------------- means */

double stats_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* A(t|n), the probability of a value between -t and t: a finite sum of powers of cos(theta), theta =
 * atan(t / sqrt(n)); odd powers for odd n, even ones for even n. */
static double between(double t, size_t n)
{
    double theta = atan(t / sqrt((double)n)), cosine = cos(theta), sum = 0;
    double term = n % 2 ? cosine : 1;
    for (size_t power = n % 2 ? 1 : 0; power + 2 <= n; power += 2) {
        sum += term;
        term *= cosine * cosine * (double)(power + 1) / (double)(power + 2);
    }
    return n % 2 ? 2 / M_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
}

double stats_t95(size_t degrees_of_freedom)
{
    enum { HALVINGS = 60 };
    const double wanted = 0.95;
    double low = 0, high = 16; /* one degree of freedom has the widest, 12.7 */
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (between(middle, degrees_of_freedom) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct mean_estimate stats_estimate_mean(const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] - values[0]; /* so that the mean of equal values is that value to the last bit */
    struct mean_estimate estimate = {.count = count, .mean = count ? values[0] + sum / (double)count : 0};
    if (count < 2)
        return estimate;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - estimate.mean) * (values[i] - estimate.mean);
    double deviation = sqrt(squares / (double)(count - 1));
    estimate.half_width = stats_t95(count - 1) * deviation / sqrt((double)count);
    return estimate;
}
