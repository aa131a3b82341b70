#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coll/footprint.h"
#include "live/coll/internal.h"

/* The size of one copy of the data. It is address space: the kernel provides a page at its first use. Where
 * memory is limited, both copies together take at most an eighth of it: the kernel ends a process that goes
 * over the limit. */
enum { SHARE_OF_LIMIT = 16 };

static uint64_t copy_bytes(const struct live_comm *comm)
{
    uint64_t most = COLL_FOOTPRINT_COPY, share = comm->memory / SHARE_OF_LIMIT;
    return share < most ? share : most;
}

uint32_t live_memory_flags(const struct live_comm *comm, uint32_t ranks_here)
{
    return coll_footprint_flags(comm->nodes.count, ranks_here);
}

static size_t counters_bytes(const struct live_comm *comm)
{
    return coll_footprint_counters(comm->nodes.count, comm->here, (uint64_t)sysconf(_SC_PAGESIZE));
}

/* A file in memory without a name, so that nothing is left behind when processes are killed. -1: none can be
 * made. Where files may not be so long (ulimit -f), the kernel would end the process by a signal; so the
 * limit is checked first. */
static int make_file(size_t bytes)
{
    struct rlimit longest;
    if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < bytes)
        return -1;
    int file = memfd_create("helio-coll", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* A reference to a file descriptor of another process on this host: where it is, and the identity of the
 * file. */
struct fd_ref {
    int32_t process, file;
    uint64_t device, inode;
};

static struct fd_ref fd_ref_of(int file)
{
    struct stat is;
    if (file < 0 || fstat(file, &is) != 0)
        return (struct fd_ref){.file = -1};
    return (struct fd_ref){(int32_t)getpid(), file, is.st_dev, is.st_ino};
}

/* Opens the file through /proc; -1: it cannot. In containers that number their processes apart, the same
 * number may belong to a different process, which may have a file of the program under that descriptor. So
 * the identity of the file is compared before it is opened. */
static int fd_ref_open(const struct fd_ref *ref)
{
    char path[64];
    struct stat is;
    if (ref->file < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ref->process, ref->file);
    if (stat(path, &is) != 0 || is.st_dev != ref->device || is.st_ino != ref->inode)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC);
}

void live_memory_close(struct live_comm *comm)
{
    if (comm->shared)
        munmap(comm->shared, comm->shared_bytes);
    comm->shared = NULL;
}

/* Children by fork get no copy: they could change it, and would keep it when all ranks have ended. Nor does a
 * core dump, whose writer would otherwise read, and so allocate, all of it. */
static unsigned char *map(int file, size_t bytes)
{
    void *memory = file < 0 ? MAP_FAILED
                            : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_DONTFORK);
    madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
}

void live_memory_open(struct live_comm *comm, MPI_Comm node)
{
    int made = -1;
    comm->copy_bytes = copy_bytes(comm);
    comm->shared_bytes = counters_bytes(comm) + SHARED_COPIES * comm->copy_bytes;
    if (comm->local == 0)
        made = make_file(comm->shared_bytes);
    struct fd_ref ref = fd_ref_of(made);
    bool told = PMPI_Bcast(&ref, sizeof ref, MPI_BYTE, 0, node) == MPI_SUCCESS;
    int file = comm->local == 0 ? made : told ? fd_ref_open(&ref) : -1;
    comm->shared = map(file, comm->shared_bytes);
    bool shared = live_all_agree(comm->mine, comm->shared != NULL);
    if (file >= 0) /* all ranks have opened it by now, since all have taken part in live_all_agree */
        close(file);
    if (!shared) {
        live_memory_close(comm);
        return;
    }
    comm->barrier = (struct shm_counter *)comm->shared;
    comm->flags = comm->barrier + 1;
}

/* Calls use the copies in turn. So a rank may begin to write the next call's data while another rank of its
 * node still reads those of this call. */
unsigned char *live_memory_next_copy(struct live_comm *comm)
{
    comm->shared_calls++;
    return comm->shared + (comm->shared_bytes - SHARED_COPIES * comm->copy_bytes) +
           comm->shared_calls % SHARED_COPIES * comm->copy_bytes;
}
