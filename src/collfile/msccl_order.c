#include <string.h>

#include "collfile/msccl.h"

/* A read since the last write of its cell. A threadblock has one for each cell at most: its last. */
struct msccl_read {
    uint32_t tb, step;
    uint32_t next; /* + 1; 0: none */
};

void msccl_order_init(struct msccl_order *order, const struct msccl_program *program, uint64_t cells)
{
    *order = (struct msccl_order){.program = program};
    order->clocks = mem_alloc(program->tb_count + 1, sizeof *order->clocks, "vector clocks");
    order->begun = mem_alloc(program->tb_count + 1, sizeof *order->begun, "vector clocks");
    order->accesses = mem_alloc(cells + 1, sizeof *order->accesses, "accesses to memory");
    pool_init(&order->kept, sizeof(struct msccl_clock), "vector clocks");
    pool_init(&order->reads, sizeof(struct msccl_read), "accesses to memory");
}

static struct msccl_clock *kept_at(const struct msccl_order *order, uint32_t kept)
{
    return pool_at(&order->kept, kept);
}

/* A clock that was given back has nothing; the pool's list goes through its first bytes. */
void msccl_order_free(struct msccl_order *order)
{
    for (size_t tb = 0; tb < order->program->tb_count; tb++)
        free(order->clocks[tb].known);
    free(order->clocks);
    free(order->begun);
    free(order->scratch.known);
    free(order->accesses);
    pool_free(&order->kept);
    pool_free(&order->reads);
}

void msccl_order_begin(struct msccl_order *order, uint32_t tb, uint32_t step)
{
    order->begun[tb] = step + 1;
}

/* The first entry that is not before this threadblock. */
static size_t place_in(const struct msccl_clock *clock, uint32_t tb)
{
    size_t low = 0, high = clock->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clock->known[middle].tb < tb)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many steps of the other threadblock are done before what this one does now. */
static uint32_t steps_before(const struct msccl_order *order, uint32_t tb, uint32_t other)
{
    const struct msccl_clock *clock = &order->clocks[tb];
    if (tb == other)
        return order->begun[tb];
    size_t at = place_in(clock, other);
    return at < clock->count && clock->known[at].tb == other ? clock->known[at].steps : 0;
}

uint32_t msccl_order_keep(struct msccl_order *order, uint32_t tb)
{
    const struct msccl_clock *clock = &order->clocks[tb];
    size_t at = place_in(clock, tb);
    uint32_t kept = pool_take(&order->kept);
    struct msccl_clock *copy = kept_at(order, kept);
    *copy = (struct msccl_clock){.count = clock->count + 1};
    copy->known = mem_alloc(copy->count, sizeof *copy->known, "vector clocks");
    if (clock->count) {
        memcpy(copy->known, clock->known, at * sizeof *copy->known);
        memcpy(copy->known + at + 1, clock->known + at, (clock->count - at) * sizeof *copy->known);
    }
    copy->known[at] = (struct msccl_known){.tb = tb, .steps = order->begun[tb]};
    order->kept_count += copy->count;
    return kept;
}

void msccl_order_join(struct msccl_order *order, uint32_t tb, uint32_t kept)
{
    const struct msccl_clock *other = kept_at(order, kept);
    struct msccl_clock *clock = &order->clocks[tb], *into = &order->scratch;
    into->known = mem_grow(into->known, &into->capacity, clock->count + other->count, "vector clocks");
    size_t count = 0, i = 0, j = 0;
    while (i < clock->count || j < other->count) {
        uint32_t mine = i < clock->count ? clock->known[i].tb : UINT32_MAX;
        uint32_t theirs = j < other->count ? other->known[j].tb : UINT32_MAX;
        struct msccl_known next = mine <= theirs ? clock->known[i] : other->known[j];
        if (mine == theirs && other->known[j].steps > next.steps)
            next = other->known[j];
        i += mine <= theirs;
        j += theirs <= mine;
        if (next.tb != tb)
            into->known[count++] = next;
    }
    into->count = count;
    struct msccl_clock joined = *into;
    *into = *clock;
    *clock = joined;
}

void msccl_order_drop(struct msccl_order *order, uint32_t kept)
{
    struct msccl_clock *clock = kept_at(order, kept);
    order->kept_count -= clock->count;
    free(clock->known);
    pool_give(&order->kept, kept);
}

/* The write before, if nothing puts it before this step. */
static uint32_t unordered_write(const struct msccl_order *order, uint32_t tb,
                                const struct msccl_access *access, uint32_t *other)
{
    if (access->writer == 0 || steps_before(order, tb, access->writer - 1) >= access->step)
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
        if (found == MSCCL_NONE && steps_before(order, tb, read.tb) < read.step + 1) {
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
