#include "fuzz/fuzz_run_trace.h"

#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"

bool fuzz_run_trace(struct trace_input *input, size_t size)
{
    struct compiled_trace *compiled = fuzz_compile(input);
    trace_input_close(input);
    if (!compiled)
        return false;
    const bool has_ended = fuzz_run(fuzz_config(fuzz_settings(size)), &compiled->program);
    compiled->program.ops->close(&compiled->program);
    return has_ended;
}
