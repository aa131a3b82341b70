#include "base/sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

const char *sum_print(sum_t sum, char buffer[SUM_TEXT])
{
    if (sum <= INT64_MAX)
        snprintf(buffer, SUM_TEXT, "%" PRId64, (int64_t)sum);
    else
        snprintf(buffer, SUM_TEXT, "%.15g", (double)sum);
    return buffer;
}

void sums_init(struct sums *sums, size_t count)
{
    *sums = (struct sums){.low = mem_alloc(count, sizeof *sums->low, "statistics"), .count = count};
}

void sums_free(struct sums *sums)
{
    free(sums->low);
    free(sums->high);
    *sums = (struct sums){.count = 0};
}

size_t sums_bytes(const struct sums *sums)
{
    return sums->count * (sizeof *sums->low + (sums->high ? sizeof *sums->high : 0));
}

static void make_high(struct sums *sums)
{
    if (!sums->high)
        sums->high = mem_alloc(sums->count, sizeof *sums->high, "statistics");
}

void sums_carry(struct sums *sums, size_t index)
{
    make_high(sums);
    sums->high[index]++;
}

void sums_set(struct sums *sums, size_t index, sum_t sum)
{
    int64_t high = (int64_t)(sum >> 64);
    if (high)
        make_high(sums);
    if (sums->high)
        sums->high[index] = high;
    sums->low[index] = (int64_t)(uint64_t)sum;
}
