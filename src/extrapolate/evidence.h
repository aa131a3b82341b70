#ifndef HELIO_EXTRAPOLATE_EVIDENCE_H
#define HELIO_EXTRAPOLATE_EVIDENCE_H

#include "extrapolate/pattern.h"

/* What the ranks of one size have shown of a pattern. Tables are by leaf or loop; UNSEEN where nothing was.
 */
#define UNSEEN UINT64_MAX

struct evidence {
    struct grid grid;
    uint64_t *bytes, *recv_bytes; /* [leaf * ranks + rank] */
    uint64_t *passes;             /* [loop]; the same for all ranks */
    uint64_t *tags;               /* [leaf]; likewise, at stage 0: a tag as uint32_t */
    double *operations;           /* [leaf]: before that call, over all ranks and passes */
};

void evidence_init(struct evidence *evidence, const struct pattern *pattern, const struct grid *grid);
void evidence_free(struct evidence *evidence);

/* Reads what the rank does as the pattern. It narrows down the pattern's rules of partners and fills the
 * tables. False: it does not fit; *furthest is the event that nothing explains. */
bool evidence_add(struct evidence *evidence, struct pattern *pattern, uint32_t rank,
                  const struct events *events, size_t *furthest);

#endif
