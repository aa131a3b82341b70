/* The host model in the simulator against sums worked out by hand from Table 1 of "Breaking Band": two nodes
 * with ThunderX2 and ConnectX-4. The latency of the fabric hockney includes wire and switch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/mem.h"
#include "breakdown/model.h"
#include "fabric/list.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "support/hosts.h"
#include "support/script.h"

static struct script_outcome out;

static void run_with(const struct call *const *calls, uint32_t ranks, const char *fabric,
                     const char *const *settings)
{
    script_run(calls, ranks, fabric, settings, &out);
    assert_int_equal(out.status, STATUS_OK);
}

/* Rank 0 to rank 1. */
static void run_pair(const struct call *sender, const struct call *receiver)
{
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney",
             (const char *const[]){SYSTEM, NETWORK, NULL});
}

static void assert_nothing_unaccounted(uint32_t ranks)
{
    for (uint32_t i = 0; i < ranks; i++)
        assert_int_equal(out.compute[i] + out.idle[i] + out.software[i], out.finish[i]);
}

/* ----------------------------------------------------------------- latency */

static void eight_bytes_take_the_papers_latency(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), FINALIZE}, receiver[] = {RECV(0, 0, 8), FINALIZE};
    run_pair(sender, receiver);
    assert_int_equal(out.finish[1], 1387020);
    assert_int_equal(out.finish[1], LATENCY_PS);
    assert_int_equal(out.finish[0], INJECTION_PS);
    assert_int_equal(out.software[1], WAIT_PS + RX_PS);
    assert_nothing_unaccounted(2);
}

static void a_ping_pong_takes_the_latency_each_way(void **state)
{
    (void)state;
    static const struct call left[] = {SEND(1, 0, 8), RECV(1, 0, 8), SEND(1, 0, 8), RECV(1, 0, 8), FINALIZE};
    static const struct call right[] = {RECV(0, 0, 8), SEND(0, 0, 8), RECV(0, 0, 8), SEND(0, 0, 8), FINALIZE};
    run_pair(left, right);
    assert_int_equal(out.finish[0], 4 * LATENCY_PS);
    assert_nothing_unaccounted(2);
}

/* A message of any size takes what the model says, if the fabric has the same latency and bandwidth. */
static void sizes_take_what_the_model_says(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0,   1,   32,  33,   64,   65,    188,    189,
                                     255, 256, 257, 1000, 4096, 65536, 1000000};
    struct system_file file;
    assert_int_equal(system_init(&file, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct call sender[] = {SEND(1, 0, sizes[i]), FINALIZE};
        const struct call receiver[] = {RECV(0, 0, sizes[i]), FINALIZE};
        struct model model;
        model_init(&model, &file.system, sizes[i]);
        run_pair(sender, receiver);
        assert_int_equal(out.finish[1], model_sum(&model, END_TO_END_LATENCY));
    }
    system_free(&file);
}

/* ------------------------------------------------------------------- rates */

enum { WINDOW = 64, WINDOWS = 20, STREAM = WINDOW * WINDOWS };

/* Windows of sends or receives, each followed by one waitall, or by a wait for each message. */
static struct call *stream(bool sending, bool waits_each)
{
    struct call *calls = mem_alloc(2 * STREAM + 1, sizeof *calls, "a stream");
    size_t at = 0;
    for (uint32_t i = 0; i < STREAM; i++) {
        uint32_t slot = waits_each ? SLOT_FIRST : SLOT_FIRST + i % WINDOW;
        calls[at++] = sending ? (struct call)ISEND(1, 0, 8, slot) : (struct call)IRECV(0, 0, 8, slot);
        if (waits_each)
            calls[at++] = (struct call)WAIT(SLOT_FIRST);
        else if (i % WINDOW == WINDOW - 1)
            calls[at++] = (struct call)WAITALL;
    }
    calls[at] = (struct call)FINALIZE;
    return calls;
}

