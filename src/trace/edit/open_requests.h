#ifndef HELIO_TRACE_EDIT_OPEN_REQUESTS_H
#define HELIO_TRACE_EDIT_OPEN_REQUESTS_H

#include "trace/image/compiled.h"

/* The requests of a rank that are open while somebody walks over its calls. */
struct started_request {
    uint32_t slot;
    bool tested; /* the test may have completed it */
    uint64_t place, started;
};

struct open_requests {
    struct started_request *list;
    size_t count, capacity;
    uint32_t *at; /* by slot: its number in the list, plus 1; 0 = not open */
    size_t at_capacity;
};

/* All zero before the first rank. */
void open_requests_begin(struct open_requests *requests, const struct compiled_trace *source, uint32_t rank);
void open_requests_free(struct open_requests *requests);

/* Called for a request that a call names, with the places at which the request was started (or tested last)
 * and is named, and with the indices of both calls. */
typedef void open_requests_named(void *self, uint64_t first, uint64_t last, uint64_t started, uint64_t named);

/* The next call, its index, and the place that it stands behind. */
void open_requests_see(struct open_requests *requests, const struct call *call, uint64_t at, uint64_t place,
                       open_requests_named *named, void *self);

#endif
