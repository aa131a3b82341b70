/* LogGOPS: the finishing times of LogGOPSim and of its fork in ATLAHS for the programs of tests/goal, times
 * computed by hand, and what our own rules do differently. */
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
#include "sim/components.h"
#include "sim/experiment.h"
#include "trace/goal/goal.h"

enum { MOST_RANKS = 1024, MOST_FIELDS = 12 };

struct times {
    const char *L, *o, *g, *G, *O, *S; /* ns, and bytes */
};

/* ---------------------------------------------------------------- running */

static char said[16384];

static void listen(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static void set(struct config *config, const char *name, const char *value, const char *unit)
{
    char *text = mem_format("%s=%s%s", name, value, unit);
    assert_int_equal(config_set(config, text), STATUS_OK);
    free(text);
}

static struct config *config_with(const struct times *times, const char *compat)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    set(config, "fabric", "loggops", "");
    set(config, "compat", compat, "");
    set(config, "loggops.L", times->L, "ns");
    set(config, "loggops.o", times->o, "ns");
    set(config, "loggops.g", times->g, "ns");
    set(config, "loggops.G", times->G, "ns");
    set(config, "loggops.O", times->O, "ns");
    set(config, "loggops.S", times->S, "B");
    return config;
}

struct outcome {
    enum status status;
    uint32_t ranks;
    ps_t finish[MOST_RANKS], makespan; /* ps */
    uint64_t events, messages;
};

static struct outcome run(struct config *config, struct program *program)
{
    struct experiment experiment;
    struct result result = {0};
    struct outcome outcome = {.ranks = 0};
    const struct experiment_watch watch = {.messages = NULL};
    said[0] = '\0';
    diag_set_sink(listen, NULL);
    outcome.status =
        program ? experiment_init_with(&experiment, config, program) : experiment_init(&experiment, config);
    if (outcome.status == STATUS_OK)
        outcome.status = experiment_run(&experiment, 0, &watch, &result);
    if (outcome.status == STATUS_OK) {
        outcome.ranks = result.ranks < MOST_RANKS ? result.ranks : MOST_RANKS;
        outcome.makespan = result.makespan;
        outcome.events = result.usage.events;
        outcome.messages = result.messages;
        for (uint32_t i = 0; i < outcome.ranks; i++)
            outcome.finish[i] = result.rows[i].finish;
    }
    diag_set_sink(NULL, NULL);
    result_free(&result);
    experiment_free(&experiment);
    return outcome;
}

static struct outcome run_file(const char *path, const struct times *times, const char *compat)
{
    struct config *config = config_with(times, compat);
    set(config, "trace", path, "");
    struct outcome outcome = run(config, NULL);
    config_close(config);
    return outcome;
}

static struct outcome run_text(const char *text, const struct times *times, const char *compat)
{
    struct program *program;
    char *copy = mem_text(text);
    struct config *config = config_with(times, compat);
    assert_int_equal(goal_open_bytes("x.goal", copy, strlen(text), &program), STATUS_OK);
    program->name = "x.goal";
    struct outcome outcome = run(config, program);
    program->ops->close(program);
    config_close(config);
    return outcome;
}

/* --------------------------------------------------- the other simulators */

static const struct {
    const char *name;
    struct times times;
} sets[] = {{"default", {"2500", "1500", "1000", "6", "0", "65535"}},
            {"fast", {"1000", "100", "400", "2", "1", "256"}},
            {"rdv", {"3700", "200", "5", "1", "3", "0"}}};

static const struct times *times_of(const char *name)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i].times;
    fail_msg("no parameters %s", name);
    return NULL;
}

/* The fields of the next line; 0: there is none. */
static int read_line(FILE *file, char *line, size_t size, char **fields)
{
    int count = 0;
    if (!fgets(line, (int)size, file))
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *rest = line; rest && count < MOST_FIELDS;)
        fields[count++] = strsep(&rest, ",");
    return count;
}

static FILE *open_table(const char *path, char *line, size_t size, char **fields)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(read_line(file, line, size, fields) > 0); /* the heads of columns */
    return file;
}

/* Whether the times are those of the text: one for each rank, or the highest of all. */
static bool is_equal(const struct outcome *outcome, const char *expected)
{
    uint32_t count = 0, equal = 0;
    char *end;
    ps_t first = 0;
    for (const char *at = expected; *at; at = end + strspn(end, " "), count++) {
        ps_t time = (ps_t)strtoull(at, &end, 10) * 1000;
        first = count ? first : time;
        equal += count < outcome->ranks && outcome->finish[count] == time;
    }
    return count == 1 ? outcome->makespan == first : count == outcome->ranks && equal == count;
}

/* Runs every row of a table, and returns how many give its times. Those that do not are named to `differs`,
 * which may be NULL: there must be none. */
