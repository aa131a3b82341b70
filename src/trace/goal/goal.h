#ifndef HELIO_TRACE_GOAL_GOAL_H
#define HELIO_TRACE_GOAL_GOAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/status.h"
#include "call/graph.h"
#include "trace/image/content.h"

/* GOAL, the Group Operation Assembly Language of LogGOPSim: a graph of operations for each rank, as text or
 * in the binary form that txt2bin makes of it. docs/goal.md
 *
 *   goal.c     the trace format: files become programs
 *   lexer.c    the text as tokens, with their places
 *   text.c     reads the text
 *   binary.c   reads the binary form
 *   write.c    writes both */

enum {
    GOAL_MOST_CORES = 255, /* numbers are 8 bits, and LogGOPSim cannot have 256 of them */
    GOAL_MOST_ERRORS = 20,
};
#define GOAL_MOST_NS  ((uint64_t)INT64_MAX / 1000) /* of a calc: simulated time is 2^63 ps */
#define GOAL_MAGIC    UINT64_C(4223)
#define GOAL_CONSUMED UINT64_C(2342) /* --save-mem of LogGOPSim has written into the file */

/* A GOAL program. Its operations keep their places, and labels are read again where a message needs one. */
struct goal_program {
    struct program program; /* first */
    struct graph graph;
    struct graph_builder builder;
    char *path, *name;
    char *bytes; /* the file; NULL: it is read again where a message needs it */
    size_t size;
    bool is_binary;
    uint64_t *rank_at; /* text: the byte at which the operations of each rank begin */
    uint32_t *at;      /* text: of each operation, the byte of its line behind rank_at */
    size_t at_capacity;
};

/* Read the file and build its graph. Every error is reported with its place. A text is in memory. */
enum status goal_read_text(struct goal_program *goal);
enum status goal_read_binary(struct goal_program *goal, struct content_window *window);

/* The byte at which the operations of a rank begin in a binary file, which is looked up there, for messages.
 * 0: the file is not what it was. */
uint64_t goal_binary_rank_at(const struct goal_program *goal, uint32_t rank);

enum { GOAL_OPERATION_BYTES = 39 }; /* of an operation of the binary form */

/* Reports the circle that the builder has found in the rank, which is the last one so far. */
void goal_report_circle(struct goal_program *goal, uint32_t rank);

/* A program from bytes in memory, which it takes: they are freed with it. For tests and fuzzing. */
enum status goal_open_bytes(const char *path, char *bytes, size_t size, struct program **program);

#endif
