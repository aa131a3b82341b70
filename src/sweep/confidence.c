#include "sweep/confidence.h"

#include <math.h>

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

double student_t95(size_t degrees_of_freedom)
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

struct estimate estimate_of(const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] - values[0]; /* so that the mean of equal values is that value to the last bit */
    struct estimate estimate = {.count = count, .mean = count ? values[0] + sum / (double)count : 0};
    if (count < 2)
        return estimate;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - estimate.mean) * (values[i] - estimate.mean);
    double deviation = sqrt(squares / (double)(count - 1));
    estimate.half_width = student_t95(count - 1) * deviation / sqrt((double)count);
    return estimate;
}
