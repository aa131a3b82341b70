#ifndef HELIO_BASE_SUM_H
#define HELIO_BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

/* Sums over ranks, messages, links or time. An amount has at most 64 bits, but a sum of times over a million
 * ranks does not: 2^63 ps are 106 days, and a million ranks are idle as long together in ten seconds. */
typedef __int128 sum_t;

/* Its digits, or from 2^63 on 15 significant ones, as a real number. Returns buffer. */
enum { SUM_TEXT = 32 };
const char *sum_print(sum_t sum, char buffer[SUM_TEXT]);

/* A sum for each link, node or unit. Only the low 64 bits of each are stored, until the first sum passes
 * 2^64: then `high` is allocated. A usual run so takes the memory of 64-bit numbers. Amounts are not
 * negative. */
struct sums {
    int64_t *low;  /* the bits of an unsigned number */
    int64_t *high; /* NULL: all are 0 */
    size_t count;
};

void sums_init(struct sums *sums, size_t count);
void sums_free(struct sums *sums);
size_t sums_bytes(const struct sums *sums); /* memory held */
void sums_set(struct sums *sums, size_t index, sum_t sum);
void sums_carry(struct sums *sums, size_t index);

static inline void sums_add(struct sums *sums, size_t index, uint64_t amount)
{
    uint64_t low;
    if (__builtin_add_overflow((uint64_t)sums->low[index], amount, &low))
        sums_carry(sums, index);
    sums->low[index] = (int64_t)low;
}

/* The number of these two halves; `high` may be NULL. */
static inline sum_t sum_at(const int64_t *low, const int64_t *high, size_t index)
{
    return (sum_t)(uint64_t)low[index] + (high ? (sum_t)high[index] << 64 : 0);
}

#endif
