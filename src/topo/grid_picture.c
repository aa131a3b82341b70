#include <math.h>

#include "topo/faults.h"
#include "topo/grid.h"
#include "topo/layout.h"
#include "topo/picture.h"

enum { CELL = 56, DEPTH = 24 };

/* How one step in each dimension moves a switch in the picture: the first to the right, the second down, the
 * third a little up and to the right, for the depth of a cube. Each further dimension repeats the whole
 * picture, side by side or one below the other. The cells of a cube are wide enough for all switches behind
 * each other. */
void grid_place(const struct topo *topo, struct topo_layout *layout)
{
    const struct topo_grid *grid = grid_shape(topo);
    double behind = grid->dimensions > 2 ? (double)DEPTH * grid->dimension[2].size + 20 : 0;
    double cell = fmax(CELL, behind);
    struct topo_point step[TOPO_NUMBERS] = {{cell, 0}, {0, cell}, {DEPTH, -DEPTH}};
    double width = 0, height = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        if (d >= 3)
            step[d] =
                d % 2 ? (struct topo_point){width + 2 * CELL, 0} : (struct topo_point){0, height + 2 * CELL};
        width += step[d].x * (grid->dimension[d].size - 1);
        height += fabs(step[d].y) * (grid->dimension[d].size - 1);
    }
    double depth = grid->dimensions > 2 ? -step[2].y * (grid->dimension[2].size - 1) : 0;
    for (uint32_t i = 0; i < topo->switches; i++) {
        uint32_t at[TOPO_COORDINATES];
        struct topo_point point = {TOPO_MARGIN, TOPO_MARGIN + depth};
        for (uint32_t d = 0, count = topo_coordinates(topo, i, at); d < count; d++) {
            point.x += at[d] * step[d].x;
            point.y += at[d] * step[d].y;
        }
        layout->switches[i] = layout->nodes[i] = point;
    }
    layout->node_is_switch = true;
    layout->cell = cell;
    layout->width = width + 2 * TOPO_MARGIN;
    layout->height = height + 2 * TOPO_MARGIN;
}

/* --------------------------------------------------------------- characters */

/* The character for the link above `at` in a dimension: ' ' if there is none, else one of `looks`: unmarked,
 * marked up, marked down. */
static char look(const struct topo_picture *picture, uint32_t d, uint32_t at, const char *looks)
{
    uint32_t link;
    if (!grid_link_above(picture->topo, d, at, &link))
        return ' ';
    if (faults_has_failed(picture->topo, link))
        return 'x';
    if (topo_picture_has(picture, link))
        return looks[1];
    return looks[topo_picture_has(picture, link ^ 1) ? 2 : 0];
}

/* The row of switches that begins at `first`, along dimension 0. */
static void put_row(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    const struct topo_grid *grid = grid_shape(picture->topo);
    uint32_t size = grid->dimension[0].size;
    char around = grid->dimension[0].wraps ? look(picture, 0, first + size - 1, "-><") : ' ';
    fputc(around, out);
    for (uint32_t x = 0; x < size; x++) {
        picture_put_number(first + x, width, topo_picture_passes(picture, first + x), out);
        fputc(x + 1 < size ? look(picture, 0, first + x, "-><") : around, out);
    }
    fputc('\n', out);
}

/* The links above the row in dimension 1. */
static void put_links_down(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    const struct topo_grid *grid = grid_shape(picture->topo);
    for (uint32_t x = 0; x < grid->dimension[0].size; x++) {
        picture_put_spaces(x ? width + 2 : width + 1, out);
        fputc(look(picture, 1, first + x, "|v^"), out);
    }
    fputc('\n', out);
}

static void put_plane(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    const struct topo *topo = picture->topo;
    const struct topo_grid *grid = grid_shape(topo);
    uint32_t across = grid->dimension[0].size, down = grid->dimensions > 1 ? grid->dimension[1].size : 1;
    bool wraps = grid->dimensions > 1 && grid->dimension[1].wraps;
    if (wraps)
        put_links_down(picture, first + (down - 1) * across, width, out);
    for (uint32_t y = 0; y < down; y++) {
        put_row(picture, first + y * across, width, out);
        if (y + 1 < down || wraps)
            put_links_down(picture, first + y * across, width, out);
    }
}

void grid_draw(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    const struct topo_grid *grid = grid_shape(topo);
    uint32_t plane = grid->dimension[0].size * (grid->dimensions > 1 ? grid->dimension[1].size : 1);
    for (uint32_t first = 0; first < topo->switches; first += plane) {
        uint32_t at[TOPO_COORDINATES], count = topo_coordinates(topo, first, at);
        if (count > 2)
            fprintf(out, "%s(*,*", first ? "\n" : "");
        for (uint32_t d = 2; d < count; d++)
            fprintf(out, ",%u%s", at[d], d + 1 < count ? "" : ")\n");
        put_plane(picture, first, picture_digits(topo->switches - 1), out);
    }
    if (grid->dimensions > 2)
        fprintf(out, "\nSwitches at the same place in neighbouring planes are linked, too.\n");
}
