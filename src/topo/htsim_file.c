#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/formats.h"

/* Topologies of htsim (Broadcom's csg-htsim, ATLAHS): a fat tree of two or three tiers of switches.
 *
 *     Nodes 1024                      Tier 1
 *     Tiers 2                         Downlink_speed_Gbps 100
 *     Podsize 1024                    Radix_Down 32
 *     Tier 0                          Downlink_Latency_ns 1000
 *     Downlink_speed_Gbps 100         Bundle 1
 *     Radix_Down 32
 *     Radix_Up 32
 *
 * htsim wires it in this way. Tier 0 are the ToR switches, with Radix_Down nodes each. A pod has Podsize
 * nodes and as many switches of tier 1 as its ToRs have links up for; each ToR has `Bundle` (of tier 1) links
 * to each of them. A switch of tier 1 at place p of its pod has `Bundle` (of tier 2) links to the core
 * switches p, p + a, p + 2a, ..., where a pod has a of them. */

enum { TIERS = 3, NODES_AT_MOST = GRAPH_NODES_LIMIT, RADIX_AT_MOST = 1 << 16 };

enum header_key { NODES, COUNT_OF_TIERS, POD, HEADER_KEYS };
enum tier_key {
    SPEED,
    RADIX_UP,
    RADIX_DOWN,
    OVERSUBSCRIBED,
    BUNDLE,
    SWITCH_LATENCY,
    LINK_LATENCY,
    QUEUE_UP,
    QUEUE_DOWN,
    TIER_KEYS
};

/* A number of the file, and where it stands; not there: its text is NULL. */
struct htsim_value {
    uint64_t number;
    struct source_part place;
};

struct htsim_key {
    const char *name;
    uint64_t least, most, otherwise; /* `otherwise`: what it is if it is not said */
};

static const struct htsim_key header_keys[HEADER_KEYS] = {
    [NODES] = {"Nodes", 1, NODES_AT_MOST, 0},
    [COUNT_OF_TIERS] = {"Tiers", 2, TIERS, 0},
    [POD] = {"Podsize", 1, NODES_AT_MOST, 0},
};

static const struct htsim_key tier_keys[TIER_KEYS] = {
    [SPEED] = {"Downlink_speed_Gbps", 1, 560000, 0},
    [RADIX_UP] = {"Radix_Up", 1, RADIX_AT_MOST, 0},
    [RADIX_DOWN] = {"Radix_Down", 1, RADIX_AT_MOST, 0},
    [OVERSUBSCRIBED] = {"Oversubscribed", 1, RADIX_AT_MOST, 1},
    [BUNDLE] = {"Bundle", 1, RADIX_AT_MOST, 1},
    [SWITCH_LATENCY] = {"Switch_Latency_ns", 0, 100000000, 0},
    [LINK_LATENCY] = {"Downlink_Latency_ns", 1, 100000000, 0},
    [QUEUE_UP] = {"Queue_Up", 0, UINT32_MAX, 0},
    [QUEUE_DOWN] = {"Queue_Down", 0, UINT32_MAX, 0},
};

struct htsim {
    const struct network_source *source;
    struct htsim_value header[HEADER_KEYS], tiers[TIERS][TIER_KEYS];
    struct source_part tier_at[TIERS]; /* the line of each; NULL: there is none */
    int tier;                          /* which one is read; -1: the header */
    uint32_t nodes, tor_count, aggs_per_pod, agg_count, core_count, pods;
};

static uint64_t of_tier(const struct htsim *htsim, int tier, enum tier_key key)
{
    return htsim->tiers[tier][key].number;
}

/* ------------------------------------------------------------------ reading */

static bool probe(const struct network_source *source)
{
    struct source_rest rest = source_all(source), line;
    struct source_part word, number;
    if (!source_next_line(&rest, &line) || !source_next_word(&line, &word) ||
        !source_next_word(&line, &number))
        return false;
    bool is_number = number.length == strspn(number.text, "0123456789");
    for (size_t i = 0; is_number && i < HEADER_KEYS; i++)
        if (source_is(word, header_keys[i].name))
            return true;
    return is_number && source_is(word, "Tier");
}

