#include "trace/dumpi/types.h"

#include "base/mem.h"

enum { TYPES = 1 << 16, NAMED_TYPES = 28 };

/* Of types that MPI names, where the file has no size: those of 64-bit machines. */
static const uint8_t usual_sizes[NAMED_TYPES] = {
    [2] = 1,                                /* CHAR, SIGNED_CHAR, UNSIGNED_CHAR, BYTE */
    [3] = 1,   [4] = 1,  [5] = 1,  [6] = 4, /* WCHAR */
    [7] = 2,   [8] = 2,                     /* SHORT, UNSIGNED_SHORT */
    [9] = 4,   [10] = 4,                    /* INT, UNSIGNED */
    [11] = 8,  [12] = 8,                    /* LONG, UNSIGNED_LONG */
    [13] = 4,  [14] = 8,                    /* FLOAT, DOUBLE */
    [15] = 16,                              /* LONG_DOUBLE */
    [16] = 8,  [17] = 8, [18] = 8,          /* LONG_LONG_INT, UNSIGNED_LONG_LONG, LONG_LONG */
    [19] = 1,                               /* PACKED; behind it LB and UB, which have no size */
    [22] = 8,                               /* FLOAT_INT */
    [23] = 12,                              /* DOUBLE_INT */
    [24] = 12,                              /* LONG_INT */
    [25] = 6,                               /* SHORT_INT */
    [26] = 8,                               /* 2INT */
    [27] = 20,                              /* LONG_DOUBLE_INT */
};

static uint64_t size_in_table(const struct dumpi_types *types, uint32_t type)
{
    uint32_t size = type < types->table_count ? types->table[type] : 0;
    if (size && size <= INT32_MAX)
        return size;
    return type < NAMED_TYPES ? usual_sizes[type] : DUMPI_NO_SIZE;
}

bool dumpi_types_begin(struct dumpi_types *types, struct dumpi_file *file)
{
    types->table_count = file->size_count < TYPES ? file->size_count : TYPES;
    types->table =
        mem_grow(types->table, &types->table_capacity, (size_t)file->size_count + 1, "sizes of datatypes");
    uint32_t dirty = types->sizes ? types->set_below : TYPES;
    types->sizes = mem_grow(types->sizes, &types->capacity, TYPES, "sizes of datatypes");
    if (file->size_count && !dumpi_file_sizes(file, types->table))
        return false;
    types->set_below = types->table_count > NAMED_TYPES ? types->table_count : NAMED_TYPES;
    if (dirty < types->set_below)
        dirty = types->set_below;
    for (uint32_t type = 0; type < dirty; type++)
        types->sizes[type] = size_in_table(types, type);
    return true;
}

void dumpi_types_free(struct dumpi_types *types)
{
    free(types->sizes);
    free(types->table);
    *types = (struct dumpi_types){.sizes = NULL};
}

/* ---------------------------------------------------------------- new types */

/* DUMPI_NO_SIZE: a factor is unknown or negative, or the product is beyond all sizes. */
static uint64_t times(uint64_t size, int64_t count)
{
    uint64_t product;
    if (size == DUMPI_NO_SIZE || count < 0 || __builtin_mul_overflow(size, (uint64_t)count, &product) ||
        product > INT64_MAX)
        return DUMPI_NO_SIZE;
    return product;
}

static uint64_t plus(uint64_t first, uint64_t second)
{
    if (first == DUMPI_NO_SIZE || second == DUMPI_NO_SIZE || first + second > INT64_MAX)
        return DUMPI_NO_SIZE;
    return first + second;
}

/* Blocks of the same type. */
static uint64_t blocks(const struct dumpi_list *lengths, uint64_t size)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lengths->count; i++)
        sum = plus(sum, times(size, dumpi_list_at(lengths, i)));
    return sum;
}

static uint64_t blocks_of_types(const struct dumpi_types *types, const struct dumpi_list *lengths,
                                const struct dumpi_list *members)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lengths->count && i < members->count; i++)
        sum = plus(sum, times(types->sizes[dumpi_type_at(members, i)], dumpi_list_at(lengths, i)));
    return sum;
}

static uint64_t box(const struct dumpi_list *lengths, uint64_t size)
{
    for (uint32_t i = 0; i < lengths->count; i++)
        size = times(size, dumpi_list_at(lengths, i));
    return size;
}

