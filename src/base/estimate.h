#ifndef HELIO_BASE_ESTIMATE_H
#define HELIO_BASE_ESTIMATE_H

#include <stddef.h>

/* What memory a run will need, as the sum of its parts, computed before anything is allocated. Each room says
 * what its part needs, beside the code that allocates it. Counts and bytes are doubles, since the product of
 * ranks and messages may exceed 64 bits. */

struct estimate_part {
    const char *name;   /* "messages", "fabric packet" */
    const char *advice; /* what makes this part smaller, as part of a sentence */
    double bytes;
};

enum { ESTIMATE_PARTS = 16 };

struct estimate {
    struct estimate_part parts[ESTIMATE_PARTS]; /* parts of the same name are one */
    size_t count;
    double pairs;        /* of ranks that send to each other, for fabrics that are scheduled before the run */
    const char *unknown; /* a part that does not say what it needs, and is not in the sum; NULL: none */
};

/* Adds bytes to the part of that name. Texts must live as long as the estimate. */
void estimate_add(struct estimate *estimate, const char *name, const char *advice, double bytes);
double estimate_total(const struct estimate *estimate); /* bytes */
/* NULL: the estimate is empty. */
const struct estimate_part *estimate_largest(const struct estimate *estimate);

/* Bytes of containers of base/mem.h that have grown to so many items of `size` bytes. */
double estimate_pool(double records, size_t size); /* grows by a half */
double estimate_array(double items, size_t size);  /* mem_grow: doubles, from 16 */
/* How often 1 doubles to reach `count`. */
double estimate_doublings(double count);
/* The smallest power of two that is not below `count`, at least `least`. */
double estimate_power(double count, double least);

#endif
