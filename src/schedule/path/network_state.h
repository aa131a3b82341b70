#ifndef HELIO_SCHEDULE_PATH_NETWORK_STATE_H
#define HELIO_SCHEDULE_PATH_NETWORK_STATE_H

#include "schedule/path/path.h"

/* Circuits one after another on a network whose other circuits carry on (not-all-stop): which circuit each
 * link had last, and until when. Two links of a switch are connected if both had the same circuit last. */
struct network_state {
    const struct path_problem *problem;
    ps_t *until_ps; /* [links of all planes] */
    uint32_t *last; /* the same: the number of the circuit; 0: none */
    uint32_t count;
};

void network_state_init(struct network_state *state, const struct path_problem *problem);
void network_state_free(struct network_state *state);

/* When a circuit over the route can begin to carry in the plane: behind the circuits of all its links, and a
 * set-up behind those of two links that are not connected. */
ps_t network_state_earliest(const struct network_state *state, uint32_t plane, uint32_t route);

/* The plane in which that is earliest, the first of several. */
uint32_t network_state_plane(const struct network_state *state, uint32_t route);

/* Whether the links of the route are connected in the plane, as the circuit before has left them. */
bool network_state_is_up(const struct network_state *state, uint32_t plane, uint32_t route);

/* When the last circuit of the link ends, in all planes. */
ps_t network_state_done(const struct network_state *state, uint32_t link);

/* The links of the piece have carried it. Adds it to the schedule. */
void network_state_carry(struct network_state *state, const struct path_piece *piece,
                         struct path_schedule *schedule);

/* The route of each entry: the first one where there is one, or else one that loads no link more than needed,
 * by a few rounds of better choices. [entries], to be freed. */
uint32_t *network_choose_routes(const struct path_problem *problem);

#endif
