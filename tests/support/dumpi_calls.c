#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory_stream.h"
#include "support/dumpi_calls.h"
#include "support/traces.h"

struct dumpi_text dumpi_ranks[MOST_RANKS];
int dumpi_rank_count;

void dumpi_begin(int count)
{
    dumpi_rank_count = count;
    for (int rank = 0; rank < count; rank++) {
        dumpi_text_begin(&dumpi_ranks[rank]);
        dumpi_ranks[rank].gap_ns = 0;
    }
}

/* Writes the files of the ranks, and their .meta, whose path it returns. */
const char *dumpi_write_trace(void)
{
    static int number;
    char name[40], meta[80];
    for (int rank = 0; rank < dumpi_rank_count; rank++) {
        dumpi_text_end(&dumpi_ranks[rank]);
        snprintf(name, sizeof name, "%d/t-%04d.bin", number, rank);
        traces_write(name, (const char *)dumpi_ranks[rank].bytes, dumpi_ranks[rank].count);
        dumpi_text_free(&dumpi_ranks[rank]);
    }
    snprintf(meta, sizeof meta, "hostname=node0\nnumprocs=%d\nfileprefix=t\n", dumpi_rank_count);
    snprintf(name, sizeof name, "%d/t.meta", number++);
    return traces_write(name, meta, strlen(meta));
}

struct compiled_trace *dumpi_open_trace(void)
{
    struct compiled_trace *compiled;
    enum status status = trace_open_compiled(dumpi_write_trace(), &compiled);
    if (status != STATUS_OK)
        fail_msg("%s", traces_messages());
    return compiled;
}

/* ----------------------------------------------------------------- printing */

static void print_sizes(FILE *out, const struct compiled_trace *compiled, const struct call *call,
                        uint64_t at)
{
    fputs(" [", out);
    for (uint32_t i = 0; at && i < compiled->program.groups[call->group].size; i++)
        fprintf(out, i ? " %" PRIu64 : "%" PRIu64, compiled->program.counts[at + i]);
    fputs("]", out);
}

static void print_tag(FILE *out, int32_t tag)
{
    if (tag == CALL_ANY_TAG)
        fputs(" any", out);
    else
        fprintf(out, " %d", tag);
}

static void print_ends(FILE *out, const struct call *call)
{
    fprintf(out, "%s%s%s%s %d", call->flags & CALL_IMMEDIATE ? "i" : "",
            call->flags & CALL_SYNCHRONOUS ? "s" : "", call->flags & CALL_BUFFERED ? "b" : "",
            call_op_name(call->op), call->peer);
    print_tag(out, call->tag);
    fprintf(out, " %" PRIu64, call->op == CALL_RECV ? call->recv_bytes : call->bytes);
    if (call->op == CALL_SENDRECV) {
        fprintf(out, " %d", call->source);
        print_tag(out, call_source_tag(call));
        fprintf(out, " %" PRIu64, call->recv_bytes);
    }
    if (call->flags & CALL_IMMEDIATE)
        fprintf(out, " as %u", call->slot - SLOT_FIRST);
}

static void print_collective(FILE *out, const struct compiled_trace *compiled, const struct call *call)
{
    fprintf(out, "%s %" PRIu64 " %" PRIu64 " root %d", call_op_name(call->op), call->bytes, call->recv_bytes,
            call->peer);
    if (call->send_counts || call->recv_counts) {
        print_sizes(out, compiled, call, call->send_counts);
        print_sizes(out, compiled, call, call->recv_counts);
    }
    if (call->element_bytes)
        fprintf(out, " of %u", call->element_bytes);
}

static void print_comm(FILE *out, const struct compiled_trace *compiled, uint32_t context)
{
    fputs(" in", out);
    for (uint32_t i = 0; i < compiled->program.groups[context].size; i++)
        fprintf(out, " %u", group_world(&compiled->program.groups[context], i));
}

static void print_call(FILE *out, const struct compiled_trace *compiled, uint32_t rank, uint32_t token)
{
    const struct call *call = &compiled_calls(compiled, rank)[token];
    size_t length;
    const char *text = compiled_text(compiled, rank, token, &length);
    if (call->op == CALL_NOTHING)
        fprintf(out, "%.*s", (int)length, text);
    else if (call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV)
        print_ends(out, call);
    else if (call->op == CALL_WAIT)
        fprintf(out, "wait %u", call->slot - SLOT_FIRST);
    else if (call->op == CALL_WAITALL)
        fprintf(out, "waitall %u", call->expected);
    else if (call_is_collective(call))
        print_collective(out, compiled, call);
    else
        fprintf(out, "%s", call_op_name(call->op));
    if (call->context)
        print_comm(out, compiled, call->context);
}

/* A line for each call of the rank. */
static char *print_rank(const struct compiled_trace *compiled, uint32_t rank)
{
    char *text;
    size_t size;
    FILE *out = memory_stream_open(&text, &size);
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++) {
        if (tokens[i] & TOKEN_COMPUTE)
            fprintf(out, "compute %.0f", compiled_amounts(compiled, rank)[tokens[i] & ~TOKEN_COMPUTE]);
        else
            print_call(out, compiled, rank, tokens[i]);
        fputc('\n', out);
    }
    fputc('\0', out);
    assert_int_equal(fclose(out), 0);
    return text;
}

void dumpi_expect_rank(const struct compiled_trace *compiled, uint32_t rank, const char *expected)
{
    char *printed = print_rank(compiled, rank);
    if (strcmp(printed, expected) != 0)
        fail_msg("rank %u has\n%sinstead of\n%s", rank, printed, expected);
    free(printed);
}

/* The calls of rank 0 of the trace that has been written. */
void dumpi_expect(const char *expected)
{
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(compiled, 0, expected);
    traces_close(compiled);
}

void dumpi_expect_messages(const char *part)
{
    const char *messages = traces_messages();
    if (*part ? !strstr(messages, part) : *messages)
        fail_msg("'%s' is not in '%s'", part, messages);
}

/* The trace is refused, with this message. */
void dumpi_expect_error(const char *part)
{
    struct compiled_trace *compiled;
    traces_messages();
    assert_int_equal(trace_open_compiled(dumpi_write_trace(), &compiled), STATUS_BAD_INPUT);
    dumpi_expect_messages(part);
}

/* The last line of the rank. */
void dumpi_expect_last(const struct compiled_trace *compiled, uint32_t rank, const char *expected)
{
    char *printed = print_rank(compiled, rank);
    size_t length = strlen(printed), wanted = strlen(expected);
    if (length < wanted || strcmp(printed + length - wanted, expected) != 0)
        fail_msg("rank %u has\n%sbut its end should be\n%s", rank, printed, expected);
    free(printed);
}
