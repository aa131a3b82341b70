/* Archives of OTF2. Witnesses: what otf2-print shows of archives of Score-P (tests/traces/otf2/table), call
 * by call and byte by byte; archives that are written here record by record; and for every error the byte
 * that it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_stream.h"
#include "call/recorded.h"
#include "support/traces.h"
#include "trace/compile.h"
#include "trace/image/content.h"
#include "trace/input.h"
#include "trace/otf2/otf2.h"
#include "trace/trace.h"

/* ------------------------------------------------------ what a program does */

static void print_members(FILE *out, const struct program *program, uint32_t comm)
{
    const struct group *group = &program->groups[comm];
    for (uint32_t i = 0; i < group->size; i++)
        fprintf(out, "%s%u", i ? "," : "", group_world(group, i));
    putc('\n', out);
}

static void print_p2p(FILE *out, const struct program *program, const struct call *call)
{
    uint64_t bytes = call->op == CALL_SEND ? call->bytes : call->recv_bytes;
    fprintf(out, "%s%s %d %d %llu ", call->flags & CALL_IMMEDIATE ? "i" : "", call_op_name(call->op),
            call->peer, call->tag, (unsigned long long)bytes);
    print_members(out, program, call->context);
}

static void print_vector(FILE *out, const struct program *program, const struct call *call, uint64_t at)
{
    for (uint32_t i = 0; at && i < program->groups[call->group].size; i++)
        fprintf(out, "%c%llu", i ? ',' : ' ', (unsigned long long)program->counts[at + i]);
}

/* The sums that a record has, as Score-P counts them: all that a rank sends and receives. */
static void print_collective(FILE *out, const struct program *program, uint32_t rank, const struct call *call)
{
    const struct group *group = &program->groups[call->group];
    unsigned long long ranks = group->size, sent = call->bytes, received = call->recv_bytes;
    bool at_root = call->peer == (int32_t)group_rank(group, rank);
    switch (call->op) {
    case CALL_BCAST:
        received = sent;
        sent = at_root ? ranks * sent : 0;
        break;
    case CALL_REDUCE:
        received = at_root ? ranks * sent : 0;
        break;
    case CALL_GATHER:
        received = at_root ? ranks * received : 0;
        break;
    case CALL_SCATTER:
        sent = at_root ? ranks * sent : 0;
        break;
    case CALL_ALLREDUCE:
        sent = received = ranks * sent;
        break;
    default:
        sent *= ranks;
        received *= ranks;
    }
    fprintf(out, "%s %d %llu %llu", call_op_name(call->op), call->peer, sent, received);
    print_vector(out, program, call, call->send_counts);
    print_vector(out, program, call, call->recv_counts);
    putc(' ', out);
    print_members(out, program, call->group);
}

/* As tests/traces/otf2/table. */
static void print_call(FILE *out, const struct program *program, uint32_t rank, const struct call *call)
{
    if (call->op == CALL_INIT || call->op == CALL_FINALIZE || call->op == CALL_COMPUTE ||
        call->op == CALL_NOTHING)
        return;
    fprintf(out, "%u ", rank);
    if (call_is_collective(call))
        print_collective(out, program, rank, call);
    else if (call->op == CALL_SEND || call->op == CALL_RECV)
        print_p2p(out, program, call);
    else
        fprintf(out, "wait %u\n", call->op == CALL_WAITALL ? call->expected : 1);
}

static void compare_with_table(const char *path, const char *table)
{
    struct compiled_trace *compiled;
    struct call scratch;
    char *text, *wanted;
    size_t size, wanted_size;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    compiled_report_notes(compiled, UINT32_MAX);
    struct program *program = &compiled->program;
    FILE *out = memory_stream_open(&text, &size);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (const struct call *call; (call = program_next(program, rank, &scratch));)
            print_call(out, program, rank, call);
    fclose(out);
    assert_int_equal(content_load(table, &wanted, &wanted_size), STATUS_OK);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(text, wanted, size);
    free(text);
    free(wanted);
    program->ops->close(program);
}

static void every_call_of_score_p_is_there(void **state)
{
    (void)state;
    compare_with_table("tests/traces/otf2/sst/traces.otf2", "tests/traces/otf2/sst.table");
    assert_non_null(strstr(traces_messages(), "byte 6467: warning: a call that was not captured"));
    compare_with_table("tests/traces/otf2/pipit", "tests/traces/otf2/pipit.table"); /* the folder */
    assert_string_equal(traces_messages(), "");
    compare_with_table("tests/traces/otf2/papi", "tests/traces/otf2/papi.table"); /* with metrics */
}

/* ------------------------------------------------------- archives in memory */

struct bytes {
    uint8_t *at;
    size_t size, capacity;
};

enum { MOST_RANKS = 4 };

static struct archive {
    struct bytes anchor, definitions, local[MOST_RANKS], events[MOST_RANKS];
    uint32_t ranks;
    bool is_big;
} archive;

static void put(struct bytes *bytes, unsigned value)
{
    bytes->at = mem_grow(bytes->at, &bytes->capacity, bytes->size + 1, "a test");
    bytes->at[bytes->size++] = (uint8_t)value;
}

static void put_fixed(struct bytes *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        put(bytes, (unsigned)(value >> 8 * (archive.is_big ? size - 1 - i : i)) & 255);
}

static void put_number(struct bytes *bytes, uint64_t value)
{
    unsigned size = 0;
    while (size < 8 && value >> 8 * size)
        size++;
    put(bytes, value == UINT64_MAX ? 255 : size);
    if (value != UINT64_MAX)
        put_fixed(bytes, value, size);
}

