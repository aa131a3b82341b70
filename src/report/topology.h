#ifndef HELIO_REPORT_TOPOLOGY_H
#define HELIO_REPORT_TOPOLOGY_H

#include "base/config.h"
#include "output/json.h"
#include "topo/topo.h"

/* The network of a run as JSON for the page: the links between its switches, in the order in which fabrics
 * count their load, and a picture if it is small enough to be read. NULL: it has no such links.
 *
 *   {"text": "torus:4x4", "nodes": 16, "links": 64,
 *    "picture": {"switches": [{"name", "x", "y"}, ...],
 *                "lines": [{"path": "M..", "links": [0, 3], "names": ["(0,0)>(1,0)", ...]}, ...]}}
 *
 * The line of a failed link has "has_failed": true. */
json_t *report_topology(const struct config *config);

/* The names of all links, those of nodes first, as ["0>(0,0)", ...]. */
json_t *report_link_names(const struct topo *topo);

/* The picture alone; NULL: there is nothing to draw, or too much. */
json_t *report_topology_picture(const struct topo *topo);

#endif
