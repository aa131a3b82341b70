#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/nodes.h"
#include "live/coll/internal.h"

/* Measures what rounds of messages, meetings of a node and copies cost on this communicator, while all ranks
 * take part as they do in a collective. So ranks that share cores delay each other as they do there. Rounds
 * are timed in batches of two, since a message may have come before its round begins. A round that is not
 * timed goes before: in it ranks that are apart come together, and the MPI may open connections. All series
 * take turns, so that another process disturbs one batch of each, and not all of one. The fastest batch has
 * the least cost, and the slowest but one the largest. */
enum { BATCHES = 3, BATCH = 2, LEFT_OUT = 1, SHORT = 8, LONG = 4096 };

enum cost_series { NEAR, NEAR_LONG, FAR, FAR_LONG, LEAD, LEAD_LONG, LEAD_TWO, MEET, COPY, SERIES };

/* Sums over ranks, in ns, and the ranks that have taken part. */
struct cost_sums {
    uint64_t least, most, ranks;
};

struct costs_measurement {
    struct live_comm *comm;
    struct coll_call call;
    unsigned char out[LONG], in[2][LONG];
    int batch;
    uint64_t ns[SERIES][BATCHES]; /* of a round; 0 in all: this rank does not take part */
};

/* ------------------------------------------------------------------- peers */

/* The ranks in the order of their local ranks, and of nodes for each of these, are a ring in which most
 * neighbours are on different nodes. This is the rank `step` places further, 1 or -1. */
static uint32_t far_neighbour(const struct coll_call *call, uint32_t rank, int step)
{
    uint32_t nodes = node_count(call), most = node_most(call);
    uint32_t at = node_local_of(call, rank) * nodes + node_of(call, rank), places = most * nodes;
    do
        at = (at + (step > 0 ? 1 : places - 1)) % places;
    while (node_ranks(call, at % nodes) <= at / nodes);
    return node_member(call, at % nodes, at / nodes);
}

static uint32_t near_neighbour(const struct live_comm *comm, const struct coll_call *call, uint32_t step)
{
    return node_member(call, comm->node, (comm->local + step) % comm->here);
}

/* ------------------------------------------------------------------ rounds */

/* Whom a rank sends to and receives from in a round. */
struct cost_peers {
    uint32_t to[2], from[2];
    int count;
};

static void by_mpi(struct costs_measurement *self, const struct cost_peers *peers, int bytes)
{
    for (int i = 0; i < peers->count; i++)
        PMPI_Sendrecv(self->out, bytes, MPI_BYTE, (int)peers->to[i], LIVE_TAG, self->in[i], bytes, MPI_BYTE,
                      (int)peers->from[i], LIVE_TAG, self->comm->mine, MPI_STATUS_IGNORE);
}

/* As leaders exchange: all messages at once, and they wait in the library's way. */
static void by_leaders(struct costs_measurement *self, const struct cost_peers *peers, int bytes)
{
    struct live_comm *comm = self->comm;
    int posted = 0;
    if (!live_requests_reserve(comm, 2 * (uint32_t)peers->count)) {
        by_mpi(self, peers, bytes);
        return;
    }
    for (int i = 0; i < 2 * peers->count; i++)
        comm->requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < peers->count; i++)
        PMPI_Irecv(self->in[i], bytes, MPI_BYTE, (int)peers->from[i], LIVE_TAG, comm->mine,
                   &comm->requests[posted++]);
    for (int i = 0; i < peers->count; i++)
        PMPI_Isend(self->out, bytes, MPI_BYTE, (int)peers->to[i], LIVE_TAG, comm->mine,
                   &comm->requests[posted++]);
    live_wait_for_all(comm, 0, posted);
}

