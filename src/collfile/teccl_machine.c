#include <stdio.h>
#include <string.h>

#include "collfile/teccl.h"

/* The machines of TE-CCL's published outputs, as its topologies describe them (microsoft/TE-CCL c128bf2):
 * NDv2, chassis of 8 GPUs with one or two NVLinks between two of them; DGX2, chassis of 16 GPUs around a
 * switch. Rates and latencies are those that it plans with. */

enum { NDV2_GPUS = 8, DGX2_GPUS = 16, MOST_CHASSIS = 8 };

static const struct teccl_link no_link = {0}, nvlink_2 = {50, 0.7e-6}, nvlink_1 = {25, 0.7e-6},
                               ndv2_network = {12.5, 1.3e-6}, nvswitch = {125, 0.35e-6},
                               dgx2_network = {12.5, 2.6e-6};

/* NVLinks between two of the eight GPUs: two quads, each fully connected, and links across. */
static struct teccl_link ndv2_inside(uint32_t a, uint32_t b)
{
    static const uint8_t order[NDV2_GPUS][NDV2_GPUS] = {{0, 2, 1, 1, 2, 0, 0, 0}, {2, 0, 1, 2, 0, 1, 0, 0},
                                                        {1, 1, 0, 2, 0, 0, 2, 0}, {1, 2, 2, 0, 0, 0, 0, 1},
                                                        {2, 0, 0, 0, 0, 2, 1, 1}, {0, 1, 0, 0, 2, 0, 1, 2},
                                                        {0, 0, 2, 0, 1, 1, 0, 2}, {0, 0, 0, 1, 1, 2, 2, 0}};
    return order[a][b] == 2 ? nvlink_2 : order[a][b] == 1 ? nvlink_1 : no_link;
}

/* Two chassis are connected directly; others through a switch, node 0. */
static struct teccl_link ndv2_link(const struct teccl_machine *machine, uint32_t from, uint32_t to)
{
    if (!machine->has_switches) {
        if (from / NDV2_GPUS == to / NDV2_GPUS)
            return ndv2_inside(from % NDV2_GPUS, to % NDV2_GPUS);
        return (from == 0 && to == 9) || (from == 8 && to == 1) ? ndv2_network : no_link;
    }
    if (from == 0 || to == 0) {
        if (machine->chassis == 1 || from == to)
            return no_link;
        return (to == 0 ? from % NDV2_GPUS == 1 : to % NDV2_GPUS == 2) ? ndv2_network : no_link;
    }
    if ((from - 1) / NDV2_GPUS != (to - 1) / NDV2_GPUS)
        return no_link;
    return ndv2_inside((from - 1) % NDV2_GPUS, (to - 1) % NDV2_GPUS);
}

/* In each chassis, node 0 is its switch. Every second GPU sends to the other chassis. */
static struct teccl_link dgx2_link(uint32_t from, uint32_t to)
{
    uint32_t a = from % (DGX2_GPUS + 1), b = to % (DGX2_GPUS + 1);
    if (from / (DGX2_GPUS + 1) == to / (DGX2_GPUS + 1))
        return (a == 0) != (b == 0) ? nvswitch : no_link;
    return a >= 2 && a % 2 == 0 && b + 1 == a ? dgx2_network : no_link;
}

struct teccl_link teccl_link_of(const struct teccl_machine *machine, uint32_t from, uint32_t to)
{
    if (!machine->name || from >= machine->nodes || to >= machine->nodes)
        return no_link;
    return strcmp(machine->name, "DGX2") == 0 ? dgx2_link(from, to) : ndv2_link(machine, from, to);
}

bool teccl_is_switch(const struct teccl_machine *machine, uint32_t node)
{
    if (!machine->has_switches)
        return false;
    return strcmp(machine->name, "DGX2") == 0 ? node % (DGX2_GPUS + 1) == 0 : node == 0;
}

/* -------------------------------------------------------------- which it is */

