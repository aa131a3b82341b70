/* Chakra execution traces. Witnesses: the closed form of a ring, the same collective calls as a generated
 * program, and for every error the byte that it names. Traces are written here byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/memory_stream.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "trace/chakra/chakra.h"
#include "trace/chakra/write.h"
#include "trace/goal/goal.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------ writing */

struct text {
    uint8_t bytes[1 << 16];
    size_t size;
};

static void put_varint(struct text *text, uint64_t value)
{
    for (; value > 127; value >>= 7)
        text->bytes[text->size++] = (uint8_t)(value | 128);
    text->bytes[text->size++] = (uint8_t)value;
}

static void put_field(struct text *text, unsigned field, uint64_t value)
{
    put_varint(text, field << 3);
    put_varint(text, value);
}

static void put_bytes(struct text *text, unsigned field, const void *bytes, size_t size)
{
    put_varint(text, field << 3 | 2);
    put_varint(text, size);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

/* `field` is that of the value's type in the schema: 7 int32, 9 int64, 13 uint64 ... */
static void put_number(struct text *node, const char *name, unsigned field, uint64_t value)
{
    static struct text attribute;
    attribute.size = 0;
    put_bytes(&attribute, 1, name, strlen(name));
    put_field(&attribute, field, value);
    put_bytes(node, 10, attribute.bytes, attribute.size);
}

static void put_string(struct text *node, const char *name, const char *value)
{
    static struct text attribute;
    attribute.size = 0;
    put_bytes(&attribute, 1, name, strlen(name));
    put_bytes(&attribute, 29, value, strlen(value));
    put_bytes(node, 10, attribute.bytes, attribute.size);
}

static void put_string_field(struct text *message, unsigned field, const char *value)
{
    put_bytes(message, field, value, strlen(value));
}

static void end_message(struct text *trace, struct text *message)
{
    put_varint(trace, message->size);
    memcpy(trace->bytes + trace->size, message->bytes, message->size);
    trace->size += message->size;
    message->size = 0;
}

static struct text node;
static struct text traces[8];

static void begin_trace(struct text *trace)
{
    trace->size = node.size = 0;
    put_bytes(&node, 1, "0.0.4", 5);
    end_message(trace, &node);
}

enum { COMPUTE = 4, SEND = 5, RECEIVE = 6, COLLECTIVE = 7 };

static void begin_node(uint64_t id, unsigned type)
{
    node.size = 0;
    put_field(&node, 1, id);
    put_field(&node, 3, type);
}

static void put_message(uint64_t id, unsigned type, uint64_t bytes, uint64_t peer)
{
    begin_node(id, type);
    put_number(&node, "comm_size", 9, bytes);
    put_number(&node, type == SEND ? "comm_dst" : "comm_src", 7, peer);
    put_number(&node, "comm_tag", 7, 0);
}

/* ------------------------------------------------------------------ running */

static char said[4096];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s", message);
}

static enum status open_traces(uint32_t ranks, struct program **program)
{
    static const char *const paths[] = {"t.0.et", "t.1.et", "t.2.et", "t.3.et",
                                        "t.4.et", "t.5.et", "t.6.et", "t.7.et"};
    const uint8_t *bytes[8];
    size_t sizes[8];
    for (uint32_t i = 0; i < ranks; i++) {
        bytes[i] = traces[i].bytes;
        sizes[i] = traces[i].size;
    }
    said[0] = '\0';
    diag_set_sink(keep, NULL);
    enum status status = chakra_open_bytes(paths, bytes, sizes, ranks, program);
    diag_set_sink(NULL, NULL);
    return status;
}

/* `program` NULL: the workload. */
static struct result run(struct program *program, const char *workload)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_int_equal(config_set(config, "fabric=hockney"), STATUS_OK);
    assert_int_equal(config_set(config, "hockney.latency=500 ns"), STATUS_OK);
    assert_int_equal(config_set(config, "hockney.bandwidth=50 GB/s"), STATUS_OK);
    if (workload)
        assert_int_equal(config_assign(config, "workload", workload, "test"), STATUS_OK);
    else
        assert_int_equal(config_set(config, "trace=t"), STATUS_OK);
    assert_int_equal(workload ? experiment_init(&experiment, config)
                              : experiment_init_with(&experiment, config, program),
                     STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    experiment_free(&experiment);
    config_close(config);
    return result;
}

