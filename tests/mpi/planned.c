/* Makes one vector call whose lengths are those of `helio coll plan --imbalance`, and prints how many
 * messages the preloaded library has sent between nodes and within them. The MPI sends its own messages by
 * other functions.
 *
 *   planned_MPI alltoallv|gatherv|scatterv BYTES PERCENT RANKS-PER-NODE */
#include <dlfcn.h>

#include "checks.h"

static int ranks_per_node, counts_now;
static long between, within;

__attribute__((visibility("default"))) int PMPI_Isend(const void *buffer, int count, MPI_Datatype type,
                                                      int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    static int (*next)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "PMPI_Isend");
        memcpy(&next, &symbol, sizeof next);
    }
    if (counts_now && to != world_rank)
        *(to / ranks_per_node == world_rank / ranks_per_node ? &within : &between) += 1;
    return next(buffer, count, type, to, tag, comm, request);
}

int main(int argc, char **argv)
{
    begin_checks(&argc, &argv);
    if (argc != 5)
        fail("planned", "OP BYTES PERCENT RANKS-PER-NODE are expected, not arguments", argc - 1, 0);
    long mean = atol(argv[2]), deviation = mean * atol(argv[3]) / 100;
    size_t size = (size_t)world_size;
    int *lengths = calloc(size, sizeof *lengths), *places = calloc(size, sizeof *places);
    int *mine = calloc(size, sizeof *mine), *places_mine = calloc(size, sizeof *places_mine);
    ranks_per_node = atoi(argv[4]);
    for (int i = 0; i < world_size; i++)
        lengths[i] = (int)(mean - deviation + deviation * 2 * i / (world_size - 1));
    for (int i = 0; i < world_size; i++)
        mine[i] = lengths[world_rank];
    for (int i = 1; i < world_size; i++) {
        places[i] = places[i - 1] + lengths[i - 1];
        places_mine[i] = i * mine[0];
    }
    char *a = calloc(size, (size_t)(2 * mean)), *b = calloc(size, (size_t)(2 * mean));
    enum { CALLS = 6 };
    for (int call = 0; call < CALLS; call++) { /* the first calls set up */
        counts_now = call == CALLS - 1;
        if (strcmp(argv[1], "alltoallv") == 0)
            MPI_Alltoallv(a, lengths, places, MPI_BYTE, b, mine, places_mine, MPI_BYTE, MPI_COMM_WORLD);
        else if (strcmp(argv[1], "gatherv") == 0)
            MPI_Gatherv(a, mine[0], MPI_BYTE, b, lengths, places, MPI_BYTE, 0, MPI_COMM_WORLD);
        else
            MPI_Scatterv(a, lengths, places, MPI_BYTE, b, mine[0], MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    long here[2] = {between, within}, all[2];
    PMPI_Reduce(here, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("between %ld within %ld\nok planned\n", all[0], all[1]), fflush(stdout);
    free(a), free(b), free(lengths), free(places), free(mine), free(places_mine);
    return end_checks();
}
