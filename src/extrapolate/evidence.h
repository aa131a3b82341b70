#ifndef HELIO_EXTRAPOLATE_EVIDENCE_H
#define HELIO_EXTRAPOLATE_EVIDENCE_H

#include "extrapolate/pattern.h"

/* What the ranks of one trace show of a pattern. Tables are by leaf or loop; UNSEEN: nothing has been seen.
 */
#define UNSEEN UINT64_MAX

struct evidence {
    struct grid grid;
    uint64_t *bytes, *recv_bytes; /* [leaf * ranks + rank] */
    uint64_t *passes;             /* [loop]; the same for all ranks */
    uint64_t *tags;               /* [leaf]; the same for all ranks: the tag at stage 0, as a uint32_t */
    double *operations;           /* [leaf]: before that call, over all ranks and passes */
};

void evidence_init(struct evidence *evidence, const struct call_pattern *pattern, const struct grid *grid);
void evidence_free(struct evidence *evidence);

/* Reads the calls of a rank as the pattern: drops those rules for partners that they contradict, and fills
 * the tables. False: they do not fit; *furthest is the first event that the pattern does not explain. */
bool evidence_add(struct evidence *evidence, struct call_pattern *pattern, uint32_t rank,
                  const struct rank_events *events, size_t *furthest);

#endif
