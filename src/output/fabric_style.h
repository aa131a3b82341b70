#ifndef HELIO_OUTPUT_FABRIC_STYLE_H
#define HELIO_OUTPUT_FABRIC_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "output/json.h"

/* How a fabric is drawn: the same colour, dashes and marker on all pages and in all figures. The style
 * depends on the name alone. The fabrics of the program have the styles of a table; any other name, such as
 * that of a plug-in, has a colour that no fabric of the table has. docs/report.md says how the colours were
 * chosen. */
enum fabric_dash {
    FABRIC_DASH_NONE,
    FABRIC_DASH_LONG,
    FABRIC_DASH_SHORT,
    FABRIC_DASH_DOT,
    FABRIC_DASHES,
};

enum fabric_marker {
    FABRIC_MARKER_CIRCLE,
    FABRIC_MARKER_SQUARE,
    FABRIC_MARKER_TRIANGLE,
    FABRIC_MARKER_DIAMOND,
    FABRIC_MARKER_STAR,
    FABRIC_MARKER_TIMES,
    FABRIC_MARKER_PLUS,
    FABRIC_MARKERS,
};

struct fabric_style {
    uint32_t light_rgb, dark_rgb; /* 0xRRGGBB, on a light and on a dark ground */
    enum fabric_dash dash;
    enum fabric_marker marker;
};

struct fabric_style fabric_style_of(const char *name);

/* The same, if the table has the name. False: it has not. */
bool fabric_style_find(const char *name, struct fabric_style *style);

/* Writes `linecolor rgb "#113eb1" dashtype 1 pointtype 7` for a `plot` of gnuplot. */
void fabric_style_print_gnuplot(const struct fabric_style *style, FILE *out);

/* For a page: fabric (`name`, which becomes the object's), light, dark, dash (of SVG), marker (of Observable
 * Plot). The caller owns it. network_style_json() also says whether it is a bound (sim/network.h). */
json_t *fabric_style_json(json_t *name);

/* The same of all names of the table, as a list. */
json_t *fabric_style_list_json(void);

/* -------------------------------------------------------- for tests of them */

/* The name of a style of the table; NULL: there are no more. */
const char *fabric_style_name(size_t index);

/* A style without a name, of those that other names get: its colours. False: there are no more. */
bool fabric_style_spare(size_t index, struct fabric_style *style);

#endif
