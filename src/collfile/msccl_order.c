#include <string.h>

#include "collfile/msccl.h"

/* A read since the last write of its cell. A threadblock has one for each cell at most: its last. */
struct read {
    uint32_t tb, step, next;
};

void msccl_order_init(struct msccl_order *order, const struct msccl_program *program, uint64_t cells)
{
    *order = (struct msccl_order){.program = program, .tbs = program->tb_count};
    order->clocks = mem_alloc(order->tbs * order->tbs + 1, sizeof *order->clocks, "vector clocks");
    order->accesses = mem_alloc(cells + 1, sizeof *order->accesses, "accesses to memory");
    for (uint64_t i = 0; i < cells; i++)
        order->accesses[i].readers = POOL_NONE;
    pool_init(&order->kept, (order->tbs + 1) * sizeof(uint32_t), "vector clocks");
    pool_init(&order->reads, sizeof(struct read), "accesses to memory");
}

void msccl_order_free(struct msccl_order *order)
{
    free(order->clocks);
    free(order->accesses);
    pool_free(&order->kept);
    pool_free(&order->reads);
}

static uint32_t *clock_of(const struct msccl_order *order, uint32_t tb)
{
    return order->clocks + tb * order->tbs;
}

void msccl_order_begin(struct msccl_order *order, uint32_t tb, uint32_t step)
{
    clock_of(order, tb)[tb] = step + 1;
}

uint32_t msccl_order_keep(struct msccl_order *order, uint32_t tb)
{
    uint32_t kept = pool_take(&order->kept);
    memcpy(pool_at(&order->kept, kept), clock_of(order, tb), order->tbs * sizeof(uint32_t));
    return kept;
}

void msccl_order_join(struct msccl_order *order, uint32_t tb, uint32_t kept)
{
    uint32_t *clock = clock_of(order, tb);
    const uint32_t *other = pool_at(&order->kept, kept);
    for (size_t i = 0; i < order->tbs; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

void msccl_order_drop(struct msccl_order *order, uint32_t kept)
{
    pool_give(&order->kept, kept);
}

/* The write before, if nothing puts it before this step. */
static uint32_t unordered_write(const struct msccl_order *order, uint32_t tb,
                                const struct msccl_access *access, uint32_t *other)
{
    if (access->writer == 0 || clock_of(order, tb)[access->writer - 1] >= access->step)
        return MSCCL_NONE;
    *other = access->step - 1;
    return access->writer - 1;
}

uint32_t msccl_order_read(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                          uint32_t *other)
{
    struct msccl_access *access = &order->accesses[cell];
    uint32_t at = access->readers;
    while (at != POOL_NONE && ((struct read *)pool_at(&order->reads, at))->tb != tb)
        at = ((struct read *)pool_at(&order->reads, at))->next;
    if (at == POOL_NONE) {
        at = pool_take(&order->reads);
        *(struct read *)pool_at(&order->reads, at) = (struct read){.tb = tb, .next = access->readers};
        access->readers = at;
    }
    ((struct read *)pool_at(&order->reads, at))->step = step;
    return unordered_write(order, tb, access, other);
}

uint32_t msccl_order_write(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                           uint32_t *other)
{
    struct msccl_access *access = &order->accesses[cell];
    uint32_t found = unordered_write(order, tb, access, other);
    while (access->readers != POOL_NONE) {
        uint32_t at = access->readers;
        struct read read = *(struct read *)pool_at(&order->reads, at);
        if (found == MSCCL_NONE && clock_of(order, tb)[read.tb] < read.step + 1) {
            found = read.tb;
            *other = read.step;
        }
        access->readers = read.next;
        pool_give(&order->reads, at);
    }
    access->writer = tb + 1;
    access->step = step + 1;
    return found;
}
