#include <ctype.h>

#include "output/quote.h"
#include "topo/faults.h"
#include "topo/picture.h"

/* For Graphviz: both directions of a link are one edge; the route is bold. */

static const char *mark(bool is_taken)
{
    return is_taken ? ", color=\"#d55e00\", penwidth=3" : "";
}

/* The name of a node or switch, in quotes unless it is an identifier. */
static void put_end(const struct topo *topo, struct topo_end end, FILE *out)
{
    char name[TOPO_TEXT];
    topo_end_name(topo, end, name, sizeof name);
    bool is_identifier = isalpha((unsigned char)name[0]);
    for (const char *at = name; *at; at++)
        is_identifier = is_identifier && (isalnum((unsigned char)*at) || *at == '_');
    if (is_identifier)
        fputs(name, out);
    else
        quote_dot(out, name);
}

static void put_vertices(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    for (uint32_t i = 0; i < topo->switches; i++) {
        fprintf(out, "  ");
        put_end(topo, (struct topo_end){.id = i}, out);
        fprintf(out, " [shape=box%s]\n", mark(topo_picture_passes(picture, i)));
    }
    for (uint32_t i = 0; i < topo->nodes; i++)
        fprintf(out, "  \"%u\" [shape=circle%s]\n", i, mark(topo_picture_ends_at(picture, i)));
}

void topo_draw_dot(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    char text[TOPO_TEXT];
    fputs("graph ", out);
    quote_dot(out, topo_print(topo, text, sizeof text));
    fprintf(out, " {\n  layout=%s\n  overlap=false\n", topo->ops->graphviz ? topo->ops->graphviz : "neato");
    put_vertices(picture, out);
    for (uint32_t link = 0; link < topo->links; link++) {
        uint32_t reverse = topo_link_reverse(topo, link);
        if (reverse < link)
            continue;
        /* Graphviz puts the first of an edge above the second. */
        struct topo_ends ends = topo_link_ends(topo, link);
        fprintf(out, "  ");
        put_end(topo, ends.to, out);
        fprintf(out, " -- ");
        put_end(topo, ends.from, out);
        fprintf(out, " [id=%u%s%s]\n", link, faults_has_failed(topo, link) ? ", style=dashed" : "",
                mark(topo_picture_has(picture, link) || topo_picture_has(picture, reverse)));
    }
    fprintf(out, "}\n");
}
