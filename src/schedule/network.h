#ifndef HELIO_SCHEDULE_NETWORK_H
#define HELIO_SCHEDULE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "schedule/pattern.h"
#include "schedule/problem.h"
#include "topo/topo.h"

/* A topology, and the routes of requests on it, as connection scheduling sees them. */

/* The most routes of a request where routes are free, and the most links of all routes together (4 GB). */
enum { TDM_MOST_ROUTES = 64, TDM_MOST_LINKS = 1 << 30 };

/* The topology of a text as scheduling reads it: on meshes and tori the last dimension, whose coordinate is
 * the high digit of a node's number, is routed first, as "Compiled Communication for All-optical TDM
 * Networks" does, unless the text says order=. Reported like
 * topo_parse. */
enum status tdm_topology(const char *what, const char *text, struct topo *topo);

/* The requests of a pattern with their routes. Fixed: the deterministic route of the topology. Free: that one
 * first, and then up to TDM_MOST_ROUTES others: on meshes and tori those of the opposite order of dimensions
 * and, at half of a ring, either way round; in trees every way up; in dragonflies every minimal route.
 * STATUS_FAILED, reported, if the routes have more links in all than TDM_MOST_LINKS; then nothing is left to
 * free. */
enum status tdm_problem_from_pattern(const struct topo *topo, const struct tdm_pattern *pattern,
                                     bool free_routes, struct tdm_problem *problem);

/* For the ordered AAPC algorithm: in which configuration of the all-to-all pattern each request is, into
 * phase[pattern->count], and how many configurations there are. N x N tori with N a multiple of 8 have a
 * closed form (schedule/aapc.h). For all others the all-to-all pattern is scheduled here, by descending load
 * and a short ejection search; STATUS_FAILED, reported, where it is too large for that. */
bool tdm_has_closed_aapc(const struct topo *topo);
enum status tdm_aapc_phases(const struct topo *topo, const struct tdm_pattern *pattern, uint32_t *phase,
                            uint32_t *phases);

#endif
