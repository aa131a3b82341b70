#include "topo/rows.h"

#include "topo/layout.h"
#include "topo/picture.h"

enum { NODE_GAP = 24, LEVEL_GAP = 96 };

/* A topology whose switches have no level is one row. */
static uint32_t levels_of(const struct topo *topo)
{
    return topo->levels ? topo->levels : 1;
}

/* Nodes in a row below, each level in a row above it, every switch over k nodes. */
void rows_place(const struct topo *topo, struct topo_layout *layout)
{
    uint32_t levels = levels_of(topo), width = topo->switches / levels, k = topo->nodes_per_switch;
    double gap = LEVEL_GAP + 0.02 * NODE_GAP * topo->nodes; /* long links stay apart in wide trees */
    layout->width = 2.0 * TOPO_MARGIN + (double)NODE_GAP * (topo->nodes - 1);
    layout->height = 2.0 * TOPO_MARGIN + LEVEL_GAP / 2.0 + gap * (levels - 1);
    for (uint32_t i = 0; i < topo->nodes; i++)
        layout->nodes[i] =
            (struct topo_point){TOPO_MARGIN + (double)NODE_GAP * i, layout->height - TOPO_MARGIN};
    for (uint32_t i = 0; i < topo->switches; i++) {
        double x = TOPO_MARGIN + NODE_GAP * (i % width * (double)k + (k - 1) / 2.0);
        double y = layout->height - TOPO_MARGIN - LEVEL_GAP / 2.0 - gap * (i / width);
        layout->switches[i] = (struct topo_point){x, y};
    }
}

void levels_place(const struct topo *topo, struct topo_layout *layout)
{
    uint32_t in_level[TOPO_LEVELS] = {0}, nth[TOPO_LEVELS] = {0}, widest = topo->nodes;
    for (uint32_t i = 0; i < topo->switches; i++)
        if (++in_level[topo_level(topo, i)] > widest)
            widest = in_level[topo_level(topo, i)];
    double width = (double)NODE_GAP * widest, gap = LEVEL_GAP + 0.02 * width;
    layout->width = 2.0 * TOPO_MARGIN + width;
    layout->height = 2.0 * TOPO_MARGIN + LEVEL_GAP / 2.0 + gap * (topo->levels - 1);
    for (uint32_t i = 0; i < topo->nodes; i++)
        layout->nodes[i] =
            (struct topo_point){TOPO_MARGIN + width * (i + 0.5) / topo->nodes, layout->height - TOPO_MARGIN};
    for (uint32_t i = 0; i < topo->switches; i++) {
        uint32_t level = topo_level(topo, i);
        double x = TOPO_MARGIN + width * (nth[level]++ + 0.5) / in_level[level];
        double y = layout->height - TOPO_MARGIN - LEVEL_GAP / 2.0 - gap * level;
        layout->switches[i] = (struct topo_point){x, y};
    }
}

/* One row for each level, from the top, each switch above its k nodes. */
void rows_draw(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    int width = picture_digits(topo->nodes - 1), span = (width + 2) * (int)topo->nodes_per_switch;
    uint32_t levels = levels_of(topo), across = topo->switches / levels;
    for (uint32_t level = levels; level-- > 0;) {
        fprintf(out, "level %-2u ", level);
        for (uint32_t w = 0; w < across; w++) {
            bool is_marked = topo_picture_passes(picture, level * across + w);
            int length = picture_digits(w) + 2, before = (span - length) / 2;
            picture_put_spaces(before, out);
            picture_put_number(w, 1, is_marked, out);
            if (w + 1 < across)
                picture_put_spaces(span - before - length, out);
        }
        fputc('\n', out);
    }
    fprintf(out, "nodes    ");
    for (uint32_t node = 0; node < topo->nodes; node++)
        picture_put_number(node, width, topo_picture_ends_at(picture, node), out);
    fputc('\n', out);
    if (levels > 1)
        fprintf(out,
                "\nSwitches of levels l and l+1 are linked where their numbers agree in all digits to the "
                "base %u\n"
                "but the one of weight %u^l.\n",
                topo->nodes_per_switch, topo->nodes_per_switch);
}
