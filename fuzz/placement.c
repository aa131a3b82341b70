/* Any text as a placement: refused with an error, or a place for each rank on a node that has room, with
 * which a program runs. The first line of the input has the parameters of the run, as
 * "fabric=packet;topology=torus:8". The size of the input chooses the program. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "engine/placement.h"
#include "fuzz/fuzz_run.h"

static const char *const programs[] = {"npb:cg:class=S,ranks=4", "alltoall:ranks=5,bytes=8KiB",
                                       "collective:op=allreduce,ranks=8,bytes=1KiB", "pingpong:bytes=1MiB"};

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)message;
    *(unsigned *)self += level == DIAG_ERROR;
}

static void check(const struct placement_room *room, const uint32_t *node_of, uint32_t nodes)
{
    uint32_t *used = mem_alloc(room->nodes, sizeof *used, "nodes"), last = 0;
    for (uint32_t rank = 0; rank < room->ranks; rank++) {
        fuzz_must(node_of[rank] < room->nodes, "a node that is not there");
        fuzz_must(++used[node_of[rank]] <= room->ranks_per_node, "a node with too many ranks");
        last = node_of[rank] > last ? node_of[rank] : last;
    }
    fuzz_must(nodes == last + 1, "another number of nodes");
    free(used);
}

static bool place(const struct config *config, struct program *program, struct fuzz_piece text)
{
    const struct placement_room room = placement_room_of(config, program);
    uint32_t *node_of = mem_alloc(room.ranks, sizeof *node_of, "a placement"), nodes;
    unsigned errors = 0;
    diag_set_sink(count_errors, &errors);
    const bool is_read =
        placement_read("placement", text.bytes, text.size, &room, node_of, &nodes) == STATUS_OK;
    fuzz_be_silent();
    fuzz_must(is_read == !errors, "a placement is refused without an error, or taken with one");
    if (is_read) {
        check(&room, node_of, nodes);
        program->node_of = node_of;
        program->nodes = nodes;
        fuzz_run(config, program);
    }
    free(node_of);
    return is_read;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece settings = fuzz_cut(&rest, "\n");
    struct program *program = fuzz_workload(programs[size % (sizeof programs / sizeof *programs)]);
    bool is_read = false;
    if (program) {
        is_read = place(fuzz_config(settings), program, rest);
        program->ops->close(program);
    }
    return is_read;
}