static void meet(struct live_comm *comm)
{
    if (comm->here == 1)
        return;
    comm->barriers++;
    shm_counter_add(comm->barrier, comm->barriers * comm->here);
    shm_counter_await(comm->barrier, comm->barriers * comm->here, &comm->backoff);
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void note(struct costs_measurement *self, enum cost_series series, int64_t began_ns)
{
    self->ns[series][self->batch] = (uint64_t)(backoff_now_ns() - began_ns) / BATCH + 1;
}

typedef void exchange(struct costs_measurement *self, const struct cost_peers *peers, int bytes);

static void measure_rounds(struct costs_measurement *self, enum cost_series series, exchange *round,
                           const struct cost_peers *peers, int bytes)
{
    round(self, peers, bytes);
    int64_t began = backoff_now_ns();
    for (int i = 0; i < BATCH; i++)
        round(self, peers, bytes);
    note(self, series, began);
}

static void measure_meetings(struct costs_measurement *self)
{
    meet(self->comm);
    int64_t began = backoff_now_ns();
    for (int i = 0; i < BATCH; i++)
        meet(self->comm);
    note(self, MEET, began);
}

/* Each rank writes its part of the node's memory and reads that of its neighbour: two copies of LONG bytes.
 */
static void measure_copies(struct costs_measurement *self)
{
    struct live_comm *comm = self->comm;
    unsigned char *copy = live_memory_next_copy(comm);
    int64_t began = backoff_now_ns();
    memcpy(copy + (size_t)comm->local * LONG, self->out, LONG);
    int64_t written = backoff_now_ns();
    meet(comm);
    int64_t met = backoff_now_ns();
    memcpy(self->in[0], copy + (size_t)((comm->local + 1) % comm->here) * LONG, LONG);
    self->ns[COPY][self->batch] = (uint64_t)(written - began + backoff_now_ns() - met) + 1;
}

static uint32_t leader_of(const struct coll_call *call, uint32_t node)
{
    return node_member(call, node % node_count(call), 0);
}

/* The leaders exchange with `count` other nodes. The other ranks of a node wait for its leader in shared
 * memory, as they do in a call. */
static void measure_leaders(struct costs_measurement *self, enum cost_series series, int count, int bytes)
{
    struct live_comm *comm = self->comm;
    struct cost_peers peers = {.count = count};
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        peers.to[i] = leader_of(&self->call, comm->node + 1 + i);
        peers.from[i] = leader_of(&self->call, comm->node + node_count(&self->call) - 1 - i);
    }
    if (comm->local == 0)
        measure_rounds(self, series, by_leaders, &peers, bytes);
    meet(comm);
}

/* A batch of each series. */
static void measure_batch(struct costs_measurement *self)
{
    struct live_comm *comm = self->comm;
    const struct coll_call *call = &self->call;
    uint32_t rank = comm->rank, nodes = node_count(call);
    const struct cost_peers far = {{far_neighbour(call, rank, 1)}, {far_neighbour(call, rank, -1)}, 1};
    const struct cost_peers near = {
        {near_neighbour(comm, call, 1)}, {near_neighbour(comm, call, comm->here - 1)}, 1};
    if (comm->here > 1) {
        measure_meetings(self);
        measure_copies(self);
    }
    for (int is_long = 0; is_long < 2; is_long++) {
        int bytes = is_long ? LONG : SHORT;
        if (comm->here > 1)
            measure_rounds(self, is_long ? NEAR_LONG : NEAR, by_mpi, &near, bytes);
        if (nodes > 1) {
            measure_rounds(self, is_long ? FAR_LONG : FAR, by_mpi, &far, bytes);
            measure_leaders(self, is_long ? LEAD_LONG : LEAD, 1, bytes);
        }
    }
    if (nodes > 2)
        measure_leaders(self, LEAD_TWO, 2, SHORT);
}

/* ------------------------------------------------------------------- costs */

/* The least and the largest cost on this rank. */
static struct cost_sums series_of(uint64_t ns[BATCHES])
{
    qsort(ns, BATCHES, sizeof *ns, compare_ns);
    return (struct cost_sums){ns[0], ns[BATCHES - 1 - LEFT_OUT], ns[0] > 0};
}

