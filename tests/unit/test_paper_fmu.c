/* Figures of the FMU paper that follow from its equations alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "papers/fmu/fmu.h"
#include "support/reproduced.h"

/* Figures 11 and 12: both models are the paper's equations, except for SimpleComm's 16 bytes a message. */
static void test_one_message(void **state)
{
    (void)state;
    reproduced_make(&(struct paper){.name = "fmu", .title = "few", .reproduce = fmu_messages});
    const char *rows = reproduced_take("fmu.csv");
    reproduced_has(rows, "fmu,figure-11/speedup-at-10MB/correct,2.99,2.987981,x,-0.068,0.2,reproduced,");
    reproduced_has(rows, "fmu,figure-11/speedup-at-10MB/simplecomm,2.99,2.987");
    reproduced_has(rows, "fmu,figure-12/pivot/correct,37,37.06567,KB,0.177,1.4,reproduced,");
    reproduced_has(rows, "fmu,figure-12/pivot/simplecomm,37,37.0");
    reproduced_has(reproduced_take("fmu-figures.csv"), "figure-11,correct,InfiniBand,10,808,\n");
    reproduced_take("fmu-figures.gp");
    reproduced_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
