/* Traces of PCIe analyzers, written here from Table 1 of "Breaking Band". They must give the table back, for
 * each place of the analyzer and each form of its export, and name the components that they cannot give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "breakdown/pcie.h"

/* Intervals of a ping-pong at the analyzer next to the NIC, in ps. */
enum {
    ACK_AFTER_WRITE = 274980,  /* 2 PCIe */
    CQE_AFTER_PING = 765620,   /* 2 Network */
    CQE_AFTER_DIRECT = 549620, /* 2 Wire */
    PONG_AFTER_PING = 1000000, /* as long as the other side takes; comes before the completion's ACK */
    PONG_AFTER_DIRECT = 780000,
    PING_AFTER_PONG = 752990, /* RC-to-MEM(8B) + 2 PCIe + LLP_prog + LLP_post */
    PCIE = 137490,
};

static char said[4096];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static struct system_file paper;

static int open_paper(void **state)
{
    (void)state;
    diag_set_sink(keep_message, NULL);
    return system_init(&paper, NULL) != STATUS_OK;
}

static int close_paper(void **state)
{
    (void)state;
    system_free(&paper);
    diag_set_sink(NULL, NULL);
    return 0;
}

/* ------------------------------------------------------------------ traces */

/* The form in which a ping-pong is written. */
struct script {
    bool lecroy;
    bool direct;  /* no switch */
    bool inlined; /* the pong also reports completion of the ping */
    bool down_only;
    bool acks_paired; /* one ACK covers completion and pong */
    int place;        /* enum pcie_place */
};

struct writer {
    const struct script *script;
    FILE *file;
    uint64_t number; /* of packets */
    uint32_t sequence[2];
};

/* Time as in exports: exact, or in groups of three digits down to 0.1 ns. */
static void put_time(const struct writer *writer, ps_t at)
{
    if (!writer->script->lecroy) {
        fprintf(writer->file, "%lld.%03lld", (long long)(at / 1000), (long long)(at % 1000));
        return;
    }
    long long tenths = at / 100;
    fprintf(writer->file, "\"%04lld.%03lld %03lld %03lld %lld s\"", tenths / 10000000000,
            tenths / 10000000 % 1000, tenths / 10000 % 1000, tenths / 10 % 1000, tenths % 10);
}

static void put_packet(struct writer *writer, ps_t at, int direction, const char *type, unsigned bytes,
                       uint32_t sequence, uint64_t address)
{
    if (writer->script->down_only && direction == PCIE_UP)
        return;
    if (writer->script->lecroy) {
        fprintf(writer->file, "%llu,%s,%u,%s,%u,%08llX:%08llX,", (unsigned long long)writer->number++,
                direction == PCIE_DOWN ? "R->" : "<-R", sequence, type, bytes / 4,
                (unsigned long long)(address >> 32), (unsigned long long)(address & 0xffffffff));
        put_time(writer, at);
        fputc('\n', writer->file);
        return;
    }
    put_time(writer, at);
    fprintf(writer->file, ",%s,%s,%u,%u,%llx\n", direction == PCIE_DOWN ? "down" : "up", type, bytes,
            sequence, (unsigned long long)address);
}

static uint32_t next_sequence(struct writer *writer, int direction)
{
    return writer->sequence[direction]++ % PCIE_SEQUENCES;
}

/* One exchange. Returns the time at which the next ping is at the analyzer. Next to the root complex, packets
 * downward are seen a PCIe time earlier and packets upward a PCIe time later. */