static void put_text(struct bytes *bytes, const char *text)
{
    for (const char *at = text;; at++) {
        put(bytes, (unsigned char)*at);
        if (!*at)
            return;
    }
}

static void put_header(struct bytes *bytes)
{
    bytes->size = 0;
    put(bytes, 3);
    put(bytes, archive.is_big ? 0x23 : 0x42);
    put_fixed(bytes, 0, 8);
    put_fixed(bytes, 0, 8);
}

/* A record of numbers; its length stands before them. -1 is undefined; -2 - N is the byte N. */
static void put_record(struct bytes *bytes, unsigned kind, size_t count, const int64_t *fields)
{
    struct bytes record = {0};
    for (size_t i = 0; i < count; i++)
        if (fields[i] <= -2)
            put(&record, (unsigned)(-2 - fields[i]));
        else
            put_number(&record, (uint64_t)fields[i]);
    put(bytes, kind);
    put(bytes, (unsigned)record.size);
    for (size_t i = 0; i < record.size; i++)
        put(bytes, record.at[i]);
    free(record.at);
}

#define RECORD(bytes, kind, ...)                                                                             \
    put_record(bytes, kind, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})
#define BYTE(value) (-2 - (value))

static void define_string(uint32_t id, const char *text)
{
    struct bytes *bytes = &archive.definitions;
    put(bytes, 10);
    put(bytes, (unsigned)(strlen(text) + 3));
    put_number(bytes, id);
    put_text(bytes, text);
}

/* Regions by the number of their name; 1 is MPI_COMM_WORLD. */
enum {
    R_USER = 2,
    R_INIT,
    R_FINALIZE,
    R_SEND,
    R_RECV,
    R_SENDRECV,
    R_ISEND,
    R_IRECV,
    R_WAIT,
    R_WAITALL,
    R_TEST,
    R_COLLECTIVE,
    R_SSEND,
    R_CANCEL,
    R_PUT,
    R_NEIGHBOURS,
    R_NEIGHBOURS_V,
    R_INEIGHBOURS,
    R_GRAPH,
    REGIONS
};
static const char *const names[REGIONS] = {
    [1] = "MPI_COMM_WORLD",
    [R_USER] = "work",
    [R_INIT] = "MPI_Init",
    [R_FINALIZE] = "MPI_Finalize",
    [R_SEND] = "MPI_Send",
    [R_RECV] = "MPI_RECV",
    [R_SENDRECV] = "MPI_Sendrecv",
    [R_ISEND] = "MPI_Isend",
    [R_IRECV] = "MPI_Irecv",
    [R_WAIT] = "MPI_Wait",
    [R_WAITALL] = "MPI_Waitall",
    [R_TEST] = "MPI_Test()",
    [R_COLLECTIVE] = "MPI_Iallreduce",
    [R_SSEND] = "MPI_Ssend",
    [R_CANCEL] = "MPI_Cancel",
    [R_PUT] = "MPI_Put",
    [R_NEIGHBOURS] = "MPI_Neighbor_alltoall",
    [R_NEIGHBOURS_V] = "MPI_NEIGHBOR_ALLTOALLV",
    [R_INEIGHBOURS] = "MPI_Ineighbor_allgather",
    [R_GRAPH] = "MPI_Dist_graph_create_adjacent",
};

/* Groups: 0 the locations, 1 all ranks, 2 ranks 2 and 0, 3 a rank alone, 4 rank 1. Communicators: 10 the
 * world, 20 of group 2, 30 of each rank alone, 40 between groups 2 and 4. */
static void begin_archive(uint32_t ranks, bool is_big)
{
    archive.ranks = ranks;
    archive.is_big = is_big;
    struct bytes *anchor = &archive.anchor, *definitions = &archive.definitions;
    anchor->size = 0;
    put(anchor, 3);
    put(anchor, is_big ? 0x23 : 0x42);
    put_text(anchor, "OTF2");
    put(anchor, 3);
    put(anchor, 3);
    put_fixed(anchor, 0, 3);
    put_fixed(anchor, 256 << 10, 8);
    put_fixed(anchor, 256 << 10, 8);
    put(anchor, 1);
    put(anchor, 1);
    put_fixed(anchor, ranks, 8);
    put_fixed(anchor, 0, 8);
    put_header(definitions);
    RECORD(definitions, 5, 1000000000, 0, 0);
    for (uint32_t id = 1; id < REGIONS; id++)
        define_string(id, names[id]);
    for (uint32_t id = R_USER; id < REGIONS; id++)
        RECORD(definitions, 15, id, id, id, BYTE(0), 0, 0, 0, 0, BYTE(0), BYTE(4), 0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        RECORD(definitions, 14, 100 + rank, 0, BYTE(1), 9, 0);
        put_header(&archive.local[rank]);
        put_header(&archive.events[rank]);
    }
    RECORD(definitions, 14, 1000, 0, BYTE(1), 7, 0); /* a thread */
    if (ranks == 2)
        RECORD(definitions, 18, 0, 0, BYTE(0), 2, 100, 101, BYTE(4), BYTE(4), 0);
    else
        RECORD(definitions, 18, 0, 0, BYTE(0), 3, 100, 101, 102, BYTE(4), BYTE(4), 0);
    if (ranks == 2)
        RECORD(definitions, 18, 1, 0, BYTE(0), 2, 0, 1, BYTE(5), BYTE(4), 0);
    else
        RECORD(definitions, 18, 1, 0, BYTE(0), 3, 0, 1, 2, BYTE(5), BYTE(4), 0);
    if (ranks > 2)
        RECORD(definitions, 18, 2, 0, BYTE(0), 2, 2, 0, BYTE(5), BYTE(4), 0);
    RECORD(definitions, 18, 3, 0, BYTE(0), 0, BYTE(6), BYTE(4), 0);
    RECORD(definitions, 18, 4, 0, BYTE(0), 1, 101, BYTE(5), BYTE(4), 1); /* by its location */
    RECORD(definitions, 22, 10, 1, 1, -1, 0);
    if (ranks > 2)
        RECORD(definitions, 22, 20, 0, 2, -1, 0);
    RECORD(definitions, 22, 30, 0, 3, -1, 0);
    if (ranks > 2)
        RECORD(definitions, 43, 40, 0, 2, 4, 10, 0);
}

