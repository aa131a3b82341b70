#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/calibrate/probe.h"
#include "live/quiet/processor_time.h"

const char *const place_names[PLACES] = {"between", "within"};

/* ------------------------------------------------------------------- nodes */

/* Processors that any rank of this machine may use. */
static int count_processors(MPI_Comm machine)
{
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Allreduce(&mine, &all, (int)sizeof all, MPI_BYTE, MPI_BOR, machine);
    return CPU_COUNT(&all);
}

static void find_machines(struct world *world)
{
    int ranks, processors, has_cores;
    MPI_Comm_split(MPI_COMM_WORLD, processor_kernel_number(), world->rank, &world->machine);
    MPI_Comm_size(world->machine, &ranks);
    processors = count_processors(world->machine);
    has_cores = ranks <= processors;
    MPI_Allreduce(&processors, &world->processors, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &has_cores, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    world->has_cores = has_cores;
}

/* The pair of this rank, where `mine` is its number among the ranks of its side, or of the only side. */
static void join(struct world *world, enum place place, int pair, bool leads, int peer)
{
    if (pair < world->pairs[place]) {
        world->pair[place] = pair;
        world->leads[place] = leads;
        world->peer[place] = peer;
    }
}

/* `leader[r]`: the first rank of the node of rank r. The first node is that of rank 0; the second that of the
 * first rank that is not there. */
static void make_pairs(struct world *world, const int *leader)
{
    int *first = malloc(2 * (size_t)world->size * sizeof *first), *second = first + world->size;
    int other = -1, there = 0;
    world->here = 0;
    for (int rank = 0; rank < world->size; rank++) {
        if (leader[rank] == 0)
            first[world->here++] = rank;
        else if (other < 0 || leader[rank] == other) {
            other = leader[rank];
            second[there++] = rank;
        }
    }
    world->pairs[BETWEEN] = there < world->here ? there : world->here;
    world->pairs[WITHIN] = world->here / 2;
    world->place_here = -1;
    for (int i = 0; i < world->here; i++)
        if (first[i] == world->rank) {
            world->place_here = i;
            join(world, WITHIN, i / 2, i % 2 == 0,
                 i % 2 == 0 && i + 1 < world->here ? first[i + 1] : first[i - i % 2]);
            join(world, BETWEEN, i, true, i < there ? second[i] : -1);
        }
    for (int i = 0; i < there; i++)
        if (second[i] == world->rank)
            join(world, BETWEEN, i, false, i < world->here ? first[i] : -1);
    free(first);
}

void world_open(struct world *world)
{
    MPI_Comm node;
    int leader, here;
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    leader = world->rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    int *leaders = malloc((size_t)world->size * sizeof *leaders), leads = leader == world->rank;
    MPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(&leads, &world->nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&here, &world->most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (enum place place = 0; place < PLACES; place++)
        world->pair[place] = -1;
    make_pairs(world, leaders);
    free(leaders);
    find_machines(world);
}

void world_barrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

long world_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

/* ------------------------------------------------------------------- quiet */

static double ranks_seconds(const struct world *world)
{
    double mine = processor_own_s(), all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world->machine);
    return all;
}

void quiet_begin(struct quiet *quiet, const struct world *world)
{
    quiet->processor_s = ranks_seconds(world);
    quiet->others_s = processor_machine_s();
    quiet->began = MPI_Wtime();
}

void quiet_count(struct quiet *quiet, bool lost_processor)
{
    int lost = lost_processor;
    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    quiet->blocks++;
    quiet->disturbed += lost;
}

void quiet_print(struct quiet *quiet, const struct world *world)
{
    double elapsed = MPI_Wtime() - quiet->began, used = processor_machine_s() - quiet->others_s,
           own = ranks_seconds(world) - quiet->processor_s;
    int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    double share = 100 * (used - own) / (elapsed * processors), worst;
    double lost = 100 * (double)quiet->disturbed / (double)(quiet->blocks ? quiet->blocks : 1);
    MPI_Reduce(&share, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (world->rank != 0)
        return;
    printf("guard cores %s %s processor for each rank\n", world->has_cores ? "ok" : "failed",
           world->has_cores ? "there is a" : "there is no");
    printf("guard busy %s other work used %.1f %% of the processors' time, %s 5 %%\n",
           worst <= 5 ? "ok" : "failed", worst > 0 ? worst : 0, worst <= 5 ? "at most" : "more than");
    printf("guard undisturbed %s in %.1f %% of the blocks a rank lost its processor, %s 10 %%\n",
           lost <= 10 ? "ok" : "failed", lost, lost <= 10 ? "at most" : "more than");
}
