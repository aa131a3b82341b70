#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "live/probe/probe.h"

/* helio-probe-openmpi, helio-probe-mpich: two ranks exchange 8 bytes by MPI over UCX, and in other blocks by
 * the low-level protocol alone. */

enum { WINDOW = 64, WINDOWS = 6, BYTES = 8, WARM = 2000 };

/* Blocks of exchanges by MPI. */
enum mpi_block {
    MPI_LATENCY_BLOCK, /* only the whole block is timed */
    MPI_ISEND_BLOCK,
    MPI_UCP_BLOCK,
    MPI_UCT_BLOCK,
    MPI_HANDLER_BLOCK,
    MPI_CALLBACK_BLOCK,
    MPI_RX_BLOCK,
    MPI_WINDOW_BLOCK,
    MPI_RATE_BLOCK, /* windows that are only timed as a whole */
    MPI_TURN_BLOCK,
    MPI_DELAYS, /* from here on: DELAYS blocks for each layer of `delayable` */
};

static const enum probe_layer timed_layer[] = {
    [MPI_ISEND_BLOCK] = LAYER_MPI,       [MPI_UCP_BLOCK] = LAYER_UCP,           [MPI_UCT_BLOCK] = LAYER_UCT,
    [MPI_HANDLER_BLOCK] = LAYER_HANDLER, [MPI_CALLBACK_BLOCK] = LAYER_CALLBACK, [MPI_RX_BLOCK] = LAYER_RX,
    [MPI_WINDOW_BLOCK] = LAYER_NONE,     [MPI_RATE_BLOCK] = LAYER_NONE,         [MPI_TURN_BLOCK] = LAYER_NONE,
};

static const struct {
    enum probe_layer layer;
    const char *name;
} delayable[] = {{LAYER_MPI, "MPI_Isend"},
                 {LAYER_UCP, "UCP_send"},
                 {LAYER_UCT, "LLP_post_in_MPI"},
                 {LAYER_HANDLER, "UCP_callback"},
                 {LAYER_CALLBACK, "MPI_callback"}};
enum { DELAYED = sizeof delayable / sizeof *delayable };