static ps_t put_exchange(struct writer *writer, ps_t ping_at)
{
    const struct script *script = writer->script;
    const char *write = script->lecroy ? "MWr(64)" : "MWr";
    bool at_rc = script->place == PCIE_NEXT_TO_RC;
    ps_t shift = at_rc ? PCIE : 0;
    uint32_t ping = next_sequence(writer, PCIE_DOWN), completion = next_sequence(writer, PCIE_UP);
    uint32_t pong = next_sequence(writer, PCIE_UP);
    ps_t completed_at = ping_at + (script->direct ? CQE_AFTER_DIRECT : CQE_AFTER_PING);
    ps_t pong_at = ping_at + (script->direct ? PONG_AFTER_DIRECT : PONG_AFTER_PING);
    put_packet(writer, ping_at - shift, PCIE_DOWN, write, 64, ping, 0x4000026a00);
    put_packet(writer, ping_at + (at_rc ? PCIE : 100), PCIE_UP, "ACK", 0, ping, 0);
    put_packet(writer, completed_at + shift, PCIE_UP, write, 64, completion,
               0x7f0000001000 + (ping_at / 7 % 64) * 64);
    if (!at_rc && !script->acks_paired)
        put_packet(writer, completed_at + 5000, PCIE_DOWN, "UpdateFC-P", 0, 0, 0);
    put_packet(writer, pong_at + shift, PCIE_UP, write, script->inlined ? 64 : 32, pong,
               script->inlined ? 0x7f0000002000 : 0x7f0000010040);
    if (!at_rc && !script->acks_paired)
        put_packet(writer, completed_at + ACK_AFTER_WRITE, PCIE_DOWN, "ACK", 0, completion, 0);
    if (!at_rc)
        put_packet(writer, pong_at + ACK_AFTER_WRITE + 1, PCIE_DOWN, "ACK", 0, pong, 0);
    return pong_at + PING_AFTER_PONG;
}

/* The times of ACK and pong must not cross. With these numbers the first ACK comes 40.6 ns after the pong. */
static char *trace_of(const struct script *script, unsigned exchanges)
{
    char *text;
    size_t length;
    struct writer writer = {.script = script, .file = open_memstream(&text, &length)};
    assert_non_null(writer.file);
    if (script->lecroy)
        fputs("Packet,Direction,TLP,Packet Type,Length,Address,Time Stamp\n", writer.file);
    else
        fprintf(writer.file, "# pciecsv 1; analyzer=%s; test=am_lat\ntime_ns,dir,type,len,seq,addr\n",
                script->place == PCIE_NEXT_TO_NIC ? "next-to-nic" : "next-to-rc");
    ps_t at = 1429405854200;
    for (unsigned i = 0; i < exchanges; i++)
        at = put_exchange(
            &writer, at + i * 13); /* so that rounding to 0.1 ns does not always cut off the same amount */
    fclose(writer.file);
    return text;
}

static enum status read_text(const char *text, int only_direction, struct pcie_trace *trace)
{
    FILE *file = fmemopen((char *)text, strlen(text), "r");
    const struct pcie_reading reading = {.only_direction = only_direction};
    assert_non_null(file);
    said[0] = '\0';
    enum status status = pcie_read_stream(file, "mine.csv", &reading, trace);
    fclose(file);
    return status;
}

static struct pcie_answer answer_to(char *text)
{
    struct pcie_trace trace;
    struct pcie_answer answer;
    if (read_text(text, -1, &trace) != STATUS_OK)
        fail_msg("%s", said);
    pcie_answer(&(struct pcie_question){.trace = &trace, .system = &paper.system, .block_bytes = 64},
                &answer);
    pcie_free(&trace);
    free(text);
    return answer;
}

static void assert_near(ps_t ours, ps_t expected, ps_t tolerance)
{
    if (ours < expected - tolerance || ours > expected + tolerance)
        fail_msg("%lld ps instead of %lld", (long long)ours, (long long)expected);
}

/* ------------------------------------------------------------------- tests */

/* 5000 exchanges, 10000 writes upward: sequence numbers wrap twice. */
static void a_ping_pong_gives_table_1_back(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.direct = false}, 5000));
    assert_int_equal(answer.pcie.count, 5000);
    assert_int_equal(answer.pcie.mean_ps, PCIE);
    assert_int_equal(answer.pcie.median_ps, PCIE);
    assert_int_equal(answer.pcie.p99_ps, PCIE);
    assert_int_equal(answer.network.count, 4999);
    assert_int_equal(answer.network.mean_ps, 382810);
    assert_int_equal(answer.rc_to_mem.count, 4999);
    assert_near(answer.rc_to_mem.median_ps, 240960 + 2499 * 13, 13); /* the drift of the trace itself */
    assert_near(answer.rc_to_mem.least_ps, 240960 + 13, 0);
    assert_int_equal(answer.coalesced + answer.unmatched + answer.naks, 0);
    assert_false(answer.pong_is_completion);
    assert_string_equal(answer.inj_overhead.absent,
                        "the trace is of am_lat: the time between pings is a round trip");
}

