#include "coll/nodes.h"
#include "coll/tuning.h"
#include "live/coll/internal.h"

/* The times of both ways of a call by measured costs (costs.c). Schedules of coll say what each way does:
 * that of `leaders`, and that which the MPI is known to choose (coll/tuning.h). The time is that of one rank
 * which goes through its phases. Each time has a range: `least` counts a round for all messages of a phase,
 * at the least cost; `most` counts a round for each message, at the largest. The verdict needs ranges that do
 * not meet. Times are whole picoseconds of costs that all ranks share, so all ranks come to the same verdict.
 */

#ifdef OPEN_MPI
#define TUNING coll_tuning_openmpi
#else
#define TUNING coll_tuning_mpich
#endif

enum {
    MESSAGE_MAX = 64 << 10, /* bytes: costs are measured up to 4 KiB, and longer messages differ more */
    PHASES_MAX = 1 << 16,
};

/* Only calls in which each rank waits for all others: the time of one call in a row is then what the program
 * waits. In a bcast or gather it is not, since ranks go on at once. The way by which the last rank ends first
 * can be the one that takes many times as long in a row (docs/measurements/coll.md), and a trial has to show
 * what follows. */
bool live_predicts(const struct live_key *key)
{
    return !key->is_vector && (key->kind == COLL_BARRIER || key->kind == COLL_ALLREDUCE ||
                               key->kind == COLL_ALLGATHER || key->kind == COLL_REDUCE_SCATTER);
}

/* ---------------------------------------------------------- a rank's phases */

struct predict_walk {
    struct coll_sink base;
    const struct coll_call *call;
    struct {
        uint32_t sends, recvs;
        uint64_t sent, received;
    } far, near;     /* messages of this phase, to other nodes and within the node */
    bool meets;      /* the rank waits for its node in this phase */
    uint64_t copied; /* bytes, in this phase */
    uint64_t reduced;
    uint64_t longest; /* bytes of the longest message of all phases */
};

static void note_message(struct coll_sink *sink, uint32_t peer, uint64_t bytes, bool is_sent)
{
    struct predict_walk *walk = (struct predict_walk *)sink;
    bool is_far = node_of(walk->call, peer) != node_of(walk->call, walk->call->rank);
    *(is_sent  ? is_far ? &walk->far.sends : &walk->near.sends
      : is_far ? &walk->far.recvs
               : &walk->near.recvs) += 1;
    *(is_sent  ? is_far ? &walk->far.sent : &walk->near.sent
      : is_far ? &walk->far.received
               : &walk->near.received) += bytes;
    if (bytes > walk->longest)
        walk->longest = bytes;
}

static void walk_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    note_message(sink, peer, from.bytes, true);
}

static void walk_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    note_message(sink, peer, into.bytes, false);
}

static void walk_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)flag;
    note_message(sink, peer, into.bytes, false);
}

static void walk_meet(struct coll_sink *sink)
{
    ((struct predict_walk *)sink)->meets = true;
}

static void walk_raise(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag; /* whoever waits for it is counted */
}

static void walk_await(struct coll_sink *sink, uint32_t flag)
{
    (void)flag;
    walk_meet(sink);
}

static void walk_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)into;
    ((struct predict_walk *)sink)->copied += from.bytes;
}

static void walk_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)into;
    ((struct predict_walk *)sink)->reduced += from.bytes;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add(struct live_range *time, const struct live_range *cost, uint64_t least_times,
                uint64_t most_times)
{
    time->least_ps += least_times * cost->least_ps;
    time->most_ps += most_times * cost->most_ps;
}

/* Adds a phase. A reduction reads two operands and writes one; it takes up to three times as long as a copy.
 */
static void add_phase(struct live_range *time, const struct predict_walk *walk,
                      const struct live_costs *costs, bool is_ours)
{
    enum { REDUCTION = 3 };
    uint32_t far = larger(walk->far.sends, walk->far.recvs),
             near = larger(walk->near.sends, walk->near.recvs);
    uint64_t far_bytes = larger(walk->far.sent, walk->far.received),
             near_bytes = larger(walk->near.sent, walk->near.received);
    if (far > 0)
        add(time, is_ours ? &costs->lead : &costs->far, 1, 1);
    else if (near > 0)
        add(time, &costs->near, 1, 1);
    if (far + near > 1)
        add(time, &costs->message, far + near - 1, far + near - 1);
    add(time, is_ours ? &costs->lead_byte : &costs->far_byte, far_bytes, far_bytes);
    add(time, &costs->near_byte, near_bytes, near_bytes);
    add(time, &costs->meet, walk->meets, walk->meets);
    add(time, &costs->copy_byte, walk->copied + walk->reduced, walk->copied + REDUCTION * walk->reduced);
}

/* False: the costs do not cover such messages. */
static bool time_of_rank(struct live_range *time, const struct coll_algorithm *algorithm,
                         const struct coll_call *call, const struct live_costs *costs, bool is_ours)
{
    static const struct coll_sink sink = {.send = walk_send,
                                          .recv = walk_recv,
                                          .recv_raise = walk_recv_raise,
                                          .barrier = walk_meet,
                                          .raise = walk_raise,
                                          .await = walk_await,
                                          .copy = walk_copy,
                                          .reduce = walk_reduce,
                                          .local = true};
    struct predict_walk walk = {.base = sink, .call = call};
    *time = (struct live_range){0};
    for (uint32_t phase = 0; phase < PHASES_MAX; phase++) {
        uint64_t longest = walk.longest;
        walk = (struct predict_walk){.base = sink, .call = call, .longest = longest};
        if (!coll_emit(algorithm, call, phase, &walk.base))
            return walk.longest <= MESSAGE_MAX;
        add_phase(time, &walk, costs, is_ours);
    }
    return false;
}

/* The slowest of some ranks: the first ones lead their nodes in many algorithms, the last ones take part in
 * the extra steps for numbers of ranks that are no power of two. */
static bool time_of(struct live_range *time, const struct coll_algorithm *algorithm, struct coll_call call,
                    const struct live_costs *costs, bool is_ours)
{
    const uint32_t ranks[] = {0, 1, call.size / 2, call.size - 1};
    *time = (struct live_range){0};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct live_range one;
        call.rank = ranks[i];
        if (!time_of_rank(&one, algorithm, &call, costs, is_ours))
            return false;
        time->least_ps = larger(time->least_ps, one.least_ps);
        time->most_ps = larger(time->most_ps, one.most_ps);
    }
    return true;
}

/* ----------------------------------------------------------------- verdict */

struct live_prediction live_predict(const struct live_comm *comm, const struct live_key *key,
                                    const struct coll_algorithm *algorithm)
{
    struct live_prediction prediction = {.verdict = LIVE_UNKNOWN};
    const struct live_costs *costs = &comm->known.costs;
    struct coll_call call = live_coll_call(comm, key, 0);
    if (!costs->is_measured || !live_predicts(key) ||
        !time_of(&prediction.ours, algorithm, call, costs, true) ||
        !time_of(&prediction.theirs, coll_tuned(&TUNING, &call), call, costs, false))
        return (struct live_prediction){.verdict = LIVE_UNKNOWN};
    if (prediction.ours.most_ps < prediction.theirs.least_ps)
        prediction.verdict = LIVE_FASTER;
    else if (prediction.theirs.most_ps < prediction.ours.least_ps)
        prediction.verdict = LIVE_SLOWER;
    return prediction;
}
