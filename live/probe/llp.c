#include "base/mem.h"
#include "live/probe/transport.h"

/* Blocks of exchanges with the low-level protocol alone (the Breaking Band paper, sections 4.1 and 4.3). */
enum llp_block {
    LLP_LATENCY_BLOCK, /* only the whole block is timed */
    LLP_POST_BLOCK,
    LLP_PROG_BLOCK,
    LLP_BUSY_BLOCK,
    LLP_TURN_BLOCK,
    LLP_DELAY_POST,                           /* one block for each delay, inserted before a post */
    LLP_DELAY_PROG = LLP_DELAY_POST + DELAYS, /* one for each delay, inserted into the progress */
    LLP_BLOCKS = LLP_DELAY_PROG + DELAYS
};

struct llp {
    struct transport transport;
    uint64_t received, polls;
    ticks_t post_delay, prog_delay;
};

static ucs_status_t on_message(void *self, void *data, size_t length, unsigned flags)
{
    struct llp *llp = self;
    (void)data, (void)length, (void)flags;
    llp->received++;
    if (llp->prog_delay)
        clock_spin(llp->prog_delay);
    return UCS_OK;
}

/* Sends eight bytes in the header, as UCX's own benchmark does. */
static inline ucs_status_t post(struct llp *llp)
{
    return uct_ep_am_short(llp->transport.ep, 0, llp->received, NULL, 0);
}

static void post_one(struct llp *llp)
{
    if (llp->post_delay)
        clock_spin(llp->post_delay);
    while (post(llp) == UCS_ERR_NO_RESOURCE)
        uct_worker_progress(llp->transport.worker);
}

static void post_timed(struct llp *llp)
{
    ticks_t from = clock_now();
    ucs_status_t status = post(llp);
    ticks_t to = clock_now();
    if (status == UCS_OK)
        record_sample(Q_LLP_POST, clock_ns(from, to));
    else
        post_one(llp);
}

static void await(struct llp *llp, uint64_t count)
{
    for (; llp->received < count; llp->polls++)
        uct_worker_progress(llp->transport.worker);
}

/* Times each poll. The one that finds the message is a sample of the progress; the last one before it is a
 * sample of an empty poll. */
static void await_timed(struct llp *llp, uint64_t count)
{
    double empty_ns = -1;
    for (;;) {
        ticks_t from = clock_now();
        uct_worker_progress(llp->transport.worker);
        ticks_t to = clock_now();
        if (llp->received >= count) {
            record_sample(Q_LLP_PROG, clock_ns(from, to));
            break;
        }
        empty_ns = clock_ns(from, to);
    }
    if (empty_ns >= 0)
        record_sample(Q_EMPTY_PROG, empty_ns);
}

/* The first process begins and times its own calls; the other one answers. Returns half a round trip. */
static double bounce(struct llp *llp, struct probe_pair *pair, enum llp_block timed)
{
    bool first = pair->first;
    uint64_t base = llp->received;
    ticks_t from = clock_now();
    for (unsigned i = 1; i <= BLOCK; i++) {
        if (!first)
            await(llp, base + i);
        if (first && timed == LLP_POST_BLOCK)
            post_timed(llp);
        else
            post_one(llp);
        if (first && timed == LLP_PROG_BLOCK)
            await_timed(llp, base + i);
        else if (first)
            await(llp, base + i);
    }
    ticks_t to = clock_now();
    return clock_ns(from, to) / (2 * BLOCK);
}

/* A block of turns (probe.h). */
static void count_turns(struct llp *llp, struct probe_pair *pair)
{
    struct turns turns = {.polls = {0}};
    uint64_t base = llp->received;
    for (unsigned i = 1; i <= BLOCK; i++) {
        if (!pair->first) {
            await(llp, base + i);
            turns_delay(i);
        }
        post_one(llp);
        uint64_t before = llp->polls;
        if (pair->first)
            await(llp, base + i);
        turns.polls[turns_are_late(i)] += llp->polls - before;
    }
    if (pair->first)
        turns_record(&turns, Q_LLP_TURN);
}

/* The first process fills the queue while the other does not poll. A post that finds the queue full is a busy
 * post. */
static void fill(struct llp *llp, struct probe_pair *pair)
{
    enum { AT_MOST = 100000, BUSY = 100 };
    uint64_t sent = 0, expected;
    if (pair->first) {
        while (sent < AT_MOST && post(llp) == UCS_OK)
            sent++;
        for (unsigned i = 0; i < BUSY && sent < AT_MOST; i++) {
            ticks_t from = clock_now();
            ucs_status_t status = post(llp);
            ticks_t to = clock_now();
            if (status == UCS_ERR_NO_RESOURCE)
                record_sample(Q_BUSY_POST, clock_ns(from, to));
            else
                sent += status == UCS_OK;
        }
    }
    uint64_t base = llp->received;
    pair->exchange(pair, &sent, &expected, sizeof sent);
    if (!pair->first)
        await(llp, base + expected);
    pair_barrier(pair);
    /* Places in the queue become free when the sender makes progress. */
    for (unsigned i = 0; i < BUSY; i++)
        uct_worker_progress(llp->transport.worker);
}

static void run_block(void *self, struct probe_pair *pair, unsigned variant)
{
    struct llp *llp = self;
    enum llp_block block = variant;
    if (block == LLP_BUSY_BLOCK) {
        fill(llp, pair);
        return;
    }
    if (block == LLP_TURN_BLOCK) {
        count_turns(llp, pair);
        return;
    }
    unsigned delay_ns = 0;
    if (block >= LLP_DELAY_POST)
        delay_ns = probe_delays_ns[(block - LLP_DELAY_POST) % DELAYS];
    ticks_t delay = (ticks_t)((double)delay_ns * probe_clock.ticks_per_ns);
    bool at_post = block < LLP_DELAY_PROG;
    llp->post_delay = at_post ? delay : 0;
    llp->prog_delay = at_post ? 0 : delay;
    double half_ns = bounce(llp, pair, block);
    llp->post_delay = llp->prog_delay = 0;
    if (!pair->first)
        return;
    if (block == LLP_LATENCY_BLOCK)
        record_sample(Q_LLP_LATENCY, half_ns);
    else if (delay_ns)
        record_delay(at_post ? "LLP_post" : "LLP_prog", delay_ns, half_ns);
}

void llp_add_blocks(struct llp *llp, struct block_schedule *schedule)
{
    for (unsigned i = 0; i < LLP_BLOCKS; i++)
        block_schedule_add(schedule, run_block, llp, i);
}

struct llp *llp_open(struct probe_pair *pair)
{
    struct llp *llp = mem_alloc(1, sizeof *llp, "the low-level protocol");
    if (transport_init(&llp->transport, pair, on_message, llp))
        return llp;
    free(llp);
    return NULL;
}

void llp_close(struct llp *llp)
{
    transport_free(&llp->transport);
    free(llp);
}

const char *llp_name(const struct llp *llp)
{
    return llp->transport.name;
}
