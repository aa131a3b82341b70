#ifndef HELIO_SCHEDULE_HOP_LINES_H
#define HELIO_SCHEDULE_HOP_LINES_H

#include "schedule/hops.h"
#include "schedule/schedule_lines.h"

/* Reads the last field of a line, the links of a circuit from node source to node destination: hops
 * `from>to` between switches, or `from>to/1`, with blanks between them (schedule/write.h). `use` gets each
 * link in their order; it returns false if it has reported one. False: the field is wrong, which is reported:
 * as malformed, or as unfit if links do not exist or do not lead from the switch of source to that of
 * destination. */
bool hop_lines_read(struct schedule_lines *lines, const struct topo *topo, const struct hops *hops,
                    uint32_t source, uint32_t destination,
                    bool (*use)(void *context, const struct hop *hop, size_t column), void *context);

#endif
