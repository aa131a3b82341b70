/* Parts of a run. What a tracer would have recorded is made of a whole trace, from random moments of each
 * rank on; then the part that is cut must be the lines of the whole between two collectives, which counting
 * the messages of each channel finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "call/balance.h"
#include "support/traces.h"
#include "trace/edit/edit.h"
#include "trace/edit/interval.h"
#include "trace/edit/pieces.h"
#include "trace/ti/decompile.h"
#include "trace/trace.h"

enum { RANKS = 4, MOST_PLACES = 64, MOST_CHANNELS = 1 << 12, MOST_SLOTS = 256 };

/* The whole trace, and for each rank its places: behind each collective of the world. */
static struct compiled_trace *whole;
static uint64_t places[RANKS][MOST_PLACES], place_count;

static const struct call *call_at(uint32_t rank, uint64_t at)
{
    const uint32_t token = compiled_tokens(whole, rank)[at];
    return token & TOKEN_COMPUTE ? NULL : &compiled_calls(whole, rank)[token];
}

static bool is_place(const struct call *call)
{
    return call && call_is_collective(call) && !call->group && !(call->flags & CALL_IMMEDIATE);
}

static void add_ends(int *under_way, const struct call *call)
{
    if (call->op == CALL_SEND || call->op == CALL_SENDRECV)
        under_way[call->channel]++;
    if (call->op == CALL_RECV)
        under_way[call->channel]--;
    if (call->op == CALL_SENDRECV)
        under_way[call->source_channel]--;
}

/* Whether the rank has a request open at `end` that it has started from `begin` on. */
static bool has_open(uint32_t rank, uint64_t begin, uint64_t end)
{
    bool open[MOST_SLOTS] = {false}, any = false;
    for (uint64_t at = begin; at < end; at++) {
        const struct call *call = call_at(rank, at);
        if (!call)
            continue;
        if (call->op == CALL_WAITALL)
            memset(open, 0, sizeof open);
        else if (call->op == CALL_WAIT)
            open[call->slot] = false;
        else if (call->flags & CALL_IMMEDIATE)
            open[call->slot] = true;
    }
    for (int slot = 0; slot < MOST_SLOTS; slot++)
        any |= open[slot];
    return any;
}

/* Whether no message is under way, and no request of the part is open, where each rank is at its token. */
static bool is_free(const uint64_t *begin, const uint64_t *tokens)
{
    static int under_way[MOST_CHANNELS];
    bool free = true;
    memset(under_way, 0, sizeof under_way);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        for (uint64_t at = 0; at < tokens[rank]; at++)
            if (call_at(rank, at))
                add_ends(under_way, call_at(rank, at));
        free &= !has_open(rank, begin[rank], tokens[rank]);
    }
    for (int channel = 0; channel < MOST_CHANNELS; channel++)
        free &= under_way[channel] == 0;
    return free;
}

static void find_places(void)
{
    assert_true(whole->program.channels < MOST_CHANNELS);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        place_count = 0;
        for (uint64_t at = 0; at < compiled_lines(whole, rank); at++)
            if (is_place(call_at(rank, at)))
                places[rank][place_count++] = at + 1;
        assert_true(place_count > 0 && place_count < MOST_PLACES);
    }
}

/* What the tracer writes in front of a part: what is behind the rank. */
static void put_mark(FILE *out, uint32_t rank, uint64_t begin)
{
    uint64_t collectives = 0, balance = 0, others = 0;
    for (uint64_t at = 0; at < begin; at++) {
        const struct call *call = call_at(rank, at);
        if (!call)
            continue;
        collectives += is_place(call);
        others = is_place(call) ? 0 : others + call_is_collective(call);
        if (call->op == CALL_SEND || call->op == CALL_SENDRECV)
            balance += balance_number((uint32_t)call->peer);
        if (call->op == CALL_RECV || call->op == CALL_SENDRECV)
            balance -= balance_number(rank);
    }
    fprintf(out, "%u comm_size #behind %llu %lld %llu\n", rank, (unsigned long long)collectives,
            (long long)balance, (unsigned long long)others);
}

/* The lines of a rank from `begin` to `end`, without waits for requests of before. */
static void put_lines(FILE *out, uint32_t rank, uint64_t begin, uint64_t end)
{
    bool recorded[MOST_SLOTS] = {false};
    for (uint64_t at = begin; at < end; at++) {
        const struct call *call = call_at(rank, at);
        struct rank_text text = {0};
        if (call && call->op == CALL_WAIT && !recorded[call->slot])
            continue;
        if (call && call->op == CALL_WAIT)
            recorded[call->slot] = false;
        else if (call && call->flags & CALL_IMMEDIATE)
            recorded[call->slot] = true;
        decompile_lines(whole, rank, at, at + 1, &text);
        fwrite(text.bytes, 1, text.size, out);
        free(text.bytes);
    }
}

static struct compiled_trace *record(const uint64_t *begin, const uint64_t *end)
{
    char *texts[RANKS];
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        size_t size;
        FILE *out = open_memstream(&texts[rank], &size);
        fprintf(out, "%u init\n", rank);
        put_mark(out, rank, begin[rank]);
        put_lines(out, rank, begin[rank], end[rank]);
        fprintf(out, "%u finalize\n", rank);
        fclose(out);
    }
    struct compiled_trace *recorded = traces_open("recorded", texts[0], texts[1], texts[2], texts[3], NULL);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        free(texts[rank]);
    return recorded;
}