static void at(uint32_t rank, uint64_t time)
{
    put(&archive.events[rank], 5);
    put_fixed(&archive.events[rank], time, 8);
}

/* Kinds of records that have one number and no length. */
static void lone(uint32_t rank, unsigned kind, uint64_t value)
{
    put(&archive.events[rank], kind);
    put_number(&archive.events[rank], value);
}

static void enter(uint32_t rank, uint64_t time, uint32_t region)
{
    at(rank, time);
    lone(rank, 12, region);
}

static void leave(uint32_t rank, uint64_t time, uint32_t region)
{
    at(rank, time);
    lone(rank, 13, region);
}

#define EVENT(rank, kind, ...) RECORD(&archive.events[rank], kind, __VA_ARGS__)

static void end_archive(void)
{
    put(&archive.definitions, 2);
    for (uint32_t rank = 0; rank < archive.ranks; rank++) {
        put(&archive.local[rank], 2);
        put(&archive.events[rank], 2);
    }
}

/* Compiles the archive in memory, and prints its calls into `text`, with computations. */
static char *text;

static void print_program(const struct compiled_trace *compiled, FILE *out)
{
    struct program *program = (struct program *)(uintptr_t)&compiled->program;
    struct call scratch;
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        for (const struct call *call; (call = program_next(program, rank, &scratch));) {
            if (call->op == CALL_COMPUTE)
                fprintf(out, "%u compute %.6g\n", rank, call->amount);
            else if (call->op == CALL_SENDRECV)
                fprintf(out, "%u sendrecv %d %d %llu %d %d %llu\n", rank, call->peer, call->tag,
                        (unsigned long long)call->bytes, call->source, call_source_tag(call),
                        (unsigned long long)call->recv_bytes);
            else if (call->op == CALL_TEST)
                fprintf(out, "%u test %u\n", rank, call->slot - SLOT_FIRST);
            else if (call->flags & (CALL_SYNCHRONOUS | CALL_BUFFERED)) {
                fprintf(out, "flags %d ", call->flags);
                print_call(out, program, rank, call);
            } else
                print_call(out, program, rank, call);
        }
    }
}

static enum status read_archive(void)
{
    static const char *const local[] = {"/100.def", "/101.def", "/102.def", "/103.def"};
    static const char *const events[] = {"/100.evt", "/101.evt", "/102.evt", "/103.evt"};
    struct otf2_memory files[2 + 2 * MOST_RANKS] = {
        {".otf2", archive.anchor.at, archive.anchor.size},
        {".def", archive.definitions.at, archive.definitions.size},
    };
    struct trace_input input;
    struct compiled_trace *compiled;
    size_t size, count = 2;
    const char *fault;
    int error = 0;
    for (uint32_t rank = 0; rank < archive.ranks; rank++) {
        files[count++] = (struct otf2_memory){local[rank], archive.local[rank].at, archive.local[rank].size};
        files[count++] =
            (struct otf2_memory){events[rank], archive.events[rank].at, archive.events[rank].size};
    }
    free(text);
    text = NULL;
    enum status status = otf2_input_of_files(&input, "t.otf2", files, count);
    if (status != STATUS_OK)
        return status;
    FILE *image = tmpfile();
    status = trace_compile(&input, image, &error);
    assert_int_equal(error, 0);
    if (status == STATUS_OK) {
        fflush(image);
        compiled = compiled_map(fileno(image), &input, &fault);
        if (!compiled)
            fail_msg("%s", fault);
        compiled_report_notes(compiled, UINT32_MAX);
        FILE *out = memory_stream_open(&text, &size);
        print_program(compiled, out);
        fclose(out);
        compiled->program.ops->close(&compiled->program);
    }
    fclose(image);
    trace_input_close(&input);
    return status;
}

static void expect(const char *wanted)
{
    enum status status = read_archive();
    if (status != STATUS_OK)
        fail_msg("%s", traces_messages());
    assert_string_equal(text, wanted);
}

/* ------------------------------------------------------------- what is read */

static void send(uint32_t rank, uint64_t time, uint32_t region, uint32_t peer, uint32_t bytes)
{
    enter(rank, time, region);
    EVENT(rank, 14, peer, 10, 7, bytes);
    leave(rank, time + 1, region);
}

static void receive(uint32_t rank, uint64_t time, uint32_t peer, uint32_t bytes)
{
    enter(rank, time, R_RECV);
    EVENT(rank, 18, peer, 10, 7, bytes);
    leave(rank, time + 1, R_RECV);
}