static bool has_hop(const struct teccl_machine *machine, const struct teccl_file *file,
                    const struct teccl_hop *hop)
{
    uint32_t at = hop->from;
    for (uint32_t i = 0; i < hop->switch_count; i++) {
        uint32_t next = file->switches[hop->first_switch + i];
        if (teccl_link_of(machine, at, next).gb_s == 0)
            return false;
        at = next;
    }
    return teccl_link_of(machine, at, hop->to).gb_s > 0;
}

/* All its links, no GPU that is a switch of the machine, and at most one node fewer than it has: a machine of
 * more chassis would have the links too. */
static bool fits(const struct teccl_machine *machine, const struct teccl_file *file)
{
    if (file->nodes != machine->nodes)
        return false;
    for (uint32_t node = 0; node < file->nodes; node++)
        if (teccl_is_switch(machine, node) && (file->roles[node] & TECCL_GPU))
            return false;
    for (size_t i = 0; i < file->flow_count; i++)
        if (!has_hop(machine, file, &file->flows[i]))
            return false;
    return true;
}

struct teccl_machine teccl_machine_of(const struct teccl_file *file)
{
    struct teccl_machine dgx2 = {.name = "DGX2", .chassis = 2, .has_switches = true};
    dgx2.gpus = 2 * DGX2_GPUS;
    dgx2.nodes = dgx2.gpus + 2;
    if (fits(&dgx2, file))
        return dgx2;
    for (uint32_t chassis = 1; chassis <= MOST_CHASSIS; chassis++) {
        struct teccl_machine ndv2 = {.name = "NDv2", .chassis = chassis, .has_switches = chassis != 2};
        ndv2.gpus = chassis * NDV2_GPUS;
        ndv2.nodes = ndv2.gpus + ndv2.has_switches;
        if (fits(&ndv2, file))
            return ndv2;
    }
    return (struct teccl_machine){.name = NULL};
}

/* ------------------------------------------------------------------- bounds */

/* Nodes first ... last on one side: what leaves it, what comes in, and its GPUs. */
struct cut {
    uint32_t first, last, gpus;
    double out_gb_s, in_gb_s;
};

static struct cut cut_of(const struct teccl_machine *machine, uint32_t first, uint32_t last)
{
    struct cut cut = {.first = first, .last = last};
    for (uint32_t node = first; node <= last; node++) {
        cut.gpus += !teccl_is_switch(machine, node);
        for (uint32_t other = 0; other < machine->nodes; other++) {
            if (other >= first && other <= last)
                continue;
            cut.out_gb_s += teccl_link_of(machine, node, other).gb_s;
            cut.in_gb_s += teccl_link_of(machine, other, node).gb_s;
        }
    }
    return cut;
}

/* Blocks that have to leave the side, and that have to come in. */
static double time_of(const struct teccl_machine *machine, bool is_alltoall, const struct cut *cut,
                      double block_bytes, bool is_out, double *blocks)
{
    double others = machine->gpus - cut->gpus;
    *blocks = is_alltoall ? cut->gpus * others : is_out ? cut->gpus : others;
    return *blocks * block_bytes / ((is_out ? cut->out_gb_s : cut->in_gb_s) * 1e9);
}

double teccl_bound(const struct teccl_machine *machine, bool is_alltoall, double block_bytes, char *text,
                   size_t size)
{
    double best = 0;
    *text = '\0';
    if (!machine->name)
        return 0;
    uint32_t side = machine->nodes / machine->chassis;
    uint32_t from = machine->has_switches && strcmp(machine->name, "NDv2") == 0;
    for (uint32_t i = 0; i < machine->chassis + machine->nodes; i++) {
        bool is_node = i >= machine->chassis;
        uint32_t first = is_node ? i - machine->chassis : from + i * side;
        uint32_t last = is_node ? first : first + side - 1;
        struct cut cut = cut_of(machine, first, last);
        for (int out = 0; out < 2 && cut.gpus && cut.gpus < machine->gpus; out++) {
            double blocks, time = time_of(machine, is_alltoall, &cut, block_bytes, out, &blocks);
            if (time <= best)
                continue;
            best = time;
            snprintf(text, size, "%.0f blocks %s nodes %u to %u over %g GB/s", blocks,
                     out ? "leave" : "enter", first, last, out ? cut.out_gb_s : cut.in_gb_s);
        }
    }
    return best;
}
