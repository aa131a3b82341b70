#include <stdio.h>
#include <string.h>

#include "papers/segment/places.h"
#include "papers/segment/segment.h"

/* Beyond the paper: MPI programs, and other numbers of nodes. */

static void bar_of_program(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    (void)self;
    reproduction_point(reproduction, swept_value(run, "topology"), run->fabric, swept_value(run, "workload"),
                       run->speedup);
}

/* "torus:8x8x8" and "fattree:8x3" have 8^3 nodes. */
static double nodes_of(const char *topology)
{
    unsigned side, exponent;
    double nodes = 1;
    const char *numbers = strchr(topology, ':');
    if (!numbers)
        return nodes;
    bool is_tree = strncmp(topology, "fattree", 7) == 0;
    if (is_tree && sscanf(numbers, ":%ux%u", &side, &exponent) == 2)
        for (unsigned i = 0; i < exponent; i++)
            nodes *= side;
    for (const char *at = numbers; !is_tree && at; at = strchr(at + 1, 'x'))
        nodes *= sscanf(at + 1, "%u", &side) == 1 ? side : 1;
    return nodes;
}

static void point_of_nodes(void *self, struct reproduction *reproduction, const struct swept_run *run)
{
    (void)self;
    const char *topology = swept_value(run, "topology");
    bool is_tree = strncmp(topology, "fattree", 7) == 0;
    reproduction_point_at(reproduction, segment_networks[is_tree ? SEGMENT_TREE : SEGMENT_TORUS], run->fabric,
                          nodes_of(topology), run->speedup);
}

void segment_beyond(struct reproduction *reproduction)
{
    reproduction_figure(reproduction,
                        &(struct figure){.id = "beyond-mpi",
                                         .title = "Beyond the paper: communication of MPI programs",
                                         .says =
                                             "Speedup over packet switching with links of the same aggregate "
                                             "rate and as much latency per hop (papers/segment/mpi.yaml).",
                                         .how = "Above the dashed line it is faster than packet switching.",
                                         .x = "program",
                                         .y = "speedup",
                                         .kind = FIGURE_BARS,
                                         .is_common = true,
                                         .reference = 1});
    reproduction_sweep(reproduction, "papers/segment/mpi.yaml", NULL, bar_of_program);
    if (reproduction_is_quick(reproduction))
        return;
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "beyond-nodes",
                         .title = "Beyond the paper: from 64 to 32,768 nodes",
                         .says = "Speedup over circuits under uniform traffic (papers/segment/nodes.yaml).",
                         .how = "Above the dashed line it is faster than a circuit for each message.",
                         .x = "nodes",
                         .y = "speedup",
                         .kind = FIGURE_LINES,
                         .is_common = true,
                         .x_log = true,
                         .reference = 1});
    reproduction_sweep(reproduction, "papers/segment/nodes.yaml", NULL, point_of_nodes);
}
