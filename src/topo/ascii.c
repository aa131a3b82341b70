#include <string.h>

#include "base/mem.h"
#include "topo/picture.h"

int picture_digits(uint32_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

void picture_put_spaces(int count, FILE *out)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

void picture_put_number(uint32_t number, int width, bool is_marked, FILE *out)
{
    picture_put_spaces(width - picture_digits(number), out);
    fprintf(out, is_marked ? "[%u]" : " %u ", number);
}

void picture_put_switch(const struct topo_picture *picture, uint32_t at, FILE *out)
{
    const struct topo *topo = picture->topo;
    char name[TOPO_TEXT];
    uint32_t first = topo->node_switch ? 0 : at * topo->nodes_per_switch;
    uint32_t last = topo->node_switch ? topo->nodes : first + topo->nodes_per_switch;
    topo_end_name(topo, (struct topo_end){.id = at}, name, sizeof name);
    fprintf(out, topo_picture_passes(picture, at) ? "[%s]" : " %s ", name);
    picture_put_spaces(10 - (int)strlen(name), out);
    for (uint32_t node = first; node < last && node < topo->nodes; node++)
        if (topo_switch_of(topo, node) == at)
            picture_put_number(node, picture_digits(topo->nodes - 1), topo_picture_ends_at(picture, node),
                               out);
    fprintf(out, "  ");
}

/* Network links by the switch that they lead from: those of switch i are links[first[i]] and up. */
struct links_by_switch {
    uint32_t *first, *links;
};

static struct links_by_switch sort_links(const struct topo *topo)
{
    uint32_t network = 2 * topo->nodes;
    struct links_by_switch sorted = {
        .first = mem_alloc((size_t)topo->switches + 2, sizeof *sorted.first, "a picture"),
        .links = mem_alloc((size_t)topo->links - network + 1, sizeof *sorted.links, "a picture")};
    for (uint32_t link = network; link < topo->links; link++)
        sorted.first[topo->ops->ends(topo, link).from + 2]++;
    for (uint32_t i = 0; i < topo->switches; i++)
        sorted.first[i + 2] += sorted.first[i + 1];
    for (uint32_t link = network; link < topo->links; link++)
        sorted.links[sorted.first[topo->ops->ends(topo, link).from + 1]++] = link;
    return sorted;
}

/* The picture of families without draw(): a line for each switch, with its nodes and the ends of its links.
 */
static void draw_lines(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    struct links_by_switch sorted = sort_links(topo);
    char name[TOPO_TEXT];
    for (uint32_t i = 0; i < topo->switches; i++) {
        picture_put_switch(picture, i, out);
        for (uint32_t k = sorted.first[i]; k < sorted.first[i + 1]; k++) {
            uint32_t link = sorted.links[k];
            fprintf(out, " %s%s", topo_picture_arrow(picture, link),
                    topo_end_name(topo, topo_link_ends(topo, link).to, name, sizeof name));
        }
        fputc('\n', out);
    }
    free(sorted.first);
    free(sorted.links);
}

void topo_draw_ascii(const struct topo_picture *picture, FILE *out)
{
    (picture->topo->ops->draw ? picture->topo->ops->draw : draw_lines)(picture, out);
}
