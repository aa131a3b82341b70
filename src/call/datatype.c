#include "call/datatype.h"

#include <stddef.h>

/* SimGrid numbers the predefined types in the order in which its C++ source declares them, and a trace holds
 * that number. Sizes are those of the x86-64 C types behind the names. */
static const struct {
    const char *name;
    int bytes;
} datatypes[DATATYPE_COUNT_OF] = {
    [0] = {"DOUBLE", 8},
    [1] = {"INT", 4},
    [2] = {"CHAR", 1},
    [3] = {"SHORT", 2},
    [4] = {"LONG", 8},
    [5] = {"FLOAT", 4},
    [6] = {"BYTE", 1},
    [7] = {"LONG_LONG", 8},
    [8] = {"SIGNED_CHAR", 1},
    [9] = {"UNSIGNED_CHAR", 1},
    [10] = {"UNSIGNED_SHORT", 2},
    [11] = {"UNSIGNED", 4},
    [12] = {"UNSIGNED_LONG", 8},
    [13] = {"UNSIGNED_LONG_LONG", 8},
    [14] = {"LONG_DOUBLE", 16},
    [15] = {"WCHAR", 4},
    [16] = {"C_BOOL", 1},
    [17] = {"INT8_T", 1},
    [18] = {"INT16_T", 2},
    [19] = {"INT32_T", 4},
    [20] = {"INT64_T", 8},
    [21] = {"UINT8_T", 1},
    [22] = {"UINT16_T", 2},
    [23] = {"UINT32_T", 4},
    [24] = {"UINT64_T", 8},
    [25] = {"C_FLOAT_COMPLEX", 8},
    [26] = {"C_DOUBLE_COMPLEX", 16},
    [27] = {"C_LONG_DOUBLE_COMPLEX", 32},
    [28] = {"AINT", 8},
    [29] = {"OFFSET", 8},
    [30] = {"FLOAT_INT", 8},
    [31] = {"LONG_INT", 16},
    [32] = {"DOUBLE_INT", 16},
    [33] = {"SHORT_INT", 8},
    [34] = {"2INT", 8},
    [35] = {"2FLOAT", 8},
    [36] = {"2DOUBLE", 16},
    [37] = {"2LONG", 16},
    [38] = {"REAL", 4},
    [39] = {"REAL4", 4},
    [40] = {"REAL8", 8},
    [41] = {"REAL16", 16},
    [42] = {"COMPLEX8", 8},
    [43] = {"COMPLEX16", 16},
    [44] = {"COMPLEX32", 16}, /* SimGrid declares it as two doubles */
    [45] = {"INTEGER1", 4},   /* SimGrid declares it as an int */
    [46] = {"INTEGER2", 2},
    [47] = {"INTEGER4", 4},
    [48] = {"INTEGER8", 8},
    [49] = {"INTEGER16", 16},
    [50] = {"LONG_DOUBLE_INT", 32},
    [51] = {"CXX_BOOL", 1},
    [52] = {"CXX_FLOAT_COMPLEX", 8},
    [53] = {"CXX_DOUBLE_COMPLEX", 16},
    [54] = {"CXX_LONG_DOUBLE_COMPLEX", 32},
    [55] = {"UB", 0},
    [56] = {"LB", 0},
    [57] = {"PACKED", 1},
    [58] = {"PTR", 8},
    [59] = {"COUNT", 8},
};

int datatype_bytes(int id)
{
    return id >= 0 && id < DATATYPE_COUNT_OF ? datatypes[id].bytes : -1;
}

int datatype_of_bytes(int bytes)
{
    for (int id = 0; id < DATATYPE_COUNT_OF; id++)
        if (datatypes[id].bytes == bytes)
            return id;
    return DATATYPE_BYTE;
}

const char *datatype_name(int id)
{
    return id >= 0 && id < DATATYPE_COUNT_OF ? datatypes[id].name : NULL;
}
