#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "fabric/faults.h"
#include "output/json.h"
#include "output/output.h"
#include "output/standard.h"
#include "output/wrap.h"
#include "topo/deadlock.h"
#include "topo/families.h"
#include "topo/network_file.h"
#include "topo/picture.h"
#include "topo/topo.h"

enum topo_option {
    TOPO_ASCII,
    TOPO_SVG,
    TOPO_DOT,
    TOPO_JSON,
    TOPO_YAML,
    TOPO_XML,
    TOPO_ROUTE,
    TOPO_DEADLOCK,
    TOPO_SET,
    TOPO_OUT
};

static const struct cli_option options[] = {
    [TOPO_ASCII] = {"--ascii", 0, NULL, "a picture in characters"},
    [TOPO_SVG] = {"--svg", 0, NULL, "a picture as SVG"},
    [TOPO_DOT] = {"--dot", 0, NULL, "a graph for Graphviz"},
    [TOPO_JSON] = {"--json", 0, NULL, "facts and, up to 4096 nodes, all links, as JSON"},
    [TOPO_YAML] = {"--yaml", 0, NULL, "the topology as a network file, with each of its links"},
    [TOPO_XML] = {"--xml", 0, NULL, "the topology as a SimGrid platform, with each of its routes"},
    [TOPO_ROUTE] = {"--route", 0, "A,B", "the route from node A to node B: listed, and marked in pictures"},
    [TOPO_DEADLOCK] = {"--deadlock", 0, NULL, "whether links that wait for each other can form a circle"},
    [TOPO_SET] = {"--set", 's', "faults.NAME=VALUE",
                  "a fault, as faults.link_share=1% (docs/faults.md)" CLI_REPEATS},
    [TOPO_OUT] = {"--output", 'o', "FILE", "write there instead of to standard output"},
    CLI_PLUGIN,
};

/* The text of a rule, with what it means behind it. */
static struct wrap begin_rule(FILE *out, const char *text, const char *doc)
{
    enum { DOC_COLUMN = 35 };
    struct wrap line = {.out = out, .indent = DOC_COLUMN, .column = DOC_COLUMN};
    fprintf(out, "  %-*s ", DOC_COLUMN - 3, text);
    wrap_words(&line, doc);
    return line;
}

