#include "fuzz/fuzz_goal.h"

#include <string.h>

#include "base/mem.h"
#include "trace/goal/goal.h"

struct program *fuzz_goal(struct fuzz_piece piece)
{
    struct program *program;
    char *bytes = mem_alloc(piece.size + 1, 1, "an input");
    memcpy(bytes, piece.bytes, piece.size);
    if (goal_open_bytes("input.goal", bytes, piece.size, &program) != STATUS_OK)
        return NULL;
    program->name = "input.goal";
    return program;
}
