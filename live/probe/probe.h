#ifndef HELIO_PROBE_PROBE_H
#define HELIO_PROBE_PROBE_H

/* Measures the times of the components of a small message on this machine (docs/models/breakdown.md). Two
 * processes exchange 8 bytes through UCX, with MPI above it or without MPI. The results go to standard output
 * in the form that src/breakdown/measure.h reads. Each file uses only those above it in this map.
 *
 *   clock.c       time stamps with fences, and their cost
 *   record.c      samples of each quantity
 *   pair.c        the two processes: barrier, cores
 *   cache_line.c  the time of a cache line from core to core
 *   turns.c       the time of one turn of a polling loop
 *   blocks.c      all blocks in random order, until there are enough
 *   transport.c   a transport of UCT and its connection (transport.h)
 *   llp.c         blocks of exchanges through that transport
 *   layers.c      in an MPI program: observes the calls between MPI, UCP and UCT
 *   uct_main.c    program: two processes without MPI
 *   mpi_main.c    program: two ranks with MPI */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ----------------------------------------------------------------- clock.c */

typedef uint64_t ticks_t;

/* A time stamp. The fences make sure that all instructions before it are executed and none behind it has
 * begun. Stores may still be on their way to the other core; that time is not time of this core. */
static inline ticks_t clock_now(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(value)::"memory");
    return value;
#else
#error "no clock is known for this processor"
#endif
}

struct tick_clock {
    double ticks_per_ns;
    double pair_ns;       /* mean time between two stamps with nothing between them */
    double resolution_ns; /* the smallest difference above 0 */
    bool steady;          /* the clock's rate does not change with the core's frequency */
};

extern struct tick_clock probe_clock;

void clock_calibrate(void);
void clock_spin(ticks_t ticks);

/* The time from one stamp to another, without the time of the stamps themselves. */
static inline double clock_ns(ticks_t from, ticks_t to)
{
    return (double)(to - from) / probe_clock.ticks_per_ns - probe_clock.pair_ns;
}

/* ---------------------------------------------------------------- record.c */

enum probe_quantity {
    Q_LLP_POST,
    Q_LLP_PROG,
    Q_BUSY_POST,
    Q_EMPTY_PROG,
    Q_LLP_LATENCY,
    Q_LLP_TURN,
    Q_ISEND,
    Q_UCP_SEND,
    Q_UCT_POST,
    Q_RX_TOTAL,
    Q_HANDLER,
    Q_MPI_CALLBACK,
    Q_LATENCY,
    Q_MPI_TURN,
    Q_WINDOW_POST,
    Q_WINDOW_PROG,
    Q_WINDOW_RATE,
    Q_LINE,
    QUANTITIES
};

void record_sample(enum probe_quantity quantity, double ns);
/* Half a round trip in a block that inserts delay_ns into a layer. */
void record_delay(const char *layer, unsigned delay_ns, double ns);
/* Marks the present end of all samples. record_forget removes what came after it: the block was disturbed. */
void record_mark(void);
void record_forget(void);
/* The result of a check of the measurement's conditions. */
void record_guard(const char *name, bool passed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void record_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints everything to standard output. `kind`: "uct" or the MPI's name. `stack`: what was measured, in
 * words. */
bool record_print(const char *kind, const char *stack);

/* ------------------------------------------------------------------ pair.c */

/* The two processes. `exchange` sends `size` bytes to the other process and receives as many from it, before
 * UCX connects them and without it. It also keeps the two in step. */
struct probe_pair {
    int me;     /* 0 or 1 */
    bool first; /* in the present block this process begins the exchanges and records its own times */
    void (*exchange)(struct probe_pair *pair, const void *mine, void *theirs, size_t size);
    void *self;
};

void pair_barrier(struct probe_pair *pair);
/* Binds each process to a core of its own, calibrates the clock, and records whether both are fit for a
 * measurement. False: there are not two cores. */
bool pair_prepare(struct probe_pair *pair);

/* record.c: the second process sends its samples to the first, which prints. */
void record_gather(struct probe_pair *pair);

/* ------------------------------------------------------------ cache_line.c */

/* NULL: no shared memory. */
struct cache_line;
struct cache_line *cache_line_open(struct probe_pair *pair);
/* A block (below) that records the time of a cache line from core to core as Q_LINE. */
void cache_line_block(void *line, struct probe_pair *pair, unsigned variant);
void cache_line_close(struct cache_line *line);

/* ----------------------------------------------------------------- turns.c */

enum { BLOCK = 400 }; /* exchanges of a block */

/* How long one turn (iteration) of a polling loop takes, without time stamps in the loop. In such a block the
 * second process gives every other answer later by a known time. The first process counts its polls: those
 * that it makes more for the late answers took that time. */
struct turns {
    uint64_t polls[2]; /* in exchanges with an early answer, with a late answer */
};

static inline bool turns_are_late(unsigned exchange)
{
    return exchange % 2;
}

void turns_delay(unsigned exchange); /* the delay before an answer */
void turns_record(const struct turns *turns, enum probe_quantity quantity);

/* ---------------------------------------------------------------- blocks.c */

enum { DELAYS = 3 };
extern const unsigned probe_delays_ns[DELAYS]; /* that blocks insert into a layer */

/* A block: some hundred exchanges of one kind, which give samples of one quantity. */
struct probe_block {
    void (*run)(void *self, struct probe_pair *pair, unsigned variant);
    void *self;
    unsigned variant;
};

enum { BLOCKS = 48 };
struct block_schedule {
    struct probe_block blocks[BLOCKS];
    size_t count;
};

void block_schedule_add(struct block_schedule *schedule,
                        void (*run)(void *self, struct probe_pair *pair, unsigned variant), void *self,
                        unsigned variant);
void block_schedule_run(struct block_schedule *schedule, struct probe_pair *pair);

/* ------------------------------------------------------------------- llp.c */

/* The low-level protocol. NULL: no transport; a note says why. */
struct llp;
struct llp *llp_open(struct probe_pair *pair);
void llp_close(struct llp *llp);
const char *llp_name(const struct llp *llp);
void llp_add_blocks(struct llp *llp, struct block_schedule *schedule);

/* ---------------------------------------------------------------- layers.c */

enum probe_layer {
    LAYER_NONE,
    LAYER_MPI,
    LAYER_UCP,
    LAYER_UCT,
    LAYER_HANDLER,
    LAYER_CALLBACK,
    LAYER_RX,
    LAYERS
};

struct probe_layers {
    enum probe_layer timed, delayed; /* calls of this layer are timed; calls of this one are delayed */
    ticks_t delay;
    ticks_t handler_at;     /* LAYER_RX: when the message came */
    uint64_t calls[LAYERS]; /* seen so far */
    uint64_t polls;         /* calls of the MPI library that poll UCP's worker */
    bool own;               /* the present calls are the probe's own and are not observed */
};
extern struct probe_layers probe_layers;

#endif
