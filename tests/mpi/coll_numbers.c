#include "coll_numbers.h"

#include <complex.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a byte of an element of `form` is for: 10 of the 16 bytes of x86's long double count. */
enum { LONG_DOUBLE_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

struct float_int {
    float value;
    int index;
};
struct double_int {
    double value;
    int index;
};
struct long_int {
    long value;
    int index;
};
struct short_int {
    short value;
    int index;
};
struct long_double_int {
    long double value;
    int index;
};

/* A gap, then the number. */
struct gapped {
    uint32_t gap, value;
};

#define NUMBER(type, form, c)                                                                                \
    {                                                                                                        \
#type, type, form, sizeof(c), 0, sizeof(c)                                                           \
    }
#define PAIR(type, form, value, c)                                                                           \
    {                                                                                                        \
#type, type, form, sizeof(value), offsetof(c, index), sizeof(c)                                      \
    }

enum { GAPPED, MATRIX, USER_TYPES };

static struct number numbers[] = {
    NUMBER(MPI_SIGNED_CHAR, FORM_SIGNED, signed char),
    NUMBER(MPI_SHORT, FORM_SIGNED, short),
    NUMBER(MPI_INT, FORM_SIGNED, int),
    NUMBER(MPI_LONG, FORM_SIGNED, long),
    NUMBER(MPI_LONG_LONG, FORM_SIGNED, long long),
    NUMBER(MPI_INT8_T, FORM_SIGNED, int8_t),
    NUMBER(MPI_INT16_T, FORM_SIGNED, int16_t),
    NUMBER(MPI_INT32_T, FORM_SIGNED, int32_t),
    NUMBER(MPI_INT64_T, FORM_SIGNED, int64_t),
    NUMBER(MPI_UNSIGNED_CHAR, FORM_UNSIGNED, unsigned char),
    NUMBER(MPI_UNSIGNED_SHORT, FORM_UNSIGNED, unsigned short),
    NUMBER(MPI_UNSIGNED, FORM_UNSIGNED, unsigned),
    NUMBER(MPI_UNSIGNED_LONG, FORM_UNSIGNED, unsigned long),
    NUMBER(MPI_UNSIGNED_LONG_LONG, FORM_UNSIGNED, unsigned long long),
    NUMBER(MPI_UINT8_T, FORM_UNSIGNED, uint8_t),
    NUMBER(MPI_UINT16_T, FORM_UNSIGNED, uint16_t),
    NUMBER(MPI_UINT32_T, FORM_UNSIGNED, uint32_t),
    NUMBER(MPI_UINT64_T, FORM_UNSIGNED, uint64_t),
    NUMBER(MPI_AINT, FORM_ADDRESS, MPI_Aint),
    NUMBER(MPI_OFFSET, FORM_ADDRESS, MPI_Offset),
    NUMBER(MPI_COUNT, FORM_ADDRESS, MPI_Count),
    NUMBER(MPI_INTEGER, FORM_ADDRESS, MPI_Fint),
    NUMBER(MPI_INTEGER1, FORM_ADDRESS, int8_t),
    NUMBER(MPI_INTEGER2, FORM_ADDRESS, int16_t),
    NUMBER(MPI_INTEGER4, FORM_ADDRESS, int32_t),
    NUMBER(MPI_INTEGER8, FORM_ADDRESS, int64_t),
    NUMBER(MPI_BYTE, FORM_BYTE, unsigned char),
    NUMBER(MPI_C_BOOL, FORM_BOOL, _Bool),
    NUMBER(MPI_FLOAT, FORM_FLOAT, float),
    NUMBER(MPI_DOUBLE, FORM_DOUBLE, double),
    NUMBER(MPI_REAL4, FORM_FLOAT, float),
    NUMBER(MPI_REAL8, FORM_DOUBLE, double),
    {"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, FORM_LONG_DOUBLE, LONG_DOUBLE_BYTES, 0, sizeof(long double)},
    NUMBER(MPI_C_FLOAT_COMPLEX, FORM_FLOAT_COMPLEX, float _Complex),
    NUMBER(MPI_C_DOUBLE_COMPLEX, FORM_DOUBLE_COMPLEX, double _Complex),
    NUMBER(MPI_COMPLEX8, FORM_FLOAT_COMPLEX, float _Complex),
    NUMBER(MPI_COMPLEX16, FORM_DOUBLE_COMPLEX, double _Complex),
    PAIR(MPI_FLOAT_INT, FORM_FLOAT, float, struct float_int),
    PAIR(MPI_DOUBLE_INT, FORM_DOUBLE, double, struct double_int),
    PAIR(MPI_LONG_INT, FORM_SIGNED, long, struct long_int),
    PAIR(MPI_SHORT_INT, FORM_SIGNED, short, struct short_int),
    {"MPI_2INT", MPI_2INT, FORM_SIGNED, sizeof(int), sizeof(int), 2 * sizeof(int)},
    {"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, FORM_LONG_DOUBLE, LONG_DOUBLE_BYTES,
     offsetof(struct long_double_int, index), sizeof(struct long_double_int)},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct number user_numbers[USER_TYPES] = {
    [GAPPED] = {"a number after a gap", MPI_DATATYPE_NULL, FORM_USER, sizeof(uint32_t), 0,
                sizeof(struct gapped)},
    [MATRIX] = {"a matrix", MPI_DATATYPE_NULL, FORM_USER, 4 * sizeof(uint32_t), 0, 4 * sizeof(uint32_t)},
};

/* ---------------------------------------------------- the user's operations */

/* a + b + ab, modulo 2^32. */
static void join(void *in, void *inout, int *length, MPI_Datatype *type)
{
    bool is_gapped = *type == user_numbers[GAPPED].type;
    for (int i = 0; i < *length; i++) {
        const uint32_t *a = (const uint32_t *)in + (is_gapped ? 2 * i + 1 : i);
        uint32_t *b = (uint32_t *)inout + (is_gapped ? 2 * i + 1 : i);
        *b = *a + *b + *a * *b;
    }
}

/* The product of two matrices of 2 x 2 numbers modulo 2^32. */
static void multiply(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const uint32_t *a = (const uint32_t *)in + 4 * i;
        uint32_t *b = (uint32_t *)inout + 4 * i;
        uint32_t product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                               a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        memcpy(b, product, sizeof product);
    }
}

/* x -> ax + b, modulo 2^32, with a in the lower half and b in the upper one: one map after the other. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        uint64_t first = ((const uint64_t *)in)[i], then = ((uint64_t *)inout)[i];
        uint32_t a = (uint32_t)then * (uint32_t)first;
        uint32_t b = (uint32_t)then * (uint32_t)(first >> 32) + (uint32_t)(then >> 32);
        ((uint64_t *)inout)[i] = (uint64_t)b << 32 | a;
    }
}

/* ---------------------------------------------------------------- the table */

enum { MOST_OPERATIONS = 400 };
static struct operation operations[MOST_OPERATIONS];
static int operation_count, first_user;
static MPI_Op op_join, op_multiply, op_compose;

static void add(const struct number *number, MPI_Op op, const char *name, bool commutes)
{
    if (operation_count == MOST_OPERATIONS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    operations[operation_count++] = (struct operation){number, op, name, commutes};
}

/* True if the MPI accepts the operation on the type; some lack types of newer versions of MPI. */
static bool is_accepted(const struct number *number, MPI_Op op)
{
    unsigned char a[64] = {0}, b[64] = {0};
    return PMPI_Reduce_local(a, b, 1, number->type, op) == MPI_SUCCESS;
}

static bool allows(const struct number *number, bool is_logical, bool is_bitwise, bool is_order)
{
    if (is_logical)
        return number->form == FORM_SIGNED || number->form == FORM_UNSIGNED || number->form == FORM_BOOL;
    if (is_bitwise)
        return number->form <= FORM_BYTE;
    bool is_complex = number->form == FORM_FLOAT_COMPLEX || number->form == FORM_DOUBLE_COMPLEX;
    return number->form != FORM_BYTE && number->form != FORM_BOOL && !(is_order && is_complex);
}

static void add_predefined(const struct number *number)
{
    static const struct {
        const char *name;
        MPI_Op op;
        bool is_logical, is_bitwise, is_order, is_of_pairs;
    } ops[] = {
        {"MPI_MIN", MPI_MIN, false, false, true, false},
        {"MPI_MAX", MPI_MAX, false, false, true, false},
        {"MPI_SUM", MPI_SUM, false, false, false, false},
        {"MPI_PROD", MPI_PROD, false, false, false, false},
        {"MPI_LAND", MPI_LAND, true, false, false, false},
        {"MPI_LOR", MPI_LOR, true, false, false, false},
        {"MPI_LXOR", MPI_LXOR, true, false, false, false},
        {"MPI_BAND", MPI_BAND, false, true, false, false},
        {"MPI_BOR", MPI_BOR, false, true, false, false},
        {"MPI_BXOR", MPI_BXOR, false, true, false, false},
        {"MPI_MINLOC", MPI_MINLOC, false, false, false, true},
        {"MPI_MAXLOC", MPI_MAXLOC, false, false, false, true},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        bool fits = number->index_at > 0 ? ops[i].is_of_pairs
                                         : !ops[i].is_of_pairs && allows(number, ops[i].is_logical,
                                                                         ops[i].is_bitwise, ops[i].is_order);
        if (fits && is_accepted(number, ops[i].op))
            add(number, ops[i].op, ops[i].name, true);
    }
}

static const struct number *find_number(const char *name)
{
    for (size_t i = 0; i < NUMBERS; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return &numbers[i];
    return NULL;
}

void coll_numbers_begin(void)
{
    MPI_Datatype shifted;
    MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){offsetof(struct gapped, value)}, MPI_UINT32_T,
                             &shifted);
    MPI_Type_create_resized(shifted, 0, sizeof(struct gapped), &user_numbers[GAPPED].type);
    MPI_Type_free(&shifted);
    MPI_Type_contiguous(4, MPI_UINT32_T, &user_numbers[MATRIX].type);
    MPI_Type_commit(&user_numbers[GAPPED].type);
    MPI_Type_commit(&user_numbers[MATRIX].type);
    MPI_Op_create(join, 1, &op_join);
    MPI_Op_create(multiply, 0, &op_multiply);
    MPI_Op_create(compose, 0, &op_compose);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    operation_count = 0;
    for (size_t i = 0; i < NUMBERS; i++)
        add_predefined(&numbers[i]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    first_user = operation_count;
    add(find_number("MPI_UINT32_T"), op_join, "join", true);
    add(&user_numbers[GAPPED], op_join, "join", true);
    add(&user_numbers[MATRIX], op_multiply, "multiply", false);
    add(find_number("MPI_UINT64_T"), op_compose, "compose", false);
}

int coll_operation_count(void)
{
    return operation_count;
}

int coll_first_user_operation(void)
{
    return first_user;
}

struct operation coll_operation(int i)
{
    return operations[i];
}

struct operation coll_operation_named(const char *op, const char *type)
{
    for (int i = 0; i < operation_count; i++)
        if (strcmp(operations[i].name, op) == 0 && strcmp(operations[i].number->name, type) == 0)
            return operations[i];
    fprintf(stderr, "there is no %s on %s\n", op, type);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return operations[0];
}

/* ----------------------------------------------------------------- elements */

/* Numbers so small that no sum or product of twelve of them overflows. Sums of bytes of Open MPI 4.1 overflow
 * in two different ways, depending on their place in the array. */
static int small(const struct operation *operation, uint64_t random)
{
    static const int factors[] = {-1, 1, 1, 2};
    bool is_unsigned = operation->number->form == FORM_UNSIGNED;
    if (operation->op == MPI_PROD) {
        int factor = operation->number->bytes == 1 ? factors[random % 2] : factors[random % 4];
        return is_unsigned && factor < 0 ? 3 * (operation->number->bytes > 1) : factor;
    }
    return (int)(random % 21) - (is_unsigned ? 0 : 10);
}

static void fill_integer(const struct operation *operation, uint64_t random, unsigned char *at)
{
    bool is_logical = operation->op == MPI_LAND || operation->op == MPI_LOR || operation->op == MPI_LXOR;
    bool counts = operation->op == MPI_SUM || operation->op == MPI_PROD || operation->number->index_at > 0;
    int64_t value = (int64_t)random;
    if (is_logical)
        value = random % 3 == 0 ? 0 : (int64_t)(random >> 8 & 0x7f);
    else if (counts)
        value = small(operation, random);
    memcpy(at, &value, operation->number->bytes); /* the lower bytes, on little-endian machines */
}

/* Real and imaginary part. No product of such numbers has a part that is 0, whose sign would depend on the
 * order of multiplications. */
static void complex_parts(const struct operation *operation, uint64_t random, double parts[2])
{
    static const double factors[][2] = {{2, 1}, {-2, -1}, {-1, 2}, {1, -2}};
    if (operation->op == MPI_PROD) {
        memcpy(parts, factors[random % 4], sizeof factors[0]);
    } else {
        parts[0] = small(operation, random);
        parts[1] = small(operation, random >> 32);
    }
}

void coll_number_fill(const struct operation *operation, uint64_t random, unsigned char *at)
{
    const struct number *number = operation->number;
    int a = small(operation, random);
    double parts[2];
    complex_parts(operation, random, parts);
    int index = (int)(random >> 16 & 0x3fffffff);
    switch (number->form) {
    case FORM_BOOL:
        *(_Bool *)at = random >> 7 & 1;
        break;
    case FORM_FLOAT:
        memcpy(at, &(float){(float)a}, sizeof(float));
        break;
    case FORM_DOUBLE:
        memcpy(at, &(double){a}, sizeof(double));
        break;
    case FORM_LONG_DOUBLE:
        memcpy(at, &(long double){a}, number->bytes);
        break;
    case FORM_FLOAT_COMPLEX:
        memcpy(at, (float[]){(float)parts[0], (float)parts[1]}, 2 * sizeof(float));
        break;
    case FORM_DOUBLE_COMPLEX:
        memcpy(at, parts, sizeof parts);
        break;
    case FORM_USER:
        for (size_t i = 0; i < number->extent; i++)
            if (coll_number_has(number, i))
                at[i] = (unsigned char)(coll_mix(random + i) >> 8);
        break;
    default:
        fill_integer(operation, random, at);
        break;
    }
    if (number->index_at > 0)
        memcpy(at + number->index_at, &index, sizeof index);
}

bool coll_number_has(const struct number *number, size_t i)
{
    if (number == &user_numbers[GAPPED])
        return i >= offsetof(struct gapped, value);
    return i < number->bytes ||
           (number->index_at > 0 && i >= number->index_at && i < number->index_at + sizeof(int));
}

void coll_number_copy(const struct number *number, const unsigned char *from, unsigned char *to)
{
    for (size_t i = 0; i < number->extent; i++)
        if (coll_number_has(number, i))
            to[i] = from[i];
}
