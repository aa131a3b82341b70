/* Generated programs, trace formats and collective algorithms of one's own, through the header alone. */
#include <heliograph.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_refused(enum heliograph_status status, const char *part)
{
    assert_int_equal(status, HELIOGRAPH_BAD_INPUT);
    if (!strstr(heliograph_last_error(), part))
        fail_msg("'%s' is not in: %s", part, heliograph_last_error());
}

static struct heliograph *experiment_of(const char *parameter, const char *value)
{
    struct heliograph *experiment = heliograph_new();
    assert_int_equal(heliograph_set(experiment, "fabric", "hockney"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "machine", "as-published"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, parameter, value), HELIOGRAPH_OK);
    return experiment;
}

/* ------------------------------------------------------ generated programs */

static const struct heliograph_parameter there_parameters[] = {
    {.name = "bytes", .type = HELIOGRAPH_SIZE, .default_value = "1 MiB", .doc = "size"},
    {.name = "fault", .type = HELIOGRAPH_COUNT, .default_value = "0", .doc = "which call is wrong, and how"}};

enum fault {
    RIGHT,
    NO_RANKS,
    REFUSED,
    NO_SUCH_RANK,
    NO_SUCH_REQUEST,
    NO_SUCH_OPERATION,
    WILDCARD,
    IMMEDIATE,
    LARGEST_REQUEST,
    WIDE_ELEMENT,
    ENDLESS,
    REFUSED_SILENTLY,
    FAULTS
};

static int programs_open;

static void *there_open(void *self, const union heliograph_value *values, uint32_t *ranks, uint32_t *requests,
                        char *problem, size_t size)
{
    assert_string_equal(self, "itself");
    if (values[1].count == REFUSED) {
        snprintf(problem, size, "not today");
        return NULL;
    }
    if (values[1].count == REFUSED_SILENTLY)
        return NULL;
    *ranks = values[1].count == NO_RANKS ? 0 : 2;
    *requests = 1;
    programs_open++;
    return (void *)values;
}

static void there_close(void *state)
{
    assert_non_null(state);
    programs_open--;
}

/* Rank 0 sends to rank 1, immediately and with a wait; what is wrong is in the first call. */
static int there_call(void *state, uint32_t rank, uint64_t step, struct heliograph_call *call)
{
    const union heliograph_value *values = state;
    uint64_t fault = values[1].count;
    if (step > 1)
        return 0;
    call->operation = step ? HELIOGRAPH_WAIT : rank ? HELIOGRAPH_RECV : HELIOGRAPH_SEND;
    call->immediate = step == 0;
    call->peer = fault == NO_SUCH_RANK       ? 2
                 : fault == WILDCARD && rank ? HELIOGRAPH_ANY_SOURCE
                                             : 1 - (int32_t)rank;
    call->bytes = values[0].count;
    call->request = fault == LARGEST_REQUEST ? UINT32_MAX : fault == NO_SUCH_REQUEST;
    call->element = fault == WIDE_ELEMENT ? 300 : 8;
    call->amount = fault == ENDLESS ? INFINITY : 0;
    if (fault == NO_SUCH_OPERATION)
        call->operation = (enum heliograph_operation)77;
    if (fault == IMMEDIATE)
        call->operation = HELIOGRAPH_COMPUTE;
    return 1;
}

/* Hockney's model by hand: 8 us and 2 MiB at 12.5 GB/s. */
static void test_a_program_runs(void **state)
{
    (void)state;
    static char self[] = "itself";
    const struct heliograph_workload there = {.struct_size = sizeof there,
                                              .name = "there",
                                              .doc = "one message",
                                              .self = self,
                                              .parameters = there_parameters,
                                              .parameter_count = 2,
                                              .open = there_open,
                                              .call = there_call,
                                              .close = there_close};
    assert_int_equal(heliograph_register_workload(&there), HELIOGRAPH_OK);
    assert_refused(heliograph_register_workload(&there), "there is a workload 'there' already");
    struct heliograph_workload family = there;
    family.name = "npb"; /* npb:bt is read as one name */
    assert_refused(heliograph_register_workload(&family), "'npb:bt' begins with that name");
    struct heliograph *experiment = experiment_of("workload", "there:bytes=2MiB");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_makespan_ps(experiment, 0), 8000000 + 2 * 1048576 * 80);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "workload", "there:size=1"), HELIOGRAPH_OK);
    assert_refused(heliograph_run(experiment), "there has no parameter 'size'");
    heliograph_free(experiment);
    assert_int_equal(programs_open, 0);
}

