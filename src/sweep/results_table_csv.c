#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/quote.h"
#include "sweep/results_table.h"
#include "workload/text.h"

static bool is_own_column(const char *parameter)
{
    return strcmp(parameter, "fabric") == 0;
}

/* The parameter of a workload that has a column of numbers, without units. NULL: the column has texts. */
static const struct param *numeric_param(const struct results_table *results_table, const char *name)
{
    if (text_index_find(&results_table->split, name) == SIZE_MAX)
        return NULL;
    const struct workload *workload = workload_of_name(name);
    const struct param *param = workload ? workload_parameter(workload, name) : NULL;
    return param && param->type <= PARAM_NUMBER ? param : NULL;
}

/* The unit of such a column, as it ends its name. */
static const char *unit_of(const struct param *param)
{
    static const char bytes[] = "bytes";
    size_t length = strlen(param->name), end = sizeof bytes - 1;
    switch (param->type) {
    case PARAM_TIME:
        return "_s";
    case PARAM_RATE:
        return "_bytes_per_s";
    case PARAM_FLOPS:
        return "_flop_per_s";
    case PARAM_SIZE:
        return length >= end && strcmp(param->name + length - end, bytes) == 0 ? "" : "_bytes";
    default:
        return "";
    }
}

static void put_quantity(FILE *out, const struct param *param, const char *text)
{
    union param_quantity value;
    struct param_problem problem;
    if (!param_quantity_read(param->type, text, &value, &problem))
        quote_csv(out, text);
    else if (param->type == PARAM_TIME)
        fprintf(out, "%" PRId64 ".%012" PRId64, value.time / PS_PER_S, value.time % PS_PER_S);
    else if (param->type == PARAM_NUMBER)
        fprintf(out, "%.15g", value.number);
    else
        fprintf(out, "%" PRIu64, value.whole);
}

static void put_name(FILE *out, const struct param *param, const char *name)
{
    char *column = mem_format("%s%s", name, param ? unit_of(param) : "");
    quote_csv(out, column);
    free(column);
}

/* The varied parameters, without the fabric, which has a column of its own, and for groups without the seed.
 * The names if `row` is NULL, else the values. */
static void put_varied(const struct results_table *results_table, const struct results_table_row *row,
                       bool of_group, FILE *out)
{
    for (size_t i = 0; i < json_array_size(results_table->varied); i++) {
        const char *name = json_string_value(json_array_get(results_table->varied, i));
        if (is_own_column(name) || (of_group && strcmp(name, "seed") == 0))
            continue;
        const struct param *param = numeric_param(results_table, name);
        const char *value = row ? results_table_value(row, name) : NULL;
        fputc(',', out);
        if (!row)
            put_name(out, param, name);
        else if (param && value)
            put_quantity(out, param, value);
        else
            quote_csv(out, value ? value : "");
    }
}

static void put_number(FILE *out, const json_t *number)
{
    if (json_is_integer(number))
        fprintf(out, ",%" JSON_INTEGER_FORMAT, json_integer_value(number));
    else if (json_is_number(number))
        fprintf(out, ",%.15g", json_number_value(number));
    else
        fputc(',', out); /* this fabric has no such metric */
}

/* Why the speedup is not that of the fabrics alone, in the last column. */
static void put_reason(const struct results_table *results_table, const struct results_table_row *row,
                       FILE *out)
{
    if (!json_object_size(results_table->baseline))
        return;
    fputc(',', out);
    quote_csv(out, results_table_reason(results_table, row));
}

static void put_run(const struct results_table *results_table, const struct results_table_row *row, FILE *out)
{
    fprintf(out, "%" PRId64 ",", row->id);
    quote_csv(out, row->program);
    fputc(',', out);
    quote_csv(out, row->fabric);
    put_varied(results_table, row, false, out);
    /* All twelve decimals, so that each picosecond is kept. */
    fprintf(out, ",%" PRId64 ".%012" PRId64, row->makespan_ps / PS_PER_S, row->makespan_ps % PS_PER_S);
    if (json_object_size(results_table->baseline) && row->speedup > 0)
        fprintf(out, ",%.6f", row->speedup);
    else if (json_object_size(results_table->baseline))
        fputc(',', out);
    char bytes[SUM_TEXT];
    fprintf(out, ",%.15g,%" PRIu64 ",%s,%.15g", row->idle_fraction, row->messages,
            sum_print(row->bytes, bytes), row->mean_bytes);
    for (size_t i = 0; i < results_table->metrics.count; i++)
        put_number(out, json_object_get(row->metrics, results_table->metrics.texts[i]));
    put_reason(results_table, row, out);
    fputc('\n', out);
}

void results_table_print_runs(const struct results_table *results_table, FILE *out)
{
    fputs("id,program,fabric", out);
    put_varied(results_table, NULL, false, out);
    fprintf(out, ",makespan_s%s,idle_fraction,messages,bytes,mean_bytes",
            json_object_size(results_table->baseline) ? ",speedup" : "");
    for (size_t i = 0; i < results_table->metrics.count; i++) {
        fputc(',', out);
        quote_csv(out, results_table->metrics.texts[i]);
    }
    fputs(json_object_size(results_table->baseline) ? ",differs\n" : "\n", out);
    for (size_t i = 0; i < results_table->count; i++)
        put_run(results_table, &results_table->rows[i], out);
}

/* The mean and both ends of its interval. A single value has no interval, and its fields are empty. */
static void put_estimate(FILE *out, const struct mean_estimate *estimate)
{
    if (!estimate->count)
        fputs(",,,", out);
    else if (estimate->count == 1)
        fprintf(out, ",%.12g,,", estimate->mean);
    else
        fprintf(out, ",%.12g,%.12g,%.12g", estimate->mean, estimate->mean - estimate->half_width,
                estimate->mean + estimate->half_width);
}

void results_table_print_means(const struct results_table *results_table, FILE *out)
{
    bool compared = json_object_size(results_table->baseline) > 0;
    fputs("program,fabric", out);
    put_varied(results_table, NULL, true, out);
    fprintf(out, ",runs,makespan_s,makespan_low_s,makespan_high_s%s\n",
            compared ? ",speedup,speedup_low,speedup_high,differs" : "");
    for (size_t i = 0; i < results_table->group_count; i++) {
        const struct results_table_group *group = &results_table->groups[i];
        const struct results_table_row *row = &results_table->rows[group->first];
        quote_csv(out, row->program);
        fputc(',', out);
        quote_csv(out, row->fabric);
        put_varied(results_table, row, true, out);
        fprintf(out, ",%zu", group->makespan_s.count);
        put_estimate(out, &group->makespan_s);
        if (compared)
            put_estimate(out, &group->speedup);
        put_reason(results_table, row, out);
        fputc('\n', out);
    }
}
