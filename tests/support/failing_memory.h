#ifndef HELIO_TESTS_SUPPORT_FAILING_MEMORY_H
#define HELIO_TESTS_SUPPORT_FAILING_MEMORY_H

/* Repeats a piece of work while each of its allocations fails in turn. The including file makes the
 * allocations ask failing_memory_is_next(). Include cmocka.h before. */

#include <stdbool.h>
#include <stdlib.h>

/* `fails_at` is the allocation that fails, counted from 1; `and_later`: all that follow fail, too. */
static struct {
    bool counts;
    unsigned long count, fails_at;
    bool and_later;
} failing_memory;

static inline bool failing_memory_is_next(void)
{
    if (!failing_memory.counts)
        return false;
    unsigned long number = ++failing_memory.count, at = failing_memory.fails_at;
    return at && (number == at || (failing_memory.and_later && number > at));
}

/* What the work gives, to be freed; NULL: it was refused memory. The work calls failing_memory_begin() before
 * its first allocation that may fail, and failing_memory_end() before it looks at what happened. */
typedef char *failing_memory_work(void);

static inline void failing_memory_begin(void)
{
    failing_memory.count = 0;
    failing_memory.counts = true;
}

static inline void failing_memory_end(void)
{
    failing_memory.counts = false;
}

/* Each result is the one that is made with enough memory, or was refused, which happens more than `refusals`
 * times. */
static inline void failing_memory_try_each(failing_memory_work *work, bool and_later, unsigned long refusals)
{
    failing_memory.fails_at = 0;
    char *expected = work();
    unsigned long count = failing_memory.count, refused = 0;
    assert_non_null(expected);
    assert_true(count > 100);
    failing_memory.and_later = and_later;
    for (failing_memory.fails_at = 1; failing_memory.fails_at <= count; failing_memory.fails_at++) {
        char *result = work();
        if (result)
            assert_string_equal(result, expected);
        refused += !result;
        free(result);
    }
    assert_true(refused > refusals);
    free(expected);
}

#endif