static ps_t makespan_of(struct program *program, const char *workload)
{
    struct result result = run(program, workload);
    ps_t makespan = result.makespan;
    result_free(&result);
    return makespan;
}

static void put_name(const char *name)
{
    put_string_field(&node, 2, name);
}

/* NPU 0 computes for 5 us before each of two messages of 50000 B, whose bytes take 1 us to leave and 500 ns
 * more to arrive. NPU 1 waits for the first 6.5 us, and then for the second 6 us; NPU 0 waits 1 us for each
 * to leave. The names of nodes are call sites, without their numbers. */
static void names_of_nodes_are_call_sites(void **state)
{
    (void)state;
    static const char *const names[2][4] = {{"layer1.conv2d", "", "layer12.conv2d", "send 1MB"},
                                            {"wait_7_of_9", "wait_8_of_9", "", "x86"}};
    static const char *const patterns[] = {NULL, "layer*.conv2d", "send 1MB", "wait_*_of_*", "x*"};
    struct program *program;
    for (uint32_t rank = 0; rank < 2; rank++) {
        begin_trace(&traces[rank]);
        for (uint64_t id = 0; id < 4; id++) {
            if (rank == 1 && id < 2) {
                put_message(id, RECEIVE, 50000, 0);
            } else if (rank == 0 && id % 2) {
                put_message(id, SEND, 50000, 1);
            } else {
                begin_node(id, COMPUTE);
                put_number(&node, "runtime", 13, rank ? 0 : 5000);
            }
            put_name(names[rank][id]);
            if (id)
                put_field(&node, 5, id - 1);
            end_message(&traces[rank], &node);
        }
    }
    assert_int_equal(open_traces(2, &program), STATUS_OK);
    assert_non_null(program->sites);
    assert_int_equal(program->sites->count, 5);
    for (uint32_t i = 1; i < 5; i++)
        assert_string_equal(program->sites->names[i], patterns[i]);
    struct result result = run(program, NULL);
    assert_int_equal(result.makespan, 12500 * PS_PER_NS);
    assert_int_equal(result.site_count, 5);
    static const ps_t idle_ns[] = {1000, 0, 1000, 12500, 0};
    static const uint64_t waits[] = {1, 0, 1, 2, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(result.sites[i].idle == idle_ns[i] * PS_PER_NS);
        assert_int_equal(result.sites[i].waits, waits[i]);
    }
    result_free(&result);
    program->ops->close(program);
}

/* Traces without names have none. */
static void nodes_without_names_have_no_call_sites(void **state)
{
    (void)state;
    struct program *program;
    begin_trace(&traces[0]);
    begin_node(1, COMPUTE);
    end_message(&traces[0], &node);
    assert_int_equal(open_traces(1, &program), STATUS_OK);
    assert_null(program->sites);
    program->ops->close(program);
}

/* As the ring of ASTRA-sim's example: 14 steps of 131072 bytes, and 7 us of reduction behind the first 7. */
static void a_ring_takes_its_closed_form(void **state)
{
    (void)state;
    enum { RANKS = 8, STEPS = 14 };
    struct program *program;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        uint64_t id = 0;
        begin_trace(&traces[rank]);
        for (int step = 0; step < STEPS; step++) {
            put_message(id, SEND, 131072, (rank + 1) % RANKS);
            if (id)
                put_field(&node, step % 2 ? 4 : 5, id - 1); /* control and data dependences alike */
            end_message(&traces[rank], &node);
            put_message(id + 1, RECEIVE, 131072, (rank + RANKS - 1) % RANKS);
            put_field(&node, 5, id);
            end_message(&traces[rank], &node);
            id += 2;
            if (step >= STEPS / 2)
                continue;
            begin_node(id, COMPUTE);
            put_field(&node, 5, id - 1);
            put_field(&node, 7, 7);
            end_message(&traces[rank], &node);
            id++;
        }
    }
    assert_int_equal(open_traces(RANKS, &program), STATUS_OK);
    assert_int_equal(program->graph->operations, RANKS * (2 * STEPS + STEPS / 2));
    /* 131072 B at 50 GB/s are 2621440 ps. */
    assert_int_equal(makespan_of(program, NULL), STEPS * (500000 + 2621440) + 7 * INT64_C(7000000));
    program->ops->close(program);
}

