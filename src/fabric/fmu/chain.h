#ifndef HELIO_FABRIC_FMU_CHAIN_H
#define HELIO_FABRIC_FMU_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* A list of records of an array or a pool, linked both ways by indices in the records. Unlike a queue
 * (base/queue.h) it gives up a record from its middle without a search. */
struct chain {
    uint32_t head, tail; /* POOL_NONE: it is empty */
};

struct chain_link {
    uint32_t before, after; /* POOL_NONE: none */
};

/* Where the links of the records are, as in base/queue.h. */
struct chain_links {
    void *records;
    size_t stride, offset;
};

/* CHAIN_LINKS(pool.records, struct fmu_access, link). Made anew for each call: taking from a pool may move
 * its records. */
#define CHAIN_LINKS(records_of_pool, type, link)                                                             \
    ((struct chain_links){                                                                                   \
        .records = (records_of_pool), .stride = sizeof(type), .offset = offsetof(type, link)})

static inline struct chain_link *chain_link(struct chain_links links, uint32_t index)
{
    return (struct chain_link *)(void *)((unsigned char *)links.records + (size_t)index * links.stride +
                                         links.offset);
}

static inline void chain_init(struct chain *chain)
{
    *chain = (struct chain){POOL_NONE, POOL_NONE};
}

/* Tells the neighbours of the record, or the ends of the chain, that it stands between them. */
static inline void chain_join(struct chain *chain, struct chain_links links, uint32_t index)
{
    const struct chain_link *link = chain_link(links, index);
    *(link->before == POOL_NONE ? &chain->head : &chain_link(links, link->before)->after) = index;
    *(link->after == POOL_NONE ? &chain->tail : &chain_link(links, link->after)->before) = index;
}

static inline void chain_append(struct chain *chain, struct chain_links links, uint32_t index)
{
    *chain_link(links, index) = (struct chain_link){.before = chain->tail, .after = POOL_NONE};
    chain_join(chain, links, index);
}

static inline void chain_prepend(struct chain *chain, struct chain_links links, uint32_t index)
{
    *chain_link(links, index) = (struct chain_link){.before = POOL_NONE, .after = chain->head};
    chain_join(chain, links, index);
}

static inline void chain_cut(struct chain *chain, struct chain_links links, uint32_t index)
{
    const struct chain_link *link = chain_link(links, index);
    *(link->before == POOL_NONE ? &chain->head : &chain_link(links, link->before)->after) = link->after;
    *(link->after == POOL_NONE ? &chain->tail : &chain_link(links, link->after)->before) = link->before;
}

#endif
