/* Each fabric has one style, and no two look alike: not to people who do not see red, green or blue either.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/fabric_style.h"

enum { LEAST_DISTANCE = 18, LEAST_CONTRAST = 3, MOST_COLORS = 64 };

/* How colours look without the cones for red, green or blue, in linear RGB: G. M. Machado, M. M. Oliveira,
 * L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
 * Transactions on Visualization and Computer Graphics 15(6), 2009, severity 1. */
static const double visions[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
};
enum { VISIONS = sizeof visions / sizeof *visions };

/* sRGB to linear RGB, IEC 61966-2-1. */
static void linear_of(uint32_t rgb, double linear[3])
{
    for (int i = 0; i < 3; i++) {
        double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
        linear[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double lab_root(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIELAB with the white of D65, of the colour as this vision sees it. */
static void lab_of(uint32_t rgb, size_t vision, double lab[3])
{
    static const double xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                     {0.2126729, 0.7151522, 0.0721750},
                                     {0.0193339, 0.1191920, 0.9503041}};
    double linear[3], seen[3];
    linear_of(rgb, linear);
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(1, fmax(0, dot(visions[vision][i], linear)));
    double x = lab_root(dot(xyz[0], seen) / 0.95047), y = lab_root(dot(xyz[1], seen)),
           z = lab_root(dot(xyz[2], seen) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double distance(uint32_t a, uint32_t b, size_t vision)
{
    double one[3], other[3];
    lab_of(a, vision, one);
    lab_of(b, vision, other);
    return sqrt(pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2));
}

/* WCAG 2.1, relative luminances. */
static double contrast(uint32_t a, uint32_t b)
{
    static const double luminance[3] = {0.2126, 0.7152, 0.0722};
    double one[3], other[3];
    linear_of(a, one);
    linear_of(b, other);
    double light = dot(luminance, one) + 0.05, dark = dot(luminance, other) + 0.05;
    return light > dark ? light / dark : dark / light;
}

/* ------------------------------------------------------------ of the page */

/* The value of a colour in page.css: the first definition is for light, the second for dark. */
static uint32_t css_color(const char *name, bool is_dark)
{
    char line[256], wanted[32];
    uint32_t found[2];
    int count = 0;
    FILE *file = fopen("src/report/page/page.css", "r");
    assert_non_null(file);
    snprintf(wanted, sizeof wanted, "--%s: #", name);
    while (count < 2 && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, wanted);
        if (at)
            found[count++] = (uint32_t)strtoul(at + strlen(wanted), NULL, 16);
    }
    fclose(file);
    assert_int_equal(count, 2);
    return found[is_dark];
}

/* All colours that can stand for a fabric, then those of what ranks do. */
static size_t colors_of(bool is_dark, uint32_t colors[MOST_COLORS])
{
    static const char *const of_ranks[] = {"compute", "wait"};
    struct fabric_style style;
    size_t count = 0;
    for (size_t i = 0; fabric_style_name(i); i++) {
        style = fabric_style_of(fabric_style_name(i));
        colors[count++] = is_dark ? style.dark_rgb : style.light_rgb;
    }
    for (size_t i = 0; fabric_style_spare(i, &style); i++)
        colors[count++] = is_dark ? style.dark_rgb : style.light_rgb;
    for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks; i++)
        colors[count++] = css_color(of_ranks[i], is_dark);
    return count;
}

static void formulas_are_right(void **state)
{
    (void)state;
    double lab[3];
    lab_of(0xffffff, 0, lab);
    assert_true(fabs(lab[0] - 100) < 0.01);
    lab_of(0xff0000, 0, lab); /* the red of sRGB: 53.24, 80.09, 67.20 */
    assert_true(fabs(lab[0] - 53.24) < 0.02);
    assert_true(fabs(lab[1] - 80.09) < 0.02);
    assert_true(fabs(lab[2] - 67.20) < 0.02);
    assert_true(fabs(contrast(0xffffff, 0x000000) - 21) < 1e-9);
    /* Red and green of one lightness: far apart, but not without the cones for red. */
    assert_true(distance(0xd04040, 0x008000, 0) > 90);
    assert_true(distance(0x8a7a00, 0x6f8500, 1) < 10);
    for (size_t vision = 0; vision < VISIONS; vision++)
        assert_true(distance(0x808080, 0x000000, vision) > 50); /* grey stays grey */
}

static void colors_differ(void **state)
{
    (void)state;
    for (int is_dark = 0; is_dark < 2; is_dark++) {
        uint32_t colors[MOST_COLORS];
        size_t count = colors_of(is_dark, colors);
        assert_true(count >= 12);
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++)
                for (size_t vision = 0; vision < VISIONS; vision++)
                    if (distance(colors[i], colors[k], vision) < LEAST_DISTANCE)
                        fail_msg("#%06x and #%06x, vision %zu: %.1f", colors[i], colors[k], vision,
                                 distance(colors[i], colors[k], vision));
    }
}

static void colors_stand_out(void **state)
{
    (void)state;
    for (int is_dark = 0; is_dark < 2; is_dark++) {
        uint32_t colors[MOST_COLORS], ground = is_dark ? 0x1c2226 : 0xffffff;
        size_t count = colors_of(is_dark, colors) - 2; /* what ranks do is drawn in areas with a pattern */
        for (size_t i = 0; i < count; i++)
            if (contrast(colors[i], ground) < LEAST_CONTRAST)
                fail_msg("#%06x has a contrast of %.2f", colors[i], contrast(colors[i], ground));
    }
    assert_int_equal(css_color("card", false), 0xffffff);
    assert_int_equal(css_color("card", true), 0x1c2226);
}

/* Without colours: no two fabrics of the table have the same dashes and marker. */
static void lines_differ(void **state)
{
    (void)state;
    for (size_t i = 0; fabric_style_name(i); i++)
        for (size_t k = 0; k < i; k++) {
            struct fabric_style one = fabric_style_of(fabric_style_name(i)),
                                other = fabric_style_of(fabric_style_name(k));
            if (one.dash == other.dash && one.marker == other.marker)
                fail_msg("%s and %s are drawn alike", fabric_style_name(i), fabric_style_name(k));
        }
}

static void other_names_get_spare_colors(void **state)
{
    (void)state;
    static const char *const names[] = {"", "my-fabric", "toy", "packet2", "\xff</script>", "Packet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fabric_style style = fabric_style_of(names[i]), spare;
        bool is_spare = false;
        for (size_t k = 0; fabric_style_spare(k, &spare); k++)
            is_spare |= spare.light_rgb == style.light_rgb && spare.dark_rgb == style.dark_rgb;
        assert_true(is_spare);
        assert_true(style.dash < FABRIC_DASHES && style.marker < FABRIC_MARKERS);
    }
}

static void styles_are_written(void **state)
{
    (void)state;
    struct fabric_style style = fabric_style_of("fmu");
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fabric_style_print_gnuplot(&style, out);
    fclose(out);
    assert_string_equal(text, "linecolor rgb \"#a3162c\" dashtype 2 pointtype 5");
    free(text);
    text = json_take_line(fabric_style_json(json_make_text("fmu")), JSON_EXACT);
    assert_string_equal(text,
                        "{\"fabric\":\"fmu\",\"light\":\"#a3162c\",\"dark\":\"#da3a4a\",\"dash\":\"9 4\","
                        "\"marker\":\"square\"}");
    free(text);
    json_t *list = fabric_style_list_json();
    for (size_t i = 0; fabric_style_name(i); i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "fabric")),
                            fabric_style_name(i));
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_right),
        cmocka_unit_test(colors_differ),
        cmocka_unit_test(colors_stand_out),
        cmocka_unit_test(lines_differ),
        cmocka_unit_test(other_names_get_spare_colors),
        cmocka_unit_test(styles_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
