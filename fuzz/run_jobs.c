/* Any text as the file of jobs: refused, or run. The first line of the input has the parameters of the run,
 * as "fabric=packet;topology=torus:8x8". The size of the input chooses the placement. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz_run.h"

static const char *const rests[] = {"placement=linear", "placement=interleaved,alone=no",
                                    "placement=blocks,block=3", "placement=random,alone=no", "block=1"};

/* Escapes can hide a path, so they count as one. */
static bool is_large(const struct fuzz_piece *file)
{
    char *text = fuzz_text((const uint8_t *)file->bytes, file->size);
    bool large = fuzz_is_large_workload(text) || strstr(text, "trace") || strchr(text, '\\');
    free(text);
    return large;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    bool has_ended = false;
    fuzz_is_too_large = is_large(&rest);
    if (fuzz_is_too_large)
        return false;
    int file = fuzz_file(rest.bytes, rest.size);
    char *spec = mem_format("jobs:/proc/self/fd/%d,%s", file, rests[size % (sizeof rests / sizeof *rests)]);
    struct program *program = fuzz_small_workload(spec);
    if (program) {
        has_ended = fuzz_run(fuzz_config(settings), program);
        program->ops->close(program);
    }
    free(spec);
    close(file);
    return has_ended;
}
