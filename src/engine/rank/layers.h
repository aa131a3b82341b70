#ifndef HELIO_ENGINE_RANK_LAYERS_H
#define HELIO_ENGINE_RANK_LAYERS_H

#include "engine/rank/coll_exec.h"
#include "engine/rank/context.h"
#include "engine/rank/endpoint.h"
#include "engine/rank/matching.h"
#include "engine/rank/p2p.h"
#include "engine/rank/request.h"

/* The layers below a scheduler, made for one run: ranks that execute a sequence of calls have them, and ranks
 * that execute a graph of operations. */
struct rank_layers {
    const struct engine_params *params;
    struct run_context context;
    struct request_table requests;
    struct matching matching;
    struct endpoint *endpoint; /* NULL: the null endpoint */
    struct p2p p2p;
    struct collective_config collective;
    struct coll_exec coll_exec;
    struct fabric *fabric; /* after layers_open_fabric, as the next */
    double *slow_nodes;
};

/* `place` says where a rank is, for error messages; its first argument is `self`. */
void layers_open(struct rank_layers *layers, const struct engine_params *params,
                 struct call_place (*place)(void *self, uint32_t rank), void *self);
void layers_close(struct rank_layers *layers);

/* Comes when the scheduler has registered its events. On failure, which has been reported, only layers_close
 * remains to be called. */
enum status layers_open_fabric(struct rank_layers *layers);

/* Runs the loop until nothing is under way. An error has been reported. */
enum status layers_run(struct rank_layers *layers);
/* After a run in which all ranks have ended. STATUS_BAD_INPUT, reported: a message of `free` was never sent.
 */
enum status layers_check_free(const struct rank_layers *layers);

/* Without what the scheduler uses. */
struct engine_usage layers_usage(const struct rank_layers *layers);

/* The nodes of a program. */
uint32_t layers_nodes(const struct program *program, const struct node_config *node);

#endif
