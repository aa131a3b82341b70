/* Section 7 of "Breaking Band" says: an MPI stencil kernel in a simulator shows exactly the linear speedups
 * of the manual what-if analysis, because its components do not overlap. This is such a kernel: a ring of
 * ranks, one on each node, that exchange 8 bytes with both neighbours and then compute. Its speedups differ
 * from the analysis, and these tests show the reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "breakdown/model.h"
#include "breakdown/whatif.h"
#include "support/script.h"

enum { RANKS = 4, STEPS = 50, CALLS = 6 * STEPS + 1 };

static struct script_outcome out;

/* The time of all steps with this change. */
static ps_t steps_ps(double operations, const char *change)
{
    static struct call programs[RANKS][CALLS];
    const struct call *calls[RANKS];
    char setting[96];
    for (int rank = 0; rank < RANKS; rank++) {
        int left = (rank + RANKS - 1) % RANKS, right = (rank + 1) % RANKS;
        struct call *call = programs[rank];
        calls[rank] = call;
        for (int i = 0; i < STEPS; i++) {
            *call++ = (struct call)IRECV(left, 0, 8, 2);
            *call++ = (struct call)IRECV(right, 1, 8, 3);
            *call++ = (struct call)ISEND(right, 0, 8, 4);
            *call++ = (struct call)ISEND(left, 1, 8, 5);
            *call++ = (struct call)WAITALL;
            *call++ = (struct call)COMPUTE(operations);
        }
        *call = (struct call)FINALIZE;
    }
    snprintf(setting, sizeof setting, "host.change=%s", change);
    script_run(calls, RANKS, "hockney",
               (const char *const[]){"host.system=thunderx2", "hockney.latency=382.81ns", setting, NULL},
               &out);
    assert_int_equal(out.status, STATUS_OK);
    return out.makespan;
}

/* The model's end-to-end latency with the same change. */
static ps_t latency_ps(const char *change)
{
    struct system_file file;
    struct model model;
    assert_int_equal(system_init(&file, NULL), STATUS_OK);
    assert_int_equal(whatif_apply(&file.system, 8, "change", change), STATUS_OK);
    model_init(&model, &file.system, 8);
    system_free(&file);
    return model_sum(&model, END_TO_END_LATENCY);
}

static const char *less(const char *component, unsigned percent)
{
    static char change[64];
    snprintf(change, sizeof change, "%s=-%u%%", component, percent);
    return change;
}

static const unsigned percents[] = {10, 30, 50, 70, 90};
enum { PERCENTS = sizeof percents / sizeof *percents };

/* The time that the steps save, divided by what the model's latency saves with the same change. */
static double saved(const char *component, unsigned percent, double operations)
{
    ps_t latency = latency_ps(less(component, 0)) - latency_ps(less(component, percent));
    ps_t steps = steps_ps(operations, less(component, 0)) - steps_ps(operations, less(component, percent));
    return (double)steps / (double)latency / STEPS;
}

/* The path of a step's last message has one of each component, so a step saves exactly what a message saves.
 * That is linear. The share is smaller, since a step takes longer than a message, with or without
 * computation. */
static void posts_and_io_save_what_a_message_saves(void **state)
{
    (void)state;
    static const char *const components[] = {"LLP_post", "PIO", "HLP_post", "PCIe", "RC-to-MEM"};
    for (size_t i = 0; i < sizeof components / sizeof *components; i++)
        for (size_t j = 0; j < PERCENTS; j++) {
            assert_float_equal(saved(components[i], percents[j], 0), 1, 1e-12);
            assert_float_equal(saved(components[i], percents[j], 12000), 1, 1e-12);
        }
    assert_true(steps_ps(0, less("PCIe", 0)) > STEPS * latency_ps(less("PCIe", 0)));
}

/* The core handles two received messages one after another, as long as that takes longer than the sender's
 * second post. Up to that point the progress of a receive counts twice. So the saving is not linear and
 * differs from Figure 17. */
static void progress_of_receives_is_not_linear(void **state)
{
    (void)state;
    for (size_t j = 0; percents[j] < 90; j++)
        assert_float_equal(saved("LLP_prog", percents[j], 0), 2, 1e-12);
    double at_90 = saved("LLP_prog", 90, 0);
    assert_true(at_90 > 1 && at_90 < 2);
    assert_true(saved("HLP_rx_prog", 10, 0) > 1.8);
    assert_true(saved("HLP_rx_prog", 90, 0) < 1.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posts_and_io_save_what_a_message_saves),
        cmocka_unit_test(progress_of_receives_is_not_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
