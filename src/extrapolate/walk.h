#ifndef HELIO_EXTRAPOLATE_WALK_H
#define HELIO_EXTRAPOLATE_WALK_H

#include "extrapolate/model.h"

/* A model on so many ranks: everything that is the same for all of them, worked out once. */
struct site_values {
    uint64_t bytes, recv_bytes;
    uint64_t tag;      /* at stage 0 */
    bool by_rank;      /* they differ from rank to rank: ask the fits */
    double operations; /* before each call: a rank's share over all passes */
};

struct instance {
    const struct model *model;
    struct grid grid;
    struct site_values *sites[2]; /* by role: [leaf] */
    uint64_t *passes[2];          /* [loop] */
};

/* False: a size or a number of passes means nothing on that many ranks; *why says which. */
bool instance_init(struct instance *instance, const struct model *model, uint32_t ranks, char *why,
                   size_t why_size);
void instance_free(struct instance *instance);

/* One rank's way through the pattern. */
struct frame {
    const struct pattern_node *loop;
    uint64_t pass;
    uint32_t next;  /* in the body */
    uint32_t stage; /* of the innermost loop over stages */
};

struct walk {
    uint32_t rank;
    uint32_t depth;
    struct frame *frames; /* pattern.depth of its role */
};

enum walk_step { WALK_CALL, WALK_END, WALK_LOST };

void walk_begin(struct walk *walk, const struct instance *instance);

/* The rank's next call. WALK_LOST: its partner or size means nothing here. Allocates nothing. */
enum walk_step walk_next(struct walk *walk, const struct instance *instance, struct event *event);

#endif
