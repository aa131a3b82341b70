#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "live/probe/probe.h"

/* A cache line that goes to and fro between the two cores. On a virtual machine the host may move the two
 * virtual cores to other cores during the measurement; only this time shows it. */
struct cache_line {
    _Alignas(64) _Atomic uint32_t turn;
};

struct cache_line *cache_line_open(struct probe_pair *pair)
{
    char name[64] = "";
    char theirs[sizeof name];
    if (pair->me == 0)
        snprintf(name, sizeof name, "/helio-probe-%ld", (long)getpid());
    pair->exchange(pair, name, theirs, sizeof name);
    const char *shared = pair->me == 0 ? name : theirs;
    int handle = -1;
    if (pair->me == 0) {
        handle = shm_open(shared, O_CREAT | O_RDWR, 0600);
        if (handle >= 0 && ftruncate(handle, sizeof(struct cache_line)) != 0) {
            close(handle);
            handle = -1;
        }
    }
    pair_barrier(pair);
    if (pair->me == 1)
        handle = shm_open(shared, O_RDWR, 0600);
    pair_barrier(pair);
    if (pair->me == 0)
        shm_unlink(shared);
    void *mapped = MAP_FAILED;
    if (handle >= 0) {
        mapped = mmap(NULL, sizeof(struct cache_line), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
        close(handle);
    }
    char mine = mapped != MAP_FAILED, other;
    pair->exchange(pair, &mine, &other, 1);
    if (mine && other)
        return mapped;
    if (mine)
        munmap(mapped, sizeof(struct cache_line));
    return NULL;
}

void cache_line_block(void *self, struct probe_pair *pair, unsigned variant)
{
    struct cache_line *line = self;
    (void)variant;
    enum { TURNS = 2000 };
    pair_barrier(pair);
    uint32_t me = (uint32_t)pair->me;
    uint32_t first = atomic_load(&line->turn);
    pair_barrier(pair);
    ticks_t from = clock_now();
    for (uint32_t i = 0; i < TURNS; i++) {
        while (atomic_load_explicit(&line->turn, memory_order_acquire) != first + 2 * i + me)
            ;
        atomic_store_explicit(&line->turn, first + 2 * i + me + 1, memory_order_release);
    }
    ticks_t to = clock_now();
    if (pair->me == 0)
        record_sample(Q_LINE, clock_ns(from, to) / (2 * TURNS - 1));
    pair_barrier(pair);
}

void cache_line_close(struct cache_line *line)
{
    munmap(line, sizeof *line);
}
