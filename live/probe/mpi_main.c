#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "live/probe/probe.h"

/* helio-probe-openmpi, helio-probe-mpich: two ranks that exchange 8 bytes by MPI over UCX, and beside it by
 * the low-level protocol alone. */

enum { WINDOW = 64, WINDOWS = 6, BYTES = 8, WARM = 2000 };

/* Blocks of exchanges by MPI. */
enum mpi_block {
    MPI_LATENCY_BLOCK, /* nothing is timed but the whole */
    MPI_ISEND_BLOCK,
    MPI_UCP_BLOCK,
    MPI_UCT_BLOCK,
    MPI_HANDLER_BLOCK,
    MPI_CALLBACK_BLOCK,
    MPI_RX_BLOCK,
    MPI_WINDOW_BLOCK,
    MPI_RATE_BLOCK, /* windows of which nothing is timed but the whole */
    MPI_TURN_BLOCK,
    MPI_DELAYS, /* DELAYS blocks for each layer that can be delayed */
};

static const enum layer timed_layer[] = {
    [MPI_ISEND_BLOCK] = LAYER_MPI,       [MPI_UCP_BLOCK] = LAYER_UCP,           [MPI_UCT_BLOCK] = LAYER_UCT,
    [MPI_HANDLER_BLOCK] = LAYER_HANDLER, [MPI_CALLBACK_BLOCK] = LAYER_CALLBACK, [MPI_RX_BLOCK] = LAYER_RX,
    [MPI_WINDOW_BLOCK] = LAYER_NONE,     [MPI_RATE_BLOCK] = LAYER_NONE,         [MPI_TURN_BLOCK] = LAYER_NONE,
};

static const struct {
    enum layer layer;
    const char *name;
} delayed[] = {{LAYER_MPI, "MPI_Isend"},
               {LAYER_UCP, "UCP_send"},
               {LAYER_UCT, "LLP_post_in_MPI"},
               {LAYER_HANDLER, "UCP_callback"},
               {LAYER_CALLBACK, "MPI_callback"}};
enum { DELAYED = sizeof delayed / sizeof *delayed };

