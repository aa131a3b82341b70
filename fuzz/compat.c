/* Any bytes become a program and a system for SimpleComm's engine. The program is valid by construction,
 * since each message is written to both of its ranks in the same order. So the run must end without an error.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"
#include "sim/experiment.h"

enum { RANKS = 6, SLOTS = 32, STEPS_AT_MOST = 300, COUNTS = 1 + 2 * RANKS * RANKS * STEPS_AT_MOST };

/* --------------------------------------------------------------- the input */

struct input {
    const uint8_t *data;
    size_t size;
};

static uint32_t below(struct input *input, uint32_t limit)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++ % limit;
}

static uint64_t size_from(struct input *input)
{
    static const uint64_t sizes[] = {0,     1,     8,     2999,  3000,   4096,     37065,    37066,
                                     37067, 65535, 65536, 65537, 100000, 20000000, 125000000};
    return sizes[below(input, sizeof sizes / sizeof *sizes)];
}

/* ----------------------------------------------------------------- program */

struct rank_calls {
    struct call *list;
    size_t count, capacity, next;
    struct outstanding {
        uint32_t slot;
        int32_t tag;
    } requests[SLOTS];
    uint32_t request_count;
};

struct written {
    struct program program;
    struct group world;
    struct rank_calls ranks[RANKS];
    uint64_t counts[COUNTS];
    size_t count_end;
};

static const struct call *written_next(struct program *program, uint32_t rank, struct call *scratch)
{
    struct rank_calls *calls = &((struct written *)program)->ranks[rank];
    if (calls->next == calls->count)
        return NULL;
    *scratch = calls->list[calls->next++];
    return scratch;
}

static uint32_t written_slots(const struct program *program, uint32_t rank)
{
    (void)program, (void)rank;
    return SLOT_FIRST + SLOTS;
}

static struct call_place written_place(const struct program *program, uint32_t rank)
{
    return (struct call_place){.file = "fuzz", .line = ((const struct written *)program)->ranks[rank].next};
}

static void written_rewind(struct program *program)
{
    for (int rank = 0; rank < RANKS; rank++)
        ((struct written *)program)->ranks[rank].next = 0;
}

static const struct program_ops written_ops = {
    .next = written_next, .slots = written_slots, .place = written_place, .rewind = written_rewind};

static void write_call(struct written *written, uint32_t rank, struct call call)
{
    struct rank_calls *calls = &written->ranks[rank];
    calls->list = mem_grow(calls->list, &calls->capacity, calls->count + 1, "calls");
    calls->list[calls->count++] = call;
}

/* Waits for all requests, together or one after another. */
static void drain(struct written *written, uint32_t rank, bool at_once)
{
    struct rank_calls *calls = &written->ranks[rank];
    if (at_once && calls->request_count > 0)
        write_call(written, rank, (struct call){.op = CALL_WAITALL, .expected = calls->request_count});
    for (uint32_t i = 0; !at_once && i < calls->request_count; i++)
        write_call(written, rank, (struct call){.op = CALL_WAIT, .slot = calls->requests[i].slot});
    calls->request_count = 0;
}

static void post(struct written *written, uint32_t rank, struct call call, bool immediate)
{
    struct rank_calls *calls = &written->ranks[rank];
    if (immediate) {
        call.flags = CALL_IMMEDIATE;
        call.slot = SLOT_FIRST + calls->request_count;
        calls->requests[calls->request_count++] = (struct outstanding){.slot = call.slot, .tag = call.tag};
    }
    call.channel = CHANNEL_KEYED;
    write_call(written, rank, call);
}

static void make_room(struct written *written, uint32_t rank)
{
    if (written->ranks[rank].request_count > SLOTS - 2)
        drain(written, rank, true);
}

/* The receive is posted first, so that a rank can send to itself. */
static void write_message(struct written *written, struct input *input)
{
    uint32_t from = below(input, written->program.ranks), to = below(input, written->program.ranks);
    uint32_t how = below(input, 16);
    int32_t tag = 100 + (int32_t)below(input, 3);
    uint64_t bytes = size_from(input);
    bool to_itself = from == to;
    make_room(written, from);
    make_room(written, to);
    post(written, to,
         (struct call){.op = CALL_RECV, .peer = (int32_t)from, .tag = tag, .recv_bytes = bytes + (how & 4)},
         to_itself || (how & 1));
    post(written, from, (struct call){.op = CALL_SEND, .peer = (int32_t)to, .tag = tag, .bytes = bytes},
         to_itself || (how & 2));
    if (how & 8)
        drain(written, from, how & 1);
}

static uint64_t counts_from(struct written *written, const uint64_t matrix[RANKS][RANKS], uint32_t rank,
                            bool sent)
{
    uint64_t first = written->count_end;
    for (uint32_t peer = 0; peer < written->program.ranks; peer++)
        written->counts[written->count_end++] = sent ? matrix[rank][peer] : matrix[peer][rank];
    return first;
}

