#include "schedule/collective/space.h"

#include <string.h>

#include "base/mem.h"

struct space_builder {
    struct collective_space *space;
    const struct collective_steps *steps;
    size_t capacity;
    uint32_t *table; /* open addressing, indices of configurations + 1 */
    size_t mask;
    uint32_t *previous; /* [switches][ranks]: the sender of the rank's circuit, while one is made */
};

static size_t cells_of(const struct collective_steps *steps)
{
    return (size_t)steps->switches * steps->ranks;
}

/* The index of the configuration with these circuits; takes `next`. */
static uint32_t add(struct space_builder *builder, uint32_t *next)
{
    struct collective_space *space = builder->space;
    struct collective_configuration made;
    collective_configuration_init(&made, builder->steps->ranks, builder->steps->switches, next);
    size_t at = (size_t)made.hash & builder->mask;
    for (; builder->table[at]; at = (at + 1) & builder->mask) {
        uint32_t index = builder->table[at] - 1;
        if (memcmp(space->configurations[index].next, next, cells_of(builder->steps) * sizeof *next) == 0) {
            collective_configuration_free(&made);
            return index;
        }
    }
    space->configurations = mem_grow(space->configurations, &builder->capacity, (size_t)space->count + 1,
                                     "configurations of switches");
    space->configurations[space->count] = made;
    builder->table[at] = ++space->count;
    return space->count - 1;
}

/* Switches on which all circuits of each lead as far; `back`: the other way round. */
struct start {
    enum { START_RINGS, START_BOTH_WAYS, START_DISTANCES } kind;
    bool back;
};
static const struct start starts[] = {
    {START_RINGS, false}, {START_BOTH_WAYS, false}, {START_DISTANCES, false},
    {START_RINGS, true},  {START_DISTANCES, true},
};

/* 1, F, F^2 ... up to the last one below R, in turn, where F is the smallest number with F^switches >= R. */
static uint32_t power_of(const struct collective_steps *steps, uint32_t index)
{
    for (uint32_t factor = 2;; factor++) {
        uint32_t levels = 0, distance = 1;
        for (uint64_t reach = 1; reach < steps->ranks; reach *= factor)
            levels++;
        for (uint32_t i = 0; i < index % levels && levels <= steps->switches; i++)
            distance *= factor;
        if (levels <= steps->switches)
            return distance;
    }
}

/* The distance on switch `index`. */
static uint32_t distance_of(const struct collective_steps *steps, struct start start, uint32_t index)
{
    uint32_t distance = start.kind == START_DISTANCES ? power_of(steps, index) : 1;
    bool back = start.back || (start.kind == START_BOTH_WAYS && index % 2);
    return back ? steps->ranks - distance : distance;
}

static uint32_t *start_circuits(const struct collective_steps *steps, struct start start)
{
    uint32_t *next = mem_alloc(cells_of(steps), sizeof *next, "circuits"), ranks = steps->ranks;
    for (uint32_t i = 0; i < steps->switches; i++) {
        uint32_t distance = distance_of(steps, start, i);
        for (uint32_t rank = 0; rank < ranks; rank++)
            next[(size_t)i * ranks + rank] = (rank + distance) % ranks;
    }
    return next;
}

/* Sets up the circuit where both ports are free: on the switches first, first + every ... Returns how many.
 */
static size_t connect(struct space_builder *builder, uint32_t *next, const struct collective_message *message,
                      uint32_t first, uint32_t every)
{
    size_t made = 0;
    uint32_t ranks = builder->steps->ranks;
    for (uint32_t i = first; i < builder->steps->switches; i += every) {
        uint32_t *out = &next[(size_t)i * ranks + message->source];
        uint32_t *in = &builder->previous[(size_t)i * ranks + message->destination];
        if (*out != CIRCUIT_UNSET || *in != CIRCUIT_UNSET)
            continue;
        *out = message->destination;
        *in = message->source;
        made++;
    }
    return made;
}

static uint32_t *circuits_of(struct space_builder *builder, uint32_t index)
{
    const struct collective_steps *steps = builder->steps;
    const struct collective_step *step = &steps->steps[index];
    size_t cells = cells_of(steps), open = cells;
    uint32_t *next = mem_alloc(cells, sizeof *next, "circuits");
    memset(next, 0xff, cells * sizeof *next);
    memset(builder->previous, 0xff, cells * sizeof *next);
    for (size_t i = step->first; i < step->first + step->count; i++)
        open -= connect(builder, next, &steps->messages[i], steps->messages[i].matching, step->matchings);
    for (size_t i = step->first + step->count; i < steps->message_count && open; i++)
        open -= connect(builder, next, &steps->messages[i], 0, 1);
    return next;
}

static void find_times(struct collective_space *space, const struct collective_steps *steps,
                       const struct collective_network *network)
{
    size_t cells = (size_t)space->steps * space->count;
    uint64_t *room = mem_alloc((size_t)steps->switches * (steps->ranks + 1), sizeof *room, "loads");
    space->loads = mem_alloc(cells, sizeof *space->loads, "loads of steps");
    space->times_ps = mem_alloc(cells, sizeof *space->times_ps, "times of steps");
    for (uint32_t step = 0; step < space->steps; step++)
        for (uint32_t i = 0; i < space->count; i++) {
            size_t at = (size_t)step * space->count + i;
            space->loads[at] =
                collective_load_of(&space->configurations[i], steps, &steps->steps[step], room);
            space->times_ps[at] = collective_step_ps(network, space->loads[at]);
        }
    free(room);
}

void collective_space_init(struct collective_space *space, const struct collective_steps *steps,
                           const struct collective_network *network)
{
    size_t size = 8;
    while (size < 2 * ((size_t)steps->count + sizeof starts / sizeof *starts))
        size *= 2;
    struct space_builder builder = {
        .space = space,
        .steps = steps,
        .table = mem_alloc(size, sizeof(uint32_t), "configurations of switches"),
        .mask = size - 1,
        .previous = mem_alloc(cells_of(steps), sizeof(uint32_t), "circuits"),
    };
    *space = (struct collective_space){
        .steps = steps->count,
        .own = mem_alloc((size_t)steps->count + 1, sizeof *space->own, "configurations of switches")};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        add(&builder, start_circuits(steps, starts[i]));
    space->starts = space->count;
    for (uint32_t i = 0; i < steps->count; i++)
        space->own[i] = add(&builder, circuits_of(&builder, i));
    find_times(space, steps, network);
    free(builder.table);
    free(builder.previous);
}

void collective_space_free(struct collective_space *space)
{
    for (uint32_t i = 0; i < space->count; i++)
        collective_configuration_free(&space->configurations[i]);
    free(space->configurations);
    free(space->own);
    free(space->loads);
    free(space->times_ps);
}
