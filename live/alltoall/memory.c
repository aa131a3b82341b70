#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/alltoall/internal.h"

/* Pages are taken when they are first touched, so this is address space. */
enum { COPY_MIB = 128 };

static size_t counters_bytes(const struct live_comm *comm)
{
    size_t counters = 1 + (size_t)comm->nodes.count + 2 * (size_t)comm->here;
    size_t bytes = counters * sizeof(struct shm_counter), page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* A file without a name: nothing is left behind, whoever dies. -1 where files may not be as long, at which
 * the kernel would end the process by a signal. */
static int make_file(size_t bytes)
{
    struct rlimit longest;
    if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < bytes)
        return -1;
    int file = memfd_create("helio-alltoall", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* What the rank that has made the file tells the others: where they find it, and what it is. */
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

/* Through /proc. Where processes are numbered apart, as in containers, that number may be somebody else's,
 * with a file of the program under that descriptor. */
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

static unsigned char *map(int file, size_t bytes)
{
    void *memory = file < 0 ? MAP_FAILED
                            : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void live_memory_open(struct live_comm *comm, MPI_Comm node)
{
    int made = -1;
    comm->copy_bytes = (uint64_t)COPY_MIB << 20;
    comm->shared_bytes = counters_bytes(comm) + SHARED_COPIES * comm->copy_bytes;
    if (comm->local == 0)
        made = make_file(comm->shared_bytes);
    struct fd_ref ref = fd_ref_of(made);
    PMPI_Bcast(&ref, sizeof ref, MPI_BYTE, 0, node);
    int file = comm->local == 0 ? made : fd_ref_open(&ref);
    comm->shared = map(file, comm->shared_bytes);
    bool shared = live_all_agree(comm->mine, comm->shared != NULL);
    if (file >= 0) /* when all agree, all have opened it */
        close(file);
    if (!shared) {
        live_memory_close(comm);
        return;
    }
    comm->barrier = (struct shm_counter *)comm->shared;
    comm->flags = comm->barrier + 1;
}
