/* Limits of a host and resources that its ranks share, to the picosecond: doorbells, PCIe credits,
 * back-pressure of a receive queue, message rates of NIC and PCIe, barriers, flags and strided copies of a
 * node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "breakdown/model.h"
#include "support/hosts.h"
#include "support/script.h"

static struct script_outcome out;

/* A system file like the paper's except for these lines. `more` has up to three further settings, or is
 * NULL. */
static void run_on(const char *lines, const struct call *const *calls, uint32_t ranks,
                   const char *const more[3])
{
    char *system = hosts_system_with(lines);
    const char *settings[6] = {system, NETWORK};
    for (int i = 0; more && i < 3 && more[i]; i++)
        settings[2 + i] = more[i];
    script_run(calls, ranks, "hockney", settings, &out);
    assert_int_equal(out.status, STATUS_OK);
    hosts_forget(system);
    for (uint32_t i = 0; i < ranks; i++)
        assert_int_equal(out.compute[i] + out.idle[i] + out.software[i], out.finish[i]);
}

/* From the send to the end of the receive. */
static ps_t message_ps(const char *lines, uint64_t bytes)
{
    const struct call sender[] = {SEND(1, 0, bytes), FINALIZE};
    const struct call receiver[] = {RECV(0, 0, bytes), FINALIZE};
    run_on(lines, (const struct call *const[]){sender, receiver}, 2, NULL);
    return out.finish[1];
}

/* ------------------------------------------------------------------- posts */

#define DOORBELL "post: doorbell\ndoorbell: 21 ns\nMEM_read: 90 ns"

static void doorbell_posts_take_what_the_model_says(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 8, 156, 157, 188, 189, 256, 257, 4096, 1000000};
    char *setting = hosts_system_with(DOORBELL);
    struct system_file file;
    assert_int_equal(system_init(&file, strchr(setting, '=') + 1), STATUS_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct model model;
        model_init(&model, &file.system, sizes[i]);
        assert_int_equal(message_ps(DOORBELL, sizes[i]), model_sum(&model, END_TO_END_LATENCY));
    }
    system_free(&file);
    hosts_forget(setting);
    /* The write of the doorbell replaces that of the block. The NIC then reads the descriptor over PCIe. */
    assert_int_equal(message_ps(DOORBELL, 8), LATENCY_PS - 94250 + 21000 + 2 * PCIE_PS + 90000);
}

/* --------------------------------------------------------------- PCIe, NIC */

enum { WINDOW = 64, WINDOWS = 16, STREAM = WINDOW * WINDOWS };

/* Windows of sends to or receives from one rank, each followed by a waitall. */
static struct call *stream(bool sending, int32_t peer, uint64_t bytes)
{
    struct call *calls = mem_alloc(STREAM + WINDOWS + 1, sizeof *calls, "a stream"), *call = calls;
    for (uint32_t i = 0; i < STREAM; i++) {
        *call++ = sending ? (struct call)ISEND(peer, 0, bytes, 2 + i % WINDOW)
                          : (struct call)IRECV(peer, 0, bytes, 2 + i % WINDOW);
        if (i % WINDOW == WINDOW - 1)
            *call++ = (struct call)WAITALL;
    }
    *call = (struct call)FINALIZE;
    return calls;
}

/* Two ranks of one node send to two ranks of another. Returns the mean time between messages of the node,
 * over the middle half of the run. */
static ps_t interval_of_two_ranks(const char *lines, uint64_t bytes)
{
    struct call *const calls[] = {stream(true, 2, bytes), stream(true, 3, bytes), stream(false, 0, bytes),
                                  stream(false, 1, bytes)};
    run_on(lines, (const struct call *const *)calls, 4,
           (const char *const[]){"ranks_per_node=2", "hockney.bandwidth=100 GB/s", NULL});
    for (size_t i = 0; i < 4; i++)
        free(calls[i]);
    assert_int_equal(out.message_total, 2 * STREAM);
    enum { FROM = STREAM / 2, TO = 3 * STREAM / 2 };
    return (out.messages[TO].received - out.messages[FROM].received) / (TO - FROM);
}

static void a_nic_has_a_message_rate(void **state)
{
    (void)state;
    assert_int_equal(interval_of_two_ranks("NIC_gap: 500 ns", 8), 500000);
    assert_int_equal(interval_of_two_ranks("NIC_gap: 333 ns", 8), 333000);
}

/* A block of 64 bytes, and 8 KiB that the NIC fetches, at 15.75 GB/s. */
static void pcie_has_a_bandwidth(void **state)
{
    (void)state;
    assert_int_equal(interval_of_two_ranks("", 8192), service_ps(64 + 8192, UINT64_C(15750000000)));
}

/* With one credit, the next write leaves when the credit is back, after 2 PCIe. */
static void each_pcie_write_takes_a_credit(void **state)
{
    (void)state;
    assert_int_equal(interval_of_two_ranks("credits: 1", 8), 2 * PCIE_PS);
    assert_int_equal(interval_of_two_ranks("credits: 2", 8), PCIE_PS);
}

