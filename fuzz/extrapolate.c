/* Any bytes as traces of one program: whatever compiles is extrapolated or refused, and what comes out is a
 * program whose slots are in range and whose waits find their requests.
 *
 * The ranks of a trace are separated by lines of "----", traces by lines of "====". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "extrapolate/extrapolate.h"
#include "trace/compile.h"
#include "trace/image/compiled.h"
#include "trace/input.h"
#include "trace/ti/ti.h"

enum { MOST_RANKS = 16, MOST_TRACES = 4, RANKS_WANTED = 24 };

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

struct piece {
    const char *bytes;
    size_t size;
};

/* The bytes before the next separator, which are taken off the rest. */
static struct piece cut(struct piece *rest, const char *separator)
{
    size_t width = strlen(separator);
    const char *end = rest->size ? memmem(rest->bytes, rest->size, separator, width) : NULL;
    struct piece piece = *rest;
    if (!end) {
        rest->size = 0;
        return piece;
    }
    piece.size = (size_t)(end - rest->bytes);
    rest->bytes = end + width;
    rest->size -= piece.size + width;
    return piece;
}

static struct program *compile_trace(struct piece text)
{
    struct trace_input input;
    const char *texts[MOST_RANKS];
    size_t sizes[MOST_RANKS];
    uint32_t ranks = 0;
    do {
        struct piece rank = cut(&text, "----\n");
        texts[ranks] = rank.bytes;
        sizes[ranks++] = rank.size;
    } while (text.size && ranks < MOST_RANKS);
    ti_input_of_texts(&input, "fuzz", texts, sizes, ranks);
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC), error;
    must(descriptor >= 0, "a memory file");
    FILE *file = fdopen(dup(descriptor), "wb");
    enum status status = trace_compile(&input, file, &error);
    fclose(file);
    struct compiled_trace *compiled = NULL;
    const char *fault;
    if (status == STATUS_OK)
        compiled = compiled_map(descriptor, &input, &fault);
    close(descriptor);
    trace_input_close(&input);
    return compiled ? &compiled->program : NULL;
}

static void walk(struct program *program)
{
    struct call scratch;
    uint64_t calls = 0;
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (const struct call *call; (call = program_next(program, rank, &scratch)); calls++)
            must(call->slot < program->ops->slots(program, rank), "a slot is in range");
    must(calls == program->total_calls, "every call is made");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag_set_sink(say_nothing, NULL);
    struct piece rest = {(const char *)data, size};
    struct program *programs[MOST_TRACES];
    size_t count = 0;
    while (rest.size && count < MOST_TRACES) {
        programs[count] = compile_trace(cut(&rest, "====\n"));
        count += programs[count] != NULL;
    }
    struct extrapolation *extrapolation;
    if (count > 1 && extrapolation_open(programs, count, RANKS_WANTED, &extrapolation) == STATUS_OK) {
        FILE *nowhere = fopen("/dev/null", "w");
        must(nowhere != NULL, "/dev/null");
        extrapolation_print(extrapolation, nowhere);
        fclose(nowhere);
        walk(extrapolation_program(extrapolation));
        extrapolation_close(extrapolation);
    }
    while (count)
        count--, programs[count]->ops->close(programs[count]);
    return 0;
}
