#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "live/probe/probe.h"

/* A word that goes to and fro between the two cores. On a virtual machine the host may move the cores apart
 * in the middle of it all; nothing else shows that. */
struct line {
    _Alignas(64) _Atomic uint32_t turn;
};

struct line *line_open(struct pair *pair)
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
        if (handle >= 0 && ftruncate(handle, sizeof(struct line)) != 0) {
            close(handle);
            handle = -1;
        }
    }
    pair_meet(pair);
    if (pair->me == 1)
        handle = shm_open(shared, O_RDWR, 0600);
    pair_meet(pair);
    if (pair->me == 0)
        shm_unlink(shared);
    void *mapped = MAP_FAILED;
    if (handle >= 0) {
        mapped = mmap(NULL, sizeof(struct line), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
        close(handle);
    }
    char mine = mapped != MAP_FAILED, other;
    pair->exchange(pair, &mine, &other, 1);
    if (mine && other)
        return mapped;
    if (mine)
        munmap(mapped, sizeof(struct line));
    return NULL;
}

void line_block(void *self, struct pair *pair, unsigned variant)
{
    struct line *line = self;
    (void)variant;
    enum { TURNS = 2000 };
    pair_meet(pair);
    uint32_t me = (uint32_t)pair->me;
    uint32_t first = atomic_load(&line->turn);
    pair_meet(pair);
    ticks_t from = clock_now();
    for (uint32_t i = 0; i < TURNS; i++) {
        while (atomic_load_explicit(&line->turn, memory_order_acquire) != first + 2 * i + me)
            ;
        atomic_store_explicit(&line->turn, first + 2 * i + me + 1, memory_order_release);
    }
    ticks_t to = clock_now();
    if (pair->me == 0)
        record(Q_LINE, clock_ns(from, to) / (2 * TURNS - 1));
    pair_meet(pair);
}

void line_close(struct line *line)
{
    munmap(line, sizeof *line);
}