static bool read_value(struct htsim *htsim, const struct htsim_key *key, struct htsim_value *value,
                       struct source_part name, struct source_rest *line)
{
    struct source_part number, more;
    if (value->place.text)
        return source_refuse(htsim->source, name.text, name.length, "%s is said twice", key->name);
    if (!source_next_word(line, &number))
        return source_refuse(htsim->source, name.text, name.length, "%s needs a number behind it", key->name);
    if (!source_number(htsim->source, number, key->name, key->least, key->most, &value->number))
        return false;
    value->place = number;
    if (source_next_word(line, &more))
        return source_refuse(htsim->source, more.text, more.length, "a line has one number");
    return true;
}

static bool begin_tier(struct htsim *htsim, struct source_part name, struct source_rest *line)
{
    static const struct htsim_key key = {"Tier", 0, TIERS - 1, 0};
    struct htsim_value tier = {.number = 0};
    if (!read_value(htsim, &key, &tier, name, line))
        return false;
    htsim->tier = (int)tier.number;
    if (htsim->tier_at[tier.number].text)
        return source_refuse(htsim->source, tier.place.text, tier.place.length, "tier %d is said twice",
                             htsim->tier);
    htsim->tier_at[tier.number] = tier.place;
    return true;
}

static bool read_line(struct htsim *htsim, struct source_rest line)
{
    struct source_part name;
    source_next_word(&line, &name);
    if (source_is(name, "Tier"))
        return begin_tier(htsim, name, &line);
    for (int i = 0; htsim->tier < 0 && i < HEADER_KEYS; i++)
        if (source_is(name, header_keys[i].name))
            return read_value(htsim, &header_keys[i], &htsim->header[i], name, &line);
    for (int i = 0; htsim->tier >= 0 && i < TIER_KEYS; i++)
        if (source_is(name, tier_keys[i].name))
            return read_value(htsim, &tier_keys[i], &htsim->tiers[htsim->tier][i], name, &line);
    return source_refuse(htsim->source, name.text, name.length,
                         htsim->tier < 0
                             ? "Nodes, Tiers, Podsize or Tier is expected here"
                             : "a tier has Downlink_speed_Gbps, Radix_Down, Radix_Up, Downlink_Latency_ns, "
                               "Switch_Latency_ns, Oversubscribed, Bundle, Queue_Up and Queue_Down");
}

static bool check_tier(struct htsim *htsim, int tier, int tiers)
{
    static const enum tier_key needed[] = {SPEED, LINK_LATENCY, RADIX_DOWN, RADIX_UP};
    const struct source_part at = htsim->tier_at[tier];
    if (!at.text)
        return source_refuse(htsim->source, NULL, 0, "there is no Tier %d", tier);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!htsim->tiers[tier][needed[i]].place.text && (needed[i] != RADIX_UP || tier < tiers - 1))
            return source_refuse(htsim->source, at.text, at.length, "tier %d has no %s", tier,
                                 tier_keys[needed[i]].name);
    const struct htsim_value *up = &htsim->tiers[tier][RADIX_UP];
    if (up->place.text && tier == tiers - 1)
        return source_refuse(htsim->source, up->place.text, up->place.length,
                             "tier %d is the top, which has no links up", tier);
    for (int i = 0; i < TIER_KEYS; i++)
        if (!htsim->tiers[tier][i].place.text)
            htsim->tiers[tier][i] = (struct htsim_value){tier_keys[i].otherwise, at};
    return true;
}

static bool read_text(struct htsim *htsim)
{
    struct source_rest rest = source_all(htsim->source), line;
    while (source_next_line(&rest, &line))
        if (!read_line(htsim, line))
            return false;
    for (int i = 0; i < HEADER_KEYS; i++)
        if (!htsim->header[i].place.text)
            return source_refuse(htsim->source, NULL, 0, "%s is missing", header_keys[i].name);
    int tiers = (int)htsim->header[COUNT_OF_TIERS].number;
    for (int tier = 0; tier < tiers; tier++)
        if (!check_tier(htsim, tier, tiers))
            return false;
    if (tiers < TIERS && htsim->tier_at[tiers].text)
        return source_refuse(htsim->source, htsim->tier_at[tiers].text, htsim->tier_at[tiers].length,
                             "Tiers is %d, so that the last tier is %d", tiers, tiers - 1);
    htsim->nodes = (uint32_t)htsim->header[NODES].number;
    return true;
}

/* -------------------------------------------------------------------- sizes */

