/* SimpleComm's configuration files: the parameters that they set here, and that SimpleComm takes as long with
 * the same file. golden.simplecomm-ini-errors shows what is wrong in a file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/simplecomm/ini.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "support/traces.h"

static struct config *config_new_all(void)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    return config_open(tables, count);
}

static void put_changed(void *self, const struct param *param, const char *value, const char *origin)
{
    char *text = self;
    if (strcmp(origin, "default") != 0)
        sprintf(text + strlen(text), "%s=%s %s\n", param->name, value, origin);
}

/* `changed`: "name=value origin" of each parameter that the file sets, in the order of the manual. */
static void expect(const char *ini, const char *changed, const char *said)
{
    char text[4096] = "";
    struct config *config = config_new_all();
    assert_int_equal(simplecomm_read_ini_text(config, "x.ini", ini, strlen(ini)), STATUS_OK);
    config_each(config, text, put_changed);
    assert_string_equal(text, changed);
    assert_string_equal(traces_messages(), said);
    config_close(config);
}

static void every_key_has_its_parameter(void **state)
{
    (void)state;
    expect("[Simulation]\nshow_progress_level = perrank\nprint_communication_trace = False\n"
           "computation = False\nnumber_of_cores_per_node = 2\nbooster_factor = 4096\n"
           "use_booster_factor_every = 3\n"
           "[TOPOLOGY]\ntopology = HYBRID\neager_protocol_max_size = 262144\nnumber_of_fmus = 16\n"
           "fmu_monitor_incoming_recv = False\nfmu_seek_idle_kind = SIMPLE\nfmu_mapping = INTERLEAVE\n"
           "fmu_bandwidth=38400000000\nfmu_latency=1e-6\nfmu_pivot_value = 10\n"
           "internode_bandwidth: 2500000000\ninternode_latency: 0.0000015\n"
           "intranode_bandwidth=0\nintranode_latency=0\nprocessing_speed=1000000000\n"
           "[CollectiveAlgorithm]\nCA_Allreduce = reduce_bcast\nCA_Alltoall = basic_linear\n"
           "CA_Alltoallv = nbc_improved\nCA_Barrier = basic_linear\nCA_Bcast = binomial_tree\n"
           "CA_reduce = alltoroot\n",
           "fabric=hybrid x.ini:9\ncompat=simplecomm x.ini\ncompute.rate=1 Gflop/s x.ini:22\n"
           "compute.scale=0 x.ini:4\nranks_per_node=2 x.ini:5\nintranode.latency=0 ps x.ini:21\n"
           "intranode.bandwidth=9223372036854775807 B/s x.ini:20\nmpi.eager_threshold=256 KiB x.ini:10\n"
           "mpi.reduce=linear x.ini:29\nsimplecomm.booster_factor=4096 x.ini:6\n"
           "simplecomm.booster_every=3 x.ini:7\nsimplecomm.allreduce=reduce_bcast x.ini:24\n"
           "simplecomm.alltoallv=nbc_improved x.ini:26\npacket.latency=1.5 us x.ini:19\n"
           "packet.bandwidth=2.5 GB/s x.ini:18\nfmu.count=16 x.ini:11\n"
           "fmu.bandwidth=38.4 GB/s x.ini:15\nfmu.t_switch=1 us x.ini:16\nfmu.try_idle=SIMPLE x.ini:13\n"
           "fmu.among_all=INCREMENTAL x.ini:14\n",
           "");
}

#define NUMBERS                                                                                              \
    "eager_protocol_max_size=65536\nnumber_of_fmus=64\nfmu_bandwidth=76800000000\nfmu_latency=0.000005\n"    \
    "processing_speed=12000000000\n"

/* Our parameters distinguish two cases of a key. fmu_monitor_incoming_recv decides between them, wherever it
 * stands in the file. */
static void least_used_counts_reads_when_told(void **state)
{
    (void)state;
    static const char numbers[] = "compute.rate=12 Gflop/s x.ini:6\nmpi.eager_threshold=64 KiB x.ini:2\n"
                                  "fmu.count=64 x.ini:3\nfmu.bandwidth=76.8 GB/s x.ini:4\n"
                                  "fmu.t_switch=5 us x.ini:5\n";
    static const char *const monitors[] = {"", "fmu_monitor_incoming_recv=True\n",
                                           "fmu_monitor_incoming_recv=False\n"};
    static const char *const taken[] = {"LEAST_SR", "LEAST_SR", "LEAST_S"};
    for (int i = 0; i < 3; i++) {
        char *ini = mem_format("[TOPOLOGY]\n" NUMBERS "topology=FMU\nfmu_mapping=LEAST_USED_FMU\n"
                               "fmu_seek_idle_kind=LEAST_USED_FMU\n%s",
                               monitors[i]);
        char *changed = mem_format("fabric=fmu x.ini:7\ncompat=simplecomm x.ini\n%sfmu.try_idle=%s x.ini:9\n"
                                   "fmu.among_all=%s x.ini:8\n",
                                   numbers, taken[i], taken[i]);
        expect(ini, changed, "");
        free(ini);
        free(changed);
    }
}