static void run_stream(bool waits_each, const char *const *settings)
{
    struct call *sender = stream(true, waits_each), *receiver = stream(false, waits_each);
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney", settings);
    assert_int_equal(out.message_total, STREAM);
    free(sender);
    free(receiver);
}

static void windows_inject_at_the_papers_rate(void **state)
{
    (void)state;
    run_stream(false, (const char *const[]){SYSTEM, NETWORK, NULL});
    assert_int_equal(out.finish[0], STREAM * INT64_C(264970));
    assert_int_equal(out.finish[0], STREAM * INJECTION_PS);
    /* The receiver has 15.57 ns a message to spare. It keeps up, except for the cost of the waits. */
    assert_true(out.finish[1] < out.finish[0] + 2 * LATENCY_PS);
    assert_nothing_unaccounted(2);
}

/* With a wait for each message the receiver takes longer than the sender. Its receive queue fills, then the
 * sender's transmit queue. After that messages leave at the receiver's rate. */
static void a_wait_per_message_is_limited_by_the_receiver(void **state)
{
    (void)state;
    char *system = hosts_system_with("queue_depth: 128\nreceive_depth: 32");
    run_stream(true, (const char *const[]){system, NETWORK, NULL});
    enum {
        FROM = STREAM / 2,
        TO = STREAM - WINDOW
    }; /* both at the same index among the sends of one completion */
    ps_t span = out.messages[TO].send_released - out.messages[FROM].send_released;
    assert_int_equal(span, (TO - FROM) * (WAIT_PS + RX_PS));
    assert_true(WAIT_PS + RX_PS > INJECTION_PS);
    hosts_forget(system);
}

static void a_queue_of_one_waits_for_each_completion(void **state)
{
    (void)state;
    static const struct call sender[] = {ISEND(1, 0, 8, 2), ISEND(1, 0, 8, 3), ISEND(1, 0, 8, 4), WAITALL,
                                         FINALIZE};
    static const struct call receiver[] = {IRECV(0, 0, 8, 2), IRECV(0, 0, 8, 3), IRECV(0, 0, 8, 4), WAITALL,
                                           FINALIZE};
    char *system = hosts_system_with("queue_depth: 1");
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney",
             (const char *const[]){system, NETWORK, NULL});
    ps_t synchronous = LLP_POST_PS + FLIGHT_PS + ACKNOWLEDGE_PS;
    assert_int_equal(out.messages[0].send_released, POST_PS);
    assert_int_equal(out.messages[1].send_released, POST_PS + synchronous);
    assert_int_equal(out.messages[2].send_released, POST_PS + 2 * synchronous);
    hosts_forget(system);
}

/* A rank that never waits makes no progress until its transmit queue is full. */
static void sends_alone_make_progress_when_they_have_to(void **state)
{
    (void)state;
    enum { SENDS = 600, DEPTH = 256 };
    struct call *sender = mem_alloc(SENDS + 2, sizeof *sender, "sends");
    struct call *receiver = mem_alloc(SENDS + 1, sizeof *receiver, "receives");
    for (uint32_t i = 0; i < SENDS; i++) {
        sender[i] = (struct call)SEND(1, 0, 8);
        receiver[i] = (struct call)RECV(0, 0, 8);
    }
    sender[SENDS] = receiver[SENDS] = (struct call)FINALIZE;
    run_pair(sender, receiver);
    assert_int_equal(out.messages[DEPTH - 1].send_released, DEPTH * POST_PS);
    assert_int_equal(out.messages[DEPTH].send_released, (DEPTH + 1) * POST_PS + DEPTH * SENT_PS);
    assert_int_equal(out.finish[0], SENDS * INJECTION_PS);
    free(sender);
    free(receiver);
}

/* ------------------------------------------------------------------- nodes */

/* Two ranks of one node send to two ranks of another at the same time. Returns how much later the second
 * message arrives. */
