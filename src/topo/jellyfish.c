#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "topo/graph.h"

/* Jellyfish (Singla, Hong, Popa and Godfrey, Jellyfish: networking data centers randomly, NSDI 2012):
 * switches are linked at random. As long as two switches that are not linked have free ports, two such
 * switches, drawn at random, get a link. A switch that is left with two free ports takes the place of a
 * random link: that link is removed, and both its ends are linked with the switch. Beyond the paper: two
 * switches that are linked, and are left with one free port each, take one end each. So every switch has all
 * its links, but for one switch where the number of ports is odd. */

struct jellyfish {
    struct rng rng;
    uint32_t switches, links_limit, link_count;
    uint32_t *free_ports;       /* of each switch */
    uint32_t *open, open_count; /* the switches that have some */
    bool *is_linked;            /* [switches x switches] */
    uint32_t *from, *to;        /* of each link */
};

static void set_linked(struct jellyfish *jellyfish, uint32_t a, uint32_t b, bool is_linked)
{
    jellyfish->is_linked[(size_t)a * jellyfish->switches + b] = is_linked;
    jellyfish->is_linked[(size_t)b * jellyfish->switches + a] = is_linked;
}

static bool may_link(const struct jellyfish *jellyfish, uint32_t a, uint32_t b)
{
    return a != b && !jellyfish->is_linked[(size_t)a * jellyfish->switches + b];
}

static void take_port(struct jellyfish *jellyfish, uint32_t at)
{
    if (--jellyfish->free_ports[at])
        return;
    uint32_t i = 0;
    while (jellyfish->open[i] != at)
        i++;
    jellyfish->open[i] = jellyfish->open[--jellyfish->open_count];
}

/* At place `link` of the links; a place behind them is new. */
static void put_link(struct jellyfish *jellyfish, uint32_t link, uint32_t a, uint32_t b)
{
    jellyfish->from[link] = a;
    jellyfish->to[link] = b;
    jellyfish->link_count += link == jellyfish->link_count;
    set_linked(jellyfish, a, b, true);
}