static bool refuse_at(const struct htsim *htsim, const struct htsim_value *value, const char *format,
                      uint64_t a, uint64_t b)
{
    char message[256];
    snprintf(message, sizeof message, format, a, b);
    return source_refuse(htsim->source, value->place.text, value->place.length, "%s", message);
}

/* a / b. False, reported at `value`: this is no whole number. */
static bool divide(const struct htsim *htsim, const struct htsim_value *value, uint64_t a, uint64_t b,
                   uint64_t *quotient)
{
    *quotient = a / b;
    return a % b == 0 || refuse_at(htsim, value, "%" PRIu64 " is no multiple of %" PRIu64, a, b);
}

static bool size_tors(struct htsim *htsim)
{
    const struct htsim_value *pod = &htsim->header[POD], *down = &htsim->tiers[0][RADIX_DOWN];
    uint64_t quotient, radix_up = of_tier(htsim, 0, RADIX_UP);
    if (of_tier(htsim, 0, BUNDLE) != 1)
        return refuse_at(htsim, &htsim->tiers[0][BUNDLE],
                         "a node has one link to its switch: the Bundle of tier 0 is 1", 0, 0);
    if (!divide(htsim, pod, htsim->nodes, pod->number, &quotient))
        return false;
    htsim->pods = (uint32_t)quotient;
    if (!divide(htsim, down, pod->number, down->number, &quotient))
        return false;
    htsim->tor_count = htsim->pods * (uint32_t)quotient;
    if (htsim->header[COUNT_OF_TIERS].number == 2 && htsim->pods > 1)
        return refuse_at(htsim, pod, "with two tiers there is one pod: Podsize is %" PRIu64, htsim->nodes, 0);
    if (down->number / radix_up != of_tier(htsim, 0, OVERSUBSCRIBED))
        return refuse_at(htsim, &htsim->tiers[0][OVERSUBSCRIBED],
                         "%" PRIu64 " links down and %" PRIu64
                         " up are no such oversubscription: htsim wants Radix_Down / Radix_Up",
                         down->number, radix_up);
    return true;
}

/* How many switches of tier 1 a pod has, by the rates of both tiers, as htsim computes it. */
static bool size_aggs(struct htsim *htsim, uint64_t *uplinks)
{
    const struct htsim_value *down = &htsim->tiers[1][RADIX_DOWN], *bundle = &htsim->tiers[1][BUNDLE];
    uint64_t per_pod;
    if (!divide(htsim, &htsim->tiers[1][SPEED], htsim->nodes * of_tier(htsim, 0, SPEED),
                of_tier(htsim, 1, SPEED) * of_tier(htsim, 0, OVERSUBSCRIBED), uplinks) ||
        !divide(htsim, down, *uplinks, htsim->pods * down->number, &per_pod))
        return false;
    if (!per_pod || per_pod * bundle->number != of_tier(htsim, 0, RADIX_UP))
        return refuse_at(htsim, down,
                         "a pod then has %" PRIu64 " switches of tier 1, and their Bundle is such that a ToR "
                         "does not have %" PRIu64 " links up",
                         per_pod, of_tier(htsim, 0, RADIX_UP));
    htsim->aggs_per_pod = (uint32_t)per_pod;
    htsim->agg_count = htsim->aggs_per_pod * htsim->pods;
    return true;
}

static bool size_cores(struct htsim *htsim, uint64_t tor_uplinks)
{
    const struct htsim_value *down = &htsim->tiers[2][RADIX_DOWN], *bundle = &htsim->tiers[2][BUNDLE];
    uint64_t uplinks, cores, groups;
    if (!divide(htsim, &htsim->tiers[2][SPEED], tor_uplinks * of_tier(htsim, 1, SPEED),
                of_tier(htsim, 2, SPEED) * of_tier(htsim, 1, OVERSUBSCRIBED), &uplinks) ||
        !divide(htsim, down, uplinks, down->number, &cores) ||
        !divide(htsim, down, cores, htsim->aggs_per_pod, &groups))
        return false;
    if (!groups || groups * bundle->number != of_tier(htsim, 1, RADIX_UP))
        return refuse_at(htsim, down,
                         "there are then %" PRIu64
                         " core switches, and their Bundle is such that a switch of "
                         "tier 1 does not have %" PRIu64 " links up",
                         cores, of_tier(htsim, 1, RADIX_UP));
    htsim->core_count = (uint32_t)cores;
    return true;
}