/* The part has the lines of the whole from one token of each rank to another. */
static void assert_lines(struct compiled_trace *part, const uint64_t *from, const uint64_t *to)
{
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct rank_text text = {0};
        size_t size;
        char *found = decompile_rank(part, rank, &size), *begin = strchr(found, '\n') + 1;
        decompile_lines(whole, rank, from[rank], to[rank], &text);
        static const char last[] = " finalize\n"; /* behind the rank's digit */
        assert_int_equal(size - (size_t)(begin - found), text.size + sizeof last);
        assert_memory_equal(begin, text.bytes, text.size);
        assert_memory_equal(begin + text.size + 1, last, sizeof last - 1);
        free(text.bytes);
        free(found);
    }
}

static uint64_t collectives_before(uint32_t rank, uint64_t end)
{
    uint64_t count = 0;
    while (count < place_count && places[rank][count] <= end)
        count++;
    return count;
}

/* Where each rank is behind so many collectives, within its part. */
static void tokens_at(uint64_t collectives, const uint64_t *begin, uint64_t *tokens)
{
    for (uint32_t rank = 0; rank < RANKS; rank++)
        tokens[rank] = collectives == collectives_before(rank, begin[rank]) ? begin[rank]
                                                                            : places[rank][collectives - 1];
}

/* The part that is cut, if one is: from *from to *to, with so many collectives. */
static bool find_part(const uint64_t *begin, const uint64_t *end, uint64_t *from, uint64_t *to,
                      uint64_t *collectives)
{
    uint64_t first = 0, last = place_count, most = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const uint64_t mine = collectives_before(rank, begin[rank]),
                       ending = collectives_before(rank, end[rank]);
        first = mine > first ? mine : first;
        last = ending < last ? ending : last;
        most = ending > most ? ending : most;
    }
    uint64_t p = first, q = last;
    for (; p <= last && (tokens_at(p, begin, from), !is_free(begin, from)); p++)
        ;
    if (p > last)
        return false;
    *collectives = last - p;
    if (most == last && is_free(begin, end)) {
        memcpy(to, end, RANKS * sizeof *to);
        return true;
    }
    for (; q > p && (tokens_at(q, begin, to), !is_free(begin, to)); q--)
        ;
    *collectives = q - p;
    return q > p;
}

static bool try_part(struct rng *rng)
{
    uint64_t begin[RANKS], end[RANKS], from[RANKS], to[RANKS], collectives;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const struct rank_piece body = piece_body(whole, rank);
        begin[rank] = body.from + rng_below(rng, (body.to - body.from) / 2);
        end[rank] = begin[rank] + rng_below(rng, body.to - begin[rank]);
    }
    struct compiled_trace *recorded = record(begin, end), *part = NULL;
    struct interval_cut cut;
    assert_true(interval_is_in(recorded));
    const enum status status = interval_make(recorded, "part", &part, &cut);
    const bool is_cut = find_part(begin, end, from, to, &collectives);
    if (is_cut) {
        if (status != STATUS_OK)
            fail_msg("%s", traces_messages());
        assert_int_equal(cut.collectives, collectives);
        assert_lines(part, from, to);
        traces_close(part);
    } else {
        assert_int_equal(status, STATUS_BAD_INPUT);
        assert_non_null(strstr(traces_messages(), "has no two places"));
    }
    traces_close(recorded);
    return is_cut;
}

static void parts_are_those_between_free_places(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/traces/lu.S.4.tar.zst", "tests/traces/is.S.4.tar.zst"};
    struct rng rng = rng_init(3, "parts");
    int cut = 0, refused = 0;
    for (size_t file = 0; file < sizeof files / sizeof *files; file++) {
        assert_int_equal(trace_open_compiled(files[file], &whole), STATUS_OK);
        find_places();
        for (int i = 0; i < 40; i++)
            if (try_part(&rng))
                cut++;
            else
                refused++;
        traces_close(whole);
    }
    assert_true(cut > 10 && refused > 2);
}

/* Behind the same collective of the world some ranks have called a broadcast of their communicator, and
 * others have not: their next common place is behind the next collective of the world. */
static void communicators_are_not_cut_apart(void **state)
{
    (void)state;
    char *texts[RANKS];
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const bool is_late = rank == 2; /* it has called the broadcast of 7 bytes already */
        const unsigned name = rank % 2;
        texts[rank] = mem_format(
            "%u init\n%u comm_split #c%u %u,%u\n%u comm_size #behind 5 0 %d\n%s%u allreduce 1 0 1\n"
            "%u bcast 8 0 1 #c%u\n%u allreduce 1 0 1\n%u finalize\n",
            rank, rank, name, name, name + 2, rank, is_late,
            is_late ? ""
            : name  ? (rank == 1 ? "1 bcast 7 0 1 #c1\n" : "3 bcast 7 0 1 #c1\n")
                    : "0 bcast 7 0 1 #c0\n",
            rank, rank, name, rank, rank);
    }
    struct compiled_trace *recorded = traces_open("recorded", texts[0], texts[1], texts[2], texts[3], NULL),
                          *part = NULL;
    struct interval_cut cut;
    if (interval_make(recorded, "part", &part, &cut) != STATUS_OK)
        fail_msg("%s", traces_messages());
    assert_int_equal(cut.collectives, 1);
    size_t size;
    char *first = decompile_rank(part, 0, &size);
    assert_null(memmem(first, size, "bcast 7", strlen("bcast 7")));
    assert_non_null(memmem(first, size, "bcast 8", strlen("bcast 8")));
    free(first);
    traces_close(part);
    traces_close(recorded);
    for (unsigned rank = 0; rank < RANKS; rank++)
        free(texts[rank]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_between_free_places),
        cmocka_unit_test(communicators_are_not_cut_apart),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