/* Missing names have SimpleComm's defaults; missing numbers have ours. */
static void missing_names_have_defaults(void **state)
{
    (void)state;
    expect(
        "",
        "fabric=packet x.ini\ncompat=simplecomm x.ini\nfmu.try_idle=NONE x.ini\nfmu.among_all=STATIC x.ini\n",
        "helio: note: x.ini leaves out eager_protocol_max_size, internode_bandwidth, internode_latency, "
        "processing_speed: the values are those of the FMU paper's Table 3, not the placeholders of "
        "SimpleComm "
        "(10 s, 10 B/s)\n");
}

/* ---------------------------------------------------- SimpleComm's results */

#define SPEEDS                                                                                               \
    "eager_protocol_max_size = 65536\nfmu_bandwidth=76800000000\nfmu_latency=0.000005\n"                     \
    "internode_bandwidth=12500000000\ninternode_latency=0.000008\nintranode_latency=0\n"                     \
    "processing_speed=12000000000\n"
#define OTHER_COLLECTIVES                                                                                    \
    "[CollectiveAlgorithm]\nCA_Allreduce = reduce_bcast\nCA_Alltoallv = nbc_improved\nCA_Reduce = "          \
    "alltoroot\n"

static const struct comparison {
    const char *ini, *trace;
    double makespan_s; /* the time that SimpleComm prints as "biggest" */
} comparisons[] = {
    {"[Simulation]\nbooster_factor = 100\n[TOPOLOGY]\ntopology = KAHUNA\n" SPEEDS,
     "tests/traces/is.S.4.tar.zst", 0.011858530000754302},
    {"[Simulation]\nbooster_factor = 50\nuse_booster_factor_every = 2\n[TOPOLOGY]\ntopology = HYBRID\n"
     "number_of_fmus = 4\nfmu_monitor_incoming_recv = False\nfmu_seek_idle_kind = SIMPLE\n"
     "fmu_mapping = INTERLEAVE\n" SPEEDS OTHER_COLLECTIVES,
     "tests/traces/is.S.4.tar.zst", 0.0031104164649999834},
    {"[Simulation]\nnumber_of_cores_per_node = 2\nbooster_factor = 7\nuse_booster_factor_every = 3\n"
     "[TOPOLOGY]\ntopology = FMU\nnumber_of_fmus = 3\nfmu_seek_idle_kind = LEAST_USED_FMU\n"
     "fmu_mapping = LEAST_USED_FMU\nintranode_bandwidth = 0\n" SPEEDS OTHER_COLLECTIVES,
     "tests/traces/ft.S.4.tar.zst", 0.01036230958333332},
    {"[Simulation]\nnumber_of_cores_per_node = 2\nbooster_factor = 0\n[TOPOLOGY]\ntopology = KAHUNA\n"
     "intranode_bandwidth = 0\n" SPEEDS OTHER_COLLECTIVES,
     "tests/traces/ft.S.4.tar.zst", 0.009529023219999998},
};

static void simplecomm_takes_as_long_with_the_same_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const struct comparison *comparison = &comparisons[i];
        struct config *config = config_new_all();
        struct experiment experiment;
        struct result result = {0};
        assert_int_equal(simplecomm_read_ini_text(config, "x.ini", comparison->ini, strlen(comparison->ini)),
                         STATUS_OK);
        assert_int_equal(config_assign(config, "trace", comparison->trace, "--trace"), STATUS_OK);
        assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
        assert_int_equal(experiment_run(&experiment, 0, &(struct experiment_watch){0}, &result), STATUS_OK);
        double makespan_s = (double)result.makespan / 1e12;
        if (fabs(makespan_s - comparison->makespan_s) > 1e-9 * comparison->makespan_s + 0.51e-12)
            fail_msg("%zu: %.15g s, SimpleComm has %.15g s", i, makespan_s, comparison->makespan_s);
        result_free(&result);
        experiment_free(&experiment);
        config_close(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_its_parameter),
        cmocka_unit_test(least_used_counts_reads_when_told),
        cmocka_unit_test(missing_names_have_defaults),
        cmocka_unit_test(simplecomm_takes_as_long_with_the_same_file),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
