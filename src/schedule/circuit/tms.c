#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/circuit/birkhoff.h"
#include "schedule/circuit/player.h"

/* TMS, the traffic matrix scheduling of "Integrating microsecond circuit switching into the data center"
 * (Porter et al., SIGCOMM 2013), as the simulator of Sunflow has it: what is left is scaled to a doubly
 * stochastic matrix (Sinkhorn), which becomes a cycle of 0.2 s; of its Birkhoff-von Neumann slots the ten
 * longest are played, the longest first; then the next cycle follows. An entry without bytes counts one
 * bit, and ports without bytes take no part. */

enum { LONGEST_SLOTS = 10 };
#define BIT           0.125 /* bytes */
#define CYCLE_PS      (PS_PER_S / 5)
#define ERROR_AT_MOST 1e-7
#define STEPS_AT_MOST 1e7 /* of Sinkhorn's iteration, over all entries of the matrix */

struct tms_slot {
    uint64_t bytes;
    uint32_t *entries;
};

struct tms_maker {
    struct player player;
    struct stuffed matrix;
    double *share;
    uint32_t *senders, *receivers; /* those with something left: the rows and columns of the matrix */
    uint32_t sender_count, receiver_count;
    struct tms_slot slots[LONGEST_SLOTS + 1]; /* sorted; the last one is the next to be filled */
    uint32_t count;
};

/* The ports with something left; the matrix has as many rows as columns. */
static void list_ports(struct tms_maker *maker)
{
    const struct circuit_problem *problem = maker->player.problem;
    maker->sender_count = maker->receiver_count = 0;
    for (uint32_t sender = 0; sender < problem->senders; sender++)
        maker->senders[sender] = 0;
    for (uint32_t receiver = 0; receiver < problem->receivers; receiver++)
        maker->receivers[receiver] = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (maker->player.left_ps[i])
            maker->senders[problem->entries[i].sender] = maker->receivers[problem->entries[i].receiver] = 1;
    for (uint32_t sender = 0; sender < problem->senders; sender++)
        if (maker->senders[sender])
            maker->senders[maker->sender_count++] = sender;
    for (uint32_t receiver = 0; receiver < problem->receivers; receiver++)
        if (maker->receivers[receiver])
            maker->receivers[maker->receiver_count++] = receiver;
    maker->matrix.size =
        maker->sender_count > maker->receiver_count ? maker->sender_count : maker->receiver_count;
}

static uint32_t entry_at(const struct tms_maker *maker, uint32_t row, uint32_t column)
{
    return row < maker->sender_count && column < maker->receiver_count
               ? circuit_at(maker->player.problem, maker->senders[row], maker->receivers[column])
               : CIRCUIT_NONE;
}

static void fill_share(struct tms_maker *maker)
{
    const struct circuit_problem *problem = maker->player.problem;
    uint32_t size = maker->matrix.size;
    double bytes_per_ps = (double)problem->rate_bytes_per_s / (double)PS_PER_S;
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t column = 0; column < size; column++) {
            uint32_t entry = entry_at(maker, row, column);
            double left = entry == CIRCUIT_NONE ? 0 : (double)maker->player.left_ps[entry] * bytes_per_ps;
            maker->share[(size_t)row * size + column] = left > BIT ? left : BIT;
        }
}

static void scale_line(double *first, uint32_t size, size_t stride)
{
    double sum = 0;
    for (uint32_t i = 0; i < size; i++)
        sum += first[i * stride];
    for (uint32_t i = 0; i < size; i++)
        first[i * stride] /= sum;
}

/* After the columns are scaled only rows can be off. */
static double row_error(const struct tms_maker *maker)
{
    uint32_t size = maker->matrix.size;
    double most = 0;
    for (uint32_t row = 0; row < size; row++) {
        double sum = 0;
        for (uint32_t column = 0; column < size; column++)
            sum += maker->share[(size_t)row * size + column];
        most = fmax(most, fabs(1 - sum));
    }
    return most;
}

