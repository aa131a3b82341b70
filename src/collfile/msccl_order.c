#include <string.h>

#include "collfile/msccl.h"

/* A read since the last write of its cell. A threadblock has one for each cell at most: its last. */
struct msccl_read {
    uint32_t tb, step;
    uint32_t next; /* + 1; 0: none */
};

void msccl_order_init(struct msccl_order *order, const struct msccl_program *program, uint64_t cells)
{
    *order = (struct msccl_order){.program = program, .tbs = program->tb_count};
    order->clocks = mem_alloc(order->tbs * order->tbs + 1, sizeof *order->clocks, "vector clocks");
    order->accesses = mem_alloc(cells + 1, sizeof *order->accesses, "accesses to memory");
    pool_init(&order->kept, (order->tbs + 1) * sizeof(uint32_t), "vector clocks");
    pool_init(&order->reads, sizeof(struct msccl_read), "accesses to memory");
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

static struct msccl_read *read_at(const struct msccl_order *order, uint32_t number)
{
    return pool_at(&order->reads, number - 1);
}

uint32_t msccl_order_read(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                          uint32_t *other)
{
    struct msccl_access *access = &order->accesses[cell];
    uint32_t at = access->readers;
    while (at && read_at(order, at)->tb != tb)
        at = read_at(order, at)->next;
    if (at == 0) {
        at = pool_take(&order->reads) + 1;
        *read_at(order, at) = (struct msccl_read){.tb = tb, .next = access->readers};
        access->readers = at;
    }
    read_at(order, at)->step = step;
    return unordered_write(order, tb, access, other);
}

uint32_t msccl_order_write(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                           uint32_t *other)
{
    struct msccl_access *access = &order->accesses[cell];
    uint32_t found = unordered_write(order, tb, access, other);
    while (access->readers) {
        struct msccl_read read = *read_at(order, access->readers);
        if (found == MSCCL_NONE && clock_of(order, tb)[read.tb] < read.step + 1) {
            found = read.tb;
            *other = read.step;
        }
        pool_give(&order->reads, access->readers - 1);
        access->readers = read.next;
    }
    access->writer = tb + 1;
    access->step = step + 1;
    return found;
}
