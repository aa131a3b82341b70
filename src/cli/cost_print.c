#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cost.h"
#include "cli/print.h"
#include "output/fabric_style.h"
#include "output/output.h"
#include "output/quote.h"

enum { DIGITS = 4, TEXT = 64 };

/* ------------------------------------------------------------------ numbers */

/* "$1,234,567". */
static const char *show_money(double dollars, char buffer[static TEXT])
{
    char digits[TEXT];
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(round(dollars)));
    char *at = buffer;
    if (dollars <= -0.5)
        *at++ = '-';
    *at++ = '$';
    for (int i = 0; i < length && at < buffer + TEXT - 2; i++) {
        if (i && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return buffer;
}

/* "12.35 kW". */
static const char *show_quantity(double value, const char *unit, char buffer[static TEXT])
{
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G"};
    size_t prefix = 4;
    if (value == 0)
        snprintf(buffer, TEXT, "0 %s", unit);
    for (; fabs(value) >= 1000 && prefix + 1 < sizeof prefixes / sizeof *prefixes; prefix++)
        value /= 1000;
    for (; value != 0 && fabs(value) < 1 && prefix > 0; prefix--)
        value *= 1000;
    if (value != 0)
        snprintf(buffer, TEXT, "%.*g %s%s", DIGITS, value, prefixes[prefix], unit);
    return buffer;
}

static char *name_of(const struct cost_row *row)
{
    char *name = mem_format("%s%s%s%s%s", row->machine ? row->machine : "", row->machine ? " " : "",
                            row->topology ? row->topology : "", row->topology ? " " : "", row->fabric);
    char *quoted = quote_terminal_text(name);
    free(name);
    return quoted;
}

/* ------------------------------------------------------------------- tables */

static bool has_all_prices(const struct cost_table *table, const struct cost_row *row)
{
    for (enum cost_part part = 0; part < COST_PARTS; part++)
        if (row->bill.lines[part].count && !cost_has_price(table->prices, part))
            return false;
    return true;
}

static void print_row(const struct cost_table *table, const struct cost_row *row, int width)
{
    char *name = name_of(row), money[TEXT], power[TEXT], time[TEXT], energy[TEXT];
    double joules = cost_energy_total(&row->energy);
    printf("%s %-*s", row->is_front ? "*" : " ", width, name);
    free(name);
    units_show_time(row->makespan, DIGITS, time, sizeof time);
    if (row->is_counted)
        printf(" %14s%c %9s %11s %11s\n", show_money(row->bill.money, money),
               has_all_prices(table, row) ? ' ' : '+', show_quantity(row->bill.watts, "W", power), time,
               joules < 0 ? "not known" : show_quantity(joules, "J", energy));
    else
        printf(" %14s  %9s %11s %11s\n", "-", "-", time, "-");
}

static void print_rows(const struct cost_table *table)
{
    size_t width = 0;
    bool has_front = false, lacks_price = false;
    for (size_t i = 0; i < table->count; i++) {
        char *name = name_of(&table->rows[i]);
        width = strlen(name) > width ? strlen(name) : width;
        free(name);
        has_front = has_front || table->rows[i].is_front;
        lacks_price = lacks_price || (table->rows[i].is_counted && !has_all_prices(table, &table->rows[i]));
    }
    printf("  %-*s %14s  %9s %11s %11s\n", (int)width, "", "cost", "power", "time", "energy");
    for (size_t i = 0; i < table->count; i++)
        print_row(table, &table->rows[i], (int)width);
    if (has_front)
        puts("* no other network of this table costs at most as much and is at least as fast");
    if (lacks_price)
        puts("+ and parts without a price, which stand below");
}

static void describe_part(enum cost_part part, const struct cost_line *line, char *buffer, size_t size)
{
    if (line->ports)
        snprintf(buffer, size, "with %" PRIu64 " ports, at most %" PRIu64 " each", line->ports, line->widest);
    else if (part == COST_COPPER || part == COST_FIBER)
        snprintf(buffer, size, "%.4g m together", line->metres);
    else
        *buffer = '\0';
}

static void print_energy(const struct cost_config *prices, const struct cost_row *row)
{
    char text[TEXT];
    printf("  energy: %s of power", show_quantity(row->energy.standing, "J", text));
    if (row->energy.moving != 0)
        printf(", %s of bytes",
               row->energy.moving < 0 ? "not known" : show_quantity(row->energy.moving, "J", text));
    if (prices->setup_joules > 0)
        printf(", %s of set-ups",
               row->energy.switching < 0 ? "not known" : show_quantity(row->energy.switching, "J", text));
    else if (row->use.setups > 0)
        printf("; %.0f set-ups without a price", row->use.setups);
    putchar('\n');
}

static void print_parts(const struct cost_table *table, const struct cost_row *row)
{
    char *name = name_of(row);
    if (row->all_nodes > row->nodes)
        printf("\n%s, all %" PRIu32 " nodes, of which the program has %" PRIu32 "\n", name, row->all_nodes,
               row->nodes);
    else
        printf("\n%s, %" PRIu32 " node%s\n", name, row->nodes, row->nodes == 1 ? "" : "s");
    free(name);
    for (enum cost_part part = 0; part < COST_PARTS; part++) {
        const struct cost_line *line = &row->bill.lines[part];
        char what[TEXT], money[TEXT], power[TEXT];
        if (!line->count)
            continue;
        describe_part(part, line, what, sizeof what);
        printf("  %8" PRIu64 " %-16s %-36s %14s %10s\n", line->count, cost_part_counted(part, line->count),
               what, cost_has_price(table->prices, part) ? show_money(line->money, money) : "no price",
               line->watts > 0 ? show_quantity(line->watts, "W", power) : "-");
    }
    print_energy(table->prices, row);
}

void cost_print(const struct cost_table *table)
{
    cli_print_text("", table->program);
    if (table->machine)
        cli_print_text("machine: ", *table->machine ? table->machine : "none, each network as published");
    print_rows(table);
    for (size_t i = 0; i < table->count; i++) {
        const struct cost_row *row = &table->rows[i];
        char *name = name_of(row);
        if (row->is_counted)
            print_parts(table, row);
        else
            printf("\n%s: its model does not say what it is built of\n", name);
        free(name);
    }
}

/* --------------------------------------------------------------------- JSON */

static json_t *parts_json(const struct cost_table *table, const struct cost_row *row)
{
    json_t *parts = json_make_list();
    for (enum cost_part part = 0; part < COST_PARTS; part++) {
        const struct cost_line *line = &row->bill.lines[part];
        if (!line->count)
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "part", cost_part_name(part));
        json_put_count(object, "count", line->count);
        if (line->ports) {
            json_put_count(object, "ports", line->ports);
            json_put_count(object, "widest", line->widest);
        }
        if (part == COST_COPPER || part == COST_FIBER)
            json_put_number(object, "metres", line->metres);
        json_put_flag(object, "has_price", cost_has_price(table->prices, part));
        json_put_number(object, "cost_usd", line->money);
        json_put_number(object, "power_w", line->watts);
        json_add(parts, object);
    }
    return parts;
}

