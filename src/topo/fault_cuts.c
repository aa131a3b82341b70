#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "topo/faults.h"
#include "topo/platform.h"

/* What failed links cut off, in words. */

enum { NAMED = 8 };

/* The directions of a link between switches count once: as the lower of the two. */
static bool is_first(const struct topo *topo, uint32_t link)
{
    return link <= topo_link_reverse(topo, link);
}

/* Switches, then nodes: which part of the network each is in, by union-find. */
static uint32_t root_of(uint32_t *parts, uint32_t at)
{
    while (parts[at] != at)
        at = parts[at] = parts[parts[at]];
    return at;
}

static uint32_t *find_parts(const struct topo *topo)
{
    uint32_t count = topo->switches + topo->nodes, *parts = mem_alloc(count, sizeof *parts, "faults");
    for (uint32_t i = 0; i < count; i++)
        parts[i] = i;
    for (uint32_t link = 0; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        if (faults_has_failed(topo, link))
            continue;
        uint32_t from = ends.from.id + (ends.from.is_node ? topo->switches : 0);
        uint32_t to = ends.to.id + (ends.to.is_node ? topo->switches : 0);
        parts[root_of(parts, from)] = root_of(parts, to);
    }
    return parts;
}

/* "4-7, 9": the first `nodes` nodes that are in the part. */
static char *list_nodes(const struct topo *topo, uint32_t *parts, uint32_t part, uint32_t nodes)
{
    char *text = mem_text("");
    uint32_t ranges = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t last = node;
        if (root_of(parts, topo->switches + node) != part)
            continue;
        while (last + 1 < nodes && root_of(parts, topo->switches + last + 1) == part)
            last++;
        char *longer = ranges == NAMED ? mem_format("%s, ...", text)
                       : last > node
                           ? mem_format("%s%s%" PRIu32 "-%" PRIu32, text, *text ? ", " : "", node, last)
                           : mem_format("%s%s%" PRIu32, text, *text ? ", " : "", node);
        free(text);
        text = longer;
        node = last;
        if (ranges++ == NAMED)
            break;
    }
    return text;
}

/* Adds a name to a list, unless it is long already. Returns the list. */
static char *add_name(char *text, uint32_t *count, const char *name)
{
    if ((*count)++ >= NAMED)
        return text;
    char *longer = mem_format("%s%s%s", text, *count > 1 ? ", " : "", name);
    free(text);
    return longer;
}

static char *end_names(char *text, uint32_t count)
{
    if (count <= NAMED)
        return text;
    char *longer = mem_format("%s and %" PRIu32 " more", text, count - NAMED);
    free(text);
    return longer;
}

/* Whether the link has failed, and one of its ends is in the part. */
static bool is_cut(const struct topo *topo, uint32_t *parts, uint32_t part, uint32_t link)
{
    struct topo_ends ends = topo_link_ends(topo, link);
    uint32_t from = ends.from.id + (ends.from.is_node ? topo->switches : 0);
    uint32_t to = ends.to.id + (ends.to.is_node ? topo->switches : 0);
    return faults_has_failed(topo, link) && (root_of(parts, from) == part) != (root_of(parts, to) == part);
}

static bool is_failed_switch(const struct topo *topo, struct topo_end end)
{
    return !end.is_node && faults_has_failed_switch(topo, end.id);
}

/* ", with switch spine0": the failed switches at failed links with one end in the part; "": none. */
static char *list_switches(const struct topo *topo, uint32_t *parts, uint32_t part)
{
    char *text = mem_text(""), name[TOPO_TEXT];
    uint32_t count = 0;
    bool *is_named = mem_alloc(topo->switches, sizeof *is_named, "faults");
    for (uint32_t link = 0; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        struct topo_end at = is_failed_switch(topo, ends.from) ? ends.from : ends.to;
        if (!is_failed_switch(topo, at) || is_named[at.id] || !is_cut(topo, parts, part, link))
            continue;
        is_named[at.id] = true;
        text = add_name(text, &count, topo_end_name(topo, at, name, sizeof name));
    }
    text = end_names(text, count);
    char *whole = count ? mem_format(", with switch%s %s", count == 1 ? "" : "es", text) : mem_text("");
    free(is_named);
    free(text);
    return whole;
}

/* The failed links with one end in the part. */
static char *list_links(const struct topo *topo, uint32_t *parts, uint32_t part)
{
    char *text = mem_text(""), name[2 * TOPO_TEXT + 2];
    uint32_t count = 0;
    for (uint32_t link = 0; link < topo->links; link++)
        if (is_first(topo, link) && is_cut(topo, parts, part, link))
            text = add_name(text, &count, topo_link_name(topo, link, name, sizeof name));
    return end_names(text, count);
}

