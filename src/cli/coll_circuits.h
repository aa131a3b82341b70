#ifndef HELIO_CLI_COLL_CIRCUITS_H
#define HELIO_CLI_COLL_CIRCUITS_H

#include "output/json.h"
#include "schedule/collective/collective.h"

/* What `helio coll circuits` was asked and has found: an answer for each size. */
enum { COLL_CIRCUITS_MOST = 64, COLL_CIRCUITS_DIGITS = 15 }; /* sizes, switching times; digits in JSON */
struct coll_circuits {
    struct collective_task collective; /* `bytes` is that of the last answer */
    struct collective_network network;
    const struct coll_algorithm *only; /* NULL: all */
    uint64_t bytes[COLL_CIRCUITS_MOST];
    ps_t switching_ps[COLL_CIRCUITS_MOST];
    size_t sizes, times;
    struct collective_answer answers[COLL_CIRCUITS_MOST];
};

/* "allreduce of 64 ranks on a circuit switch": the title of tables and pages. Returns buffer. */
const char *coll_circuits_title(const struct coll_circuits *run, char *buffer, size_t size);

/* The table, or for one size and one time the plan. */
void coll_circuits_print(const struct coll_circuits *run);
void coll_circuits_print_csv(const struct coll_circuits *run);
json_t *coll_circuits_json(const struct coll_circuits *run);

#endif