static void exchange(struct pair *pair, const void *mine, void *theirs, size_t size)
{
    MPI_Sendrecv(mine, (int)size, MPI_BYTE, !pair->me, 1, theirs, (int)size, MPI_BYTE, !pair->me, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------------------------------------------------ blocks */

static void send_one(struct pair *pair, char *buffer)
{
    MPI_Request request;
    if (layers.delayed == LAYER_MPI)
        clock_spin(layers.delay);
    if (layers.timed == LAYER_MPI) {
        ticks_t from = clock_now();
        MPI_Isend(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
        ticks_t to = clock_now();
        record(Q_ISEND, clock_ns(from, to));
    } else {
        MPI_Isend(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_one(struct pair *pair, char *buffer)
{
    MPI_Request request;
    MPI_Irecv(buffer, BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &request);
    layers.handler_at = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (layers.timed == LAYER_RX && layers.handler_at)
        record(Q_RX_TOTAL, clock_ns(layers.handler_at, clock_now()));
}

/* The first begins, and times what it does itself. Returns half a round trip. */
static double bounce(struct pair *pair, enum layer timed)
{
    char buffer[BYTES] = {0};
    layers.timed = pair->first ? timed : LAYER_NONE;
    ticks_t from = clock_now();
    for (unsigned i = 0; i < BLOCK; i++) {
        if (!pair->first)
            receive_one(pair, buffer);
        send_one(pair, buffer);
        if (pair->first)
            receive_one(pair, buffer);
    }
    ticks_t to = clock_now();
    layers.timed = LAYER_NONE;
    return clock_ns(from, to) / (2 * BLOCK);
}

static void window_post(const struct pair *pair, MPI_Request requests[WINDOW])
{
    static char buffers[WINDOW][BYTES];
    for (unsigned i = 0; i < WINDOW; i++)
        if (pair->first)
            MPI_Isend(buffers[i], BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(buffers[i], BYTES, MPI_BYTE, !pair->me, 0, MPI_COMM_WORLD, &requests[i]);
}

/* Windows of Isend and a Waitall, as benchmarks of message rates have them: their two parts, or the whole. */
static void run_windows(struct pair *pair, bool parts)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    for (unsigned window = 0; window < WINDOWS; window++) {
        pair_meet(pair);
        ticks_t from = clock_now(), posted = from;
        window_post(pair, requests);
        if (parts)
            posted = clock_now();
        MPI_Waitall(WINDOW, requests, statuses);
        ticks_t to = clock_now();
        if (!pair->first)
            continue;
        if (parts) {
            record(Q_WINDOW_POST, clock_ns(from, posted) / WINDOW);
            record(Q_WINDOW_PROG, clock_ns(posted, to) / WINDOW);
        } else {
            record(Q_WINDOW_RATE, clock_ns(from, to) / WINDOW);
        }
    }
}

/* The second answers sooner or later; the first counts how often its MPI has looked. */
static void count_turns(struct pair *pair)
{
    char buffer[BYTES] = {0};
    struct turns turns = {.polls = {0}};
    for (unsigned i = 1; i <= BLOCK; i++) {
        if (!pair->first) {
            receive_one(pair, buffer);
            turns_delay(i);
        }
        send_one(pair, buffer);
        uint64_t before = layers.polls;
        if (pair->first)
            receive_one(pair, buffer);
        turns.polls[turns_are_late(i)] += layers.polls - before;
    }
    if (pair->first)
        turns_record(&turns, Q_MPI_TURN);
}

static void run_block(void *self, struct pair *pair, unsigned variant)
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
            record(Q_LATENCY, half_ns);
        return;
    }
    unsigned which = (variant - MPI_DELAYS) / DELAYS;
    unsigned delay_ns = probe_delays_ns[(variant - MPI_DELAYS) % DELAYS];
    layers.delayed = delayed[which].layer;
    layers.delay = (ticks_t)((double)delay_ns * probe_clock.ticks_per_ns);
    double half_ns = bounce(pair, LAYER_NONE);
    layers.delayed = LAYER_NONE;
    if (pair->first)
        record_delay(delayed[which].name, delay_ns, half_ns);
}

/* --------------------------------------------------------------------------------------------------- run */

/* Without calls seen there is nothing between MPI and the network to look at. */
static bool check_layers(struct pair *pair)
{
    char buffer[BYTES] = {0};
    for (unsigned i = 0; i < WARM; i++) {
        if (pair->me == 1)
            receive_one(pair, buffer);
        send_one(pair, buffer);
        if (pair->me == 0)
            receive_one(pair, buffer);
    }
    char mine = layers.calls[LAYER_UCP] >= WARM && layers.calls[LAYER_UCT] >= WARM &&
                layers.calls[LAYER_HANDLER] >= WARM / 2,
         theirs;
    exchange(pair, &mine, &theirs, 1);
    record_guard("layers", mine && theirs, "of %d sends UCP saw %llu and UCT %llu", WARM,
                 (unsigned long long)layers.calls[LAYER_UCP], (unsigned long long)layers.calls[LAYER_UCT]);
    if (!mine || !theirs)
        record_note("this MPI does not send through UCX, or not as short messages");
    return mine && theirs;
}

static enum status measure(struct pair *pair)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], stack[512] = HELIO_MPI;
    int length;
    MPI_Get_library_version(version, &length);
    bool pinned = pair_pin(pair);
    clock_calibrate();
    record_guard("clock", probe_clock.steady, "%s",
                 probe_clock.steady ? "runs at one rate" : "changes with the core's frequency");
    record_guard("cores", pinned, "%s",
                 pinned ? "each process has one of its own" : "there are not two for the two processes");
    struct llp *llp = NULL;
    if (pinned && check_layers(pair)) {
        struct schedule schedule = {.count = 0};
        layers.own = true;
        llp = llp_open(pair);
        layers.own = false;
        if (llp)
            llp_schedule(llp, &schedule);
        for (unsigned i = 0; i < MPI_DELAYS + DELAYED * DELAYS; i++)
            schedule_add(&schedule, run_block, NULL, i);
        snprintf(stack, sizeof stack, "UCP + %s, %s", HELIO_MPI,
                 llp ? llp_name(llp) : "no transport of its own");
        schedule_run(&schedule, pair);
    }
    record_gather(pair);
    if (llp)
        llp_close(llp);
    return pair->me == 0 && !record_print(HELIO_MPI, stack) ? STATUS_FAILED : STATUS_OK;
}

/* Where the user does not say otherwise, messages within the node go through UCX, and are eager. Each process
 * has a core for itself, so a library has no reason to give it away between two polls. */
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
        struct pair pair = {.me = me, .exchange = exchange};
        status = measure(&pair);
    } else if (me == 0) {
        fprintf(stderr, "helio-probe-" HELIO_MPI ": two ranks are needed, not %d\n", ranks);
    }
    MPI_Finalize();
    return (int)status;
}