/* A payload of four packets takes four credits at the receiver. */
static void packets_wait_for_credits(void **state)
{
    (void)state;
    ps_t free_ps = message_ps("", 1000);
    assert_int_equal(message_ps("credits: 4", 1000), free_ps);
    assert_int_equal(message_ps("credits: 2", 1000), free_ps + 2 * PCIE_PS);
    assert_int_equal(message_ps("credits: 1", 1000), free_ps + 6 * PCIE_PS);
}

/* ----------------------------------------------------------- back-pressure */

/* The receiver computes until 100 us. With a transmit queue of eight and a receive queue of four, four
 * messages enter the receive queue, four stay at the receiver's NIC, and the sender has eight posts without a
 * completion. */
static void a_full_receive_queue_stops_the_sender(void **state)
{
    (void)state;
    enum { MESSAGES = 12, POSTS = 8 };
    struct call sender[MESSAGES + 2], receiver[MESSAGES + 3] = {COMPUTE(1200000)};
    for (uint32_t i = 0; i < MESSAGES; i++) {
        sender[i] = (struct call)ISEND(1, 0, 8, 2 + i);
        receiver[1 + i] = (struct call)IRECV(0, 0, 8, 2 + i);
    }
    sender[MESSAGES] = receiver[MESSAGES + 1] = (struct call)WAITALL;
    sender[MESSAGES + 1] = receiver[MESSAGES + 2] = (struct call)FINALIZE;
    run_on("queue_depth: 8\nreceive_depth: 4", (const struct call *const[]){sender, receiver}, 2, NULL);
    for (uint32_t i = 0; i < POSTS; i++)
        assert_int_equal(out.messages[i].send_released, (i + 1) * POST_PS);
    /* The entry of the fourth message is free when the message has been polled. Then the eighth message
     * enters the queue, and its sender gets the completion. */
    ps_t fourth = INT64_C(100000000) + WAIT_PS + 4 * (LLP_PROG_PS + CALLBACKS_PS);
    for (uint32_t i = POSTS; i < MESSAGES; i++)
        assert_int_equal(out.messages[i].send_released,
                         fourth + ACKNOWLEDGE_PS + (i + 1 - POSTS) * LLP_POST_PS);
}

/* ----------------------------------------------------------- within a node */

static void run_alltoall(const char *lines, uint32_t ranks, uint64_t bytes, const char *ranks_per_node)
{
    const struct call program[] = {COLLECTIVE(CALL_ALLTOALL, bytes, 0), FINALIZE};
    const struct call *const calls[] = {program, program, program, program};
    run_on(lines, calls, ranks, (const char *const[]){ranks_per_node, "mpi.alltoall=v2", NULL});
}

/* A rank that is alone on its node runs V2: it stages, passes a barrier, copies out, and passes a barrier
 * again. */
static void a_barrier_costs_each_rank(void **state)
{
    (void)state;
    run_alltoall("barrier: 300 ns", 2, 1000, "ranks_per_node=2");
    assert_int_equal(out.finish[0], WAIT_PS + 2 * 300000);
    assert_int_equal(out.finish[1], WAIT_PS + 2 * 300000);
    assert_int_equal(out.software[1], out.finish[1]);
}

/* Two nodes of two ranks. After the first barrier the leaders exchange messages and raise a flag that the
 * others await. The second barrier ends the call. */
static void a_flag_costs_raiser_and_waiters(void **state)
{
    (void)state;
    const ps_t barrier = 300000, flag = 70000;
    run_alltoall("barrier: 300 ns\nflag: 70 ns", 4, 2, "ranks_per_node=2");
    ps_t came = barrier + WAIT_PS + POST_PS + FLIGHT_PS + LLP_PROG_PS + CALLBACKS_PS;
    assert_int_equal(out.finish[0], came + flag + barrier + AFTER_PS);
    assert_int_equal(out.finish[1], came + flag + barrier);
    assert_int_equal(out.software[1], WAIT_PS + flag + 2 * barrier);
}

/* A rank's blocks for the ranks of its node are contiguous and are staged at once. The blocks for the rank
 * itself are strided, in rows of two blocks. */
static void a_stride_costs_each_piece(void **state)
{
    (void)state;
    const char *lines = "copy: {L2: 1 MiB, LLC: 1 MiB, L2_rate: 1 GB/s, LLC_rate: 1 GB/s, DRAM_rate: 1 GB/s, "
                        "piece: 50 ns}";
    run_alltoall(lines, 2, 1000, "ranks_per_node=2");
    ps_t bytes = 2 * 2 * 1000 * INT64_C(1000);
    assert_int_equal(out.finish[0], WAIT_PS + 3 * 50000 + bytes);
    run_alltoall(lines, 4, 1000, "ranks_per_node=4");
    assert_int_equal(out.finish[0], WAIT_PS + 5 * 50000 + 2 * bytes);
    assert_int_equal(out.finish[3], out.finish[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doorbell_posts_take_what_the_model_says),
        cmocka_unit_test(a_nic_has_a_message_rate),
        cmocka_unit_test(pcie_has_a_bandwidth),
        cmocka_unit_test(each_pcie_write_takes_a_credit),
        cmocka_unit_test(packets_wait_for_credits),
        cmocka_unit_test(a_full_receive_queue_stops_the_sender),
        cmocka_unit_test(a_barrier_costs_each_rank),
        cmocka_unit_test(a_flag_costs_raiser_and_waiters),
        cmocka_unit_test(a_stride_costs_each_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
