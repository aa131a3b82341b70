#include "output/fabric_style.h"

#include <string.h>
#include <xxhash.h>

/* All colours differ by at least 18 units of CIELAB, also for people who do not see red, green or blue, and
 * stand out from the ground by at least 3 : 1. unit.fabric_style computes both. */
static const struct {
    const char *name;
    struct fabric_style style;
} named[] = {
    {"ideal", {0x000000, 0xffffff, FABRIC_DASH_LONG, FABRIC_MARKER_PLUS}},
    {"hockney", {0xa04d0c, 0xb36300, FABRIC_DASH_DOT, FABRIC_MARKER_TIMES}},
    {"packet", {0x113eb1, 0x3171ec, FABRIC_DASH_NONE, FABRIC_MARKER_CIRCLE}},
    {"fmu", {0xa3162c, 0xda3a4a, FABRIC_DASH_LONG, FABRIC_MARKER_SQUARE}},
    {"hybrid", {0x65a075, 0x0ba06d, FABRIC_DASH_SHORT, FABRIC_MARKER_TRIANGLE}},
    {"circuit", {0x1183ff, 0xbec4fc, FABRIC_DASH_SHORT, FABRIC_MARKER_DIAMOND}},
    {"packetised", {0x5b1973, 0xbf92ff, FABRIC_DASH_DOT, FABRIC_MARKER_SQUARE}},
    {"segment", {0xba7bd3, 0xb44db6, FABRIC_DASH_NONE, FABRIC_MARKER_STAR}},
    {"tdm-compiled", {0xd08200, 0xc6ad52, FABRIC_DASH_NONE, FABRIC_MARKER_TRIANGLE}},
    {"tdm-dynamic", {0x691848, 0xff6abc, FABRIC_DASH_LONG, FABRIC_MARKER_DIAMOND}},
    {"rotor", {0x077147, 0xa6f698, FABRIC_DASH_DOT, FABRIC_MARKER_CIRCLE}},
    {"ocs", {0xe56f45, 0xeeaa27, FABRIC_DASH_SHORT, FABRIC_MARKER_STAR}},
};
enum { NAMED = sizeof named / sizeof *named };

/* For all other names. */
static const struct {
    uint32_t light_rgb, dark_rgb;
} spare[] = {{0x745a89, 0xe9e16b}, {0x04430e, 0x5adea5}};
enum { SPARE = sizeof spare / sizeof *spare };

static const struct {
    const char *svg;
    int gnuplot;
} dashes[FABRIC_DASHES] = {
    [FABRIC_DASH_NONE] = {"", 1},
    [FABRIC_DASH_LONG] = {"9 4", 2},
    [FABRIC_DASH_SHORT] = {"5 3", 4},
    [FABRIC_DASH_DOT] = {"2 3", 3},
};

static const struct {
    const char *plot;
    int gnuplot;
} markers[FABRIC_MARKERS] = {
    [FABRIC_MARKER_CIRCLE] = {"circle", 7},     [FABRIC_MARKER_SQUARE] = {"square", 5},
    [FABRIC_MARKER_TRIANGLE] = {"triangle", 9}, [FABRIC_MARKER_DIAMOND] = {"diamond", 13},
    [FABRIC_MARKER_STAR] = {"star", 3},         [FABRIC_MARKER_TIMES] = {"times", 2},
    [FABRIC_MARKER_PLUS] = {"plus", 1},
};

bool fabric_style_find(const char *name, struct fabric_style *style)
{
    for (size_t i = 0; i < NAMED; i++)
        if (strcmp(named[i].name, name) == 0) {
            *style = named[i].style;
            return true;
        }
    return false;
}

struct fabric_style fabric_style_of(const char *name)
{
    struct fabric_style style;
    if (fabric_style_find(name, &style))
        return style;
    uint64_t hash = XXH3_64bits(name, strlen(name));
    size_t color = hash % SPARE;
    return (struct fabric_style){.light_rgb = spare[color].light_rgb,
                                 .dark_rgb = spare[color].dark_rgb,
                                 .dash = (enum fabric_dash)(hash / SPARE % FABRIC_DASHES),
                                 .marker =
                                     (enum fabric_marker)(hash / SPARE / FABRIC_DASHES % FABRIC_MARKERS)};
}

void fabric_style_print_gnuplot(const struct fabric_style *style, FILE *out)
{
    fprintf(out, "linecolor rgb \"#%06x\" dashtype %d pointtype %d", style->light_rgb,
            dashes[style->dash].gnuplot, markers[style->marker].gnuplot);
}

static void put_color(json_t *object, const char *key, uint32_t rgb)
{
    char text[8];
    snprintf(text, sizeof text, "#%06x", rgb & 0xffffff);
    json_put_text(object, key, text);
}

json_t *fabric_style_json(json_t *name)
{
    const struct fabric_style style = fabric_style_of(json_string_value(name));
    json_t *object = json_make_object();
    json_put(object, "fabric", name);
    put_color(object, "light", style.light_rgb);
    put_color(object, "dark", style.dark_rgb);
    json_put_text(object, "dash", dashes[style.dash].svg);
    json_put_text(object, "marker", markers[style.marker].plot);
    return object;
}

json_t *fabric_style_list_json(void)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < NAMED; i++)
        json_add(list, fabric_style_json(json_make_text(named[i].name)));
    return list;
}

const char *fabric_style_name(size_t index)
{
    return index < NAMED ? named[index].name : NULL;
}

bool fabric_style_spare(size_t index, struct fabric_style *style)
{
    if (index >= SPARE)
        return false;
    *style = (struct fabric_style){.light_rgb = spare[index].light_rgb, .dark_rgb = spare[index].dark_rgb};
    return true;
}
