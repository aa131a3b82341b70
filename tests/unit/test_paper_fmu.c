/* Numbers of the FMU paper that follow from its equations alone, and what its lists of roles say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/machine.h"
#include "papers/fmu/ways.h"
#include "support/reproduced.h"

/* Figures 11 and 12: both models are the paper's equations, except for SimpleComm's 16 bytes a message. */
static void test_one_message(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = fmu_messages});
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(
        rows, "fmu,figure-11/speedup-at-10MB/correct,2.99,2.987981,x,-0.068,0.1672,reproduced,,correct,\n");
    reproduced_has(rows, "fmu,figure-11/speedup-at-10MB/simplecomm,2.99,2.987");
    reproduced_has(rows, "fmu,figure-12/pivot/correct-fitted,37,37.06567,KB,0.177,1.351,reproduced,");
    reproduced_has(rows, "fmu,figure-12/pivot/simplecomm,37,37.0");
    reproduced_has(rows, "fmu,figure-2/ddr-is-twice-infiniband,1,,,,0,not computable,");
    reproduced_has(reproduced_take("fmu-figures.csv"), "figure-11-correct-fitted,,InfiniBand,10,808,\n");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

/* Tables 4 and 5 cut digits off: ours may be larger by a unit of the last one, and not smaller. Table 3 is
 * put in, and a rate is fitted in two of the configurations only. */
static void few_numbers(struct reproduction *reproduction)
{
    bool is_fitted = fmu_rates_are_of_programs(reproduction);
    reproduction_item(reproduction, "table-5/lu.C.16/mean-size", NULL, is_fitted ? 4999 : 3999);
    reproduction_item(reproduction, "table-5/lu.C.16/idleness", NULL, 8.6);
    reproduction_item(reproduction, "table-5/lu.D.16/idleness", NULL, 2.4);
    reproduction_item(reproduction, "table-3/fmus", NULL, 64);
}

static void test_verdicts(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = few_numbers});
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(rows, "table-5/lu.C.16/mean-size/correct-fitted,4000,4999,B,24.975,25,reproduced,");
    reproduced_has(rows, "table-5/lu.C.16/mean-size/correct,4000,3999,B,-0.025,25,deviates,");
    reproduced_has(rows, "table-5/lu.C.16/idleness/simplecomm-fitted,8.59,8.6,%,0.116,10,fitted,");
    reproduced_has(rows, "table-5/lu.C.16/idleness/simplecomm,8.59,8.6,%,0.116,10,reproduced,");
    reproduced_has(rows, "table-5/lu.D.16/idleness/correct-fitted,2.45,2.4,%,-2.041,10,predicted,");
    reproduced_has(rows, "table-3/fmus/correct,64,64,,0.000,0,input,");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

/* The call that idles longest. */
static void test_cause(void **state)
{
    (void)state;
    struct run_facts facts = run_unknown;
    assert_true(isnan(run_idles_most_in(&facts, "p2p")));
    facts.causes = (char[]){"{\"p2p\": 2.5, \"bcast\": 1, \"barrier\": 2}"};
    assert_true(run_idles_most_in(&facts, "p2p") == 1);
    assert_true(run_idles_most_in(&facts, "bcast") == 0);
    assert_true(run_idles_most_in(&facts, "alltoall") == 0);
}

