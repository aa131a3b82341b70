#include "topo/network_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "topo/formats.h"
#include "topo/network_reader.h"

/* --------------------------------------------------------- nodes, switches */

uint32_t network_read_count(struct config_reader *reader, const struct config_node *node, uint32_t most)
{
    union param_quantity count;
    struct param_problem problem;
    if (node->kind != CONFIG_SCALAR) {
        config_node_error(reader, node, "a number is expected here");
        return 0;
    }
    if (!param_quantity_read(PARAM_COUNT, node->text, &count, &problem)) {
        config_node_problem(reader, node, &problem);
        return 0;
    }
    if (count.whole >= 1 && count.whole <= most)
        return (uint32_t)count.whole;
    config_node_error(reader, node, "a number from 1 to %" PRIu32 " is expected here", most);
    return 0;
}

bool network_read_quantity(struct config_reader *reader, const struct config_node *node, enum param_type type,
                           union param_quantity *value)
{
    struct param_problem problem;
    if (node->kind != CONFIG_SCALAR) {
        config_node_error(reader, node, "one value is expected here");
        return false;
    }
    if (param_quantity_read(type, node->text, value, &problem))
        return true;
    config_node_problem(reader, node, &problem);
    return false;
}

static void read_nodes(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct network_reader *network = self;
    struct topo_graph *graph = network->graph;
    graph->nodes = network_read_count(reader, node, GRAPH_NODES_LIMIT);
    network->has_nodes = true;
    graph->node_links = mem_alloc(graph->nodes, sizeof *graph->node_links, "a network");
    network->node_origins = mem_alloc(graph->nodes, sizeof *network->node_origins, "a network");
}

/* A letter, then letters, digits, and some other characters; "node" and a number are nodes. */
static bool is_switch_name(const char *name)
{
    size_t length = strlen(name);
    bool is_node = strncmp(name, "node", 4) == 0 && strspn(name + 4, "0123456789") == length - 4;
    bool is_name = isalpha((unsigned char)name[0]) && length < TOPO_TEXT / 2;
    for (size_t i = 0; i < length; i++)
        is_name = is_name && (isalnum((unsigned char)name[i]) || strchr("_.-", name[i]));
    return is_name && !is_node;
}

/* False: the network has this name already, or is full. */
static bool add_switch(struct network_reader *network, const char *name)
{
    size_t count = network->graph->names.count;
    return count < GRAPH_SWITCHES_LIMIT && text_index_add(&network->graph->names, name) == count;
}

static void report_switch(const struct network_reader *network, struct config_reader *reader,
                          const struct config_node *node, const char *name)
{
    void (*report)(struct config_reader *, const struct config_node *, const char *, ...) =
        node->key ? config_key_error : config_node_error;
    if (!is_switch_name(name))
        report(reader, node,
               "a switch has a name of letters, digits, '_', '.' and '-' that begins with a letter; node and "
               "a number are nodes");
    else if (network->graph->names.count >= GRAPH_SWITCHES_LIMIT)
        report(reader, node, "a network has at most %d switches", GRAPH_SWITCHES_LIMIT);
    else
        report(reader, node, "there are two switches '%s'", name);
}

/* "leaf: 4" */
static bool read_group(struct network_reader *network, struct config_reader *reader,
                       const struct config_node *node)
{
    uint32_t count = network_read_count(reader, node, GRAPH_SWITCHES_LIMIT);
    bool good = count && is_switch_name(node->key);
    char *name = mem_text(node->key);
    network->groups =
        mem_grow(network->groups, &network->group_capacity, network->group_count + 1, "switches");
    network->groups[network->group_count++] =
        (struct network_group){arena_text(&network->texts, node->key, strlen(node->key)),
                               (uint32_t)network->graph->names.count, count};
    for (uint32_t i = 0; good && i < count; i++) {
        free(name);
        name = mem_format("%s%" PRIu32, node->key, i);
        good = add_switch(network, name);
    }
    if (count && !good)
        report_switch(network, reader, node, name);
    free(name);
    return good;
}

