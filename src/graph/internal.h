#ifndef HELIO_GRAPH_INTERNAL_H
#define HELIO_GRAPH_INTERNAL_H

#include "base/hashmap.h"
#include "base/mem.h"
#include "coll/nodes.h"
#include "graph/of_calls.h"

/* What of_calls.c, of_graph.c and collectives.c share: a graph that is being made from another program. */

/* Before what an operation begins: the end, or the beginning, of another. */
struct after {
    uint32_t operation;
    bool on_begin;
};

struct after_list {
    struct after *at;
    size_t count, capacity;
};

enum { FIRST_NEW_TAG = 1 << 30, MOST_CORES = 255 };

/* Which ranks of a group share a server: algorithms with shared memory are refused. */
struct converter_nodes {
    struct coll_nodes nodes;
    uint32_t *storage; /* NULL: not known yet */
};

struct converter {
    struct program *source;
    const struct graph_of_calls_options *options;
    struct graph_builder builder;
    uint64_t *lines; /* of the call of each operation */
    uint8_t *ops;    /* of the call of each operation: enum call_op */
    uint32_t *sites; /* of the call of each operation (call/sites.h); NULL: the source has none */
    size_t line_capacity, op_capacity, site_capacity;
    uint32_t rank;
    struct call_place place; /* of the present call */
    enum call_op op;         /* of the same */
    uint32_t site;           /* of the same */
    struct after_list front; /* what the next operation of the rank begins after */
    struct after *slots;     /* of each request: its operation, or that of the end of a collective */
    uint32_t slot_count;
    struct hashmap tags; /* of (context, tag) and of collective calls, by a hash: the new tag */
    uint32_t new_tags;
    uint32_t *sequences;           /* collective calls begun, of each group, by the present rank */
    struct converter_nodes *nodes; /* of each group; NULL: none were needed yet */
    double left_over;              /* whole_ns: ps that have been cut off */
    enum status status;
};

#define NO_OPERATION UINT32_MAX

__attribute__((format(printf, 2, 3))) void converter_fail(struct converter *converter, const char *format,
                                                          ...);

void after_list_add(struct after_list *list, struct after after);
/* The rank goes on after this operation alone. */
void go_on_after(struct after_list *front, uint32_t operation, bool on_begin);
void converter_free_nodes(struct converter *converter);
/* One operation that stands for many, so that those after it do not each depend on all. */
void converter_join(struct converter *converter, struct after_list *list, uint8_t core);

/* Adds an operation that begins after these; NULL: after none. Returns its number. */
uint32_t converter_add(struct converter *converter, const struct graph_operation *operation,
                       const struct after_list *after);
uint32_t converter_new_tag(struct converter *converter, uint64_t what, uint64_t which);
/* A computation in ps, as the options want it; 0: there is none. */
uint64_t converter_time(struct converter *converter, double picoseconds);

/* The messages of a collective call, behind the front. Returns what its end is: the list is the caller's to
 * free. */
struct after_list converter_phases(struct converter *converter, const struct call *call, uint8_t core);

/* Adds the collective call itself, behind the front, if the options want that. NO_OPERATION: they do not. */
uint32_t converter_keep(struct converter *converter, const struct call *call, uint8_t core);

/* The rank of a source that is a graph with collective calls. */
void converter_graph_rank(struct converter *converter);

#endif
