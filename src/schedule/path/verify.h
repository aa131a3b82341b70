#ifndef HELIO_SCHEDULE_PATH_VERIFY_H
#define HELIO_SCHEDULE_PATH_VERIFY_H

#include "schedule/circuit/verify.h"
#include "topo/topo.h"

/* Replays lines `start_s,end_s,src,dst,links`, or `plane,start_s,end_s,src,dst,links` with several planes,
 * which are switching->switches (schedule/path/write.h). It knows the demand and the links of the topology,
 * no more of all planes than PATH_MOST_LINKS:
 *
 * * lines are in the order of their starts, and end after they start;
 * * links exist, and lead from the switch of src to that of dst, none twice;
 * * a link of a plane, and a node's sending or receiving there, has one circuit at a time;
 * * a circuit carries only after its set-up: at each switch on the way, delta lies behind the last circuits
 * of the two links that it connects. They are connected already if both had the same circuit last. On an
 *   all-stop switch no circuit through the switch carries during a set-up there;
 * * with two hops, lines are `start_s,end_s,src,dst,from,to,links`: bytes of `from` for `to` go direct, or
 *   over a node in between, which they leave after they have arrived there;
 * * circuits carry every byte of the demand, and none later than the deadline (0: there is none).
 *
 * Problems and statuses are those of circuit_verify. */
enum status path_verify(const struct topo *topo, const struct circuit_demand *demand,
                        const struct circuit_switching *switching, const char *name, const char *text,
                        size_t size, ps_t deadline_ps, struct circuit_verdict *verdict);

#endif
