/* A second witness beside the prover: every algorithm is executed on real data, in a random order of ranks
 * and messages, and the result is compared with MPI's definition of the operation, computed in loops. It
 * shares no code with the prover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "coll/nodes.h"

/* An element is a number of 64 bits, and the reduction adds modulo 2^64: an element that is missing, wrong or
 * counted twice changes the sum. */
enum {
    ELEMENT = sizeof(uint64_t),
    RANKS_MAX = 24,
    ENDS_MAX = 1 << 16,
    OPEN_MAX = 4096,
    VALUES_MAX = 6000, /* elements of one buffer */
    FLAGS_MAX = 512,
    BUFFERS = COLL_SHARED + 1
};

struct trial {
    const struct coll_algorithm *algorithm;
    struct coll_nodes nodes;
    uint32_t node_storage[4 * RANKS_MAX + 1];
    uint32_t size, root, window, leaders;
    uint64_t elements, segment_bytes;
    bool has_counts;
    bool tells_order;                        /* the reduction depends on the order of operands */
    uint64_t counts[RANKS_MAX * RANKS_MAX];  /* bytes: source * size + destination, or of each rank */
    uint64_t columns[RANKS_MAX * RANKS_MAX]; /* of alltoallv: destination * size + source */
};

static uint64_t input(uint32_t rank, uint64_t index)
{
    uint64_t value = (rank + 1) * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95);
    return (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* --------------------------------------------------------------- definition */

static bool is_rooted(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_GATHERV ||
           kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

static bool takes_counts(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_ALLGATHERV || kind == COLL_GATHERV ||
           kind == COLL_SCATTERV || kind == COLL_REDUCE_SCATTER;
}

/* A vector of `elements`, and no blocks. */
static bool has_vector(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_ALLREDUCE;
}

/* Elements of the block that `source` has for `destination`, or that belongs to the only one that matters. */
static uint64_t block(const struct trial *trial, uint32_t source, uint32_t destination)
{
    enum coll_kind kind = trial->algorithm->kind;
    if (!trial->has_counts)
        return trial->elements;
    if (kind == COLL_ALLTOALLV)
        return trial->counts[source * trial->size + destination] / ELEMENT;
    bool of_source = kind == COLL_ALLGATHERV || kind == COLL_GATHERV;
    return trial->counts[of_source ? source : destination] / ELEMENT;
}

static uint64_t blocks_to(const struct trial *trial, uint32_t source, uint32_t end)
{
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < end; rank++)
        sum += block(trial, source, rank);
    return sum;
}

static uint64_t sum_of(uint32_t ranks, uint64_t index)
{
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        sum += input(rank, index);
    return sum;
}

/* Elements in the send buffer of a rank. */
static uint64_t sent(const struct trial *trial, uint32_t rank)
{
    switch (trial->algorithm->kind) {
    case COLL_BARRIER:
        return 0;
    case COLL_BCAST:
        return rank == trial->root ? trial->elements : 0;
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return rank == trial->root ? blocks_to(trial, rank, trial->size) : 0;
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_REDUCE_SCATTER:
        return blocks_to(trial, rank, trial->size);
    case COLL_GATHERV:
    case COLL_ALLGATHERV:
        return block(trial, rank, rank);
    default:
        return trial->elements;
    }
}

/* What MPI promises in the receive buffer of a rank; returns the number of elements. */
static uint64_t expected(const struct trial *trial, uint32_t rank, uint64_t *into)
{
    enum coll_kind kind = trial->algorithm->kind;
    bool at_root = rank == trial->root;
    uint64_t count = 0;
    if (kind == COLL_BARRIER || (kind == COLL_BCAST && at_root) ||
        ((kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_GATHERV) && !at_root))
        return 0;
    if (kind == COLL_BCAST)
        for (; count < trial->elements; count++)
            into[count] = input(trial->root, count);
    else if (kind == COLL_REDUCE || kind == COLL_ALLREDUCE)
        for (; count < trial->elements; count++)
            into[count] = sum_of(trial->size, count);
    else if (kind == COLL_SCAN || kind == COLL_EXSCAN)
        for (; count < trial->elements; count++)
            into[count] = sum_of(rank + (kind == COLL_SCAN), count);
    else if (kind == COLL_SCATTER || kind == COLL_SCATTERV)
        for (; count < block(trial, trial->root, rank); count++)
            into[count] = input(trial->root, blocks_to(trial, trial->root, rank) + count);
    else if (kind == COLL_REDUCE_SCATTER)
        for (; count < block(trial, 0, rank); count++)
            into[count] = sum_of(trial->size, blocks_to(trial, 0, rank) + count);
    else
        for (uint32_t source = 0; source < trial->size; source++)
            for (uint64_t i = 0; i < block(trial, source, rank); i++) {
                bool alltoall = kind == COLL_ALLTOALL || kind == COLL_ALLTOALLV;
                into[count++] = input(source, (alltoall ? blocks_to(trial, source, rank) : 0) + i);
            }
    return count;
}

/* ------------------------------------------------------------------ machine */

/* A message whose two ends are posted, or one end of it. */
struct message {
    bool is_send, is_open;
    uint32_t rank, peer, flag;
    unsigned char *memory;
    uint64_t bytes;
    struct message *partner; /* both ends are posted: the transfer may happen at any time */
};

struct process {
    struct coll_call call;
    unsigned char *memory[BUFFERS];
    uint64_t bytes[BUFFERS];
    uint32_t phase, pending;
    uint32_t awaited[FLAGS_MAX], awaited_count;
    bool begun, at_barrier, done;
};

struct machine {
    struct coll_sink sink;
    const struct trial *trial;
    struct rng *rng;
    struct process processes[RANKS_MAX];
    uint32_t at; /* the process that emits */
    size_t message_count, first_open;
    bool flags[RANKS_MAX][FLAGS_MAX]; /* of each node */
    bool wrong;
    struct message messages[ENDS_MAX]; /* in the order in which they are posted */
};

enum { NO_FLAG = UINT32_MAX };

/* The memory of a span. A span outside its buffer is wrong. */
static unsigned char *memory_of(struct machine *machine, struct coll_span span)
{
    static unsigned char token[16];
    struct process *self = &machine->processes[machine->at];
    if (span.buffer == COLL_TOKEN) {
        machine->wrong |= span.bytes > sizeof token;
        return token;
    }
    if (span.offset > self->bytes[span.buffer] || span.bytes > self->bytes[span.buffer] - span.offset) {
        machine->wrong = true;
        return NULL;
    }
    return self->memory[span.buffer] + span.offset;
}

/* Joins the end with the first open one of its pair on the other side. */
static void post(struct machine *machine, bool is_send, uint32_t peer, struct coll_span span, uint32_t flag)
{
    unsigned char *memory = memory_of(machine, span);
    if (machine->wrong || peer >= machine->trial->size ||
        machine->message_count == sizeof machine->messages / sizeof *machine->messages) {
        machine->wrong = true;
        return;
    }
    struct message *end = &machine->messages[machine->message_count++];
    *end = (struct message){.is_send = is_send,
                            .is_open = true,
                            .rank = machine->at,
                            .peer = peer,
                            .flag = flag,
                            .memory = memory,
                            .bytes = span.bytes};
    machine->processes[machine->at].pending++;
    if (!is_send) /* nobody may read this before the message has come */
        memset(memory, 0xa5, span.bytes);
    for (struct message *other = machine->messages + machine->first_open; other < end; other++)
        if (other->is_open && !other->partner && other->is_send != is_send && other->rank == peer &&
            other->peer == machine->at) {
            other->partner = end;
            end->partner = other;
            return;
        }
}

static void post_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    post((struct machine *)sink, true, peer, from, NO_FLAG);
}

