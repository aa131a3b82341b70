/* A graph runs on the fabrics that the first line of the input names, as "fabric=packet;topology=torus:8x8",
 * and on LogGOPS with its three sets of rules. GOAL follows, as text or binary. */
#include <string.h>

#include "fuzz/fuzz_goal.h"
#include "fuzz/fuzz_run.h"

static const char *const rules[] = {"fabric=loggops", "fabric=loggops;compat=loggopsim",
                                    "fabric=loggops;compat=atlahs"};

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    struct program *program = fuzz_goal(rest);
    if (!program)
        return false;
    bool has_ended = fuzz_run(fuzz_config(settings), program);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        fuzz_run(fuzz_config((struct fuzz_piece){rules[i], strlen(rules[i])}), program);
    program->ops->close(program);
    return has_ended;
}
