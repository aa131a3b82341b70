#include "fuzz/fuzz_network.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_run.h"
#include "topo/faults.h"
#include "topo/network_file.h"
#include "topo/picture.h"

static const char *const fabrics[] = {"packet",  "circuit",      "packetised",
                                      "segment", "tdm-compiled", "tdm-dynamic"};

static void check_routes(const struct topo *topo)
{
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    for (uint32_t from = 0; from < topo->nodes; from += 1 + topo->nodes / 8)
        for (uint32_t to = 0; to < topo->nodes; to += 1 + topo->nodes / 8) {
            uint32_t count = topo_route(topo, from, to, links);
            fuzz_must(count == topo_distance(topo, from, to) + 2 &&
                          links[count - 1] == topo_ejection(topo, to),
                      "a route from %u to %u does not lead there", from, to);
        }
    free(links);
    fuzz_must(topo_bisection(topo) <= topo->nodes / 2, "a cut of more links than nodes have");
}

static void check_written(const struct topo *topo)
{
    char *text = NULL;
    size_t length = 0;
    struct topo again;
    struct param_problem problem;
    FILE *memory = memory_stream_open(&text, &length);
    network_file_write(topo, memory);
    fclose(memory);
    bool is_read = network_text_read("written.yaml", text, length, &again, &problem);
    fuzz_must(is_read && again.nodes == topo->nodes && again.switches == topo->switches &&
                  again.links == topo->links && again.diameter == topo->diameter,
              "a network that is written is another one: %s", text);
    free(text);
}

void fuzz_network_faults(const struct topo *topo, size_t size)
{
    struct fault_request request = {
        .slow_rate = 0.5, .seed = size, .of = {[FAULT_LINKS].share = 0.25, [FAULT_SLOW_LINKS].share = 0.25}};
    struct topo left;
    struct fault_problem problem;
    if (!faults_add(topo, &request, &left, &problem))
        return;
    uint32_t *links = mem_alloc(topo_route_limit(&left), sizeof *links, "a route"),
             step = 1 + left.nodes / 64;
    for (uint32_t from = 0; left.faults && from < left.nodes; from += step)
        for (uint32_t to = 0; to < left.nodes; to += step) {
            if (from == to || !topo_reaches(&left, from, to))
                continue;
            uint32_t count = topo_route(&left, from, to, links);
            fuzz_must(count == topo_distance(&left, from, to) + 2 && count <= topo_route_limit(&left),
                      "a route around failed links is not as long as it should be");
            for (uint32_t i = 0; i < count; i++)
                fuzz_must(!faults_has_failed(&left, links[i]), "a route that is left has a failed link");
        }
    free(links);
    free(faults_describe_cut(&left, left.nodes));
    free(faults_list_links(&left, false));
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

static bool run(const struct topo *topo, const char *path, const char *fabric, const char *const *settings)
{
    uint32_t ranks = topo->nodes < 16 ? topo->nodes : 16;
    char *spec = mem_format("alltoall:ranks=%u,bytes=1000B", ranks);
    struct config *config = fuzz_config_open();
    struct program *program = fuzz_workload(spec);
    config_set(config, "machine=as-published");
    config_set(config, "tdm.moves=100");
    while (*settings)
        config_set(config, *settings++);
    config_assign(config, "fabric", fabric, "fuzz");
    bool is_set = config_assign(config, "topology", path, "fuzz") == STATUS_OK;
    fuzz_must(is_set, "a network file is refused the second time");
    bool has_ended = program && fuzz_run(config, program);
    if (program)
        program->ops->close(program);
    config_close(config);
    free(spec);
    return has_ended;
}

bool fuzz_network_use(const struct topo *topo, const char *path, const char *fabric,
                      const char *const *settings)
{
    draw(topo);
    return run(topo, path, fabric, settings);
}

bool fuzz_network_file(const uint8_t *data, size_t size, bool (*is_large)(const char *text),
                       bool (*use)(const char *path, size_t size))
{
    char *text = fuzz_text(data, size);
    int file = fuzz_file(data, size);
    char *path = mem_format("/proc/self/fd/%d", file);
    fuzz_is_too_large = is_large(text);
    bool has_ended = !fuzz_is_too_large && use(path, size);
    close(file);
    free(path);
    free(text);
    return has_ended;
}

bool fuzz_network(const char *path, size_t size)
{
    enum { MOST = 256 };
    const char *fabric = fabrics[size % (sizeof fabrics / sizeof *fabrics)];
    struct topo topo;
    struct param_problem problem;
    if (!topo_read(path, &topo, &problem))
        return false;
    fuzz_is_too_large = topo.nodes > MOST || topo.switches > MOST;
    check_routes(&topo);
    check_written(&topo);
    fuzz_network_faults(&topo, size);
    if (fuzz_is_too_large)
        return false;
    return fuzz_network_use(&topo, path, fabric, (const char *const[]){NULL});
}