static unsigned equal_rows(const char *table, const char *compat, bool (*differs)(const char *name))
{
    char line[4096], *fields[MOST_FIELDS];
    unsigned equal = 0;
    FILE *file = open_table(table, line, sizeof line, fields);
    while (read_line(file, line, sizeof line, fields) == 4) {
        char path[512];
        if (strncmp(fields[3], "rc", 2) == 0)
            continue;
        snprintf(path, sizeof path, "tests/goal/cases/%s.goal", fields[0]);
        struct outcome outcome = run_file(path, times_of(fields[1]), compat);
        if (outcome.status != STATUS_OK)
            fail_msg("%s: %s", fields[0], said);
        bool is = is_equal(&outcome, fields[3]), may_differ = differs && differs(fields[0]);
        if (is == may_differ)
            fail_msg("%s %s: %s is %s", fields[0], fields[1], fields[3], is ? "equal" : "different");
        equal += is;
    }
    fclose(file);
    return equal;
}

static void loggopsim_to_the_nanosecond(void **state)
{
    (void)state;
    assert_int_equal(equal_rows("tests/goal/expected.csv", "loggopsim", NULL), 228);
}

static void atlahs_to_the_nanosecond(void **state)
{
    (void)state;
    assert_int_equal(equal_rows("tests/goal/expected_atlahs.csv", "atlahs", NULL), 192);
}

/* In these, LogGOPSim lets an operation begin before the one on another cpu that it requires has ended, or
 * has a message of no bytes, whose byte before the first takes -G. */
static bool has_a_fault_of_loggopsim(const char *name)
{
    static const char *const names[] = {"xcpu-01", "xcpu-03", "xcpu-04", "xcpu-09",
                                        "zero-02", "zero-07", "zero-09"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void our_rules_differ_where_loggopsim_is_wrong(void **state)
{
    (void)state;
    assert_int_equal(equal_rows("tests/goal/expected.csv", "none", has_a_fault_of_loggopsim), 228 - 21);
}

/* id, goal, L, o, g, G, O, S, highest time as published, times of ATLAHS, times of LogGOPSim. */
static void published_values_of_simllm(void **state)
{
    (void)state;
    char line[4096], *fields[MOST_FIELDS];
    unsigned runs = 0;
    FILE *file = open_table("tests/goal/simllm.csv", line, sizeof line, fields);
    while (read_line(file, line, sizeof line, fields) == 11) {
        const struct times times = {fields[2], fields[3], fields[4], fields[5], fields[6], fields[7]};
        char path[512];
        snprintf(path, sizeof path, "tests/goal/simllm/%s.goal", fields[1]);
        for (int column = 9; column < 11; column++) {
            if (!fields[column][strspn(fields[column], " ")])
                continue;
            struct outcome outcome = run_file(path, &times, column == 9 ? "atlahs" : "loggopsim");
            if (outcome.status != STATUS_OK || !is_equal(&outcome, fields[column]))
                fail_msg("%s: not %s: %s", fields[0], fields[column], said);
            if (column == 9)
                assert_int_equal(outcome.makespan, (ps_t)strtoull(fields[8], NULL, 10) * 1000);
            runs++;
        }
    }
    fclose(file);
    assert_int_equal(runs, 38);
}

/* ---------------------------------------------------------------- by hand */

#define PAIR(first, second) "num_ranks 2\nrank 0 {\n" first "}\nrank 1 {\n" second "}\n"
static const struct times hand = {"1000", "100", "50", "2", "0", "1000"};
static const struct times hand_O = {"1000", "100", "50", "2", "3", "1000"};

static const struct {
    const char *text;
    const struct times *times;
    long published[2], mended[2]; /* ns */
} pairs[] = {
    /* o; o + L + o + 10 G */
    {PAIR("send 11b to 1\n", "recv 11b from 0\n"), &hand, {100, 1220}, {100, 1220}},
    /* the receiver's cpu takes the higher of 10 O and 10 G */
    {PAIR("send 11b to 1\n", "recv 11b from 0\n"), &hand_O, {130, 1230}, {130, 1230}},
    /* the second send begins at g + 100 G; the second message waits for the first */
    {PAIR("send 101b to 1\nsend 101b to 1\n", "recv 101b from 0\nrecv 101b from 0\n"),
     &hand,
     {350, 1700},
     {350, 1700}},
    /* larger than S: released when the message is there */
    {PAIR("a: send 1001b to 1\nb: calc 7\nb requires a\n", "recv 1001b from 0\n"),
     &hand,
     {1107, 3200},
     {1107, 3200}},
    {PAIR("a: send 1001b to 1\nb: calc 7\nb requires a\n",
          "a: calc 50000\nb: recv 1001b from 0\nb requires a\n"),
     &hand,
     {50007, 52100},
     {50007, 52100}},
    /* a message interrupts between operations only */
    {PAIR("send 1b to 1\n", "a: calc 1050\nb: calc 500\nb requires a\nc: recv 1b from 0\nc requires b\n"),
     &hand,
     {100, 1650},
     {100, 1650}},
    /* no bytes: LogGOPSim has -1 bytes behind the first */
    {PAIR("send 0b to 1\n", "recv 0b from 0\n"), &hand, {100, 1198}, {100, 1200}},
    /* across cpus: LogGOPSim releases a dependent when the first begins */
    {PAIR("a: calc 100\nb: calc 50 cpu 1\nb requires a\n", ""), &hand, {100, 0}, {150, 0}},
    /* irequires: from the beginning, in both */
    {PAIR("a: calc 100\nb: calc 50 cpu 1\nb irequires a\n", ""), &hand, {100, 0}, {100, 0}},
    {PAIR("a: calc 100\nb: calc 50 cpu 1\nc: calc 80 cpu 2\nb irequires a\nc requires b\n", ""),
     &hand,
     {100, 0},
     {130, 0}},
};

static void times_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct outcome published = run_text(pairs[i].text, pairs[i].times, "loggopsim");
        assert_int_equal(published.status, STATUS_OK);
        struct outcome mended = run_text(pairs[i].text, pairs[i].times, "none");
        assert_int_equal(mended.status, STATUS_OK);
        for (int rank = 0; rank < 2; rank++) {
            if (published.finish[rank] != pairs[i].published[rank] * 1000)
                fail_msg("%s: loggopsim %ld", pairs[i].text, (long)published.finish[rank]);
            if (mended.finish[rank] != pairs[i].mended[rank] * 1000)
                fail_msg("%s: ours %ld", pairs[i].text, (long)mended.finish[rank]);
        }
    }
}

