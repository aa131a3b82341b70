#ifndef HELIO_COLL_BLOCKS_H
#define HELIO_COLL_BLOCKS_H

#include "coll/coll.h"

/* The blocks of a buffer, one for each rank: equal blocks, blocks of given lengths, the nearly equal parts of
 * a vector, which never cut an element, or blocks whose lengths a function sums up. */
struct blocks {
    const uint64_t *bytes; /* given lengths */
    /* Bytes of blocks first ... first + count - 1. */
    uint64_t (*sum)(const void *of, uint32_t first, uint32_t count);
    const void *of;
    /* Without both: */
    uint64_t unit_bytes;
    uint64_t per_block; /* units in each block */
    uint64_t longer;    /* this many blocks, the first ones, have one unit more */
    uint64_t total_bytes;
    uint32_t filled; /* blocks from here on are empty */
    uint32_t count;
    bool placed; /* offsets are computed, also where that takes a sum */
};

static inline struct blocks blocks_equal(uint32_t count, uint64_t block_bytes)
{
    return (struct blocks){.unit_bytes = block_bytes,
                           .per_block = 1,
                           .total_bytes = count * block_bytes,
                           .filled = count,
                           .count = count,
                           .placed = true};
}

/* Lengths as MPI gives them; an absent array stands for equal blocks. */
static inline struct blocks blocks_given(uint32_t count, const uint64_t *bytes, uint64_t block_bytes,
                                         bool placed)
{
    struct blocks blocks = blocks_equal(count, block_bytes);
    blocks.bytes = bytes;
    blocks.placed = placed;
    return blocks;
}

/* A vector. Its last element may be short, if the count and the element size of the caller disagree. */
static inline struct blocks blocks_parts(uint32_t count, uint64_t vector_bytes, uint64_t element_bytes)
{
    uint64_t units = vector_bytes / element_bytes + (vector_bytes % element_bytes != 0);
    return (struct blocks){.unit_bytes = element_bytes,
                           .per_block = units / count,
                           .longer = units % count,
                           .total_bytes = vector_bytes,
                           .filled = count,
                           .count = count,
                           .placed = true};
}

/* The same, with empty blocks behind them: `all` blocks together. */
static inline struct blocks blocks_padded(struct blocks blocks, uint32_t all)
{
    blocks.count = all;
    return blocks;
}

static inline struct blocks
blocks_summed(uint32_t count, uint64_t (*sum)(const void *of, uint32_t first, uint32_t count), const void *of)
{
    return (struct blocks){.sum = sum, .of = of, .count = count, .placed = true};
}

/* The same with parts of equal length rounded up: the last ones may be shorter, or empty. */
static inline struct blocks blocks_rounded_up(uint32_t count, uint64_t vector_bytes, uint64_t element_bytes)
{
    struct blocks blocks = blocks_parts(count, vector_bytes, element_bytes);
    blocks.per_block += blocks.longer > 0;
    blocks.longer = 0;
    return blocks;
}

static inline uint64_t blocks_computed_start(const struct blocks *blocks, uint32_t index)
{
    if (index >= blocks->filled)
        return blocks->total_bytes;
    uint64_t units = blocks->per_block * index + (index < blocks->longer ? index : blocks->longer);
    uint64_t start = units * blocks->unit_bytes;
    return start < blocks->total_bytes ? start : blocks->total_bytes;
}

/* Bytes of blocks first ... first + count - 1. */
static inline uint64_t blocks_bytes(const struct blocks *blocks, uint32_t first, uint32_t count)
{
    if (blocks->sum)
        return blocks->sum(blocks->of, first, count);
    if (!blocks->bytes)
        return blocks_computed_start(blocks, first + count) - blocks_computed_start(blocks, first);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += blocks->bytes[first + i];
    return sum;
}

/* One block for each rank of the call: of the lengths that the ranks receive, or equal ones. */
static inline struct blocks blocks_of_call(const struct coll_call *call, bool placed)
{
    return blocks_given(call->size, call->recv_bytes, call->bytes, placed);
}

static inline uint64_t blocks_of_call_bytes(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    return blocks_bytes(&blocks, 0, call->size);
}

/* Bytes of `count` blocks from block `first` on, around the end. */
static inline uint64_t blocks_cyclic_bytes(const struct blocks *blocks, uint32_t first, uint32_t count)
{
    uint32_t left = blocks->count - first;
    if (count <= left)
        return blocks_bytes(blocks, first, count);
    return blocks_bytes(blocks, first, left) + blocks_bytes(blocks, 0, count - left);
}

/* The offset of block `index`; 0 for given lengths if offsets are not computed. */
static inline uint64_t blocks_offset(const struct blocks *blocks, uint32_t index)
{
    if (blocks->bytes && !blocks->placed)
        return 0;
    return blocks_bytes(blocks, 0, index);
}

static inline struct coll_span blocks_span(const struct blocks *blocks, enum coll_buffer buffer,
                                           uint32_t first, uint32_t count)
{
    return (struct coll_span){buffer, blocks_offset(blocks, first), blocks_bytes(blocks, first, count)};
}

#endif