static void test_wrong_programs_end_with_an_error(void **state)
{
    (void)state;
    static const char *const parts[FAULTS] = {
        [NO_RANKS] = "there opens 0 ranks",
        [REFUSED] = "not today",
        [NO_SUCH_RANK] = "call 0 of rank 0 is wrong: its peer",
        [NO_SUCH_REQUEST] = "its request is none of those that open() tells",
        [NO_SUCH_OPERATION] = "an operation that there is not",
        [WILDCARD] = "call 0 of rank 1 is wrong: generated programs have no wildcards",
        [IMMEDIATE] = "it is immediate, and no such operation can be",
        [LARGEST_REQUEST] = "its request is none of those that open() tells",
        [WIDE_ELEMENT] = "its element has more than 255 bytes",
        [ENDLESS] = "its amount is negative, infinite or no number",
        [REFUSED_SILENTLY] = "there does not open this program"};
    for (int fault = NO_RANKS; fault < FAULTS; fault++) {
        char text[32];
        snprintf(text, sizeof text, "there:fault=%d", fault);
        struct heliograph *experiment = experiment_of("workload", text);
        assert_refused(heliograph_run(experiment), parts[fault]);
        assert_int_equal(heliograph_set(experiment, "fabric", "tdm-compiled"), HELIOGRAPH_OK);
        assert_int_equal(heliograph_set(experiment, "topology", "ring:2"), HELIOGRAPH_OK);
        assert_refused(heliograph_run(experiment), parts[fault]); /* which reads the calls before the run */
        heliograph_free(experiment);
    }
    assert_int_equal(programs_open, 0);
}

/* ----------------------------------------------------------- trace formats */

/* Files that begin with "letters": a line per call of two ranks, "s" sends from 0 to 1, "i" the same
 * immediately, "w" waits for it, "a" waits for all, "x" is wrong. */
struct letters {
    FILE *file;
    uint64_t line;
};

static int letters_probe(void *self, const char *path, int is_folder, const unsigned char *head,
                         size_t head_size)
{
    (void)self, (void)path, (void)is_folder;
    return head_size > 7 && memcmp(head, "letters", 7) == 0 ? 3 : 0;
}

static void *letters_open(void *self, const char *path, uint32_t *ranks, char *problem, size_t size)
{
    (void)self, (void)problem, (void)size;
    struct letters *letters = calloc(1, sizeof *letters);
    letters->file = fopen(path, "r");
    *ranks = 2;
    return letters;
}

static int letters_next(void *state, uint32_t rank, int first, struct heliograph_call *call, uint64_t *line,
                        char *problem, size_t size)
{
    struct letters *letters = state;
    char text[16];
    if (first) {
        rewind(letters->file);
        letters->line = 0;
    }
    while (fgets(text, sizeof text, letters->file)) {
        *line = ++letters->line;
        if (text[0] == 'x') {
            snprintf(problem, size, "x marks the spot");
            return -1;
        }
        if (*line == 1 || ((text[0] == 'w' || text[0] == 'a') && rank))
            continue;
        call->operation = rank             ? HELIOGRAPH_RECV
                          : text[0] == 'w' ? HELIOGRAPH_WAIT
                          : text[0] == 'a' ? HELIOGRAPH_WAITALL
                                           : HELIOGRAPH_SEND;
        call->immediate = text[0] == 'i' && !rank;
        call->request = 1000;
        call->peer = 1 - (int32_t)rank;
        call->bytes = 8;
        return 1;
    }
    return 0;
}

static void letters_close(void *state)
{
    struct letters *letters = state;
    fclose(letters->file);
    free(letters);
}

static void write_letters(const char *text)
{
    FILE *file = fopen("letters.trace", "w");
    fputs(text, file);
    fclose(file);
}

