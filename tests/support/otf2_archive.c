#include "support/otf2_archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "support/print_calls.h"
#include "support/traces.h"
#include "trace/compile.h"
#include "trace/input.h"
#include "trace/otf2/otf2.h"
#include "trace/trace.h"

struct archive archive;

void archive_put(struct archive_bytes *bytes, unsigned value)
{
    bytes->at = mem_grow(bytes->at, &bytes->capacity, bytes->size + 1, "a test");
    bytes->at[bytes->size++] = (uint8_t)value;
}

void archive_put_fixed(struct archive_bytes *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        archive_put(bytes, (unsigned)(value >> 8 * (archive.is_big ? size - 1 - i : i)) & 255);
}

void archive_put_number(struct archive_bytes *bytes, uint64_t value)
{
    unsigned size = 0;
    while (size < 8 && value >> 8 * size)
        size++;
    archive_put(bytes, value == UINT64_MAX ? 255 : size);
    if (value != UINT64_MAX)
        archive_put_fixed(bytes, value, size);
}

static void put_text(struct archive_bytes *bytes, const char *text)
{
    for (const char *at = text;; at++) {
        archive_put(bytes, (unsigned char)*at);
        if (!*at)
            return;
    }
}

void archive_put_header(struct archive_bytes *bytes)
{
    bytes->size = 0;
    archive_put(bytes, 3);
    archive_put(bytes, archive.is_big ? 0x23 : 0x42);
    archive_put_fixed(bytes, 0, 8);
    archive_put_fixed(bytes, 0, 8);
}

void archive_put_record(struct archive_bytes *bytes, unsigned kind, size_t count, const int64_t *fields)
{
    struct archive_bytes record = {0};
    for (size_t i = 0; i < count; i++)
        if (fields[i] <= -2)
            archive_put(&record, (unsigned)(-2 - fields[i]));
        else
            archive_put_number(&record, (uint64_t)fields[i]);
    archive_put(bytes, kind);
    archive_put(bytes, (unsigned)record.size);
    for (size_t i = 0; i < record.size; i++)
        archive_put(bytes, record.at[i]);
    free(record.at);
}

void archive_define_string(uint32_t id, const char *text)
{
    struct archive_bytes *bytes = &archive.definitions;
    archive_put(bytes, 10);
    archive_put(bytes, (unsigned)(strlen(text) + 3));
    archive_put_number(bytes, id);
    put_text(bytes, text);
}

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

void archive_begin(uint32_t ranks, bool is_big)
{
    archive.ranks = ranks;
    archive.is_big = is_big;
    struct archive_bytes *anchor = &archive.anchor, *definitions = &archive.definitions;
    anchor->size = 0;
    archive_put(anchor, 3);
    archive_put(anchor, is_big ? 0x23 : 0x42);
    put_text(anchor, "OTF2");
    archive_put(anchor, 3);
    archive_put(anchor, 3);
    archive_put_fixed(anchor, 0, 3);
    archive_put_fixed(anchor, 256 << 10, 8);
    archive_put_fixed(anchor, 256 << 10, 8);
    archive_put(anchor, 1);
    archive_put(anchor, 1);
    archive_put_fixed(anchor, ranks, 8);
    archive_put_fixed(anchor, 0, 8);
    archive_put_header(definitions);
    RECORD(definitions, 5, 1000000000, 0, 0);
    for (uint32_t id = 1; id < REGIONS; id++)
        archive_define_string(id, names[id]);
    for (uint32_t id = R_USER; id < REGIONS; id++)
        RECORD(definitions, 15, id, id, id, BYTE(0), 0, 0, 0, 0, BYTE(0), BYTE(4), 0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        RECORD(definitions, 14, 100 + rank, 0, BYTE(1), 9, 0);
        archive_put_header(&archive.local[rank]);
        archive_put_header(&archive.events[rank]);
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

void archive_at(uint32_t rank, uint64_t time)
{
    archive_put(&archive.events[rank], 5);
    archive_put_fixed(&archive.events[rank], time, 8);
}

void archive_lone(uint32_t rank, unsigned kind, uint64_t value)
{
    archive_put(&archive.events[rank], kind);
    archive_put_number(&archive.events[rank], value);
}

void archive_enter(uint32_t rank, uint64_t time, uint32_t region)
{
    archive_at(rank, time);
    archive_lone(rank, 12, region);
}

void archive_leave(uint32_t rank, uint64_t time, uint32_t region)
{
    archive_at(rank, time);
    archive_lone(rank, 13, region);
}

void archive_end(void)
{
    archive_put(&archive.definitions, 2);
    for (uint32_t rank = 0; rank < archive.ranks; rank++) {
        archive_put(&archive.local[rank], 2);
        archive_put(&archive.events[rank], 2);
    }
}

static char *text; /* what the archive was read as */

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

enum status archive_read(void)
{
    static const char *const local[] = {"/100.def", "/101.def", "/102.def", "/103.def"};
    static const char *const events[] = {"/100.evt", "/101.evt", "/102.evt", "/103.evt"};
    struct otf2_memory files[2 + 2 * ARCHIVE_RANKS] = {
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

void archive_expect(const char *wanted)
{
    enum status status = archive_read();
    if (status != STATUS_OK)
        fail_msg("%s", traces_messages());
    assert_string_equal(text, wanted);
}

void archive_send(uint32_t rank, uint64_t time, uint32_t region, uint32_t peer, uint32_t bytes)
{
    archive_enter(rank, time, region);
    EVENT(rank, 14, peer, 10, 7, bytes);
    archive_leave(rank, time + 1, region);
}

void archive_receive(uint32_t rank, uint64_t time, uint32_t peer, uint32_t bytes)
{
    archive_enter(rank, time, R_RECV);
    EVENT(rank, 18, peer, 10, 7, bytes);
    archive_leave(rank, time + 1, R_RECV);
}

void archive_refuse(const char *what)
{
    if (archive_read() == STATUS_OK)
        fail_msg("accepted, where this was expected: %s", what);
    const char *said = traces_messages();
    if (!strstr(said, what))
        fail_msg("expected: %s\nsaid: %s", what, said);
}
