#include "report/run_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/fabric_style.h"
#include "output/json.h"
#include "output/output.h"
#include "output/quote.h"

#define RESULTS_AT_MOST_BYTES (UINT64_C(1) << 30)

bool run_plot_is_json(const char *path)
{
    FILE *file = fopen(path, "rb");
    int first = file ? fgetc(file) : EOF;
    if (file)
        fclose(file);
    return first == '{';
}

static enum status refuse(const char *path, const char *what)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                "%s; the object that helio run --json prints is expected", what);
    return STATUS_BAD_INPUT;
}

/* A list of ranks, or beyond 4096 of them what their times are like. */
static bool has_ranks(const json_t *run)
{
    static const char *const times[] = {"finish_s", "compute_s", "idle_s"};
    const json_t *ranks = json_object_get(run, "ranks"), *rank;
    size_t index;
    bool good = json_array_size(ranks) > 0 || json_is_object(ranks);
    for (size_t i = 0; good && i < sizeof times / sizeof *times; i++) {
        if (json_is_object(ranks))
            good = json_is_number(json_object_get(json_object_get(ranks, times[i]), "mean"));
        json_array_foreach(ranks, index, rank) good = good && json_is_number(json_object_get(rank, times[i]));
    }
    return good;
}

/* The runs of a result, each with the fields that are drawn. The caller frees *whole. */
static enum status read_runs(const char *path, json_t **whole, const json_t **runs)
{
    struct json_fault fault;
    size_t index;
    json_t *run;
    char *text;
    size_t length;
    enum status status =
        file_load(path, RESULTS_AT_MOST_BYTES, "results of helio run --json", &text, &length);
    if (status != STATUS_OK)
        return status;
    *whole = json_read(text, length, &fault);
    free(text);
    if (!*whole) {
        const struct diag_place place = {.file = path, .line = fault.line, .column = fault.column, .span = 1};
        diag_report(DIAG_ERROR, &place, "no JSON: %s", fault.text);
        return STATUS_BAD_INPUT;
    }
    *runs = json_object_get(*whole, "runs");
    if (json_array_size(*runs) == 0)
        return refuse(path, "it has no runs");
    if (json_object_get(*whole, "not_run"))
        diag_report(DIAG_WARNING, &(struct diag_place){.file = path},
                    "its run was interrupted: some fabrics are missing");
    json_array_foreach(*runs, index, run)
    {
        if (!json_is_string(json_object_get(run, "fabric")) ||
            !json_is_number(json_object_get(run, "makespan_s")) || !has_ranks(run))
            return refuse(path, "a run of it has no fabric, time or times of its ranks");
    }
    return STATUS_OK;
}

static double number_of(const json_t *run, const char *key)
{
    return json_number_value(json_object_get(run, key));
}

static const char *fabric_of(const json_t *run)
{
    return json_string_value(json_object_get(run, "fabric"));
}

/* --------------------------------------------------- the time of ranks */

/* As the page of a run shows it (page/ranks.js). A rank that neither computes nor waits works for messages,
 * if cores do that, or for what the result does not name, as a node of traffic. */
enum time_part { COMPUTING, WAITING, OTHERWISE, ENDED, PARTS };

static double mean_of_ranks(const json_t *run, const char *time)
{
    const json_t *ranks = json_object_get(run, "ranks"), *rank;
    size_t index;
    double sum = 0;
    if (json_is_object(ranks))
        return number_of(json_object_get(ranks, time), "mean");
    json_array_foreach(ranks, index, rank) sum += number_of(rank, time);
    return sum / (double)json_array_size(ranks);
}

/* The mean of the ranks, in seconds. Sums of rounded numbers leave a trace where there is nothing. */
static void find_parts(const json_t *run, double *parts)
{
    double time = number_of(run, "makespan_s"), finish = mean_of_ranks(run, "finish_s");
    parts[COMPUTING] = mean_of_ranks(run, "compute_s");
    parts[WAITING] = mean_of_ranks(run, "idle_s");
    parts[OTHERWISE] = finish - parts[COMPUTING] - parts[WAITING];
    parts[ENDED] = time - finish;
    for (int part = 0; part < PARTS; part++)
        if (parts[part] < 1e-9 * time)
            parts[part] = 0;
}

static bool have_software(const json_t *runs)
{
    return json_object_get(json_array_get(runs, 0), "software_fraction") != NULL;
}

static void write_csv(const json_t *runs, FILE *out)
{
    double first_s = number_of(json_array_get(runs, 0), "makespan_s"), parts[PARTS];
    size_t index;
    json_t *run;
    fprintf(out, "fabric,time_s,speedup,computing_s,waiting_s,%s,ended_s\n",
            have_software(runs) ? "software_s" : "otherwise_s");
    json_array_foreach(runs, index, run)
    {
        double time_s = number_of(run, "makespan_s");
        quote_csv_text(out, fabric_of(run));
        fprintf(out, ",%.12g,", time_s);
        if (time_s > 0)
            fprintf(out, "%.9g", first_s / time_s);
        find_parts(run, parts);
        for (int part = 0; part < PARTS; part++)
            fprintf(out, ",%.9g", parts[part]);
        fputc('\n', out);
    }
}

