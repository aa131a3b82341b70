#ifndef HELIO_EXTRAPOLATE_MODEL_H
#define HELIO_EXTRAPOLATE_MODEL_H

#include "extrapolate/evidence.h"
#include "extrapolate/sample.h"
#include "extrapolate/vectors.h"

/* A model of a program: its calls in loops, and how partners, sizes and passes depend on the number of ranks.
 */

/* What is assumed in the search for a model. */
struct hypothesis {
    enum grid_kind grid;
    bool stages; /* loops whose partners change from pass to pass */
    bool apart;  /* rank 0 follows a pattern of its own */
    bool edges;  /* a rank whose neighbour is beyond the edge leaves the call out, though its next call could
                    be  that one by another rule: all directions of a stencil may have the same tag */
};

/* The computation at a place, each time, whether or not the rank makes the call: base + scale x ranks^power,
 * by a least-squares fit; times the rank's shares of the blocks along the dimensions of `shape`, relative to
 * the mean. */
struct burst {
    double base, scale, power;
    uint8_t shape;
};

/* Ranks that leave out the same calls: corners, edges, the inside. The root of a gather is a class, too. */
struct rank_classes {
    uint64_t *keys; /* rank_class() */
    uint32_t count;
    bool differ;   /* scale[] says what they compute; else each burst is the same for all */
    double *scale; /* [class * places + place]: before a call that they make, x ranks^power */
    double *power; /* likewise */
};

/* A call of the pattern. */
struct site {
    struct fit bytes, recv_bytes;
    struct fit tag;              /* at stage 0; a uint32_t */
    struct vector_rule sizes[2]; /* sent and received, if they differ from peer to peer */
    /* Of the computation before it, on ranks held back: the largest error of the mean of a class, relative.
     */
    double error;
    uint8_t error_sides; /* of that class: the sides of the grid at which it is */
};

struct role_model {
    struct call_pattern pattern;
    struct site *sites;   /* [leaf] */
    struct fit *passes;   /* [loop] */
    struct burst *bursts; /* [place] */
    struct rank_classes classes;
    uint64_t whole[GRID_DIMENSIONS]; /* what blocks of messages are shares of; 0: nothing is known */
    struct evidence *evidence;       /* [sample] */
    bool repeated;                   /* every sample has SAMPLE_REPEATED traces or more */
    uint32_t fitted_from;            /* bursts are fitted to samples of so many ranks or more; 0: to all */
};

struct program_model {
    struct hypothesis hypothesis;
    size_t samples;             /* that it was learned from */
    struct role_model roles[2]; /* [1] is that of rank 0, if it has a pattern of its own */
};

static inline uint32_t program_model_role(const struct program_model *model, uint32_t rank)
{
    return model->hypothesis.apart && rank == 0;
}

/* How much a hypothesis explains: all calls; all sizes; all samples call by call. */
enum { PROGRESS_READ = 1 << 28, PROGRESS_LEARNED = 1 << 29, PROGRESS_VERIFIED = 1 << 30 };

/* The first thing that a hypothesis does not explain. */
struct misfit {
    uint32_t progress; /* larger: the hypothesis explains more */
    struct hypothesis hypothesis;
    const struct sample *sample; /* NULL: the cause is the number of ranks asked for, not a call */
    uint32_t rank;
    size_t event;
    char why[320];
    bool undecided; /* several models explain all samples, and differ on the ranks asked for */
};

/* Finds the model that explains all samples, which are sorted by their ranks, and that is defined on `target`
 * ranks. False: there is none, and *misfit says why. The model has to be freed in either case. */
bool program_model_learn(struct program_model *model, struct hypothesis hypothesis, struct sample *samples,
                         size_t count, uint32_t target, struct misfit *misfit);
void program_model_free(struct program_model *model);

#endif
