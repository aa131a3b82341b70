/* The environment of the preloaded collectives: what is not exactly right is named, and the MPI's own is
 * used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/coll/settings.h"

static struct live_settings settings;
static char said[8192];

/* Reads the settings with one variable; `said` is what standard error gets. True: they are valid. */
static bool reads(const char *name, const char *value)
{
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    fflush(stderr);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    setenv(name, value, 1);
    live_settings_read(&settings);
    unsetenv(name);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    return settings.valid;
}

static void refuses(const char *name, const char *value, const char *what)
{
    assert_false(reads(name, value));
    if (!strstr(said, what))
        fail_msg("%s=%s: '%s' is not in: %s", name, value, what, said);
}

static void numbers_are_digits(void **state)
{
    (void)state;
    assert_true(reads("HELIO_RANKS_PER_NODE", "4294967295"));
    assert_int_equal(settings.ranks_per_node, UINT32_MAX);
    assert_true(reads("HELIO_RANKS_PER_NODE", ""));
    assert_true(reads("HELIO_ALLTOALL_LEADERS", "2"));
    assert_int_equal(settings.leaders, 2);
    static const char *const wrong[] = {"-1",
                                        " -1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "0x10",
                                        "1e3",
                                        "4294967296",
                                        "18446744073709551617",
                                        "99999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuses("HELIO_RANKS_PER_NODE", wrong[i], "is not a number; the MPI's own is used");
        refuses("HELIO_ALLTOALL_LEADERS", wrong[i], "is not a number");
    }
}

static void each_kind_has_a_variable(void **state)
{
    (void)state;
    assert_true(reads("HELIO_COLL", "leaders"));
    assert_string_equal(settings.algorithms[COLL_ALLTOALL], "leaders");
    assert_string_equal(settings.algorithms[COLL_ALLTOALLV], "leaders");
    assert_string_equal(settings.algorithms[COLL_SCAN], "mpi");
    assert_true(reads("HELIO_COLL", "ring")); /* which some kinds do not have */
    assert_string_equal(settings.algorithms[COLL_ALLREDUCE], "ring");
    assert_string_equal(settings.algorithms[COLL_BCAST], "auto");
    setenv("HELIO_COLL", "mpi", 1);
    assert_true(reads("HELIO_REDUCE_SCATTER", "pairwise"));
    unsetenv("HELIO_COLL");
    assert_string_equal(settings.algorithms[COLL_REDUCE_SCATTER], "pairwise");
    assert_string_equal(settings.algorithms[COLL_BARRIER], "mpi");
    assert_true(reads("HELIO_REDUCE", "ordered"));
    assert_string_equal(settings.algorithms[COLL_ALLREDUCE], "ordered");
    assert_string_equal(settings.algorithms[COLL_REDUCE_SCATTER], "ordered");
    assert_string_equal(settings.algorithms[COLL_BCAST], "auto");
    assert_true(reads("HELIO_ALLTOALL", "mpi"));
    assert_string_equal(settings.algorithms[COLL_ALLTOALLV], "mpi");
    assert_string_equal(settings.algorithms[COLL_GATHER], "auto");
    refuses("HELIO_COLL", "lader", "HELIO_COLL=lader: it must be auto, mpi, leaders or another algorithm");
    refuses("HELIO_BCAST", "pairwise", "HELIO_BCAST=pairwise: it must be auto, mpi, binomial, ");
    assert_non_null(strstr(said, " or "));
    refuses("HELIO_GATHERV", "ring", "HELIO_GATHERV=ring: it must be auto, mpi or leaders; ");
    refuses("HELIO_ALLTOALL", "ring2", " or scatter; the MPI's own is used");
}

static void names_of_functions_are_no_variables(void **state)
{
    (void)state;
    refuses("HELIO_ALLGATHERV", "leaders",
            "HELIO_ALLGATHERV is no variable: HELIO_ALLGATHER is for MPI_Allgatherv too");
    refuses("HELIO_ALLTOALLW", "mpi", "HELIO_ALLTOALLV is for MPI_Alltoallw too");
    refuses("HELIO_REDUCE_SCATTER_BLOCK", "mpi", "HELIO_REDUCE_SCATTER is for MPI_Reduce_scatter_block too");
    assert_true(reads("HELIO_ALLGATHERV", ""));
}

static void values_do_not_control_the_terminal(void **state)
{
    (void)state;
    refuses("HELIO_RANKS_PER_NODE", "\x1b[31m\n", "HELIO_RANKS_PER_NODE=\\x1b[31m\\x0a is not a number");
    refuses("HELIO_ALLTOALL", "\x1b[31m", "HELIO_ALLTOALL=\\x1b[31m: it must be auto, mpi, linear, ");
    refuses("HELIO_ALLTOALLV", "\xff", "HELIO_ALLTOALLV=\\xff: it must be");
    assert_string_equal(strstr(said, " the MPI's own"), " the MPI's own is used\n");
}

/* Reads a table with these contents. */
static bool reads_table(const char *contents)
{
    char path[] = "/tmp/heliograph-table-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, contents, strlen(contents)), strlen(contents));
    close(file);
    bool valid = reads("HELIO_ALLTOALL_TABLE", path);
    unlink(path);
    return valid;
}

