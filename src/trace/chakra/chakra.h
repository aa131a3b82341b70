#ifndef HELIO_TRACE_CHAKRA_CHAKRA_H
#define HELIO_TRACE_CHAKRA_CHAKRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/status.h"
#include "call/graph.h"
#include "call/sites.h"
#include "trace/image/sites.h"

/* Chakra execution traces: a graph of nodes for each NPU, in a file NAME.RANK.et of protobuf messages. They
 * become a graph of operations. docs/chakra.md
 *
 *   et.proto   the messages, from which protobuf-c makes code
 *   chakra.c   the trace format: the files, and the program
 *   schema.h   the numbers of the schema, and attributes of our own
 *   nodes.c    nodes become operations
 *   write.c    operations become nodes
 *   groups.c   the groups of collective calls
 *   absent.c   NPUs that a trace names and that have no file
 *   names.c    the names of nodes, by which operations are told apart */

struct chakra_file {
    char *path;
    uint32_t rank;
};

/* A collective call before its group is known. */
struct chakra_call {
    struct call call;
    uint32_t rank;
    uint32_t name; /* of its group; 0: all ranks */
};

struct chakra_groups {
    char **names; /* names[0] is NULL: all ranks */
    size_t count, capacity;
    struct chakra_member {
        uint32_t name, rank;
    } * members;
    size_t member_count, member_capacity;
    struct group *groups;
    uint32_t *world;
};

struct chakra_program {
    struct program program; /* first */
    struct graph graph;
    struct graph_builder builder;
    char *name;
    struct chakra_file *files; /* by rank */
    size_t file_count, file_capacity;
    struct chakra_groups groups;
    struct call *calls;
    uint32_t *call_names, *call_ranks; /* the name of the group of each call, and its rank */
    size_t call_count, call_capacity, name_capacity, rank_capacity;
    uint64_t *ids, *at; /* of each operation: its node, and the byte of its message */
    size_t id_capacity, at_capacity;
    struct sites names; /* of nodes, as patterns */
    uint32_t *site_of;  /* of each operation: the number of its name */
    size_t site_capacity;
    struct program_sites sites;
    const char **site_names;
    uint64_t left_out; /* nodes that take no time: the memory of a model, metadata */
};

/* Adds the nodes of a rank, whose file is in memory. STATUS_BAD_INPUT, reported. */
enum status chakra_read_rank(struct chakra_program *chakra, uint32_t rank, const char *path,
                             const uint8_t *bytes, size_t size);

/* An NPU or a number of NPUs that a process group of PyTorch has, and that there are no files of. */
struct chakra_absent {
    char group[40];
    uint64_t npu, size; /* `size` 0: the group has `npu`; otherwise: it has so many */
};
/* Whether a node's inputs, which list process groups, name an NPU beyond `npus`. */
bool chakra_names_absent(const char *inputs, uint32_t npus, struct chakra_absent *absent);

/* The number of the group of that name, to which the rank belongs from now on; NULL or "": all ranks. */
uint32_t chakra_group(struct chakra_groups *groups, const char *name, uint32_t rank);

/* The members are known: makes the groups of the program, and completes its calls. */
enum status chakra_make_groups(struct chakra_program *chakra);
void chakra_groups_free(struct chakra_groups *groups);

/* The number of the node's name, or of those that differ in numbers only; 0: it has none. */
uint32_t chakra_site(struct chakra_program *chakra, const char *name);
/* All nodes are read: gives the program its call sites, if a node has a name. */
void chakra_use_sites(struct chakra_program *chakra);

/* A program from files in memory, which stay the caller's. For tests and fuzzing. */
enum status chakra_open_bytes(const char *const *paths, const uint8_t *const *bytes, const size_t *sizes,
                              uint32_t ranks, struct program **program);

#endif
