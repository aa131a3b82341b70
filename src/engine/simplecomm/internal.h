#ifndef HELIO_ENGINE_SIMPLECOMM_INTERNAL_H
#define HELIO_ENGINE_SIMPLECOMM_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/queue_table.h"
#include "base/rng.h"
#include "base/time.h"
#include "call/call.h"
#include "engine/engine.h"
#include "engine/params.h"
#include "engine/simplecomm/simplecomm.h"
#include "fabric/fabric.h"

/* What the files of this room share. Times are seconds in double, and sums are formed in the order of
 * SimpleComm: results have to equal its own. */

/* Below this, alltoall posts everything at once. */
enum { COMPAT_ALLTOALL_RING_FROM_BYTES = 3000 };

/* A send or a receive that is posted. */
struct compat_post {
    uint32_t rank, partner;
    bool sending, blocking;
    uint8_t op; /* enum call_op */
    int32_t tag;
    uint64_t bytes;
    double posted_s;
    bool given_up; /* its rank has gone on without it, where SimpleComm stops */
    uint32_t next; /* with the same key */
};

/* A send and its receive, for which contention is computed. `base_s` and `end_s` are the transfer on the
 * network. On FMUs a message is in its write until `written`, then in its read. */
struct compat_match {
    uint32_t source, destination;
    uint64_t bytes;
    int32_t tag;
    uint8_t send_op, recv_op;
    bool send_blocking, recv_blocking;
    bool send_given_up;
    bool on_network;
    double latency_s, base_s, end_s;
    double send_base_s, send_end_s, recv_base_s, recv_end_s;
    double send_posted_s, recv_posted_s;
    /* FMU. */
    bool timed, written, read;
    int32_t fmu; /* -1 = none yet */
    uint64_t ring_entry;
    struct compat_match *next_free;
};

/* Matches in the order in which they formed, which decides ties. */
struct compat_match_list {
    struct compat_match **items;
    size_t count, capacity;
};

enum compat_topology { COMPAT_KAHUNA, COMPAT_FMU, COMPAT_HYBRID };

struct compat_link {
    double latency_s, bytes_per_s;
};

/* Where SimpleComm stops. */
enum compat_abort {
    ABORT_NODES,
    ABORT_PIVOT,
    ABORT_ROOM,
    ABORT_CLOCK,
    ABORT_FMU_ORDER,
    ABORT_SENT,
    ABORT_NOTHING_OPEN,
    ABORT_SEND_BLOCKED,
    ABORT_WAITALL,
    ABORT_ACTION,
    ABORTS
};

/* The part of a match that KAHUNA reads again and again, side by side in memory. */
struct kahuna_transfer {
    double base_s, end_s;
    double solved_s; /* until when the sharing by `factor` is computed; -1: it is not */
    double sent_bytes;
    uint32_t factor, source_node, destination_node;
    struct compat_match *match;
};

struct compat_network {
    struct kahuna_transfer *open; /* in the order in which they formed */
    size_t count, capacity;
    uint32_t *sharing; /* per node: transfers that touch it */
};

struct compat_ring_slot {
    uint64_t bytes;
    bool valid;
};

/* Q_data and Q_header of an FMU: slots [head, tail). */
struct compat_ring {
    struct compat_ring_slot *slots;
    size_t capacity;
    uint64_t head, tail, bytes;
};

struct compat_read {
    double at_s;
    uint64_t bytes;
    uint32_t fmu;
};

/* One event of a window of time. */
struct compat_window_event {
    double at_s;
    size_t sequence;
    struct compat_match *write; /* NULL: a read */
    struct compat_read read;
};

struct compat_statistics {
    uint64_t late_receives;
    struct metric_series congestion, channel_congestion, usage, written;
    sum_t congestion_sum, channel_congestion_sum; /* in ps */
    uint64_t coalesced_writes, coalesced_reads, idle_mappings, other_mappings;
    uint64_t biggest_buffer_bytes, biggest_buffer_messages;
    uint64_t by_network, by_fmu, pivot_bytes;
};

/* The words of fmu.try_idle and fmu.among_all, in their order. */
enum compat_try_idle { TRY_NONE, TRY_RANDOM, TRY_SIMPLE, TRY_LEAST_S, TRY_LEAST_SR };
enum compat_among_all { AMONG_RANDOM, AMONG_LEAST_S, AMONG_LEAST_SR, AMONG_STATIC, AMONG_INCREMENTAL };

struct compat_fmu {
    struct compat_match_list open;
    uint32_t count;
    enum compat_try_idle try_idle;
    enum compat_among_all among_all;
    bool counts_reads; /* fmu_monitor_incoming_recv */
    uint32_t interleave;
    struct rng random;
    double *last_s; /* per FMU: until when it is busy */
    double *congestion_s, *usage_s;
    double *channel_congestion_s; /* per rank */
    uint64_t *requests;
    sum_t *written_bytes;
    struct compat_ring *rings;
    struct compat_read *incoming;
    size_t incoming_count, incoming_capacity;
    struct compat_window_event *events;
    size_t event_capacity;
    struct sums series; /* of the statistics */
};

enum compat_state { RANK_NORMAL, RANK_COMMUNICATING, RANK_WAITING, RANK_ENDED };

/* A request that is complete. It stands in the queue of its rank and tag, and in the list of its rank. */
struct compat_completion {
    int32_t tag;
    uint8_t op;
    double end_s;
    uint32_t next;          /* with the same rank and tag */
    uint32_t before, after; /* of the same rank */
};