static void post_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    post((struct machine *)sink, false, peer, into, NO_FLAG);
}

static void post_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    post((struct machine *)sink, false, peer, into, flag);
}

static void copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct machine *machine = (struct machine *)sink;
    unsigned char *source = memory_of(machine, from), *destination = memory_of(machine, into);
    if (!machine->wrong)
        memmove(destination, source, into.bytes);
}

static uint64_t ordered_sum(uint64_t a, uint64_t b)
{
    return (a ^ b >> 7) * UINT64_C(0x9e3779b97f4a7c15) + b;
}

static void reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct machine *machine = (struct machine *)sink;
    unsigned char *source = memory_of(machine, from), *sum = memory_of(machine, into);
    for (uint64_t i = 0; !machine->wrong && i + ELEMENT <= into.bytes; i += ELEMENT) {
        uint64_t a, b;
        memcpy(&a, source + i, ELEMENT);
        memcpy(&b, sum + i, ELEMENT);
        a = machine->trial->tells_order ? ordered_sum(a, b) : a + b;
        memcpy(sum + i, &a, ELEMENT);
    }
}

static uint32_t node_at(const struct machine *machine, uint32_t rank)
{
    return machine->trial->nodes.node_of[rank];
}

static void raise_flag(struct machine *machine, uint32_t rank, uint32_t flag)
{
    if (flag < FLAGS_MAX)
        machine->flags[node_at(machine, rank)][flag] = true;
    else
        machine->wrong = true;
}