/* How many of `all` elements in one dimension a process has, that is number `at` of `processes`. */
static int64_t share(int distribution, int64_t all, int64_t argument, int64_t processes, int64_t at)
{
    enum { BLOCK = 1, CYCLIC = 2 };
    if (distribution == BLOCK) {
        int64_t block = argument > 0 ? argument : (all + processes - 1) / processes;
        int64_t left = all - at * block;
        return left < 0 ? 0 : left < block ? left : block;
    }
    if (distribution == CYCLIC) {
        int64_t block = argument > 0 ? argument : 1, round = block * processes;
        int64_t rest = all % round - at * block;
        return all / round * block + (rest < 0 ? 0 : rest < block ? rest : block);
    }
    return all;
}

/* MPI_Type_create_darray: the part that a process has of an array that is spread over a grid of processes. */
static uint64_t spread(const struct dumpi_record *record, uint64_t size)
{
    const struct dumpi_list *all = &record->lists[0], *how = &record->lists[1];
    const struct dumpi_list *arguments = &record->lists[2], *grid = &record->lists[3];
    int64_t rank = record->values[1];
    if (rank < 0 || how->count != all->count || arguments->count != all->count || grid->count != all->count)
        return DUMPI_NO_SIZE;
    for (uint32_t i = all->count; i-- > 0;) { /* the last dimension of the grid counts fastest */
        int64_t processes = dumpi_list_at(grid, i), elements = dumpi_list_at(all, i);
        if (processes <= 0 || elements < 0)
            return DUMPI_NO_SIZE;
        size = times(
            size, share(how->bytes[i], elements, dumpi_list_at(arguments, i), processes, rank % processes));
        rank /= processes;
    }
    return size;
}

static void set(struct dumpi_types *types, int32_t type, uint64_t size)
{
    if ((uint16_t)type >= types->set_below)
        types->set_below = (uint16_t)type + UINT32_C(1);
    types->sizes[(uint16_t)type] = size == DUMPI_NO_SIZE ? size_in_table(types, (uint16_t)type) : size;
}

void dumpi_types_make(struct dumpi_types *types, const struct dumpi_record *record)
{
    const int32_t *v = record->values;
    const uint64_t *sizes = types->sizes;
    switch (record->function) {
    case DUMPI_TYPE_CONTIGUOUS:
        set(types, v[2], times(sizes[(uint16_t)v[1]], v[0]));
        break;
    case DUMPI_TYPE_VECTOR:
    case DUMPI_TYPE_HVECTOR:
    case DUMPI_TYPE_CREATE_HVECTOR:
        set(types, v[4], times(times(sizes[(uint16_t)v[3]], v[0]), v[1]));
        break;
    case DUMPI_TYPE_INDEXED:
    case DUMPI_TYPE_HINDEXED:
    case DUMPI_TYPE_CREATE_HINDEXED:
        set(types, v[2], blocks(&record->lists[0], sizes[(uint16_t)v[1]]));
        break;
    case DUMPI_TYPE_CREATE_INDEXED_BLOCK:
        set(types, v[3], times(times(sizes[(uint16_t)v[2]], v[0]), v[1]));
        break;
    case DUMPI_TYPE_STRUCT:
    case DUMPI_TYPE_CREATE_STRUCT:
        set(types, v[1], blocks_of_types(types, &record->lists[0], &record->lists[2]));
        break;
    case DUMPI_TYPE_CREATE_RESIZED:
        set(types, v[3], sizes[(uint16_t)v[0]]);
        break;
    case DUMPI_TYPE_CREATE_SUBARRAY:
        set(types, v[3], box(&record->lists[1], sizes[(uint16_t)v[2]]));
        break;
    case DUMPI_TYPE_CREATE_DARRAY:
        set(types, v[5], spread(record, sizes[(uint16_t)v[4]]));
        break;
    case DUMPI_TYPE_DUP:
        set(types, v[1], sizes[(uint16_t)v[0]]);
        break;
    case DUMPI_TYPE_MATCH_SIZE:
        set(types, v[2], times(1, v[1]));
        break;
    default: /* DUMPI_TYPE_SIZE: its result */
        set(types, v[0], times(1, v[1]));
    }
}
