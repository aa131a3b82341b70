/* Any text as the name of a workload: refused, or run. The first line of the input has the parameters of the
 * run, as "fabric=packet;topology=torus:8x8". */
#include <stdlib.h>

#include "fuzz/fuzz_run.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    char *spec = fuzz_text((const uint8_t *)rest.bytes, rest.size);
    struct program *program = fuzz_workload(spec);
    bool has_ended = false;
    if (program) {
        has_ended = fuzz_run(fuzz_config(settings), program);
        program->ops->close(program);
    }
    free(spec);
    return has_ended;
}