/* A line for each run, time and speedup as in plot.csv, and the fabrics below the bars. A speedup has its
 * place and its fabric's colour, as a number. They stand in the script itself, because gnuplot drops a line
 * of CSV in which a name contains a double quote. */
static void write_bars(const json_t *runs, bool shows_speedup, FILE *out)
{
    double first_s = number_of(json_array_get(runs, 0), "makespan_s");
    size_t index;
    json_t *run;
    fputs("set xtics noenhanced (", out);
    json_array_foreach(runs, index, run)
    {
        fputs(index ? ", " : "", out);
        quote_gnuplot_tic(out, fabric_of(run));
        fprintf(out, " %zu", index);
    }
    fputs(")\n$bars << END\n", out);
    json_array_foreach(runs, index, run)
    {
        double time_s = number_of(run, "makespan_s"), parts[PARTS];
        find_parts(run, parts);
        if (!shows_speedup)
            fprintf(out, "%.9g %.9g %.9g %.9g\n", parts[COMPUTING], parts[WAITING], parts[OTHERWISE],
                    parts[ENDED]);
        else
            fprintf(out, "%zu %.9g %u\n", index, time_s > 0 ? first_s / time_s : NAN,
                    fabric_style_of(fabric_of(run)).light_rgb);
    }
    fputs("END\n", out);
}

/* Computing is named in any case, and of the other parts those that a run has. */
static void write_stack(const json_t *runs, FILE *out)
{
    static const unsigned rgb[PARTS] = {0x8a9499, 0xd5d0c4, 0xb3a06a, 0xf0eee8};
    const char *const names[PARTS] = {"computing", "waiting",
                                      have_software(runs) ? "working for messages" : "otherwise",
                                      "ended before the last"};
    bool shown[PARTS] = {[COMPUTING] = true};
    size_t index;
    json_t *run;
    json_array_foreach(runs, index, run)
    {
        double parts[PARTS];
        find_parts(run, parts);
        for (int part = 0; part < PARTS; part++)
            shown[part] |= parts[part] > 0;
    }
    fputs("set style histogram rowstacked\n"
          "set format y \"%.1s %c\"\n"
          "set ylabel \"time (s), mean of the ranks\"\n",
          out);
    for (int part = 0; part < PARTS; part++)
        if (shown[part])
            fprintf(out, "%s$bars using %d title \"%s\" linecolor rgb \"#%06x\"", part ? ", " : "plot ",
                    part + 1, names[part], rgb[part]);
    fputc('\n', out);
}

static void write_script(const json_t *runs, bool shows_speedup, FILE *out)
{
    fputs("# gnuplot plot.gp, in this folder, draws plot.pdf. The numbers are those of plot.csv.\n"
          "set terminal pdfcairo size 9cm,6cm font \"Helvetica,9\"\n"
          "set output \"plot.pdf\"\n"
          "set key outside top center horizontal\n"
          "set grid ytics\n"
          "set yrange [0:*]\n"
          "set style data histograms\n"
          "set style fill solid 0.8\n"
          "set boxwidth 0.7\n",
          out);
    write_bars(runs, shows_speedup, out);
    if (shows_speedup)
        fputs("set ylabel \"speedup\"\n"
              "plot $bars using 1:2:3 with boxes linecolor rgb variable notitle\n",
              out);
    else
        write_stack(runs, out);
}

static enum status write_file(const struct output_folder *folder, const char *name, const json_t *runs,
                              bool shows_speedup, bool is_script)
{
    struct output output;
    enum status status = output_folder_file(folder, name, &output);
    if (status != STATUS_OK)
        return status;
    if (is_script)
        write_script(runs, shows_speedup, output.file);
    else
        write_csv(runs, output.file);
    return output_close(&output, STATUS_OK);
}

static enum status write_files(const char *path, const json_t *runs, bool shows_speedup)
{
    struct output_folder folder;
    enum status status = output_folder_open(&folder, path);
    if (status == STATUS_OK)
        status = write_file(&folder, "plot.csv", runs, shows_speedup, false);
    if (status == STATUS_OK)
        status = write_file(&folder, "plot.gp", runs, shows_speedup, true);
    return output_folder_close(&folder, status);
}

enum status run_plot_write(const char *results, const char *folder, bool shows_speedup)
{
    json_t *whole = NULL;
    const json_t *runs = NULL;
    enum status status = read_runs(results, &whole, &runs);
    if (status == STATUS_OK)
        status = write_files(folder, runs, shows_speedup);
    json_decref(whole);
    return status;
}