static ps_t second_is_late(const char *lines, uint64_t bytes)
{
    const struct call first[] = {SEND(2, 0, bytes), FINALIZE}, second[] = {SEND(3, 0, bytes), FINALIZE};
    const struct call third[] = {RECV(0, 0, bytes), FINALIZE}, fourth[] = {RECV(1, 0, bytes), FINALIZE};
    char *system = hosts_system_with(lines);
    run_with((const struct call *const[]){first, second, third, fourth}, 4, "hockney",
             (const char *const[]){system, NETWORK, "ranks_per_node=2", "hockney.bandwidth=100 GB/s", NULL});
    hosts_forget(system);
    assert_nothing_unaccounted(4);
    return out.finish[3] - out.finish[2];
}

static void ranks_of_a_node_share_pcie_and_nic(void **state)
{
    (void)state;
    assert_int_equal(second_is_late("", 8), 4064);               /* a block of 64 bytes at 15.75 GB/s */
    assert_int_equal(second_is_late("", 63000), 4064 + 4000000); /* and the payload, which the NIC fetches */
    assert_int_equal(second_is_late("NIC_gap: 1 us", 8), 1000000);
}

/* Two nodes send to a third one at the same time, over its link of 10 GB/s. Returns when the third has both
 * messages. */
static ps_t both_are_there(const char *lines, uint64_t bytes)
{
    const struct call first[] = {SEND(2, 0, bytes), FINALIZE}, second[] = {SEND(2, 0, bytes), FINALIZE};
    const struct call third[] = {RECV(0, 0, bytes), RECV(1, 0, bytes), FINALIZE};
    char *system = hosts_system_with(lines);
    run_with((const struct call *const[]){first, second, third}, 3, "packet",
             (const char *const[]){system, "packet.latency=0 ps", "packet.bandwidth=10 GB/s", NULL});
    hosts_forget(system);
    assert_nothing_unaccounted(3);
    return out.finish[2];
}

/* Messages that share a link pass PCIe while they arrive. Beside the link's own time for 2 * (63000 - 64)
 * bytes there are the calls, the fetch of a payload and single packets. These take less than a second pass
 * over PCIe would: 4 us. If PCIe is slower than the link, PCIe determines the time. */
static void what_shares_a_link_passes_pcie_while_it_comes(void **state)
{
    (void)state;
    enum { LINK_PS = 2 * (63000 - 64) * 100, REST_PS = 1500000 };
    ps_t ends = both_are_there("", 8);
    assert_in_range(both_are_there("", 63000) - ends - LINK_PS, 0, REST_PS);
    assert_in_range(both_are_there("bandwidth: {PCIe: 5 GB/s}", 63000) - ends - 2 * LINK_PS, 0, REST_PS);
}

/* The credit of a write comes back when the write has passed PCIe and its answer has returned. */
static void writes_wait_for_credits(void **state)
{
    (void)state;
    assert_int_equal(second_is_late("credits: 1", 8), 2 * PCIE_PS);
    assert_int_equal(second_is_late("credits: 2", 8), 4064);
}

/* ------------------------------------------------------------------ copies */

#define COPIES                                                                                               \
    "copy: {L2: 1 KiB, LLC: 64 KiB, L2_rate: 100 GB/s, LLC_rate: 20 GB/s, DRAM_rate: 10 GB/s, piece: 50 "    \
    "ns}\n"

static ps_t message_within_node(uint64_t bytes, const char *lines)
{
    const struct call sender[] = {SEND(1, 0, bytes), FINALIZE};
    const struct call receiver[] = {COMPUTE(1200000), RECV(0, 0, bytes),
                                    FINALIZE}; /* 100 us: the message is there by then */
    char *system = hosts_system_with(lines);
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney",
             (const char *const[]){system, NETWORK, "ranks_per_node=2", "mpi.eager_threshold=1 MiB", NULL});
    hosts_forget(system);
    assert_nothing_unaccounted(2);
    return out.finish[1] - INT64_C(100000000) - WAIT_PS - RX_PS;
}