/* The mean of the ranks that have taken part, at most a second. */
static struct live_range range_of(const struct cost_sums *series)
{
    enum { NS_MAX = 1000000000, PS = 1000 };
    uint64_t ranks = series->ranks > 0 ? series->ranks : 1;
    uint64_t least = series->least / ranks, most = series->most / ranks;
    return (struct live_range){PS * (least < NS_MAX ? least : NS_MAX), PS * (most < NS_MAX ? most : NS_MAX)};
}

/* What the larger of two rounds costs more, divided by `by`. */
static struct live_range difference(const struct live_range *small, const struct live_range *large,
                                    uint64_t by)
{
    return (struct live_range){large->least_ps > small->most_ps ? (large->least_ps - small->most_ps) / by : 0,
                               large->most_ps > small->least_ps ? (large->most_ps - small->least_ps) / by
                                                                : 0};
}

static struct live_range no_more_than(struct live_range range, const struct live_range *limit)
{
    if (range.least_ps > limit->least_ps)
        range.least_ps = limit->least_ps;
    if (range.most_ps > limit->most_ps)
        range.most_ps = limit->most_ps;
    return range;
}

static void set_costs(struct live_costs *costs, const struct cost_sums *all)
{
    struct live_range near_long = range_of(&all[NEAR_LONG]), far_long = range_of(&all[FAR_LONG]),
                      lead_long = range_of(&all[LEAD_LONG]), two = range_of(&all[LEAD_TWO]),
                      copies = range_of(&all[COPY]);
    costs->near = range_of(&all[NEAR]);
    costs->far = range_of(&all[FAR]);
    costs->lead = range_of(&all[LEAD]);
    costs->meet = range_of(&all[MEET]);
    costs->near_byte = difference(&costs->near, &near_long, LONG - SHORT);
    costs->far_byte = difference(&costs->far, &far_long, LONG - SHORT);
    costs->lead_byte = difference(&costs->lead, &lead_long, LONG - SHORT);
    costs->message = no_more_than(difference(&costs->lead, &two, 1), &costs->lead);
    costs->copy_byte = (struct live_range){copies.least_ps / (2 * LONG), copies.most_ps / (2 * LONG)};
    costs->is_measured = true;
}

static void report(const struct live_comm *comm, const struct live_costs *costs)
{
    const struct {
        const char *name;
        const struct live_range *cost;
    } rows[] = {{"a round within nodes", &costs->near},
                {"between nodes", &costs->far},
                {"of leaders", &costs->lead},
                {"a meeting of a node", &costs->meet}};
    if (!comm->settings.verbose || comm->rank != 0)
        return;
    fprintf(stderr, "helio coll: measured costs");
    const char *before = ":";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].cost->most_ps == 0) /* there are no such rounds: one node, or none with two ranks */
            continue;
        fprintf(stderr, "%s %s %.1f to %.1f us", before, rows[i].name, (double)rows[i].cost->least_ps / 1e6,
                (double)rows[i].cost->most_ps / 1e6);
        before = ",";
    }
    fprintf(stderr, "\n");
}

void live_costs_measure(struct live_comm *comm)
{
    struct costs_measurement self = {.comm = comm,
                                     .call = {.size = comm->size, .rank = comm->rank, .nodes = &comm->nodes}};
    struct cost_sums mine[SERIES], all[SERIES];
    enum { NUMBERS = sizeof all / (sizeof(uint64_t)) };
    comm->costs_asked = true;
    if (!comm->shared || comm->most_here == 1 || comm->copy_bytes < (uint64_t)comm->most_here * LONG)
        return;
    for (; self.batch < BATCHES; self.batch++)
        measure_batch(&self);
    for (int i = 0; i < SERIES; i++)
        mine[i] = series_of(self.ns[i]);
    if (PMPI_Allreduce(mine, all, NUMBERS, MPI_UINT64_T, MPI_SUM, comm->mine) != MPI_SUCCESS)
        return;
    set_costs(&comm->known.costs, all);
    live_known_note_costs(comm);
    report(comm, &comm->known.costs);
}
