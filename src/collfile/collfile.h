#ifndef HELIO_COLLFILE_COLLFILE_H
#define HELIO_COLLFILE_COLLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Collective schedules that other programs have written: read, proven, and made messages for the simulator.
 *
 *     collfile.h, collfile.c  a file from its path: finds the format and lets it prove
 *     format.h, formats.c, formats.def    what a format provides, and the list of formats
 *     text.h, text.c          a file's text, unpacked; errors and problems with their lines
 *     xml.h, xml.c            the elements of an XML text
 *     builder.h, builder.c    the messages of a schedule, and who waits for which
 *     msccl.h, msccl_*.c      MSCCL's programs: read, what needs no execution (check), memory (cells), vector
 *                             clocks (order), execution (prove), messages
 *     msccl_write.h, msccl_write.c    our own algorithms as such programs
 *     teccl.h, teccl_*.c      TE-CCL's outputs: read, prove, and the machines that they are for
 *     forestcoll.c            ForestColl's spanning trees
 *     circuits.c              lists of circuits of optical switches
 *     ports.c                 least times where every GPU has one port */

enum collfile_op {
    COLLFILE_ALLREDUCE,
    COLLFILE_ALLGATHER,
    COLLFILE_ALLTOALL,
    COLLFILE_REDUCE_SCATTER,
    COLLFILE_CIRCUITS, /* no collective: circuits of switches */
    COLLFILE_OPS
};
const char *collfile_op_name(enum collfile_op op); /* "reduce_scatter" */

/* What can be wrong with a schedule. */
enum collfile_problem {
    COLLFILE_STRUCTURE,      /* a GPU, step or peer that is missing, an offset outside its buffer */
    COLLFILE_DEPENDENCY,     /* on a step that does not exist, or that nobody may wait for */
    COLLFILE_CONNECTION,     /* shared by two threadblocks, or two ends that disagree */
    COLLFILE_DEADLOCK,       /* threadblocks that wait for ever */
    COLLFILE_MESSAGE_LEFT,   /* never received */
    COLLFILE_UNDEFINED_READ, /* of memory that nobody has written */
    COLLFILE_RACE,           /* two accesses to a chunk that nothing orders */
    COLLFILE_WRONG_CHUNK,    /* at the end */
    COLLFILE_MISSING_GPU,    /* takes no part */
    COLLFILE_MISSING_PAIR,   /* of source and destination, without a path */
    COLLFILE_PATH,           /* that is broken, or not among the flows */
    COLLFILE_ORDER,          /* a hop before its chunk has arrived */
    COLLFILE_VOLUME,         /* parts that do not add up to a chunk */
    COLLFILE_FLOW,           /* a chunk whose flows are not conserved */
    COLLFILE_CIRCUIT,        /* that overlaps another one on a port */
    COLLFILE_PROBLEMS
};
const char *collfile_problem_name(enum collfile_problem problem); /* "undefined_reads" */

struct collfile_link {
    uint32_t from, to; /* numbers of GPUs, as the file has them; of ForestColl, in the order of their names */
    uint64_t messages;
    double chunks;
    uint64_t bytes; /* 0 if the size of the collective is not known */
};

/* A time that a file claims, and what no schedule can beat. All 0: the file claims none, or nothing is known
 * of its machine. */
struct collfile_claim {
    double finish_s;
    double bound_s;       /* no schedule of this collective is faster on this machine; 0: unknown */
    double load_s;        /* of the busiest link of this schedule; 0: unknown */
    char bound_text[192]; /* the cut that says so */
};

struct collfile_proof {
    bool right;
    const char *format; /* "MSCCL XML" */
    enum collfile_op op;
    bool in_place;
    char name[128]; /* of the algorithm, as the file says */
    uint64_t ranks, threadblocks, steps;
    uint64_t relays; /* switches at which messages end; the last ranks of the schedule */
    uint64_t messages;
    double chunks_moved;
    uint64_t copies, reductions; /* of chunks, within ranks */
    uint64_t rounds;             /* the longest chain of messages that wait for each other */
    uint64_t chunks;             /* that what `bytes` means is cut into */
    uint64_t bytes;              /* what a rank contributes; 0: unknown */
    uint64_t problems[COLLFILE_PROBLEMS];
    char first_problem[512];     /* "" or FILE:LINE: what is wrong */
    struct collfile_link *links; /* by source, then destination */
    size_t link_count;
    uint32_t *gpu_of_rank; /* their numbers in the file; NULL: those of the ranks */
    char machine[64];      /* of the file: "NDv2, 4 chassis"; "" = unknown */
    struct collfile_claim claim;
};

/* What a rank does, in its order. Receives are posted before all else. */
enum collfile_action { COLLFILE_SEND, COLLFILE_WAIT };
struct collfile_do {
    uint32_t action; /* enum collfile_action */
    uint32_t message;
};

/* A part of a block: chunk number `chunk` of the `chunks` of a block, or a fraction of it. */
struct collfile_part {
    uint32_t chunk;
    double volume;
};

struct collfile_message {
    uint32_t from, to;
    uint32_t round;
    uint32_t part_count;
    size_t first_part;
};

/* A schedule as messages. A rank sends message m when all earlier entries of its list are done: the messages
 * that it waits for have arrived. */
struct collfile_schedule {
    uint32_t ranks;
    uint64_t chunks; /* of a block: what `bytes` means for the collective, as in workload collective */
    struct collfile_message *messages;
    size_t message_count, message_capacity;
    struct collfile_part *parts;
    size_t part_count, part_capacity;
    struct collfile_do *actions; /* rank by rank */
    size_t *first_action;        /* ranks + 1 */
    size_t action_count, action_capacity;
};

/* The bytes of a message when a block has `bytes`. Parts of chunks are rounded up. */
uint64_t collfile_message_bytes(const struct collfile_schedule *schedule, size_t message, uint64_t bytes);

/* Reads and proves the file. `bytes`: what a rank contributes, as workload collective counts; 0: unknown, or
 * as the file says. `schedule` may be NULL; its messages are complete only if the schedule is right.
 * STATUS_BAD_INPUT, reported: it cannot be read. Both are to be freed in any case. */
enum status collfile_prove(const char *path, uint64_t bytes, struct collfile_proof *proof,
                           struct collfile_schedule *schedule);

/* The same of a text in memory. */
enum status collfile_prove_text(const char *path, const char *bytes, size_t size, uint64_t block_bytes,
                                struct collfile_proof *proof, struct collfile_schedule *schedule);

/* Least times where every GPU has one port of this rate each way: of any schedule for the collective, and of
 * this one, which its busiest GPU decides. 0: the size of the collective is not known. */
struct collfile_ports {
    double bound_s, load_s;
    uint32_t busiest_gpu;
};
struct collfile_ports collfile_ports_of(const struct collfile_proof *proof, uint64_t rate_bytes_per_s);

void collfile_proof_free(struct collfile_proof *proof);
void collfile_schedule_free(struct collfile_schedule *schedule);

/* The index-th format: its name and what it is. NULL behind the last. */
const char *collfile_format_at(size_t index, const char **doc);

#endif