static void a_direct_link_gives_the_wire_component(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.direct = true}, 10));
    assert_int_equal(answer.network.mean_ps, 274810);
}

/* Time stamps in steps of 0.1 ns, lengths in double words, addresses in two halves, types that name their
 * addressing. */
static void a_lecroy_export_gives_the_table_on_average(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.lecroy = true}, 1000));
    assert_int_equal(answer.pcie.count, 1000);
    assert_near(answer.pcie.mean_ps, PCIE, 10);
    assert_near(answer.network.mean_ps, 382810, 10);
    assert_near(answer.rc_to_mem.least_ps, 240960, 300);
}

static void an_analyzer_at_the_root_complex_sees_other_intervals(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.place = PCIE_NEXT_TO_RC}, 3));
    assert_int_equal(answer.pcie.mean_ps, PCIE);
    assert_int_equal(answer.network.mean_ps, 382810);
    assert_int_equal(answer.rc_to_mem.least_ps, 240960 + 13);
}

static void an_inlined_payload_comes_inside_the_completion(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.inlined = true}, 50));
    assert_true(answer.pong_is_completion);
    assert_int_equal(answer.network.mean_ps, 382810);
    assert_int_equal(answer.rc_to_mem.least_ps, 240960 + 13);
}

/* Only the pong of 32 bytes gets an ACK. The completion before it waited for this ACK and gives no sample. */
static void an_ack_gives_a_sample_for_the_newest_packet_only(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.acks_paired = true}, 20));
    assert_int_equal(answer.coalesced, 20);
    assert_int_equal(answer.pcie.count, 0);
    assert_int_equal(answer.rc_to_mem.count, 0);
    assert_string_equal(answer.rc_to_mem.absent, "it takes PCIe, which the trace does not give");
}

static void one_direction_gives_no_pcie(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(trace_of(&(struct script){.down_only = true}, 20));
    assert_int_equal(answer.pcie.count + answer.network.count + answer.rc_to_mem.count, 0);
    assert_non_null(answer.pcie.absent);
    assert_non_null(strstr(answer.network.absent, "one direction only"));
}

/* Figure 6, with a corrected first time stamp: 429 405 854 2 agrees with the printed delta. */
static void figure_6_gives_its_deltas(void **state)
{
    (void)state;
    static const char text[] =
        "Link Tra,TLP,MWr(64),Length,Address,Data,Explicit ACK,Time Delta,Time Stamp\n"
        "4143180,3645,MWr(64),16,00000040:00026A00,16 dwords,Packet #8268150,264.000 ns,"
        "0001.429 405 854 2 s\n"
        "4143184,3646,MWr(64),16,00000040:00026B00,16 dwords,Packet #8268161,260.000 ns,"
        "0001.429 406 118 2 s\n"
        "4143186,3647,MWr(64),16,00000040:00026A00,16 dwords,Packet #8268168,317.000 ns,"
        "0001.429 406 378 2 s\n"
        "4143187,3648,MWr(64),16,00000040:00026B00,16 dwords,Packet #8268169,258.000 ns,"
        "0001.429 406 695 2 s\n"
        "4143188,3649,MWr(64),16,00000040:00026A00,16 dwords,Packet #8268173,264.000 ns,"
        "0001.429 406 953 2 s\n";
    struct pcie_trace trace;
    struct pcie_answer answer;
    if (read_text(text, PCIE_DOWN, &trace) != STATUS_OK)
        fail_msg("%s", said);
    assert_true(trace.coarse);
    assert_int_equal(trace.packets[0].bytes, 64);
    assert_int_equal(trace.packets[0].address, 0x4000026a00);
    pcie_answer(&(struct pcie_question){.trace = &trace, .system = &paper.system, .block_bytes = 64},
                &answer);
    pcie_free(&trace);
    assert_int_equal(answer.inj_overhead.count, 4);
    assert_int_equal(answer.inj_overhead.mean_ps, 274750);
    assert_int_equal(answer.inj_overhead.median_ps, 262000);
    assert_int_equal(answer.inj_overhead.p95_ps, 317000);
    assert_int_equal(answer.inj_overhead.least_ps, 258000);
}

