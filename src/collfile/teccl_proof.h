#ifndef HELIO_COLLFILE_TECCL_PROOF_H
#define HELIO_COLLFILE_TECCL_PROOF_H

#include "collfile/teccl.h"

/* What the files of the proof share (teccl_prove.c, teccl_schedule.c, teccl_claim.c). */

#define TECCL_TOLERANCE 1e-3 /* of a chunk: volumes are rounded */

struct teccl_proof {
    const struct collfile_text *text;
    struct collfile_proof *proof;
    struct teccl_file *file;
    struct teccl_machine machine;
    uint32_t *gpu_of;   /* of each node: its number among the GPUs that take part */
    uint32_t gpus;      /* that take part */
    uint32_t ranks;     /* and the switches at which flows end */
    uint32_t blocks;    /* chunks of a block */
    uint32_t *sorted;   /* flows by source, chunk, from, to, epoch */
    uint32_t *arriving; /* flows by source, chunk, to, epoch */
    uint32_t *leaving;  /* flows by source, chunk, from, epoch */
    double *left;       /* of each flow: what of its chunk leaves the same node up to it */
    double *used;       /* of each flow: by paths */
    bool *wanted;       /* (source * gpus + destination) * blocks + part: there is a demand */
};

/* Orders of flows, all by source and chunk first. */
enum teccl_order { TECCL_BY_LINK, TECCL_BY_ARRIVAL, TECCL_BY_DEPARTURE };

static inline int teccl_compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* The first place in the order whose flow is not before `hop`. */
size_t teccl_search(const struct teccl_file *file, const uint32_t *order, const struct teccl_hop *hop,
                    enum teccl_order by);
uint32_t teccl_missing_gpus(const struct teccl_file *file);

/* teccl_schedule.c: the messages of the flows. */
void teccl_make_schedule(struct teccl_proof *proof, struct collfile_schedule *schedule);
/* teccl_claim.c: the time that the file says, and what its links and the machine allow. */
void teccl_check_claim(struct teccl_proof *proof);

#endif