static void raise_now(struct coll_sink *sink, uint32_t flag)
{
    struct machine *machine = (struct machine *)sink;
    raise_flag(machine, machine->at, flag);
}

static void await(struct coll_sink *sink, uint32_t flag)
{
    struct process *self = &((struct machine *)sink)->processes[((struct machine *)sink)->at];
    if (self->awaited_count < FLAGS_MAX)
        self->awaited[self->awaited_count++] = flag;
}

static void barrier(struct coll_sink *sink)
{
    struct machine *machine = (struct machine *)sink;
    machine->processes[machine->at].at_barrier = true;
}

/* ---------------------------------------------------------------------- run */

/* All ranks of the node have arrived: they may go on. */
static void open_barriers(struct machine *machine)
{
    const struct coll_nodes *nodes = &machine->trial->nodes;
    for (uint32_t node = 0; node < nodes->count; node++) {
        bool all = true;
        for (uint32_t i = nodes->first[node]; i < nodes->first[node + 1]; i++)
            all &= machine->processes[nodes->members[i]].at_barrier;
        for (uint32_t i = nodes->first[node]; all && i < nodes->first[node + 1]; i++)
            machine->processes[nodes->members[i]].at_barrier = false;
    }
}

static bool may_go_on(const struct machine *machine, uint32_t rank)
{
    const struct process *self = &machine->processes[rank];
    for (uint32_t i = 0; i < self->awaited_count; i++)
        if (self->awaited[i] >= FLAGS_MAX || !machine->flags[node_at(machine, rank)][self->awaited[i]])
            return false;
    return !self->done && self->pending == 0 && !self->at_barrier;
}

static void run_phase(struct machine *machine, uint32_t rank)
{
    struct process *self = &machine->processes[rank];
    machine->at = rank;
    self->begun = true;
    self->awaited_count = 0;
    if (machine->trial->algorithm->emit(&self->call, self->phase++, &machine->sink)) {
        open_barriers(machine);
        return;
    }
    self->done = true;
    for (uint32_t other = 0; machine->trial->algorithm->kind == COLL_BARRIER && other < machine->trial->size;
         other++)
        machine->wrong |= !machine->processes[other].begun; /* it left before all had come */
}

static void transfer(struct machine *machine, struct message *end)
{
    struct message *send = end->is_send ? end : end->partner, *recv = send->partner;
    if (send->bytes != recv->bytes)
        machine->wrong = true;
    else
        memcpy(recv->memory, send->memory, send->bytes);
    if (recv->flag != NO_FLAG)
        raise_flag(machine, recv->rank, recv->flag);
    send->is_open = recv->is_open = false;
    machine->processes[send->rank].pending--;
    machine->processes[recv->rank].pending--;
}

/* One phase of some rank, or one transfer, chosen at random. Returns false if there is neither. */
static bool step(struct machine *machine)
{
    struct message *transfers[OPEN_MAX];
    uint32_t ready[RANKS_MAX];
    size_t transfer_count = 0, ready_count = 0;
    for (uint32_t rank = 0; rank < machine->trial->size; rank++)
        if (may_go_on(machine, rank))
            ready[ready_count++] = rank;
    while (machine->first_open < machine->message_count && !machine->messages[machine->first_open].is_open)
        machine->first_open++;
    for (size_t i = machine->first_open; i < machine->message_count; i++) {
        struct message *end = &machine->messages[i];
        if (end->is_open && end->is_send && end->partner &&
            transfer_count < sizeof transfers / sizeof *transfers)
            transfers[transfer_count++] = end;
    }
    if (ready_count + transfer_count == 0)
        return false;
    uint64_t chosen = rng_below(machine->rng, ready_count + transfer_count);
    if (chosen < ready_count)
        run_phase(machine, ready[chosen]);
    else
        transfer(machine, transfers[chosen - ready_count]);
    return !machine->wrong;
}

