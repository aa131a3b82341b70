#ifndef HELIO_BASE_STATS_H
#define HELIO_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Statistics of a sample. Functions of sorted values expect ascending order and at least one value. */

void stats_sort(double *values, size_t count);
void stats_sort_int64(int64_t *values, size_t count); /* also times, ps_t */

/* Two definitions of a quantile, as the index of a sorted value. By nearest rank: the smallest value that
 * `percent` of all values do not exceed. By lower rank: the value at that part of the way from the first to
 * the last, rounded down, so that 0 is the least value and 100 the greatest. */
static inline size_t stats_nearest_rank(size_t count, unsigned percent)
{
    size_t rank = (count * percent + 99) / 100;
    return rank ? rank - 1 : 0;
}

static inline size_t stats_lower_rank(size_t count, unsigned percent)
{
    return (count - 1) * percent / 100;
}

double stats_mean(const double *values, size_t count);

/* Of sorted values; of an even number the mean of the middle two. */
double stats_median(const double *sorted, size_t count);

/* The median and an interval of two sample values that holds the true median with a probability of at least
 * 95 %, whatever the distribution is: as many values are left out at each end as the binomial distribution
 * allows. Fewer than six values allow none, and the interval is the whole range. */
struct median_estimate {
    double median, low, high;
};
struct median_estimate stats_estimate_median(const double *sorted, size_t count);

/* The mean of independent values that scatter as a normal distribution does, with its uncertainty:
 * mean +- t s / sqrt(n), with s the standard deviation of the sample and t = stats_t95(n - 1). */
struct mean_estimate {
    size_t count;
    double mean;
    double half_width; /* of the 95 % confidence interval around it; 0 with fewer than two values */
};
struct mean_estimate stats_estimate_mean(const double *values, size_t count);

/* Student's t: a value lies between -t and t with a probability of 95 % (Abramowitz and Stegun, Handbook of
 * Mathematical Functions, equations 26.7.3 and 26.7.4, solved for t). */
double stats_t95(size_t degrees_of_freedom);

#endif
