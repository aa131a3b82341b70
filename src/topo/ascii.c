#include <string.h>

#include "topo/picture.h"
#include "topo/shapes.h"

bool topo_picture_has(const struct topo_picture *picture, uint32_t link)
{
    for (uint32_t i = 0; i < picture->route_count; i++)
        if (picture->route[i] == link)
            return true;
    return false;
}

bool topo_picture_passes(const struct topo_picture *picture, uint32_t at)
{
    for (uint32_t i = 0; i + 1 < picture->route_count; i++)
        if (topo_link_to(picture->topo, picture->route[i]) == at)
            return true;
    return false;
}

static int digits_of(uint32_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static void put_spaces(int count, FILE *out)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

/* A switch or node by its number, in brackets where the route passes. */
static void put_number(uint32_t number, int width, bool is_marked, FILE *out)
{
    put_spaces(width - digits_of(number), out);
    fprintf(out, is_marked ? "[%u]" : " %u ", number);
}

/* -------------------------------------------------------------------------------------- mesh and torus */

/* How the link above `at` in a dimension looks: ' ' where there is none, and the way the route takes it. */
static char look(const struct topo_picture *picture, uint32_t d, uint32_t at, const char *looks)
{
    uint32_t link;
    if (!grid_link_above(picture->topo, d, at, &link))
        return ' ';
    if (topo_picture_has(picture, link))
        return looks[1];
    return looks[topo_picture_has(picture, link ^ 1) ? 2 : 0];
}

/* The row of switches that begins at `first`, along dimension 0. */
static void put_row(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    uint32_t size = picture->topo->dimension[0].size;
    char around = picture->topo->dimension[0].wraps ? look(picture, 0, first + size - 1, "-><") : ' ';
    fputc(around, out);
    for (uint32_t x = 0; x < size; x++) {
        put_number(first + x, width, topo_picture_passes(picture, first + x), out);
        fputc(x + 1 < size ? look(picture, 0, first + x, "-><") : around, out);
    }
    fputc('\n', out);
}

/* The links above the row in dimension 1. */
static void put_links_down(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    for (uint32_t x = 0; x < picture->topo->dimension[0].size; x++) {
        put_spaces(x ? width + 2 : width + 1, out);
        fputc(look(picture, 1, first + x, "|v^"), out);
    }
    fputc('\n', out);
}

static void put_plane(const struct topo_picture *picture, uint32_t first, int width, FILE *out)
{
    const struct topo *topo = picture->topo;
    uint32_t across = topo->dimension[0].size, down = topo->dimensions > 1 ? topo->dimension[1].size : 1;
    bool wraps = topo->dimensions > 1 && topo->dimension[1].wraps;
    if (wraps)
        put_links_down(picture, first + (down - 1) * across, width, out);
    for (uint32_t y = 0; y < down; y++) {
        put_row(picture, first + y * across, width, out);
        if (y + 1 < down || wraps)
            put_links_down(picture, first + y * across, width, out);
    }
}

static void put_planes(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    uint32_t plane = topo->dimension[0].size * (topo->dimensions > 1 ? topo->dimension[1].size : 1);
    for (uint32_t first = 0; first < topo->switches; first += plane) {
        uint32_t at[TOPO_COORDINATES], count = topo_coordinates(topo, first, at);
        if (count > 2)
            fprintf(out, "%s(*,*", first ? "\n" : "");
        for (uint32_t d = 2; d < count; d++)
            fprintf(out, ",%u%s", at[d], d + 1 < count ? "" : ")\n");
        put_plane(picture, first, digits_of(topo->switches - 1), out);
    }
    if (topo->dimensions > 2)
        fprintf(out, "\nSwitches at the same place in neighbouring planes are linked, too.\n");
}

/* ------------------------------------------------------------------------------- tree and crossbar */

/* One row for each level, from the top, each switch above its k nodes. */
static void put_levels(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    int width = digits_of(topo->nodes - 1), span = (width + 2) * (int)topo->arity;
    uint32_t across = topo->switches / topo->levels;
    for (uint32_t level = topo->levels; level-- > 0;) {
        fprintf(out, "level %-2u ", level);
        for (uint32_t w = 0; w < across; w++) {
            bool is_marked = topo_picture_passes(picture, level * across + w);
            int length = digits_of(w) + 2, before = (span - length) / 2;
            put_spaces(before, out);
            put_number(w, 1, is_marked, out);
            if (w + 1 < across)
                put_spaces(span - before - length, out);
        }
        fputc('\n', out);
    }
    fprintf(out, "nodes    ");
    for (uint32_t node = 0; node < topo->nodes; node++)
        put_number(node, width,
                   topo_picture_has(picture, topo_injection(topo, node)) ||
                       topo_picture_has(picture, topo_ejection(topo, node)),
                   out);
    fputc('\n', out);
    if (topo->levels > 1)
        fprintf(out,
                "\nSwitches of levels l and l+1 are linked where their numbers agree in all digits to the "
                "base %u\n"
                "but the one of weight %u^l.\n",
                topo->arity, topo->arity);
}

/* ------------------------------------------------------------------------------------------ dragonfly */

/* A line for each router: its nodes and where its global links lead. */
static void put_routers(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    char name[TOPO_TEXT];
    uint32_t link = 2 * topo->nodes + topo->switches * (topo->routers - 1);
    for (uint32_t i = 0; i < topo->switches; i++) {
        bool passes = topo_picture_passes(picture, i);
        if (i && i % topo->routers == 0)
            fputc('\n', out);
        topo_end_name(topo, (struct topo_end){.id = i}, name, sizeof name);
        fprintf(out, passes ? "[%s]" : " %s ", name);
        put_spaces(10 - (int)strlen(name), out);
        for (uint32_t k = i * topo->terminals; k < (i + 1) * topo->terminals; k++)
            put_number(k, digits_of(topo->nodes - 1),
                       topo_picture_has(picture, topo_injection(topo, k)) ||
                           topo_picture_has(picture, topo_ejection(topo, k)),
                       out);
        for (fprintf(out, "  "); link < topo->links && topo_link_ends(topo, link).from.id == i; link++)
            fprintf(out, " %s>%s", topo_picture_has(picture, link) ? ">" : "",
                    topo_end_name(topo, topo_link_ends(topo, link).to, name, sizeof name));
        fputc('\n', out);
    }
}

void topo_draw_ascii(const struct topo_picture *picture, FILE *out)
{
    if (picture->topo->kind == TOPO_DRAGONFLY)
        put_routers(picture, out);
    else if (picture->topo->kind == TOPO_TREE || picture->topo->kind == TOPO_CROSSBAR)
        put_levels(picture, out);
    else
        put_planes(picture, out);
}
