/* The random numbers of the TDM paper: the C library's rand of the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "papers/tdm/draws.h"

/* The example in the C standard, 7.22.2.2, takes bits 16 to 30; these are its first numbers. */
static void test_example_of_the_standard(void **state)
{
    static const uint32_t numbers[] = {16838, 5758, 10113, 17515, 31051};
    struct tdm_dice dice = {.state = 1, .dropped = 16};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(tdm_dice_below(&dice, 1u << 15), numbers[i]);
}

/* A node number is bits 8 to 13, which repeat after 2^14 numbers and not before. */
static void test_low_bits_repeat(void **state)
{
    enum { NODES = 64, PERIOD = 1 << 14 };
    static uint32_t first[PERIOD];
    struct tdm_dice dice = {.state = 7, .dropped = 8};
    size_t same = 0;
    (void)state;
    for (size_t i = 0; i < PERIOD; i++)
        first[i] = tdm_dice_below(&dice, NODES);
    for (size_t i = 0; i < PERIOD; i++) {
        assert_int_equal(tdm_dice_below(&dice, NODES), first[i]);
        same += first[i] == first[(i + PERIOD / 2) % PERIOD];
    }
    assert_int_equal(same, 0); /* half a period later the highest of the six bits is the other one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_of_the_standard),
        cmocka_unit_test(test_low_bits_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
