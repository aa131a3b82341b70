#include <inttypes.h>

#include "base/hashmap.h"
#include "topo/faults.h"
#include "topo/graph.h"
#include "topo/network_file.h"
#include "topo/platform.h"

static void write_name(const struct topo *topo, uint32_t at, FILE *out)
{
    if (topo->ops->given_name)
        fputs(topo->ops->given_name(topo, at), out);
    else
        fprintf(out, "s%" PRIu32, at);
}

static void write_switches(const struct topo *topo, FILE *out)
{
    if (!topo->ops->given_name) {
        fprintf(out, "switches: {s: %" PRIu32 "}\n", topo->switches);
        return;
    }
    fputs("switches:\n", out);
    for (uint32_t i = 0; i < topo->switches; i++)
        fprintf(out, "  - %s\n", topo->ops->given_name(topo, i));
}

static void write_rate(const struct topo *topo, uint32_t link, FILE *out)
{
    char text[64];
    union param_quantity rate = {.whole = topo_link_rate(topo, link, 0)};
    if (rate.whole)
        fprintf(out, ", rate: %s", param_quantity_print(PARAM_RATE, &rate, text, sizeof text));
    union param_quantity latency = {.time = topo_link_latency(topo, link, -1)};
    if (latency.time >= 0)
        fprintf(out, ", latency: %s", param_quantity_print(PARAM_TIME, &latency, text, sizeof text));
}

/* Switches from one to another, by their names. */
static void write_range(const struct topo *topo, uint32_t first, uint32_t last, FILE *out)
{
    for (uint32_t i = first; topo->ops->given_name && i <= last; i++)
        fprintf(out, "%s%s", i > first ? ", " : "", topo->ops->given_name(topo, i));
    if (!topo->ops->given_name && last > first)
        fprintf(out, "s%" PRIu32 "-%" PRIu32, first, last);
    else if (!topo->ops->given_name)
        write_name(topo, first, out);
}

/* The switches of this kind, if there are some. */
static void write_kind(const struct topo *topo, const char *key, enum topo_switch_kind kind, FILE *out)
{
    bool has_some = false;
    for (uint32_t i = 0, last; i < topo->switches; i = last + 1) {
        last = i;
        if (topo_switch_kind(topo, i) != kind)
            continue;
        while (last + 1 < topo->switches && topo_switch_kind(topo, last + 1) == kind)
            last++;
        fputs(has_some ? ", " : key, out);
        write_range(topo, i, last, out);
        has_some = true;
    }
    if (has_some)
        fputs("]\n", out);
}

static uint64_t pair_of(struct topo_hop ends)
{
    return ends.from < ends.to ? (uint64_t)ends.from << 32 | ends.to : (uint64_t)ends.to << 32 | ends.from;
}

/* How many links each pair of switches has. */
static void count_links(const struct topo *topo, struct hashmap *pairs)
{
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_hop ends = topo->ops->ends(topo, link);
        if (ends.from < ends.to && !faults_has_failed(topo, link))
            ++*hashmap_slot(pairs, pair_of(ends));
    }
}

/* The links of a pair stand where its first one is. */
static void write_links(const struct topo *topo, struct hashmap *pairs, FILE *out)
{
    const uint32_t written = UINT32_MAX;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_hop ends = topo->ops->ends(topo, link);
        if (faults_has_failed(topo, link))
            continue;
        uint32_t *count = hashmap_slot(pairs, pair_of(ends));
        if (*count == written)
            continue;
        fputs("  - {between: [", out);
        write_name(topo, ends.from, out);
        fputs(", ", out);
        write_name(topo, ends.to, out);
        fputc(']', out);
        write_rate(topo, link, out);
        if (*count > 1)
            fprintf(out, ", count: %" PRIu32, *count);
        fputs("}\n", out);
        *count = written;
    }
}

void network_file_write(const struct topo *topo, FILE *out)
{
    struct hashmap pairs = {.count = 0};
    char text[TOPO_TEXT];
    fprintf(out, "# %s\nnodes: %" PRIu32 "\n", topo_print(topo, text, sizeof text), topo->nodes);
    if (topo->faults)
        fprintf(out, "# failed links, which are left out: %" PRIu32 "\n", faults_count(topo).links);
    write_switches(topo, out);
    write_kind(topo, "ends: [", TOPO_SWITCH_ENDS, out);
    write_kind(topo, "preferred: [", TOPO_SWITCH_PREFERRED, out);
    fputs("links:\n", out);
    for (uint32_t node = 0; node < topo->nodes; node++) {
        fprintf(out, "  - {between: [node%" PRIu32 ", ", node);
        write_name(topo, topo_switch_of(topo, node), out);
        fputc(']', out);
        write_rate(topo, topo_injection(topo, node), out);
        fputs("}\n", out);
    }
    count_links(topo, &pairs);
    write_links(topo, &pairs, out);
    hashmap_free(&pairs);
    if (topo->path || topo->ops->rules & TOPO_RULE_ROUTING)
        fprintf(out, "routing: %s\nseed: %" PRIu64 "\n", topo_routing_names[topo->routing], topo->seed);
    if (topo->routes != TOPO_ROUTES_OWN)
        fprintf(out, "routes: %s\n", topo_routes_names[topo->routes]);
}

/* Rates that are parts of that of the fabric, as those of planes. */
static bool has_shares(const struct topo *topo)
{
    const uint64_t of_fabric = UINT64_C(1) << 40;
    bool has = false;
    for (uint32_t link = 0; !has && link < topo->links; link++)
        has = !topo_link_rate(topo, link, 0) && topo_link_rate(topo, link, of_fabric) != of_fabric;
    return has;
}

bool network_file_loses_relays(const struct topo *topo)
{
    return topo->ops->rules & TOPO_RULE_RELAY && topo->relay != TOPO_RELAY_SPINE;
}

const char *network_file_lacks(const struct topo *topo)
{
    if (has_shares(topo))
        return "links with a part of the rate of the fabric";
    if (topo->has_ports && topo->routes == TOPO_ROUTES_UPDOWN)
        return "routes up and down with ports of nodes";
    if (topo->ops->choose)
        return NULL;
    for (uint32_t link = 0; link < topo->links; link++) {
        uint32_t back = topo_link_reverse(topo, link);
        struct topo_ends ends = topo_link_ends(topo, link);
        if (topo_link_kind(topo, link) == TOPO_LINK_WHOLE)
            return "a link that gives each message its whole rate (FATPIPE)";
        if (back == link)
            return "a link whose rate both directions share (SHARED)";
        if (topo_link_rate(topo, link, 0) != topo_link_rate(topo, back, 0) ||
            topo_link_latency(topo, link, 0) != topo_link_latency(topo, back, 0))
            return "a link with another rate or latency in each direction";
        if (!ends.from.is_node && !ends.to.is_node && ends.from.id == ends.to.id)
            return "a backbone or a limit, which joins no two switches";
    }
    return NULL;
}