/* What is before MPI_Init and behind MPI_Finalize does not count; 1 ns is 12 operations. */
static void time_between_calls_is_computation(void **state)
{
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        begin_archive(2, is_big);
        enter(0, 10, R_USER);
        enter(0, 50, R_INIT);
        leave(0, 100, R_INIT);
        send(0, 110, R_SEND, 1, 300);
        send(0, 111, R_SSEND, 1, 70000);
        at(0, 200);
        put(&archive.events[0], 10); /* tracing writes its buffer for 40 ns */
        put(&archive.events[0], 8);
        put_fixed(&archive.events[0], 240, 8);
        enter(0, 252, R_FINALIZE);
        leave(0, 260, R_FINALIZE);
        leave(0, 300, R_USER);
        receive(1, 5, 0, 300);
        receive(1, 1005, 0, 70000);
        end_archive();
        expect("0 compute 120\n0 send 1 7 300 0,1\nflags 2 0 send 1 7 70000 0,1\n0 compute 1200\n"
               "1 recv 0 7 300 0,1\n1 compute 11988\n1 recv 0 7 70000 0,1\n");
        assert_non_null(strstr(traces_messages(),
                               "an event of a thread, a device or a metric, which is no rank "
                               "of MPI: left out (the first of 7)"));
    }
}

/* Request 5 is received by a wait, 6 is cancelled, 7 is tested twice: the second time completes it. */
static void requests_keep_their_meaning(void **state)
{
    (void)state;
    begin_archive(2, false);
    enter(0, 0, R_IRECV);
    lone(0, 17, 5);
    leave(0, 0, R_IRECV);
    enter(0, 0, R_IRECV);
    lone(0, 17, 6);
    leave(0, 0, R_IRECV);
    enter(0, 0, R_ISEND);
    EVENT(0, 15, 1, 10, 3, 64, 7);
    leave(0, 0, R_ISEND);
    enter(0, 0, R_TEST);
    lone(0, 20, 7);
    leave(0, 0, R_TEST);
    enter(0, 0, R_WAIT);
    lone(0, 21, 6);
    leave(0, 0, R_WAIT);
    enter(0, 0, R_WAIT);
    EVENT(0, 19, 1, 10, 4, 32, 5);
    leave(0, 0, R_WAIT);
    enter(0, 0, R_TEST);
    lone(0, 16, 7);
    leave(0, 0, R_TEST);
    enter(1, 0, R_SENDRECV);
    EVENT(1, 14, 0, 10, 4, 32);
    EVENT(1, 18, 0, 10, 3, 64);
    leave(1, 0, R_SENDRECV);
    end_archive();
    expect(
        "0 irecv 1 4 32 0,1\n0 isend 1 3 64 0,1\n0 test 2\n0 wait 1\n0 wait 1\n1 sendrecv 0 4 32 0 3 64\n");
    assert_non_null(strstr(traces_messages(), "a request that was cancelled"));
}

static void waitall_waits_for_all_or_for_those_named(void **state)
{
    (void)state;
    begin_archive(2, false);
    for (uint64_t id = 1; id <= 3; id++) {
        enter(0, 0, R_ISEND);
        EVENT(0, 15, 1, 10, 3, 64, (int64_t)id);
        leave(0, 0, R_ISEND);
    }
    for (uint64_t id = 1; id <= 3; id++) {
        if (id != 2)
            enter(0, 0, R_WAITALL);
        lone(0, 16, id);
        if (id != 1)
            leave(0, 0, R_WAITALL);
    }
    for (int i = 0; i < 3; i++) {
        enter(1, 0, R_RECV);
        EVENT(1, 18, 0, 10, 3, 64);
        leave(1, 0, R_RECV);
    }
    end_archive();
    expect("0 isend 1 3 64 0,1\n0 isend 1 3 64 0,1\n0 isend 1 3 64 0,1\n0 wait 1\n0 wait 1\n0 wait 1\n"
           "1 recv 0 3 64 0,1\n1 recv 0 3 64 0,1\n1 recv 0 3 64 0,1\n");
}

