#include "output/quote.h"
#include "topo/faults.h"
#include "topo/layout.h"
#include "topo/picture.h"

/* One SVG file without scripts, fonts or styles from elsewhere. The colours can be told apart by colour-blind
 * readers (Okabe and Ito, 2008). Links and switches have their names as titles, which a browser shows below
 * the pointer. */

enum { NAMED_NODES = 1024 }; /* names of more could not be read */

static void put_head(const struct topo_picture *picture, const struct topo_layout *layout, FILE *out)
{
    char text[TOPO_TEXT];
    topo_print(picture->topo, text, sizeof text);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"9\" text-anchor=\"middle\">\n"
            "<title>",
            layout->width, layout->height, layout->width, layout->height);
    quote_markup(out, text);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
}

/* Both directions of a link are one line; it is marked if the route takes either. */
static void put_links(const struct topo_picture *picture, const struct topo_layout *layout, bool marked,
                      FILE *out)
{
    const struct topo *topo = picture->topo;
    char from[TOPO_TEXT], to[TOPO_TEXT];
    fprintf(out, "<g fill=\"none\" stroke=\"%s\" stroke-width=\"%s\">\n", marked ? "#d55e00" : "#9aa5b1",
            marked ? "3" : "1");
    for (uint32_t link = layout->node_is_switch ? 2 * topo->nodes : 0; link < topo->links; link++) {
        uint32_t reverse = topo_link_reverse(topo, link);
        bool is_taken = topo_picture_has(picture, link) || topo_picture_has(picture, reverse);
        if (reverse < link || is_taken != marked)
            continue;
        struct topo_ends ends = topo_link_ends(topo, link);
        bool has_failed = faults_has_failed(topo, link);
        fprintf(out, "<path %sd=\"", has_failed ? "stroke-dasharray=\"2 4\" " : "");
        topo_layout_print_path(layout, ends, out);
        fputs("\"><title>", out);
        quote_markup(out, topo_end_name(topo, ends.from, from, sizeof from));
        fputs(" to ", out);
        quote_markup(out, topo_end_name(topo, ends.to, to, sizeof to));
        fprintf(out, ": link %u, back %u%s</title></path>\n", link, reverse,
                has_failed                   ? ", failed"
                : faults_is_slow(topo, link) ? ", slow"
                                             : "");
    }
    fprintf(out, "</g>\n");
}

static void put_switches(const struct topo_picture *picture, const struct topo_layout *layout, FILE *out)
{
    const struct topo *topo = picture->topo;
    char name[TOPO_TEXT];
    for (uint32_t i = 0; i < topo->switches; i++) {
        struct topo_point at = layout->switches[i];
        const char *fill = topo_picture_passes(picture, i) ? "#d55e00" : "#0072b2";
        topo_end_name(topo, (struct topo_end){.id = i}, name, sizeof name);
        if (layout->node_is_switch)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"11\" fill=\"%s\"><title>", at.x, at.y, fill);
        else
            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"14\" rx=\"3\" fill=\"%s\"><title>",
                    at.x - 9, at.y - 7, fill);
        quote_markup(out, name);
        fputs(layout->node_is_switch ? "</title></circle>\n" : "</title></rect>\n", out);
    }
}

static void put_nodes(const struct topo_picture *picture, const struct topo_layout *layout, FILE *out)
{
    const struct topo *topo = picture->topo;
    for (uint32_t i = 0; i < topo->nodes; i++) {
        struct topo_point at = layout->nodes[i];
        if (!layout->node_is_switch)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\"/>\n", at.x, at.y,
                    topo_picture_ends_at(picture, i) ? "#d55e00" : "#e8edf2");
        if (topo->nodes <= NAMED_NODES)
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\"%s>%u</text>\n", at.x, at.y + 3,
                    layout->node_is_switch || topo_picture_ends_at(picture, i) ? "#ffffff" : "#1f2933",
                    layout->node_is_switch ? "" : " font-size=\"7\"", i);
    }
}

void topo_draw_svg(const struct topo_picture *picture, FILE *out)
{
    struct topo_layout layout;
    topo_layout_init(&layout, picture->topo);
    put_head(picture, &layout, out);
    put_links(picture, &layout, false, out);
    put_links(picture, &layout, true, out);
    put_switches(picture, &layout, out);
    put_nodes(picture, &layout, out);
    fprintf(out, "</svg>\n");
    topo_layout_free(&layout);
}