static void test_a_trace_runs(void **state)
{
    (void)state;
    const struct heliograph_trace_format letters = {.struct_size = sizeof letters,
                                                    .name = "letters",
                                                    .doc = "a file of letters",
                                                    .probe = letters_probe,
                                                    .open = letters_open,
                                                    .next = letters_next,
                                                    .close = letters_close};
    assert_int_equal(heliograph_register_trace_format(&letters), HELIOGRAPH_OK);
    assert_refused(heliograph_register_trace_format(&letters), "there is a trace format letters already");
    write_letters("letters\na\ns\ni\nw\n");
    struct heliograph *experiment = experiment_of("trace", "letters.trace");
    for (int i = 0; i < 2; i++) { /* the second time from the cache */
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
        assert_int_equal(heliograph_messages(experiment, 0), 2);
        assert_int_equal(heliograph_bytes(experiment, 0), 16);
    }
    write_letters("letters\ns\nx\n");
    assert_refused(heliograph_run(experiment), "letters.trace:3: error: x marks the spot");
    write_letters("letters\nw\n");
    assert_refused(heliograph_run(experiment), "letters.trace:2: error: request 1000 is not outstanding");
    write_letters("letters\ni\ni\n");
    assert_refused(heliograph_run(experiment), "letters.trace:3: error: request 1000 is outstanding already");
    heliograph_free(experiment);
    remove("letters.trace");
}

/* Ranks that execute graphs, as those that execute calls: 8 us + 17 B at 12.5 GB/s. LogGOPS has o + L + o + g
 * and its G with the rules of ATLAHS. */
static void test_a_graph_runs(void **state)
{
    (void)state;
    FILE *file = fopen("pair.goal", "w");
    assert_non_null(file);
    fputs("num_ranks 2\nrank 0 {\nsend 17b to 1\n}\nrank 1 {\nrecv 17b from 0\n}\n", file);
    fclose(file);
    struct heliograph *experiment = experiment_of("trace", "pair.goal");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_ranks(experiment, 0), 2);
    assert_int_equal(heliograph_messages(experiment, 0), 1);
    assert_int_equal(heliograph_bytes(experiment, 0), 17);
    assert_int_equal(heliograph_makespan_ps(experiment, 0), 8000000 + 1360);
    assert_int_equal(heliograph_rank_idle_ps(experiment, 0, 1), 8000000 + 1360);
    assert_int_equal(heliograph_set(experiment, "fabric", "loggops"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "compat", "atlahs"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_makespan_ps(experiment, 0), (2500 + 2 * 1500 + 1000 + 16 * 6) * 1000);
    assert_int_equal(heliograph_set(experiment, "fabric", "packet"), HELIOGRAPH_OK);
    assert_refused(heliograph_run(experiment), "compat=atlahs has one model of a network");
    heliograph_free(experiment);
    remove("pair.goal");
}

/* --------------------------------------------------- collective algorithms */

/* A broadcast in which the root sends to all; `self` says what is wrong with it. */
enum slip { SOUND, FORGETS_ONE, READS_TOO_FAR, WAITS_FOR_EVER, COPIES_FROM_NOWHERE, NAMES_NO_RANK };

static int star_emit(void *self, const struct heliograph_collective_call *call, uint32_t phase,
                     struct heliograph_steps *steps)
{
    enum slip slip = *(const enum slip *)self;
    int is_root = call->rank == call->root;
    struct heliograph_span all = {.buffer = is_root ? HELIOGRAPH_SEND_BUFFER : HELIOGRAPH_RECV_BUFFER,
                                  .bytes = call->bytes};
    if (phase > 0)
        return 0;
    if (slip == READS_TOO_FAR && is_root)
        all.offset = call->element;
    uint32_t sent = slip == FORGETS_ONE && call->size > 4 ? call->size - 1 : call->size;
    for (uint32_t peer = 0; is_root && peer < sent; peer++)
        if (peer != call->root)
            steps->send(steps, peer, all);
    if (!is_root && !(slip == FORGETS_ONE && call->rank >= sent))
        steps->recv(steps, call->root, all);
    if (slip == COPIES_FROM_NOWHERE)
        steps->copy(steps, (struct heliograph_span){(enum heliograph_buffer)99, 0, 8}, all);
    if (slip == NAMES_NO_RANK && is_root && call->size > 17)
        steps->send(steps, 1000000000, all);
    if (slip == WAITS_FOR_EVER && call->size > 1)
        steps->recv(steps, (call->rank + 1) % call->size, (struct heliograph_span){.bytes = 0});
    return 1;
}

