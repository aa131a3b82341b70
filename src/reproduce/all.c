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

/* A line for each paper: its published numbers, each once, by verdict. */
static void put_summary(const struct reproduced_papers *gathered, FILE *out)
{
    size_t index;
    json_t *paper;
    fprintf(out, "\n%-12s %8s %11s %9s %8s\n", "paper", "numbers", "reproduced", "deviates", "not run");
    json_array_foreach(gathered->papers, index, paper)
    {
        json_int_t count[VERDICTS], all = 0;
        for (int i = 0; i < VERDICTS; i++)
            count[i] = json_integer_value(
                json_object_get(json_object_get(paper, "numbers"), verdict_name((enum verdict)i)));
        all = count[VERDICT_REPRODUCED] + count[VERDICT_DEVIATES] + count[VERDICT_NOT_RUN];
        fprintf(out, "%-12s %8lld %11lld %9lld %8lld\n", json_string_value(json_object_get(paper, "paper")),
                (long long)all, (long long)count[VERDICT_REPRODUCED], (long long)count[VERDICT_DEVIATES],
                (long long)count[VERDICT_NOT_RUN]);
    }
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