/* Sender and receiver copy. The cost of a copy depends on the cache that holds both its source and its
 * target. */
static void a_copy_costs_by_the_cache_it_touches(void **state)
{
    (void)state;
    assert_int_equal(message_within_node(500, COPIES), 50000 + 5000);
    assert_int_equal(out.finish[0], HLP_POST_PS + 55000 + SENT_PS);
    assert_int_equal(message_within_node(5000, COPIES), 50000 + 250000);
    assert_int_equal(message_within_node(50000, COPIES), 50000 + 5000000);
    assert_int_equal(message_within_node(50000, ""), 0);
}

/* Two cores of a node copy at the same time, from and to the memory that they share. */
static void cores_share_their_memory(void **state)
{
    (void)state;
    static const struct call first[] = {SEND(2, 0, 50000), FINALIZE},
                             second[] = {SEND(3, 0, 50000), FINALIZE};
    static const struct call third[] = {COMPUTE(1200000), RECV(0, 0, 50000), FINALIZE};
    static const struct call fourth[] = {COMPUTE(2400000), RECV(1, 0, 50000), FINALIZE};
    char *system = hosts_system_with("copy: {LLC: 64 KiB, DRAM_rate: 10 GB/s, node_rate: 10 GB/s}");
    run_with((const struct call *const[]){first, second, third, fourth}, 4, "hockney",
             (const char *const[]){system, NETWORK, "ranks_per_node=4", NULL});
    hosts_forget(system);
    /* 100 kB are read and written at 10 GB/s. The first core has the memory for 10 us, then the second, which
     * asked for it before the first had posted. */
    assert_int_equal(out.finish[0], HLP_POST_PS + 10000000 + SENT_PS);
    assert_int_equal(out.finish[1], 20000000 + SENT_PS);
    assert_nothing_unaccounted(4);
}

/* Four ranks of a node stage and copy at the same time. Returns when they have ended. */
static ps_t transposed_within_node(const char *lines)
{
    const struct call exchange[] = {COLLECTIVE(CALL_ALLTOALL, 1000000, 0), FINALIZE};
    char *system = hosts_system_with(lines);
    run_with((const struct call *const[]){exchange, exchange, exchange, exchange}, 4, "hockney",
             (const char *const[]){system, NETWORK, "ranks_per_node=4", "mpi.alltoall=v2", NULL});
    hosts_forget(system);
    return out.finish[3];
}

/* A copy that a core has yet to begin does not delay other cores at the memory. */
static void future_copies_do_not_occupy_the_memory(void **state)
{
    (void)state;
    ps_t alone = transposed_within_node("copy: {LLC: 64 KiB, DRAM_rate: 10 GB/s}");
    ps_t shared = transposed_within_node("copy: {LLC: 64 KiB, DRAM_rate: 10 GB/s, node_rate: 10 TB/s}");
    assert_true(alone >= 8 * 100000000LL); /* eight copies of 100 us */
    assert_in_range(shared, alone, alone + 4 * 8 * 200000);
}

/* Two ranks of a node exchange through shared memory so many times. Returns when they have ended. */
static ps_t exchanged_within_node(size_t times, const char *caches)
{
    const struct call calls[] = {COLLECTIVE(CALL_ALLTOALL, 1024000, 0), COLLECTIVE(CALL_ALLTOALL, 1024000, 0),
                                 FINALIZE};
    const struct call *first = &calls[2 - times];
    char *system =
        hosts_system_with("copy: {L2: 0 B, LLC: 1 MB, LLC_count: 64, LLC_rate: 20 GB/s, DRAM_rate: "
                          "10 GB/s}");
    run_with((const struct call *const[]){first, first}, 2, "hockney",
             (const char *const[]){system, NETWORK, "ranks_per_node=2", "mpi.alltoall=v2", caches, NULL});
    hosts_forget(system);
    return out.finish[1];
}

