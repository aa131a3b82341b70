#ifndef HELIO_SCHEDULE_WRITE_H
#define HELIO_SCHEDULE_WRITE_H

#include <stdio.h>

#include "schedule/pattern.h"
#include "schedule/schedule.h"
#include "topo/topo.h"

/* A schedule in text, for other programs. Errors of writing stay in the file's error flag, for output_close.
 *
 * Lines `src,dst,slot,links` in the order of the pattern, slots from 0, links as hops `from>to` between
 * switches, joined by spaces; on meshes and tori a switch has its node's number. Injection and
 * ejection links are not written. Where several links lead from one switch to another (dragonfly), the second
 * is `from>to/1` and so on. */
void tdm_write_schedule(const struct topo *topo, const struct tdm_pattern *pattern,
                        const struct tdm_problem *problem, const struct tdm_schedule *schedule, FILE *file);

/* The contents of the circular shift registers that control the switches (section 2): in slot k of K a switch
 * connects each input to at most one output. As lines `switch,slot,input,output`, where an input or output is
 * the switch at the other end of the link (with /1 as above), or n and the number of a node. As JSON:
 * {"degree": K, "switches": [{"switch": 0, "slots": [[["n0", "1"], ...], ...]}, ...]}, a list of connections
 * for each of the K slots. Both list switches, slots, and inputs in ascending order. */
void tdm_write_switches_csv(const struct topo *topo, const struct tdm_problem *problem,
                            const struct tdm_schedule *schedule, FILE *file);
void tdm_write_switches_json(const struct topo *topo, const struct tdm_problem *problem,
                             const struct tdm_schedule *schedule, FILE *file);

/* For each link, how many links before it join the same two switches; the caller frees it. */
uint32_t *tdm_parallel_numbers(const struct topo *topo);

/* The hops of a route as in `links` above. */
void tdm_write_links(const struct topo *topo, const uint32_t *parallel, const uint32_t *links, uint32_t count,
                     FILE *file);

#endif
