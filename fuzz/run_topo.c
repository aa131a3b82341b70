/* Any text as a topology: refused, or built, routed and run with a program on all of its nodes. The length of
 * the text chooses the fabric. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz_run.h"
#include "topo/topo.h"

static const char *const fabrics[] = {"packet",  "circuit",      "packetised",
                                      "segment", "tdm-compiled", "tdm-dynamic"};

static void check_routes(const struct topo *topo)
{
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    for (uint32_t from = 0; from < topo->nodes; from += 1 + topo->nodes / 8)
        for (uint32_t to = 0; to < topo->nodes; to += 1 + topo->nodes / 8) {
            uint32_t count = topo_route(topo, from, to, links);
            fuzz_must(count == topo_distance(topo, from, to) + 2 && links[0] == topo_injection(topo, from) &&
                          links[count - 1] == topo_ejection(topo, to),
                      "a route from %u to %u does not lead there", from, to);
        }
    free(links);
}

static bool run(const char *text, const struct topo *topo, const char *fabric)
{
    uint32_t ranks = topo->nodes < 16 ? topo->nodes : 16;
    char *setting = mem_format("fabric=%s;topology=%s;tdm.moves=100", fabric, text);
    char *spec = mem_format("alltoall:ranks=%u,bytes=1000B", ranks);
    struct program *program = fuzz_workload(spec);
    bool has_ended = program && fuzz_run(fuzz_config((struct fuzz_piece){setting, strlen(setting)}), program);
    if (program)
        program->ops->close(program);
    free(spec);
    free(setting);
    return has_ended;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    enum { MOST = 256 };
    char *text = fuzz_text(data, size);
    struct topo topo;
    struct param_problem problem;
    bool is_read = !fuzz_is_large_graph(text) && topo_read(text, &topo, &problem);
    bool is_small = is_read && topo.nodes <= MOST && topo.switches <= MOST;
    fuzz_is_too_large = is_read && !is_small;
    if (is_small)
        check_routes(&topo);
    bool has_ended = is_small && !strchr(text, ';') &&
                     run(text, &topo, fabrics[size % (sizeof fabrics / sizeof *fabrics)]);
    free(text);
    return has_ended;
}
