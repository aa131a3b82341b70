#include "live/capture/types.h"

#include <stdbool.h>
#include <string.h>

#include "call/datatype.h"
#include "live/capture/symbols.h"

/* SimGrid's numbers of the predefined types, by the names that both MPIs have for them. A derived type has no
 * number; the trace has its size in bytes. */
static const struct {
    const char *name;
    int id;
} names[] = {
    {"MPI_DOUBLE", 0},
    {"MPI_DOUBLE_PRECISION", 0},
    {"MPI_INT", 1},
    {"MPI_INTEGER", 1},
    {"MPI_CHAR", 2},
    {"MPI_CHARACTER", 2},
    {"MPI_SHORT", 3},
    {"MPI_LONG", 4},
    {"MPI_FLOAT", 5},
    {"MPI_BYTE", 6},
    {"MPI_LONG_LONG", 7},
    {"MPI_LONG_LONG_INT", 7},
    {"MPI_SIGNED_CHAR", 8},
    {"MPI_UNSIGNED_CHAR", 9},
    {"MPI_UNSIGNED_SHORT", 10},
    {"MPI_UNSIGNED", 11},
    {"MPI_UNSIGNED_LONG", 12},
    {"MPI_UNSIGNED_LONG_LONG", 13},
    {"MPI_LONG_DOUBLE", 14},
    {"MPI_C_BOOL", 16},
    {"MPI_INT8_T", 17},
    {"MPI_INT16_T", 18},
    {"MPI_INT32_T", 19},
    {"MPI_INT64_T", 20},
    {"MPI_UINT8_T", 21},
    {"MPI_UINT16_T", 22},
    {"MPI_UINT32_T", 23},
    {"MPI_LOGICAL", 23},
    {"MPI_UINT64_T", 24},
    {"MPI_FLOAT_INT", 30},
    {"MPI_LONG_INT", 31},
    {"MPI_DOUBLE_INT", 32},
    {"MPI_2INT", 34},
    {"MPI_2INTEGER", 34},
    {"MPI_2REAL", 35},
    {"MPI_2DOUBLE_PRECISION", 36},
    {"MPI_REAL", 38},
    {"MPI_REAL4", 39},
    {"MPI_REAL8", 40},
    {"MPI_COMPLEX", 42},
    {"MPI_C_FLOAT_COMPLEX", 25},
    {"MPI_C_DOUBLE_COMPLEX", 26},
    {"MPI_DOUBLE_COMPLEX", 43},
    {"MPI_PACKED", 57},
};

enum { KNOWN_MAX = 128 };

/* The predefined types that the program has used. They cannot be freed, so their handles stay valid. */
static struct {
    MPI_Datatype handle;
    struct capture_type type;
} known[KNOWN_MAX];
static int known_count;

static bool is_predefined(MPI_Datatype handle)
{
    int integers, addresses, types, combiner;
    REAL(Type_get_envelope)(handle, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

static struct capture_type in_bytes(MPI_Datatype handle)
{
    MPI_Count bytes;
    REAL(Type_size_x)(handle, &bytes);
    return (struct capture_type){.id = TYPE_BYTE, .elements = bytes};
}

/* Readers of a trace derive the size from the number. So the number is used only if the sizes are equal. They
 * may differ: readers count no padding in MPI_DOUBLE_INT, and the size of an INTEGER depends on the Fortran
 * compiler. */
static struct capture_type by_name(MPI_Datatype handle)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    struct capture_type bytes = in_bytes(handle);
    REAL(Type_get_name)(handle, name, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0 && datatype_bytes(names[i].id) == bytes.elements)
            return (struct capture_type){.id = names[i].id, .elements = 1};
    return bytes;
}

struct capture_type type_of(MPI_Datatype handle)
{
    for (int i = 0; i < known_count; i++)
        if (known[i].handle == handle)
            return known[i].type;
    if (handle == (MPI_Datatype)0 || handle == MPI_DATATYPE_NULL) /* the call has no such argument */
        return (struct capture_type){.id = TYPE_BYTE, .elements = 0};
    if (!is_predefined(handle))
        return in_bytes(handle);
    struct capture_type type = by_name(handle);
    if (known_count < KNOWN_MAX) {
        known[known_count].handle = handle;
        known[known_count++].type = type;
    }
    return type;
}
