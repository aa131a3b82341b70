#include <stdio.h>

#include "base/mem.h"
#include "topo/field.h"
#include "topo/graph.h"

/* Slim Fly (Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014): the graphs
 * of McKay, Miller and Siran for a power of a prime q = 4 w + delta, delta = 1, 0 or -1. Switches are (0, x,
 * y) and (1, m, c) with coordinates in the field of q elements. (0, x, y) and (0, x, y') are linked if y - y'
 * is in X, (1, m, c) and (1, m, c') if c - c' is in X', and (0, x, y) and (1, m, c) if y = m x + c. With a
 * primitive element r of the field:
 *
 *     delta =  1: X = { 1, r^2, ..., r^(q-3) }                            X' = r X
 *     delta =  0: X = { 1, r^2, ..., r^(q-2) }                            X' = r X
 *     delta = -1: X = { 1, r^2, ..., r^(2w-2), r^(2w-1), r^(2w+1), ..., r^(4w-3) }    X' = r X
 *
 * X is -X. Each switch has (3 q - delta) / 2 links, and the diameter is 2. */

enum { LARGEST = 32 }; /* q, whose table of routes still fits */

/* delta, with q - delta a multiple of 4. */
static int delta_of(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int)(q % 4);
}

static uint32_t degree_of(uint32_t q)
{
    return (uint32_t)((int)(3 * q) - delta_of(q)) / 2;
}

/* Whether r^i is in X. */
static bool is_generator(uint32_t q, uint32_t i)
{
    uint32_t w = (q + 1) / 4;
    if (delta_of(q) != -1)
        return i % 2 == 0;
    return i < 2 * w - 1 ? i % 2 == 0 : i % 2 == 1 && i <= 4 * w - 3;
}

/* Which differences are in X, or in X' if `shift` is 1. */
static void find_generators(const struct field *field, uint32_t shift, bool *is_in)
{
    for (uint32_t i = 0; i < field->size; i++)
        is_in[i] = false;
    for (uint32_t i = 0; i + 1 < field->size; i++)
        if (is_generator(field->size, i))
            is_in[field->power[(i + shift) % (field->size - 1)]] = true;
}

static struct topo_graph *slimfly_fill(const struct topo *topo)
{
    uint32_t q = topo->numbers[0], terminals = topo->numbers[1], half = q * q;
    struct topo_graph *graph = graph_new(2 * half * terminals, 2 * half);
    bool *is_in = mem_alloc(q, sizeof *is_in, "a network");
    struct field field;
    field_open(&field, q);
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph_set_node(graph, node, node / terminals);
    for (uint32_t part = 0; part < 2; part++) {
        find_generators(&field, part, is_in);
        for (uint32_t i = 0; i < half; i++)
            for (uint32_t y = i % q + 1; y < q; y++)
                if (is_in[field_minus(&field, y, i % q)])
                    graph_add_link(graph, part * half + i, part * half + i / q * q + y);
    }
    for (uint32_t x = 0; x < q; x++)
        for (uint32_t y = 0; y < q; y++)
            for (uint32_t m = 0; m < q; m++)
                graph_add_link(graph, x * q + y,
                               half + m * q + field_minus(&field, y, field_times(&field, m, x)));
    field_close(&field);
    free(is_in);
    return graph;
}

static bool slimfly_build(struct topo *topo, struct param_problem *problem)
{
    uint32_t q = topo->numbers[0];
    problem->at = 0;
    if (q < 3 || q > LARGEST || !field_prime_of(q)) {
        snprintf(problem->text, sizeof problem->text,
                 "q is a prime or a power of one, from 3 to %d: 4 gives 32 switches, 5 50, 7 98, 8 128, 9 "
                 "162, 11 242, "
                 "13 338, 16 512",
                 LARGEST);
        return false;
    }
    if (topo->number_count == 1)
        topo->numbers[topo->number_count++] = (degree_of(q) + 1) / 2;
    uint64_t switches = 2 * (uint64_t)q * q;
    return graph_fits(switches * topo->numbers[1], switches, switches, switches / 2 * degree_of(q),
                      problem) &&
           graph_build(topo, slimfly_fill, problem);
}

static uint32_t slimfly_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    uint32_t q = topo->numbers[0];
    coordinates[0] = at / (q * q);
    coordinates[1] = at / q % q;
    coordinates[2] = at % q;
    return 3;
}

static const struct topo_form forms[] = {
    {"slimfly", 1, 2,
     "slimfly:5 (q, a prime or a power of one; x p, nodes of a switch, if not half of its links)"},
    {.name = NULL},
};

const struct topo_ops slimfly_family = {
    .name = "slimfly",
    .forms = forms,
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES,
    .build = slimfly_build,
    .ends = graph_ends,
    .choose = graph_choose,
    .has_choices = graph_has_choices,
    .distance = graph_distance,
    .distances = graph_distances,
    .bisection = graph_bisection,
    .coordinates = slimfly_coordinates,
    .place = graph_place,
};
