/* The time of a trace: to read and compile its text, to open it from the cache, and to visit its calls.
 *
 *   bench_trace PATH...        the best of five */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "trace/trace.h"

struct cost {
    double compile_s, open_s, run_s;
    uint64_t lines, bytes;
};

static void keep_least(double *least, double value)
{
    if (*least <= 0 || value < *least)
        *least = value;
}

static uint64_t run(struct program *program)
{
    uint64_t sum = 0;
    struct call scratch;
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (const struct call *call; (call = program_next(program, rank, &scratch));)
            sum += call->op + call->bytes; /* each call is looked at, as in a run */
    return sum;
}

static enum status measure(const char *path, const char *compiled_file, struct cost *cost)
{
    double start = clock_seconds_now();
    enum status status = trace_compile_to(path, compiled_file);
    keep_least(&cost->compile_s, clock_seconds_now() - start);
    if (status != STATUS_OK)
        return status;
    struct compiled_trace *compiled;
    start = clock_seconds_now();
    status = trace_open_compiled(compiled_file, &compiled);
    keep_least(&cost->open_s, clock_seconds_now() - start);
    if (status != STATUS_OK)
        return status;
    start = clock_seconds_now();
    volatile uint64_t sum = run(&compiled->program);
    (void)sum;
    keep_least(&cost->run_s, clock_seconds_now() - start);
    cost->lines = compiled->header->lines;
    cost->bytes = compiled->image_bytes;
    compiled->program.ops->close(&compiled->program);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    char file[] = "/tmp/bench-trace-XXXXXX";
    if (argc < 2 || !mkdtemp(file)) {
        fprintf(stderr, "usage: bench_trace PATH...\n");
        return STATUS_BAD_INPUT;
    }
    char *compiled_file = mem_format("%s/trace.helio", file);
    printf("%-24s %10s %12s %12s %12s %12s\n", "trace", "lines", "compile ns", "open ns", "next ns", "bytes");
    enum status status = STATUS_OK;
    for (int i = 1; status == STATUS_OK && i < argc; i++) {
        struct cost cost = {0};
        for (int round = 0; status == STATUS_OK && round < 5; round++)
            status = measure(argv[i], compiled_file, &cost);
        double lines = (double)cost.lines;
        const char *slash = strrchr(argv[i], '/');
        if (status == STATUS_OK)
            printf("%-24s %10.0f %12.1f %12.2f %12.2f %12.2f  per line\n", slash ? slash + 1 : argv[i], lines,
                   cost.compile_s * 1e9 / lines, cost.open_s * 1e9 / lines, cost.run_s * 1e9 / lines,
                   (double)cost.bytes / lines);
    }
    remove(compiled_file);
    remove(file);
    free(compiled_file);
    return status;
}