static bool size_all(struct htsim *htsim)
{
    uint64_t uplinks;
    if (!size_tors(htsim) || !size_aggs(htsim, &uplinks))
        return false;
    if (htsim->header[COUNT_OF_TIERS].number == TIERS && !size_cores(htsim, uplinks))
        return false;
    uint64_t switches = (uint64_t)htsim->tor_count + htsim->agg_count + htsim->core_count;
    uint64_t links = htsim->tor_count * of_tier(htsim, 0, RADIX_UP) +
                     htsim->agg_count * (htsim->core_count ? of_tier(htsim, 1, RADIX_UP) : 0);
    if (switches <= GRAPH_SWITCHES_LIMIT && links <= GRAPH_LINKS_LIMIT)
        return true;
    return source_refuse(htsim->source, NULL, 0,
                         "a network has at most %d switches and %d links between switches",
                         GRAPH_SWITCHES_LIMIT, GRAPH_LINKS_LIMIT);
}

/* ------------------------------------------------------------------- wiring */

/* Half of a switch's latency belongs to each of the two links by which a message comes and goes. So links
 * below tier `tier` have the latency that both ends add. */
static struct graph_link link_of(const struct htsim *htsim, int tier, uint32_t from, uint32_t to)
{
    uint64_t switches = of_tier(htsim, tier, SWITCH_LATENCY);
    switches += tier ? of_tier(htsim, tier - 1, SWITCH_LATENCY) : 0;
    return (struct graph_link){
        .from = from,
        .to = to,
        .rate_bytes_per_s = of_tier(htsim, tier, SPEED) * 125000000,
        .latency_ps = (ps_t)(of_tier(htsim, tier, LINK_LATENCY) * 1000 + switches * 500),
    };
}

static void name_switches(struct topo_graph *graph, const char *kind, uint32_t count)
{
    char name[32];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%" PRIu32, kind, i);
        text_index_add(&graph->names, name);
    }
}

static void wire(const struct htsim *htsim, struct topo_graph *graph)
{
    uint32_t tors_per_pod = htsim->tor_count / htsim->pods, first_core = htsim->tor_count + htsim->agg_count;
    for (uint32_t node = 0; node < htsim->nodes; node++)
        graph->node_links[node] = link_of(htsim, 0, node, (uint32_t)(node / of_tier(htsim, 0, RADIX_DOWN)));
    for (uint32_t tor = 0; tor < htsim->tor_count; tor++)
        for (uint32_t i = 0; i < htsim->aggs_per_pod; i++)
            graph_add_links(
                graph,
                link_of(htsim, 1, tor, htsim->tor_count + tor / tors_per_pod * htsim->aggs_per_pod + i),
                (uint32_t)of_tier(htsim, 1, BUNDLE));
    for (uint32_t agg = 0; agg < htsim->agg_count; agg++)
        for (uint32_t core = agg % htsim->aggs_per_pod; core < htsim->core_count; core += htsim->aggs_per_pod)
            graph_add_links(graph, link_of(htsim, 2, htsim->tor_count + agg, first_core + core),
                            (uint32_t)of_tier(htsim, 2, BUNDLE));
}

static bool has_queues(const struct htsim *htsim)
{
    bool has = false;
    for (int tier = 0; tier < TIERS; tier++)
        has |= of_tier(htsim, tier, QUEUE_UP) || of_tier(htsim, tier, QUEUE_DOWN);
    return has;
}

static struct topo_graph *read(const struct network_source *source)
{
    struct htsim htsim = {.source = source, .tier = -1};
    if (!read_text(&htsim) || !size_all(&htsim))
        return NULL;
    struct topo_graph *graph = graph_new(htsim.nodes, htsim.tor_count + htsim.agg_count + htsim.core_count);
    name_switches(graph, "tor", htsim.tor_count);
    name_switches(graph, "agg", htsim.agg_count);
    name_switches(graph, "core", htsim.core_count);
    wire(&htsim, graph);
    graph->no_effect = has_queues(&htsim) ? "Queue_Up and Queue_Down: messages have no queues" : NULL;
    return network_route(source, NULL, graph);
}

const struct network_format htsim_network = {
    .name = "htsim topology",
    .doc = "lines with Nodes, Tiers, Podsize, and for each Tier its radix, rate and latency",
    .probe = probe,
    .read = read,
};
