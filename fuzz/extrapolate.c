/* Any bytes as traces of one program: whatever compiles is extrapolated or refused, and what comes out is a
 * program whose slots are in range and whose waits find their requests.
 *
 * The ranks of a trace are separated by lines of "----", traces by lines of "====". */
#include <stdint.h>
#include <stdio.h>

#include "extrapolate/extrapolate.h"
#include "fuzz/fuzz_trace.h"

enum { MOST_RANKS = 16, MOST_TRACES = 4, RANKS_WANTED = 24 };

static void walk(struct program *program)
{
    struct call scratch;
    uint64_t calls = 0;
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (const struct call *call; (call = program_next(program, rank, &scratch)); calls++)
            fuzz_must(call->slot < program->ops->slots(program, rank), "a slot is in range");
    fuzz_must(calls == program->total_calls, "every call is made");
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct program *programs[MOST_TRACES];
    size_t count = 0;
    while (rest.size && count < MOST_TRACES) {
        struct compiled_trace *compiled = fuzz_trace(fuzz_cut(&rest, "====\n"), MOST_RANKS);
        if (compiled)
            programs[count++] = &compiled->program;
    }
    struct extrapolation *extrapolation;
    bool is_made =
        count > 1 && extrapolation_open(programs, count, RANKS_WANTED, &extrapolation) == STATUS_OK;
    if (is_made) {
        FILE *nowhere = fopen("/dev/null", "w");
        fuzz_must(nowhere != NULL, "/dev/null");
        extrapolation_print(extrapolation, nowhere);
        fclose(nowhere);
        walk(extrapolation_program(extrapolation));
        extrapolation_close(extrapolation);
    }
    while (count)
        count--, programs[count]->ops->close(programs[count]);
    return is_made;
}