static void sinkhorn(struct tms_maker *maker)
{
    uint32_t size = maker->matrix.size;
    double steps = 0, error = 1;
    while (error > ERROR_AT_MOST && (steps += 3. * size * size) < STEPS_AT_MOST) {
        for (uint32_t row = 0; row < size; row++)
            scale_line(maker->share + (size_t)row * size, size, 1);
        for (uint32_t column = 0; column < size; column++)
            scale_line(maker->share + column, size, size);
        error = row_error(maker);
    }
}

static bool keep_if_long(void *self, const struct edge_matcher *matcher, uint64_t bytes)
{
    struct tms_maker *maker = self;
    struct tms_slot *last = &maker->slots[maker->count];
    last->bytes = bytes;
    for (uint32_t sender = 0; sender < maker->player.problem->senders; sender++)
        last->entries[sender] = CIRCUIT_NONE;
    for (uint32_t row = 0; row < maker->sender_count; row++)
        if (matcher->column_of[row] != MATCHER_NONE)
            last->entries[maker->senders[row]] = entry_at(maker, row, matcher->column_of[row]);
    /* Of equal slots the one made first stays first. */
    for (uint32_t at = maker->count; at > 0 && maker->slots[at].bytes > maker->slots[at - 1].bytes; at--) {
        struct tms_slot moved = maker->slots[at];
        maker->slots[at] = maker->slots[at - 1];
        maker->slots[at - 1] = moved;
    }
    if (maker->count < LONGEST_SLOTS)
        maker->count++;
    return true;
}

/* A cycle; false: everything is carried, or nothing would be. */
static bool play_cycle(struct tms_maker *maker)
{
    uint64_t rate = maker->player.problem->rate_bytes_per_s;
    ps_t cycle_ps = maker->player.problem->slot_ps ? maker->player.problem->slot_ps : CYCLE_PS;
    double cycle_bytes = (double)rate / (double)PS_PER_S * (double)cycle_ps;
    list_ports(maker);
    fill_share(maker);
    sinkhorn(maker);
    for (size_t i = 0; i < (size_t)maker->matrix.size * maker->matrix.size; i++)
        maker->matrix.bytes[i] = (uint64_t)(maker->share[i] * cycle_bytes);
    maker->count = 0;
    birkhoff_slots(&maker->matrix, keep_if_long, maker);
    for (uint32_t i = 0; i < maker->count; i++)
        if (!player_slot(&maker->player, maker->slots[i].entries, service_ps(maker->slots[i].bytes, rate)))
            return false;
    return maker->count > 0;
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    struct tms_maker maker = {.count = 0};
    (void)effort;
    player_init(&maker.player, problem, schedule);
    stuffed_init(&maker.matrix, problem);
    maker.senders = mem_alloc(problem->senders, sizeof *maker.senders, "ports");
    maker.receivers = mem_alloc(problem->receivers, sizeof *maker.receivers, "ports");
    maker.share =
        mem_alloc((size_t)maker.matrix.size * maker.matrix.size + 1, sizeof *maker.share, "a matrix");
    for (uint32_t i = 0; i <= LONGEST_SLOTS; i++)
        maker.slots[i].entries = mem_alloc(problem->senders, sizeof *maker.slots[i].entries, "a slot");
    while (play_cycle(&maker))
        continue;
    for (uint32_t i = 0; i <= LONGEST_SLOTS; i++)
        free(maker.slots[i].entries);
    free(maker.share);
    free(maker.senders);
    free(maker.receivers);
    stuffed_free(&maker.matrix);
    return player_end(&maker.player);
}

static double cost(const struct circuit_problem *problem)
{
    double size = circuit_size(problem);
    struct circuit_bounds bounds = circuit_bounds_of(problem);
    ps_t cycle_ps = problem->slot_ps ? problem->slot_ps : CYCLE_PS;
    return 1e4 * size * size * (10 + (double)bounds.rho_ps / (double)cycle_ps);
}

const struct circuit_algorithm tms_circuits = {.name = "tms", .run = run, .cost = cost};
