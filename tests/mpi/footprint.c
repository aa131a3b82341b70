/* What the preloaded library holds for MPI_COMM_WORLD after some calls: heap, shared memory, mappings,
 * descriptors. `helio coll plan --library` predicts it.
 *
 *   footprint_MPI allreduce|allgather|alltoall BYTES RANKS-PER-NODE */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/mman.h>

#include "holdings.h"
#include "support/sanitizer.h"

/* --------------------------------------------------------------------- heap */

#define PUBLIC __attribute__((visibility("default")))

static void *library; /* the preloaded library's address; NULL: it is not known yet */

/* The library's blocks. Only one thread of this program allocates for it. */
enum { BLOCKS_MAX = 4096 };
static struct {
    void *at;
    size_t bytes;
} blocks[BLOCKS_MAX];

static void find_library(void)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, "MPI_Alltoall");
    if (function && dladdr(function, &info) && strstr(info.dli_fname, "helio_coll"))
        library = info.dli_fbase;
}

#if !HAS_SANITIZER /* sanitizers replace malloc themselves */

/* glibc's own functions, under the names that it has for programs that replace malloc. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void __libc_free(void *memory);

static void forget(const void *memory)
{
    for (int i = 0; memory && library && i < BLOCKS_MAX; i++)
        if (blocks[i].at == memory)
            blocks[i].at = NULL;
}

static void *note(void *caller, void *memory, size_t bytes)
{
    Dl_info info;
    if (!library || !memory || !dladdr(caller, &info) || info.dli_fbase != library)
        return memory;
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (!blocks[i].at) {
            blocks[i].at = memory, blocks[i].bytes = bytes;
            break;
        }
    return memory;
}

PUBLIC void *malloc(size_t bytes)
{
    return note(__builtin_return_address(0), __libc_malloc(bytes), bytes);
}

PUBLIC void *calloc(size_t count, size_t bytes)
{
    return note(__builtin_return_address(0), __libc_calloc(count, bytes), count * bytes);
}

PUBLIC void *realloc(void *memory, size_t bytes)
{
    forget(memory);
    return note(__builtin_return_address(0), __libc_realloc(memory, bytes), bytes);
}

PUBLIC void free(void *memory)
{
    forget(memory);
    __libc_free(memory);
}

#endif

static long heap_held(void)
{
    size_t bytes = 0;
    for (int i = 0; i < BLOCKS_MAX; i++)
        bytes += blocks[i].at ? blocks[i].bytes : 0;
    return (long)bytes;
}

/* ------------------------------------------------------------ shared memory */

struct shared_memory {
    long mappings, address_bytes, used_bytes;
};

/* Bytes of the pages that the kernel has provided, whoever has written them. */
static long pages_used(void *from, size_t bytes)
{
    long page = sysconf(_SC_PAGESIZE), used = 0;
    size_t count = bytes / (size_t)page;
    unsigned char *is_there = room(count);
    if (mincore(from, bytes, is_there) != 0)
        fail("footprint", "mincore", 0, 0);
    for (size_t i = 0; i < count; i++)
        used += is_there[i] & 1;
    free(is_there);
    return used * page;
}

static struct shared_memory shared_now(void)
{
    struct shared_memory now = {0};
    unsigned long from, to;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "memfd:helio-coll") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        now.mappings++;
        now.address_bytes += (long)(to - from);
        now.used_bytes += pages_used((void *)from, to - from); // NOLINT: an address of this process
    }
    if (maps)
        fclose(maps);
    return now;
}

/* -------------------------------------------------------------------- calls */

static void call(const char *kind, int bytes, char *send, char *recv)
{
    if (strcmp(kind, "allreduce") == 0)
        MPI_Allreduce(send, recv, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(kind, "allgather") == 0)
        MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
        MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static long largest(long mine)
{
    long all = 0;
    PMPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static long sum_of_node(long mine, int per_node)
{
    long sum = 0;
    MPI_Comm node;
    PMPI_Comm_split(MPI_COMM_WORLD, world_rank / per_node, world_rank, &node);
    PMPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, node);
    PMPI_Comm_free(&node);
    return sum;
}

int main(int argc, char **argv)
{
    enum { CALLS = 6 };
    begin_checks(&argc, &argv);
    if (argc != 4)
        fail("footprint", "there must be three arguments", argc, 0);
    int bytes = (int)strtol(argv[2], NULL, 10), per_node = (int)strtol(argv[3], NULL, 10);
    char *send = room((size_t)bytes * (size_t)world_size), *recv = room((size_t)bytes * (size_t)world_size);
    memset(send, 0, (size_t)bytes * (size_t)world_size);
    for (int i = 0; i < CALLS; i++) /* the MPI opens what it needs */
        PMPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, MPI_COMM_WORLD);
    struct holdings before = holdings_now("footprint");
    find_library();
    for (int i = 0; i < CALLS; i++)
        call(argv[1], bytes, send, recv);
    long heap = heap_held();
    struct holdings after = holdings_now("footprint");
    struct shared_memory shared = shared_now();
    PMPI_Barrier(MPI_COMM_WORLD);
    long rank_heap = largest(heap), node_heap = largest(sum_of_node(heap, per_node)),
         used = largest(shared.used_bytes), address = largest(shared.address_bytes),
         mappings = largest(shared.mappings), descriptors = largest(after.descriptors - before.descriptors);
    if (world_rank == 0)
        printf("rank_heap %ld\nnode_heap %ld\nused %ld\naddress %ld\nmappings %ld\ndescriptors "
               "%ld\nis_counted %d\n"
               "ok footprint\n",
               rank_heap, node_heap, used, address, mappings, descriptors, !HAS_SANITIZER),
            fflush(stdout);
    free(send), free(recv);
    return end_checks();
}