/* A collective that does not block: what it moves stands where it completes. */
static void communicators_keep_their_meaning(void **state)
{
    (void)state;
    begin_archive(3, false);
    for (uint32_t rank = 0; rank < 3; rank += 2) {
        enter(rank, 0, R_COLLECTIVE);
        EVENT(rank, 85, 9);
        leave(rank, 0, R_COLLECTIVE);
        enter(rank, 0, R_WAIT);
        EVENT(rank, 86, BYTE(11), 20, -1, 16, 16, 9);
        leave(rank, 0, R_WAIT);
        EVENT(rank, 23, BYTE(1), 20, 1, rank ? 0 : 48, 24); /* alone: its root is rank 0 of the world */
        EVENT(rank, 23, BYTE(11), 30, -1, 8, 8);
    }
    EVENT(2, 14, 0, 40, 5, 128); /* to rank 0 of the other group */
    EVENT(1, 18, 0, 40, 5, 128);
    EVENT(1, 23, BYTE(9), 10, -1, 10, 0);
    EVENT(0, 23, BYTE(9), 10, -1, 0, 7);
    EVENT(2, 23, BYTE(9), 10, -1, 0, 3);
    enter(0, 0, R_PUT);
    leave(0, 0, R_PUT);
    end_archive();
    expect("0 allreduce 0 16 16 2,0\n0 wait 1\n0 bcast 1 48 24 2,0\n0 allreduce 0 8 8 0\n"
           "0 alltoallv 0 0 0 0,0,0 0,7,0 0,1,2\n"
           "1 recv 2 5 128 2,0\n1 alltoallv 0 0 0 7,0,3 0,0,0 0,1,2\n"
           "2 allreduce 0 16 16 2,0\n2 wait 1\n2 bcast 1 0 24 2,0\n2 allreduce 0 8 8 2\n2 send 1 5 128 2,0\n"
           "2 alltoallv 0 0 0 0,0,0 0,3,0 0,1,2\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "in proportion to what each rank receives (the first of 3)"));
    assert_non_null(strstr(said, "a call that was not captured"));
}

/* The sums of all ranks give the sizes of all calls but an alltoallv. The second allgatherv is in place. */
static void sizes_follow_from_the_sums_of_all_ranks(void **state)
{
    (void)state;
    static const int64_t blocks[] = {4, 0, 7};
    begin_archive(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        int64_t mine = blocks[rank];
        EVENT(rank, 23, BYTE(3), 10, 1, mine, rank == 1 ? 11 : 0); /* gatherv to rank 1 */
        EVENT(rank, 23, BYTE(5), 10, 2, rank == 2 ? 11 : 0, mine); /* scatterv from rank 2 */
        EVENT(rank, 23, BYTE(7), 10, -1, 3 * mine, 11);
        EVENT(rank, 23, BYTE(7), 10, -1, 2 * mine, 11 - mine);
        EVENT(rank, 23, BYTE(13), 10, -1, 11, 3 * mine);                   /* reduce_scatter */
        EVENT(rank, 23, BYTE(16), 10, -1, 24, 24);                         /* reduce_scatter_block */
        EVENT(rank, 23, BYTE(14), 10, -1, (3 - rank) * 5, (rank + 1) * 5); /* scan */
        EVENT(rank, 23, BYTE(15), 10, -1, (2 - rank) * 5, rank * 5);       /* exscan */
        EVENT(rank, 23, BYTE(11), 10, -1, 16, 16);                         /* allreduce in place */
    }
    end_archive();
    expect("0 gatherv 1 12 0 0,1,2\n0 scatterv 2 12 12 0,1,2\n0 allgatherv 0 12 0 4,0,7 0,1,2\n"
           "0 allgatherv 0 12 0 4,0,7 0,1,2\n0 reducescatter 0 0 0 4,0,7 0,1,2\n"
           "0 reducescatter 0 24 24 0,1,2\n0 scan 0 15 0 0,1,2\n0 exscan 0 15 0 0,1,2\n"
           "0 allreduce 0 24 24 0,1,2\n"
           "1 gatherv 1 0 0 4,0,7 0,1,2\n1 scatterv 2 0 0 0,1,2\n1 allgatherv 0 0 0 4,0,7 0,1,2\n"
           "1 allgatherv 0 0 0 4,0,7 0,1,2\n1 reducescatter 0 0 0 4,0,7 0,1,2\n"
           "1 reducescatter 0 24 24 0,1,2\n1 scan 0 15 0 0,1,2\n1 exscan 0 15 0 0,1,2\n"
           "1 allreduce 0 24 24 0,1,2\n"
           "2 gatherv 1 21 0 0,1,2\n2 scatterv 2 21 21 4,0,7 0,1,2\n2 allgatherv 0 21 0 4,0,7 0,1,2\n"
           "2 allgatherv 0 21 0 4,0,7 0,1,2\n2 reducescatter 0 0 0 4,0,7 0,1,2\n"
           "2 reducescatter 0 24 24 0,1,2\n2 scan 0 15 0 0,1,2\n2 exscan 0 15 0 0,1,2\n"
           "2 allreduce 0 24 24 0,1,2\n");
    assert_null(strstr(traces_messages(), "in proportion"));
}

/* Two offsets of a clock: it shows 10 ticks more at 1000 and 30 more at 2000. */
static void a_clock_that_drifts_is_set_right(void **state)
{
    (void)state;
    begin_archive(2, false);
    for (int i = 0; i < 2; i++) {
        struct bytes *local = &archive.local[0];
        put(local, 6);
        put(local, 8 + 2 + 8);
        put_fixed(local, i ? 2000 : 1000, 8);
        put_number(local, i ? 30 : 10);
        put_fixed(local, 0, 8);
    }
    /* This location numbers regions otherwise: its 0 is MPI_Send, its 1 MPI_RECV. */
    RECORD(&archive.local[0], 5, BYTE(3), 2, BYTE(0), R_SEND, R_RECV);
    enter(0, 1000, 0);
    EVENT(0, 14, 1, 10, 7, 1);
    leave(0, 1000, 0);
    enter(0, 1500, 1);
    EVENT(0, 18, 1, 10, 7, 1);
    leave(0, 1500, 1);
    receive(1, 0, 0, 1);
    send(1, 1, R_SEND, 0, 1);
    end_archive();
    expect("0 send 1 7 1 0,1\n0 compute 6120\n0 recv 1 7 1 0,1\n1 recv 0 7 1 0,1\n1 send 0 7 1 0,1\n");
}

/* A chunk ends, and the next one begins where the anchor says. */
static void events_go_on_in_the_next_chunk(void **state)
{
    (void)state;
    begin_archive(2, false);
    struct bytes *events = &archive.events[0];
    send(0, 0, R_SEND, 1, 5);
    put(events, 0);
    while (events->size < 256 << 10)
        put(events, 0);
    put(events, 3);
    put(events, 0x42);
    put_fixed(events, 0, 8);
    put_fixed(events, 0, 8);
    send(0, 11, R_SEND, 1, 6);
    receive(1, 0, 0, 5);
    receive(1, 1, 0, 6);
    end_archive();
    expect("0 send 1 7 5 0,1\n0 compute 120\n0 send 1 7 6 0,1\n1 recv 0 7 5 0,1\n1 recv 0 7 6 0,1\n");
}

/* --------------------------------------------------------------- neighbours */

/* Communicator 50: the ranks in a row, or in a ring. */
static void begin_grid(uint32_t ranks, bool wraps)
{
    begin_archive(ranks, false);
    RECORD(&archive.definitions, 22, 50, 0, 1, -1, 0);
    RECORD(&archive.definitions, 30, 3, 0, ranks, BYTE(wraps));
    RECORD(&archive.definitions, 30, 4, 0, 1, BYTE(0));
    RECORD(&archive.definitions, 31, 0, 0, 50, BYTE(2), 3, 4);
}

static void call_alone(uint32_t rank, uint32_t region)
{
    enter(rank, 0, region);
    leave(rank, 0, region);
}

/* As Score-P has them: no records of what they move. Their neighbours follow from the grid. */
static void neighbours_follow_from_the_grid(void **state)
{
    (void)state;
    begin_grid(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        call_alone(rank, R_NEIGHBOURS);
        call_alone(rank, R_INEIGHBOURS);
    }
    end_archive();
    expect("0 sendrecv 1 1 0 1 0 0\n"
           "1 irecv 0 1 0 0,1,2\n1 irecv 2 0 0 0,1,2\n1 isend 0 0 0 0,1,2\n1 isend 2 1 0 0,1,2\n"
           "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n"
           "2 sendrecv 1 0 0 1 1 0\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "empty messages to and from the neighbours (the first of 3)"));
    assert_non_null(strstr(said, "a call that was not captured: what it moved is missing from this trace "
                                 "(the first of 3)\n"));
    assert_non_null(strstr(said, "MPI_Ineighbor_allgather"));
    assert_null(strstr(said, "never"));
}

/* Two neighbours that are one rank: the direction tells their messages apart. */
static void both_neighbours_can_be_one_rank(void **state)
{
    (void)state;
    begin_grid(2, true);
    call_alone(0, R_NEIGHBOURS);
    call_alone(1, R_NEIGHBOURS);
    end_archive();
    expect("0 irecv 1 1 0 0,1\n0 irecv 1 0 0 0,1\n0 isend 1 0 0 0,1\n0 isend 1 1 0 0,1\n"
           "0 wait 1\n0 wait 1\n0 wait 1\n0 wait 1\n"
           "1 irecv 0 1 0 0,1\n1 irecv 0 0 0 0,1\n1 isend 0 0 0 0,1\n1 isend 0 1 0 0,1\n"
           "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n");
}

/* Nobody is in two grids, and no graph is made; else it is not known whose neighbours are meant. */
static void neighbours_that_are_not_known_are_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin_grid(3, false);
        if (i == 0) {
            RECORD(&archive.definitions, 30, 5, 0, 2, BYTE(1));
            RECORD(&archive.definitions, 31, 1, 0, 20, BYTE(1), 5);
        } else {
            call_alone(2, R_GRAPH);
        }
        call_alone(0, R_NEIGHBOURS);
        call_alone(1, R_NEIGHBOURS);
        end_archive();
        expect("");
        assert_non_null(strstr(traces_messages(), "a call that was not captured: what it moved is missing "
                                                  "from this trace (the first of 2)\n"));
    }
}

