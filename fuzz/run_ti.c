/* A trace goes through reader, image and simulation. The first line of the input has the parameters of the
 * run, as "fabric=packet;topology=torus:8x8"; the ranks follow, separated by lines of "----". */
#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    struct compiled_trace *compiled = fuzz_trace(rest, FUZZ_RUN_RANKS);
    if (!compiled)
        return false;
    bool has_ended = fuzz_run(fuzz_config(settings), &compiled->program);
    compiled->program.ops->close(&compiled->program);
    return has_ended;
}
