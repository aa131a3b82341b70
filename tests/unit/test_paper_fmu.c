/* Numbers of the FMU paper that follow from its equations alone, and what its lists of roles say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/ways.h"
#include "support/reproduced.h"

/* Figures 11 and 12: both models are the paper's equations, except for SimpleComm's 16 bytes a message. */
static void test_one_message(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = fmu_messages});
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(
        rows, "fmu,figure-11/speedup-at-10MB/correct,2.99,2.987981,x,-0.068,0.1672,reproduced,,correct\n");
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
    bool is_fitted = fmu_rate_is_fitted(reproduction);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