/* Records of a collective have the sums of the rank: each neighbour has the same part of them, which for
 * those with a size for each neighbour is a guess. On a communicator without a grid nothing is known. */
static void sums_are_shared_among_neighbours(void **state)
{
    (void)state;
    begin_grid(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        enter(rank, 0, R_NEIGHBOURS);
        EVENT(rank, 23, BYTE(8), 50, -1, rank == 1 ? 16 : 8, rank == 1 ? 16 : 8);
        leave(rank, 0, R_NEIGHBOURS);
    }
    for (uint32_t rank = 0; rank < 3; rank++) {
        enter(rank, 0, R_NEIGHBOURS);
        EVENT(rank, 23, BYTE(8), 10, -1, 8, 8);
        leave(rank, 0, R_NEIGHBOURS);
    }
    end_archive();
    expect("0 sendrecv 1 1 8 1 0 8\n"
           "1 irecv 0 1 8 0,1,2\n1 irecv 2 0 8 0,1,2\n1 isend 0 0 8 0,1,2\n1 isend 2 1 8 0,1,2\n"
           "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n"
           "2 sendrecv 1 0 8 1 1 8\n");
    const char *said = traces_messages();
    assert_null(strstr(said, "neighbours"));
    assert_non_null(strstr(said, "(the first of 3)"));
    begin_grid(2, false);
    for (uint32_t rank = 0; rank < 2; rank++) {
        enter(rank, 0, R_NEIGHBOURS_V);
        EVENT(rank, 23, BYTE(9), 50, -1, 5 + rank, 6 - rank);
        leave(rank, 0, R_NEIGHBOURS_V);
    }
    end_archive();
    expect("0 sendrecv 1 1 5 1 0 6\n1 sendrecv 0 0 6 0 1 5\n");
    assert_non_null(strstr(traces_messages(), "equal shares of what it has"));
}

/* Records of messages say all; the messages of one call are under way together. A request whose collective is
 * one of neighbours is lost, with its wait. */
