#ifndef HELIO_TOPO_UPDOWN_H
#define HELIO_TOPO_UPDOWN_H

#include "topo/topo.h"

/* Up and down routes, the rule `routes=updown` (Schroeder et al., Autonet: a high-speed, self-configuring
 * local area network using point-to-point links, IEEE J. Sel. Areas Commun. 1991). Switches are ordered, and
 * a link leads up if it leads to a switch that is earlier in this order. A route has links up, then links
 * down. So a link never waits for one that comes before it in the order of routes, whatever the network.
 *
 * The order is by level, the top first, in a topology with levels, where all nodes reach each other so; else
 * by the hops from the switch with the most links. Among equals the lower number is first.
 *
 * A switch does not know which way a message came. Therefore a message goes down as soon as links down alone
 * lead to its destination, by the fewest of them, and until then up by the way that is shortest then. */

/* Gives the topology the routes that its rule `routes` asks for; the tables are kept until topo_forget().
 * False fills *problem: too many pairs of a switch and a switch with nodes. */
bool updown_take(struct topo *topo, struct param_problem *problem);
void updown_forget(void);
void updown_free(struct topo_updown *updown);

/* A table for a topology without keeping it; NULL: too large. The caller frees it. */
struct topo_updown *updown_make(const struct topo *topo);

/* For topo.h. */
struct topo_choice updown_choose(const struct topo *topo, uint32_t from, uint32_t destination);
uint32_t updown_distance(const struct topo *topo, uint32_t source, uint32_t destination);
bool updown_reaches(const struct topo *topo, uint32_t source, uint32_t destination);
bool updown_has_choices(const struct topo *topo);
double updown_mean_distance(const struct topo *topo);
uint32_t updown_diameter(const struct topo_updown *updown);

/* Whether the link leads up. */
bool updown_is_up(const struct topo *topo, uint32_t link);

#endif
