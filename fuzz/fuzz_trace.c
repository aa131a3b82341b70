#include "fuzz/fuzz_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "trace/compile.h"
#include "trace/ti/ti.h"

struct compiled_trace *fuzz_compile(struct trace_input *input)
{
    char *image = NULL;
    size_t size = 0;
    int error;
    FILE *file = open_memstream(&image, &size);
    fuzz_must(file != NULL, "no stream");
    enum status status = trace_compile(input, file, &error);
    struct compiled_trace *compiled = NULL;
    if (status == STATUS_OK) { /* few inputs need a file, which costs more than they do */
        const struct image_header *header = (const void *)image;
        int descriptor = fuzz_file(image, header->file_bytes); /* the stream ends behind the header */
        const char *fault;
        compiled = compiled_map(descriptor, input, &fault);
        close(descriptor);
        fuzz_must(compiled != NULL, "what was compiled cannot be used: %s", fault);
    }
    fclose(file);
    free(image);
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

/* ------------------------------------------------------------------- bursts */

struct told {
    struct program *program;
    uint64_t count;
};

static void see(void *self, const struct call_burst *burst)
{
    struct told *told = self;
    const struct program_sites *sites = told->program->sites;
    const uint32_t known = sites ? sites->count : 1;
    fuzz_must(burst->used_ns <= burst->lasted_ns, "a burst lasts at least as long as it computes");
    fuzz_must(burst->after < known && burst->before < known, "a burst is between call sites");
    told->count++;
}

void fuzz_bursts(struct program *program)
{
    struct bursts_summary summary;
    struct told all = {.program = program};
    if (!program->bursts)
        return;
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        struct told told = {.program = program}, met = told;
        struct call scratch;
        struct call_burst burst;
        program->bursts->each(program->bursts, rank, see, &told);
        while (program_next(program, rank, &scratch))
            if (program->bursts->last(program->bursts, rank, &burst))
                see(&met, &burst);
        fuzz_must(met.count <= told.count, "a reader meets bursts that there are");
        all.count += told.count;
    }
    const bool has_any = bursts_summarise(program, &summary);
    fuzz_must(has_any == (all.count > 0) && summary.all.count == all.count, "all bursts are summed up");
    bursts_summary_free(&summary);
}

/* ------------------------------------------------------------------ images */

/* The input as a file. Corrects what random bytes would never get right. */
static int make_file(const uint8_t *data, size_t size)
{
    unsigned char *bytes = mem_alloc(size, 1, "an input");
    memcpy(bytes, data, size);
    struct image_header *header = (struct image_header *)(void *)bytes;
    memcpy(header->magic, IMAGE_MAGIC, sizeof header->magic);
    header->version = IMAGE_VERSION;
    header->byte_order = IMAGE_BYTE_ORDER;
    header->call_bytes = sizeof(struct call);
    header->rank_bytes = sizeof(struct image_rank);
    header->file_bytes = size;
    header->checksum = XXH3_64bits(bytes + sizeof *header, size - sizeof *header);
    int descriptor = fuzz_file(bytes, size);
    free(bytes);
    return descriptor;
}

struct compiled_trace *fuzz_image(const uint8_t *data, size_t size)
{
    if (size < sizeof(struct image_header))
        return NULL;
    char name[] = "fuzz";
    const struct trace_input input = {.format = &compiled_trace_format, .path = name, .name = name};
    const char *fault;
    int descriptor = make_file(data, size);
    struct compiled_trace *compiled = compiled_map(descriptor, &input, &fault);
    close(descriptor);
    return compiled;
}