/* Two switches with free ports and without a link, drawn at random; false: there are none. */
static bool draw_pair(struct jellyfish *jellyfish, uint32_t *a, uint32_t *b)
{
    uint32_t count = jellyfish->open_count;
    for (uint32_t tries = 0; count > 1 && tries < 4 * count; tries++) {
        *a = jellyfish->open[rng_below(&jellyfish->rng, count)];
        *b = jellyfish->open[rng_below(&jellyfish->rng, count)];
        if (may_link(jellyfish, *a, *b))
            return true;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (may_link(jellyfish, *a = jellyfish->open[i], *b = jellyfish->open[k]))
                return true;
    return false;
}

/* Puts a switch that has two free ports into a link; false: there is no such switch or link. */
static bool split_link(struct jellyfish *jellyfish)
{
    for (uint32_t i = 0; i < jellyfish->open_count; i++) {
        uint32_t at = jellyfish->open[i];
        uint64_t first = rng_below(&jellyfish->rng, jellyfish->link_count);
        for (uint32_t k = 0; jellyfish->free_ports[at] > 1 && k < jellyfish->link_count; k++) {
            uint32_t link = (uint32_t)((first + k) % jellyfish->link_count);
            uint32_t from = jellyfish->from[link], to = jellyfish->to[link];
            if (!may_link(jellyfish, at, from) || !may_link(jellyfish, at, to))
                continue;
            set_linked(jellyfish, from, to, false);
            put_link(jellyfish, link, from, at);
            put_link(jellyfish, jellyfish->link_count, at, to);
            take_port(jellyfish, at);
            take_port(jellyfish, at);
            return true;
        }
    }
    return false;
}

/* The same for the last two switches, which are linked and have one free port each: one end of a link for
 * each. */
static bool share_link(struct jellyfish *jellyfish)
{
    uint32_t a = jellyfish->open[0], b = jellyfish->open_count > 1 ? jellyfish->open[1] : a;
    uint64_t first = rng_below(&jellyfish->rng, jellyfish->link_count);
    for (uint32_t k = 0; a != b && k < jellyfish->link_count; k++) {
        uint32_t link = (uint32_t)((first + k) % jellyfish->link_count);
        uint32_t from = jellyfish->from[link], to = jellyfish->to[link];
        if (!may_link(jellyfish, a, from) || !may_link(jellyfish, b, to))
            continue;
        set_linked(jellyfish, from, to, false);
        put_link(jellyfish, link, from, a);
        put_link(jellyfish, jellyfish->link_count, b, to);
        take_port(jellyfish, a);
        take_port(jellyfish, b);
        return true;
    }
    return false;
}

static void draw_links(struct jellyfish *jellyfish)
{
    uint32_t a, b;
    for (;;) {
        if (draw_pair(jellyfish, &a, &b)) {
            put_link(jellyfish, jellyfish->link_count, a, b);
            take_port(jellyfish, a);
            take_port(jellyfish, b);
        } else if (!jellyfish->open_count || !jellyfish->link_count ||
                   !(split_link(jellyfish) || share_link(jellyfish))) {
            return;
        }
    }
}

static struct topo_graph *jellyfish_fill(const struct topo *topo)
{
    uint32_t switches = topo->numbers[0], degree = topo->numbers[1], terminals = topo->numbers[2];
    size_t most = (size_t)switches * degree / 2 + 1;
    struct topo_graph *graph = graph_new(switches * terminals, switches);
    struct jellyfish jellyfish = {
        .rng = rng_init(topo->numbers[3], "jellyfish"),
        .switches = switches,
        .free_ports = mem_alloc(switches, sizeof *jellyfish.free_ports, "a network"),
        .open = mem_alloc(switches, sizeof *jellyfish.open, "a network"),
        .open_count = switches,
        .is_linked = mem_alloc((size_t)switches * switches, sizeof *jellyfish.is_linked, "a network"),
        .from = mem_alloc(most, sizeof *jellyfish.from, "a network"),
        .to = mem_alloc(most, sizeof *jellyfish.to, "a network")};
    for (uint32_t i = 0; i < switches; i++) {
        jellyfish.open[i] = i;
        jellyfish.free_ports[i] = degree;
    }
    draw_links(&jellyfish);
    for (uint32_t i = 0; i < jellyfish.link_count; i++)
        graph_add_link(graph, jellyfish.from[i], jellyfish.to[i]);
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph_set_node(graph, node, node / terminals);
    free(jellyfish.free_ports);
    free(jellyfish.open);
    free(jellyfish.is_linked);
    free(jellyfish.from);
    free(jellyfish.to);
    return graph;
}

static bool jellyfish_build(struct topo *topo, struct param_problem *problem)
{
    uint64_t switches = topo->numbers[0], degree = topo->numbers[1], terminals = topo->numbers[2];
    if (topo->number_count == 3)
        topo->numbers[topo->number_count++] = 1;
    if (degree >= switches) {
        problem->at = 1;
        snprintf(problem->text, sizeof problem->text,
                 "a switch has links to others, at most %llu of them here, and one to each",
                 (unsigned long long)switches - 1);
        return false;
    }
    if (!graph_fits(switches * terminals, switches, switches, switches * degree / 2, problem))
        return false;
    if (graph_build(topo, jellyfish_fill, problem))
        return true;
    snprintf(problem->text, sizeof problem->text,
             "this seed gives a network that is not connected; choose another one, or more links");
    return false;
}

static const struct topo_form forms[] = {
    {"jellyfish", 3, 4,
     "jellyfish:20x4x3 (s x r x n: switches, links of a switch to others, nodes of a switch; x seed, if not "
     "1)"},
    {.name = NULL},
};

const struct topo_ops jellyfish_family = {
    .name = "jellyfish",
    .forms = forms,
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES,
    .build = jellyfish_build,
    .ends = graph_ends,
    .choose = graph_choose,
    .has_choices = graph_has_choices,
    .distance = graph_distance,
    .distances = graph_distances,
    .bisection = graph_bisection,
    .place = graph_place,
};
