/* Any bytes as a SimGrid platform: refused, or read, with a route between any two hosts that has each link
 * once; drawn, and run with a program on its hosts. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_run.h"
#include "topo/picture.h"
#include "topo/topo.h"

/* Numbers of four digits, which could be sizes. */
static bool is_large(const char *text)
{
    for (const char *at = text; *at; at++) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 3)
            return true;
        at += digits ? digits - 1 : 0;
    }
    return false;
}

static void check_routes(const struct topo *topo)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR];
    for (uint32_t pair = 0; pair < topo->nodes * topo->nodes; pair++) {
        uint32_t from = pair / topo->nodes, to = pair % topo->nodes,
                 count = topo_route(topo, from, to, links);
        fuzz_must(count == topo_distance(topo, from, to) + 2 && count <= topo_route_limit(topo),
                  "the route from %u to %u is not as long as it should be", from, to);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < i; j++)
                fuzz_must(links[i] < topo->links && links[i] != links[j], "a route has link %u twice",
                          links[i]);
        fuzz_must(topo_route_latency(topo, from, to, 0, 0) >= 0, "a latency below 0");
    }
}

static void draw(const struct topo *topo)
{
    const struct topo_picture picture = {.topo = topo};
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&text, &length);
    topo_draw_ascii(&picture, memory);
    topo_draw_svg(&picture, memory);
    topo_draw_dot(&picture, memory);
    fclose(memory);
    free(text);
}

static bool run(const struct topo *topo, const char *path)
{
    uint32_t ranks = topo->nodes < 16 ? topo->nodes : 16;
    char *spec = mem_format("alltoall:ranks=%u,bytes=1000B", ranks);
    struct config *config = fuzz_config_open();
    struct program *program = fuzz_workload(spec);
    config_set(config, "machine=as-published");
    config_assign(config, "fabric", "packet", "fuzz");
    bool is_set = config_assign(config, "topology", path, "fuzz") == STATUS_OK;
    fuzz_must(is_set, "a platform is refused the second time");
    bool has_ended = program && fuzz_run(config, program);
    if (program)
        program->ops->close(program);
    config_close(config);
    free(spec);
    return has_ended;
}

static bool use(const char *path)
{
    enum { MOST = 128 };
    struct topo topo;
    struct param_problem problem;
    if (!topo_read(path, &topo, &problem))
        return false;
    fuzz_is_too_large = topo.nodes > MOST || topo.switches > MOST;
    if (fuzz_is_too_large)
        return false;
    check_routes(&topo);
    draw(&topo);
    return run(&topo, path);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    int file = fuzz_file(data, size);
    char *path = mem_format("/proc/self/fd/%d", file);
    fuzz_is_too_large = is_large(text);
    bool has_ended = !fuzz_is_too_large && use(path);
    close(file);
    free(path);
    free(text);
    return has_ended;
}