/* Sizes are vectors, but for an allgather: then they are blocks. */
static void collective_calls_are_those_of_the_kind(void **state)
{
    (void)state;
    static const struct {
        uint64_t kind;
        const char *workload;
    } kinds[] = {{0, "collective:op=allreduce,ranks=4,bytes=1MiB"},
                 {2, "collective:op=allgather,ranks=4,bytes=1MiB"},
                 {6, "collective:op=alltoall,ranks=4,bytes=256KiB"},
                 {7, "collective:op=reduce_scatter,ranks=4,bytes=1MiB"},
                 {5, "collective:op=bcast,ranks=4,bytes=1MiB"},
                 {9, "collective:op=barrier,ranks=4"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct program *program;
        for (uint32_t rank = 0; rank < 4; rank++) {
            begin_trace(&traces[rank]);
            begin_node(1, COLLECTIVE);
            put_number(&node, "comm_type", 9, kinds[i].kind);
            put_number(&node, "comm_size", 13, 1 << 20);
            end_message(&traces[rank], &node);
        }
        assert_int_equal(open_traces(4, &program), STATUS_OK);
        assert_int_equal(makespan_of(program, NULL), makespan_of(NULL, kinds[i].workload));
        program->ops->close(program);
    }
}

/* A group has the NPUs that call with its name. Two halves do at once what one alone would. */
static void groups_are_those_that_call(void **state)
{
    (void)state;
    struct program *program;
    for (uint32_t rank = 0; rank < 8; rank++) {
        begin_trace(&traces[rank]);
        begin_node(1, COLLECTIVE);
        put_number(&node, "comm_type", 9, 0);
        put_number(&node, "comm_size", 9, 1 << 20);
        put_string(&node, "pg_name", rank % 2 ? "odd" : "even");
        end_message(&traces[rank], &node);
    }
    assert_int_equal(open_traces(8, &program), STATUS_OK);
    assert_int_equal(program->group_count, 3);
    assert_int_equal(program->groups[1].size, 4);
    assert_int_equal(program->groups[2].world[3], 7);
    assert_int_equal(makespan_of(program, NULL),
                     makespan_of(NULL, "collective:op=allreduce,ranks=4,bytes=1MiB"));
    program->ops->close(program);
}

/* ------------------------------------------------------------------- errors */

static void refused(const char *why)
{
    struct program *program;
    assert_int_equal(open_traces(2, &program), STATUS_BAD_INPUT);
    if (!strstr(said, why))
        fail_msg("%s", said);
}

static void begin_both(void)
{
    begin_trace(&traces[0]);
    begin_trace(&traces[1]);
}

/* A node as PyTorch writes it, whose inputs are such a text. */
static void put_process_groups(struct text *trace, const char *name, const char *values)
{
    static struct text inputs;
    inputs.size = 0;
    put_string_field(&inputs, 1, values);
    put_field(&node, 1, 3);
    put_string_field(&node, 2, name);
    put_field(&node, 3, 1);
    put_bytes(&node, 8, inputs.bytes, inputs.size);
    end_message(trace, &node);
}

#define GROUPS "## process_group:init ##"

/* As Heliograph writes it. */
static void begin_written(struct text *trace, uint32_t npus)
{
    static struct text attribute;
    trace->size = node.size = attribute.size = 0;
    put_bytes(&node, 1, "0.0.4", 5);
    put_string_field(&attribute, 1, "helio_npus");
    put_field(&attribute, 9, npus);
    put_bytes(&node, 2, attribute.bytes, attribute.size);
    end_message(trace, &node);
}

static void npus_without_a_file_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *values, *why; /* NULL: it is taken */
    } texts[] = {
        {"['[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 2, \"group_count\": 9}]']", NULL},
        {"['[{\"pg_name\": \"0\", \"ranks\": [0, 1], \"group_size\": 2}]']", NULL},
        {"[\"[{\\\"pg_name\\\": \\\"0\\\", \\\"ranks\\\": [1], \\\"group_size\\\": 1}]\"]", NULL},
        {"ranks: [7]", NULL},
        {"{\"pg_name\": \"0\", \"ranks\"", NULL},
        {"{\"pg_name\": \"0\", \"ranks\": [", NULL},
        {"{\"pg_name\": \"0\", \"pg_desc\": \"ranks 5\", \"ranks\": []}", NULL},
        {"['[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 8}]']",
         "t.0.et: byte 8: error: node 3 says that process group 0 has 8 NPUs; there are files of 2"},
        {"['[{\"pg_name\": \"0\", \"ranks\": []}, {\"pg_name\": \"tp 1\", \"ranks\": [0, 5]}]']",
         "node 3 says that process group tp 1 has NPU 5; there are files of 2, numbered from 0"},
        {"[\"[{\\\"pg_name\\\": \\\"a\\\", \\\"ranks\\\":[1,2]}]\"]", "process group a has NPU 2;"},
        {"{\"ranks\": [99999999999999999999], \"pg_name\": \"b\", \"ranks\": [99999999999999999999]}",
         "process group b has NPU"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct program *program;
        begin_both();
        put_process_groups(&traces[0], GROUPS, texts[i].values);
        if (texts[i].why) {
            refused(texts[i].why);
            continue;
        }
        assert_int_equal(open_traces(2, &program), STATUS_OK);
        program->ops->close(program);
    }
    struct program *program;
    begin_trace(&traces[1]);
    begin_written(&traces[0], 3);
    refused("t.0.et: byte 0: error: the trace has 3 NPUs, and there are files of 2");
    begin_both();
    put_process_groups(&traces[0], "aten::add", texts[7].values); /* nothing of groups */
    assert_int_equal(open_traces(2, &program), STATUS_OK);
    program->ops->close(program);
}

