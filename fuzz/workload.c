/* Any bytes as the text that names a workload: refused, or read as a program whose first calls can be
 * computed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "workload/workload.h"

enum { RANKS_ASKED = 3, CALLS_ASKED = 20 };

static void ask(struct program *program)
{
    struct call scratch;
    char text[256];
    if (program->openloop) /* traffic of nodes: there are no calls */
        return;
    program->ops->rewind(program); /* before its first call, as every run does */
    for (uint32_t i = 0; i < RANKS_ASKED && i < program->ranks; i++) {
        /* The first rank, one in the middle, the last. */
        uint32_t rank = (uint32_t)((uint64_t)(program->ranks - 1) * i / (RANKS_ASKED - 1));
        for (int k = 0; k < CALLS_ASKED; k++) {
            const struct call *call = program_next(program, rank, &scratch);
            if (!call)
                break;
            fuzz_must(call->op < CALL_OPS && call_describe(call, text, sizeof text), "no such call");
        }
    }
}

/* 10^9 ranks are allowed and take 16 GB, more than the fuzzer has. Counting the keys of the largest IS would
 * take too long. */
static bool asks_for_much(const char *spec)
{
    enum { DIGITS = 7 };
    const char *ranks = strstr(spec, "ranks=");
    if (strstr(spec, "npb:is") && strstr(spec, "class=D"))
        return true;
    return ranks && strspn(ranks + strlen("ranks="), " 0123456789") > DIGITS;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *spec = fuzz_text(data, size);
    struct program *program;
    fuzz_is_too_large = asks_for_much(spec);
    bool is_open = !fuzz_is_too_large && workload_open(spec, &program) == STATUS_OK;
    if (is_open) {
        ask(program);
        program->ops->close(program);
    }
    free(spec);
    return is_open;
}
