#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "workload/workload.h"

/* Table 5 of Palma et al., Inter-Node Message Passing Through Optical Reconfigurable Memory Channel: number
 * and mean size of the messages of four NPB programs. Each collective is expanded as trace/summary.h says.
 * The table truncates: it prints 1,279,610 messages as 1.2 M. */

struct row {
    const char *spec;
    double messages, messages_digit; /* as printed, and the value of its last digit */
    double mean_bytes, mean_digit;
};

static const struct row rows[] = {
    {"npb:lu:class=C,ranks=4", 323e3, 1e3, 9e3, 1e3},    {"npb:lu:class=C,ranks=16", 1.9e6, 1e5, 4e3, 1e3},
    {"npb:lu:class=C,ranks=64", 9e6, 1e6, 2e3, 1e3},     {"npb:lu:class=D,ranks=4", 980e3, 1e3, 24e3, 1e3},
    {"npb:lu:class=D,ranks=16", 5.8e6, 1e5, 12e3, 1e3},  {"npb:lu:class=D,ranks=64", 27e6, 1e6, 6e3, 1e3},
    {"npb:cg:class=C,ranks=4", 31e3, 1e3, 296e3, 1e3},   {"npb:cg:class=C,ranks=16", 223e3, 1e3, 127e3, 1e3},
    {"npb:cg:class=C,ranks=64", 1.2e6, 1e5, 59e3, 1e3},  {"npb:cg:class=D,ranks=4", 42e3, 1e3, 2.9e6, 1e5},
    {"npb:cg:class=D,ranks=16", 297e3, 1e3, 1.2e6, 1e5}, {"npb:cg:class=D,ranks=64", 1.7e6, 1e5, 593e3, 1e3},
    {"npb:ft:class=C,ranks=4", 351, 1, 100e6, 1e6},      {"npb:ft:class=C,ranks=16", 5e3, 1e3, 7.7e6, 1e5},
    {"npb:ft:class=C,ranks=64", 90e3, 1e3, 513e3, 1e3},  {"npb:ft:class=D,ranks=4", 426, 1, 1.6e9, 1e8},
    {"npb:ft:class=D,ranks=16", 6e3, 1e3, 124e6, 1e6},   {"npb:ft:class=D,ranks=64", 111e3, 1e3, 8.2e6, 1e5},
    {"npb:is:class=C,ranks=4", 348, 1, 12e6, 1e6},       {"npb:is:class=C,ranks=16", 5e3, 1e3, 971e3, 1e3},
    {"npb:is:class=C,ranks=64", 90e3, 1e3, 64e3, 1e3},   {"npb:is:class=D,ranks=4", 348, 1, 203e6, 1e6},
    {"npb:is:class=D,ranks=16", 5e3, 1e3, 15e6, 1e6},    {"npb:is:class=D,ranks=64", 90e3, 1e3, 1e6, 1e6},
};

struct traffic {
    uint64_t messages, bytes;
};

static void add(struct traffic *traffic, uint64_t messages, uint64_t bytes_each)
{
    traffic->messages += messages;
    traffic->bytes += messages * bytes_each;
}

static void add_vector(struct traffic *traffic, const struct program *program, uint32_t rank,
                       const struct call *call)
{
    for (uint32_t peer = 0; peer < program->ranks; peer++)
        if (peer != rank)
            add(traffic, 1, program->counts[call->send_counts + peer]);
}

/* The bytes that this rank sends in its call. In a rooted collective rank 0 sends all. */
static void add_call(struct traffic *traffic, const struct program *program, uint32_t rank,
                     const struct call *call)
{
    uint64_t others = program->ranks - 1, once = rank == 0 ? others : 0;
    switch ((enum call_op)call->op) {
    case CALL_SEND:
        add(traffic, 1, call->bytes);
        break;
    case CALL_BCAST:
    case CALL_REDUCE:
        add(traffic, once, call->bytes);
        break;
    case CALL_ALLREDUCE:
        add(traffic, 2 * once, call->bytes);
        break;
    case CALL_BARRIER:
    case CALL_FINALIZE:
        add(traffic, 2 * once, 0);
        break;
    case CALL_ALLTOALL:
        add(traffic, others, call->bytes);
        break;
    case CALL_ALLTOALLV:
        add_vector(traffic, program, rank, call);
        break;
    default:
        break;
    }
}

static struct traffic traffic_of(const char *spec)
{
    struct traffic traffic = {0};
    struct program *program;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        struct call scratch;
        const struct call *call;
        while ((call = program_next(program, rank, &scratch)))
            add_call(&traffic, program, rank, call);
    }
    program->ops->close(program);
    return traffic;
}

static int is_printed_as(double value, double printed, double digit)
{
    return value >= printed && value < printed + digit;
}

static void test_table_5(void **state)
{
    (void)state;
    int differ = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct traffic traffic = traffic_of(row->spec);
        double messages = (double)traffic.messages, mean = (double)traffic.bytes / messages;
        int same = is_printed_as(messages, row->messages, row->messages_digit) &&
                   is_printed_as(mean, row->mean_bytes, row->mean_digit);
        print_message("%-24s %9.0f messages (%.6g), mean %.0f B (%.6g)%s\n", row->spec, messages,
                      row->messages, mean, row->mean_bytes, same ? "" : "  differs");
        differ += !same;
    }
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