/* Each rank stages 500 pages and copies 500 out. With caches of 64 MB, the first call reads what was staged
 * from a cache, at 20 GB/s, and all else is in memory, at 10 GB/s: 2 MB / 10 GB/s, then 2 MB / 20 GB/s / 2 +
 * 2 MB / 10 GB/s / 2. The second call finds everything in the caches. By the call, all copies touch more than
 * a cache of 1 MB holds. */
static void copies_find_what_the_caches_hold(void **state)
{
    (void)state;
    assert_int_equal(exchanged_within_node(1, "host.caches=call"), 2 * 204800000LL + WAIT_PS);
    assert_int_equal(exchanged_within_node(2, "host.caches=call"), 2 * (2 * 204800000LL + WAIT_PS));
    assert_int_equal(exchanged_within_node(1, "host.caches=parts"), 358400000LL + WAIT_PS);
    assert_int_equal(exchanged_within_node(2, "host.caches=parts"), 563200000LL + 2 * WAIT_PS);
    assert_nothing_unaccounted(2);
}

static void collectives_copy_too(void **state)
{
    (void)state;
    static const struct call calls[] = {COLLECTIVE(CALL_ALLGATHER, 10000, 0), FINALIZE};
    run_with((const struct call *const[]){calls, calls}, 2, "hockney",
             (const char *const[]){SYSTEM, NETWORK, NULL});
    ps_t without_ps = out.finish[0];
    char *system = hosts_system_with("copy: {L2: 0 B, LLC: 0 B, DRAM_rate: 10 GB/s}");
    run_with((const struct call *const[]){calls, calls}, 2, "hockney",
             (const char *const[]){system, NETWORK, NULL});
    hosts_forget(system);
    /* Each rank copies its own block of 10 kB into place, before or while it waits for the other rank's. */
    assert_true(out.finish[0] > without_ps && out.finish[0] <= without_ps + 2000000);
    assert_nothing_unaccounted(2);
}

/* ------------------------------------------------------------------- cores */

static void messages_that_arrive_during_a_computation_wait(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), FINALIZE};
    static const struct call receiver[] = {COMPUTE(120000), RECV(0, 0, 8), FINALIZE}; /* 10 us */
    run_pair(sender, receiver);
    assert_int_equal(out.finish[1], INT64_C(10000000) + WAIT_PS + RX_PS);
    assert_int_equal(out.idle[1], 0);
    assert_nothing_unaccounted(2);
}

static void one_core_handles_messages_one_after_another(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(2, 0, 8), FINALIZE};
    static const struct call receiver[] = {IRECV(0, 0, 8, 2), IRECV(1, 0, 8, 3), WAITALL, FINALIZE};
    run_with((const struct call *const[]){sender, sender, receiver}, 3, "hockney",
             (const char *const[]){SYSTEM, NETWORK, NULL});
    assert_int_equal(out.finish[2], LATENCY_PS + LLP_PROG_PS + CALLBACKS_PS);
    assert_nothing_unaccounted(3);
}

static void a_test_polls_the_nic(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), FINALIZE};
    static const struct call receiver[] = {
        IRECV(0, 0, 8, 2), COMPUTE(120000), {.op = CALL_TEST, .slot = 2}, WAIT(2), FINALIZE};
    run_pair(sender, receiver);
    assert_int_equal(out.finish[1], INT64_C(10000000) + LLP_PROG_PS + CALLBACKS_PS);
}

