#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "workload/workload.h"

/* The parameters of generated NPB programs that change no message: computation before the first one, and
 * interruptions, whose sum has a mean and a variance that the theory of compound Poisson processes gives. */

enum { RANKS_AT_MOST = 64 };

struct computed {
    double ranks[RANKS_AT_MOST], first[RANKS_AT_MOST]; /* operations; of the first burst */
    uint64_t calls, sent, bytes;
};

static struct computed computed_by(const char *spec)
{
    struct computed sum = {.calls = 0};
    struct program *program;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    assert_true(program->ranks <= RANKS_AT_MOST);
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        struct call scratch;
        const struct call *call;
        while ((call = program_next(program, rank, &scratch))) {
            sum.calls++;
            sum.sent += call->op == CALL_SEND;
            sum.bytes += call->op == CALL_SEND ? call->bytes : 0;
            if (call->op != CALL_COMPUTE)
                continue;
            sum.ranks[rank] += call->amount;
            if (sum.first[rank] == 0)
                sum.first[rank] = call->amount;
        }
    }
    program->ops->close(program);
    return sum;
}

static void test_start(void **state)
{
    (void)state;
    static const char *const names[] = {"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "npb:%s:class=S,ranks=4", names[i]);
        struct computed without = computed_by(spec);
        strcat(spec, ",start=123456789");
        struct computed with = computed_by(spec);
        assert_int_equal(with.calls, without.calls + 4);
        for (int rank = 0; rank < 4; rank++) {
            assert_true(with.first[rank] == 123456789);
            assert_true(with.ranks[rank] == without.ranks[rank] + 123456789);
        }
    }
}

/* All ranks of FT compute the same, so their interruptions are samples of one distribution. With the number
 * of interruptions n in the mean and their mean length d, the sum has the mean n d and the variance
 * 2 n d^2. */
static void check_distribution(const char *noisy, double every, double each)
{
    struct computed quiet = computed_by("npb:ft:class=S,ranks=64"), loud = computed_by(noisy);
    double count = quiet.ranks[0] / every, mean = 0, square = 0;
    assert_int_equal(quiet.calls, loud.calls);
    for (int rank = 0; rank < 64; rank++) {
        double lost = loud.ranks[rank] - quiet.ranks[rank];
        mean += lost / 64;
        square += lost * lost / 64;
    }
    double deviation = sqrt(2 * count) * each;
    assert_true(fabs(mean - count * each) < 4 * deviation / 8); /* of the mean of 64: an eighth */
    double ratio = (square - mean * mean) / (deviation * deviation);
    assert_true(ratio > 0.4 && ratio < 1.8); /* chi-square with 63 degrees of freedom: 0.18 about 1 */
}

static void test_noise(void **state)
{
    (void)state;
    check_distribution("npb:ft:class=S,ranks=64,noise_every=10000,noise=700", 10000, 700);
    check_distribution("npb:ft:class=S,ranks=64,noise_every=10,noise=3", 10, 3); /* many in each burst */
}

static void test_noise_repeats(void **state)
{
    (void)state;
    static const char spec[] = "npb:lu:class=S,ranks=4,noise_every=1000,noise=100";
    struct computed once = computed_by(spec), again = computed_by(spec),
                    other = computed_by("npb:lu:class=S,ranks=4,noise_every=1000,noise=100,noise_seed=2");
    assert_memory_equal(once.ranks, again.ranks, sizeof once.ranks);
    assert_true(once.ranks[0] != other.ranks[0] && once.ranks[0] != once.ranks[1]);
    assert_int_equal(once.bytes, other.bytes);
}

/* Iterations are alike: what each further one sends is the same. */
static void check_iterations(const char *benchmark, uint64_t iterations)
{
    char few_text[64], more_text[64], all_text[64];
    snprintf(few_text, sizeof few_text, "npb:%s:class=A,ranks=16,iterations=2", benchmark);
    snprintf(more_text, sizeof more_text, "npb:%s:class=A,ranks=16,iterations=5", benchmark);
    snprintf(all_text, sizeof all_text, "npb:%s:class=A,ranks=16", benchmark);
    struct computed few = computed_by(few_text), more = computed_by(more_text), all = computed_by(all_text);
    uint64_t each = (more.sent - few.sent) / 3, bytes_each = (more.bytes - few.bytes) / 3;
    assert_int_equal(more.sent, few.sent + 3 * each);
    assert_int_equal(all.sent, few.sent + (iterations - 2) * each);
    assert_int_equal(all.bytes, few.bytes + (iterations - 2) * bytes_each);
}

static void test_iterations(void **state)
{
    (void)state;
    check_iterations("lu", 250);
    check_iterations("cg", 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_noise_repeats),
        cmocka_unit_test(test_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
