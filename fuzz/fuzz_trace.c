#include "fuzz/fuzz_trace.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/compile.h"
#include "trace/ti/ti.h"

struct compiled_trace *fuzz_compile(struct trace_input *input)
{
    int descriptor = fuzz_file("", 0), error;
    FILE *file = fdopen(dup(descriptor), "wb");
    enum status status = trace_compile(input, file, &error);
    fclose(file);
    struct compiled_trace *compiled = NULL;
    const char *fault;
    if (status == STATUS_OK) {
        compiled = compiled_map(descriptor, input, &fault);
        fuzz_must(compiled != NULL, "what was compiled cannot be used: %s", fault);
    }
    close(descriptor);
    return compiled;
}

struct compiled_trace *fuzz_trace(struct fuzz_piece text, uint32_t most_ranks)
{
    struct trace_input input;
    const char *texts[FUZZ_MOST_RANKS];
    size_t sizes[FUZZ_MOST_RANKS];
    uint32_t ranks = 0;
    do {
        struct fuzz_piece rank = fuzz_cut(&text, "----\n");
        texts[ranks] = rank.bytes;
        sizes[ranks++] = rank.size;
    } while (text.size && ranks < most_ranks && ranks < FUZZ_MOST_RANKS);
    ti_input_of_texts(&input, "fuzz", texts, sizes, ranks);
    struct compiled_trace *compiled = fuzz_compile(&input);
    trace_input_close(&input);
    return compiled;
}
