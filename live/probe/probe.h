#ifndef HELIO_PROBE_PROBE_H
#define HELIO_PROBE_PROBE_H

/* Measures, on the machine that it runs on, what the components of a small message take: two processes that
 * exchange 8 bytes through UCX, with MPI above it or without. What it finds goes to standard output in the
 * form that src/breakdown/measure.h reads. docs/models/breakdown.md says how it is done and why.
 *
 *   clock.c      time stamps with fences, what they cost
 *   record.c     samples by quantity
 *   line.c       how far apart the two cores are
 *   transport.c  a transport of UCT and its connection
 *   llp.c        blocks of exchanges through it
 *   layers.c     in an MPI program: looks into the calls between MPI, UCP and UCT
 *   blocks.c     all blocks, in random order, until there is enough
 *   uct_main.c   two processes without MPI
 *   mpi_main.c   two ranks of an MPI program */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------------------------ clock */

typedef uint64_t ticks_t;

/* Nothing before it is still being executed, nothing behind it has begun. Stores may still be on their way to
 * the other core: that is no time of this one. */
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

struct clock {
    double ticks_per_ns;
    double pair_ns;       /* between two stamps with nothing between them, in the mean */
    double resolution_ns; /* least difference but 0 */
    bool steady;          /* the clock does not depend on the core's frequency */
};

extern struct clock probe_clock;

void clock_calibrate(void);
void clock_spin(ticks_t ticks);

/* From one stamp to another, less what the stamps take. */
static inline double clock_ns(ticks_t from, ticks_t to)
{
    return (double)(to - from) / probe_clock.ticks_per_ns - probe_clock.pair_ns;
}

/* ----------------------------------------------------------------------------------------------- record */

enum quantity {
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

void record(enum quantity quantity, double ns);
/* Half round trips with so many ns put into a layer. */
void record_delay(const char *layer, unsigned delay_ns, double ns);
/* What has been recorded since the mark is forgotten: the block was disturbed. */
void record_mark(void);
void record_forget(void);
void record_guard(const char *name, bool passed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void record_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Everything, to standard output: "uct" or the MPI's name, and in words what was measured. */
bool record_print(const char *kind, const char *stack);

/* ------------------------------------------------------------------------------------------------- pair */

/* The two processes, before UCX connects them. Exchange gives each the other's bytes, and keeps them in step.
 */
struct pair {
    int me;     /* 0 or 1 */
    bool first; /* in the present block: begins its exchanges, and records what it does itself */
    void (*exchange)(struct pair *pair, const void *mine, void *theirs, size_t size);
    void *self;
};

void pair_meet(struct pair *pair);
/* Binds this process to a core of its own; false = there are not two. */
bool pair_pin(struct pair *pair);

/* What the second process has recorded goes to the first, which prints. */
void record_gather(struct pair *pair);

/* Time of a cache line from core to core, recorded as Q_LINE; `name` is of shared memory for the two. */
struct line;
struct line *line_open(struct pair *pair);
void line_block(void *line, struct pair *pair, unsigned variant);
void line_close(struct line *line);

/* --------------------------------------------------------------------------------------------------- LLP */

enum { BLOCK = 400, DELAYS = 3 };
extern const unsigned probe_delays_ns[DELAYS];

/* How long a turn of a loop that polls takes, without a stamp in it: a block in which every other answer
 * comes later by a known time. The second process asks for the delay of an exchange, the first tells how many
 * polls it made; both end with turns_end. */
struct turns {
    uint64_t polls[2]; /* made in exchanges whose answer came sooner, later */
};

static inline bool turns_are_late(unsigned exchange)
{
    return exchange % 2;
}

void turns_delay(unsigned exchange); /* before an answer */
void turns_record(const struct turns *turns, enum quantity quantity);

struct llp;
/* NULL: no transport; why has been noted. */
struct llp *llp_open(struct pair *pair);
void llp_close(struct llp *llp);
const char *llp_name(const struct llp *llp);

/* ---------------------------------------------------------------------------------------------- blocks */

/* A block: some hundred exchanges of one kind, of which one quantity is taken. */
struct block {
    void (*run)(void *self, struct pair *pair, unsigned variant);
    void *self;
    unsigned variant;
};

enum { BLOCKS = 48 };
struct schedule {
    struct block blocks[BLOCKS];
    size_t count;
};

void schedule_add(struct schedule *schedule, void (*run)(void *self, struct pair *pair, unsigned variant),
                  void *self, unsigned variant);
void schedule_run(struct schedule *schedule, struct pair *pair);
void llp_schedule(struct llp *llp, struct schedule *schedule);

/* ------------------------------------------------------------------------------------------------ layers */

enum layer { LAYER_NONE, LAYER_MPI, LAYER_UCP, LAYER_UCT, LAYER_HANDLER, LAYER_CALLBACK, LAYER_RX, LAYERS };

struct layers {
    enum layer timed, delayed;
    ticks_t delay;
    ticks_t handler_at;     /* LAYER_RX: when the message came */
    uint64_t calls[LAYERS]; /* seen so far */
    uint64_t polls;         /* of UCP's worker, by the MPI library */
    bool own;               /* calls are the probe's, not UCP's */
};
extern struct layers layers;

#endif
