#ifndef HELIO_EXTRAPOLATE_MODEL_WALK_H
#define HELIO_EXTRAPOLATE_MODEL_WALK_H

#include "extrapolate/model.h"

/* A model on a number of ranks: the values that are the same for all of them. */
struct site_values {
    uint64_t bytes, recv_bytes;
    uint64_t tag; /* at stage 0 */
    bool by_rank; /* sizes differ from rank to rank: fit_value gives them */
    /* For each member, if they differ: of ranks with a smaller and with a larger share of their own. */
    uint64_t *vectors[2][2];
    uint32_t members;
};

struct model_instance {
    const struct program_model *model;
    struct grid grid;
    struct site_values *sites[2]; /* by role: [leaf] */
    double *bursts[2];            /* [place]: each time */
    double *class_bursts[2];      /* [class * places + place]: likewise, if classes differ */
    uint64_t *passes[2];          /* [loop] */
};

/* False: a size, a tag or a number of passes is not defined on that many ranks; `why` says which. */
bool model_instance_init(struct model_instance *instance, const struct program_model *model, uint32_t ranks,
                         char *why, size_t why_size);
void model_instance_free(struct model_instance *instance);

/* The place of one rank in the pattern. */
struct loop_frame {
    const struct pattern_node *loop;
    uint64_t pass;
    uint32_t next;  /* in the body */
    uint32_t stage; /* of the innermost loop over stages */
};

struct model_walk {
    uint32_t rank;
    uint32_t depth;
    struct loop_frame *frames;  /* pattern.depth of its role */
    const double *class_bursts; /* [place], of the rank's class; NULL: bursts are the same for all ranks */
    double carried;             /* the bursts of calls that it has left out since its last call */
    uint32_t entered;           /* loops since its last call, made or left out */
    uint32_t leaf;              /* of its last call */
};

enum model_walk_step { WALK_CALL, WALK_END, WALK_LOST };

void model_walk_begin(struct model_walk *walk, const struct model_instance *instance);

/* The rank's next call. WALK_LOST: its partner or size is not defined on this number of ranks. Allocates
 * nothing. */
enum model_walk_step model_walk_next(struct model_walk *walk, const struct model_instance *instance,
                                     struct rank_event *event);

#endif
