#include "live/coll/internal.h"

/* The types that the MPI defines, by the operations that MPI allows on them (MPI 4.0, section 6.9.2). */
enum {
    INTEGER = 1,         /* of C */
    FORTRAN_INTEGER = 2, /* has no logical operations */
    FLOATING = 4,
    LOGICAL = 8,
    COMPLEX = 16,
    BYTES = 32,
    PAIR = 64
};

static const struct {
    MPI_Datatype type;
    unsigned group;
} types[] = {
    {MPI_INT, INTEGER},
    {MPI_LONG, INTEGER},
    {MPI_SHORT, INTEGER},
    {MPI_UNSIGNED_SHORT, INTEGER},
    {MPI_UNSIGNED, INTEGER},
    {MPI_UNSIGNED_LONG, INTEGER},
    {MPI_LONG_LONG, INTEGER},
    {MPI_UNSIGNED_LONG_LONG, INTEGER},
    {MPI_SIGNED_CHAR, INTEGER},
    {MPI_UNSIGNED_CHAR, INTEGER},
    {MPI_INT8_T, INTEGER},
    {MPI_INT16_T, INTEGER},
    {MPI_INT32_T, INTEGER},
    {MPI_INT64_T, INTEGER},
    {MPI_UINT8_T, INTEGER},
    {MPI_UINT16_T, INTEGER},
    {MPI_UINT32_T, INTEGER},
    {MPI_UINT64_T, INTEGER},
    {MPI_INTEGER, FORTRAN_INTEGER},
    {MPI_INTEGER1, FORTRAN_INTEGER},
    {MPI_INTEGER2, FORTRAN_INTEGER},
    {MPI_INTEGER4, FORTRAN_INTEGER},
    {MPI_INTEGER8, FORTRAN_INTEGER},
    {MPI_AINT, INTEGER | BYTES},
    {MPI_OFFSET, INTEGER | BYTES},
    {MPI_COUNT, INTEGER | BYTES},
    {MPI_FLOAT, FLOATING},
    {MPI_DOUBLE, FLOATING},
    {MPI_LONG_DOUBLE, FLOATING},
    {MPI_REAL, FLOATING},
    {MPI_DOUBLE_PRECISION, FLOATING},
    {MPI_REAL4, FLOATING},
    {MPI_REAL8, FLOATING},
    {MPI_C_BOOL, LOGICAL},
    {MPI_LOGICAL, LOGICAL},
    {MPI_CXX_BOOL, LOGICAL},
    {MPI_C_FLOAT_COMPLEX, COMPLEX},
    {MPI_C_DOUBLE_COMPLEX, COMPLEX},
    {MPI_COMPLEX, COMPLEX},
    {MPI_DOUBLE_COMPLEX, COMPLEX},
    {MPI_COMPLEX8, COMPLEX},
    {MPI_COMPLEX16, COMPLEX},
    {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX},
    {MPI_CXX_FLOAT_COMPLEX, COMPLEX},
    {MPI_CXX_DOUBLE_COMPLEX, COMPLEX},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX},
    {MPI_BYTE, BYTES},
    {MPI_2INT, PAIR},
    {MPI_2REAL, PAIR},
    {MPI_2DOUBLE_PRECISION, PAIR},
    {MPI_2INTEGER, PAIR},
};

static const struct {
    MPI_Op op;
    unsigned groups;
} operations[] = {
    {MPI_MAX, INTEGER | FORTRAN_INTEGER | FLOATING},
    {MPI_MIN, INTEGER | FORTRAN_INTEGER | FLOATING},
    {MPI_SUM, INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX},
    {MPI_PROD, INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX},
    {MPI_LAND, INTEGER | LOGICAL},
    {MPI_LOR, INTEGER | LOGICAL},
    {MPI_LXOR, INTEGER | LOGICAL},
    {MPI_BAND, INTEGER | FORTRAN_INTEGER | BYTES},
    {MPI_BOR, INTEGER | FORTRAN_INTEGER | BYTES},
    {MPI_BXOR, INTEGER | FORTRAN_INTEGER | BYTES},
    {MPI_MAXLOC, PAIR},
    {MPI_MINLOC, PAIR},
    {MPI_REPLACE, 0},
    {MPI_NO_OP, 0},
};

/* MPI_DATATYPE_NULL stands for a type that this MPI does not have. */
static unsigned group_of(MPI_Datatype type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return types[i].group;
    return 0;
}

bool live_op_is_predefined(MPI_Op op)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return true;
    return false;
}

enum live_reduces live_reduces(MPI_Op op, MPI_Datatype type)
{
    int commutes = 0;
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL || !live_type_is_dense(type))
        return LIVE_REDUCES_NOT;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return operations[i].groups & group_of(type) ? LIVE_REDUCES : LIVE_REDUCES_NOT;
    if (PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS)
        return LIVE_REDUCES_NOT;
    return commutes ? LIVE_REDUCES : LIVE_REDUCES_IN_ORDER;
}
