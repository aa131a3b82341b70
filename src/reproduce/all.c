#include "base/memory_stream.h"
#include "reproduce/folder.h"
#include "reproduce/internal.h"

/* What came out for all papers. */
struct reproduced_papers {
    json_t *papers;
    char *rows; /* of all papers, as CSV */
    size_t rows_length;
    FILE *rows_file; /* writes into them */
};

static void gather(void *self, const struct reproduction *reproduction)
{
    struct reproduced_papers *gathered = self;
    rows_write(reproduction, gathered->rows_file);
    json_add(gathered->papers, paper_json(reproduction));
}

static void put_rows(FILE *out, const void *what)
{
    const struct reproduced_papers *gathered = what;
    rows_write_header(out);
    fwrite(gathered->rows, 1, gathered->rows_length, out);
}

/* A line for each paper: its published numbers by their verdict in the configuration that meets most. */
static void put_table(const struct reproduced_papers *gathered, const char *member, const char *title,
                      FILE *out)
{
    size_t index;
    json_t *paper;
    counts_write_header(title, out);
    json_array_foreach(gathered->papers, index, paper)
    {
        size_t counts[VERDICTS];
        char *name = mem_format("%s, %s", json_string_value(json_object_get(paper, "paper")),
                                json_string_value(json_object_get(paper, "configuration")));
        for (int i = 0; i < VERDICTS; i++)
            counts[i] = (size_t)json_integer_value(
                json_object_get(json_object_get(paper, member), verdict_name((enum verdict)i)));
        counts_write(name, counts, out);
        free(name);
    }
}

static void put_summary(const struct reproduced_papers *gathered, FILE *out)
{
    fputc('\n', out);
    put_table(gathered, "numbers", "paper, configuration", out);
    fputc('\n', out);
    put_table(gathered, "held_out", "held out", out);
}

static enum status write_gathered(const struct reproduced_papers *gathered,
                                  const struct reproduce_options *options, struct report_page *page)
{
    put_summary(gathered, stdout);
    enum status status = folder_put_file(options->folder, "all", ".csv", put_rows, gathered);
    if (!page || status != STATUS_OK)
        return report_page_close(page, status);
    json_t *whole = json_make_object();
    json_put_text(whole, "version", HELIO_VERSION);
    json_put_flag(whole, "quick", options->quick);
    json_put(whole, "papers", json_incref(gathered->papers));
    char *text = json_take_line(whole, FIGURE_DIGITS);
    status = folder_put_page(page, "The papers, recomputed", text, REPORT_OF_PAPERS);
    free(text);
    return status;
}

enum status reproduce_all(const struct paper *const *list, const struct reproduce_options *options)
{
    struct report_page *page = NULL;
    struct reproduced_papers gathered = {.papers = json_make_list()};
    enum status status = folder_make(options->folder);
    if (status == STATUS_OK)
        status = folder_open_page(options->folder, "all", &page);
    gathered.rows_file =
        status == STATUS_OK ? memory_stream_open(&gathered.rows, &gathered.rows_length) : NULL;
    enum status first = status;
    for (size_t i = 0; status == STATUS_OK && list[i]; i++) {
        enum status one = reproduce_paper_seen(list[i], options, gather, &gathered);
        first = first == STATUS_OK ? one : first;
        status = one == STATUS_CANCELLED ? one : status;
    }
    if (gathered.rows_file)
        fclose(gathered.rows_file);
    if (status == STATUS_OK)
        status = write_gathered(&gathered, options, page);
    else
        status = report_page_close(page, status);
    json_decref(gathered.papers);
    free(gathered.rows);
    return first == STATUS_OK || status == STATUS_CANCELLED ? status : first;
}