static void exchange(struct probe_pair *pair, const void *mine, void *theirs, size_t size)
{
    MPI_Sendrecv(mine, (int)size, MPI_BYTE, !pair->me, 1, theirs, (int)size, MPI_BYTE, !pair->me, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------------------ blocks */

static void send_one(struct probe_pair *pair, char *buffer)
{
    MPI_Request request;
    if (probe_layers.delayed == LAYER_MPI)
        clock_spin(probe_layers.delay);
    if (probe_layers.timed == LAYER_MPI) {
        ticks_t from = clock_now();
        MPI_Isend(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
        ticks_t to = clock_now();
        record_sample(Q_ISEND, clock_ns(from, to));
    } else {
        MPI_Isend(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_one(struct probe_pair *pair, char *buffer)
{
    MPI_Request request;
    MPI_Irecv(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
    probe_layers.handler_at = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (probe_layers.timed == LAYER_RX && probe_layers.handler_at)
        record_sample(Q_RX_TOTAL, clock_ns(probe_layers.handler_at, clock_now()));
}

/* The first process begins and times its own calls; the other one answers. Returns half a round trip. */
static double bounce(struct probe_pair *pair, enum probe_layer timed)
{
    char buffer[BYTES] = {0};
    probe_layers.timed = pair->first ? timed : LAYER_NONE;
    ticks_t from = clock_now();
    for (unsigned i = 0; i < BLOCK; i++) {
        if (!pair->first)
            receive_one(pair, buffer);
        send_one(pair, buffer);
        if (pair->first)
            receive_one(pair, buffer);
    }
    ticks_t to = clock_now();
    probe_layers.timed = LAYER_NONE;
    return clock_ns(from, to) / (2 * BLOCK);
}

static void window_post(const struct probe_pair *pair, MPI_Request requests[WINDOW])
{
    static char buffers[WINDOW][BYTES];
    for (unsigned i = 0; i < WINDOW; i++)
        if (pair->first)
            MPI_Isend(buffers[i], BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(buffers[i], BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &requests[i]);
}

/* Windows of MPI_Isend and one MPI_Waitall, as in benchmarks of message rates. `parts`: the two are timed
 * apart. */
static void run_windows(struct probe_pair *pair, bool parts)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    for (unsigned window = 0; window < WINDOWS; window++) {
        pair_barrier(pair);
        ticks_t from = clock_now(), posted = from;
        window_post(pair, requests);
        if (parts)
            posted = clock_now();
        MPI_Waitall(WINDOW, requests, statuses);
        ticks_t to = clock_now();
        if (!pair->first)
            continue;
        if (parts) {
            record_sample(Q_WINDOW_POST, clock_ns(from, posted) / WINDOW);
            record_sample(Q_WINDOW_PROG, clock_ns(posted, to) / WINDOW);
        } else {
            record_sample(Q_WINDOW_RATE, clock_ns(from, to) / WINDOW);
        }
    }
}

/* A block of turns (probe.h): of the polling loop in the MPI. */
static void count_turns(struct probe_pair *pair)
{
    char buffer[BYTES] = {0};
    struct turns turns = {.polls = {0}};
    for (unsigned i = 1; i <= BLOCK; i++) {
        if (!pair->first) {
            receive_one(pair, buffer);
            turns_delay(i);
        }
        send_one(pair, buffer);
        uint64_t before = probe_layers.polls;
        if (pair->first)
            receive_one(pair, buffer);
        turns.polls[turns_are_late(i)] += probe_layers.polls - before;
    }
    if (pair->first)
        turns_record(&turns, Q_MPI_TURN);
}

static void run_block(void *self, struct probe_pair *pair, unsigned variant)
{
    (void)self;
    if (variant == MPI_WINDOW_BLOCK || variant == MPI_RATE_BLOCK) {
        run_windows(pair, variant == MPI_WINDOW_BLOCK);
        return;
    }
    if (variant == MPI_TURN_BLOCK) {
        count_turns(pair);
        return;
    }
    if (variant < MPI_DELAYS) {
        double half_ns = bounce(pair, timed_layer[variant]);
        if (variant == MPI_LATENCY_BLOCK && pair->first)
            record_sample(Q_LATENCY, half_ns);
        return;
    }
    unsigned which = (variant - MPI_DELAYS) / DELAYS;
    unsigned delay_ns = probe_delays_ns[(variant - MPI_DELAYS) % DELAYS];
    probe_layers.delayed = delayable[which].layer;
    probe_layers.delay = (ticks_t)((double)delay_ns * probe_clock.ticks_per_ns);
    double half_ns = bounce(pair, LAYER_NONE);
    probe_layers.delayed = LAYER_NONE;
    if (pair->first)
        record_delay(delayable[which].name, delay_ns, half_ns);
}

/* --------------------------------------------------------------------- run */

/* Exchanges messages and checks that their calls pass through layers.c. If they do not, the layers cannot be
 * measured. */
static bool check_layers(struct probe_pair *pair)
{
    char buffer[BYTES] = {0};
    for (unsigned i = 0; i < WARM; i++) {
        if (pair->me == 1)
            receive_one(pair, buffer);
        send_one(pair, buffer);
        if (pair->me == 0)
            receive_one(pair, buffer);
    }
    char mine = probe_layers.calls[LAYER_UCP] >= WARM && probe_layers.calls[LAYER_UCT] >= WARM &&
                probe_layers.calls[LAYER_HANDLER] >= WARM / 2,
         theirs;
    exchange(pair, &mine, &theirs, 1);
    record_guard("layers", mine && theirs, "of %d sends UCP saw %llu and UCT %llu", WARM,
                 (unsigned long long)probe_layers.calls[LAYER_UCP],
                 (unsigned long long)probe_layers.calls[LAYER_UCT]);
    if (!mine || !theirs)
        record_note("this MPI does not send through UCX, or not as short messages");
    return mine && theirs;
}

static enum status measure(struct probe_pair *pair)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], stack[512] = HELIO_MPI;
    int length;
    MPI_Get_library_version(version, &length);
    bool prepared = pair_prepare(pair);
    struct llp *llp = NULL;
    if (prepared && check_layers(pair)) {
        struct block_schedule schedule = {.count = 0};
        probe_layers.own = true;
        llp = llp_open(pair);
        probe_layers.own = false;
        if (llp)
            llp_add_blocks(llp, &schedule);
        for (unsigned i = 0; i < MPI_DELAYS + DELAYED * DELAYS; i++)
            block_schedule_add(&schedule, run_block, NULL, i);
        snprintf(stack, sizeof stack, "UCP + %s, %s", HELIO_MPI,
                 llp ? llp_name(llp) : "no transport of its own");
        block_schedule_run(&schedule, pair);
    }
    record_gather(pair);
    if (llp)
        llp_close(llp);
    return pair->me == 0 && !record_print(HELIO_MPI, stack) ? STATUS_FAILED : STATUS_OK;
}

/* Unless the user sets these variables, messages within the node go through UCX's shared memory and are
 * eager. Each process has its own core, so an MPI that yields between two polls would only lose time. */
static void choose_ucx(void)
{
    setenv("UCX_TLS", "posix,self", 0);
    setenv("OMPI_MCA_pml", "ucx", 0);
    setenv("OMPI_MCA_pml_ucx_tls", "any", 0);
    setenv("OMPI_MCA_pml_ucx_devices", "any", 0);
    setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
}

int main(int argc, char **argv)
{
    choose_ucx();
    MPI_Init(&argc, &argv);
    int ranks, me;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    enum status status = STATUS_BAD_INPUT;
    if (ranks == 2) {
        struct probe_pair pair = {.me = me, .exchange = exchange};
        status = measure(&pair);
    } else if (me == 0) {
        fprintf(stderr, "helio-probe-" HELIO_MPI ": two ranks are needed, not %d\n", ranks);
    }
    MPI_Finalize();
    return (int)status;
}
