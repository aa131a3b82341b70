#ifndef HELIO_COLL_TUNING_ROWS_H
#define HELIO_COLL_TUNING_ROWS_H

#include "coll/algorithms.h"
#include "coll/tuning.h"

/* For the files that hold decision tables: ROW(fewer ranks than, fewer bytes than, algorithm), and ROW_IF
 * with a condition. */
#define ANY_RANKS COLL_TUNING_ANY_RANKS
#define ANY_BYTES COLL_TUNING_ANY_BYTES
#define KIB       UINT64_C(1024)
#define MIB       UINT64_C(1048576)

#define ROW(ranks, bytes, name)                                                                              \
    {                                                                                                        \
        (ranks), (bytes), &coll_##name, COLL_TUNING_ALWAYS                                                   \
    }
#define ROW_IF(condition, ranks, bytes, name)                                                                \
    {                                                                                                        \
        (ranks), (bytes), &coll_##name, COLL_TUNING_##condition                                              \
    }

/* Fields of a struct coll_tuning_kind: the arrays NAME_rows and NAME_exceptions. */
#define ROWS(name) .rows = name##_rows, .count = sizeof name##_rows / sizeof *name##_rows
#define EXCEPTIONS(name)                                                                                     \
    .exceptions = name##_exceptions, .exception_count = sizeof name##_exceptions / sizeof *name##_exceptions
#define MEAN  .measure = COLL_TUNING_MEAN
#define TOTAL .measure = COLL_TUNING_TOTAL

#endif
