/* Any bytes as a trace: they are compiled or refused, never anything else. What compiles is run, checked,
 * summed up, written back to text and compiled again, which must give the same.
 *
 * The ranks of an input are separated by lines of "----". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/check/check.h"
#include "trace/compile.h"
#include "trace/image/compiled.h"
#include "trace/input.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"
#include "trace/ti/ti.h"

enum { MOST_RANKS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* NULL: refused. */
static struct compiled_trace *compile_input(struct trace_input *input)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    must(descriptor >= 0, "a memory file");
    FILE *file = fdopen(dup(descriptor), "wb");
    int error;
    enum status status = trace_compile(input, file, &error);
    fclose(file);
    struct compiled_trace *compiled = NULL;
    if (status == STATUS_OK) {
        const char *fault;
        compiled = compiled_map(descriptor, input, &fault);
        must(compiled != NULL, "what was compiled can be used");
    }
    close(descriptor);
    return compiled;
}

static void open_ranks(struct trace_input *input, const char *bytes, size_t size)
{
    static const char separator[] = "----\n";
    const char *texts[MOST_RANKS];
    size_t sizes[MOST_RANKS];
    uint32_t ranks = 0;
    while (ranks < MOST_RANKS) {
        const char *end = size ? memmem(bytes, size, separator, sizeof separator - 1) : NULL;
        texts[ranks] = bytes;
        sizes[ranks] = end ? (size_t)(end - bytes) : size;
        size -= sizes[ranks++];
        if (!end)
            break;
        bytes = end + sizeof separator - 1;
        size -= sizeof separator - 1;
    }
    ti_input_of_texts(input, "fuzz", texts, sizes, ranks);
}

static void run(struct compiled_trace *compiled)
{
    struct program *program = &compiled->program;
    struct call scratch;
    char text[200];
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct call *call;
        while ((call = program_next(program, rank, &scratch))) {
            must(call->slot < program->ops->slots(program, rank), "a slot is in range");
            call_describe(call, text, sizeof text);
        }
        must(program->ops->place(program, rank).line == compiled_lines(compiled, rank), "lines are counted");
    }
}

static void compile_again(struct compiled_trace *compiled)
{
    struct trace_input input;
    char *texts[MOST_RANKS];
    size_t sizes[MOST_RANKS];
    uint32_t ranks = compiled->program.ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        texts[rank] = decompile_rank(compiled, rank, &sizes[rank]);
    ti_input_of_texts(&input, "again", (const char *const *)texts, sizes, ranks);
    struct compiled_trace *again = compile_input(&input);
    trace_input_close(&input);
    must(again != NULL, "the text of a compiled trace compiles");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t lines = compiled_lines(compiled, rank);
        must(lines == compiled_lines(again, rank), "no line is lost");
        must(!memcmp(compiled_tokens(compiled, rank), compiled_tokens(again, rank), lines * sizeof(uint32_t)),
             "lines mean the same");
        must(!memcmp(compiled_calls(compiled, rank), compiled_calls(again, rank),
                     compiled->ranks[rank].calls.count * sizeof(struct call)),
             "calls are the same");
        free(texts[rank]);
    }
    again->program.ops->close(&again->program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    struct trace_input input;
    open_ranks(&input, (const char *)data, size);
    struct compiled_trace *compiled = compile_input(&input);
    trace_input_close(&input);
    if (compiled) {
        struct trace_check check;
        struct trace_summary summary;
        run(compiled);
        check_trace(compiled, &check);
        summary_of(compiled, &summary);
        compiled_report_notes(compiled, NOTES_ALL);
        compile_again(compiled);
        compiled->program.ops->close(&compiled->program);
    }
    return 0;
}
