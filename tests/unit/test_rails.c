/* Collectives by rail on clusters of GPUs, in one program: a rank on each GPU, and the GPUs of a server as a
 * node of the hierarchical algorithms. Times in closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/network_run.h"

/* s servers of g GPUs: NVLink of 400 GB/s, NICs of 50 GB/s, a leaf switch for each rail. */
struct cluster {
    uint32_t gpus, servers;
};

enum { NVLINK_PS = 10, NIC_PS = 80, UNIT = 4 }; /* of UNIT bytes */

static const char settings[] =
    "packet.latency=0ps packet.hop_latency=0ps mpi.eager_threshold=1GiB packet.routing=spray ";

static ps_t run_on(struct cluster cluster, const char *operation, uint64_t bytes, const char *algorithm,
                   const char *more)
{
    char *topology =
        mem_format("rails:%ux%ux1x1,rates=500GB/s+400GB/s+50GB/s", cluster.gpus, cluster.servers);
    char *workload = mem_format("collective:op=%s,ranks=%u,bytes=%lluB", operation,
                                cluster.gpus * cluster.servers, (unsigned long long)bytes);
    char *all = mem_format("%smpi.%s=%s %s", settings, operation, algorithm, more);
    ps_t makespan = network_run(workload, "packet", topology, all);
    if (makespan < 0)
        fail_msg("%s on %s: %s", workload, topology, network_said);
    free(topology);
    free(workload);
    free(all);
    return makespan;
}

static const struct cluster clusters[] = {{2, 2}, {4, 2}, {4, 3}, {8, 4}, {3, 5}, {8, 8}};
enum { CLUSTERS = sizeof clusters / sizeof *clusters };

/* Within the server each GPU sends the blocks for all servers to each other one, then over its NIC the blocks
 * of its server to each other server: M ((g - 1) s / B_nvlink + (s - 1) g / B_nic). */
static void an_alltoall_goes_by_rail(void **state)
{
    (void)state;
    const uint64_t block = 30000 * UNIT;
    for (int i = 0; i < CLUSTERS; i++) {
        uint64_t g = clusters[i].gpus, s = clusters[i].servers;
        ps_t expected = (ps_t)(30000 * ((g - 1) * s * NVLINK_PS + (s - 1) * g * NIC_PS));
        ps_t found = run_on(clusters[i], "alltoall", block, "full-lane", "");
        assert_in_range(found, expected, expected + 10);
        /* without servers each GPU is alone, and all blocks go at once: the NIC has as many */
        ps_t alone = run_on(clusters[i], "alltoall", block, "full-lane", "nodes_per_server=1");
        assert_true(alone >= (ps_t)(30000 * (s - 1) * g * NIC_PS) && alone < found);
    }
}

/* Where each message takes a time in its hosts, a GPU has g - 1 + s - 1 messages in place of g s - 1. */
static void small_alltoalls_have_fewer_messages(void **state)
{
    (void)state;
    static const char hosts[] = "host.send=300ns host.receive=200ns";
    for (int i = 0; i < CLUSTERS; i++) {
        uint64_t g = clusters[i].gpus, s = clusters[i].servers;
        ps_t of_message = 500000, direct = (ps_t)(g * s - 1) * of_message;
        ps_t by_rail = (ps_t)(g - 1 + s - 1) * of_message;
        assert_in_range(run_on(clusters[i], "alltoall", UNIT, "linear", hosts), direct, direct + 10000);
        assert_in_range(run_on(clusters[i], "alltoall", UNIT, "full-lane", hosts), by_rail, by_rail + 10000);
    }
}

/* n/g ((g - 1) / B_nvlink twice, and 2 (s - 1)/s / B_nic), for powers of two: the vector is cut into g parts,
 * and each part goes over a rail. With one ring of all GPUs a NIC of each server has nearly 2 n. */
static void an_allreduce_uses_all_rails(void **state)
{
    (void)state;
    for (int i = 0; i < CLUSTERS; i++) {
        uint64_t g = clusters[i].gpus, s = clusters[i].servers, units = 7200 * g * s;
        if ((g & (g - 1)) || (s & (s - 1)))
            continue;
        ps_t expected = (ps_t)(2 * (units / g * (g - 1) * NVLINK_PS + units / g / s * (s - 1) * NIC_PS));
        ps_t found = run_on(clusters[i], "allreduce", units * UNIT, "full-lane", "");
        assert_in_range(found, expected, expected + 10);
        ps_t ring = run_on(clusters[i], "allreduce", units * UNIT, "ring", "");
        assert_in_range(ring, 2 * (g * s - 1) * (units / g / s) * NIC_PS,
                        2 * (g * s - 1) * (units / g / s) * NIC_PS + 10 * g * s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alltoall_goes_by_rail),
        cmocka_unit_test(small_alltoalls_have_fewer_messages),
        cmocka_unit_test(an_allreduce_uses_all_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
