#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "live/probe/probe.h"

/* A cache line that goes to and fro between the two cores. On a virtual machine the host may move the two
 * virtual cores to other cores during the measurement; only this time shows it. */
struct cache_line {
    _Alignas(64) _Atomic uint32_t turn;
};

enum { NAME_BYTES = 64 };

/* The name is a secret and must be new: everybody may make objects of shared memory, and someone else's would
 * be read and written by others, or cut short while it is in use. The name is empty if there is no object. */
static int make_object(char name[NAME_BYTES])
{
    uint64_t secret[2];
    if (getrandom(secret, sizeof secret, 0) != sizeof secret)
        return -1;
    snprintf(name, NAME_BYTES, "/helio-probe-%016llx%016llx", (unsigned long long)secret[0],
             (unsigned long long)secret[1]);
    int handle = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (handle >= 0 && ftruncate(handle, sizeof(struct cache_line)) == 0)
        return handle;
    if (handle >= 0) {
        shm_unlink(name);
        close(handle);
    }
    *name = '\0';
    return -1;
}

/* The object that the other process has made; -1: it has made none. */
static int open_object(char name[NAME_BYTES])
{
    struct stat object;
    name[NAME_BYTES - 1] = '\0';
    int handle = *name ? shm_open(name, O_RDWR, 0) : -1;
    if (handle < 0 || (fstat(handle, &object) == 0 && object.st_uid == geteuid() &&
                       object.st_size == sizeof(struct cache_line)))
        return handle;
    close(handle);
    return -1;
}

struct cache_line *cache_line_open(struct probe_pair *pair)
{
    char name[NAME_BYTES] = "";
    char theirs[NAME_BYTES];
    int handle = pair->me == 0 ? make_object(name) : -1;
    pair->exchange(pair, name, theirs, NAME_BYTES);
    if (pair->me == 1)
        handle = open_object(theirs);
    pair_barrier(pair);
    if (pair->me == 0 && handle >= 0)
        shm_unlink(name);
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
