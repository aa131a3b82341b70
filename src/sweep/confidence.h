#ifndef HELIO_SWEEP_CONFIDENCE_H
#define HELIO_SWEEP_CONFIDENCE_H

#include <stddef.h>

/* A mean with its uncertainty. */
struct estimate {
    size_t count;
    double mean;
    double half_width; /* of the 95 % confidence interval around it; 0 with fewer than two values */
};

/* Of independent values that scatter as a normal distribution does: mean +- t s / sqrt(n), with s the
 * standard deviation of the sample and t the quantile of Student's distribution with n - 1 degrees of
 * freedom. */
struct estimate estimate_of(const double *values, size_t count);

/* The t that lies between -t and t with a probability of 95 % (Abramowitz and Stegun, Handbook of
 * Mathematical Functions, equations 26.7.3 and 26.7.4, solved for t). */
double student_t95(size_t degrees_of_freedom);

#endif