static void wrong_nodes_are_refused_with_their_byte(void **state)
{
    (void)state;
    begin_both();
    begin_node(1, 9);
    end_message(&traces[0], &node);
    refused("t.0.et: byte 8: error: node 1 is of kind 9; there are 1 to 7");
    begin_both();
    put_message(1, SEND, 8, 2);
    end_message(&traces[1], &node);
    refused("t.1.et: byte 8: error: node 1 names NPU 2; there are files of 2, numbered from 0");
    begin_both();
    begin_node(3, SEND);
    put_number(&node, "comm_dst", 7, 1);
    end_message(&traces[0], &node);
    refused("node 3 has no attribute comm_size with a whole number");
    begin_both();
    begin_node(3, COLLECTIVE);
    put_number(&node, "comm_type", 9, 10);
    end_message(&traces[0], &node);
    refused("is of the kind 10 of collective calls; there are 0 (ALL_REDUCE) to 9 (BARRIER)");
    static const char *const optional[] = {"comm_size", "root", "comm_tag"};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        begin_both();
        begin_node(3, i < 2 ? COLLECTIVE : SEND);
        put_number(&node, "comm_type", 9, 0);
        put_number(&node, "comm_dst", 7, 1);
        put_number(&node, optional[i], i ? 9 : 13, (uint64_t)1 << 63);
        end_message(&traces[0], &node);
        char why[96];
        snprintf(why, sizeof why, "t.0.et: byte 8: error: node 3: %s is no whole number from 0 to ",
                 optional[i]);
        refused(why);
    }
    begin_both();
    begin_node(3, COMPUTE);
    put_number(&node, "helio_core", 7, 255);
    end_message(&traces[0], &node);
    refused("the number of a core or NIC of node 3 is at most 254");
}

static void put_call(struct text *trace, uint64_t id, const char *group)
{
    begin_node(id, COLLECTIVE);
    put_number(&node, "comm_type", 9, 0);
    put_number(&node, "comm_size", 9, 64);
    if (group)
        put_string(&node, "pg_name", group);
    end_message(trace, &node);
}

/* Otherwise the run would be a deadlock. */
static void unequal_numbers_of_calls_are_refused(void **state)
{
    (void)state;
    begin_both();
    put_call(&traces[0], 1, NULL);
    put_call(&traces[0], 2, NULL);
    put_call(&traces[1], 1, NULL);
    refused("t.1.et: error: NPU 1 makes 1 collective calls of all NPUs, and NPU 0 makes 2");
    begin_both();
    put_call(&traces[0], 1, "a");
    put_call(&traces[0], 2, "b");
    put_call(&traces[1], 1, "b");
    put_call(&traces[1], 2, "b");
    refused(
        "t.1.et: error: NPU 1 makes 2 collective calls of group b, and NPU 0 makes 1: the NPUs of a group "
        "make the same calls; take the files of one run");
}

static void wrong_dependences_are_refused(void **state)
{
    (void)state;
    begin_both();
    begin_node(1, COMPUTE);
    put_field(&node, 5, 7);
    end_message(&traces[0], &node);
    refused("t.0.et: byte 8: error: there is no node 7, on which this one depends");
    begin_both();
    begin_node(1, COMPUTE);
    end_message(&traces[0], &node);
    begin_node(1, COMPUTE);
    end_message(&traces[0], &node);
    refused("there are two nodes 1");
    begin_both();
    for (uint64_t id = 1; id <= 2; id++) {
        begin_node(id, COMPUTE);
        put_field(&node, 4, 3 - id);
        end_message(&traces[0], &node);
    }
    refused("the one above depends on node ");
}

