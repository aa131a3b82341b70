/* Finite fields: the axioms, for every pair and triple of elements of every field of up to 49; primes against
 * arithmetic modulo a prime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "topo/field.h"

enum { LARGEST = 49 };

static void check_pair(const struct field *field, uint32_t a, uint32_t b)
{
    uint32_t q = field->size, sum = field_plus(field, a, b), product = field_times(field, a, b);
    assert_true(sum < q && product < q);
    assert_int_equal(sum, field_plus(field, b, a));
    assert_int_equal(product, field_times(field, b, a));
    assert_int_equal(field_minus(field, sum, b), a);
    assert_int_equal(product == 0, a == 0 || b == 0);
    if (q == field->prime) {
        assert_int_equal(sum, (a + b) % q);
        assert_int_equal(product, a * b % q);
    }
    for (uint32_t c = 0; c < q; c++) {
        assert_int_equal(field_plus(field, sum, c), field_plus(field, a, field_plus(field, b, c)));
        assert_int_equal(field_times(field, product, c), field_times(field, a, field_times(field, b, c)));
        assert_int_equal(field_times(field, c, sum),
                         field_plus(field, field_times(field, c, a), field_times(field, c, b)));
    }
}

static void fields_satisfy_the_axioms(void **state)
{
    (void)state;
    uint32_t fields = 0;
    for (uint32_t q = 2; q <= LARGEST; q++) {
        struct field field;
        if (!field_prime_of(q))
            continue;
        fields++;
        field_open(&field, q);
        for (uint32_t a = 0; a < q; a++) {
            bool has_inverse = a == 0;
            assert_int_equal(field_plus(&field, a, 0), a);
            assert_int_equal(field_times(&field, a, 1), a);
            for (uint32_t b = 0; b < q; b++) {
                check_pair(&field, a, b);
                has_inverse |= field_times(&field, a, b) == 1;
            }
            assert_true(has_inverse);
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i < field.prime; i++)
            sum = field_plus(&field, sum, 1);
        assert_int_equal(sum, 0);
        field_close(&field);
    }
    assert_int_equal(fields, 15 + 8); /* primes; 4, 8, 16, 32, 9, 27, 25, 49 */
}

static void powers_of_primes_are_told_from_others(void **state)
{
    (void)state;
    for (uint32_t q = 2; q < 2000; q++) {
        uint32_t primes = 0, last = 0;
        for (uint32_t p = 2; p <= q; p++) {
            bool is_prime = true;
            for (uint32_t k = 2; k * k <= p; k++)
                is_prime &= p % k != 0;
            if (is_prime && q % p == 0) {
                primes++;
                last = p;
            }
        }
        assert_int_equal(field_prime_of(q), primes == 1 ? last : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_satisfy_the_axioms),
        cmocka_unit_test(powers_of_primes_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