/* Packet numbers in place of sequence numbers. Exports have them if both kinds of packets are shown. */
static void acks_may_name_packet_numbers(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(strdup("time_ns,dir,type,len,packet,acked_by\n"
                                                 "1000.000,up,MWr,64,7,9\n"
                                                 "1100.000,up,MWr,64,8,9\n"
                                                 "1374.980,down,ACK,0,9,\n"));
    assert_int_equal(answer.pcie.count, 1);
    assert_int_equal(answer.pcie.mean_ps, 137490);
    assert_int_equal(answer.coalesced, 1);
}

/* A refused write is sent again under the same number. Its ACK is that of the second time. */
static void what_is_sent_again_counts_once(void **state)
{
    (void)state;
    struct pcie_answer answer = answer_to(strdup("time_ns,dir,type,len,seq\n"
                                                 "1000,up,MWr,64,4095\n"
                                                 "1100,up,MWr,64,0\n"
                                                 "1300,down,NAK,0,4095\n"
                                                 "1400,up,MWr,64,0\n"
                                                 "1500,down,ACK,0,0\n"
                                                 "1501,down,ACK,0,77\n"));
    assert_int_equal(answer.pcie.count, 1);
    assert_int_equal(answer.pcie.mean_ps, 50000);
    assert_int_equal(answer.naks, 1);
    assert_int_equal(answer.unmatched, 1);
}

static void errors_name_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"\n", "mine.csv is empty"},
        {"when,dir,type,len\n", "no column is named 'time_ns' or 'Time Stamp'; --map time=COLUMN"},
        {"time_ns,type,len\n", "no column is named 'dir'"},
        {"time_ns,dir,type,len\n5,down,MWr,64\n4,down,MWr,64\n",
         "mine.csv:3:1: error: the time is before that of the line above"},
        {"time_ns,dir,type,len\nx,down,MWr,64\n", "mine.csv:2:1: error: a time is in nanoseconds"},
        {"time_ns,dir,type,len\n0.0001,down,MWr,64\n", "a time is in nanoseconds"},
        {"time_ns,dir,type,len\n1,left,MWr,64\n",
         "mine.csv:2:3: error: a direction is down (to the NIC) or up"},
        {"time_ns,dir,type,len\n1,up,MWr,4097\n", "at most 4096 bytes"},
        {"time_ns,dir,type,Length\n1,up,MWr,1025\n", "1024 double words"},
        {"time_ns,dir,type,len,seq\n1,up,MWr,64,4096\n", "a sequence number is from 0 to 4095"},
        {"time_ns,dir,type,len,addr\n1,up,MWr,64,xyz\n", "an address is hexadecimal"},
        {"# pciecsv 2\n", "only version 1"},
        {"# pciecsv 1; analyzer=elsewhere\n", "an analyzer is next-to-nic or next-to-rc"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pcie_trace trace;
        assert_int_equal(read_text(wrong[i].text, -1, &trace), STATUS_BAD_INPUT);
        if (!strstr(said, wrong[i].message))
            fail_msg("'%s' is not in: %s", wrong[i].message, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ping_pong_gives_table_1_back),
        cmocka_unit_test(a_direct_link_gives_the_wire_component),
        cmocka_unit_test(a_lecroy_export_gives_the_table_on_average),
        cmocka_unit_test(an_analyzer_at_the_root_complex_sees_other_intervals),
        cmocka_unit_test(an_inlined_payload_comes_inside_the_completion),
        cmocka_unit_test(an_ack_gives_a_sample_for_the_newest_packet_only),
        cmocka_unit_test(one_direction_gives_no_pcie),
        cmocka_unit_test(figure_6_gives_its_deltas),
        cmocka_unit_test(acks_may_name_packet_numbers),
        cmocka_unit_test(what_is_sent_again_counts_once),
        cmocka_unit_test(errors_name_their_place),
    };
    return cmocka_run_group_tests(tests, open_paper, close_paper);
}
