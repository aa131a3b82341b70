#ifndef HELIO_TRACE_CHAKRA_SCHEMA_H
#define HELIO_TRACE_CHAKRA_SCHEMA_H

#include "call/call.h"

/* What the reader and the writer of Chakra traces share. */

/* Kinds of nodes, by the numbers of the schema. */
enum { NODE_METADATA = 1, NODE_LOAD, NODE_STORE, NODE_COMPUTE, NODE_SEND, NODE_RECEIVE, NODE_COLLECTIVE };

/* Collective calls, by the numbers of the schema. */
enum { CHAKRA_COLLECTIVES = 10 };
extern const struct chakra_collective {
    const char *name;
    enum call_op op;
} chakra_collectives[CHAKRA_COLLECTIVES];

/* The cores of an NPU: its host, its kernels, and its messages, which wait for neither. */
enum { CORE_HOST, CORE_KERNELS, CORE_MESSAGES, CHAKRA_MOST_CORES = 255 };

/* Attributes of our own, which other readers skip: what a graph has and Chakra has not. */
#define CHAKRA_OWN_DURATION "helio_duration_ps"   /* the exact time of a computation */
#define CHAKRA_OWN_CORE     "helio_core"          /* another core than that of the node's kind */
#define CHAKRA_OWN_NIC      "helio_nic"           /* not 0 */
#define CHAKRA_OWN_BEGIN    "helio_begin_deps"    /* nodes that have to begin before this one */
#define CHAKRA_OWN_MPI_SEND "helio_mpi_send"      /* eager or rendezvous, as the run says */
#define CHAKRA_OWN_ELEMENT  "helio_element_bytes" /* of a reduction */
#define CHAKRA_OWN_NPUS     "helio_npus"          /* of the metadata: how many NPUs the trace has */

#endif
