#ifndef HELIO_COLLFILE_MSCCL_H
#define HELIO_COLLFILE_MSCCL_H

#include <stdarg.h>

#include "base/mem.h"
#include "coll/rank_sets.h"
#include "collfile/text.h"

/* A program of MSCCL: threadblocks of each GPU execute their steps in order, each step on `count` consecutive
 * chunks of a buffer. The k-th send on a connection (sender, receiver, channel) meets its k-th receive. */

enum msccl_type {
    MSCCL_NOP,
    MSCCL_SEND,
    MSCCL_RECV,
    MSCCL_COPY,
    MSCCL_REDUCE,
    MSCCL_RECV_COPY_SEND,
    MSCCL_RECV_REDUCE_COPY,
    MSCCL_RECV_REDUCE_SEND,
    MSCCL_RECV_REDUCE_COPY_SEND,
    MSCCL_TYPES
};

/* What a type does. */
struct msccl_kind {
    const char *name; /* "rrcs" */
    bool receives, sends;
    bool reads;  /* its source */
    bool adds;   /* source, or for `re` destination, to what has come */
    bool writes; /* its destination */
};
extern const struct msccl_kind msccl_kinds[MSCCL_TYPES];

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH, MSCCL_BUFFERS };

struct msccl_place {
    int32_t offset;
    uint8_t buffer; /* enum msccl_buffer */
};

struct msccl_step {
    uint8_t type; /* enum msccl_type */
    bool has_dependent;
    struct msccl_place source, destination;
    int32_t number; /* as the file says */
    int32_t count;
    int32_t wait_tb, wait_step; /* as the file says; -1: none */
    uint32_t waits_for;         /* index of that step; MSCCL_NONE */
    uint32_t line;
};

#define MSCCL_NONE UINT32_MAX

struct msccl_tb {
    uint32_t gpu;
    int32_t id, send, recv, channel;
    uint32_t first_step, step_count;
    uint32_t line;
};

struct msccl_copy {
    uint32_t gpu;
    int32_t from, to; /* of the input, of the output */
    uint32_t line;
};

struct msccl_gpu {
    int32_t id;
    int64_t chunks[MSCCL_BUFFERS];
    uint32_t first_tb, tb_count;
    bool is_numbered; /* the ids of its threadblocks are 0, 1, 2 ... */
    uint32_t line;
};

struct msccl_program {
    enum collfile_op op;
    bool in_place;
    uint32_t ranks; /* ngpus */
    uint64_t loop;  /* nchunksperloop */
    uint64_t block; /* chunks of one rank's block: loop / ranks */
    struct msccl_gpu *gpus;
    struct msccl_tb *tbs;
    struct msccl_step *steps;
    struct msccl_copy *copies;
    size_t gpu_count, gpu_capacity, tb_count, tb_capacity, step_count, step_capacity, copy_count,
        copy_capacity;
    uint32_t *gpu_of; /* index of the GPU with that id; MSCCL_NONE: missing */
};

/* Limits of what a file may ask for. MSCCL_TBS_MAX are those of a GPU. */
enum { MSCCL_GPUS_MAX = 4096, MSCCL_LOOP_MAX = 1 << 20, MSCCL_STEPS_MAX = 1 << 23, MSCCL_TBS_MAX = 1 << 11 };
#define MSCCL_CELLS_MAX (UINT64_C(1) << 24)

enum status msccl_read(const struct collfile_text *text, struct collfile_proof *proof,
                       struct msccl_program *program);
void msccl_free(struct msccl_program *program);

/* The number of a connection, for a hash table: the ids of its GPUs, and its channel. */
static inline uint64_t msccl_connection_key(int32_t from, int32_t to, int32_t channel)
{
    return (uint64_t)from << 44 | (uint64_t)to << 32 | (uint32_t)channel;
}

/* Counts a problem of a step: "gpu 0, threadblock 1, step 2 ...". */
void msccl_step_is_wrong(const struct collfile_text *text, struct collfile_proof *proof,
                         const struct msccl_program *program, uint32_t tb, uint32_t step,
                         enum collfile_problem problem, const char *format, va_list arguments);

/* What needs no execution: GPUs, peers, offsets, dependencies, connections. False: counted in the proof; the
 * program cannot be executed. */
bool msccl_check(const struct collfile_text *text, struct collfile_proof *proof,
                 struct msccl_program *program);

/* -------------------------------------------------------------------- cells */

/* What a chunk of memory holds: the sum of input chunk `index` of the ranks in `set`. */
struct msccl_content {
    uint32_t set;   /* coll/rank_sets.h; RANK_SET_NONE: undefined, or spoiled */
    uint32_t index; /* with RANK_SET_NONE: enum msccl_spoiled */
};

/* Contents that no sum can make right again. */
enum msccl_spoiled { MSCCL_UNDEFINED, MSCCL_TWICE, MSCCL_MIXED };

