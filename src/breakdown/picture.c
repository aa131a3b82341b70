#include "breakdown/model.h"
#include "output/output.h"
#include "output/quote.h"

/* Stacked bars as an SVG that needs no font, script or style from elsewhere. Its colours can be told apart
 * with impaired colour vision (Okabe and Ito, 2008), and each part is named below its bar. */
enum { WIDTH = 960, MARGIN = 24, BAR_HEIGHT = 26, ROW = 104, TITLE = 48 };

static const char *const colours[BAR_PARTS] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9",
                                               "#cc79a7", "#f0e442", "#999999", "#332288", "#117733"};

/* The place of a time within a bar, in tenths of a pixel from the left: whole numbers are the same on every
 * machine. */
static long long offset_of(const struct bar *bar, ps_t time_ps)
{
    const __int128 tenths = (WIDTH - 2 * MARGIN) * 10;
    return bar->total_ps ? (long long)(tenths * time_ps / bar->total_ps) : 0;
}

static void put_bar(FILE *out, const struct bar *bar, int top)
{
    char ns[40];
    fprintf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s: ", MARGIN, top, bar->figure);
    quote_markup(out, bar->name);
    fprintf(out, ", %s ns</text>\n", model_ns(bar->total_ps, ns, sizeof ns));
    ps_t before_ps = 0;
    for (size_t i = 0; i < bar->count; i++) {
        long long from = offset_of(bar, before_ps);
        before_ps += bar->parts[i].time_ps;
        long long wide = offset_of(bar, before_ps) - from;
        fprintf(out, "<rect x=\"%lld.%lld\" y=\"%d\" width=\"%lld.%lld\" height=\"%d\" fill=\"%s\"><title>",
                MARGIN + from / 10, from % 10, top + 8, wide / 10, wide % 10, BAR_HEIGHT, colours[i]);
        quote_markup(out, bar->parts[i].name);
        fprintf(out, ": %s ns</title></rect>\n", model_ns(bar->parts[i].time_ps, ns, sizeof ns));
    }
    for (size_t i = 0; i < bar->count; i++) {
        int x = MARGIN + (int)(i % 5) * 182, y = top + 50 + (int)(i / 5) * 18;
        uint64_t share = model_share(bar->parts[i].time_ps, bar->total_ps);
        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">", x,
                y - 9, colours[i], x + 14, y);
        quote_markup(out, bar->parts[i].name);
        fprintf(out, " %llu.%02llu %%</text>\n", (unsigned long long)(share / 100),
                (unsigned long long)(share % 100));
    }
}

static void put_picture(FILE *out, const struct model *model)
{
    int height = TITLE + ROW * (int)model_bar_count();
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"16\">",
            WIDTH, height, MARGIN);
    if (model->system->name) {
        quote_markup(out, model->system->name);
        fputs(": ", out);
    }
    fprintf(out, "a message of %llu B</text>\n", (unsigned long long)model->bytes);
    for (size_t i = 0; i < model_bar_count(); i++) {
        struct bar bar;
        model_bar(model, i, &bar);
        put_bar(out, &bar, TITLE + ROW * (int)i + 14);
    }
    fputs("</svg>\n", out);
}

enum status model_picture(const struct model *model, const char *path)
{
    struct output output;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    put_picture(output.file, model);
    return output_close(&output, STATUS_OK);
}
