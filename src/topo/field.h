#ifndef HELIO_TOPO_FIELD_H
#define HELIO_TOPO_FIELD_H

#include <stdint.h>

/* The finite field of q = p^n elements, p prime. An element is a polynomial of degree below n over the
 * numbers modulo p, and as a number its coefficients are the digits to the base p; so 0 and 1 are zero and
 * one, and in a field of a prime elements are the numbers modulo p. Products are those of polynomials modulo
 * the first polynomial of degree n, in the order of such numbers, of which x is a primitive element: all
 * elements but zero are its powers. In a field of a prime, the primitive element is the smallest there is. */
struct field {
    uint32_t size, prime, digits; /* q, p, n */
    uint32_t *power;              /* [q - 1] of the primitive element */
    uint32_t *exponent;           /* [q] of each element but zero */
};

/* The prime of which q is a power; 0: there is none. */
uint32_t field_prime_of(uint32_t q);

/* Of a power of a prime. */
void field_open(struct field *field, uint32_t q);
void field_close(struct field *field);

uint32_t field_plus(const struct field *field, uint32_t a, uint32_t b);
uint32_t field_minus(const struct field *field, uint32_t a, uint32_t b);
uint32_t field_times(const struct field *field, uint32_t a, uint32_t b);

#endif
