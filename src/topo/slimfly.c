#include <stdio.h>

#include "base/mem.h"
#include "topo/graph.h"

/* Slim Fly (Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014): the graphs
 * of McKay, Miller and Siran for a prime q = 4 w + delta, delta = 1 or -1. Switches are (0, x, y) and (1, m,
 * c) with coordinates modulo q. (0, x, y) and (0, x, y') are linked if y - y' is in X, (1, m, c) and (1, m,
 * c') if c - c' is in X', and (0, x, y) and (1, m, c) if y = m x + c. With a primitive root r of q:
 *
 *     delta =  1: X = { 1, r^2, ..., r^(q-3) }                            X' = r X
 *     delta = -1: X = { 1, r^2, ..., r^(2w-2), r^(2w-1), r^(2w+1), ..., r^(4w-3) }    X' = r X
 *
 * Each switch has (3 q - delta) / 2 links, and the diameter is 2. */

enum { LARGEST = 31 }; /* q, whose table of routes still fits */

static bool is_prime(uint32_t q)
{
    for (uint32_t i = 2; i * i <= q; i++)
        if (q % i == 0)
            return false;
    return q > 1;
}

static uint32_t degree_of(uint32_t q)
{
    return q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2;
}

/* The smallest number whose powers are all numbers from 1 to q - 1. */
static uint32_t primitive_root(uint32_t q)
{
    for (uint32_t root = 2; root < q; root++) {
        uint32_t order = 1;
        for (uint32_t power = root; power != 1; power = power * root % q)
            order++;
        if (order == q - 1)
            return root;
    }
    return 1;
}

/* Which differences are in X, or in X' if `shift` is 1. */
static void find_generators(uint32_t q, uint32_t shift, bool *is_in)
{
    uint32_t root = primitive_root(q), w = (q + 1) / 4, power = 1;
    for (uint32_t i = 0; i < q; i++)
        is_in[i] = false;
    for (uint32_t i = 0; i + 1 < q; i++) { /* power is r^i */
        bool is_generator = q % 4 == 1      ? i % 2 == 0
                            : i < 2 * w - 1 ? i % 2 == 0
                                            : i % 2 == 1 && i <= 4 * w - 3;
        uint32_t shifted = shift ? power * root % q : power;
        is_in[shifted] = is_in[shifted] || is_generator;
        power = power * root % q;
    }
}

static struct topo_graph *slimfly_fill(const struct topo *topo)
{
    uint32_t q = topo->numbers[0], terminals = topo->numbers[1], half = q * q;
    struct topo_graph *graph = graph_new(2 * half * terminals, 2 * half);
    bool *is_in = mem_alloc(q, sizeof *is_in, "a network");
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph_set_node(graph, node, node / terminals);
    for (uint32_t part = 0; part < 2; part++) {
        find_generators(q, part, is_in);
        for (uint32_t i = 0; i < half; i++)
            for (uint32_t y = i % q + 1; y < q; y++)
                if (is_in[y - i % q])
                    graph_add_link(graph, part * half + i, part * half + i / q * q + y);
    }
    for (uint32_t x = 0; x < q; x++)
        for (uint32_t y = 0; y < q; y++)
            for (uint32_t m = 0; m < q; m++)
                graph_add_link(graph, x * q + y, half + m * q + (y + q * q - m * x) % q);
    free(is_in);
    return graph;
}

static bool slimfly_build(struct topo *topo, struct param_problem *problem)
{
    uint32_t q = topo->numbers[0];
    problem->at = 0;
    if (q < 3 || q > LARGEST || !is_prime(q)) {
        snprintf(problem->text, sizeof problem->text,
                 "q is a prime from 3 to %d: 5 gives 50 switches, 7 98, 11 242, 13 338, 17 578, 19 722",
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
    {"slimfly", 1, 2, "slimfly:5 (q, a prime; x p, nodes of a switch, if not half of its links)"},
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
