#include "topo/topo.h"

#include <stdarg.h>
#include <stdio.h>

#include "topo/shapes.h"

static bool is_tree(const struct topo *topo)
{
    return topo->kind == TOPO_TREE || topo->kind == TOPO_CROSSBAR;
}

/* ---------------------------------------------------------------------------------------------- links */

static struct switch_pair network_ends(const struct topo *topo, uint32_t link)
{
    if (topo->kind == TOPO_DRAGONFLY)
        return dragonfly_ends(topo, link);
    return is_tree(topo) ? tree_ends(topo, link) : grid_ends(topo, link);
}

struct topo_ends topo_link_ends(const struct topo *topo, uint32_t link)
{
    if (topo_is_network(topo, link)) {
        struct switch_pair ends = network_ends(topo, link);
        return (struct topo_ends){{.id = ends.from}, {.id = ends.to}};
    }
    uint32_t node = link % topo->nodes;
    struct topo_end end = {.is_node = true, .id = node}, other = {.id = topo_switch_of(topo, node)};
    return topo_is_injection(topo, link) ? (struct topo_ends){end, other} : (struct topo_ends){other, end};
}

uint32_t topo_link_to(const struct topo *topo, uint32_t link)
{
    return topo_is_network(topo, link) ? network_ends(topo, link).to : topo_switch_of(topo, link);
}

uint32_t topo_link_reverse(const struct topo *topo, uint32_t link)
{
    if (!topo_is_network(topo, link))
        return topo_is_injection(topo, link) ? link + topo->nodes : link - topo->nodes;
    return topo->kind == TOPO_DRAGONFLY ? dragonfly_reverse(topo, link) : link ^ 1;
}

uint32_t topo_switch_of(const struct topo *topo, uint32_t node)
{
    if (topo->kind == TOPO_DRAGONFLY)
        return node / topo->terminals;
    return is_tree(topo) ? node / topo->arity : node;
}

uint32_t topo_level(const struct topo *topo, uint32_t from)
{
    return topo->kind == TOPO_TREE ? from / topo->power[topo->levels - 1] : 0;
}

uint32_t topo_coordinates(const struct topo *topo, uint32_t from, uint32_t coordinates[TOPO_COORDINATES])
{
    uint32_t count = 0, rest = from;
    switch (topo->kind) {
    case TOPO_MESH:
    case TOPO_TORUS:
        for (; count < topo->dimensions; rest /= topo->dimension[count++].size)
            coordinates[count] = rest % topo->dimension[count].size;
        return count;
    case TOPO_TREE:
        coordinates[count++] = topo_level(topo, from);
        for (rest %= topo->power[topo->levels - 1]; count < topo->levels; rest /= topo->arity)
            coordinates[count++] = rest % topo->arity;
        return count;
    case TOPO_CROSSBAR:
        return 0;
    case TOPO_DRAGONFLY:
        coordinates[count++] = from / topo->routers;
        coordinates[count++] = from % topo->routers;
        return count;
    }
    return 0;
}

uint32_t topo_switch_at(const struct topo *topo, const uint32_t *coordinates)
{
    uint32_t from = 0;
    for (uint32_t d = 0; d < topo->dimensions; d++)
        from += coordinates[d] * topo->dimension[d].stride;
    return from;
}

/* ---------------------------------------------------------------------------------------------- names */

/* Text put together piece by piece; what does not fit is cut off. */
struct piece {
    char *at;
    size_t left;
};

static void put(struct piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct piece *piece, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece->at, piece->left, format, arguments);
    va_end(arguments);
    size_t taken = length < 0 || piece->left == 0 ? 0
                   : (size_t)length < piece->left ? (size_t)length
                                                  : piece->left - 1;
    piece->at += taken;
    piece->left -= taken;
}