static bool read_switch(struct network_reader *network, struct config_reader *reader,
                        const struct config_node *node)
{
    if (node->kind == CONFIG_SCALAR && is_switch_name(node->text) && add_switch(network, node->text))
        return true;
    report_switch(network, reader, node, node->kind == CONFIG_SCALAR ? node->text : "");
    return false;
}

static void read_switches(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct network_reader *network = self;
    network->has_switches = true;
    if (node->kind == CONFIG_SCALAR || !node->count) {
        config_node_error(reader, node,
                          "switches are a map of names with their numbers, such as {leaf: 4, spine: 2}, or a "
                          "list of names, such as [left, right]");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        (node->kind == CONFIG_MAP ? read_group : read_switch)(network, reader, &node->items[i]);
}

/* -------------------------------------------------------------------- ends */

static void add_ends(struct network_side *side, bool is_node, uint32_t first, uint32_t count)
{
    side->ends = mem_grow(side->ends, &side->capacity, side->count + count, "links");
    for (uint32_t i = 0; i < count; i++)
        side->ends[side->count++] = (struct topo_end){.is_node = is_node, .id = first + i};
}

/* The number behind the letters of "leaf12"; false: there is none. */
static bool split_number(const char *text, size_t length, size_t *letters, uint64_t *number)
{
    size_t at = length;
    while (at && isdigit((unsigned char)text[at - 1]))
        at--;
    *letters = at;
    *number = 0;
    for (size_t i = at; i < length && *number <= GRAPH_NODES_LIMIT; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return at < length;
}

/* The switch PREFIX<number>, or the node; false: there is none. */
static bool find_end(const struct network_reader *network, const char *prefix, size_t letters,
                     uint64_t number, struct topo_end *end)
{
    if (letters == 4 && memcmp(prefix, "node", 4) == 0) {
        *end = (struct topo_end){.is_node = true, .id = (uint32_t)number};
        return number < network->graph->nodes;
    }
    char *name = mem_format("%.*s%" PRIu64, (int)letters, prefix, number);
    size_t found = text_index_find(&network->graph->names, name);
    *end = (struct topo_end){.id = (uint32_t)found};
    free(name);
    return found != SIZE_MAX;
}

/* "leaf2-5": false: this is no range of nodes or switches. */
static bool add_range(const struct network_reader *network, const char *text, struct network_side *side)
{
    const char *dash = strrchr(text, '-');
    size_t letters, none;
    uint64_t first, last;
    struct topo_end end;
    if (!dash || !split_number(text, (size_t)(dash - text), &letters, &first) ||
        !split_number(dash + 1, strlen(dash + 1), &none, &last) || none || last < first)
        return false;
    size_t count = side->count;
    for (uint64_t number = first; number <= last; number++) {
        if (!find_end(network, text, letters, number, &end)) {
            side->count = count;
            return false;
        }
        add_ends(side, end.is_node, end.id, 1);
    }
    return true;
}

static const struct network_group *find_group(const struct network_reader *network, const char *name)
{
    for (size_t i = 0; i < network->group_count; i++)
        if (strcmp(network->groups[i].name, name) == 0)
            return &network->groups[i];
    return NULL;
}

/* A name of a switch, "node" or a group: all of it; "leaf2", "node0-3". False, reported: it is none. */
static bool add_named(const struct network_reader *network, struct config_reader *reader,
                      const struct config_node *node, struct network_side *side)
{
    const char *text = node->kind == CONFIG_SCALAR ? node->text : "";
    const struct network_group *group = find_group(network, text);
    const struct text_index *switches = &network->graph->names;
    size_t found = text_index_find(switches, text), letters;
    uint64_t number;
    struct topo_end end;
    if (found != SIZE_MAX) {
        add_ends(side, false, (uint32_t)found, 1);
    } else if (strcmp(text, "node") == 0) {
        add_ends(side, true, 0, network->graph->nodes);
    } else if (group) {
        add_ends(side, false, group->first, group->count);
    } else if (split_number(text, strlen(text), &letters, &number) &&
               find_end(network, text, letters, number, &end)) {
        add_ends(side, end.is_node, end.id, 1);
    } else if (!add_range(network, text, side)) {
        const char *guess = diag_nearest_of(text, (const char *const *)switches->texts, switches->count);
        config_node_error(reader, node,
                          "there is no node or switch '%s'%s; nodes are node0 to node%" PRIu32
                          ", and a range is written as node0-3",
                          text, diag_did_you_mean(guess), network->graph->nodes - 1);
        return false;
    }
    return true;
}

bool network_read_side(const struct network_reader *network, struct config_reader *reader,
                       const struct config_node *node, struct network_side *side)
{
    if (node->kind != CONFIG_LIST)
        return add_named(network, reader, node, side);
    bool good = true;
    for (size_t i = 0; i < node->count && side->count <= GRAPH_LINKS_LIMIT; i++)
        good &= add_named(network, reader, &node->items[i], side);
    return good;
}

const char *network_end_name(struct network_reader *network, struct topo_end end)
{
    char name[32];
    if (!end.is_node)
        return network->graph->names.texts[end.id];
    snprintf(name, sizeof name, "node%" PRIu32, end.id);
    return arena_text(&network->texts, name, strlen(name));
}

/* ------------------------------------------------------------------- links */

/* Every node has a link. False, reported: one has none. */
static bool check_nodes(const struct network_reader *network, struct config_reader *reader,
                        const struct config_node *node)
{
    for (uint32_t i = 0; i < network->graph->nodes; i++)
        if (!network->node_origins[i]) {
            config_key_error(reader, node, "node%" PRIu32 " has no link; each node has one, to a switch", i);
            return false;
        }
    return true;
}

static void read_links(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct network_reader *network = self;
    struct topo_graph *graph = network->graph;
    uint32_t from, to;
    network->has_links = true;
    if (!network->has_nodes || !network->has_switches) {
        config_key_error(reader, node, "nodes and switches stand before the links");
        return;
    }
    if (config_reader_errors(reader))
        return; /* of nodes or switches, so that names could be missing here */
    if (node->kind != CONFIG_LIST) {
        config_node_error(reader, node, "a list is expected here, such as [{between: [leaf, spine]}]");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        network_read_entry(network, reader, &node->items[i]);
    graph->switches = (uint32_t)graph->names.count;
    if (config_reader_errors(reader) || !check_nodes(network, reader, node) || graph_route(graph, &from, &to))
        return;
    if (from == GRAPH_TOO_MANY)
        config_key_error(reader, node,
                         "the table of routes is too large: %zu switches, and those with nodes, have more "
                         "than %d pairs",
                         graph->names.count, GRAPH_ROUTES_LIMIT);
    else
        config_key_error(reader, node, "the network is not connected: no way leads from %s to %s",
                         graph->names.texts[from], graph->names.texts[to]);
}

/* ------------------------------------------------------- other keys, files */

static void read_routing(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct network_reader *network = self;
    for (int i = 0; topo_routing_names[i]; i++)
        if (node->kind == CONFIG_SCALAR && strcmp(node->text, topo_routing_names[i]) == 0) {
            network->graph->routing = (enum topo_routing)i;
            return;
        }
    config_node_error(reader, node, "routing is d-mod-k, lowest or hash");
}

static void read_routes(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct network_reader *network = self;
    for (int i = 0; topo_routes_names[i]; i++)
        if (node->kind == CONFIG_SCALAR && strcmp(node->text, topo_routes_names[i]) == 0) {
            network->graph->routes = (enum topo_routes)i;
            return;
        }
    config_node_error(reader, node, "routes is own or updown");
}

static void read_seed(void *self, struct config_reader *reader, const struct config_node *node)
{
    union param_quantity seed;
    if (network_read_quantity(reader, node, PARAM_COUNT, &seed))
        ((struct network_reader *)self)->graph->seed = seed.whole;
}

/* Switches that pass nothing on, or are preferred. */
static void read_kind(struct network_reader *network, struct config_reader *reader,
                      const struct config_node *node, enum graph_passing kind)
{
    struct topo_graph *graph = network->graph;
    struct network_side side = {.count = 0};
    if (!network->has_nodes || !network->has_switches || network->has_links) {
        config_key_error(reader, node, "nodes and switches stand before this, and links behind it");
        return;
    }
    if (config_reader_errors(reader) || !network_read_side(network, reader, node, &side)) {
        free(side.ends);
        return;
    }
    if (!graph->kinds)
        graph->kinds = mem_alloc(graph->names.count, sizeof *graph->kinds, "a network");
    for (size_t i = 0; i < side.count; i++) {
        if (!side.ends[i].is_node && graph->kinds[side.ends[i].id] == GRAPH_PASSES) {
            graph->kinds[side.ends[i].id] = (uint8_t)kind;
            continue;
        }
        config_node_error(reader, node,
                          side.ends[i].is_node ? "%s is a node; switches are expected here"
                                               : "%s stands here twice, or in both of ends and preferred",
                          network_end_name(network, side.ends[i]));
        break;
    }
    free(side.ends);
}

static void read_ends(void *self, struct config_reader *reader, const struct config_node *node)
{
    read_kind(self, reader, node, GRAPH_ENDS);
}

static void read_preferred(void *self, struct config_reader *reader, const struct config_node *node)
{
    read_kind(self, reader, node, GRAPH_PREFERRED);
}

static void read_doc(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)self;
    if (node->kind != CONFIG_SCALAR)
        config_node_error(reader, node, "a line of text is expected here");
}

static void refuse(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)self;
    config_key_error(
        reader, node,
        "a network file has doc, nodes, switches, ends, preferred, links, routing, routes and seed");
}

static const struct config_section sections[] = {
    {"doc", read_doc},     {"nodes", read_nodes},     {"switches", read_switches},
    {"links", read_links}, {"routing", read_routing}, {"routes", read_routes},
    {"seed", read_seed},   {"ends", read_ends},       {"preferred", read_preferred},
    {NULL, refuse},
};

static bool probe(const struct network_source *source)
{
    (void)source;
    return true;
}

static struct topo_graph *read(const struct network_source *source)
{
    struct network_reader network = {.graph = mem_alloc(1, sizeof *network.graph, "a network")};
    struct topo_graph *graph = network.graph;
    struct config *none = config_open(NULL, 0);
    enum status status = config_read_text_with(none, source->name, source->text, source->length, sections,
                                               sizeof sections / sizeof *sections, &network);
    if (status == STATUS_OK && !(network.has_nodes && network.has_switches && network.has_links)) {
        diag_error("%s: a network file needs nodes, switches and links; %s is missing", source->name,
                   !network.has_nodes      ? "nodes"
                   : !network.has_switches ? "switches"
                                           : "links");
        status = STATUS_BAD_INPUT;
    }
    config_close(none);
    arena_free(&network.texts);
    hashmap_free(&network.pairs);
    free(network.groups);
    free(network.node_origins);
    free(network.link_origins);
    if (status != STATUS_OK) {
        graph_free(graph);
        return NULL;
    }
    if (graph->seed && graph->routing != TOPO_ROUTING_HASH)
        graph->no_effect = "seed, which is that of routing: hash";
    return graph;
}

const struct network_format yaml_network = {
    .name = "network file",
    .doc = "YAML with nodes, switches and links",
    .probe = probe,
    .read = read,
};
