#include <inttypes.h>

#include "base/mem.h"
#include "topo/network_file.h"

/* A topology as a platform of SimGrid: a Full zone, in which each pair of hosts has its route, so that both
 * simulators take the same links. */

/* Whether the topology says the latency of each link. Then those are all that there is; otherwise a node's
 * link adds its own to that of the fabric. */
static bool says_latencies(const struct topo *topo)
{
    for (uint32_t link = 0; link < topo->links; link++)
        if (topo_link_latency(topo, link, -1) < 0)
            return false;
    return true;
}

static ps_t latency_of(const struct topo *topo, const struct platform_values *values, uint32_t link,
                       ps_t node_latency_ps)
{
    return topo_is_network(topo, link) ? topo_link_latency(topo, link, values->hop_latency_ps)
                                       : ps_add(node_latency_ps, topo_link_latency(topo, link, 0));
}

/* The link that stands for both directions, as the lower one of them; itself if it is written alone, since
 * both directions are one, or since they differ. */
static uint32_t split_of(const struct topo *topo, const struct platform_values *values, uint32_t link)
{
    uint32_t back = topo_link_reverse(topo, link);
    bool are_alike = topo_link_rate(topo, link, 0) == topo_link_rate(topo, back, 0) &&
                     latency_of(topo, values, link, 0) == latency_of(topo, values, back, 0) &&
                     topo_is_held(topo, link) && topo_is_held(topo, back);
    return are_alike && back < link ? back : link;
}

static bool is_split(const struct topo *topo, const struct platform_values *values, uint32_t link)
{
    uint32_t back = topo_link_reverse(topo, link);
    return back != link && split_of(topo, values, link) == split_of(topo, values, back);
}

static void write_link(const struct topo *topo, const struct platform_values *values, uint32_t link,
                       ps_t node_latency_ps, FILE *out)
{
    const char *policy = is_split(topo, values, link) ? "SPLITDUPLEX"
                         : topo_is_held(topo, link)   ? "SHARED"
                                                      : "FATPIPE";
    if (split_of(topo, values, link) == link && topo_link_kind(topo, link) != TOPO_LINK_FREE)
        fprintf(out,
                "    <link id=\"l%" PRIu32 "\" bandwidth=\"%" PRIu64 "Bps\" latency=\"%" PRId64
                "ps\" sharing_policy=\"%s\"/>\n",
                link, topo_link_rate(topo, link, values->rate_bytes_per_s),
                latency_of(topo, values, link, node_latency_ps), policy);
}

static void write_step(const struct topo *topo, const struct platform_values *values, uint32_t link,
                       FILE *out)
{
    uint32_t split = split_of(topo, values, link);
    fprintf(out, "<link_ctn id=\"l%" PRIu32 "\"", split);
    if (is_split(topo, values, link))
        fprintf(out, " direction=\"%s\"", split == link ? "UP" : "DOWN");
    fputs("/>", out);
}

static void write_route(const struct topo *topo, const struct platform_values *values, uint32_t from,
                        uint32_t to, uint32_t *links, FILE *out)
{
    uint32_t count = topo_way(topo, from, to, links);
    fprintf(out, "    <route src=\"n%" PRIu32 "\" dst=\"n%" PRIu32 "\" symmetrical=\"NO\">", from, to);
    for (uint32_t i = 0; i < count; i++)
        write_step(topo, values, links[i], out);
    fputs("</route>\n", out);
}

void platform_file_write(const struct topo *topo, const struct platform_values *values, FILE *out)
{
    char text[TOPO_TEXT];
    ps_t node_latency = says_latencies(topo) ? 0 : values->node_latency_ps;
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    fprintf(out,
            "<?xml version=\"1.0\"?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"Full\">\n    <prop id=\"topology\" "
            "value=\"%s\"/>\n",
            topo->path ? "network file" : topo_print(topo, text, sizeof text));
    for (uint32_t node = 0; node < topo->nodes; node++)
        fprintf(out, "    <host id=\"n%" PRIu32 "\" speed=\"%.17gf\"/>\n", node, values->flops_per_s);
    for (uint32_t link = 0; link < topo->links; link++)
        write_link(topo, values, link, node_latency, out);
    for (uint32_t pair = 0; pair < topo->nodes * topo->nodes; pair++)
        if (pair / topo->nodes != pair % topo->nodes)
            write_route(topo, values, pair / topo->nodes, pair % topo->nodes, links, out);
    fputs("  </zone>\n</platform>\n", out);
    free(links);
}