/* ---------------------------------------------------------- set-up, verdict */

static struct coll_call call_of(const struct trial *trial, uint32_t rank)
{
    enum coll_kind kind = trial->algorithm->kind;
    const uint64_t *counts = trial->has_counts ? trial->counts : NULL;
    struct coll_call call = {.kind = kind,
                             .size = trial->size,
                             .rank = rank,
                             .root = trial->root,
                             .window = trial->window,
                             .leaders = trial->leaders,
                             .segment_bytes = trial->segment_bytes,
                             .element = ELEMENT,
                             .bytes = trial->elements * ELEMENT,
                             .nodes = &trial->nodes};
    if (!counts)
        return call;
    if (kind == COLL_ALLTOALLV) {
        call.send_bytes = counts + (size_t)rank * trial->size;
        call.recv_bytes = trial->columns + (size_t)rank * trial->size;
    } else if (kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER) {
        call.recv_bytes = counts;
    } else {
        call.bytes = counts[rank];
        if (rank == trial->root)
            *(kind == COLL_GATHERV ? &call.recv_bytes : &call.send_bytes) = counts;
    }
    return call;
}

/* A buffer of garbage of exactly this length, so that a sanitizer sees what leaves it. */
static unsigned char *garbage(uint64_t bytes)
{
    unsigned char *memory = malloc(bytes ? bytes : 1);
    assert_non_null(memory);
    memset(memory, 0x5a, bytes ? bytes : 1);
    return memory;
}

static void open_process(struct machine *machine, uint32_t rank)
{
    const struct trial *trial = machine->trial;
    struct process *self = &machine->processes[rank];
    uint64_t *values = (uint64_t *)garbage(ELEMENT * VALUES_MAX);
    self->call = call_of(trial, rank);
    self->bytes[COLL_SEND_BUFFER] = sent(trial, rank) * ELEMENT;
    self->bytes[COLL_RECV_BUFFER] = expected(trial, rank, values) * ELEMENT;
    self->bytes[COLL_SCRATCH] = coll_scratch(trial->algorithm, &self->call);
    self->bytes[COLL_SHARED] = trial->algorithm->shared ? trial->algorithm->shared(&self->call) : 0;
    uint32_t first = trial->nodes.members[trial->nodes.first[trial->nodes.node_of[rank]]];
    for (int buffer = 0; buffer < BUFFERS; buffer++)
        self->memory[buffer] = buffer == COLL_SHARED && first != rank
                                   ? machine->processes[first].memory[buffer]
                                   : garbage(self->bytes[buffer]);
    for (uint64_t i = 0; i < self->bytes[COLL_SEND_BUFFER] / ELEMENT; i++)
        values[i] = input(rank, i);
    memcpy(self->memory[COLL_SEND_BUFFER], values, self->bytes[COLL_SEND_BUFFER]);
    free(values);
}

static bool is_right(struct machine *machine, uint32_t rank)
{
    const struct process *self = &machine->processes[rank];
    uint64_t *values = (uint64_t *)garbage(ELEMENT * VALUES_MAX);
    uint64_t count = expected(machine->trial, rank, values);
    bool undefined = machine->trial->algorithm->kind == COLL_EXSCAN && rank == 0;
    bool right = undefined || memcmp(values, self->memory[COLL_RECV_BUFFER], count * ELEMENT) == 0;
    for (uint64_t i = 0; i < self->bytes[COLL_SEND_BUFFER] / ELEMENT; i++)
        values[i] = input(rank, i);
    right &= memcmp(values, self->memory[COLL_SEND_BUFFER], self->bytes[COLL_SEND_BUFFER]) == 0;
    free(values);
    return right && self->done;
}

/* Whether the rank's result has the bits of rank 0's. */
static bool has_same_bits(const struct machine *machine, uint32_t rank)
{
    const struct process *self = &machine->processes[rank], *first = &machine->processes[0];
    return self->done && memcmp(self->memory[COLL_RECV_BUFFER], first->memory[COLL_RECV_BUFFER],
                                self->bytes[COLL_RECV_BUFFER]) == 0;
}

