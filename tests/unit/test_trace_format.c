/* The interface of trace formats: a made-up format passes the list, the probe, the image writer and the
 * cache. Its trace runs, is checked, is shown in messages and is written as TI text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/traces.h"
#include "trace/check/check.h"
#include "trace/formats.h"
#include "trace/image/content.h"
#include "trace/image/slots.h"
#include "trace/ti/decompile.h"
#include "trace/trace.h"

/* A line per call, all ranks in one file, behind a first line "calls N":
 *
 *   RANK compute AMOUNT   RANK send|isend|recv|irecv PEER TAG BYTES   RANK wait   RANK barrier */
struct calls_trace {
    char *text;
    size_t size;
    struct image_slots slots;
};

static enum trace_claim calls_probe(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    return probe->head_size > 6 && !memcmp(probe->head, "calls ", 6) ? TRACE_CLAIM_CERTAIN : TRACE_CLAIM_NONE;
}

static void calls_close(struct trace_input *input)
{
    struct calls_trace *trace = input->state;
    image_slots_free(&trace->slots);
    free(trace->text);
    free(trace);
}

static enum status calls_open(struct trace_input *input, const struct trace_probe *probe)
{
    struct calls_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    struct content_hash hash;
    enum status status = content_load(probe->path, &trace->text, &trace->size);
    input->state = trace;
    if (status != STATUS_OK) {
        calls_close(input);
        return status;
    }
    assert_true(content_hash_begin(&hash));
    content_hash_add(&hash, "calls", 5);
    content_hash_add(&hash, trace->text, trace->size);
    content_hash_end(&hash, input->key);
    trace->text[trace->size - 1] = '\0';
    return STATUS_OK;
}

static unsigned loads;

static enum status calls_load(struct trace_input *input)
{
    struct calls_trace *trace = input->state;
    loads++;
    return sscanf(trace->text, "calls %u", &input->ranks) == 1 ? STATUS_OK : STATUS_BAD_INPUT;
}

static bool read_call(const char *line, struct image_slots *slots, struct call *call)
{
    char name[16];
    unsigned long bytes = 0;
    double amount = 0;
    int peer = 0, tag = 0;
    int fields = sscanf(line, "%*u %15s %d %d %lu", name, &peer, &tag, &bytes);
    bool immediate = name[0] == 'i';
    const char *base = name + immediate;
    *call = (struct call){.op = CALL_NOTHING, .peer = peer, .tag = tag};
    if (fields == 4 && !strcmp(base, "send"))
        *call = (struct call){.op = CALL_SEND, .peer = peer, .tag = tag, .bytes = bytes};
    else if (fields == 4 && !strcmp(base, "recv"))
        *call = (struct call){.op = CALL_RECV, .peer = peer, .tag = tag, .recv_bytes = bytes};
    else if (!strcmp(name, "barrier"))
        *call = (struct call){.op = CALL_BARRIER};
    else if (!strcmp(name, "wait"))
        *call = (struct call){.op = CALL_WAIT, .slot = SLOT_FIRST + image_slots_next(slots, 0)};
    else if (sscanf(line, "%*u compute %lf", &amount) == 1)
        *call = (struct call){.op = CALL_COMPUTE, .amount = amount};
    else
        return false;
    if (call->op == CALL_WAIT && slots->outstanding)
        image_slots_give(slots, call->slot - SLOT_FIRST);
    if (immediate) {
        call->flags = CALL_IMMEDIATE;
        call->slot = SLOT_FIRST + image_slots_take(slots);
    }
    return true;
}

static enum status calls_read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct calls_trace *trace = input->state;
    const char *line = strchr(trace->text, '\n') + 1;
    image_slots_clear(&trace->slots);
    for (uint64_t number = 2; *line; number++) {
        size_t length = strcspn(line, "\n");
        char text[64];
        struct call call;
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        if (strtoul(text, NULL, 10) == rank) {
            if (!read_call(text, &trace->slots, &call))
                image_writer_error(writer,
                                   &(struct diag_place){.file = input->path,
                                                        .line = number,
                                                        .column = 1,
                                                        .span = (uint32_t)length,
                                                        .source = line,
                                                        .source_length = length},
                                   "not a call");
            else if (!image_writer_add(writer, &call, strchr(text, ' ') + 1, number))
                break;
        }
        line += length + (line[length] == '\n');
    }
    return STATUS_OK;
}