/* Every shorter file is a trace of fewer nodes, or an error at the message that is cut. */
static void a_cut_file_is_never_taken_for_whole(void **state)
{
    (void)state;
    struct program *program;
    begin_both();
    size_t first = traces[0].size;
    put_message(1, RECEIVE, 8, 1);
    end_message(&traces[0], &node);
    put_message(1, SEND, 8, 0);
    end_message(&traces[1], &node);
    size_t whole = traces[0].size;
    for (size_t size = 0; size < whole; size++) {
        traces[0].size = size;
        enum status status = open_traces(2, &program);
        assert_int_equal(status, size == first ? STATUS_OK : STATUS_BAD_INPUT);
        if (status == STATUS_OK)
            program->ops->close(program);
    }
}

/* Samples of ASTRA-sim: all files of a trace are found by one of them. */
static void samples_open(void **state)
{
    (void)state;
    static const char *const names[] = {"all_gather", "all_reduce", "all_to_all", "reduce_scatter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        struct program *program;
        snprintf(path, sizeof path, "tests/traces/chakra/%s.0.et", names[i]);
        assert_int_equal(trace_open(path, &program), STATUS_OK);
        assert_int_equal(program->ranks, 4);
        assert_int_equal(program->graph->operations, 4);
        program->ops->close(program);
    }
}

/* ------------------------------------------------------------------ written */

/* The types of attributes are those that Chakra's own reader takes: 7 int32, 9 int64, 27 a flag. */
static void a_written_trace_is_of_the_schema(void **state)
{
    (void)state;
    static const char goal[] = "num_ranks 2\nrank 0 {\na: calc 1499600\nb: send 300b to 1 tag 5\n"
                               "b requires a\n}\nrank 1 {\nrecv 300b from 0 tag 5\n}\n";
    struct program *program;
    char *bytes = malloc(sizeof goal), *written;
    size_t size;
    memcpy(bytes, goal, sizeof goal);
    assert_int_equal(goal_open_bytes("t.goal", bytes, sizeof goal - 1, &program), STATUS_OK);
    begin_written(&traces[0], 2);
    put_string_field(&node, 2, "compute");
    put_field(&node, 3, COMPUTE);
    put_field(&node, 7, 1500);
    put_number(&node, "is_cpu_op", 27, 0);
    put_number(&node, "helio_duration_ps", 9, 1499600000);
    put_number(&node, "helio_core", 7, 0);
    end_message(&traces[0], &node);
    put_field(&node, 1, 1);
    put_string_field(&node, 2, "send");
    put_field(&node, 3, SEND);
    put_bytes(&node, 5, "\0", 1);
    put_number(&node, "is_cpu_op", 27, 0);
    put_number(&node, "comm_size", 9, 300);
    put_number(&node, "comm_src", 7, 0);
    put_number(&node, "comm_dst", 7, 1);
    put_number(&node, "comm_tag", 7, 5);
    put_number(&node, "helio_mpi_send", 27, 1);
    put_number(&node, "helio_core", 7, 0);
    end_message(&traces[0], &node);
    struct chakra_writer *writer = chakra_writer_open(program);
    FILE *out = memory_stream_open(&written, &size);
    chakra_writer_put(writer, 0, out);
    assert_int_equal(fclose(out), 0);
    chakra_writer_close(writer);
    assert_int_equal(size, traces[0].size);
    assert_memory_equal(written, traces[0].bytes, size);
    free(written);
    program->ops->close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_takes_its_closed_form),
        cmocka_unit_test(names_of_nodes_are_call_sites),
        cmocka_unit_test(nodes_without_names_have_no_call_sites),
        cmocka_unit_test(collective_calls_are_those_of_the_kind),
        cmocka_unit_test(groups_are_those_that_call),
        cmocka_unit_test(wrong_nodes_are_refused_with_their_byte),
        cmocka_unit_test(npus_without_a_file_are_refused),
        cmocka_unit_test(unequal_numbers_of_calls_are_refused),
        cmocka_unit_test(wrong_dependences_are_refused),
        cmocka_unit_test(a_cut_file_is_never_taken_for_whole),
        cmocka_unit_test(samples_open),
        cmocka_unit_test(a_written_trace_is_of_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