struct compat_rank {
    enum compat_state state;
    double now_s;
    bool in_point_to_point; /* blocked by its own send or receive */
    uint32_t blocked_by;    /* the post that blocks it, while it is unmatched; POOL_NONE: none */
    bool in_collective, ending, waits_for_all;
    struct call collective;
    uint32_t layer;          /* the next one */
    uint64_t layer_pending;  /* posts of this layer that are not done */
    uint64_t blocking_posts; /* that are not done */
    uint64_t requests;       /* not yet waited for */
    int64_t waitall_balance; /* completions minus those that a waitall waits for */
    int32_t waiting_tag;
    int32_t *slot_tags;
    struct queue completions; /* in the order in which they completed */
    bool is_active;           /* it stands in `active` */
    bool may_give_up;         /* it stands in `blocked_senders` */
};

struct simplecomm {
    struct fabric fabric; /* whose statistics are visited at the end */
    const struct engine_params *params;
    const struct simplecomm_config *config;
    const struct compute_config *compute;
    const struct collective_config *collective;
    uint64_t formed; /* matches so far, for the booster */
    enum compat_topology topology;
    uint32_t ranks, cores_per_node;
    uint64_t eager_bytes;
    struct compat_link network_link, fmu_link, node_link;
    double pivot_bytes;       /* -1: no message takes an FMU */
    bool fmus_take_the_small; /* messages up to the pivot take FMUs, not those from the pivot on */
    struct compat_network network;
    struct compat_fmu fmu;
    struct compat_statistics statistics;
    struct compat_rank *rank;
    uint32_t *active;          /* the ranks whose next step does something, ascending */
    uint32_t *blocked_senders; /* the ranks that an eager send has blocked; some may have gone on */
    uint32_t active_count, blocked_count;
    uint32_t ended;
    struct queue_table unmatched, completed; /* posts; completions */
    struct pool posts, completions;
    struct arena match_memory;
    struct compat_match *free_matches;
    uint64_t calls, finished, live_matches, peak_matches;
    bool too_large; /* a message has more bytes than can be counted */
    uint64_t aborts[ABORTS];
    struct call scratch;
};

/* 2^63 ps are 106 days and 18 hours. */
static inline bool time_fits(double seconds)
{
    return seconds < 9.2e6;
}

/* Python's math.isclose. */
static inline bool seconds_close(double a, double b, double relative, double absolute)
{
    double difference = fabs(a - b), size_a = fabs(a), size_b = fabs(b);
    return a == b || difference <= relative * (size_a > size_b ? size_a : size_b) || difference <= absolute;
}

static inline bool seconds_equal(double a, double b)
{
    return seconds_close(a, b, 1e-9, 0);
}

static inline ps_t seconds_to_ps(double seconds)
{
    return (ps_t)llround(seconds * 1e12);
}

/* Waiting times, summed over messages, may pass 2^63 ps. */
static inline sum_t seconds_to_sum(double seconds)
{
    return time_fits(seconds) ? seconds_to_ps(seconds) : (sum_t)(seconds * 1e12 + 0.5);
}

static inline uint32_t node_count(const struct simplecomm *engine)
{
    return (engine->ranks + engine->cores_per_node - 1) / engine->cores_per_node;
}

static inline bool same_node(const struct simplecomm *engine, uint32_t a, uint32_t b)
{
    return a / engine->cores_per_node == b / engine->cores_per_node;
}

/* estimate.c: struct engine's */
enum status compat_estimate(const struct engine_params *params, struct estimate *estimate);

/* stops.c */
void compat_abort(struct simplecomm *engine, enum compat_abort reason); /* counts it; warns of the first */
enum status compat_too_long(const struct simplecomm *engine);           /* reports it */
enum status compat_too_large(const struct simplecomm *engine);          /* likewise, a message's bytes */

/* step.c */
void compat_idle(struct simplecomm *engine, uint32_t rank, double until_s, uint8_t op); /* to `until_s` */
enum status compat_step(struct simplecomm *engine, uint32_t rank);
bool compat_can_step(const struct simplecomm *engine, uint32_t rank); /* its next step does something */
void compat_completed(struct simplecomm *engine, uint32_t rank, int32_t tag, double end_s, uint8_t op);

/* layers.c: posts the next layer of the rank's collective; returns the number of posts, 0 behind the last
 * layer. */
uint64_t compat_post_layer(struct simplecomm *engine, uint32_t rank);

/* match.c */
void compat_match_post(struct simplecomm *engine, const struct compat_post *post);
bool compat_give_up_send(struct simplecomm *engine, uint32_t rank); /* if eager; the rank goes on */
struct compat_match *compat_match_list_take(struct compat_match_list *list, size_t index);

/* network.c; _next takes out the match that is finished next. */
void compat_network_add(struct simplecomm *engine, struct compat_match *match);
void compat_network_init(struct simplecomm *engine);
void compat_network_free(struct compat_network *network);
double compat_network_lowest(const struct compat_network *network); /* when the next thing happens there */
struct compat_match *compat_network_next(struct simplecomm *engine);

/* fmu.c; _next takes out the match that is finished next. */
void compat_fmu_init(struct simplecomm *engine, const struct config *config, uint64_t seed);
void compat_fmu_free(struct compat_fmu *fmu);
void compat_fmu_summarize(struct simplecomm *engine); /* fills in the statistics of FMUs */
struct compat_match *compat_fmu_next(struct simplecomm *engine);
double compat_fmu_lowest(const struct compat_fmu *fmu);

/* fmu_choose.c: gives an FMU to every open match that has none and starts in the present window. */
void compat_fmu_choose(struct simplecomm *engine);

/* When the present phase of a match, its write or its read, starts and ends. */
static inline double phase_base(const struct compat_match *match)
{
    return match->written ? match->recv_base_s : match->send_base_s;
}

static inline double phase_end(const struct compat_match *match)
{
    return match->written ? match->recv_end_s : match->send_end_s;
}

#endif