static void write_collective(struct written *written, struct input *input)
{
    static const uint8_t ops[] = {CALL_BARRIER,   CALL_BCAST,    CALL_REDUCE,
                                  CALL_ALLREDUCE, CALL_ALLTOALL, CALL_ALLTOALLV};
    uint64_t matrix[RANKS][RANKS];
    uint8_t op = ops[below(input, sizeof ops)];
    uint32_t root = below(input, written->program.ranks);
    uint64_t bytes = size_from(input);
    for (int i = 0; i < RANKS * RANKS; i++)
        matrix[i / RANKS][i % RANKS] = op == CALL_ALLTOALLV ? size_from(input) : 0;
    for (uint32_t rank = 0; rank < written->program.ranks; rank++) {
        struct call call = {.op = op, .peer = (int32_t)root, .bytes = bytes, .recv_bytes = bytes};
        if (op == CALL_ALLTOALLV) {
            call.send_counts = counts_from(written, matrix, rank, true);
            call.recv_counts = counts_from(written, matrix, rank, false);
        }
        write_call(written, rank, call);
    }
}

static void write_compute(struct written *written, struct input *input)
{
    static const double amounts[] = {0, 1, 1e3, 1e6, 1e9, 1e12};
    uint32_t rank = below(input, written->program.ranks);
    write_call(written, rank, (struct call){.op = CALL_COMPUTE, .amount = amounts[below(input, 6)]});
}

static void write_program(struct written *written, struct input *input)
{
    uint32_t ranks = 1 + below(input, RANKS);
    written->world = (struct group){.size = ranks};
    written->program = (struct program){.ops = &written_ops,
                                        .name = "fuzz",
                                        .ranks = ranks,
                                        .groups = &written->world,
                                        .group_count = 1,
                                        .counts = written->counts};
    written->count_end = 1;
    for (int step = 0; input->size > 0 && step < STEPS_AT_MOST; step++) {
        uint32_t what = below(input, 8);
        if (what == 0)
            write_collective(written, input);
        else if (what == 1)
            write_compute(written, input);
        else if (what == 2)
            drain(written, below(input, ranks), below(input, 2));
        else
            write_message(written, input);
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        drain(written, rank, rank & 1);
        write_call(written, rank, (struct call){.op = CALL_FINALIZE});
    }
}

/* ------------------------------------------------------------------ system */

static const char *const settings[][8] = {
    {"fabric=packet", "fabric=fmu", "fabric=hybrid"},
    {"ranks_per_node=1", "ranks_per_node=2", "ranks_per_node=4"},
    {"fmu.count=1", "fmu.count=2", "fmu.count=5", "fmu.count=64"},
    {"fmu.try_idle=NONE", "fmu.try_idle=SIMPLE", "fmu.try_idle=RANDOM", "fmu.try_idle=LEAST_S",
     "fmu.try_idle=LEAST_SR"},
    {"fmu.among_all=STATIC", "fmu.among_all=INCREMENTAL", "fmu.among_all=RANDOM", "fmu.among_all=LEAST_S",
     "fmu.among_all=LEAST_SR"},
    {"fmu.t_switch=5us", "fmu.t_switch=0us", "fmu.t_switch=1ps", "fmu.t_switch=10ms"},
    {"fmu.bandwidth=76.8GB/s", "fmu.bandwidth=10MB/s", "fmu.bandwidth=9223372036854775807B/s"},
    {"packet.latency=8us", "packet.latency=0us", "packet.latency=1ps", "packet.latency=10ms"},
    {"packet.bandwidth=12.5GB/s", "packet.bandwidth=10MB/s", "packet.bandwidth=70TB/s"},
    {"intranode.bandwidth=76.8GB/s", "intranode.bandwidth=10MB/s",
     "intranode.bandwidth=9223372036854775807B/s"},
    {"intranode.latency=0us", "intranode.latency=1us"},
    {"mpi.eager_threshold=65536B", "mpi.eager_threshold=0B", "mpi.eager_threshold=1MB"},
    {"mpi.reduce=binomial", "mpi.reduce=linear"},
    {"simplecomm.allreduce=reduceBinomialTree_bcast", "simplecomm.allreduce=reduce_bcast"},
    {"simplecomm.alltoallv=nbc_like_simgrid", "simplecomm.alltoallv=nbc_improved"},
    {"simplecomm.booster_factor=1", "simplecomm.booster_factor=0", "simplecomm.booster_factor=3"},
    {"simplecomm.booster_every=1", "simplecomm.booster_every=2"},
};

static void choose_system(struct config *config, struct input *input)
{
    fuzz_must(config_set(config, "compat=simplecomm") == STATUS_OK, "a setting");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint32_t choices = 0;
        while (choices < 8 && settings[i][choices])
            choices++;
        fuzz_must(config_set(config, settings[i][below(input, choices)]) == STATUS_OK, "a setting");
    }
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct config *config = fuzz_config_open();
    struct written *written = mem_alloc(1, sizeof *written, "a program");
    choose_system(config, &input);
    write_program(written, &input);

    struct experiment experiment;
    struct experiment_watch watch = {0};
    struct result result = {0};
    fuzz_must(experiment_init_with(&experiment, config, &written->program) == STATUS_OK, "the system");
    fuzz_must(experiment_run(&experiment, 0, &watch, &result) == STATUS_OK,
              "a good program does not end well");
    result_free(&result);
    experiment_free(&experiment);
    for (int rank = 0; rank < RANKS; rank++)
        free(written->ranks[rank].list);
    free(written);
    config_close(config);
    return true;
}
