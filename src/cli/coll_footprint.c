#include "cli/coll_footprint.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/print.h"
#include "coll/footprint.h"
#include "output/standard.h"

static const char *const mpis[] = {
    [COLL_FOOTPRINT_OF_OPENMPI] = "openmpi", [COLL_FOOTPRINT_OF_MPICH] = "mpich"};
enum { MPIS = sizeof mpis / sizeof *mpis, TEXT = 128 };

/* A line of the table: what a rank takes, and what a node takes. 0: nothing of its own. */
static void print_line(const char *what, uint64_t rank, uint64_t node)
{
    char of_rank[TEXT] = "-", of_node[TEXT] = "-";
    if (rank > 0)
        units_show_size((double)rank, 4, of_rank, sizeof of_rank);
    if (node > 0)
        units_show_size((double)node, 4, of_node, sizeof of_node);
    printf("%-34s %12s %12s\n", what, of_rank, of_node);
}

static void print_needs(const struct coll_footprint *footprint)
{
    char text[TEXT];
    printf(
        "\nIt needs files of %s (ulimit -f), one free file descriptor during set-up (ulimit -n), and no room "
        "in\n"
        "/dev/shm. Without them the MPI executes the calls. The library serves up to %d communicators of a "
        "process.\n",
        units_show_size((double)footprint->address_bytes, 4, text, sizeof text), COLL_FOOTPRINT_COMMS);
}

static enum status print_table(const struct coll_shape *shape, const struct coll_footprint *footprint,
                               const char *mpi)
{
    char text[TEXT], room[TEXT];
    uint32_t ranks = shape->nodes.most;
    uint64_t heap = footprint->comm_bytes + footprint->plan_bytes;
    printf("%s; `leaders` in the preloaded library of %s, for one communicator:\n\n",
           coll_shape_print(shape, text, sizeof text), mpi);
    printf("%-34s %12s %12s\n", "", "a rank", "a node");
    print_line("heap", heap, footprint->node_heap_bytes);
    print_line("  communicator and map of nodes", footprint->comm_bytes, ranks * footprint->comm_bytes);
    print_line("  plan, messages, trials, scratch", footprint->plan_bytes,
               footprint->node_heap_bytes - ranks * footprint->comm_bytes);
    print_line("heap during set-up, beside that", footprint->set_up_bytes, ranks * footprint->set_up_bytes);
    print_line("shared memory in use", 0, footprint->is_executed ? footprint->shared_bytes : 0);
    print_line("address space", footprint->address_bytes, ranks * footprint->address_bytes);
    printf("%-34s %12d %12u\n", "mappings", 1, ranks);
    printf("%-34s %12d %12d\n", "file descriptors after set-up", 0, 0);
    printf("%-34s %12d %12s\n", "communicators of the MPI", 1, "-");
    printf(
        "\nset-up: 3 allreduces of %d B, 2 bcasts of up to %s and an allgather of %d B of all ranks, an "
        "allreduce, "
        "an\nallgather and a bcast of the ranks of each host, 2 communicators; an allreduce of %d B for each "
        "plan\n",
        (int)sizeof(int), units_show_size(COLL_FOOTPRINT_SETTINGS, 4, text, sizeof text),
        (int)(COLL_FOOTPRINT_SET_UP_WORDS * sizeof(uint32_t)), 2 * (int)sizeof(int32_t));
    print_needs(footprint);
    if (footprint->copy_bytes > COLL_FOOTPRINT_COPY)
        printf("\nThe library leaves this call to the MPI: it would take %s of shared memory twice, and "
               "there are %s.\n",
               units_show_size((double)footprint->copy_bytes, 4, text, sizeof text),
               units_show_size(COLL_FOOTPRINT_COPY, 4, room, sizeof room));
    else if (!footprint->is_executed)
        printf("\nThe library leaves this call to the MPI: its messages would be longer than MPI can say.\n");
    return standard_flush();
}

static enum status print_json(const struct coll_shape *shape, const struct coll_footprint *footprint,
                              const char *mpi)
{
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-coll-footprint-1");
    json_put_text(object, "collective", coll_kind_name(shape->call.kind));
    json_put_text(object, "mpi", mpi);
    json_put_text(object, "algorithm", "leaders");
    json_put_count(object, "nodes", shape->nodes.count);
    json_put_count(object, "ranks", shape->call.size);
    json_put_count(object, "bytes", shape->call.bytes);
    json_put_flag(object, "is_executed", footprint->is_executed);
    json_put_count(object, "communicator_heap_bytes", footprint->comm_bytes);
    json_put_count(object, "set_up_heap_bytes", footprint->set_up_bytes);
    json_put_count(object, "plan_heap_bytes", footprint->plan_bytes);
    json_put_count(object, "node_heap_bytes", footprint->node_heap_bytes);
    json_put_count(object, "node_shared_bytes", footprint->shared_bytes);
    json_put_count(object, "copy_bytes", footprint->copy_bytes);
    json_put_count(object, "address_bytes", footprint->address_bytes);
    json_put_count(object, "mappings", 1);
    json_put_count(object, "descriptors_during_set_up", 1);
    json_put_count(object, "descriptors", 0);
    return cli_print_json(object, 15);
}

enum status coll_footprint_print(const struct coll_shape *shape, const char *mpi, bool as_json)
{
    struct coll_footprint footprint;
    int which = 0;
    while (which < MPIS && strcmp(mpi, mpis[which]) != 0)
        which++;
    if (which == MPIS) {
        diag_error("--library is openmpi or mpich, not '%s'%s", mpi,
                   diag_did_you_mean(diag_nearest_of(mpi, mpis, MPIS)));
        return STATUS_BAD_INPUT;
    }
    const struct coll_algorithm *leaders = coll_find(shape->call.kind, "leaders");
    if (!leaders) {
        diag_error("--library counts plans, and the preloaded library has none for %s",
                   coll_kind_name(shape->call.kind));
        return STATUS_BAD_INPUT;
    }
    if (!coll_footprint_of(&footprint, leaders, &shape->call, (enum coll_footprint_mpi)which))
        mem_exhausted("plans of ranks");
    return as_json ? print_json(shape, &footprint, mpi) : print_table(shape, &footprint, mpi);
}
