#ifndef HELIO_ENGINE_RANK_COLL_CHECK_H
#define HELIO_ENGINE_RANK_COLL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/queue_table.h"
#include "coll/coll.h"
#include "engine/rank/context.h"

/* The check that all ranks of a group make the same collective calls in the same order. The first rank of a
 * call leaves what it calls; the others compare; the last one takes the record away. */
struct coll_check {
    struct run_context *context;
    struct queue_table by_call;
    struct pool records;
};

/* One rank's entry into a collective call. */
struct coll_entry {
    uint32_t rank;
    uint32_t group, context;
    uint32_t sequence; /* how many collective calls its group has made before */
    uint32_t size;     /* ranks of the group */
    int32_t root;
    uint8_t op; /* enum call_op */
};

void coll_check_init(struct coll_check *check, struct run_context *context);
void coll_check_free(struct coll_check *check);
size_t coll_check_bytes(const struct coll_check *check);

/* False, reported: other ranks make another call; the run has failed. */
bool coll_check_enter(struct coll_check *check, const struct coll_entry *entry);

/* False, reported: the blocks of this rank's call have more bytes than sums and offsets of them can count;
 * the run has failed. */
bool coll_check_bytes_fit(struct coll_check *check, uint32_t rank, const struct coll_call *call,
                          const struct coll_algorithm *algorithm);

#endif