static const char *calls_file(const struct trace_input *input, uint32_t rank)
{
    (void)rank;
    return input->path;
}

static const struct trace_format calls_format = {
    .name = "calls",
    .doc = "a file that begins with \"calls\"",
    .probe = calls_probe,
    .open = calls_open,
    .load = calls_load,
    .read_rank = calls_read_rank,
    .rank_file = calls_file,
    .close = calls_close,
    .image_flags = IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE,
};

static const char sample[] = "calls 2\n"
                             "0 isend 1 7 800\n"
                             "1 compute 12.5\n"
                             "1 recv 0 7 800\n"
                             "0 wait\n"
                             "0 isend 1 7 800\n"
                             "1 recv 0 7 800\n"
                             "0 wait\n"
                             "1 barrier\n"
                             "0 barrier\n";

static const char *sample_file(void)
{
    return traces_write("sample", sample, sizeof sample - 1);
}

/* -------------------------------------------------------------------- list */

static void a_format_is_added_once(void **state)
{
    (void)state;
    const struct trace_format nameless = {.name = "half", .probe = calls_probe};
    assert_null(trace_format_find("calls"));
    assert_int_equal(trace_format_add(&calls_format), STATUS_OK);
    assert_ptr_equal(trace_format_find("calls"), &calls_format);
    assert_int_equal(trace_format_add(&calls_format), STATUS_BAD_INPUT);
    assert_string_equal(traces_messages(), "helio: error: there is a trace format calls already\n");
    assert_int_equal(trace_format_add(&nameless), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "half lacks one of the functions"));
    assert_null(trace_format_find("half"));
    assert_non_null(trace_format_find("ti"));
    assert_non_null(trace_format_find("compiled"));
}

static enum trace_claim likely(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    (void)probe;
    return TRACE_CLAIM_LIKELY;
}

static void the_surest_format_reads_a_path(void **state)
{
    (void)state;
    const unsigned char text[] = "calls 2\n", image[] = "HELIOTI\n", other[] = "other";
    struct trace_probe probe = {.path = "x", .head = text, .head_size = sizeof text - 1};
    struct trace_format unsure = calls_format;
    assert_ptr_equal(trace_format_of(&probe), &calls_format);
    probe.head = image;
    assert_string_equal(trace_format_of(&probe)->name, "compiled");
    probe.head = other;
    probe.head_size = sizeof other - 1;
    assert_string_equal(trace_format_of(&probe)->name, "ti");
    unsure.name = "unsure";
    unsure.probe = likely;
    assert_int_equal(trace_format_add(&unsure), STATUS_OK);
    assert_ptr_equal(trace_format_of(&probe), &unsure);
    probe.head = text;
    probe.head_size = sizeof text - 1;
    assert_ptr_equal(trace_format_of(&probe), &calls_format);
    size_t last = 0;
    while (trace_formats[last + 1])
        last++;
    trace_formats[last] = NULL; /* it is removed when this test ends */
}

/* --------------------------------------------------------------- the trace */

static void a_trace_of_the_format_runs(void **state)
{
    (void)state;
    struct program *program;
    struct call scratch;
    loads = 0;
    assert_int_equal(trace_open(sample_file(), &program), STATUS_OK);
    assert_string_equal(traces_messages(), "");
    assert_int_equal(program->ranks, 2);
    assert_int_equal(program->channels, 1);
    assert_int_equal(program->total_calls, 9);
    assert_int_equal(program->ops->slots(program, 0), SLOT_FIRST + 1);
    assert_int_equal(program->ops->slots(program, 1), SLOT_FIRST);
    const struct call *first = program_next(program, 0, &scratch);
    assert_int_equal(first->op, CALL_SEND);
    assert_int_equal(first->flags, CALL_IMMEDIATE);
    assert_int_equal(first->slot, SLOT_FIRST);
    assert_int_equal(first->channel, 0);
    assert_int_equal(program_next(program, 0, &scratch)->op, CALL_WAIT);
    assert_ptr_equal(program_next(program, 0, &scratch), first); /* equal calls are stored one time only */
    struct call_place place = program->ops->place(program, 0);
    assert_int_equal(place.line, 6);
    assert_non_null(strstr(place.file, "/sample"));
    assert_int_equal(program_next(program, 0, &scratch)->op, CALL_WAIT);
    assert_int_equal(program_next(program, 0, &scratch)->op, CALL_BARRIER);
    assert_null(program_next(program, 0, &scratch));
    assert_true(program_next(program, 1, &scratch)->amount == 12.5);
    program->ops->close(program);
    assert_int_equal(loads, 1);
    assert_int_equal(trace_open(sample_file(), &program), STATUS_OK); /* from the cache */
    assert_int_equal(loads, 1);
    program->ops->close(program);
}

