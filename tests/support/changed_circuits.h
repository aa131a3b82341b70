#ifndef HELIO_TESTS_SUPPORT_CHANGED_CIRCUITS_H
#define HELIO_TESTS_SUPPORT_CHANGED_CIRCUITS_H

#include <string.h>

#include "base/rng.h"
#include "base/time.h"

/* Circuits of a schedule as tests of verifiers change them: records of any type with a start and an end. */
struct changed_circuits {
    void *records;
    size_t *count, size;
    size_t start, end; /* where in a record the ps_t are */
};

#define CHANGED_CIRCUITS(schedule, record)                                                                   \
    (struct changed_circuits)                                                                                \
    {                                                                                                        \
        (schedule)->pieces, &(schedule)->count, sizeof(record), offsetof(record, start_ps),                  \
            offsetof(record, end_ps)                                                                         \
    }

static inline ps_t *changed_time(const struct changed_circuits *circuits, size_t index, size_t where)
{
    return (ps_t *)((char *)circuits->records + index * circuits->size + where);
}

/* Moves a circuit, or one of its ends, by a little (in units of unit_ps); or leaves one out; or moves all
 * later ones, which is right on switches that do not stop. */
static inline void change_circuits(struct rng *rng, const struct changed_circuits *circuits, ps_t unit_ps)
{
    size_t changed = rng_below(rng, *circuits->count);
    ps_t *start_ps = changed_time(circuits, changed, circuits->start);
    ps_t *end_ps = changed_time(circuits, changed, circuits->end);
    ps_t by_ps = (ps_t)rng_below(rng, 5) * unit_ps - 2 * unit_ps;
    switch (rng_below(rng, 5)) {
    case 0:
        *start_ps += by_ps;
        *end_ps += by_ps;
        break;
    case 1:
        *end_ps += by_ps;
        break;
    case 2:
        *start_ps += by_ps;
        break;
    case 3:
        --*circuits->count;
        memmove((char *)circuits->records + changed * circuits->size,
                (char *)circuits->records + *circuits->count * circuits->size, circuits->size);
        break;
    default:
        for (size_t i = 0; i < *circuits->count; i++) {
            ps_t *later_ps = changed_time(circuits, i, circuits->start);
            if (i == changed || *later_ps < *end_ps)
                continue;
            *later_ps += unit_ps;
            *changed_time(circuits, i, circuits->end) += unit_ps;
        }
    }
    if (*start_ps < 0 || *end_ps <= *start_ps) {
        *start_ps = ps_max(*start_ps, 0);
        *end_ps = *start_ps + unit_ps;
    }
}

#endif