/* Whether the rank of an allreduce has x0 op (x1 op (x2 ...)). */
static bool is_in_order(const struct machine *machine, uint32_t rank)
{
    const struct process *self = &machine->processes[rank];
    bool right = self->done;
    for (uint64_t i = 0; i < self->bytes[COLL_RECV_BUFFER] / ELEMENT; i++) {
        uint64_t sum = input(machine->trial->size - 1, i), found;
        for (uint32_t from = machine->trial->size - 1; from-- > 0;)
            sum = ordered_sum(input(from, i), sum);
        memcpy(&found, self->memory[COLL_RECV_BUFFER] + i * ELEMENT, ELEMENT);
        right &= found == sum;
    }
    return right;
}

static void close_process(struct machine *machine, uint32_t rank)
{
    const struct coll_nodes *nodes = &machine->trial->nodes;
    struct process *self = &machine->processes[rank];
    bool shares = nodes->members[nodes->first[nodes->node_of[rank]]] != rank;
    for (int buffer = 0; buffer < BUFFERS; buffer++)
        if (buffer != COLL_SHARED || !shares)
            free(self->memory[buffer]);
}

static bool execute(const struct trial *trial, struct rng *rng)
{
    static struct machine machine;
    memset(&machine, 0, offsetof(struct machine, messages));
    machine.sink = (struct coll_sink){.send = post_send,
                                      .recv = post_recv,
                                      .recv_raise = post_recv_raise,
                                      .barrier = barrier,
                                      .raise = raise_now,
                                      .await = await,
                                      .copy = copy,
                                      .reduce = reduce,
                                      .local = true};
    machine.trial = trial;
    machine.rng = rng;
    for (uint32_t rank = 0; rank < trial->size; rank++)
        open_process(&machine, rank);
    while (step(&machine))
        continue;
    bool right = !machine.wrong;
    for (uint32_t rank = 0; rank < trial->size; rank++)
        right &= !trial->tells_order                              ? is_right(&machine, rank)
                 : strcmp(trial->algorithm->name, "ordered") == 0 ? is_in_order(&machine, rank)
                                                                  : has_same_bits(&machine, rank);
    for (uint32_t rank = 0; rank < trial->size; rank++)
        close_process(&machine, rank);
    return right;
}

/* ------------------------------------------------------------------- trials */

static struct trial random_trial(const struct coll_algorithm *algorithm, struct rng *rng)
{
    struct trial trial = {.algorithm = algorithm, .size = 1 + (uint32_t)rng_below(rng, RANKS_MAX)};
    uint32_t places[RANKS_MAX], nodes = 1 + (uint32_t)rng_below(rng, trial.size);
    trial.root = is_rooted(algorithm->kind) ? (uint32_t)rng_below(rng, trial.size) : 0;
    trial.window = (uint32_t)rng_below(rng, 4);
    trial.leaders = 1 + (uint32_t)rng_below(rng, 3);
    trial.elements = rng_below(rng, 2) ? rng_below(rng, 50) : rng_below(rng, 4);
    trial.segment_bytes = rng_below(rng, 3) ? ELEMENT * (1 + rng_below(rng, 6)) : 0;
    if (has_vector(algorithm->kind) && rng_below(rng, 4) == 0) {
        trial.elements = rng_below(rng, VALUES_MAX); /* ranks of a node share the work, nodes send parts */
        trial.segment_bytes = 0;
    }
    trial.has_counts = takes_counts(algorithm->kind) && rng_below(rng, 2);
    for (uint32_t i = 0; i < trial.size * trial.size; i++)
        trial.counts[i] = rng_below(rng, 3) ? ELEMENT * rng_below(rng, 9) : 0;
    for (uint32_t source = 0; source < trial.size; source++)
        for (uint32_t destination = 0; destination < trial.size; destination++)
            trial.columns[destination * trial.size + source] =
                trial.counts[source * trial.size + destination];
    bool in_blocks = rng_below(rng, 2);
    for (uint32_t rank = 0; rank < trial.size; rank++)
        places[rank] = in_blocks ? rank * nodes / trial.size : (uint32_t)rng_below(rng, nodes);
    memcpy(trial.node_storage, places, sizeof places);
    return trial;
}

