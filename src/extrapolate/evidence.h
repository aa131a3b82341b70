#ifndef HELIO_EXTRAPOLATE_EVIDENCE_H
#define HELIO_EXTRAPOLATE_EVIDENCE_H

#include "extrapolate/pattern.h"

/* What the ranks of one trace show of a pattern. Tables are by leaf or loop; UNSEEN: nothing has been seen.
 */
#define UNSEEN UINT64_MAX

/* A burst of computation before a call, with calls between it and the rank's previous call that this rank
 * leaves out. It belongs before the call, or before one of those left out: one rank does not show which. */
struct burst_gap {
    uint32_t rank, made; /* the place before the call */
    uint32_t left_count;
    const uint32_t *left; /* places before calls left out */
    uint64_t times;
    double operations;
    size_t next; /* index + 1 of another gap of that rank and call; 0: none */
};

struct evidence {
    struct grid grid;
    uint64_t *bytes, *recv_bytes; /* [leaf * ranks + rank] */
    const uint64_t **sizes[2];    /* likewise: for each peer; NULL: nothing has been seen */
    uint64_t *passes;             /* [loop]; the same for all ranks */
    uint64_t *tags;               /* [leaf]; the same for all ranks: the tag at stage 0, as a uint32_t */
    double *operations;           /* [place * ranks + rank]: since its previous call, all passes together */
    uint64_t *visits;       /* [place * ranks + rank]: how often; places of calls left out are in gaps */
    struct burst_gap *gaps; /* their operations are part of `operations` */
    size_t gap_count, gap_capacity;
    struct arena arena; /* of gaps */
};

void evidence_init(struct evidence *evidence, const struct call_pattern *pattern, const struct grid *grid);
void evidence_free(struct evidence *evidence);

/* Reads the calls of a rank as the pattern: drops those rules for partners that they contradict, and fills
 * the tables. False: they do not fit; *furthest is the first event that the pattern does not explain. */
bool evidence_add(struct evidence *evidence, struct call_pattern *pattern, uint32_t rank,
                  const struct rank_events *events, size_t *furthest);

#endif