char *faults_list_links(const struct topo *topo, bool are_slow)
{
    char *text = mem_text(""), name[2 * TOPO_TEXT + 2];
    uint32_t count = 0;
    for (uint32_t link = are_slow ? 0 : 2 * topo->nodes; link < topo->links; link++)
        if (is_first(topo, link) && (are_slow ? faults_is_slow : faults_has_failed)(topo, link))
            text = add_name(text, &count, topo_link_name(topo, link, name, sizeof name));
    return end_names(text, count);
}

/* The part with the most nodes, the lowest node's among equals, and how many other parts have nodes. */
static uint32_t largest_part(const struct topo *topo, uint32_t *parts, uint32_t nodes, uint32_t *others)
{
    uint32_t *sizes = mem_alloc(topo->switches + topo->nodes, sizeof *sizes, "faults");
    uint32_t best = root_of(parts, topo->switches), distinct = 0;
    for (uint32_t node = 0; node < nodes; node++)
        distinct += sizes[root_of(parts, topo->switches + node)]++ == 0;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t part = root_of(parts, topo->switches + node);
        best = sizes[part] > sizes[best] ? part : best;
    }
    free(sizes);
    *others = distinct - 1;
    return best;
}

/* Nodes with several links, as to several planes, where all ways between some two of them lead through nodes.
 */
static char *describe_ends(const struct topo *topo, uint32_t nodes)
{
    bool has_ends = topo->has_ports || topo->has_fixed_routes;
    const char *what = topo->has_ports && !topo->path
                           ? "have a way in no plane, and no node passes messages on"
                           : "have no way but through others, which pass nothing on";
    for (uint32_t a = 0; has_ends && a < nodes; a++)
        for (uint32_t b = a + 1; b < nodes; b++)
            if (!topo_reaches(topo, a, b)) {
                char *links = faults_list_links(topo, false);
                char *text = mem_format("nodes %" PRIu32 " and %" PRIu32 " %s; these links have failed: %s",
                                        a, b, what, links);
                free(links);
                return text;
            }
    return NULL;
}

/* ---------------------------------------------------------------- platforms */

/* "n0 (node 3)" */
static char *host_of(const struct topo *topo, uint32_t node)
{
    const char *name = topo->ops->host_name ? topo->ops->host_name(topo, node) : NULL;
    return name ? mem_format("%s (node %" PRIu32 ")", name, node) : mem_format("node %" PRIu32, node);
}

char *faults_describe_pair(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR],
        count = topo->ops->choose ? 0 : topo_route(topo, source, destination, links);
    char *text = mem_text(""), name[2 * TOPO_TEXT + 2];
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++)
        if (faults_has_failed(topo, links[i]))
            text = add_name(text, &failed, topo_link_name(topo, links[i], name, sizeof name));
    text = end_names(text, failed);
    char *from = host_of(topo, source), *to = host_of(topo, destination);
    char *whole =
        mem_format(failed ? "there is no way from %s to %s, since these links of its route have failed: %s"
                          : "there is no way from %s to %s",
                   from, to, text);
    free(from);
    free(to);
    free(text);
    return whole;
}

/* Of a platform with failed links: how many pairs are cut, and one of them. */
static char *describe_pairs(const struct topo *topo, uint32_t nodes)
{
    const struct platform_detours *detours = topo->faults->detours;
    uint32_t step = 1 + nodes / PLATFORM_SAMPLE;
    if (!detours || detours->pairs == detours->looked_at)
        return NULL;
    for (uint32_t a = 0; a < nodes; a += step)
        for (uint32_t b = 0; b < nodes; b += step)
            if (!topo_reaches(topo, a, b)) {
                char *pair = faults_describe_pair(topo, a, b);
                char *text = mem_format("%s (%" PRIu64 " of %" PRIu64 " pairs of hosts are cut)", pair,
                                        detours->looked_at - detours->pairs, detours->looked_at);
                free(pair);
                return text;
            }
    return NULL;
}

char *faults_describe_cut(const struct topo *topo, uint32_t nodes)
{
    if (!topo->faults || !nodes)
        return NULL;
    if (!topo->ops->choose)
        return describe_pairs(topo, nodes);
    uint32_t *parts = find_parts(topo), others, node = 0;
    uint32_t best = largest_part(topo, parts, nodes, &others);
    char *text = NULL;
    if (others) {
        while (root_of(parts, topo->switches + node) == best)
            node++;
        uint32_t part = root_of(parts, topo->switches + node);
        char *cut = list_nodes(topo, parts, part, nodes), *links = list_links(topo, parts, part);
        char *switches = list_switches(topo, parts, part);
        bool is_one = strspn(cut, "0123456789") == strlen(cut);
        text = mem_format("node%s %s ha%s no way to the others, since these links have failed: %s%s",
                          is_one ? "" : "s", cut, is_one ? "s" : "ve", links, switches);
        free(cut);
        free(switches);
        free(links);
    }
    if (others > 1) {
        char *longer = mem_format("%s (and %" PRIu32 " more part%s cut off)", text, others - 1,
                                  others > 2 ? "s are" : " is");
        free(text);
        text = longer;
    }
    free(parts);
    return text ? text : describe_ends(topo, nodes);
}
