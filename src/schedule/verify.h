#ifndef HELIO_SCHEDULE_VERIFY_H
#define HELIO_SCHEDULE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "schedule/pattern.h"
#include "topo/topo.h"

/* What is found out about a schedule in a file from its text, the pattern and the links of the topology
 * alone: the check shares no code with the schedulers or with routing. */
struct tdm_verdict {
    uint32_t degree;               /* slots that are used */
    uint64_t requests;             /* lines */
    uint64_t minimal_pairs, pairs; /* pairs of slots in which some requests conflict; all pairs */
};

/* Checks lines `src,dst,slot,links` (schedule/write.h): every request of the pattern has exactly one; its
 * hops are links of the topology and lead from the source's switch to the destination's, none twice; in a
 * slot no two requests share a hop, a source or a destination. Up to ten errors are reported with their
 * lines: STATUS_OK if there is none, STATUS_BAD_INPUT for lines that are malformed, STATUS_FAILED for a
 * schedule that is wrong. A minimal configuration set has a conflict between each two slots; the first pairs
 * without one are noted. */
enum status tdm_verify(const struct topo *topo, const struct tdm_pattern *pattern, const char *name,
                       const char *text, size_t size, struct tdm_verdict *verdict);

#endif