static void messages_of_one_call_are_at_once(void **state)
{
    (void)state;
    begin_archive(2, false);
    for (uint32_t rank = 0; rank < 2; rank++) {
        enter(rank, 0, R_NEIGHBOURS);
        for (int i = 0; i < 2; i++)
            EVENT(rank, 14, 1 - rank, 10, 7 + i, 4096);
        for (int i = 0; i < 2; i++)
            EVENT(rank, 18, 1 - rank, 10, 7 + i, 4096);
        leave(rank, 0, R_NEIGHBOURS);
        enter(rank, 0, R_INEIGHBOURS);
        EVENT(rank, 85, 9);
        leave(rank, 0, R_INEIGHBOURS);
        enter(rank, 0, R_WAIT);
        EVENT(rank, 86, BYTE(6), 10, -1, 16, 16, 9);
        leave(rank, 0, R_WAIT);
    }
    end_archive();
    expect("0 irecv 1 7 4096 0,1\n0 irecv 1 8 4096 0,1\n0 isend 1 7 4096 0,1\n0 isend 1 8 4096 0,1\n"
           "0 wait 1\n0 wait 1\n0 wait 1\n0 wait 1\n"
           "1 irecv 0 7 4096 0,1\n1 irecv 0 8 4096 0,1\n1 isend 0 7 4096 0,1\n1 isend 0 8 4096 0,1\n"
           "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "MPI_Ineighbor_allgather"));
    assert_non_null(strstr(said, "(the first of 2)"));
}

/* ------------------------------------------------------------- bad archives */

static void refuse(const char *what)
{
    if (read_archive() == STATUS_OK)
        fail_msg("accepted, where this was expected: %s", what);
    const char *said = traces_messages();
    if (!strstr(said, what))
        fail_msg("expected: %s\nsaid: %s", what, said);
}

static void begin_small(void)
{
    begin_archive(2, false);
    send(0, 0, R_SEND, 1, 5);
    receive(1, 0, 0, 5);
}

static void anchors_of_other_kinds_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        const char *what;
    } cases[] = {
        {2, 'X', "t.otf2: byte 0: error: it does not begin as the anchor file of an OTF2 archive does"},
        {7, 2, "t.otf2: byte 7: error: an archive of format 3 with an anchor of format 2, which is not read"},
        {8, 9, "t.otf2: byte 7: error: an archive of format 9 with an anchor of format 3, which is not read"},
        {14, 0, "t.otf2: byte 12: error: the size of its chunks is not between 256 KiB and 16 MiB"},
        {28, 2, "t.otf2: byte 28: error: its events are in files of SIONlib"},
        {29, 2, "t.otf2: byte 29: error: its files are compressed with zlib"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_small();
        end_archive();
        archive.anchor.at[cases[i].at] = cases[i].value;
        refuse(cases[i].what);
    }
    begin_small();
    end_archive();
    archive.anchor.size = 20;
    refuse("t.otf2: byte 20: error: the anchor file is cut short");
}

/* Each cut is found, at whatever byte it is. */
static void archives_cut_short_are_refused(void **state)
{
    (void)state;
    begin_small();
    end_archive();
    for (size_t size = archive.events[1].size; size-- > 0;) {
        archive.events[1].size = size;
        refuse("t/101.evt: byte ");
    }
    begin_small();
    end_archive();
    for (size_t size = archive.definitions.size; size-- > 0;) {
        archive.definitions.size = size;
        refuse("t.def: byte ");
    }
    begin_small();
    end_archive();
    for (size_t size = archive.local[0].size; size-- > 0;) {
        archive.local[0].size = size;
        refuse("t/100.def: byte ");
    }
    begin_small();
    end_archive();
    archive.ranks = 1;
    refuse("t/101.def: error: this file of the archive is missing");
}

static void records_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned kind;
        int64_t fields[6];
        size_t count;
        const char *what;
    } cases[] = {
        {14, {9, 10, 7, 5}, 4, "the other end of this message is not in its communicator"},
        {14, {1, 11, 7, 5}, 4, "it names a communicator that is not defined as one of MPI"},
        {14, {1, 10, 7}, 3, "this record of a message is damaged"},
        {19, {1, 10, 7, 5, 3}, 5, "it completes a request that is not outstanding"},
        {23, {BYTE(1), 10, 2, 5, 5}, 5, "the root of this collective is not in its communicator"},
        {23, {BYTE(99), 10, 0, 5, 5}, 5, "this record of a collective is damaged"},
        {86, {BYTE(11), 10, -1, 4, 4, 3}, 6, "it completes a request that is not outstanding"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_small();
        char place[160];
        snprintf(place, sizeof place, "t/100.evt: byte %zu: error: %s", archive.events[0].size,
                 cases[i].what);
        put_record(&archive.events[0], cases[i].kind, cases[i].count, cases[i].fields);
        end_archive();
        refuse(place);
    }
    begin_small();
    lone(0, 12, 77);
    end_archive();
    refuse("it enters a region that is not defined");
    begin_small();
    leave(0, 5, R_SEND);
    end_archive();
    refuse("it leaves a call of MPI that it is not in");
    begin_small();
    lone(0, 21, 77);
    end_archive();
    refuse("it cancels a request that is not outstanding");
    begin_small();
    EVENT(0, 15, 1, 10, 3, 64, 7);
    EVENT(0, 15, 1, 10, 3, 64, 7);
    end_archive();
    refuse("it starts a request of the number of one that is outstanding");
}

