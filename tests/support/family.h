#ifndef HELIO_TESTS_FAMILY_H
#define HELIO_TESTS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

/* Programs on several numbers of ranks, from which another one is extrapolated. Traces are written line by
 * line in the folder of support/traces.h. */

enum { MOST_TRACES = 4 };

struct family {
    struct program *programs[MOST_TRACES];
    size_t count;
};

void family_add(struct family *family, struct program *program);
/* `format` has %u for the number of ranks. */
void family_add_workload(struct family *family, const char *format, unsigned ranks);
void family_close(struct family *family);

/* The family extrapolates to the calls of `expected`; computation agrees to one part in a thousand. */
void family_assert_extrapolates(struct family *family, struct program *expected);
/* It is refused, and `why` is in the message. Closes the family. */
void family_assert_refused(struct family *family, uint32_t ranks, const char *why);

/* The trace of one rank, line by line. */
struct rank_text {
    char bytes[8192];
    size_t length;
};

void rank_text_say(struct rank_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rank_text_write(const char *trace, unsigned rank, const struct rank_text *text);
/* The trace that was written under this name. */
struct program *family_open(const char *trace);

/* What part `index` of `parts` has of `whole`: the first ones have one more. */
static inline uint64_t share(uint64_t whole, unsigned parts, unsigned index)
{
    return whole / parts + (index < whole % parts);
}

#endif
