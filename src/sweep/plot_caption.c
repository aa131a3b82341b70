#include <string.h>

#include "base/mem.h"
#include "output/quote.h"
#include "sweep/plot_internal.h"

/* The lines below a figure of speedups: why curves that are marked with * are not compared fairly. */

enum { CHARACTERS = 70, REASONS_SHOWN = 2 }; /* of a line, in a figure of one column; of a fabric */
static const double line_cm = 0.28;          /* in letters of 6 points */

/* Why the result in the cell is not compared fairly; "": it is, or there is none. */
static const char *reason_of(const struct plot *plot, size_t cell)
{
    const struct results_table *results_table = plot->results_table;
    return plot_estimate(plot, cell)
               ? results_table_reason(results_table, &results_table->rows[plot->cells[cell]->first])
               : "";
}

bool plot_is_marked(const struct plot *plot, size_t series)
{
    bool is_marked = false;
    for (size_t value = 0; plot_shows_speedup(plot) && value < plot->values.count; value++)
        is_marked |= *reason_of(plot, value * plot->series.count + series) != '\0';
    return is_marked;
}

/* Adds the different reasons of the fabric's points. */
static void find_reasons(const struct plot *plot, const char *fabric, struct text_index *reasons)
{
    for (size_t series = 0; series < plot->series.count; series++)
        for (size_t value = 0; value < plot->values.count; value++) {
            const char *reason = reason_of(plot, value * plot->series.count + series);
            if (*reason && strcmp(plot_series_row(plot, series)->fabric, fabric) == 0)
                text_index_add(reasons, reason);
        }
}

/* Adds the text as lines that end between words. */
static void add_lines(struct plot_caption *caption, const char *text)
{
    while (*text) {
        size_t length = strlen(text), end = length;
        if (length > CHARACTERS)
            for (end = CHARACTERS; end && text[end] != ' ';)
                end--;
        end = end ? end : CHARACTERS; /* a word of more than a line */
        caption->lines =
            mem_grow(caption->lines, &caption->capacity, caption->count + 1, "the caption of a plot");
        caption->lines[caption->count++] = mem_format("%.*s", (int)end, text);
        text += end + (text[end] == ' ');
    }
}

static void add_fabric(const struct plot *plot, const char *fabric, struct plot_caption *caption)
{
    struct text_index reasons = {.count = 0};
    find_reasons(plot, fabric, &reasons);
    for (size_t i = 0; i < reasons.count && i < REASONS_SHOWN; i++) {
        char *text = mem_format("* %s: %s", fabric, reasons.texts[i]);
        add_lines(caption, text);
        free(text);
    }
    if (reasons.count > REASONS_SHOWN) {
        char *text = mem_format("* and %zu more with other settings", reasons.count - REASONS_SHOWN);
        add_lines(caption, text);
        free(text);
    }
    text_index_free(&reasons);
}

void plot_caption_make(const struct plot *plot, struct plot_caption *caption)
{
    struct text_index fabrics = {.count = 0};
    *caption = (struct plot_caption){.count = 0};
    for (size_t i = 0; plot_shows_speedup(plot) && i < plot->series.count; i++) {
        const char *fabric = plot_series_row(plot, i)->fabric;
        size_t known = fabrics.count;
        if (text_index_add(&fabrics, fabric) == known)
            add_fabric(plot, fabric, caption);
    }
    text_index_free(&fabrics);
}

double plot_caption_height_cm(const struct plot_caption *caption)
{
    return caption->count ? line_cm * (double)caption->count + 0.1 : 0;
}

void plot_caption_print(const struct plot_caption *caption, double font_size, double height_cm, FILE *out)
{
    for (size_t i = 0; i < caption->count; i++) {
        fprintf(out, "set label %zu ", i + 1);
        quote_gnuplot(out, caption->lines[i]);
        fprintf(out, " at screen 0.02, screen %.4f font \",%g\"\n",
                line_cm * ((double)(caption->count - i) - 0.3) / height_cm, font_size);
    }
}

void plot_caption_free(struct plot_caption *caption)
{
    for (size_t i = 0; i < caption->count; i++)
        free(caption->lines[i]);
    free(caption->lines);
}