/* A rule with the topologies that have it. */
static void print_rule(FILE *out, unsigned rule, const char *text, const char *doc)
{
    const struct topo_ops *family;
    struct wrap line = begin_rule(out, text, doc);
    bool is_first = true;
    for (size_t i = 0; (family = topo_family_at(i)); i++)
        for (const struct topo_form *form = family->forms; form->name && family->rules & rule; form++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", is_first ? "(" : "", form->name);
            wrap_mark(&line, is_first ? "" : ",");
            wrap_words(&line, name);
            is_first = false;
        }
    fputs(")\n", out);
}

/* A rule that all topologies have. */
static void print_common_rule(FILE *out, const char *text, const char *doc)
{
    begin_rule(out, text, doc);
    fputc('\n', out);
}

static void print_family(FILE *out, const char *example)
{
    struct wrap line = {.out = out, .indent = 6, .column = 2};
    fputs("  ", out);
    wrap_words(&line, example);
    fputc('\n', out);
}

static void print_families(FILE *out)
{
    const struct topo_ops *family;
    fputs("Topologies, with an example of each:\n", out);
    for (size_t i = 0; (family = topo_family_at(i)); i++)
        for (const struct topo_form *form = family->forms; form->name; form++)
            print_family(out, form->example);
    print_family(out, "FILE.yaml, FILE.xml, FILE.topo (a network file, ours, SimGrid's, htsim's or ns-3's: "
                      "docs/networks.md)");
    fputs("Rules, behind the sizes:\n", out);
    print_rule(out, TOPO_RULE_ORDER, ",order=first|last", "the dimension routed first");
    print_rule(out, TOPO_RULE_TIE, ",tie=parity|plus|either|reverse", "the way at half of a ring");
    print_rule(out, TOPO_RULE_ROUTING, ",routing=d-mod-k|lowest|hash", "which of several links up");
    print_rule(out, TOPO_RULE_ROUTING, ",seed=1", "the seed of routing=hash");
    print_rule(out, TOPO_RULE_RELAY, ",relay=nvlink|spine|either", "the way to another server and rail");
    print_common_rule(out, ",routes=own|updown",
                      "those of the family, or up and then down, free of deadlock in any network");
    print_rule(out, TOPO_RULE_PLANES, ",planes=2", "links of each node to so many equal networks");
    print_common_rule(out, ",rates=10GB/s+20GB/s",
                      "of nodes' links, then of those between switches, by level, dimension or group");
    print_common_rule(out, ",latencies=5ns+100ns", "the same with latencies");
    fputc('\n', out);
}

static const struct cli_command command = {
    .name = "topo",
    .words = "TOPOLOGY",
    .doc = "Facts about a topology and its routes, and pictures of it.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .print_lists = print_families,
    .after = "Examples:\n"
             "  helio topo torus:8x8 --ascii --route 10,46\n"
             "  helio topo fattree:4x3 --svg -o tree.svg\n\n"
             "docs/models/topology.md says how nodes and links are numbered, and every rule.",
};

enum { LINKS_LISTED_NODES = 4096 };

/* What the command line asks for. */
struct topo_request {
    const char *spec, *route_text, *path;
    int form; /* enum topo_option, or -1 for plain facts */
    bool with_deadlock;
    struct config *config; /* of faults */
    struct topo topo;
    uint32_t source, destination;
    uint32_t *links, link_count; /* of the route; 0 = none */
};

/* --------------------------------------------------------------------- text */

static void print_range(FILE *out, const char *name, const char *least, const char *most)
{
    bool is_one = strcmp(least, most) == 0;
    fprintf(out, "  %-14s %s%s%s\n", name, least, is_one ? "" : " to ", is_one ? "" : most);
}

/* The least and the most that the topology gives its links, of those for which it gives something. */
static void print_rates(const struct topo *topo, FILE *out)
{
    uint64_t least = UINT64_MAX, most = 0;
    char low[64], high[64];
    for (uint32_t link = 0; topo_has_rates(topo) && link < topo->links; link++) {
        uint64_t rate = topo_link_rate(topo, link, 0);
        least = rate && rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    if (most)
        print_range(out, "link rates", units_print_rate(least, low, sizeof low),
                    units_print_rate(most, high, sizeof high));
}

static void print_latencies(const struct topo *topo, FILE *out)
{
    ps_t least = PS_NEVER, most = -1;
    char low[64], high[64];
    for (uint32_t link = 0; topo_has_latencies(topo) && link < topo->links; link++) {
        ps_t latency = topo_link_latency(topo, link, -1);
        least = latency >= 0 && latency < least ? latency : least;
        most = latency > most ? latency : most;
    }
    if (most >= 0)
        print_range(out, "latencies", units_print_time(least, low, sizeof low),
                    units_print_time(most, high, sizeof high));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_faults(const struct topo *topo, FILE *out)
{
    const struct fault_counts counts = faults_count(topo);
    char *failed = faults_list_links(topo, false), *slow = faults_list_links(topo, true);
    char *cut = faults_describe_cut(topo, topo->nodes);
    if (counts.switches)
        fprintf(out, "  failed         %u of %u switches\n", counts.switches, faults_switches_of(topo));
    if (counts.ports)
        fprintf(out, "  failed         the ports of %u node%s\n", counts.ports, plural(counts.ports));
    if (topo->faults)
        fprintf(out, "  failed         %u of %u links between switches%s%s\n", counts.links,
                faults_links_of(topo), *failed ? ": " : "", failed);
    if (counts.slow_links)
        fprintf(out, "  slow links     %u: %s\n", counts.slow_links, slow);
    if (cut)
        fprintf(out, "  cut            %s\n", cut);
    free(failed);
    free(slow);
    free(cut);
}

static void print_facts(const struct topo_request *request, FILE *out)
{
    const struct topo *topo = &request->topo;
    char text[TOPO_TEXT];
    fprintf(out, "%s\n", topo_print(topo, text, sizeof text));
    fprintf(out, "  nodes          %u\n", topo->nodes);
    fprintf(out, "  switches       %u", topo->switches);
    if (topo->has_ports)
        fprintf(out, ", of which %u are the ports of nodes", topo->nodes);
    fputc('\n', out);
    fprintf(out, "  links          %u: %u between switches, %u into the network, %u out of it\n", topo->links,
            topo->links - 2 * topo->nodes, topo->nodes, topo->nodes);
    const double mean = topo_mean_distance(topo);
    fprintf(out, "  diameter       %s%u hop%s between switches\n", topo->has_sample ? "at most " : "",
            topo->diameter, plural(topo->diameter));
    fprintf(out, "  mean distance  %.6g hop%s%s\n", mean, mean == 1 ? "" : "s",
            topo->has_sample ? ", of a sample of the nodes" : "");
    if (topo->ops->bisection)
        fprintf(out, "  bisection      %s%llu link%s each way\n",
                topo_bisection_is_bound(topo) ? "at most " : "", (unsigned long long)topo_bisection(topo),
                plural(topo_bisection(topo)));
    print_rates(topo, out);
    print_latencies(topo, out);
    if (topo->no_effect)
        fprintf(out, "  no effect      %s\n", topo->no_effect);
    if (topo->no_ends)
        fprintf(out, "  switches       not known: %s\n", topo->no_ends);
    print_faults(topo, out);
}

static void print_route(const struct topo_request *request, FILE *out)
{
    char name[2 * TOPO_TEXT];
    if (!request->link_count)
        return;
    const uint32_t hops = request->link_count - 2;
    fprintf(out, "\nroute from %u to %u: %u hop%s, %u links\n", request->source, request->destination, hops,
            plural(hops), request->link_count);
    uint32_t at = topo_switch_of(&request->topo, request->source);
    for (uint32_t i = 0; i < request->link_count; i++) {
        fprintf(out, "  %-8u %s\n", request->links[i],
                topo_link_name_from(&request->topo, at, request->links[i], name, sizeof name));
        at = topo_behind(&request->topo, at, request->links[i]);
    }
}

/* ----------------------------------------------------------------- deadlock */

static const char *const deadlock_names[] = {
    [DEADLOCK_FIXED] = "fixed routes", [DEADLOCK_ANY] = "all routes"};

/* Where each pair of nodes has one route, all routes are the fixed ones. */
static enum deadlock_routes last_routes(const struct topo *topo)
{
    return topo_has_choices(topo) ? DEADLOCK_ANY : DEADLOCK_FIXED;
}

static enum status find_deadlock(const struct topo_request *request, enum deadlock_routes routes,
                                 struct link_circle *deadlock)
{
    if (deadlock_find(&request->topo, routes, deadlock))
        return STATUS_OK;
    diag_error("--deadlock: %s is too large: at most %llu pairs of a switch with nodes and a node",
               request->spec, (unsigned long long)DEADLOCK_PAIRS_LIMIT);
    return STATUS_BAD_INPUT;
}

static enum status print_deadlock(const struct topo_request *request, FILE *out)
{
    char name[2 * TOPO_TEXT];
    struct link_circle deadlock;
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i <= (int)last_routes(&request->topo); i++) {
        if ((status = find_deadlock(request, (enum deadlock_routes)i, &deadlock)) != STATUS_OK)
            return status;
        fprintf(out, "\n%s: ", deadlock_names[i]);
        if (deadlock.length)
            fprintf(out, "%u links can wait for each other in a circle (%llu dependencies of links)\n",
                    deadlock.length, (unsigned long long)deadlock.dependencies);
        else
            fprintf(out, "free of deadlock (%llu dependencies of links, no circle)\n",
                    (unsigned long long)deadlock.dependencies);
        for (uint32_t k = 0; k < deadlock.length; k++)
            fprintf(out, "  %-8u %s\n", deadlock.links[k],
                    topo_link_name(&request->topo, deadlock.links[k], name, sizeof name));
        free(deadlock.links);
    }
    return status;
}

/* --------------------------------------------------------------------- JSON */

static json_t *link_json(const struct topo *topo, uint32_t link, struct topo_ends ends)
{
    char name[TOPO_TEXT];
    json_t *object = json_make_object();
    json_put_count(object, "id", link);
    json_put_text(object, "from", topo_end_name(topo, ends.from, name, sizeof name));
    json_put_text(object, "to", topo_end_name(topo, ends.to, name, sizeof name));
    if (topo_link_rate(topo, link, 0))
        json_put_count(object, "rate_bytes_per_s", topo_link_rate(topo, link, 0));
    if (topo_link_latency(topo, link, -1) >= 0)
        json_put_number(object, "latency_s", (double)topo_link_latency(topo, link, -1) / (double)PS_PER_S);
    if (faults_has_failed(topo, link))
        json_put_flag(object, "has_failed", true);
    if (faults_is_slow(topo, link))
        json_put_flag(object, "is_slow", true);
    return object;
}

static json_t *route_json(const struct topo_request *request)
{
    json_t *object = json_make_object(), *links = json_make_list();
    uint32_t at = topo_switch_of(&request->topo, request->source);
    for (uint32_t i = 0; i < request->link_count; i++) {
        struct topo_ends ends = topo_ends_from(&request->topo, at, request->links[i]);
        json_add(links, link_json(&request->topo, request->links[i], ends));
        at = topo_behind(&request->topo, at, request->links[i]);
    }
    json_put_count(object, "source", request->source);
    json_put_count(object, "destination", request->destination);
    json_put_count(object, "hops", request->link_count - 2);
    json_put(object, "links", links);
    return object;
}

static json_t *topo_json(const struct topo *topo)
{
    char text[TOPO_TEXT];
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-topo-1");
    json_put_text(object, "topology", topo_print(topo, text, sizeof text));
    json_put_count(object, "nodes", topo->nodes);
    json_put_count(object, "switches", topo->switches);
    if (topo->has_ports)
        json_put_count(object, "ports", topo->nodes);
    json_put_count(object, "links", topo->links);
    json_put_count(object, "network_links", topo->links - 2 * topo->nodes);
    json_put_count(object, "diameter_hops", topo->diameter);
    json_put_number(object, "mean_distance_hops", topo_mean_distance(topo));
    if (topo->has_sample)
        json_put_flag(object, "distances_are_sampled", true);
    if (topo->ops->bisection)
        json_put_count(object, "bisection_links", topo_bisection(topo));
    if (topo->ops->bisection && topo_bisection_is_bound(topo))
        json_put_flag(object, "bisection_is_bound", true);
    if (topo->faults)
        json_put_count(object, "failed_links", faults_count(topo).links);
    return object;
}

static enum status put_deadlock(const struct topo_request *request, json_t *object)
{
    static const char *const keys[] = {
        [DEADLOCK_FIXED] = "deadlock_fixed_routes", [DEADLOCK_ANY] = "deadlock_all_routes"};
    struct link_circle deadlock;
    enum status status = STATUS_OK;
    for (int i = 0; i <= (int)last_routes(&request->topo); i++) {
        if ((status = find_deadlock(request, (enum deadlock_routes)i, &deadlock)) != STATUS_OK)
            return status;
        json_t *found = json_make_object(), *circle = json_make_list();
        for (uint32_t k = 0; k < deadlock.length; k++)
            json_add(circle, link_json(&request->topo, deadlock.links[k],
                                       topo_link_ends(&request->topo, deadlock.links[k])));
        json_put_count(found, "dependencies", deadlock.dependencies);
        json_put_flag(found, "is_free", !deadlock.length);
        json_put(found, "circle", circle);
        json_put(object, keys[i], found);
        free(deadlock.links);
    }
    return status;
}

/* A write that fails is reported where the output is closed. */
static enum status print_json(const struct topo_request *request, FILE *out)
{
    const struct topo *topo = &request->topo;
    json_t *object = topo_json(topo);
    enum status status = request->with_deadlock ? put_deadlock(request, object) : STATUS_OK;
    if (request->link_count)
        json_put(object, "route", route_json(request));
    if (topo->ops->host_name) {
        json_t *names = json_make_list();
        for (uint32_t node = 0; node < topo->nodes; node++)
            json_add_text(names, topo->ops->host_name(topo, node));
        json_put(object, "hosts", names);
    }
    if (topo->nodes <= LINKS_LISTED_NODES) {
        json_t *list = json_make_list();
        for (uint32_t link = 0; link < topo->links; link++)
            json_add(list, link_json(topo, link, topo_link_ends(topo, link)));
        json_put(object, "link_list", list);
    }
    if (status == STATUS_OK)
        (void)json_write(object, 12, out);
    json_decref(object);
    return status;
}

/* ------------------------------------------------------------------ reading */

static bool take(void *self, int found, const char *value)
{
    struct topo_request *request = self;
    int option = found - CLI_OPTION;
    if (found == CLI_WORD)
        return cli_take_word(&command, &request->spec, value, "topology");
    if (option == TOPO_ROUTE) {
        request->route_text = value;
    } else if (option == TOPO_DEADLOCK) {
        request->with_deadlock = true;
    } else if (option == TOPO_SET) {
        return config_set(request->config, value) == STATUS_OK;
    } else if (option == TOPO_OUT) {
        request->path = value;
    } else if (request->form >= 0 && request->form != option) {
        diag_error("%s and %s are two outputs; ask for one", options[request->form].name,
                   options[option].name);
        return false;
    } else {
        request->form = option;
    }
    return true;
}

static enum status read_node(const struct topo_request *request, const char *text, uint32_t *node)
{
    struct units_problem problem;
    uint64_t number;
    if (!units_count(text, &number, &problem))
        diag_error("--route: %s; two nodes are expected, as in 0,5", problem.text);
    else if (number >= request->topo.nodes)
        diag_error("--route: there is no node %s; the last one is %u", text, request->topo.nodes - 1);
    else {
        *node = (uint32_t)number;
        return STATUS_OK;
    }
    return STATUS_BAD_INPUT;
}

static enum status read_route(struct topo_request *request)
{
    if (!request->route_text)
        return STATUS_OK;
    char *source = mem_text(request->route_text), *comma = strchr(source, ',');
    if (comma)
        *comma = '\0';
    enum status status = read_node(request, source, &request->source);
    if (status == STATUS_OK)
        status = read_node(request, comma ? comma + 1 : "", &request->destination);
    free(source);
    if (status != STATUS_OK)
        return status;
    if (!topo_reaches(&request->topo, request->source, request->destination)) {
        char *cut = faults_describe_cut(&request->topo, request->topo.nodes);
        status = faults_report_cut(&request->topo, "", cut ? cut : "");
        free(cut);
        return status;
    }
    request->links = mem_alloc(topo_route_limit(&request->topo), sizeof *request->links, "a route");
    request->link_count = topo_route(&request->topo, request->source, request->destination, request->links);
    return STATUS_OK;
}

/* The faults that --set has set. A network file is one of a whole network. */
static enum status apply_faults(struct topo_request *request)
{
    const struct fault_config *faults = config_of(request->config, &fault_params);
    if (faults->at_ps || fault_config_changes(request->config) ||
        fault_config_has_slow_nodes(request->config) || fault_config_has_channels(request->config)) {
        diag_error("a topology has no times, no computation and no channels: faults.at, faults.repair, "
                   "faults.events, faults.slow_nodes, faults.slow_node_share and faults.channel_share are "
                   "for helio run");
        return STATUS_BAD_INPUT;
    }
    if (!fault_config_has_links(request->config))
        return STATUS_OK;
    return faults_apply(request->config,
                        request->form == TOPO_YAML || request->form == TOPO_XML ? request->topo.nodes : 0, 0,
                        &request->topo);
}

/* ------------------------------------------------------------------ writing */

static enum status check_size(const struct topo_request *request)
{
    const struct topo *topo = &request->topo;
    const char *lacks = request->form == TOPO_YAML ? network_file_lacks(topo) : NULL;
    if (lacks) {
        diag_error("--yaml: %s has %s, which a network file cannot say", request->spec, lacks);
        return STATUS_BAD_INPUT;
    }
    if (request->form == TOPO_YAML && network_file_loses_relays(topo))
        diag_note("--yaml: nodes of a network file pass nothing on: messages to another rail go over spine "
                  "switches, as with relay=spine");
    if (request->form == TOPO_YAML && topo->nodes_per_server > 1)
        diag_note("--yaml: a network file has no servers: collectives by rail need nodes_per_server=%" PRIu32,
                  topo->nodes_per_server);
    if (request->form == TOPO_XML && topo->nodes > PLATFORM_WRITTEN_NODES) {
        diag_error("--xml: %s has %u nodes; a platform is written with the route of each pair, of at most %d",
                   request->spec, topo->nodes, PLATFORM_WRITTEN_NODES);
        return STATUS_BAD_INPUT;
    }
    if (request->form == TOPO_XML && topo->has_ports && !topo_has_latencies(topo)) {
        diag_error("--xml: %s has planes or ports, whose links need latencies of their own: give it the rule "
                   "latencies",
                   request->spec);
        return STATUS_BAD_INPUT;
    }
    bool is_picture = request->form == TOPO_ASCII || request->form == TOPO_SVG || request->form == TOPO_DOT;
    if (request->with_deadlock && request->form >= 0 && request->form != TOPO_JSON) {
        diag_error("--deadlock is for the list of facts and for --json, not for %s",
                   options[request->form].name);
        return STATUS_BAD_INPUT;
    }
    if (!is_picture || (topo->nodes <= TOPO_PICTURE_NODES && topo->switches <= TOPO_PICTURE_NODES))
        return STATUS_OK;
    diag_error("%s is too large for a picture: at most %d nodes and switches", request->spec,
               TOPO_PICTURE_NODES);
    return STATUS_BAD_INPUT;
}

/* What links and hosts of a platform have for which the topology says nothing: as published, of packet, whose
 * latency is that of both links of nodes. */
static const struct platform_values published = {.rate_bytes_per_s = UINT64_C(12500000000),
                                                 .node_latency_ps = 4000000,
                                                 .hop_latency_ps = 100000,
                                                 .flops_per_s = 12e9};

static enum status write_to(const struct topo_request *request, FILE *out)
{
    const struct topo_picture picture = {&request->topo, request->links, request->link_count};
    switch (request->form) {
    case TOPO_ASCII:
        topo_draw_ascii(&picture, out);
        print_route(request, out);
        return STATUS_OK;
    case TOPO_SVG:
        topo_draw_svg(&picture, out);
        return STATUS_OK;
    case TOPO_DOT:
        topo_draw_dot(&picture, out);
        return STATUS_OK;
    case TOPO_YAML:
        network_file_write(&request->topo, out);
        return STATUS_OK;
    case TOPO_XML:
        platform_file_write(&request->topo, &published, out);
        return STATUS_OK;
    case TOPO_JSON:
        return print_json(request, out);
    default:
        print_facts(request, out);
        print_route(request, out);
        return request->with_deadlock ? print_deadlock(request, out) : STATUS_OK;
    }
}

static enum status write_out(const struct topo_request *request)
{
    if (request->path) {
        struct output output;
        enum status status = output_open(&output, request->path);
        return status == STATUS_OK ? output_close(&output, write_to(request, output.file)) : status;
    }
    enum status status = write_to(request, stdout);
    return status == STATUS_OK ? standard_flush() : status;
}

static enum status run(struct topo_request *request)
{
    if (!request->spec) {
        diag_error("helio topo needs a topology, such as torus:8x8 (helio topo --help)");
        return STATUS_BAD_INPUT;
    }
    enum status status = topo_parse("TOPOLOGY", request->spec, &request->topo);
    if (status == STATUS_OK)
        status = check_size(request);
    if (status == STATUS_OK)
        status = apply_faults(request);
    if (status == STATUS_OK)
        status = read_route(request);
    return status == STATUS_OK ? write_out(request) : status;
}

int cli_topo(int argc, char **argv)
{
    static const struct param_table *const tables[] = {&fault_params};
    struct topo_request request = {.form = -1, .config = config_open(tables, 1)};
    if (!request.config)
        return STATUS_FAILED;
    int found = cli_read_all(&command, argc, argv, take, &request);
    enum status status = found == CLI_END ? run(&request) : (enum status)cli_status(found);
    free(request.links);
    config_close(request.config);
    return status;
}