static void definitions_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    begin_small();
    RECORD(&archive.definitions, 22, 10, 1, 1, -1, 0);
    end_archive();
    refuse("this communicator has been defined before");
    begin_small();
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 1, 1, BYTE(5), BYTE(4), 0);
    end_archive();
    refuse("t.def: error: a group of ranks has a rank twice");
    begin_small();
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 1, 2, BYTE(5), BYTE(4), 0);
    end_archive();
    refuse("t.def: error: a group of ranks has a member that is no rank");
    begin_small();
    put_header(&archive.definitions);
    RECORD(&archive.definitions, 5, 1000, 0, 0);
    end_archive();
    refuse("t.def: error: no location of this archive is a rank of MPI");
    begin_small();
    RECORD(&archive.definitions, 30, 3, 0, 2, BYTE(1));
    RECORD(&archive.definitions, 30, 3, 0, 2, BYTE(1));
    end_archive();
    refuse("this dimension of a grid has been defined before");
    begin_small();
    RECORD(&archive.definitions, 31, 0, 0, 10, BYTE(1), 3);
    end_archive();
    refuse("t.def: error: a grid of ranks has a dimension that is not defined");
    begin_small();
    RECORD(&archive.definitions, 31, 0, 0, 10, BYTE(2), 3);
    end_archive();
    refuse("error: this definition is damaged");
}

/* The attributes by which timelines say what a record cannot (call/recorded.h). */
static void define_attributes(void)
{
    begin_archive(2, false);
    for (uint32_t i = 0; i < RECORDED_KINDS; i++) {
        define_string(200 + i, recorded_name((enum recorded)i));
        RECORD(&archive.definitions, 11, 50 + i, 200 + i, BYTE(4));
    }
    define_string(240, "3,4");
    define_string(241, "3,4,5");
}

enum { UINT64 = 4, TEXT = 11 };

static void attributes_complete_the_records(void **state)
{
    (void)state;
    define_attributes();
    EVENT(0, 14, 1, 10, 7, 1);
    EVENT(1, 6, 1, 50 + RECORDED_ANY, BYTE(UINT64), 3);
    EVENT(1, 18, 0, 10, 7, 1);
    for (uint32_t rank = 0; rank < 2; rank++) {
        EVENT(rank, 6, 2, 50 + RECORDED_SENDS, BYTE(TEXT), 240, 50 + RECORDED_RECEIVES, BYTE(TEXT), 240);
        EVENT(rank, 23, BYTE(9), 10, -1, 7, 7);
    }
    end_archive();
    expect("0 send 1 7 1 0,1\n0 alltoallv 0 0 0 3,4 3,4 0,1\n"
           "1 recv -2 -2147483648 1 0,1\n1 alltoallv 0 0 0 3,4 3,4 0,1\n");
    assert_null(strstr(traces_messages(), "in proportion"));
    define_attributes();
    EVENT(0, 6, 2, 50 + RECORDED_SENDS, BYTE(TEXT), 240, 50 + RECORDED_RECEIVES, BYTE(TEXT), 241);
    EVENT(0, 23, BYTE(9), 10, -1, 7, 7);
    end_archive();
    refuse("the sizes of this collective are damaged");
    define_attributes();
    EVENT(0, 6, 1, 50 + RECORDED_ELEMENT, BYTE(UINT64), 256);
    EVENT(0, 23, BYTE(11), 10, -1, 16, 16);
    end_archive();
    refuse("this record of a collective is damaged");
}

/* Messages of something other than MPI are passed over, and an archive of nothing else is refused. */
static void archives_without_calls_are_refused(void **state)
{
    (void)state;
    begin_archive(2, false);
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 0, 1, BYTE(5), BYTE(6), 0);
    RECORD(&archive.definitions, 22, 70, 0, 9, -1, 0);
    EVENT(0, 14, 1, 70, 7, 1);
    EVENT(1, 18, 0, 70, 7, 1);
    end_archive();
    refuse("t.otf2: error: no rank calls MPI in it");
}

static void folders_have_one_archive(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    traces_write("two/a.otf2", "x", 1);
    const char *folder = traces_write("two/b.otf2", "x", 1);
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "the folder has several archives of OTF2"));
    const char *alone = traces_write("one.otf2", "\003BOTF2\0\3\3\3\0\2", 12);
    assert_int_equal(trace_open_compiled(alone, &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "one.otf2: byte 12: error: the anchor file is cut short"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_score_p_is_there),
        cmocka_unit_test(time_between_calls_is_computation),
        cmocka_unit_test(requests_keep_their_meaning),
        cmocka_unit_test(waitall_waits_for_all_or_for_those_named),
        cmocka_unit_test(communicators_keep_their_meaning),
        cmocka_unit_test(sizes_follow_from_the_sums_of_all_ranks),
        cmocka_unit_test(a_clock_that_drifts_is_set_right),
        cmocka_unit_test(events_go_on_in_the_next_chunk),
        cmocka_unit_test(neighbours_follow_from_the_grid),
        cmocka_unit_test(both_neighbours_can_be_one_rank),
        cmocka_unit_test(neighbours_that_are_not_known_are_lost),
        cmocka_unit_test(sums_are_shared_among_neighbours),
        cmocka_unit_test(messages_of_one_call_are_at_once),
        cmocka_unit_test(anchors_of_other_kinds_are_refused),
        cmocka_unit_test(archives_cut_short_are_refused),
        cmocka_unit_test(records_that_do_not_fit_are_refused),
        cmocka_unit_test(definitions_that_do_not_fit_are_refused),
        cmocka_unit_test(attributes_complete_the_records),
        cmocka_unit_test(archives_without_calls_are_refused),
        cmocka_unit_test(folders_have_one_archive),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
