/* Any bytes as a compiled trace with a correct checksum: refused, or safe to run, check and write as text. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/fuzz_trace.h"
#include "trace/check/check.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"

static void use(struct compiled_trace *compiled)
{
    struct program *program = &compiled->program;
    struct call scratch;
    struct trace_check check;
    struct trace_summary summary;
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct call *call;
        while ((call = program_next(program, rank, &scratch)))
            fuzz_must(call->slot < program->ops->slots(program, rank), "a slot is out of range");
        size_t size;
        free(decompile_rank(compiled, rank, &size));
    }
    check_trace(compiled, &check);
    summary_of(compiled, &summary);
    compiled_report_notes(compiled, NOTES_ALL);
    fuzz_bursts(&compiled->program);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct compiled_trace *compiled = fuzz_image(data, size);
    if (!compiled)
        return false;
    use(compiled);
    compiled->program.ops->close(&compiled->program);
    return true;
}
