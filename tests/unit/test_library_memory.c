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

/* ------------------------------------------------------- memory that fails */

/* The allocation that fails, counted from 1, and whether all later ones fail too. */
static unsigned long allocation, fails_at;
static bool fails_on;

static bool is_to_fail(void)
{
    if (!fails_at)
        return false;
    allocation++;
    bool fails = allocation == fails_at || (fails_on && allocation > fails_at);
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
static char *results_of(unsigned long k, bool on)
{
    allocation = 0;
    fails_on = on;
    fails_at = k;
    struct heliograph *experiment = heliograph_new();
    enum heliograph_status status = HELIOGRAPH_FAILED;
    if (experiment)
        status = heliograph_set(experiment, "workload", "alltoall:ranks=3,bytes=8B");
    if (status == HELIOGRAPH_OK)
        status = heliograph_set(experiment, "fabric", "hockney,packet");
    if (status == HELIOGRAPH_OK)
        status = heliograph_run(experiment);
    fails_at = 0;
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

static void is_whole_or_refused(bool on)
{
    char *expected = results_of(~0ul, false);
    unsigned long count = allocation, refused = 0;
    assert_true(count > 100);
    for (unsigned long k = 1; k <= count; k++) {
        char *results = results_of(k, on);
        if (results)
            assert_string_equal(results, expected);
        refused += !results;
        free(results);
    }
    assert_true(refused > 100);
    free(expected);
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    is_whole_or_refused(false);
}

static void all_allocations_fail_from_one_on(void **state)
{
    (void)state;
    is_whole_or_refused(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_once),
                                       cmocka_unit_test(all_allocations_fail_from_one_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
