/* Any bytes as a DUMPI trace of up to eight ranks, on into a run and into TI text. The first byte has the
 * number of ranks, and whether the ranks are whole files or only their calls; each rank stands behind its
 * length in two bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"
#include "trace/dumpi/dumpi.h"
#include "trace/ti/decompile.h"

enum { MOST_RANKS = 8, WHOLE_FILES = 0x80 };

/* What stands around the calls: magic and clocks before them, behind them the header, in which the version is
 * 13, and an index of four places. */
enum { BEFORE = 16, HEADER = 23, INDEX = 40, MAGIC = 8 };
static const uint8_t magic[MAGIC] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};

static void put_place(uint8_t *at, size_t place)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(place >> 8 * (7 - i));
}

/* The calls as a whole file, to be freed. */
static char *frame(const uint8_t *calls, size_t *size)
{
    size_t header = BEFORE + *size, index = header + HEADER;
    uint8_t *file = calloc(1, index + INDEX);
    fuzz_must(file != NULL, "no memory");
    memcpy(file, magic, MAGIC);
    memcpy(file + BEFORE, calls, *size);
    file[header] = 13;
    memcpy(file + index, magic, MAGIC);
    put_place(file + index + 8, header);
    put_place(file + index + 16, MAGIC);
    *size = index + INDEX;
    return (char *)file;
}

static struct compiled_trace *compile(char *const *files, const size_t *sizes, uint32_t ranks)
{
    struct trace_input input;
    dumpi_input_of_bytes(&input, "t", (const char *const *)files, sizes, ranks);
    struct compiled_trace *compiled = fuzz_compile(&input);
    trace_input_close(&input);
    return compiled;
}

static bool use(struct compiled_trace *compiled)
{
    static const char settings[] = "fabric=hockney,packet;machine=as-published";
    for (uint32_t rank = 0; rank < compiled->program.ranks; rank++) {
        size_t size;
        free(decompile_rank(compiled, rank, &size));
    }
    return fuzz_run(fuzz_config((struct fuzz_piece){settings, sizeof settings - 1}), &compiled->program);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *files[MOST_RANKS];
    size_t sizes[MOST_RANKS], at = 1;
    uint32_t ranks = size ? 1 + data[0] % MOST_RANKS : 1;
    bool whole = size && data[0] & WHOLE_FILES, has_ended = false;
    for (uint32_t i = 0; i < ranks; i++) {
        size_t length = at + 2 <= size ? data[at] | (size_t)data[at + 1] << 8 : 0;
        at = at + 2 <= size ? at + 2 : size;
        sizes[i] = length <= size - at ? length : size - at;
        const uint8_t *bytes = data + at;
        at += sizes[i];
        files[i] = whole ? memcpy(malloc(sizes[i] + 1), bytes, sizes[i]) : frame(bytes, &sizes[i]);
    }
    struct compiled_trace *compiled = compile(files, sizes, ranks);
    if (compiled) {
        has_ended = use(compiled);
        compiled->program.ops->close(&compiled->program);
    }
    for (uint32_t i = 0; i < ranks; i++)
        free(files[i]);
    return has_ended;
}
