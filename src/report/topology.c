#include "report/topology.h"

#include <string.h>

#include "base/mem.h"
#include "topo/layout.h"
#include "topo/picture.h"

enum { MOST_LINES = 2048 };

static void keep_text(void *self, const struct param *param, const char *value, const char *origin)
{
    const char **text = self;
    (void)origin;
    if (!strcmp(param->name, "topology"))
        *text = value;
}

static json_t *json_of_switches(const struct topo *topo, const struct topo_layout *layout)
{
    char name[TOPO_TEXT];
    json_t *switches = json_array();
    for (uint32_t i = 0; i < topo->switches; i++)
        json_array_append_new(switches,
                              json_pack("{s:s, s:f, s:f}", "name",
                                        topo_end_name(topo, (struct topo_end){.id = i}, name, sizeof name),
                                        "x", layout->switches[i].x, "y", layout->switches[i].y));
    return switches;
}

/* A link and the link in the other direction are one line. */
static json_t *json_of_line(const struct topo *topo, const struct topo_layout *layout, uint32_t link)
{
    char there[TOPO_TEXT], back[TOPO_TEXT], *path = NULL;
    size_t length = 0;
    uint32_t reverse = topo_link_reverse(topo, link), first = 2 * topo->nodes;
    FILE *memory = open_memstream(&path, &length);
    if (!memory)
        return json_null();
    topo_layout_print_path(layout, topo_link_ends(topo, link), memory);
    fclose(memory);
    json_t *line =
        json_pack("{s:s, s:[I, I], s:[s, s]}", "path", path, "links", (json_int_t)(link - first),
                  (json_int_t)(reverse - first), "names", topo_link_name(topo, link, there, sizeof there),
                  topo_link_name(topo, reverse, back, sizeof back));
    free(path);
    return line;
}

json_t *report_topology_picture(const struct topo *topo)
{
    struct topo_layout layout;
    uint32_t links = topo->links - 2 * topo->nodes;
    if (!links || links > 2 * MOST_LINES || topo->nodes > TOPO_PICTURE_NODES)
        return NULL;
    json_t *lines = json_array();
    topo_layout_init(&layout, topo);
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (topo_link_reverse(topo, link) >= link)
            json_array_append_new(lines, json_of_line(topo, &layout, link));
    json_t *picture = json_pack("{s:o, s:o}", "switches", json_of_switches(topo, &layout), "lines", lines);
    topo_layout_free(&layout);
    return picture;
}

json_t *report_topology(const struct config *config)
{
    const char *text = NULL;
    struct topo topo;
    struct param_problem problem;
    config_each(config, &text, keep_text);
    if (!text || !topo_read(text, &topo, &problem) || topo.links == 2 * topo.nodes)
        return NULL;
    uint32_t links = topo.links - 2 * topo.nodes;
    return json_pack("{s:s, s:I, s:I, s:o*}", "text", text, "nodes", (json_int_t)topo.nodes, "links",
                     (json_int_t)links, "picture", report_topology_picture(&topo));
}
