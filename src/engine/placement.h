#ifndef HELIO_ENGINE_PLACEMENT_H
#define HELIO_ENGINE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/param.h"
#include "base/status.h"
#include "call/call.h"

/* Which node has which rank: the parameters `placement`, `placement_block` and `placement_seed`
 * (docs/place.md). There is one mechanism: struct program, node_of. Ranks of jobs that wait for nodes get
 * theirs during the run (engine/rank/job_queue.h). */

/* What a program has while its placement is open. */
struct placement {
    struct program *program; /* NULL: it is not open */
    uint32_t *node_of;       /* of each rank; NULL: in order */
    uint32_t nodes;
    const uint32_t *node_of_before; /* what the program had */
    uint32_t nodes_before;
    uint32_t *of_queue_before; /* what its queue of jobs had */
};

/* Whether ranks are to be placed other than in order. */
bool placement_is_given(const struct config *config);

/* Places the ranks of the program as the config says, until placement_close(). Placements of one program that
 * are open at once are closed in the reverse order. STATUS_BAD_INPUT, reported: the file is wrong. */
enum status placement_open(const struct config *config, struct program *program, struct placement *placement);
void placement_close(struct placement *placement);

/* Places the ranks so until placement_close(); the placement is open, or all zero. */
void placement_put(struct placement *placement, struct program *program, const uint32_t *node_of);

/* The path of the file; NULL: there is none. */
const char *placement_path(const struct config *config);
/* struct param, find_path. */
bool placement_find_path(const char *bytes, size_t from, struct param_path *path);

/* What a placement must satisfy. */
struct placement_room {
    uint32_t ranks;          /* of the program */
    uint32_t nodes;          /* of the machine */
    uint32_t ranks_per_node; /* at most */
    bool has_topology;       /* which says how many nodes there are */
};

struct placement_room placement_room_of(const struct config *config, const struct program *program);

/* Reads the text of a file: node_of[room->ranks], and how many nodes there are up to the last that has a
 * rank. STATUS_BAD_INPUT, reported. */
enum status placement_read(const char *name, const char *text, size_t length,
                           const struct placement_room *room, uint32_t *node_of, uint32_t *nodes);

#endif
