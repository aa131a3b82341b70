#ifndef HELIO_EXTRAPOLATE_MODEL_H
#define HELIO_EXTRAPOLATE_MODEL_H

#include "extrapolate/evidence.h"
#include "extrapolate/fit.h"

/* A program as traces of it show it: which calls in which loops, and how partners, sizes and passes follow
 * from the number of ranks. */

/* One run of the program. */
struct sample {
    struct program *program;
    uint32_t ranks;
    uint32_t richest[2]; /* the rank that makes the most calls: of all, and of all but rank 0 */
};

/* What is taken for granted while a model is sought. */
struct hypothesis {
    enum grid_kind grid;
    bool stages; /* loops whose partners change from pass to pass */
    bool apart;  /* rank 0 follows a pattern of its own */
};

/* A call of the pattern. */
struct site {
    struct fit bytes, recv_bytes;
    struct fit tag; /* at stage 0; a uint32_t */
    /* What a rank computes before this call, all its passes together: scale x ranks^power operations, a
     * least-squares fit of each size's mean. */
    double scale, power;
    double residual; /* the largest, relative */
};

struct role {
    struct pattern pattern;
    struct site *sites; /* [leaf] */
    struct fit *passes; /* [loop] */
};

struct model {
    struct hypothesis hypothesis;
    struct role roles[2]; /* the second is rank 0's, where it stands apart */
};

static inline uint32_t model_role(const struct model *model, uint32_t rank)
{
    return model->hypothesis.apart && rank == 0;
}

/* How far a hypothesis came: all calls read, all sizes explained, all samples reproduced. */
enum { PROGRESS_READ = 1 << 28, PROGRESS_LEARNED = 1 << 29, PROGRESS_VERIFIED = 1 << 30 };

/* Where a hypothesis met what it cannot explain. */
struct misfit {
    uint32_t progress; /* the more, the further it came */
    struct hypothesis hypothesis;
    const struct sample *sample; /* NULL: no call is to blame, but the number of ranks asked for */
    uint32_t rank;
    size_t event;
    char why[240];
    bool undecided; /* several models explain everything, and differ on the ranks asked for */
};

/* Reports a call that no model can hold. */
enum status sample_read(struct sample *sample);

/* Finds what explains all samples, ordered by their ranks, and means something on `target` ranks. The model
 * is to be freed even where there is none: false, and *misfit says why. */
bool model_learn(struct model *model, struct hypothesis hypothesis, struct sample *samples, size_t count,
                 uint32_t target, struct misfit *misfit);
void model_free(struct model *model);

#endif
