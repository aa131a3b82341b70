#include "topo/shapes.h"

/* The k-ary n-tree of Petrini and Vanneschi (IPPS 1997): k^n nodes, n levels of k^(n-1) switches. A switch is
 * (level, w), w of n-1 digits to the base k; (l, w) and (l+1, w') are linked when they differ in digit l at
 * most. Node q hangs on leaf switch q / k, so that digit i of w is digit i+1 of the nodes below. Going up
 * from level l by port u puts u in the place of digit l of w; going down to level l puts digit l+1 of the
 * destination there. A crossbar is the tree of one level. */

void tree_build(struct topo *topo)
{
    topo->power[0] = 1;
    for (uint32_t i = 1; i <= topo->levels; i++)
        topo->power[i] = topo->power[i - 1] * topo->arity;
    topo->nodes = topo->power[topo->levels];
    topo->switches = topo->levels * topo->power[topo->levels - 1];
    topo->links = 2 * topo->nodes * topo->levels;
}

static uint32_t digit(const struct topo *topo, uint32_t number, uint32_t nth)
{
    return number / topo->power[nth] % topo->arity;
}

static uint32_t with_digit(const struct topo *topo, uint32_t number, uint32_t nth, uint32_t value)
{
    return number + (value - digit(topo, number, nth)) * topo->power[nth];
}

/* The link up from (level, w) by this port. The one down the same way is the next. */
static uint32_t link_up(const struct topo *topo, uint32_t level, uint32_t w, uint32_t port)
{
    return 2 * (topo->nodes + level * topo->nodes + w * topo->arity + port);
}

struct switch_pair tree_ends(const struct topo *topo, uint32_t link)
{
    uint32_t width = topo->power[topo->levels - 1], edge = link / 2 - topo->nodes;
    uint32_t level = edge / topo->nodes, w = edge % topo->nodes / topo->arity, port = edge % topo->arity;
    uint32_t lower = level * width + w, upper = (level + 1) * width + with_digit(topo, w, level, port);
    return link & 1 ? (struct switch_pair){upper, lower} : (struct switch_pair){lower, upper};
}

struct topo_choice tree_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    uint32_t width = topo->power[topo->levels - 1];
    uint32_t level = from / width, w = from % width;
    if (w / topo->power[level] != destination / topo->power[level + 1])
        return (struct topo_choice){.first = link_up(topo, level, w, 0),
                                    .step = 2,
                                    .count = topo->arity,
                                    .preferred = digit(topo, destination, level)};
    if (level == 0)
        return only(topo_ejection(topo, destination));
    uint32_t below = with_digit(topo, w, level - 1, digit(topo, destination, level));
    return only(link_up(topo, level - 1, below, digit(topo, w, level - 1)) + 1);
}

uint32_t tree_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t level = 0;
    while (source / topo->power[level + 1] != destination / topo->power[level + 1])
        level++;
    return 2 * level;
}

/* To k^(l+1) - k^l nodes the way turns round at level l. */
struct distances tree_distances(const struct topo *topo)
{
    struct distances distances = {.most = 2 * (topo->levels - 1)};
    for (uint32_t level = 1; level < topo->levels; level++)
        distances.sum += (unsigned __int128)2 * level * (topo->power[level + 1] - topo->power[level]);
    distances.sum *= topo->nodes;
    return distances;
}