/* What is not known is null, as no number is. */
static json_t *known_number(double value)
{
    return json_make_number(value < 0 ? NAN : value);
}

static json_t *row_json(const struct cost_table *table, const struct cost_row *row)
{
    json_t *object = json_make_object();
    json_put_text(object, "machine", row->machine);
    json_put_text(object, "topology", row->topology);
    json_put_text(object, "fabric", row->fabric);
    json_put_count(object, "nodes", row->nodes);
    json_put_count(object, "all_nodes", row->all_nodes);
    json_put_number(object, "makespan_s", (double)row->makespan / (double)PS_PER_S);
    if (!row->is_counted)
        return object;
    json_put_flag(object, "on_front", row->is_front);
    json_put_number(object, "cost_usd", row->bill.money);
    json_put_number(object, "power_w", row->bill.watts);
    json_put(object, "energy_j", known_number(cost_energy_total(&row->energy)));
    json_put(object, "standing_j", known_number(row->energy.standing));
    json_put(object, "moving_j", known_number(row->energy.moving));
    json_put(object, "switching_j", known_number(row->energy.switching));
    json_put(object, "switched_bytes", known_number(row->use.switched_bytes));
    json_put(object, "setups", known_number(row->use.setups));
    json_put(object, "parts", parts_json(table, row));
    return object;
}

json_t *cost_json(const struct cost_table *table)
{
    json_t *object = json_make_object(), *networks = json_make_list();
    json_put_text(object, "schema", "helio-cost-1");
    json_put_text(object, "program", table->program);
    json_put_text(object, "machine", table->machine);
    for (size_t i = 0; i < table->count; i++)
        json_add(networks, row_json(table, &table->rows[i]));
    json_put(object, "networks", networks);
    return object;
}

/* ------------------------------------------------------------------- figure */

