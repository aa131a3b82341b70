#ifndef HELIO_SCHEDULE_VERIFY_H
#define HELIO_SCHEDULE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "schedule/pattern.h"
#include "topo/topo.h"

/* What a schedule in a file is, found out from its text, the pattern and the links of the topology alone: no
 * code of the schedulers, and no routing. */
struct tdm_verdict {
    uint32_t degree;               /* slots that are used */
    uint64_t requests;             /* lines */
    uint64_t minimal_pairs, pairs; /* pairs of slots some of whose requests conflict; all pairs */
};

/* Checks lines `src,dst,slot,links` (tdm/write.h): every request of the pattern has exactly one; its hops are
 * links of the topology and lead from the source's switch to the destination's, none twice; in a slot no two
 * requests share a hop, a source or a destination. Up to ten errors are reported with their lines: STATUS_OK
 * if there is none, STATUS_BAD_INPUT for lines that are malformed, STATUS_FAILED for a schedule that is
 * wrong. Of two slots without a conflict, which a minimal configuration set does not have, the first are
 * noted. */
enum status tdm_verify(const struct topo *topo, const struct tdm_pattern *pattern, const char *name,
                       const char *text, size_t size, struct tdm_verdict *verdict);

#endif
