/* A program that uses libheliograph gets an error where there is no memory, and does not end. */
#include <dlfcn.h>
#include <errno.h>
#include <heliograph.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_memory.h"

/* ------------------------------------------------------- memory that fails */

static bool is_to_fail(void)
{
    bool fails = failing_memory_is_next();
    if (fails)
        errno = ENOMEM;
    return fails;
}

/* These take the place of the C library's in all of the process. */
#define EXPORTED __attribute__((visibility("default")))
#define NEXT(function)                                                                                       \
    static __typeof__(&function) next;                                                                       \
    if (!next)                                                                                               \
    next = (__typeof__(next))dlsym(RTLD_NEXT, #function)

EXPORTED void *malloc(size_t bytes)
{
    NEXT(malloc);
    return is_to_fail() ? NULL : next(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    NEXT(calloc);
    return is_to_fail() ? NULL : next(count, bytes);
}

EXPORTED void *realloc(void *old, size_t bytes)
{
    NEXT(realloc);
    return is_to_fail() ? NULL : next(old, bytes);
}

/* -------------------------------------------------------------------- work */

/* Runs an experiment. Returns a copy of its results; NULL: there was no memory, and an error said so. */
static char *results_or_refusal(void)
{
    failing_memory_begin();
    struct heliograph *experiment = heliograph_new();
    enum heliograph_status status = HELIOGRAPH_FAILED;
    if (experiment)
        status = heliograph_set(experiment, "workload", "alltoall:ranks=3,bytes=8B");
    if (status == HELIOGRAPH_OK)
        status = heliograph_set(experiment, "fabric", "hockney,packet");
    if (status == HELIOGRAPH_OK)
        status = heliograph_run(experiment);
    failing_memory_end();
    char *results = NULL;
    if (status == HELIOGRAPH_OK) {
        results = strdup(heliograph_json(experiment));
        assert_int_equal(heliograph_run_count(experiment), 2);
    } else {
        assert_int_equal(status, HELIOGRAPH_FAILED);
        assert_non_null(strstr(heliograph_last_error(), "out of memory"));
        assert_true(!experiment || heliograph_run_count(experiment) == 0);
    }
    heliograph_free(experiment);
    return results;
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    failing_memory_try_each(results_or_refusal, false, 100);
}

static void all_allocations_fail_from_one_on(void **state)
{
    (void)state;
    failing_memory_try_each(results_or_refusal, true, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_once),
                                       cmocka_unit_test(all_allocations_fail_from_one_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