static void write_csv(const struct cost_table *table, FILE *out)
{
    fputs("machine,topology,fabric,cost_usd,power_w,time_s,energy_j,on_front\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const struct cost_row *row = &table->rows[i];
        double joules = cost_energy_total(&row->energy);
        quote_csv_text(out, row->machine ? row->machine : "");
        fputc(',', out);
        quote_csv_text(out, row->topology ? row->topology : "");
        fputc(',', out);
        quote_csv_text(out, row->fabric);
        if (!row->is_counted) {
            fprintf(out, ",,,%.12g,,\n", (double)row->makespan / (double)PS_PER_S);
            continue;
        }
        fprintf(out, ",%.12g,%.12g,%.12g,", row->bill.money, row->bill.watts,
                (double)row->makespan / (double)PS_PER_S);
        if (joules >= 0)
            fprintf(out, "%.12g", joules);
        fprintf(out, ",%d\n", row->is_front);
    }
}

static int compare_cost(const void *left, const void *right)
{
    const struct cost_row *const *a = left, *const *b = right;
    return ((*a)->bill.money > (*b)->bill.money) - ((*a)->bill.money < (*b)->bill.money);
}

static void write_point(const struct cost_row *row, size_t number, FILE *out)
{
    fprintf(out, "%.9g %.9g %zu\n", row->bill.money, (double)row->makespan / (double)PS_PER_S, number);
}

/* The front in the order of cost, then each network as data of its own, with its number in that order. */
static void write_data(const struct cost_row *const *rows, size_t count, FILE *out)
{
    fputs("$front << END\n", out);
    for (size_t i = 0; i < count; i++)
        if (rows[i]->is_front)
            write_point(rows[i], i + 1, out);
    fputs("END\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "$network_%zu << END\n", i);
        write_point(rows[i], i + 1, out);
        fputs("END\n", out);
    }
}

static void write_plot(const struct cost_row *const *rows, size_t count, FILE *out)
{
    fputs("plot $front using 1:2 with steps linecolor rgb \"#8a9499\" dashtype 2 title \"front\"", out);
    for (size_t i = 0; i < count; i++) {
        char *name = name_of(rows[i]), *title = mem_format("%zu  %s", i + 1, name);
        struct fabric_style style = fabric_style_of(rows[i]->fabric);
        fprintf(out, ", \\\n     $network_%zu using 1:2 with points pointsize 0.8 ", i);
        fabric_style_print_gnuplot(&style, out);
        fputs(" title ", out);
        quote_gnuplot(out, title);
        fprintf(out, ", \\\n     $network_%zu using 1:2:3 with labels offset 0.8,0.6 notitle", i);
        free(title);
        free(name);
    }
    fputs("\n", out);
}

static void write_script(const struct cost_table *table, FILE *out)
{
    const struct cost_row **rows = mem_alloc(table->count, sizeof *rows, "networks");
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].is_counted)
            rows[count++] = &table->rows[i];
    qsort(rows, count, sizeof *rows, compare_cost);
    fputs(
        "# gnuplot plot.gp, in this folder, draws plot.pdf and plot.svg. The numbers are those of plot.csv.\n"
        "set key outside right top Left reverse noenhanced\n"
        "set grid\n"
        "set xrange [0:*]\n"
        "set logscale y\n"
        "set format x \"%.0s%c$\"\n"
        "set format y \"%.0s %cs\"\n"
        "set xlabel \"cost of the network\"\n"
        "set ylabel \"time of the program\"\n",
        out);
    write_data(rows, count, out);
    fputs("set terminal pdfcairo size 20cm,9cm font \"Helvetica,9\"\nset output \"plot.pdf\"\n", out);
    write_plot(rows, count, out);
    fputs("set terminal svg size 960,440 font \"Helvetica,13\"\nset output \"plot.svg\"\nreplot\n", out);
    free(rows);
}

static enum status write_file(const struct output_folder *folder, const char *name,
                              const struct cost_table *table,
                              void (*write)(const struct cost_table *table, FILE *out))
{
    struct output output;
    enum status status = output_folder_file(folder, name, &output);
    if (status != STATUS_OK)
        return status;
    write(table, output.file);
    return output_close(&output, STATUS_OK);
}

enum status cost_plot(const struct cost_table *table, const char *path)
{
    struct output_folder folder;
    bool has_point = false;
    for (size_t i = 0; i < table->count; i++)
        has_point = has_point || table->rows[i].is_counted;
    if (!has_point) {
        diag_error("there is no figure: no model of these fabrics says what it is built of");
        return STATUS_BAD_INPUT;
    }
    enum status status = output_folder_open(&folder, path);
    if (status == STATUS_OK)
        status = write_file(&folder, "plot.csv", table, write_csv);
    if (status == STATUS_OK)
        status = write_file(&folder, "plot.gp", table, write_script);
    status = output_folder_close(&folder, status);
    if (status == STATUS_OK)
        diag_note("in %s, gnuplot plot.gp draws plot.pdf and plot.svg", path);
    return status;
}
