/* Any bytes as the text of a topology: refused with a place inside the text, or read as a topology whose text
 * reads back as the same and whose routes reach their destinations. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "topo/topo.h"

enum { LONG_ROUTE = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct topo *topo)
{
    char text[TOPO_TEXT];
    struct topo again;
    struct param_problem problem;
    if (!topo_read(topo_print(topo, text, sizeof text), &again, &problem) || again.links != topo->links ||
        again.order != topo->order || again.tie != topo->tie)
        abort();
    if (topo_route_limit(topo) > LONG_ROUTE)
        return;
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    uint32_t ends[] = {0, topo->nodes / 2, topo->nodes - 1};
    for (int i = 0; i < 9; i++) {
        uint32_t count = topo_route(topo, ends[i / 3], ends[i % 3], links);
        if (count != topo_distance(topo, ends[i / 3], ends[i % 3]) + 2 || count > topo_route_limit(topo) ||
            links[count - 1] != topo_ejection(topo, ends[i % 3]))
            abort();
    }
    free(links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1, 1, "a topology's text");
    memcpy(text, data, size);
    struct topo topo;
    struct param_problem problem = {.text = ""};
    if (topo_read(text, &topo, &problem))
        check(&topo);
    else if (problem.at > strlen(text) || !*problem.text)
        abort();
    free(text);
    return 0;
}