/* Two ranks that compute 12 Gflop, which take a second at the peak, in a folder of recordings. */
static void ask_for_recordings(struct reproduction *reproduction)
{
    if (!fmu_programs_are_recorded(reproduction) ||
        reproduction_chooses(reproduction, "compat", "simplecomm"))
        return;
    const struct run_facts *run = fmu_run_at_peak(reproduction, "packet", "npb:is:class=C,ranks=2", "", "");
    reproduction_item(reproduction, "table-5/is.C.4/messages", NULL, run->makespan_s);
    run = fmu_run_at_peak(reproduction, "packet", "npb:is:class=D,ranks=2", "", "");
    reproduction_item(reproduction, "table-5/is.D.4/messages", NULL, run->makespan_s);
    run = fmu_run_at_peak(reproduction, "packet", "npb:cg:class=C,ranks=2", "", "compute.rate=6Gflop/s");
    reproduction_item(reproduction, "table-5/cg.C.4/messages", NULL, run->makespan_s);
    run = fmu_run_at_peak(reproduction, "packet", "npb:is:class=C,ranks=2", "", "compute.rate=6Gflop/s");
    reproduction_item(reproduction, "table-5/ft.C.4/messages", NULL, run->makespan_s);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_recordings(void **state)
{
    (void)state;
    char folder[] = "/tmp/heliograph-recordings-XXXXXX", before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("recordings", 0700), 0);
    assert_int_equal(mkdir("recordings/is.C.2", 0700), 0);
    write_text("recordings/is.C.2/rank-1.txt", "0 init\n0 compute 12000000000\n0 finalize\n");
    write_text("recordings/is.C.2/rank-2.txt", "1 init\n1 compute 12000000000\n1 finalize\n");
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = ask_for_recordings});
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(rows, "fmu,table-5/is.C.4/messages/recorded,348,1,");
    reproduced_has(rows, "fmu,table-5/is.D.4/messages/recorded,348,,,,0,not run,only class C is recorded,");
    reproduced_has(rows,
                   "fmu,table-5/cg.C.4/messages/recorded,31000,,,,3.226,not run,needs a folder recordings");
    reproduced_has(rows, "fmu,table-5/ft.C.4/messages/recorded,351,2,");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
    assert_int_equal(unlink("recordings/is.C.2/rank-1.txt"), 0);
    assert_int_equal(unlink("recordings/is.C.2/rank-2.txt"), 0);
    assert_int_equal(rmdir("recordings/is.C.2"), 0);
    assert_int_equal(rmdir("recordings"), 0);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void check_part(struct reproduction *reproduction, const char *fabric, const char *workload)
{
    const struct run_facts *part = fmu_run_generated(reproduction, fabric, workload, ""),
                           *whole = reproduction_run(reproduction, fabric, workload, "");
    if (isnan(part->makespan_s) || isnan(whole->makespan_s))
        return;
    assert_true(part != whole);
    assert_true(part->messages == whole->messages && part->bytes == whole->bytes);
    assert_true(fabs(part->makespan_s / whole->makespan_s - 1) < 1e-4);
    assert_true(fabs(part->idle_fraction / whole->idle_fraction - 1) < 1e-3);
    if (strcmp(fabric, "hybrid") == 0)
        assert_true(run_metric(part, "fmu_messages") == run_metric(whole, "fmu_messages"));
    if (strcmp(fabric, "fmu") == 0) {
        assert_true(run_metric(part, "accesses") == run_metric(whole, "accesses"));
        assert_true(fabs(run_metric(part, "queue_wait_mean_s") / run_metric(whole, "queue_wait_mean_s") - 1) <
                    1e-3);
    }
    assert_true(isnan(run_metric(part, "queue_wait_max_s"))); /* neither counter nor mean */
}

/* LU and the rings from fifteen of their iterations are as a whole. */
static void ask_for_parts(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    static const char *const fabrics[] = {"packet", "fmu", "hybrid"},
                             *const programs[] = {"npb:lu:class=C,ranks=4",
                                                  "fmu-bcast:ranks=8,bytes=32KiB,iterations=100",
                                                  "fmu-reduce:ranks=8,bytes=256KiB,iterations=100"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            check_part(reproduction, fabrics[i], programs[k]);
}

static void test_parts(void **state)
{
    (void)state;
    reproduced_make_quickly(&(struct paper){.name = "fmu", .title = "few", .reproduce = ask_for_parts});
    reproduced_take("fmu.csv");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

/* The values that unknowns.csv lists first: 0.26 of the recorded time with its start-up, and 200
 * interruptions of 100 us in a second. */
static void ask_for_paces(struct reproduction *reproduction)
{
    if (!reproduction_is_first(reproduction))
        return;
    struct fmu_pace cg = fmu_machine_pace(reproduction, &(struct fmu_npb){"cg", 'C', 16}),
                    is = fmu_machine_pace(reproduction, &(struct fmu_npb){"is", 'D', 64});
    assert_true(fabs(cg.rate * 0.26 * (102.1 - 1.3) / 1.45259e11 - 1) < 1e-6);
    assert_true(fabs(cg.start / cg.rate / (0.26 * 1.3 / 16) - 1) < 1e-6);
    assert_true(fabs(cg.noise_every / cg.rate * 200 - 1) < 1e-6);
    assert_true(fabs(cg.noise / cg.rate / 100e-6 - 1) < 1e-5);
    assert_true(fabs(is.rate * 0.26 * (16.57 - 13.3) / 1.4764e9 - 1) < 1e-6);
    assert_true(fabs(is.start / is.rate / (0.26 * 13.3 * 16 / 64) - 1) < 1e-6);
}

static void test_paces(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = ask_for_paces});
    reproduced_take("fmu.csv");
    reproduced_take("fmu-figures.csv");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message), cmocka_unit_test(test_verdicts), cmocka_unit_test(test_cause),
        cmocka_unit_test(test_recordings),  cmocka_unit_test(test_parts),    cmocka_unit_test(test_paces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