/* A single message: L + 2 o + g + 2 b O + floor(b G). */
static void atlahs_by_hand(void **state)
{
    (void)state;
    static const struct times times = {"100", "10", "7", "0.3", "2", "50"};
    struct outcome outcome = run_text(PAIR("send 17b to 1\n", "recv 17b from 0\n"), &times, "atlahs");
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.makespan, (100 + 20 + 7 + 64 + 4) * 1000);
    assert_int_equal(outcome.finish[0], (10 + 32) * 1000);
}

/* Ours count in ps and in rational times per byte. */
static void our_times_are_no_whole_ns(void **state)
{
    (void)state;
    static const struct times times = {"1000.5", "100", "50", "0.02", "0", "1000"};
    struct outcome outcome = run_text(PAIR("send 12b to 1\n", "recv 12b from 0\n"), &times, "none");
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.finish[1], 1000500 + 200000 + 11 * 20);
}

/* --------------------------------------------------------- what is mended */

/* A large send and a small receive, posted late. */
static void sizes_that_differ_lose_nothing(void **state)
{
    (void)state;
    static const char text[] = PAIR("a: send 1001b to 1\nb: calc 7\nb requires a\n",
                                    "a: calc 50000\nb: recv 8b from 0\nb requires a\n");
    struct outcome mended = run_text(text, &hand, "none");
    assert_int_equal(mended.status, STATUS_OK);
    assert_int_equal(mended.finish[0], 50007000);
    assert_non_null(strstr(said, "x.goal:9: warning: b of rank 1 is smaller than its message of 1001 bytes"));
    struct outcome published = run_text(text, &hand, "loggopsim");
    assert_int_equal(published.status, STATUS_OK);
    assert_int_equal(published.finish[0], 100000);
    assert_non_null(strstr(said, "2 of 4 operations never ended"));
}

/* 40 receives of one source and tag, all ready at once, match in the order of the text. */
static void receives_match_in_order(void **state)
{
    (void)state;
    char *text = mem_alloc(1 << 14, 1, "text");
    strcpy(text, "num_ranks 2\nrank 0 {\n");
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "send 1b to 1\n");
    strcat(text, "}\nrank 1 {\n");
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "r%d: recv 1b from 0\nc%d: calc %d cpu %d\nc%d requires r%d\n", i, i,
                i == 39 ? 100000 : 0, i + 1, i, i);
    strcat(text, "}\n");
    /* The last receive has the last message, which is sent at 39 o and waits for no other: g < o. */
    struct outcome outcome = run_text(text, &hand, "none");
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.finish[1], (39 * 100 + 100 + 1000 + 100 + 100000) * 1000);
    free(text);
}