/* A core makes the deferred progress of a send while it waits for something else. */
static void progress_of_sends_fills_idle_time(void **state)
{
    (void)state;
    static const struct call left[] = {SEND(1, 0, 8), RECV(1, 0, 8), FINALIZE};
    static const struct call right[] = {RECV(0, 0, 8), SEND(0, 0, 8), FINALIZE};
    run_pair(left, right);
    assert_int_equal(out.finish[0], 2 * LATENCY_PS);
    assert_int_equal(out.software[0], POST_PS + SENT_PS + WAIT_PS + RX_PS);
    assert_nothing_unaccounted(2);
}

/* -------------------------------------------------------------------- ways */

/* Request to send, clear to send and data are each posted and polled by a core. */
static void handshakes_are_posted_and_polled(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 100000), FINALIZE};
    static const struct call receiver[] = {RECV(0, 0, 100000), FINALIZE};
    struct host_config config = {.system = "thunderx2"};
    struct host host;
    assert_int_equal(host_open(&host, &config, &(struct rnic_config){.transport = RNIC_NONE}), STATUS_OK);
    struct host_message data = *host_message(&host, 100000);
    ps_t control = LLP_POST_PS + FLIGHT_PS + LLP_PROG_PS + UCP_CALLBACK;
    ps_t bytes = (100000 - 64) * INT64_C(80);
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney",
             (const char *const[]){SYSTEM, NETWORK, "rendezvous.handshakes=2", NULL});
    assert_int_equal(out.finish[1], HLP_POST_PS + 2 * control + data.llp_post + data.to_nic + NETWORK_PS +
                                        bytes + data.to_memory + RX_PS);
    host_close(&host);
}

static void wildcards_match_polled_messages(void **state)
{
    (void)state;
    static const struct call sender[] = {POST(1, 5, 8), FINALIZE};
    static const struct call receiver[] = {COLLECT(CALL_ANY_SOURCE, 5, 8), FINALIZE};
    run_pair(sender, receiver);
    assert_int_equal(out.finish[1], LATENCY_PS);
}

/* Messages within a node and through a memory pool pass no NIC. Software costs the same on every path. */
static void a_message_pays_only_for_what_it_crosses(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), FINALIZE}, receiver[] = {RECV(0, 0, 8), FINALIZE};
    const struct call *const calls[] = {sender, receiver};
    run_with(calls, 2, "hockney", (const char *const[]){SYSTEM, NETWORK, "ranks_per_node=2", NULL});
    assert_int_equal(out.finish[1], WAIT_PS + RX_PS); /* the message is there before the receiver polls */
    run_with(calls, 2, "fmu", NULL);
    ps_t pool_ps = out.finish[1];
    run_with(calls, 2, "fmu", (const char *const[]){SYSTEM, NULL});
    assert_int_equal(out.finish[1], pool_ps + POST_PS + RX_PS);
}

static void changes_are_those_of_whatif(void **state)
{
    (void)state;
    static const struct call sender[] = {SEND(1, 0, 8), FINALIZE}, receiver[] = {RECV(0, 0, 8), FINALIZE};
    run_with((const struct call *const[]){sender, receiver}, 2, "hockney",
             (const char *const[]){SYSTEM, NETWORK, "host.change=LLP_post=-50%,PCIe=+10ns", NULL});
    assert_int_equal(out.finish[1], LATENCY_PS - LLP_POST_PS / 2 + 2 * 10000);
}

/* ---------------------------------------------------------------- refusals */

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

