#ifndef HELIO_CALL_GRAPH_H
#define HELIO_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/time.h"
#include "call/call.h"

/* Programs whose ranks are graphs of operations. An operation begins when those that it depends on have
 * ended, or have begun, and the core (or stream) and the NIC that it uses are free. A sequence of calls is
 * the simple case, which struct program has without a graph.
 *
 *     graph.h, graph.c    the graph, and what is built from operations and dependences in any order */

enum graph_kind {
    GRAPH_COMPUTE, /* amount = duration, ps */
    GRAPH_WORK,    /* amount = operations, turned into time by compute.rate and compute.scale */
    GRAPH_SEND,    /* amount = bytes, to `peer` */
    GRAPH_RECV,    /* amount = bytes, from `peer`, or GRAPH_ANY */
    GRAPH_CALL,    /* amount = index in graph.calls: a collective call */
    GRAPH_KINDS
};

/* What the time of a GRAPH_COMPUTE is: that of a computation, which compute.scale multiplies; that of
 * operations, in which compute.scale is; or that until the start of the rank's job, which is none. */
enum graph_time { GRAPH_TIME_GIVEN, GRAPH_TIME_OF_WORK, GRAPH_TIME_OF_START };

/* A peer or a tag that matches any. A send with this tag matches every receive, which MPI does not have. */
#define GRAPH_ANY UINT32_MAX

/* 32 bytes, since programs have hundreds of millions of them. The lists of one operation end where those of
 * the next begin, also if that is another rank's. Behind the last operation of all stands one more. */
struct graph_operation {
    uint64_t amount;
    uint32_t peer, tag;
    uint32_t needs;    /* dependences that lead to it, those on an end and those on a beginning */
    uint32_t on_end;   /* in `dependents`: the operations that wait for its end; and at */
    uint32_t on_begin; /* `on_begin` those that wait for its beginning, up to the next operation's on_end */
    uint8_t kind;      /* enum graph_kind */
    uint8_t core, nic;
    union {
        bool is_eager; /* a send goes before its receive is posted, whatever its size */
        uint8_t time;  /* of GRAPH_COMPUTE: enum graph_time */
    };
};

struct graph_rank {
    const struct graph_operation *operations;
    const uint32_t *dependents; /* of all ranks: each is the number of an operation of its rank */
    uint64_t first;             /* its first operation, counted over all ranks */
    uint32_t count;
};

struct graph {
    const struct graph_rank *ranks;
    const struct call *calls;
    uint64_t operations, dependences; /* of all ranks */
    uint64_t sends;
    uint32_t cores, nics; /* of a rank, at most: the highest number used, plus 1 */
    bool has_any;         /* a receive, or the tag of a send, matches any */
    bool has_any_sends;   /* the tag of a send does */
    bool has_calls_too;   /* ranks without operations may have calls: some jobs are graphs, others are not */
    /* The place and the label of an operation, for messages. `label` is never NULL; it is valid until the
     * next call. */
    struct call_place (*place)(const struct program *program, uint32_t rank, uint32_t operation);
    const char *(*label)(const struct program *program, uint32_t rank, uint32_t operation);
    /* The call of which the operation is a part. NULL: sends and receives are calls of their own. */
    enum call_op (*call)(const struct program *program, uint32_t rank, uint32_t operation);
};

/* How many operations wait for the end of operation i of the rank, and how many for its beginning. */
static inline uint32_t graph_on_end(const struct graph_operation *operation)
{
    return operation->on_begin - operation->on_end;
}

static inline uint32_t graph_on_begin(const struct graph_operation *operation)
{
    return operation[1].on_end - operation->on_begin;
}

/* Of a GRAPH_COMPUTE or GRAPH_WORK, for taps: whether it has operations (CALL_COMPUTE), a time (CALL_SLEEP),
 * or neither (CALL_NOTHING). */
