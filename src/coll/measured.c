#include "coll/measured.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* NULL: there is none. */
static struct measured_series *series_find(const struct measured *measured, uint64_t bytes,
                                           const char *algorithm)
{
    for (size_t i = 0; i < measured->count; i++)
        if (measured->series[i].bytes == bytes && !strcmp(measured->series[i].algorithm, algorithm))
            return &measured->series[i];
    return NULL;
}

static struct measured_series *series_of(struct measured *measured, uint64_t bytes, const char *algorithm)
{
    struct measured_series *known = series_find(measured, bytes, algorithm);
    if (known)
        return known;
    measured->series = mem_grow(measured->series, &measured->capacity, measured->count + 1, "samples");
    struct measured_series *series = &measured->series[measured->count++];
    *series = (struct measured_series){.bytes = bytes};
    if (measured->longest_of[0] == bytes)
        series->longest = measured->longest_of[1];
    snprintf(series->algorithm, sizeof series->algorithm, "%s", algorithm);
    return series;
}

bool measured_read(struct measured *measured, const char *line)
{
    unsigned long long bytes, longest;
    char algorithm[48];
    double ns, processor_ns;
    if (sscanf(line, "sample %llu %47s %lf %lf", &bytes, algorithm, &ns, &processor_ns) == 4) {
        struct measured_series *series = series_of(measured, bytes, algorithm);
        series->ns = mem_grow(series->ns, &series->ns_capacity, series->count + 1, "samples");
        series->processor_ns =
            mem_grow(series->processor_ns, &series->processor_capacity, series->count + 1, "samples");
        series->ns[series->count] = ns;
        series->processor_ns[series->count++] = processor_ns;
    } else if (sscanf(line, "cluster %u %u %u", &measured->nodes, &measured->ranks, &measured->most) == 3) {
        snprintf(measured->cluster, sizeof measured->cluster, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
    } else if (sscanf(line, "longest %llu %llu", &bytes, &longest) == 2) {
        measured->longest_of[0] = bytes;
        measured->longest_of[1] = longest;
    } else if (sscanf(line, "slow %llu %47s", &bytes, algorithm) == 2) {
        struct measured_series *series = series_find(measured, bytes, algorithm);
        if (series)
            series->was_slow = true;
    } else if (sscanf(line, "left %llu %47s", &bytes, algorithm) == 2) {
        struct measured_series *series = series_find(measured, bytes, algorithm);
        if (series)
            series->was_left = true;
    } else if (sscanf(line, "refused %399[^\n]", measured->refused) == 1) {
        return true;
    } else if (sscanf(line, "late %llu %47s", &bytes, measured->late) == 2) {
        measured->late_bytes = bytes;
    } else if (sscanf(line, "guard busy %47s %127[^\n]", algorithm, measured->busy) == 2) {
        measured->is_busy = strcmp(algorithm, "ok") != 0;
    } else if (!strcmp(line, "done\n")) {
        measured->is_done = true;
    } else {
        return false;
    }
    return true;
}

void measured_free(struct measured *measured)
{
    for (size_t i = 0; i < measured->count; i++) {
        free(measured->series[i].ns);
        free(measured->series[i].processor_ns);
    }
    free(measured->series);
}

static double median_of(const double *values, size_t count)
{
    double *sorted = mem_alloc(count, sizeof *sorted, "samples");
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    double median = stats_median(sorted, count);
    free(sorted);
    return median;
}

double measured_median_ns(const struct measured_series *series)
{
    return median_of(series->ns, series->count);
}

double measured_median_processor_ns(const struct measured_series *series)
{
    return median_of(series->processor_ns, series->count);
}

static const struct measured_series *first_of(const struct measured *measured,
                                              const struct measured_series *series)
{
    const struct measured_series *first = measured->series;
    while (first->bytes != series->bytes)
        first++;
    return first;
}

struct median_estimate measured_ratio(const struct measured *measured, const struct measured_series *series)
{
    const struct measured_series *first = first_of(measured, series);
    size_t count = first->count < series->count ? first->count : series->count;
    double *ratios = mem_alloc(count, sizeof *ratios, "ratios");
    for (size_t i = 0; i < count; i++)
        ratios[i] = first->ns[i] / series->ns[i];
    stats_sort(ratios, count);
    struct median_estimate estimate = stats_estimate_median(ratios, count);
    free(ratios);
    return estimate;
}

bool measured_is_of_mpi(const char *algorithm)
{
    return strcmp(algorithm, "mpi") == 0 || strncmp(algorithm, "mpi:", 4) == 0 ||
           strcmp(algorithm, "control") == 0;
}

/* Whether a table may name the algorithm: it is one of the library's, which has executed it. */
static bool is_choice(const struct measured_series *series)
{
    return !series->was_left && strcmp(series->algorithm, "auto") != 0 &&
           !measured_is_of_mpi(series->algorithm);
}

/* The series of a size begin with `first`. */
static const char *best_of(const struct measured *measured, size_t first)
{
    const char *best = "mpi";
    double best_ratio = 1;
    for (size_t i = first; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        if (series->bytes != measured->series[first].bytes || !is_choice(series))
            continue;
        struct median_estimate ratio = measured_ratio(measured, series);
        if (ratio.low > 1 && ratio.median > best_ratio) {
            best = series->algorithm;
            best_ratio = ratio.median;
        }
    }
    return best;
}

/* What the columns of the table are. */
static void write_heading(const struct measured *measured, FILE *file)
{
    fprintf(file,
            "# collective, nodes, ranks of the largest node, bytes from which on, algorithm (helio coll "
            "bench; %s)\n",
            measured->cluster);
}

/* How an algorithm of the library compares with the first, for all sizes together. */
struct tally {
    size_t faster, slower;
};

static struct tally tally_of(const struct measured *measured, const char *algorithm)
{
    struct tally tally = {.faster = 0};
    for (size_t i = 0; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        if (strcmp(series->algorithm, algorithm) != 0 || !is_choice(series))
            continue;
        struct median_estimate ratio = measured_ratio(measured, series);
        tally.faster += ratio.low > 1;
        tally.slower += ratio.high < 1;
    }
    return tally;
}

bool measured_write_choice_of_all(const struct measured *measured, const char *collective, FILE *file)
{
    const char *choice = "mpi";
    for (size_t i = 0; i < measured->count; i++) {
        struct tally tally = tally_of(measured, measured->series[i].algorithm);
        if (tally.faster > 0)
            choice = tally.slower > 0 ? NULL : measured->series[i].algorithm;
        if (tally.faster > 0 && tally.slower == 0)
            break;
    }
    write_heading(measured, file);
    if (choice)
        fprintf(file, "%s %u %u 0 %s\n", collective, measured->nodes, measured->most, choice);
    else
        fprintf(file, "# no line for %s: which way is faster depends on the size\n", collective);
    return choice != NULL;
}

void measured_write_choices(const struct measured *measured, const char *collective, FILE *file)
{
    write_heading(measured, file);
    for (size_t i = 0; i < measured->count; i++) {
        const struct measured_series *series = &measured->series[i];
        if (first_of(measured, series) == series)
            fprintf(file, "%s %u %u %llu %s\n", collective, measured->nodes, measured->most,
                    (unsigned long long)(series->longest ? series->longest : series->bytes),
                    best_of(measured, i));
    }
}
