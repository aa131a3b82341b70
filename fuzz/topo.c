/* Any bytes as the text of a topology: refused with a place inside the text, or read as a topology whose text
 * reads back as the same and whose routes reach their destinations. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "topo/topo.h"

enum { LONG_ROUTE = 1 << 14, MANY_LINKS = 1 << 12 };

static void check(const struct topo *topo)
{
    char text[TOPO_TEXT];
    struct topo again;
    struct param_problem problem;
    if (!topo_read(topo_print(topo, text, sizeof text), &again, &problem) || again.links != topo->links ||
        again.order != topo->order || again.tie != topo->tie)
        fuzz_must(false, "%s reads back as another topology", text);
    if (topo->links <= MANY_LINKS)
        fuzz_must(topo->diameter == topo->ops->distances(topo).most, "%s has another diameter", text);
    if (topo_route_limit(topo) > LONG_ROUTE)
        return;
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    uint32_t ends[] = {0, topo->nodes / 2, topo->nodes - 1};
    for (int i = 0; i < 9; i++) {
        uint32_t count = topo_route(topo, ends[i / 3], ends[i % 3], links);
        if (count != topo_distance(topo, ends[i / 3], ends[i % 3]) + 2 || count > topo_route_limit(topo) ||
            links[count - 1] != topo_ejection(topo, ends[i % 3]))
            fuzz_must(false, "a route of %s does not reach its end", text);
    }
    free(links);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct topo topo;
    struct param_problem problem = {.text = ""};
    fuzz_is_too_large = fuzz_is_large_graph(text);
    if (fuzz_is_too_large) {
        free(text);
        return false;
    }
    bool is_read = topo_read(text, &topo, &problem);
    if (is_read)
        check(&topo);
    else
        fuzz_must(problem.at <= strlen(text) && *problem.text, "a problem behind the text: %s", text);
    free(text);
    return is_read;
}
