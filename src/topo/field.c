#include "topo/field.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

uint32_t field_prime_of(uint32_t q)
{
    uint32_t prime = 2;
    while (prime < q && q % prime != 0)
        prime++;
    while (q > 1 && q % prime == 0)
        q /= prime;
    return q == 1 ? prime : 0;
}

/* a + factor b, digit by digit. */
static uint32_t add(const struct field *field, uint32_t a, uint32_t b, uint32_t factor)
{
    uint32_t sum = 0, p = field->prime;
    for (uint32_t place = 1; place < field->size; place *= p)
        sum += (a / place % p + factor * (b / place % p)) % p * place;
    return sum;
}

uint32_t field_plus(const struct field *field, uint32_t a, uint32_t b)
{
    return add(field, a, b, 1);
}

uint32_t field_minus(const struct field *field, uint32_t a, uint32_t b)
{
    return add(field, a, b, field->prime - 1);
}

uint32_t field_times(const struct field *field, uint32_t a, uint32_t b)
{
    return a && b ? field->power[(field->exponent[a] + field->exponent[b]) % (field->size - 1)] : 0;
}

/* Fills in the powers of x, where x^n is `rest`. False: they are not all elements but zero. */
static bool fill_powers(struct field *field, uint32_t rest)
{
    uint32_t q = field->size, element = 1;
    for (uint32_t i = 0; i + 1 < q; i++) {
        if (i && element == 1)
            return false;
        field->power[i] = element;
        field->exponent[element] = i;
        uint32_t shifted = element % (q / field->prime) * field->prime; /* without its highest digit */
        element = add(field, shifted, rest, element / (q / field->prime));
        if (!element)
            return false;
    }
    return element == 1;
}

void field_open(struct field *field, uint32_t q)
{
    *field = (struct field){.size = q, .prime = field_prime_of(q)};
    field->power = mem_alloc(q, sizeof *field->power, "a field");
    field->exponent = mem_alloc(q, sizeof *field->exponent, "a field");
    for (uint32_t size = 1; size < q; size *= field->prime)
        field->digits++;
    uint32_t rest = 1;
    while (!fill_powers(field, rest))
        rest++;
}

void field_close(struct field *field)
{
    free(field->power);
    free(field->exponent);
}