static struct heliograph_collective star(const char *name, enum slip *slip)
{
    return (struct heliograph_collective){.struct_size = sizeof(struct heliograph_collective),
                                          .kind = HELIOGRAPH_KIND_BCAST,
                                          .name = name,
                                          .doc = "a star",
                                          .self = slip,
                                          .emit = star_emit};
}

static void test_the_prover_refuses_wrong_algorithms(void **state)
{
    (void)state;
    static enum slip slips[] = {SOUND, FORGETS_ONE, READS_TOO_FAR, WAITS_FOR_EVER, COPIES_FROM_NOWHERE};
    struct heliograph_collective sound = star("star", &slips[SOUND]);
    assert_int_equal(heliograph_register_collective(&sound), HELIOGRAPH_OK);
    for (size_t i = FORGETS_ONE; i <= COPIES_FROM_NOWHERE; i++) {
        struct heliograph_collective wrong = star("wrong", &slips[i]);
        assert_refused(heliograph_register_collective(&wrong), "the algorithm wrong of bcast is wrong for");
    }
    struct heliograph_collective kindless = star("kindless", &slips[SOUND]);
    kindless.kind = (enum heliograph_collective_kind)99;
    assert_refused(heliograph_register_collective(&kindless), "needs a kind");
    struct heliograph *experiment = experiment_of("mpi.bcast", "star");
    assert_refused(heliograph_set(experiment, "mpi.bcast", "wrong"), "star");
    heliograph_free(experiment);
}

/* What the prover takes as right gives the times of linear, which is the same schedule. */
static int both_call(void *state, uint32_t rank, uint64_t step, struct heliograph_call *call)
{
    (void)state, (void)rank;
    call->operation = HELIOGRAPH_BCAST;
    call->peer = 2;
    call->bytes = 4096;
    return step == 0;
}

static void *both_open(void *self, const union heliograph_value *values, uint32_t *ranks, uint32_t *requests,
                       char *problem, size_t size)
{
    (void)values, (void)requests, (void)problem, (void)size;
    *ranks = 5;
    return self;
}

static void test_an_algorithm_runs(void **state)
{
    (void)state;
    static char self;
    const struct heliograph_workload both = {.struct_size = sizeof both,
                                             .name = "both",
                                             .doc = "one broadcast",
                                             .self = &self,
                                             .open = both_open,
                                             .call = both_call};
    assert_int_equal(heliograph_register_workload(&both), HELIOGRAPH_OK);
    struct heliograph *experiment = experiment_of("workload", "both");
    assert_int_equal(heliograph_set(experiment, "fabric", "packet"), HELIOGRAPH_OK);
    int64_t makespan_ps[2];
    static const char *const names[] = {"star", "linear"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(heliograph_set(experiment, "mpi.bcast", names[i]), HELIOGRAPH_OK);
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
        makespan_ps[i] = heliograph_makespan_ps(experiment, 0);
        assert_int_equal(heliograph_messages(experiment, 0), 4);
    }
    assert_int_equal(makespan_ps[0], makespan_ps[1]);
    heliograph_free(experiment);
}

/* More ranks than the prover tries: the run fails. */
static void test_a_run_checks_peers(void **state)
{
    (void)state;
    static enum slip slip = NAMES_NO_RANK;
    struct heliograph_collective late = star("late", &slip);
    assert_int_equal(heliograph_register_collective(&late), HELIOGRAPH_OK);
    struct heliograph *experiment = experiment_of("workload", "npb:ft:class=S,ranks=32");
    assert_int_equal(heliograph_set(experiment, "mpi.bcast", "late"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_FAILED);
    assert_non_null(strstr(heliograph_last_error(),
                           "the algorithm late of bcast: rank 0 of 32 names rank 1000000000 as its peer"));
    heliograph_free(experiment);
}

int main(void)
{
    char folder[] = "/tmp/test_library_programs.XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_runs),
        cmocka_unit_test(test_wrong_programs_end_with_an_error),
        cmocka_unit_test(test_a_graph_runs),
        cmocka_unit_test(test_a_trace_runs),
        cmocka_unit_test(test_the_prover_refuses_wrong_algorithms),
        cmocka_unit_test(test_an_algorithm_runs),
        cmocka_unit_test(test_a_run_checks_peers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed;
}