static void tables_are_read(void **state)
{
    (void)state;
    char comment[1000];
    memset(comment, '#', sizeof comment);
    strcpy(comment + sizeof comment - 2, "\n");
    char *table;
    assert_true(
        asprintf(&table,
                 "%s\n2 4 64 v3\n2\t4 18446744073709551615 scatter # a comment\n1 2 8 mpi\n"
                 "reduce_scatter 3 2 8 pairwise\nallgatherv 3 2 24 ring\nreduce_scatterv 3 2 24 mpi\n"
                 "alltoallv 3 2 0 leaders\nalltoallw 3 2 0 mpi\ngatherv 3 2 0 mpi\nscatterv 3 2 0 leaders",
                 comment) > 0);
    assert_true(reads_table(table));
    free(table);
    static const uint32_t calls[] = {COLL_ALLTOALL,       COLL_ALLTOALL,      COLL_ALLTOALL,
                                     COLL_REDUCE_SCATTER, COLL_ALLGATHERV,    SETTINGS_REDUCE_SCATTERV,
                                     COLL_ALLTOALLV,      SETTINGS_ALLTOALLW, COLL_GATHERV,
                                     COLL_SCATTERV};
    assert_int_equal(settings.choice_count, sizeof calls / sizeof *calls);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_int_equal(settings.choices[i].call, calls[i]);
    assert_string_equal(settings.choices[3].algorithm, "pairwise");
    assert_int_equal(settings.choices[0].nodes, 2);
    assert_int_equal(settings.choices[0].most_here, 4);
    assert_int_equal(settings.choices[0].bytes, 64);
    assert_string_equal(settings.choices[0].algorithm, "v3");
    assert_true(settings.choices[1].bytes == UINT64_MAX);
    assert_string_equal(settings.choices[1].algorithm, "scatter-destination");
    assert_string_equal(settings.choices[2].algorithm, "mpi");
}

static void wrong_tables_are_named(void **state)
{
    (void)state;
    static const char form[] =
        "a collective, nodes, ranks of the largest node, bytes and an algorithm are expected; the MPI's own";
    static const struct {
        const char *line;
        int column;
        const char *message;
    } wrong[] = {
        {"-1 4 64 v3\n", 2, form},
        {"2 -4 64 v3\n", 3, form},
        {"2 4 -64 v3\n", 5, form},
        {"4294967298 4 64 v3\n", 1, form},
        {"2 4 18446744073709551616 v3\n", 5, form},
        {"2 4 64\n", 8, form},
        {"2 4 64 v3 v3\n", 11, form},
        {"2 4 64 linearlinearlinearlinearlinearlinear\n", 8, "is not an algorithm of alltoall"},
        {"2 4 64 none\n", 8,
         "'none' is not an algorithm of alltoall, which helio coll plan --op alltoall lists"},
        {"2,4,64,v3\n", 1, form},
        {"2 4 64v3\n", 5, form},
        {"allreduce2 4 64 ring\n", 10, form},
        {"scan 2 4 64 linear\n", 1, "'scan' is not a collective of this library"},
        {"allreduce 2 4 64 v3\n", 18, "'v3' is not an algorithm of allreduce"},
        {"allreduce 2 4 64 auto\n", 18, "'auto' is not an algorithm of allreduce"},
        {"gatherv 2 4 64 leaders\n", 13, "a line of gatherv holds for all sizes, and has 0 in this place"},
        {"alltoallw 2 4 0 linear\n", 17, "'linear' is neither leaders nor mpi, which alltoallw has"},
        {"scatterv 2 4 0 auto\n", 16, "'auto' is neither leaders nor mpi"},
        {"allgatherv 2 4 64 v3\n", 19,
         "'v3' is not an algorithm of allgatherv, which helio coll plan --op allgather lists"},
        {"reduce_scatte 2 4 64 pairwise\n", 1, "'reduce_scatte' is not a collective"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char place[32];
        snprintf(place, sizeof place, ":1:%d: error: ", wrong[i].column);
        if (reads_table(wrong[i].line))
            fail_msg("accepted: %s", wrong[i].line);
        if (!strstr(said, place) || !strstr(said, wrong[i].message))
            fail_msg("%s%s", wrong[i].line, said);
    }
    char long_line[600];
    memset(long_line, ' ', sizeof long_line);
    strcpy(long_line + sizeof long_line - 20, "2 4 64 v3\n");
    assert_false(reads_table(long_line));
    static const char choice[] = "2 4 8 v3\n";
    char many[(SETTINGS_CHOICES + 1) * (sizeof choice - 1) + 1] = "";
    for (int i = 0; i < SETTINGS_CHOICES; i++)
        strcat(many, choice);
    assert_true(reads_table(many));
    strcat(many, choice);
    assert_false(reads_table(many));
}

static void a_table_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    refuses("HELIO_ALLTOALL_TABLE", "/", "HELIO_ALLTOALL_TABLE: cannot read /: Is a directory");
    refuses("HELIO_ALLTOALL_TABLE", "/no/\x1b", "cannot read /no/\\x1b: No such file or directory");
    assert_true(reads("HELIO_ALLTOALL_TABLE", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_digits),
        cmocka_unit_test(each_kind_has_a_variable),
        cmocka_unit_test(names_of_functions_are_no_variables),
        cmocka_unit_test(values_do_not_control_the_terminal),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(wrong_tables_are_named),
        cmocka_unit_test(a_table_that_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