/* Chunks of memory of all GPUs, each with a number. Input and output of a collective in place are the same
 * memory. */
struct msccl_memory {
    const struct msccl_program *program;
    uint64_t input, output; /* chunks of these buffers on each rank */
    uint64_t *first;        /* of each GPU: its first cell; gpu_count + 1 */
    struct msccl_content *contents;
    struct rank_sets sets;
    uint32_t all; /* the set of all ranks */
};

void msccl_memory_init(struct msccl_memory *memory, const struct msccl_program *program);
void msccl_memory_free(struct msccl_memory *memory);

/* Chunks of a buffer on that GPU. */
uint64_t msccl_buffer_chunks(const struct msccl_program *program, uint32_t gpu, enum msccl_buffer buffer);
uint64_t msccl_cell(const struct msccl_memory *memory, uint32_t gpu, struct msccl_place place, uint32_t k);
struct msccl_content msccl_add(struct msccl_memory *memory, struct msccl_content a, struct msccl_content b);

/* Chunk k of the input buffer at the start, and of the output buffer at the end, on GPU `id`. */
struct msccl_content msccl_expected(const struct msccl_memory *memory, uint32_t id, uint64_t k);

/* "chunk 3 of rank 1", "the sum of chunk 3 of ranks 0-2": into buffer, which is returned. */
const char *msccl_describe(const struct msccl_memory *memory, struct msccl_content content, char *buffer,
                           size_t size);
const char *msccl_buffer_name(enum msccl_buffer buffer);

/* -------------------------------------------------------------------- order */

/* Which step comes before which in every execution: vector clocks. A clock says how many steps of each
 * threadblock are done before; threadblocks of which it knows nothing are left out. */
struct msccl_known {
    uint32_t tb, steps;
};

struct msccl_clock {
    struct msccl_known *known; /* by threadblock */
    size_t count, capacity;
};

struct msccl_order {
    const struct msccl_program *program;
    struct msccl_clock *clocks; /* of each threadblock, without its own steps */
    uint32_t *begun;            /* of each threadblock: steps */
    struct msccl_clock scratch;
    struct pool kept;    /* clocks of steps that others wait for, and of messages on their way */
    uint64_t kept_count; /* entries of these */
    struct pool reads;
    struct msccl_access *accesses; /* of each cell */
};

/* A cell's last write, and the reads since then. */
struct msccl_access {
    uint32_t writer, step; /* threadblock + 1 and its step + 1; 0: none */
    uint32_t readers;      /* the first + 1, in `reads`; 0: none */
};

enum { MSCCL_KEPT_MAX = 1 << 26 }; /* entries of clocks that are kept */

void msccl_order_init(struct msccl_order *order, const struct msccl_program *program, uint64_t cells);
void msccl_order_free(struct msccl_order *order);

/* The threadblock begins its step; what it does from here on comes after all that the clock says. */
void msccl_order_begin(struct msccl_order *order, uint32_t tb, uint32_t step);
uint32_t msccl_order_keep(struct msccl_order *order, uint32_t tb); /* the number of a copy */
void msccl_order_join(struct msccl_order *order, uint32_t tb, uint32_t kept);
void msccl_order_drop(struct msccl_order *order, uint32_t kept);

/* The step accesses the cell. Returns the threadblock of an earlier access that nothing orders, or
 * MSCCL_NONE. *other becomes its step. */
uint32_t msccl_order_read(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                          uint32_t *other);
uint32_t msccl_order_write(struct msccl_order *order, uint32_t tb, uint32_t step, uint64_t cell,
                           uint32_t *other);

/* ---------------------------------------------------------------- execution */

struct msccl_message {
    uint32_t send, recv; /* steps; MSCCL_NONE: not received */
    uint32_t tb;         /* that sends */
    uint32_t round;
    uint32_t clock; /* kept, until it is received */
    size_t first;   /* of its contents */
    uint32_t count;
};

/* What an execution leaves. */
struct msccl_run {
    struct msccl_message *messages;
    size_t message_count, message_capacity;
    struct msccl_content *contents; /* of messages */
    size_t content_count, content_capacity;
    uint32_t *sent, *received; /* of each step: its message + 1; 0: none */
    uint32_t *rounds, *levels; /* of each step: messages, and steps, of the longest chain that ends with it */
};

/* Executes the program; the problems are counted. STATUS_BAD_INPUT, reported: it is too large. */
enum status msccl_execute(const struct collfile_text *text, const struct msccl_program *program,
                          struct collfile_proof *proof, struct msccl_run *run);
void msccl_run_free(struct msccl_run *run);

/* The messages of a run, in the order in which ranks can send them. */
void msccl_messages(const struct msccl_program *program, const struct msccl_run *run,
                    struct collfile_schedule *schedule);

#endif
