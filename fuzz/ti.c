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
#include "base/mem.h"
#include "trace/check/check.h"
#include "trace/image/compiled.h"
#include "trace/summary.h"
#include "trace/ti/compile.h"
#include "trace/ti/decompile.h"

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
static struct compiled_trace *compile_source(const struct ti_source *source)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    must(descriptor >= 0, "a memory file");
    FILE *file = fdopen(dup(descriptor), "wb");
    int error;
    enum status status = compile(source, file, &error);
    fclose(file);
    struct compiled_trace *compiled = NULL;
    if (status == STATUS_OK) {
        const char *fault;
        compiled = compiled_map(descriptor, source, &fault);
        must(compiled != NULL, "what was compiled can be used");
    }
    close(descriptor);
    return compiled;
}

static void split(struct ti_source *source, char *bytes, size_t size, struct ti_file files[MOST_RANKS])
{
    static const char separator[] = "----\n";
    static char names[MOST_RANKS][32];
    *source = (struct ti_source){.kind = TI_MEMORY, .path = "fuzz", .name = "fuzz", .files = files};
    while (source->ranks < MOST_RANKS) {
        char *end = size ? memmem(bytes, size, separator, sizeof separator - 1) : NULL;
        size_t length = end ? (size_t)(end - bytes) : size;
        snprintf(names[source->ranks], sizeof names[0], "rank-%u.txt", source->ranks + 1);
        files[source->ranks] = (struct ti_file){.name = names[source->ranks], .bytes = bytes, .size = length};
        source->ranks++;
        if (!end)
            break;
        bytes = end + sizeof separator - 1;
        size -= length + sizeof separator - 1;
    }
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

static void compile_again(const struct compiled_trace *compiled)
{
    struct ti_file files[MOST_RANKS];
    struct ti_source source = {.kind = TI_MEMORY,
                               .path = "again",
                               .name = "again",
                               .ranks = compiled->program.ranks,
                               .files = files};
    for (uint32_t rank = 0; rank < source.ranks; rank++) {
        files[rank].name = "again.txt";
        files[rank].bytes = decompile_rank(compiled, rank, &files[rank].size);
    }
    struct compiled_trace *again = compile_source(&source);
    must(again != NULL, "the text of a compiled trace compiles");
    for (uint32_t rank = 0; rank < source.ranks; rank++) {
        uint64_t lines = compiled_lines(compiled, rank);
        must(lines == compiled_lines(again, rank), "no line is lost");
        must(!memcmp(compiled_tokens(compiled, rank), compiled_tokens(again, rank), lines * sizeof(uint32_t)),
             "lines mean the same");
        must(!memcmp(compiled_calls(compiled, rank), compiled_calls(again, rank),
                     compiled->ranks[rank].calls.count * sizeof(struct call)),
             "calls are the same");
        free(files[rank].bytes);
    }
    again->program.ops->close(&again->program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    char *bytes = mem_alloc(size, 1, "an input");
    memcpy(bytes, data, size);
    struct ti_file files[MOST_RANKS];
    struct ti_source source;
    split(&source, bytes, size, files);
    struct compiled_trace *compiled = compile_source(&source);
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
    free(bytes);
    return 0;
}
