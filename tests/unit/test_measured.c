/* The samples of a bench, and the table of choices that the preloaded library reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/measured.h"

static void take_size(struct measured *measured, unsigned bytes, const char *algorithm, unsigned ns)
{
    enum { SAMPLES = 8 };
    char line[96];
    for (unsigned i = 0; i < SAMPLES; i++) {
        snprintf(line, sizeof line, "sample %u %s %u 1\n", bytes, algorithm, ns + i);
        assert_true(measured_read(measured, line));
    }
}

static void take(struct measured *measured, const char *algorithm, unsigned ns)
{
    take_size(measured, 64, algorithm, ns);
}

static char *choices_of(const struct measured *measured)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    measured_write_choices(measured, "allreduce", file);
    fclose(file);
    return text;
}

/* The library knows neither `auto` nor the MPI's own algorithms in a table. `mpich` is one of its own, which
 * does as MPICH does. */
static void a_table_names_algorithms_of_the_library(void **state)
{
    (void)state;
    struct measured measured = {.is_done = false};
    assert_true(measured_read(&measured, "cluster 2 8 4 Some MPI\n"));
    take(&measured, "mpi", 1000);
    take(&measured, "auto", 100);
    take(&measured, "mpi:ring", 200);
    char *text = choices_of(&measured);
    assert_non_null(strstr(text, "\nallreduce 2 4 64 mpi\n"));
    free(text);
    take(&measured, "leaders", 500);
    take(&measured, "mpich", 300);
    take(&measured, "ring", 50); /* which the MPI has executed */
    assert_true(measured_read(&measured, "left 64 ring\n"));
    text = choices_of(&measured);
    assert_non_null(strstr(text, "\nallreduce 2 4 64 mpich\n"));
    free(text);
    measured_free(&measured);
}

/* The library knows the longest block where blocks differ and all ranks know all. */
static void a_table_has_the_longest_blocks(void **state)
{
    (void)state;
    struct measured measured = {.is_done = false};
    assert_true(measured_read(&measured, "cluster 2 8 4 Some MPI\n"));
    assert_true(measured_read(&measured, "longest 8 12\n"));
    take_size(&measured, 8, "mpi", 1000);
    take_size(&measured, 8, "leaders", 500);
    assert_true(measured_read(&measured, "longest 64 92\n"));
    take(&measured, "mpi", 1000);
    take(&measured, "leaders", 2000);
    char *text = choices_of(&measured);
    assert_non_null(strstr(text, "\nallreduce 2 4 12 leaders\nallreduce 2 4 92 mpi\n"));
    free(text);
    measured_free(&measured);
}

/* What a line for all sizes says after two sizes, in which `leaders` takes so long and the MPI 1000 ns. */
static void choice_of_all_is(unsigned first_ns, unsigned second_ns, const char *expected)
{
    struct measured measured = {.is_done = false};
    char *text = NULL;
    size_t size;
    assert_true(measured_read(&measured, "cluster 2 8 4 Some MPI\n"));
    take_size(&measured, 8, "mpi", 1000);
    take_size(&measured, 8, "leaders", first_ns);
    take_size(&measured, 64, "mpi", 1000);
    take_size(&measured, 64, "leaders", second_ns);
    FILE *file = open_memstream(&text, &size);
    bool has_line = measured_write_choice_of_all(&measured, "gatherv", file);
    fclose(file);
    assert_non_null(strstr(text, expected));
    assert_int_equal(has_line, strstr(text, "\ngatherv ") != NULL);
    free(text);
    measured_free(&measured);
}

static void a_line_for_all_sizes_is_one_that_loses_nowhere(void **state)
{
    (void)state;
    choice_of_all_is(500, 700, "\ngatherv 2 4 0 leaders\n");
    choice_of_all_is(500, 1000, "\ngatherv 2 4 0 leaders\n");
    choice_of_all_is(1000, 1000, "\ngatherv 2 4 0 mpi\n");
    choice_of_all_is(2000, 1000, "\ngatherv 2 4 0 mpi\n");
    choice_of_all_is(500, 2000, "\n# no line for gatherv: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_names_algorithms_of_the_library),
                                       cmocka_unit_test(a_table_has_the_longest_blocks),
                                       cmocka_unit_test(a_line_for_all_sizes_is_one_that_loses_nowhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