static void deadlocks_name_what_blocks(void **state)
{
    (void)state;
    static const char text[] =
        PAIR("a: recv 8b from 1 tag 2\nb: calc 5\nb requires a\n", "s: send 2000b to 0 tag 3\n");
    struct outcome outcome = run_text(text, &hand, "none");
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_non_null(strstr(said, "3 of 3 operations have not ended"));
    assert_non_null(
        strstr(said, "x.goal:3: note: a of rank 0, recv of 8 bytes from rank 1, tag 2, waits for"));
    assert_non_null(strstr(said, "x.goal:8: note: s of rank 1, send of 2000 bytes to rank 0, tag 3, waits"));
    assert_non_null(strstr(said, "1 operation requires them"));
    outcome = run_text(text, &hand, "loggopsim");
    assert_int_equal(outcome.status, STATUS_FAILED);
    assert_non_null(strstr(said, "the simulator prints no times"));
}

static void message_that_nobody_receives_is_a_warning(void **state)
{
    (void)state;
    struct outcome outcome = run_text(PAIR("send 8b to 1\n", ""), &hand, "none");
    assert_int_equal(outcome.status, STATUS_OK);
    assert_non_null(strstr(said, "warning: 1 messages were sent that nobody receives"));
}

/* Messages of 100 senders wait for one cpu. Each takes few events, however many wait: LogGOPSim puts each
 * back into its queue whenever the cpu is busy, 50 million times in all. */
static void incast_takes_few_events(void **state)
{
    (void)state;
    enum { SENDERS = 100, EACH = 100 };
    char *text = mem_alloc(1 << 20, 1, "text"), *at = text;
    at += sprintf(at, "num_ranks %d\nrank 0 {\n", SENDERS + 1);
    for (int i = 0; i < SENDERS * EACH; i++)
        at += sprintf(at, "recv 9b from -1\n");
    for (int rank = 1; rank <= SENDERS; rank++) {
        at += sprintf(at, "}\nrank %d {\n", rank);
        for (int i = 0; i < EACH; i++)
            at += sprintf(at, "send 9b to 0\n");
    }
    strcpy(at, "}\n");
    static const char *const compats[] = {"none", "loggopsim"};
    for (int i = 0; i < 2; i++) {
        struct outcome outcome = run_text(text, &hand, compats[i]);
        assert_int_equal(outcome.status, STATUS_OK);
        /* the cpu is busy without a pause from the first message on: o + 8 G each */
        assert_int_equal(outcome.finish[0], (1100 + SENDERS * EACH * 116) * 1000);
        assert_true(outcome.events < 6 * SENDERS * EACH);
    }
    free(text);
}

/* -------------------------------------------------------- what is refused */

static void units_of_the_simulators(void **state)
{
    (void)state;
    static const struct times parts = {"1000", "100", "50", "0.02", "0", "1000"};
    static const struct times half = {"1000", "100.5", "50", "2", "0", "1000"};
    static const char text[] = PAIR("", "");
    assert_int_equal(run_text(text, &parts, "loggopsim").status, STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "loggops.G=0.02ns: with compat=loggopsim it is a whole number of ns"));
    assert_int_equal(run_text(text, &half, "atlahs").status, STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "loggops.o=100.5 ns: with compat=atlahs it is a whole number of ns"));
    assert_int_equal(run_text(text, &parts, "atlahs").status, STATUS_OK);
    assert_int_equal(run_text(text, &half, "none").status, STATUS_OK);
}

/* ------------------------------------------------------ programs of calls */

/* The dissemination barrier: 3 rounds of L + 2 o on 8 ranks, all at once. */
static void calls_run_as_their_graph(void **state)
{
    (void)state;
    static const char *const compats[] = {"none", "loggopsim"};
    for (int i = 0; i < 2; i++) {
        struct config *config = config_with(&hand, compats[i]);
        set(config, "workload", "dissemination:ranks=8,bytes=1B", "");
        struct outcome outcome = run(config, NULL);
        if (outcome.status != STATUS_OK)
            fail_msg("%s", said);
        assert_int_equal(outcome.messages, 24);
        assert_int_equal(outcome.makespan, 3 * 1200 * 1000);
        config_close(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loggopsim_to_the_nanosecond),
        cmocka_unit_test(atlahs_to_the_nanosecond),
        cmocka_unit_test(our_rules_differ_where_loggopsim_is_wrong),
        cmocka_unit_test(published_values_of_simllm),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(atlahs_by_hand),
        cmocka_unit_test(our_times_are_no_whole_ns),
        cmocka_unit_test(sizes_that_differ_lose_nothing),
        cmocka_unit_test(receives_match_in_order),
        cmocka_unit_test(deadlocks_name_what_blocks),
        cmocka_unit_test(message_that_nobody_receives_is_a_warning),
        cmocka_unit_test(incast_takes_few_events),
        cmocka_unit_test(units_of_the_simulators),
        cmocka_unit_test(calls_run_as_their_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