static void error_messages_name_lines_of_the_format(void **state)
{
    (void)state;
    static const char wrong[] = "calls 2\n0 send 1 7 900\n\n1 recv 0 7 800\n0 nosuch\n";
    static const char lonely[] = "calls 2\n1 compute 1\n0 send 1 7 900\n";
    struct compiled_trace *compiled;
    struct trace_check check;
    assert_int_equal(trace_open_compiled(traces_write("wrong", wrong, sizeof wrong - 1), &compiled),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "/wrong:5:1: error: not a call\n 5 | 0 nosuch\n"));
    assert_int_equal(trace_open_compiled(traces_write("lonely", lonely, sizeof lonely - 1), &compiled),
                     STATUS_OK);
    assert_false(check_trace(compiled, &check));
    assert_non_null(strstr(traces_messages(),
                           "/lonely:3: error: this message is never received: no receive has "
                           "these ranks and this tag\n 3 | send 1 7 900\n"));
    traces_close(compiled);
}

static void calls_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char wrong[] = "calls 2\n0 send 2 7 900\n0 recv -3 7 900\n0 barrier\n0 wait\n1 barrier\n";
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(traces_write("impossible", wrong, sizeof wrong - 1), &compiled),
                     STATUS_BAD_INPUT);
    const char *messages = traces_messages();
    static const char *const errors[] = {"/impossible:2: error: this 'send' cannot be: it names a rank that",
                                         "/impossible:3: error: this 'recv' cannot be: it names a rank that",
                                         "/impossible:5: error: this 'wait' cannot be: it has no slot"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!strstr(messages, errors[i]))
            fail_msg("%s is not in %s", errors[i], messages);
}

static void the_trace_is_written_as_ti_text(void **state)
{
    (void)state;
    struct compiled_trace *compiled, *again;
    assert_int_equal(trace_open_compiled(sample_file(), &compiled), STATUS_OK);
    size_t size;
    char *text = decompile_rank(compiled, 0, &size);
    static const char expected[] = "0 init\n0 isend 1 7 800 6\n0 wait 0 1 7\n0 isend 1 7 800 6\n"
                                   "0 wait 0 1 7\n0 barrier\n0 finalize\n";
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(text, expected, size);
    free(text);
    assert_int_equal(decompile_write(compiled, traces_path("sample.tar.zst")), STATUS_OK);
    assert_int_equal(trace_open_compiled(traces_path("sample.tar.zst"), &again), STATUS_OK);
    assert_int_equal(again->program.ranks, 2);
    assert_int_equal(again->program.channels, 1);
    traces_close(again);
    traces_close(compiled);
}

static void an_error_may_name_a_byte(void **state)
{
    (void)state;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = "x.bin", .line = DIAG_BYTE | 0}, "wrong");
    assert_string_equal(traces_messages(), "x.bin: byte 0: error: wrong\n");
    diag_report(
        DIAG_NOTE,
        &(struct diag_place){.file = "x.bin", .line = DIAG_BYTE | 12, .source = "a send", .source_length = 6},
        "here");
    assert_string_equal(traces_messages(), "x.bin: byte 12: note: here\n 12 | a send\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_format_is_added_once),
        cmocka_unit_test(the_surest_format_reads_a_path),
        cmocka_unit_test(a_trace_of_the_format_runs),
        cmocka_unit_test(error_messages_name_lines_of_the_format),
        cmocka_unit_test(the_trace_is_written_as_ti_text),
        cmocka_unit_test(an_error_may_name_a_byte),
        cmocka_unit_test(calls_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
