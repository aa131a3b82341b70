/* Compiled traces that are not what the image writer writes. The checksum is right, and each is refused when
 * it is read, with the rank and the line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/traces.h"
#include "trace/trace.h"

/* An image in memory, to be changed. */
static struct {
    unsigned char bytes[1 << 16];
    size_t size;
} image;

static struct image_header *header(void)
{
    return (struct image_header *)(void *)image.bytes;
}

static struct image_rank *rank_at(uint32_t rank)
{
    return (struct image_rank *)(void *)(image.bytes + header()->ranks.at) + rank;
}

/* The call of a rank's line, from 1. */
static struct call *call_at(uint32_t rank, uint32_t line)
{
    const uint32_t *tokens = (const uint32_t *)(const void *)(image.bytes + rank_at(rank)->tokens.at);
    return (struct call *)(void *)(image.bytes + rank_at(rank)->calls.at) + tokens[line - 1];
}

static double *amounts_of(uint32_t rank)
{
    return (double *)(void *)(image.bytes + rank_at(rank)->amounts.at);
}

static void load(void)
{
    FILE *file = fopen(traces_path("sound.helio"), "rb");
    assert_non_null(file);
    image.size = fread(image.bytes, 1, sizeof image.bytes, file);
    fclose(file);
}

/* Ranks 0 and 1 exchange messages and are a communicator, in which rank 2 is not. */
static int set_up(void **state)
{
    int status = traces_set_up(state);
    const char *path =
        traces_make("sound",
                    "0 init\n0 comm_split #c1 0-1\n0 compute 100\n0 send 1 7 8 6\n0 irecv 1 9 8 6\n"
                    "0 wait 1 0 9\n0 sleep 2\n0 barrier #c1\n"
                    "0 alltoallv 6 1 2 3 6 1 2 3 6 6\n"
                    "0 comm_size #site 1 a.c:1\n0 comm_size #@1\n0 finalize\n",
                    "1 init\n1 comm_split #c1 0-1\n1 compute 50\n1 recv 0 7 8 6\n1 send 0 9 8 6\n"
                    "1 barrier #c1\n1 alltoallv 6 2 2 2 6 2 2 2 6 6\n1 finalize\n",
                    "2 init\n2 compute 10\n2 barrier\n2 send 0 5 1 6\n"
                    "2 alltoallv 9 3 3 3 9 3 3 3 6 6\n2 finalize\n",
                    NULL);
    char *from = mem_text(path);
    if (trace_compile_to(from, traces_path("sound.helio")) != STATUS_OK)
        fail_msg("%s", traces_messages());
    free(from);
    return status;
}

static void assert_refused(const char *message)
{
    struct compiled_trace *compiled;
    header()->checksum = XXH3_64bits(image.bytes + sizeof *header(), image.size - sizeof *header());
    const char *path = traces_write("changed.helio", (const char *)image.bytes, image.size);
    if (trace_open_compiled(path, &compiled) == STATUS_OK) {
        traces_close(compiled);
        fail_msg("accepted; expected: %s", message);
    }
    const char *messages = traces_messages();
    if (!strstr(messages, message))
        fail_msg("expected: %s\ngot: %s", message, messages);
    load();
}

static void amounts_are_numbers_from_0_on(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, -NAN, INFINITY, -INFINITY, -1e-300};
    load();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        amounts_of(0)[0] = bad[i];
        assert_refused("rank 0, line 3: its amount is negative, infinite or not a number");
        amounts_of(2)[0] = bad[i];
        assert_refused("rank 2, line 2: its amount is negative, infinite or not a number");
        call_at(0, 7)->amount = bad[i];
        assert_refused("rank 0, line 7: its amount is negative, infinite or not a number");
    }
}

static void sizes_are_below_2_to_63(void **state)
{
    (void)state;
    load();
    call_at(0, 4)->bytes = (uint64_t)INT64_MAX + 1;
    assert_refused("rank 0, line 4: it has 2^63 bytes or more");
    call_at(1, 4)->recv_bytes = UINT64_MAX;
    assert_refused("rank 1, line 4: it has 2^63 bytes or more");
    ((uint64_t *)(void *)(image.bytes + header()->counts.at))[call_at(0, 9)->send_counts + 1] = UINT64_MAX;
    assert_refused("its vectors of sizes have 2^63 bytes or more");
}