static inline enum call_op graph_computes(const struct graph_operation *operation)
{
    const bool has_operations = operation->kind == GRAPH_WORK || operation->time == GRAPH_TIME_OF_WORK;
    return !operation->amount ? CALL_NOTHING : has_operations ? CALL_COMPUTE : CALL_SLEEP;
}

/* "send of 8 bytes to rank 3, tag 7" into buffer, which it returns. */
const char *graph_describe(const struct graph_operation *operation, char *buffer, size_t size);

/* "LABEL of rank 2, send of 8 bytes to rank 3, tag 7, WHY", at the place of the operation. */
void graph_report(const struct program *program, enum diag_level level, uint32_t rank, uint32_t operation,
                  const char *why);

/* A program that is a graph has no calls, and nothing to rewind: for its ops. */
const struct call *graph_program_next(struct program *program, uint32_t rank, struct call *scratch);
const struct call *graph_program_read(const struct program *program, uint32_t rank,
                                      struct program_cursor *cursor, struct call *scratch);
uint32_t graph_program_slots(const struct program *program, uint32_t rank);
void graph_program_rewind(struct program *program);

/* ----------------------------------------------------------------- building */

struct graph_edge {
    uint32_t before, after;
    bool on_begin;
};

enum { GRAPH_CIRCLE_SHOWN = 16 };

/* Operations of a rank, each of which waits for the next, and the last for the first. */
struct graph_circle {
    uint32_t count; /* all; the first GRAPH_CIRCLE_SHOWN are named. 0: there is none */
    uint32_t operations[GRAPH_CIRCLE_SHOWN];
};

/* All zero: empty. Operations of a rank are added first, or between its dependences. */
struct graph_builder {
    struct graph graph;
    struct graph_rank *ranks;
    size_t rank_count, rank_capacity;
    struct graph_operation *operations;
    size_t count, capacity; /* there is room for one more than `count` */
    uint32_t *dependents;
    size_t dependent_count, dependent_capacity;
    struct call *calls;
    size_t call_count, call_capacity;
    struct graph_edge *edges; /* of the present rank */
    size_t edge_count, edge_capacity;
    size_t rank_first;          /* of the present rank, in `operations` */
    struct graph_circle circle; /* of the rank that has ended last */
};

/* For an empty builder: room for so many ranks and operations. More are possible. */
void graph_builder_reserve(struct graph_builder *builder, uint32_t ranks, size_t operations);

void graph_builder_rank(struct graph_builder *builder); /* begins the next rank */

/* Returns the number of the operation in its rank. A rank has fewer than 2^32 - 1. */
uint32_t graph_builder_add(struct graph_builder *builder, const struct graph_operation *operation);

/* So many operations, for the caller to fill in all of; valid until the next call. Their lists follow with
 * graph_builder_lists. */
struct graph_operation *graph_builder_add_all(struct graph_builder *builder, uint32_t count);

/* `after` begins when `before` has ended, or with `on_begin` when it has begun. Both numbers exist when the
 * rank ends. The same dependence twice counts twice and changes nothing. */
void graph_builder_depend(struct graph_builder *builder, uint32_t before, uint32_t after, bool on_begin);

/* Makes the lists of the present rank. False: operations wait for themselves by way of others; `circle` of
 * the builder has one such circle. */
bool graph_builder_end(struct graph_builder *builder);

/* The same for who has the lists: room for so many dependents of the present rank, from index dependent_count
 * of the array that is returned. The caller gives the operations their needs, on_end and on_begin. Then the
 * end, in place of graph_builder_end. */
uint32_t *graph_builder_lists(struct graph_builder *builder, uint32_t count);
bool graph_builder_end_lists(struct graph_builder *builder, uint32_t count);

/* The graph, whose memory stays the builder's; place and label are the caller's to set. */
struct graph graph_builder_finish(struct graph_builder *builder);
void graph_builder_free(struct graph_builder *builder);
size_t graph_builder_bytes(const struct graph_builder *builder); /* memory held */

#endif
