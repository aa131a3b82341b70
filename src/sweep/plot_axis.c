#include "sweep/plot_axis.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { LABELS_ACROSS = 6, LABELS_UP = 8, MINORS_AT_MOST = 64 };

/* -------------------------------------------------------------------- units */

enum plot_unit plot_unit_of(const char *text, double *number)
{
    struct units_problem problem;
    ps_t time;
    uint64_t whole;
    if (units_number(text, number, &problem))
        return PLOT_NUMBER;
    if (units_time(text, &time, &problem)) {
        *number = (double)time / (double)PS_PER_S;
        return PLOT_TIME;
    }
    enum plot_unit unit = units_size(text, &whole, &problem)    ? PLOT_SIZE
                          : units_rate(text, &whole, &problem)  ? PLOT_RATE
                          : units_flops(text, &whole, &problem) ? PLOT_FLOPS
                                                                : PLOT_WORDS;
    if (unit != PLOT_WORDS)
        *number = (double)whole;
    return unit;
}

struct step {
    double factor;
    const char *name;
};

/* The names of a unit's multiples, in ascending order; the last has the factor 0. */
static const struct step *steps_of(const struct plot_axis *axis)
{
    static const struct step times[] = {{1e-12, " ps"}, {1e-9, " ns"}, {1e-6, " us"},
                                        {1e-3, " ms"},  {1, " s"},     {0, ""}};
    static const struct step sizes[] = {{1, " B"},     {1e3, " kB"},  {1e6, " MB"}, {1e9, " GB"},
                                        {1e12, " TB"}, {1e15, " PB"}, {0, ""}};
    static const struct step binary[] = {{1, " B"},        {0x1p10, " KiB"}, {0x1p20, " MiB"},
                                         {0x1p30, " GiB"}, {0x1p40, " TiB"}, {0x1p50, " PiB"},
                                         {0, ""}};
    static const struct step rates[] = {{1, " B/s"},    {1e3, " kB/s"},  {1e6, " MB/s"},
                                        {1e9, " GB/s"}, {1e12, " TB/s"}, {0, ""}};
    static const struct step flops[] = {{1, " flop/s"},
                                        {1e3, " kflop/s"},
                                        {1e6, " Mflop/s"},
                                        {1e9, " Gflop/s"},
                                        {1e12, " Tflop/s"},
                                        {1e15, " Pflop/s"},
                                        {0, ""}};
    static const struct step plain[] = {{1, ""}, {0, ""}};
    switch (axis->unit) {
    case PLOT_TIME:
        return times;
    case PLOT_SIZE:
        return axis->is_binary ? binary : sizes;
    case PLOT_RATE:
        return rates;
    case PLOT_FLOPS:
        return flops;
    default:
        return plain;
    }
}

/* The largest unit that the value reaches. */
static const struct step *step_for(const struct plot_axis *axis, double value)
{
    const struct step *step = steps_of(axis);
    while (step[1].factor > 0 && fabs(value) >= step[1].factor * (1 - 1e-9))
        step++;
    return step;
}

/* On a logarithmic axis each label has its own unit, on a linear one all have that of the largest. */
static const char *label_of(const struct plot_axis *axis, double value, char *buffer, size_t size)
{
    const struct step *step = step_for(axis, axis->is_log ? value : axis->high);
    snprintf(buffer, size, "%.6g%s", value / step->factor, value == 0 ? "" : step->name);
    return buffer;
}

/* ------------------------------------------------------------------ scales */

static bool is_power_of_2(double value)
{
    int exponent;
    return value > 0 && frexp(value, &exponent) == 0.5;
}

/* Each value is as many times the one before, at least three of them. */
static bool is_geometric(const double *values, size_t count)
{
    if (count < 3)
        return false;
    for (size_t i = 2; i < count; i++) {
        double first = values[1] / values[0], ratio = values[i] / values[i - 1];
        if (first < 1.2 || ratio < 0.99 * first || ratio > 1.01 * first)
            return false;
    }
    return true;
}

