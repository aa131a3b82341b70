/* Any bytes as a compiled trace with a correct checksum: refused, or safe to run, check and write as text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "trace/check/check.h"
#include "trace/image/compiled.h"
#include "trace/image/format.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"

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
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    if (size < sizeof(struct image_header))
        return false;
    char name[] = "fuzz";
    struct trace_input input = {.format = &compiled_trace_format, .path = name, .name = name};
    const char *fault;
    int descriptor = make_file(data, size);
    struct compiled_trace *compiled = compiled_map(descriptor, &input, &fault);
    close(descriptor);
    bool is_sound = compiled != NULL;
    if (is_sound) {
        use(compiled);
        compiled->program.ops->close(&compiled->program);
    }
    return is_sound;
}
