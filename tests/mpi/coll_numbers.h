/* Types and operations of reductions, with contents whose result does not depend on the order of evaluation:
 * floating-point numbers are small integers. */
#ifndef HELIO_TESTS_MPI_COLL_NUMBERS_H
#define HELIO_TESTS_MPI_COLL_NUMBERS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum form {
    FORM_SIGNED,
    FORM_UNSIGNED,
    FORM_ADDRESS, /* MPI_AINT and others, integers of Fortran: no logical operations */
    FORM_BYTE,
    FORM_BOOL,
    FORM_FLOAT,
    FORM_DOUBLE,
    FORM_LONG_DOUBLE,
    FORM_FLOAT_COMPLEX,
    FORM_DOUBLE_COMPLEX,
    FORM_USER, /* bits, for a user's operation */
};

/* `index_at`: where a pair has its index; 0: no pair. */
struct number {
    const char *name;
    MPI_Datatype type;
    enum form form;
    size_t bytes, index_at, extent;
};

struct operation {
    const struct number *number;
    MPI_Op op;
    const char *name;
    bool commutes;
};

/* All operations on all types on which the MPI accepts them, the user's last. */
void coll_numbers_begin(void);
int coll_operation_count(void);
int coll_first_user_operation(void);
struct operation coll_operation(int i);

/* The operation of these names; ends the program if there is none. */
struct operation coll_operation_named(const char *op, const char *type);

/* Writes the element that `random` gives. */
void coll_number_fill(const struct operation *operation, uint64_t random, unsigned char *at);

/* Copies what counts of an element: no padding, no gap. */
void coll_number_copy(const struct number *number, const unsigned char *from, unsigned char *to);

/* True if byte i of an element counts. */
bool coll_number_has(const struct number *number, size_t i);

static inline uint64_t coll_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t coll_random(uint64_t a, uint64_t b, uint64_t c)
{
    return coll_mix(coll_mix(coll_mix(a + UINT64_C(0x9e3779b97f4a7c15)) + b) + c);
}

#endif