/* The map points into the trial, so it is made where the trial stays. */
static bool try(struct trial *trial, struct rng *rng)
{
    uint32_t places[RANKS_MAX];
    memcpy(places, trial->node_storage, sizeof places);
    coll_nodes_init(&trial->nodes, trial->size, places, trial->node_storage);
    return execute(trial, rng);
}

static void real_data_reach_their_places(void **state)
{
    (void)state;
    enum { TRIALS = 60 };
    struct rng rng = rng_init(1, "data");
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (int i = 0; i < TRIALS; i++) {
            struct trial trial = random_trial(coll_algorithms[a], &rng);
            if (!try(&trial, &rng))
                fail_msg("%s %s, trial %d: %u ranks on %u nodes, root %u, %llu elements, segment %llu B",
                         coll_kind_name(trial.algorithm->kind), trial.algorithm->name, i, trial.size,
                         trial.nodes.count, trial.root, (unsigned long long)trial.elements,
                         (unsigned long long)trial.segment_bytes);
        }
}

/* The first of `trials` random allreduces that has other bits on some ranks; `trials` if there is none. */
static int first_with_other_bits(const char *name, int trials)
{
    struct rng rng = rng_init(3, "order");
    for (int i = 0; i < trials; i++) {
        struct trial trial = random_trial(coll_find(COLL_ALLREDUCE, name), &rng);
        trial.tells_order = true;
        if (!try(&trial, &rng))
            return i;
    }
    return trials;
}

/* Floating-point sums depend on the order of operands. */
static void all_ranks_get_the_same_bits(void **state)
{
    (void)state;
    assert_int_equal(first_with_other_bits("leaders", 200), 200);
    assert_int_equal(first_with_other_bits("ordered", 200), 200);
    assert_int_equal(first_with_other_bits("circulant", 60), 60);
    assert_in_range(first_with_other_bits("recursive-doubling", 60), 0, 59);
}

/* ---------------------------------------------------- what the witness sees */

static const struct coll_algorithm *whole;

static bool without_last_round(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return phase < call->size - 2 && whole->emit(call, phase, sink);
}

static void ignore_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

static bool without_copies(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    void (*kept)(struct coll_sink *, struct coll_span, struct coll_span) = sink->copy;
    sink->copy = ignore_copy;
    bool emitted = whole->emit(call, phase, sink);
    sink->copy = kept;
    return emitted;
}

static bool adds_twice(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 1 && call->rank == 2)
        sink->reduce(sink, (struct coll_span){COLL_SEND_BUFFER, 0, call->bytes},
                     (struct coll_span){COLL_RECV_BUFFER, 0, call->bytes});
    return whole->emit(call, phase, sink);
}

/* Blocks are passed on before they have come. */
static bool all_phases_at_once(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    for (uint32_t i = 0; phase == 0 && whole->emit(call, i, sink); i++)
        continue;
    return phase == 0;
}

static bool leaves_at_once(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return call->rank != 0 && whole->emit(call, phase, sink);
}

static bool seen(enum coll_kind kind, const char *name,
                 bool (*emit)(const struct coll_call *call, uint32_t phase, struct coll_sink *sink))
{
    struct rng rng = rng_init(2, "broken");
    struct coll_algorithm broken = *coll_find(kind, name);
    whole = coll_find(kind, name);
    if (emit)
        broken.emit = emit;
    struct trial trial = random_trial(&broken, &rng);
    trial.size = 5, trial.elements = 4, trial.has_counts = false;
    memset(trial.node_storage, 0, sizeof trial.node_storage);
    return !try(&trial, &rng);
}

static void broken_schedules_are_seen(void **state)
{
    (void)state;
    assert_false(seen(COLL_ALLGATHER, "ring", NULL));
    assert_true(seen(COLL_ALLGATHER, "ring", without_last_round));
    assert_true(seen(COLL_ALLGATHER, "ring", without_copies));
    assert_true(seen(COLL_ALLGATHER, "ring", all_phases_at_once));
    assert_true(seen(COLL_ALLREDUCE, "circulant", without_copies));
    assert_false(seen(COLL_ALLREDUCE, "recursive-doubling", NULL));
    assert_true(seen(COLL_ALLREDUCE, "recursive-doubling", adds_twice));
    assert_true(seen(COLL_BARRIER, "linear", leaves_at_once));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_data_reach_their_places),
        cmocka_unit_test(all_ranks_get_the_same_bits),
        cmocka_unit_test(broken_schedules_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