/* All values that are not 0 are whole KiB, or powers of 2. */
static bool are_binary(const double *values, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0 && !is_power_of_2(values[i]) && fmod(values[i], 1024) != 0)
            return false;
        found |= values[i] > 1;
    }
    return found;
}

/* The place of a value on the axis, from 0 to 1. */
static double place_of(const struct plot_axis *axis, double value)
{
    return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                        : (value - axis->low) / (axis->high - axis->low);
}

/* Whether the labels of two values on a horizontal axis have room beside each other. */
static bool fit_side_by_side(const struct plot_axis *axis, double left, double right)
{
    const double of_character = 0.024; /* of the axis, in a figure of one column: 4.4 of 185 points */
    char label[64];
    size_t characters = strlen(label_of(axis, left, label, sizeof label));
    characters += strlen(label_of(axis, right, label, sizeof label));
    return place_of(axis, right) - place_of(axis, left) >= of_character * ((double)characters / 2 + 1);
}

/* The same for the labels of all values. */
static bool have_room(const struct plot_axis *axis, const double *values, size_t count)
{
    bool fit = count <= 2 * LABELS_ACROSS;
    for (size_t i = 1; fit && i < count; i++)
        fit = fit_side_by_side(axis, values[i - 1], values[i]);
    return fit;
}

struct plot_axis plot_axis_of_values(enum plot_unit unit, const double *values, size_t count,
                                     enum plot_scale scale)
{
    struct plot_axis axis = {
        .unit = unit, .is_across = true, .is_binary = are_binary(values, count), .labels = LABELS_ACROSS};
    size_t first = 0;
    while (first < count && values[first] <= 0)
        first++;
    bool has_order = first < count && count - first > 1;
    bool fits =
        has_order && (values[count - 1] > 10 * values[first] || is_geometric(values + first, count - first));
    axis.is_log = has_order && (scale == PLOT_SCALE_LOG || (scale == PLOT_SCALE_FITTING && fits));
    if (axis.is_log) {
        double margin = pow(values[count - 1] / values[first], 0.03);
        axis.low = values[first] / margin;
        axis.high = values[count - 1] * margin;
        values += first;
        count -= first;
    } else {
        double span = values[count - 1] - values[0];
        double margin = span > 0 ? 0.03 * span : values[0] != 0 ? fabs(values[0]) / 2 : 1;
        axis.low = values[0] - margin;
        axis.high = values[count - 1] + margin;
    }
    if (have_room(&axis, values, count)) {
        axis.values = values;
        axis.count = count;
    }
    return axis;
}

/* 1, 2 or 5 times a power of 10 that is at most `value`, if `down`, else at least. */
static double round_decimal(double value, bool down)
{
    static const double digits[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(value) + 1e-9));
    for (size_t i = 0; i < 4; i++) {
        size_t at = down ? 3 - i : i;
        double candidate = digits[at] * power;
        if (down ? candidate <= value * (1 + 1e-9) : candidate >= value * (1 - 1e-9))
            return candidate;
    }
    return value;
}

/* The distance of about five tics on a linear axis. */
static double linear_step(const struct plot_axis *axis)
{
    double wanted = (axis->high - axis->low) / 5;
    if (!axis->is_binary || axis->unit != PLOT_SIZE)
        return round_decimal(wanted, false);
    return exp2(ceil(log2(wanted) - 1e-9));
}

struct plot_axis plot_axis_of_results(enum plot_unit unit, double least, double most, enum plot_scale scale)
{
    struct plot_axis axis = {.unit = unit, .labels = LABELS_UP};
    const double margin = 1.08;
    axis.is_log =
        least > 0 && (scale == PLOT_SCALE_LOG || (scale == PLOT_SCALE_FITTING && most > 10 * least));
    if (axis.is_log) {
        axis.low = round_decimal(least / margin, true);
        axis.high = round_decimal(most * margin, false);
        return axis;
    }
    axis.high = most > 0 ? most * margin : 1;
    double step = linear_step(&axis);
    axis.high = step * ceil(axis.high / step);
    return axis;
}

