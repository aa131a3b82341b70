#include "coll/shapes.h"

static void add_child(struct shape *shape, uint64_t child, uint32_t size)
{
    if (child < size)
        shape->child[shape->count++] = (uint32_t)child;
}

static void chain(uint32_t v, uint32_t size, struct shape *shape)
{
    shape->parent = v > 0 ? v - 1 : 0;
    add_child(shape, (uint64_t)v + 1, size);
}

static void binary(uint32_t v, uint32_t size, struct shape *shape)
{
    uint32_t level = log2_floor(v + 1), width = UINT32_C(1) << level;
    if (level > 0)
        shape->parent = width / 2 - 1 + (v - (width - 1)) % (width / 2);
    add_child(shape, (uint64_t)v + width, size);
    add_child(shape, (uint64_t)v + 2 * (uint64_t)width, size);
}

static void knomial(uint32_t v, uint32_t size, struct shape *shape)
{
    uint64_t digit = 1; /* of v's lowest digit that is not 0; of the root: the first that no rank has */
    while (digit < size && v / digit % 4 == 0)
        digit *= 4;
    shape->parent = v > 0 ? (uint32_t)(v - v / digit % 4 * digit) : 0;
    for (digit /= 4; digit > 0; digit /= 4)
        for (uint32_t times = 1; times < 4; times++)
            add_child(shape, v + times * digit, size);
}

/* A subtree has the right half of its other ranks, rounded, at its begin, and the left one before its root.
 */
static void in_order(uint32_t rank, uint32_t size, struct shape *shape)
{
    uint32_t first = 0, count = size, root = size - 1;
    shape->parent = root;
    for (;;) {
        uint32_t right = count > 2 ? count / 2 : 0;
        if (rank == root) {
            if (count > 1)
                shape->child[shape->count++] = root - 1;
            if (right > 0)
                shape->child[shape->count++] = first + right - 1;
            return;
        }
        shape->parent = root;
        if (rank < first + right) {
            count = right;
        } else {
            first += right;
            count -= right + 1;
        }
        root = first + count - 1;
    }
}

static void doubling(uint32_t v, uint32_t size, struct shape *shape)
{
    uint64_t first = v > 0 ? UINT64_C(2) << log2_floor(v) : 1;
    shape->parent = v > 0 ? v - (uint32_t)(first / 2) : 0;
    for (uint64_t distance = first; v + distance < size; distance *= 2)
        add_child(shape, v + distance, size);
}

void shape_of(enum shape_kind kind, uint32_t virtual_rank, uint32_t size, struct shape *shape)
{
    static void (*const makers[])(uint32_t, uint32_t, struct shape *) = {[SHAPE_CHAIN] = chain,
                                                                         [SHAPE_BINARY] = binary,
                                                                         [SHAPE_KNOMIAL] = knomial,
                                                                         [SHAPE_IN_ORDER] = in_order,
                                                                         [SHAPE_DOUBLING] = doubling};
    shape->parent = 0;
    shape->count = 0;
    makers[kind](virtual_rank, size, shape);
}
