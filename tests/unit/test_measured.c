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

static void take(struct measured *measured, const char *algorithm, unsigned ns)
{
    enum { SAMPLES = 8 };
    char line[96];
    for (unsigned i = 0; i < SAMPLES; i++) {
        snprintf(line, sizeof line, "sample 64 %s %u 1\n", algorithm, ns + i);
        assert_true(measured_read(measured, line));
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_names_algorithms_of_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
