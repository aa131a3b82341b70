#include "support/family.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "extrapolate/extrapolate.h"
#include "extrapolate/rank_events.h"
#include "support/traces.h"
#include "trace/trace.h"
#include "workload/workload.h"

void family_add(struct family *family, struct program *program)
{
    family->programs[family->count++] = program;
}

void family_add_workload(struct family *family, const char *format, unsigned ranks)
{
    char spec[96];
    struct program *program;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(spec, sizeof spec, format, ranks);
#pragma GCC diagnostic pop
    if (workload_open(spec, &program) != STATUS_OK)
        fail_msg("%s: %s", spec, traces_messages());
    family_add(family, program);
}

void family_close(struct family *family)
{
    for (size_t i = 0; i < family->count; i++)
        family->programs[i]->ops->close(family->programs[i]);
    family->count = 0;
}

static bool same_members(const struct program *a, uint32_t group, const struct program *b, uint32_t other)
{
    const struct group *one = &a->groups[group], *two = &b->groups[other];
    bool same = one->size == two->size;
    for (uint32_t i = 0; i < one->size && same; i++)
        same = group_world(one, i) == group_world(two, i);
    return same;
}

/* Every rank has the same calls. Communicators may have other numbers. Computation agrees to one part in a
 * thousand. */
static void assert_same(struct program *expected, struct program *found)
{
    struct rank_events a = {0}, b = {0};
    double computed[2] = {0};
    assert_int_equal(expected->ranks, found->ranks);
    expected->ops->rewind(expected);
    found->ops->rewind(found);
    for (uint32_t rank = 0; rank < expected->ranks; rank++) {
        rank_events_read(expected, rank, NULL, &a);
        rank_events_read(found, rank, NULL, &b);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            if (same_members(expected, a.at[i].comm, found, b.at[i].comm))
                b.at[i].comm = a.at[i].comm;
            if (!rank_event_same(&a.at[i], &b.at[i]))
                fail_msg("call %zu of rank %u differs", i, rank);
            computed[0] += a.at[i].operations;
            computed[1] += b.at[i].operations;
            if (fabs(b.at[i].operations - a.at[i].operations) > 0.002 * a.at[i].operations + 1)
                fail_msg("before call %zu of rank %u are %g operations, not %g", i, rank, b.at[i].operations,
                         a.at[i].operations);
        }
    }
    assert_true(computed[1] >= 0.999 * computed[0] && computed[1] <= 1.001 * computed[0]);
    free(a.at);
    free(b.at);
}

void family_assert_extrapolates(struct family *family, struct program *expected)
{
    struct extrapolation *extrapolation;
    if (extrapolation_open(family->programs, family->count, expected->ranks, &extrapolation) != STATUS_OK)
        fail_msg("%s: %s", expected->name, traces_messages());
    assert_same(expected, extrapolation_program(extrapolation));
    extrapolation_close(extrapolation);
    traces_messages();
}

void family_assert_refused(struct family *family, uint32_t ranks, const char *why)
{
    struct extrapolation *extrapolation;
    assert_int_equal(extrapolation_open(family->programs, family->count, ranks, &extrapolation),
                     STATUS_BAD_INPUT);
    assert_null(extrapolation);
    const char *messages = traces_messages();
    if (!strstr(messages, why))
        fail_msg("'%s' is not in: %s", why, messages);
    family_close(family);
}

void rank_text_say(struct rank_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    text->length +=
        (size_t)vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, values);
    va_end(values);
    assert_true(text->length < sizeof text->bytes);
}

void rank_text_write(const char *trace, unsigned rank, const struct rank_text *text)
{
    char file[64];
    snprintf(file, sizeof file, "%s/rank-%u.txt", trace, rank + 1);
    traces_write(file, text->bytes, text->length);
}

struct program *family_open(const char *trace)
{
    struct program *program;
    if (trace_open(traces_path(trace), &program) != STATUS_OK)
        fail_msg("%s: %s", trace, traces_messages());
    return program;
}
