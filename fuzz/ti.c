/* Any bytes as a trace: they are compiled or refused, never anything else. What compiles is run, checked,
 * summed up, written back to text and compiled again, which must give the same.
 *
 * The ranks of an input are separated by lines of "----". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_trace.h"
#include "trace/check/check.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"
#include "trace/ti/ti.h"

static void run(struct compiled_trace *compiled)
{
    struct program *program = &compiled->program;
    struct call scratch;
    char text[200];
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct call *call;
        while ((call = program_next(program, rank, &scratch))) {
            fuzz_must(call->slot < program->ops->slots(program, rank), "a slot is in range");
            call_describe(call, text, sizeof text);
        }
        fuzz_must(program->ops->place(program, rank).line == compiled_lines(compiled, rank),
                  "lines are counted");
    }
}

static void compile_again(struct compiled_trace *compiled)
{
    struct trace_input input;
    char *texts[FUZZ_MOST_RANKS];
    size_t sizes[FUZZ_MOST_RANKS];
    uint32_t ranks = compiled->program.ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        texts[rank] = decompile_rank(compiled, rank, &sizes[rank]);
    ti_input_of_texts(&input, "again", (const char *const *)texts, sizes, ranks);
    struct compiled_trace *again = fuzz_compile(&input);
    trace_input_close(&input);
    fuzz_must(again != NULL, "the text of a compiled trace compiles");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t lines = compiled_lines(compiled, rank);
        fuzz_must(lines == compiled_lines(again, rank), "no line is lost");
        fuzz_must(
            !memcmp(compiled_tokens(compiled, rank), compiled_tokens(again, rank), lines * sizeof(uint32_t)),
            "lines mean the same");
        fuzz_must(!memcmp(compiled_calls(compiled, rank), compiled_calls(again, rank),
                          compiled->ranks[rank].calls.count * sizeof(struct call)),
                  "calls are the same");
        free(texts[rank]);
    }
    again->program.ops->close(&again->program);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct trace_check check;
    struct trace_summary summary;
    struct compiled_trace *compiled =
        fuzz_trace((struct fuzz_piece){(const char *)data, size}, FUZZ_MOST_RANKS);
    if (!compiled)
        return false;
    run(compiled);
    check_trace(compiled, &check);
    summary_of(compiled, &summary);
    compiled_report_notes(compiled, NOTES_ALL);
    fuzz_bursts(&compiled->program);
    compile_again(compiled);
    compiled->program.ops->close(&compiled->program);
    return true;
}
