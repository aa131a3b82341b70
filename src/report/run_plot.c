#include "report/run_plot.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/output.h"

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

/* The runs of a result, each with the fields that are drawn. The caller frees *whole. */
static enum status read_runs(const char *path, json_t **whole, const json_t **runs)
{
    json_error_t error;
    size_t index;
    json_t *run;
    *whole = json_load_file(path, 0, &error);
    if (!*whole) {
        const struct diag_place place = {
            .file = path, .line = (uint64_t)error.line, .column = (uint32_t)error.column, .span = 1};
        diag_report(DIAG_ERROR, &place, "no JSON: %s", error.text);
        return STATUS_BAD_INPUT;
    }
    *runs = json_object_get(*whole, "runs");
    if (json_array_size(*runs) == 0)
        return refuse(path, "it has no runs");
    json_array_foreach(*runs, index, run)
    {
        if (!json_is_string(json_object_get(run, "fabric")) ||
            !json_is_number(json_object_get(run, "makespan_s")) ||
            !json_is_number(json_object_get(run, "idle_fraction")))
            return refuse(path, "a run of it has no fabric, time or idle fraction");
    }
    return STATUS_OK;
}

static double number_of(const json_t *run, const char *key)
{
    return json_number_value(json_object_get(run, key));
}

static void write_csv(const json_t *runs, FILE *out)
{
    double first_s = number_of(json_array_get(runs, 0), "makespan_s");
    size_t index;
    json_t *run;
    fputs("fabric,time_s,speedup,computing_s,waiting_s\n", out);
    json_array_foreach(runs, index, run)
    {
        double time_s = number_of(run, "makespan_s"), waiting_s = time_s * number_of(run, "idle_fraction");
        fprintf(out, "\"%s\",%.12g,", json_string_value(json_object_get(run, "fabric")), time_s);
        if (time_s > 0)
            fprintf(out, "%.9g", first_s / time_s);
        fprintf(out, ",%.9g,%.9g\n", time_s - waiting_s, waiting_s);
    }
}

static void write_script(bool shows_speedup, FILE *out)
{
    fputs("# gnuplot plot.gp, in this folder, draws plot.csv into plot.pdf.\n"
          "set terminal pdfcairo size 9cm,6cm font \"Helvetica,9\"\n"
          "set output \"plot.pdf\"\n"
          "set datafile separator comma\n"
          "set key outside top center horizontal\n"
          "set grid ytics\n"
          "set yrange [0:*]\n"
          "set style data histograms\n"
          "set style fill solid 0.8\n"
          "set boxwidth 0.7\n"
          "set xtics noenhanced\n",
          out);
    if (shows_speedup)
        fputs("set ylabel \"speedup\"\n"
              "plot \"plot.csv\" using 3:xticlabels(1) every ::1 notitle\n",
              out);
    else
        fputs("set style histogram rowstacked\n"
              "set format y \"%.1s %c\"\n"
              "set ylabel \"time (s), mean of the ranks\"\n"
              "plot \"plot.csv\" using 4:xticlabels(1) every ::1 title \"computing\", \\\n"
              "     \"plot.csv\" using 5:xticlabels(1) every ::1 title \"waiting\"\n",
              out);
}

static enum status write_file(const char *folder, const char *name, const json_t *runs, bool shows_speedup)
{
    struct output output;
    char *path = mem_format("%s/%s", folder, name);
    enum status status = output_open(&output, path);
    free(path);
    if (status != STATUS_OK)
        return status;
    if (runs)
        write_csv(runs, output.file);
    else
        write_script(shows_speedup, output.file);
    return output_close(&output, STATUS_OK);
}

enum status run_plot_write(const char *results, const char *folder, bool shows_speedup)
{
    json_t *whole = NULL;
    const json_t *runs = NULL;
    enum status status = read_runs(results, &whole, &runs);
    if (status == STATUS_OK && mkdir(folder, 0777) != 0) {
        diag_error("cannot make %s: %s", folder, strerror(errno));
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = write_file(folder, "plot.csv", runs, shows_speedup);
    if (status == STATUS_OK)
        status = write_file(folder, "plot.gp", NULL, shows_speedup);
    json_decref(whole);
    return status;
}
