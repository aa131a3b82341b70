/* Calls with counts beyond int, in the forms of MPI 4: MPI_Alltoallv_c, MPI_Alltoallw_c, MPI_Gatherv_c,
 * MPI_Scatterv_c. The check runs with the library preloaded and without it.
 *
 *   large_MPI large */
#include <sys/mman.h>

#include "checks.h"

#if MPI_VERSION >= 4

/* Memory with more bytes than an int counts. All pieces but the last are the same pages. */
enum { PIECE = 1 << 20, PIECES = 2050, BEYOND_INT = 4321 };
static const MPI_Count long_count = (MPI_Count)(PIECES - 1) * PIECE + BEYOND_INT;

struct long_memory {
    unsigned char *at, *last;
    int file;
};

static struct long_memory long_memory_make(void)
{
    struct long_memory memory = {.file = memfd_create("vectors", 0)};
    memory.at = mmap(NULL, (size_t)PIECES * PIECE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory.at == MAP_FAILED || memory.file < 0 || ftruncate(memory.file, PIECE) != 0)
        fail("large", "no memory", memory.file, 0);
    for (size_t i = 0; i + 1 < PIECES; i++)
        if (mmap(memory.at + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory.file,
                 0) == MAP_FAILED)
            fail("large", "a piece cannot be mapped", (long)i, 0);
    memory.last = memory.at + (size_t)(PIECES - 1) * PIECE;
    return memory;
}

static void long_memory_free(struct long_memory *memory)
{
    munmap(memory->at, (size_t)PIECES * PIECE);
    close(memory->file);
}

static unsigned char long_byte(size_t i, int is_last, int call)
{
    return (unsigned char)(i % 251 + (size_t)(100 * is_last + call));
}

static void long_memory_fill(const struct long_memory *memory, int call)
{
    for (size_t i = 0; i < PIECE; i++) {
        memory->at[i] = long_byte(i, 0, call);
        memory->last[i] = long_byte(i, 1, call);
    }
}

/* Nothing behind the last byte is written. */
static void long_memory_check(const struct long_memory *memory, int call)
{
    for (size_t i = 0; i < PIECE; i++) {
        if (memory->at[i] != long_byte(i, 0, call))
            fail("large", "wrong byte: call, at", call, (long)i);
        if (memory->last[i] != (i < BEYOND_INT ? long_byte(i, 1, call) : 0))
            fail("large", "wrong byte of the last: call, at", call, (long)i);
    }
}

enum long_call { LONG_ALLTOALLV, LONG_ALLTOALLW, LONG_GATHERV, LONG_SCATTERV };

/* Rank 1 sends more bytes than an int counts to rank 0; the others exchange nothing. */
static void call_long(enum long_call call, void *send, void *recv)
{
    size_t ranks = (size_t)world_size;
    MPI_Count *sent = room(ranks * sizeof *sent), *received = room(ranks * sizeof *received);
    MPI_Aint *places = room(ranks * sizeof *places);
    MPI_Datatype *types = room(ranks * sizeof *types);
    for (size_t i = 0; i < ranks; i++)
        sent[i] = received[i] = places[i] = 0, types[i] = MPI_BYTE;
    sent[0] = world_rank == 1 ? long_count : 0;
    received[1] = world_rank == 0 ? long_count : 0;
    if (call == LONG_ALLTOALLV)
        MPI_Alltoallv_c(send, sent, places, MPI_BYTE, recv, received, places, MPI_BYTE, MPI_COMM_WORLD);
    else if (call == LONG_ALLTOALLW)
        MPI_Alltoallw_c(send, sent, places, types, recv, received, places, types, MPI_COMM_WORLD);
    else if (call == LONG_GATHERV)
        MPI_Gatherv_c(send, sent[0], MPI_BYTE, recv, received, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
        MPI_Scatterv_c(send, sent, places, MPI_BYTE, recv, received[1], MPI_BYTE, 1, MPI_COMM_WORLD);
    free(sent), free(received), free(places), free(types);
}

static void check_large(void)
{
    struct long_memory memory = long_memory_make();
    for (int call = LONG_ALLTOALLV; call <= LONG_SCATTERV; call++) {
        memset(memory.at, 0, PIECE);
        memset(memory.last, 0, PIECE);
        if (world_rank == 1)
            long_memory_fill(&memory, call);
        call_long((enum long_call)call, memory.at, world_rank == 0 ? memory.at : NULL);
        if (world_rank == 0)
            long_memory_check(&memory, call);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    long_memory_free(&memory);
}

#else

static void check_large(void)
{
    if (world_rank == 0)
        printf("this MPI has no counts of 64 bits\n");
}

#endif

static const struct check checks[] = {{"large", check_large}};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
