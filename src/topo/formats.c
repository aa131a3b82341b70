#include "topo/formats.h"

#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/mem.h"
#include "topo/network_file.h"
#include "topo/platform.h"
#include "topo/updown.h"

#define NETWORK_FORMAT(name) extern const struct network_format name##_network;
#include "topo/formats.def"
#undef NETWORK_FORMAT

const struct network_format *const network_formats[] = {
#define NETWORK_FORMAT(name) &name##_network,
#include "topo/formats.def"
#undef NETWORK_FORMAT
    NULL};

struct topo_graph *network_route(const struct network_source *source, const char *at,
                                 struct topo_graph *graph)
{
    uint32_t from, to;
    if (graph_route(graph, &from, &to))
        return graph;
    if (from == GRAPH_TOO_MANY)
        source_refuse(source, at, 1,
                      "the table of routes is too large: %u switches, and those with nodes, have more than "
                      "%d pairs",
                      graph->switches, GRAPH_ROUTES_LIMIT);
    else
        source_refuse(source, at, 1, "the network is not connected: no way leads from %s to %s",
                      graph->names.texts[from], graph->names.texts[to]);
    graph_free(graph);
    return NULL;
}

/* NULL, reported: the text is no network. */
static const struct topo_graph *read_text(const struct network_source *source)
{
    size_t format = 0;
    while (!network_formats[format]->probe(source))
        format++;
    const struct file_kind *kind =
        network_formats[format + 1] ? NULL : file_kind_of(source->text, source->length);
    if (kind && !kind->is_experiment) {
        file_kind_report(source->name, kind);
        return NULL;
    }
    struct topo_graph *graph = network_formats[format]->read(source);
    if (graph)
        graph_keep(graph, source->name, source->text, source->length);
    return graph;
}

bool network_text_read(const char *name, const char *text, size_t length, struct topo *topo,
                       struct param_problem *problem)
{
    const struct network_source source = {.name = name, .text = text, .length = length};
    const struct topo_graph *graph = graph_kept(name, text, length);
    if (!graph)
        graph = read_text(&source);
    if (!graph)
        return param_fail(problem, 0, "this network file cannot be used, as said above");
    struct topo read = {.ops = graph->platform ? &platform_family : &graph_family,
                        .path = graph->name,
                        .routing = graph->routing,
                        .routes = graph->routes,
                        .seed = graph->seed};
    graph_topo(graph, &read);
    if (read.has_fixed_routes && read.routes != TOPO_ROUTES_OWN)
        return param_fail(problem, 0,
                          "up and down routes would go through switches that pass nothing on; "
                          "with ends or preferred, routes is own");
    if (!updown_take(&read, problem))
        return false;
    *topo = read;
    return true;
}

/* The file with a zero byte behind it; NULL, reported: it cannot be read. */
static char *load(const char *path, size_t *length)
{
    char *text;
    if (file_load(path, NETWORK_FILE_AT_MOST, "a network file", &text, length) != STATUS_OK)
        return NULL;
    text = mem_resize(text, *length + 1, 1, "a network file");
    text[*length] = '\0';
    return text;
}

bool network_file_read(const char *path, struct topo *topo, struct param_problem *problem)
{
    size_t length;
    char *text = load(path, &length);
    bool good = text ? network_text_read(path, text, length, topo, problem)
                     : param_fail(problem, 0, "this network file cannot be read, as said above");
    free(text);
    return good;
}
