#include "report/topology.h"

#include <string.h>

#include "base/memory_stream.h"
#include "sim/network.h"
#include "topo/faults.h"
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

static json_t *switches_json(const struct topo *topo, const struct topo_layout *layout)
{
    char name[TOPO_TEXT];
    json_t *switches = json_make_list();
    for (uint32_t i = 0; i < topo->switches; i++) {
        json_t *one = json_make_object();
        json_put_text(one, "name", topo_end_name(topo, (struct topo_end){.id = i}, name, sizeof name));
        json_put_number(one, "x", layout->switches[i].x);
        json_put_number(one, "y", layout->switches[i].y);
        json_add(switches, one);
    }
    return switches;
}

/* The line's path in SVG; the caller frees it. */
static char *path_of(const struct topo *topo, const struct topo_layout *layout, uint32_t link)
{
    char *path = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&path, &length);
    topo_layout_print_path(layout, topo_link_ends(topo, link), memory);
    fclose(memory);
    return path;
}

/* A link and the link in the other direction are one line. */
static json_t *line_json(const struct topo *topo, const struct topo_layout *layout, uint32_t link)
{
    char name[TOPO_TEXT], *path = path_of(topo, layout, link);
    uint32_t reverse = topo_link_reverse(topo, link), first = 2 * topo->nodes;
    json_t *line = json_make_object(), *links = json_make_list(), *names = json_make_list();
    json_add_count(links, link - first);
    json_add_count(links, reverse - first);
    json_add_text(names, topo_link_name(topo, link, name, sizeof name));
    json_add_text(names, topo_link_name(topo, reverse, name, sizeof name));
    json_put_text(line, "path", path);
    json_put(line, "links", links);
    json_put(line, "names", names);
    if (faults_has_failed(topo, link))
        json_put_flag(line, "has_failed", true);
    free(path);
    return line;
}

json_t *report_link_names(const struct topo *topo)
{
    char name[TOPO_TEXT];
    json_t *names = json_make_list();
    for (uint32_t link = 0; link < topo->links; link++)
        json_add_text(names, topo_link_name(topo, link, name, sizeof name));
    return names;
}

json_t *report_topology_picture(const struct topo *topo)
{
    struct topo_layout layout;
    uint32_t links = topo->links - 2 * topo->nodes;
    if (!links || links > 2 * MOST_LINES || topo->nodes > TOPO_PICTURE_NODES)
        return NULL;
    json_t *lines = json_make_list(), *picture = json_make_object();
    topo_layout_init(&layout, topo);
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (topo_link_reverse(topo, link) >= link)
            json_add(lines, line_json(topo, &layout, link));
    json_put(picture, "switches", switches_json(topo, &layout));
    json_put(picture, "lines", lines);
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
    network_add_faults(config, &topo);
    json_t *object = json_make_object();
    json_put_value(object, "text", text);
    json_put_count(object, "nodes", topo.nodes);
    json_put_count(object, "links", topo.links - 2 * topo.nodes);
    json_put(object, "picture", report_topology_picture(&topo));
    return object;
}