static void put_list(struct piece *piece, const uint32_t *numbers, uint32_t count)
{
    put(piece, "(");
    for (uint32_t i = 0; i < count; i++)
        put(piece, "%s%u", i ? "," : "", numbers[i]);
    put(piece, ")");
}

static void put_end(const struct topo *topo, struct topo_end end, struct piece *piece)
{
    uint32_t coordinates[TOPO_COORDINATES];
    if (end.is_node) {
        put(piece, "%u", end.id);
        return;
    }
    uint32_t count = topo_coordinates(topo, end.id, coordinates);
    switch (topo->kind) {
    case TOPO_MESH:
    case TOPO_TORUS:
        put_list(piece, coordinates, count);
        return;
    case TOPO_TREE:
        put(piece, "%u:", coordinates[0]);
        put_list(piece, coordinates + 1, count - 1);
        return;
    case TOPO_CROSSBAR:
        put(piece, "crossbar");
        return;
    case TOPO_DRAGONFLY:
        put(piece, "g%ur%u", coordinates[0], coordinates[1]);
        return;
    }
}

const char *topo_end_name(const struct topo *topo, struct topo_end end, char *buffer, size_t size)
{
    struct piece piece = {buffer, size};
    put_end(topo, end, &piece);
    return buffer;
}

const char *topo_link_name(const struct topo *topo, uint32_t link, char *buffer, size_t size)
{
    struct topo_ends ends = topo_link_ends(topo, link);
    struct piece piece = {buffer, size};
    put_end(topo, ends.from, &piece);
    put(&piece, ">");
    put_end(topo, ends.to, &piece);
    return buffer;
}

/* -------------------------------------------------------------------------------------------- routing */

struct topo_choice topo_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    if (topo->kind == TOPO_DRAGONFLY)
        return dragonfly_choose(topo, from, destination);
    return is_tree(topo) ? tree_choose(topo, from, destination) : grid_choose(topo, from, destination);
}

uint32_t topo_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = 0;
    links[count++] = topo_injection(topo, source);
    if (topo->kind == TOPO_MESH || topo->kind == TOPO_TORUS) {
        count += grid_route(topo, source, destination, links + count);
        links[count++] = topo_ejection(topo, destination);
        return count;
    }
    for (uint32_t at = topo_switch_of(topo, source), link; !topo_is_ejection(topo, links[count - 1]);) {
        link = topo_next(topo, at, destination);
        links[count++] = link;
        if (topo_is_network(topo, link))
            at = topo_link_to(topo, link);
    }
    return count;
}

uint32_t topo_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    if (topo->kind == TOPO_DRAGONFLY)
        return dragonfly_distance(topo, source, destination);
    return is_tree(topo) ? tree_distance(topo, source, destination)
                         : grid_distance(topo, source, destination);
}

/* ---------------------------------------------------------------------------------------------- facts */

static struct distances distances_of(const struct topo *topo)
{
    if (topo->kind == TOPO_DRAGONFLY)
        return dragonfly_distances(topo);
    return is_tree(topo) ? tree_distances(topo) : grid_distances(topo);
}

void topo_build(struct topo *topo)
{
    if (topo->kind == TOPO_DRAGONFLY)
        dragonfly_build(topo);
    else if (is_tree(topo))
        tree_build(topo);
    else
        grid_build(topo);
    topo->diameter = distances_of(topo).most;
}

double topo_mean_distance(const struct topo *topo)
{
    unsigned __int128 pairs = (unsigned __int128)topo->nodes * (topo->nodes - 1);
    return pairs ? (double)distances_of(topo).sum / (double)pairs : 0;
}

uint64_t topo_bisection(const struct topo *topo)
{
    if (topo->kind == TOPO_DRAGONFLY) {
        uint64_t half = topo->groups / 2;
        return half * (topo->groups - half) * topo->copies;
    }
    return is_tree(topo) ? (uint64_t)topo->nodes / topo->arity * (topo->arity / 2) : grid_bisection(topo);
}