/* Opens an experiment with these settings and keeps its messages. */
static enum status try_to_open(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    said[0] = '\0';
    diag_set_sink(keep_message, NULL);
    assert_int_equal(config_set(config, "workload=pingpong"), STATUS_OK);
    for (; *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    struct experiment experiment;
    enum status status = experiment_init(&experiment, config);
    experiment_free(&experiment);
    diag_set_sink(NULL, NULL);
    config_close(config);
    return status;
}

static void assert_refused(const char *const *settings, const char *because)
{
    assert_int_equal(try_to_open(settings), STATUS_BAD_INPUT);
    if (!strstr(said, because))
        fail_msg("expected '%s' in: %s", because, said);
}

static void the_latency_of_hosts_is_not_counted_twice(void **state)
{
    (void)state;
    assert_refused((const char *const[]){"fabric=hockney", SYSTEM, NULL}, "hockney.latency is 8 us");
    assert_refused((const char *const[]){"fabric=packet", SYSTEM, NULL}, "packet.latency is 8 us");
    assert_refused((const char *const[]){"fabric=hybrid", SYSTEM, NULL}, "packet.latency is 8 us");
    assert_refused((const char *const[]){"fabric=ideal,hockney", SYSTEM, NULL}, "382.81");
    assert_int_equal(try_to_open((const char *const[]){"fabric=hockney", SYSTEM, NETWORK, NULL}), STATUS_OK);
    assert_int_equal(try_to_open((const char *const[]){"fabric=ideal,fmu", SYSTEM, NULL}), STATUS_OK);
}

static void wrong_host_settings_are_refused(void **state)
{
    (void)state;
    assert_refused((const char *const[]){"fabric=ideal", "host.change=PIO=-50%", NULL}, "needs host.system");
    assert_refused((const char *const[]){"fabric=ideal", "host.caches=parts", NULL}, "needs host.system");
    assert_refused((const char *const[]){"fabric=ideal", SYSTEM, "host.change=Wire=-50%", NULL},
                   "does not belong to the host");
    assert_refused((const char *const[]){"fabric=ideal", SYSTEM, "host.change=PIU=-50%", NULL},
                   "did you mean 'PIO'");
    assert_refused((const char *const[]){"fabric=fmu", SYSTEM, "compat=simplecomm", NULL}, "exclude");
    assert_int_not_equal(try_to_open((const char *const[]){"fabric=ideal", "host.system=/no/such", NULL}),
                         STATUS_OK);
    assert_non_null(strstr(said, "/no/such"));
}

static void every_fabric_states_its_host_path(void **state)
{
    (void)state;
    for (size_t i = 0; fabrics[i]; i++)
        assert_int_not_equal(fabrics[i]->host_path, HOST_PATH_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_bytes_take_the_papers_latency),
        cmocka_unit_test(a_ping_pong_takes_the_latency_each_way),
        cmocka_unit_test(sizes_take_what_the_model_says),
        cmocka_unit_test(windows_inject_at_the_papers_rate),
        cmocka_unit_test(a_wait_per_message_is_limited_by_the_receiver),
        cmocka_unit_test(a_queue_of_one_waits_for_each_completion),
        cmocka_unit_test(sends_alone_make_progress_when_they_have_to),
        cmocka_unit_test(ranks_of_a_node_share_pcie_and_nic),
        cmocka_unit_test(what_shares_a_link_passes_pcie_while_it_comes),
        cmocka_unit_test(writes_wait_for_credits),
        cmocka_unit_test(a_copy_costs_by_the_cache_it_touches),
        cmocka_unit_test(cores_share_their_memory),
        cmocka_unit_test(future_copies_do_not_occupy_the_memory),
        cmocka_unit_test(copies_find_what_the_caches_hold),
        cmocka_unit_test(collectives_copy_too),
        cmocka_unit_test(messages_that_arrive_during_a_computation_wait),
        cmocka_unit_test(one_core_handles_messages_one_after_another),
        cmocka_unit_test(a_test_polls_the_nic),
        cmocka_unit_test(progress_of_sends_fills_idle_time),
        cmocka_unit_test(handshakes_are_posted_and_polled),
        cmocka_unit_test(wildcards_match_polled_messages),
        cmocka_unit_test(a_message_pays_only_for_what_it_crosses),
        cmocka_unit_test(changes_are_those_of_whatif),
        cmocka_unit_test(the_latency_of_hosts_is_not_counted_twice),
        cmocka_unit_test(wrong_host_settings_are_refused),
        cmocka_unit_test(every_fabric_states_its_host_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
