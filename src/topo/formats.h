#ifndef HELIO_TOPO_FORMATS_H
#define HELIO_TOPO_FORMATS_H

#include "topo/graph.h"
#include "topo/source.h"

/* A format of network files: one file with one of these, and its line in formats.def. */
struct network_format {
    const char *name; /* "htsim topology" */
    const char *doc;  /* what it looks like, in a few words */
    /* Whether the text begins as files of this format do. */
    bool (*probe)(const struct network_source *source);
    /* The network, with its routes. NULL, reported: the text is none. */
    struct topo_graph *(*read)(const struct network_source *source);
};

/* Ends with NULL. */
extern const struct network_format *const network_formats[];

/* For read(): computes the routes. Otherwise reports why there are none, at `at` (NULL: at no place), frees
 * the graph and returns NULL. */
struct topo_graph *network_route(const struct network_source *source, const char *at,
                                 struct topo_graph *graph);

#endif