static void calls_name_what_there_is(void **state)
{
    (void)state;
    load();
    call_at(0, 4)->op = CALL_OPS;
    assert_refused("rank 0, line 4: its kind does not exist");
    call_at(0, 4)->peer = 3;
    assert_refused("rank 0, line 4: it names a rank that does not exist");
    call_at(0, 4)->channel = header()->channels;
    assert_refused("rank 0, line 4: it refers to something that is not there");
    call_at(0, 5)->slot = SLOT_RECV; /* of blocking receives */
    assert_refused("rank 0, line 5: it refers to something that is not there");
    call_at(0, 6)->slot = rank_at(0)->slots;
    assert_refused("rank 0, line 6: it refers to something that is not there");
    call_at(0, 9)->send_counts = header()->counts.count;
    assert_refused("rank 0, line 9: it has no vector of sizes");
    call_at(0, 9)->group = call_at(0, 9)->context = 2;
    assert_refused("rank 0, line 9: it names a communicator that does not exist");
    call_at(0, 8)->peer = 2;
    assert_refused("rank 0, line 8: its root is not in its communicator");
    header()->lines++;
    assert_refused("its header is wrong");
}

/* The engine finds the ends of a message by its channel, and its waiters by the ends. */
static void a_channel_joins_two_ranks(void **state)
{
    (void)state;
    load();
    uint32_t first = call_at(0, 4)->channel;
    assert_true(call_at(2, 4)->channel != first);
    call_at(2, 4)->channel = first;
    assert_refused("rank 2, line 4: its channel is one of other ranks");
    call_at(1, 4)->channel = call_at(0, 5)->channel;
    assert_refused("rank 1, line 4: its channel is one of other ranks");
    call_at(1, 4)->peer = CALL_ANY_SOURCE; /* not in a mailbox */
    assert_refused("rank 1, line 4: its channel is one of other ranks");
}

static void ranks_are_members_of_their_communicators_once(void **state)
{
    (void)state;
    load();
    call_at(2, 3)->group = call_at(2, 3)->context = 1;
    assert_refused("rank 2, line 3: its communicator does not have this rank once");
    uint32_t *members = (uint32_t *)(void *)(image.bytes + header()->members.at);
    members[1] = 0;
    assert_refused("rank 0, line 8: its communicator does not have this rank once");
    struct image_group *groups = (struct image_group *)(void *)(image.bytes + header()->groups.at);
    groups[1].size = 3;
    assert_refused("its communicators are wrong");
}

/* ------------------------------------------------------- files that change */

static uint64_t count_calls(struct compiled_trace *compiled)
{
    struct call scratch;
    uint64_t calls = 0;
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++)
        while (program_next(&compiled->program, rank, &scratch))
            calls++;
    return calls;
}

static void a_file_that_is_truncated_in_use_does_no_harm(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    load();
    const char *path = traces_write("truncated.helio", (const char *)image.bytes, image.size);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(count_calls(compiled), compiled->header->lines);
    traces_close(compiled);
}

static void a_fifo_is_no_compiled_trace(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    const char *path = traces_path("fifo.helio");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "neither a file nor a folder"));
}

static void call_sites_are_those_of_the_image(void **state)
{
    (void)state;
    load();
    assert_int_equal(header()->sites.count, sizeof "a.c:1");
    assert_int_equal(rank_at(1)->sites, 0);
    uint32_t *sites = (uint32_t *)(void *)(image.bytes + rank_at(0)->sites);
    sites[0] = 2;
    assert_refused("it refers to something that is not there");
    rank_at(0)->sites += 4;
    assert_refused("it refers to something that is not there");
    rank_at(1)->sites = image.size / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
    assert_refused("it refers to something that is not there");
    image.bytes[header()->sites.at + header()->sites.count - 1] = 'x';
    assert_refused("its header is wrong");
    header()->sites.count = UINT64_MAX;
    assert_refused("its header is wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_numbers_from_0_on),
        cmocka_unit_test(sizes_are_below_2_to_63),
        cmocka_unit_test(calls_name_what_there_is),
        cmocka_unit_test(call_sites_are_those_of_the_image),
        cmocka_unit_test(a_channel_joins_two_ranks),
        cmocka_unit_test(ranks_are_members_of_their_communicators_once),
        cmocka_unit_test(a_file_that_is_truncated_in_use_does_no_harm),
        cmocka_unit_test(a_fifo_is_no_compiled_trace),
    };
    return cmocka_run_group_tests(tests, set_up, traces_tear_down);
}
