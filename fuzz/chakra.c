/* Any bytes as a Chakra trace of up to four NPUs, on into a run. What is written of it is read again. The
 * first byte has the number of NPUs, and how far replicas are apart; each NPU's file stands behind its length
 * in two bytes. */
#include <stdlib.h>

#include "base/memory_stream.h"
#include "fuzz/fuzz_run.h"
#include "graph/replicas.h"
#include "trace/chakra/chakra.h"
#include "trace/chakra/write.h"

enum { MOST_NPUS = 4 };

static const char *const paths[MOST_NPUS] = {"t.0.et", "t.1.et", "t.2.et", "t.3.et"};

static void write_and_read(const struct program *program)
{
    char *texts[MOST_NPUS];
    const uint8_t *bytes[MOST_NPUS];
    size_t sizes[MOST_NPUS];
    struct program *again;
    fuzz_must(chakra_has_calls(program), "Chakra has not what it had");
    if (chakra_write_check(program) != STATUS_OK)
        return;
    struct chakra_writer *writer = chakra_writer_open(program);
    for (uint32_t i = 0; i < program->ranks; i++) {
        FILE *out = memory_stream_open(&texts[i], &sizes[i]);
        chakra_writer_put(writer, i, out);
        fclose(out);
        bytes[i] = (const uint8_t *)texts[i];
    }
    chakra_writer_close(writer);
    fuzz_must(chakra_open_bytes(paths, bytes, sizes, program->ranks, &again) == STATUS_OK,
              "what is written is refused");
    fuzz_must(again->graph->operations == program->graph->operations, "an operation is lost");
    again->ops->close(again);
    for (uint32_t i = 0; i < program->ranks; i++)
        free(texts[i]);
}

/* With more replicas of its ranks it is written, and runs, too. */
static void grow(const struct program *program, uint32_t apart)
{
    static const char settings[] = "fabric=hockney;machine=as-published";
    struct replicas found;
    struct program *grown;
    if (replicas_add(program, 2 * program->ranks, apart, &found, &grown) != STATUS_OK)
        return;
    fuzz_must(grown->graph->operations == 2 * program->graph->operations, "a replica lacks an operation");
    fuzz_must(chakra_has_calls(grown), "Chakra has not what it had");
    fuzz_run(fuzz_config((struct fuzz_piece){settings, sizeof settings - 1}), grown);
    grown->ops->close(grown);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const char settings[] = "fabric=hockney,packet;machine=as-published";
    const uint8_t *bytes[MOST_NPUS];
    size_t sizes[MOST_NPUS], at = 1;
    struct program *program;
    uint32_t npus = size ? 1 + data[0] % MOST_NPUS : 1;
    for (uint32_t i = 0; i < npus; i++) {
        size_t length = at + 2 <= size ? data[at] | (size_t)data[at + 1] << 8 : 0;
        at = at + 2 <= size ? at + 2 : size;
        sizes[i] = length <= size - at ? length : size - at;
        bytes[i] = data + at;
        at += sizes[i];
    }
    if (chakra_open_bytes(paths, bytes, sizes, npus, &program) != STATUS_OK)
        return false;
    write_and_read(program);
    grow(program, size ? data[0] / MOST_NPUS % MOST_NPUS : 0);
    bool has_ended = fuzz_run(fuzz_config((struct fuzz_piece){settings, sizeof settings - 1}), program);
    program->ops->close(program);
    return has_ended;
}