/* --------------------------------------------------------------------- tics */

struct tic_writer {
    const struct plot_axis *axis;
    FILE *out;
    bool any;
};

static void put_tic(struct tic_writer *writer, double value, bool is_minor)
{
    const struct plot_axis *axis = writer->axis;
    double slack = (axis->high - axis->low) * 1e-9;
    if (value < axis->low - slack || value > axis->high + slack ||
        (axis->is_log && value < axis->low * 0.999))
        return;
    fputs(writer->any ? ", " : "", writer->out);
    writer->any = true;
    char label[64];
    fprintf(writer->out, "\"%s\" %.12g%s", is_minor ? "" : label_of(axis, value, label, sizeof label), value,
            is_minor ? " 1" : "");
}

/* Whether labels at each `step`-th power of 2 have room. */
static bool powers_fit(const struct plot_axis *axis, int first, int last, int step)
{
    bool fit = true;
    if (!axis->is_across)
        return (last - first) / step + 1 <= axis->labels;
    for (int i = first; fit && i + step <= last; i++)
        fit = i % step != 0 || fit_side_by_side(axis, exp2(i), exp2(i + step));
    return fit;
}

/* Powers of 2, every `step`-th with a label. */
static void put_binary_tics(struct tic_writer *writer)
{
    static const int steps[] = {1, 2, 3, 4, 5, 10, 20};
    const struct plot_axis *axis = writer->axis;
    int first = (int)ceil(log2(axis->low)), last = (int)floor(log2(axis->high)), at = 0;
    while (at < 6 && !powers_fit(axis, first, last, steps[at]))
        at++;
    for (int i = first; i <= last; i++) {
        bool has_label = i % steps[at] == 0;
        if (has_label || last - first <= MINORS_AT_MOST)
            put_tic(writer, exp2(i), !has_label);
    }
}

/* Powers of 10, every `step`-th with a label; 2 and 5 too, if there are few. */
static void put_decimal_tics(struct tic_writer *writer)
{
    const struct plot_axis *axis = writer->axis;
    int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high)), step = 1;
    double decades = log10(axis->high / axis->low);
    while (decades / step > axis->labels)
        step++;
    for (int i = first; i <= last; i++) {
        bool has_label = i % step == 0;
        put_tic(writer, pow(10, i), !has_label);
        for (int digit = 2; digit < 10 && decades <= LABELS_UP; digit++)
            put_tic(writer, digit * pow(10, i), decades > 2 || (digit != 2 && digit != 5));
    }
}

static void put_linear_tics(struct tic_writer *writer)
{
    const struct plot_axis *axis = writer->axis;
    double step = linear_step(axis);
    double lead = step / pow(10, floor(log10(step) + 1e-9));
    int parts = axis->is_binary && axis->unit == PLOT_SIZE ? 4 : lead > 1.5 && lead < 3 ? 4 : 5;
    double begin = ceil(axis->low / step - 1) * step;
    for (int i = 0; begin + i * step <= axis->high * (1 + 1e-9) + step && i < MINORS_AT_MOST; i++) {
        put_tic(writer, fabs(begin + i * step) < step / 1e6 ? 0 : begin + i * step, false);
        for (int part = 1; part < parts; part++)
            put_tic(writer, begin + (i + (double)part / parts) * step, true);
    }
}

void plot_axis_print(const struct plot_axis *axis, char letter, FILE *out)
{
    struct tic_writer writer = {.axis = axis, .out = out};
    if (axis->is_log)
        fprintf(out, "set logscale %c\n", letter);
    fprintf(out, "set %crange [%.12g:%.12g]\nset %ctics (", letter, axis->low, axis->high, letter);
    for (size_t i = 0; i < axis->count; i++)
        put_tic(&writer, axis->values[i], false);
    if (!axis->count && !axis->is_log)
        put_linear_tics(&writer);
    else if (!axis->count && axis->is_binary && axis->high / axis->low > 8)
        put_binary_tics(&writer);
    else if (!axis->count)
        put_decimal_tics(&writer);
    fputs(")\n", out);
}
