#include "base/estimate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void estimate_add(struct estimate *estimate, const char *name, const char *advice, double bytes)
{
    size_t i = 0;
    while (i < estimate->count && strcmp(estimate->parts[i].name, name) != 0)
        i++;
    if (i == estimate->count) {
        assert(i < ESTIMATE_PARTS);
        estimate->parts[estimate->count++] = (struct estimate_part){.name = name, .advice = advice};
    }
    estimate->parts[i].bytes += bytes;
}

double estimate_total(const struct estimate *estimate)
{
    double bytes = 0;
    for (size_t i = 0; i < estimate->count; i++)
        bytes += estimate->parts[i].bytes;
    return bytes;
}

const struct estimate_part *estimate_largest(const struct estimate *estimate)
{
    const struct estimate_part *largest = NULL;
    for (size_t i = 0; i < estimate->count; i++)
        if (!largest || estimate->parts[i].bytes > largest->bytes)
            largest = &estimate->parts[i];
    return largest;
}

double estimate_pool(double records, size_t size)
{
    const double mean_growth = 1.25; /* the capacity is 1 to 1.5 times the records */
    return records * mean_growth * (double)size;
}

double estimate_doublings(double count)
{
    return count > 1 ? ceil(log2(count)) : 0;
}

double estimate_power(double count, double least)
{
    double power = least;
    while (power < count)
        power *= 2;
    return power;
}

double estimate_array(double items, size_t size)
{
    return items > 0 ? estimate_power(items, 16) * (double)size : 0;
}
