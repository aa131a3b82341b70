#include "base/units.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"

typedef unsigned __int128 wide;
#define WIDE_MAX (~(wide)0)

struct unit {
    const char *name;
    uint64_t factor; /* of the base unit: ps, bytes, bytes per second, operations per second */
    uint64_t divisor;
};

/* A dimension: the name of its values, an example, its resolution and its largest value in words, and its
 * units. Printing chooses among the first `printed` units, which are in ascending order. */
struct dimension {
    const char *what, *example, *resolution, *largest;
    const struct unit *units;
    size_t count, printed;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define KILO 1000u
#define MEGA 1000000u
#define GIGA 1000000000u
#define TERA UINT64_C(1000000000000)
#define PETA UINT64_C(1000000000000000)

static const struct unit time_units[] = {
    {"ps", 1, 1},          {"ns", KILO, 1},        {"us", MEGA, 1},
    {"ms", GIGA, 1},       {"s", TERA, 1},         {"min", 60 * TERA, 1},
    {"h", 3600 * TERA, 1}, {"\xc2\xb5s", MEGA, 1}, {"\xce\xbcs", MEGA, 1},
};
static const struct unit size_units[] = {
    {"B", 1, 1},
    {"kB", KILO, 1},
    {"KiB", UINT64_C(1) << 10, 1},
    {"MB", MEGA, 1},
    {"MiB", UINT64_C(1) << 20, 1},
    {"GB", GIGA, 1},
    {"GiB", UINT64_C(1) << 30, 1},
    {"TB", TERA, 1},
    {"TiB", UINT64_C(1) << 40, 1},
    {"PB", PETA, 1},
    {"PiB", UINT64_C(1) << 50, 1},
};
static const struct unit rate_units[] = {
    {"B/s", 1, 1},
    {"kB/s", KILO, 1},
    {"MB/s", MEGA, 1},
    {"GB/s", GIGA, 1},
    {"TB/s", TERA, 1},
    {"KiB/s", UINT64_C(1) << 10, 1},
    {"MiB/s", UINT64_C(1) << 20, 1},
    {"GiB/s", UINT64_C(1) << 30, 1},
    {"TiB/s", UINT64_C(1) << 40, 1},
    {"b/s", 1, 8},
    {"kb/s", KILO, 8},
    {"Mb/s", MEGA, 8},
    {"Gb/s", GIGA, 8},
    {"Tb/s", TERA, 8},
    {"bit/s", 1, 8},
    {"kbit/s", KILO, 8},
    {"Mbit/s", MEGA, 8},
    {"Gbit/s", GIGA, 8},
    {"Tbit/s", TERA, 8},
};
static const struct unit flops_units[] = {
    {"flop/s", 1, 1},     {"kflop/s", KILO, 1}, {"Mflop/s", MEGA, 1},
    {"Gflop/s", GIGA, 1}, {"Tflop/s", TERA, 1}, {"Pflop/s", PETA, 1},
};

static const struct dimension time_dimension = {"a time",          "8 us", "1 ps", "2562 h", time_units,
                                                COUNT(time_units), 5};
static const struct dimension size_dimension = {"a size",   "64 KiB",          "1 byte",         "8191 PiB",
                                                size_units, COUNT(size_units), COUNT(size_units)};
static const struct dimension rate_dimension = {
    "a bandwidth", "12.5 GB/s", "1 byte per second", "9223372 TB/s", rate_units, COUNT(rate_units), 9};
static const struct dimension flops_dimension = {"a compute rate",  "12 Gflop/s", "1 operation per second",
                                                 "9223 Pflop/s",    flops_units,  COUNT(flops_units),
                                                 COUNT(flops_units)};

static bool fail(struct units_problem *problem, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct units_problem *problem, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    problem->at = (uint32_t)at;
    return false;
}

/* ----------------------------------------------------------------- decimals */

/* digits * 10^exponent */
struct decimal {
    wide digits;
    int exponent;
};

static size_t skip_blanks(const char *text, size_t at)
{
    while (text[at] == ' ' || text[at] == '\t')
        at++;
    return at;
}

enum digits { DIGITS_NONE, DIGITS_READ, DIGITS_TOO_MANY };

/* Digits before and behind the point. */
static enum digits read_digits(const char *text, size_t *at, struct decimal *number)
{
    enum digits seen = DIGITS_NONE;
    bool point = false;
    for (;; ++*at) {
        char c = text[*at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return seen;
        if (number->digits > (WIDE_MAX - 9) / 10)
            return DIGITS_TOO_MANY;
        seen = DIGITS_READ;
        number->digits = number->digits * 10 + (wide)(c - '0');
        number->exponent -= point;
    }
}

/* A decimal exponent, if one follows. An 'e' that no digit follows belongs to the unit. */
static void read_exponent(const char *text, size_t *at, struct decimal *number)
{
    enum { LARGEST = 1000 }; /* enough to be out of every range */
    if (text[*at] != 'e' && text[*at] != 'E')
        return;
    size_t i = *at + 1;
    bool negative = text[i] == '-';
    i += text[i] == '-' || text[i] == '+';
    if (text[i] < '0' || text[i] > '9')
        return;
    int exponent = 0;
    for (; text[i] >= '0' && text[i] <= '9'; i++)
        if (exponent < LARGEST)
            exponent = exponent * 10 + (text[i] - '0');
    number->exponent += negative ? -exponent : exponent;
    *at = i;
}

static bool multiply(wide *value, wide factor)
{
    if (factor && *value > WIDE_MAX / factor)
        return false;
    *value *= factor;
    return true;
}

enum units_fit { FITS, TOO_LARGE, TOO_FINE };

/* number * factor / divisor as a whole number. */
static enum units_fit whole(struct decimal number, const struct unit *unit, uint64_t limit, uint64_t *value)
{
    wide result = number.digits, divisor = unit->divisor;
    if (result == 0) {
        *value = 0;
        return FITS;
    }
    while (number.exponent < 0 && result % 10 == 0) { /* trailing zeros do not make it a fraction */
        result /= 10;
        number.exponent++;
    }
    if (!multiply(&result, unit->factor))
        return TOO_LARGE;
    for (; number.exponent > 0; number.exponent--)
        if (!multiply(&result, 10))
            return TOO_LARGE;
    for (; number.exponent < 0; number.exponent++) {
        if (result % 10)
            return TOO_FINE;
        result /= 10;
    }
    if (result % divisor)
        return TOO_FINE;
    result /= divisor;
    if (result > limit)
        return TOO_LARGE;
    *value = (uint64_t)result;
    return FITS;
}

/* ------------------------------------------------------------------ parsing */

enum { UNIT_AT_MOST = 40 }; /* bytes of a unit that are read and shown */

static const char *unit_name_at(const void *units, size_t index)
{
    return ((const struct unit *)units)[index].name;
}

static const struct unit *find_unit(const struct dimension *dimension, const char *name)
{
    for (size_t i = 0; i < dimension->count; i++)
        if (strcmp(dimension->units[i].name, name) == 0)
            return &dimension->units[i];
    return NULL;
}

/* The units that differ from `name` only in the case of letters: their number and the first two. If `name`
 * itself is a unit, it is the only one. */
static size_t same_letters(const struct dimension *dimension, const char *name, const char *found[2])
{
    size_t count = 0;
    for (size_t i = 0; i < dimension->count; i++) {
        const char *candidate = dimension->units[i].name;
        if (strcasecmp(name, candidate) == 0 && count < 2)
            found[count++] = candidate;
        if (strcmp(name, candidate) == 0) {
            found[0] = candidate;
            return 1;
        }
    }
    return count;
}

/* The units that the user may mean, at most two, such as "GB/s" and "Gb/s": first other letter cases ("US",
 * "gb/s"), then other forms of "per second" ("Gbps", "Gflops", "GB"), then typing errors. */
static size_t guess_units(const struct dimension *dimension, const char *name, const char *found[2])
{
    static const char *const endings[][2] = {{"", ""}, {"ps", "/s"}, {"s", "/s"}, {"", "/s"}};
    size_t length = strlen(name);
    for (size_t i = 0; i < COUNT(endings); i++) {
        size_t cut = strlen(endings[i][0]);
        if (length < cut || strcasecmp(name + length - cut, endings[i][0]) != 0)
            continue;
        char variant[UNIT_AT_MOST + 4];
        snprintf(variant, sizeof variant, "%.*s%s", (int)(length - cut), name, endings[i][1]);
        size_t count = same_letters(dimension, variant, found);
        if (count)
            return count;
    }
    found[0] = diag_nearest(name, dimension->units, dimension->count, unit_name_at);
    return found[0] != NULL;
}

/* "KB" and "K", "M" or "G" alone are used for powers of 1000 and of 1024. */
static bool is_ambiguous(const struct dimension *dimension, const char *name, const struct unit **decimal,
                         const struct unit **binary)
{
    char prefix = *name == 'K' ? 'k' : *name, decimal_name[8], binary_name[8];
    const char *rest = *name == 'K' && name[1] == 'B' ? name + 2 : name + 1;
    if (!prefix || !strchr("kMGTP", prefix) || (*rest && strcmp(rest, "/s") != 0))
        return false;
    const char *per_second = *rest ? "/s" : "";
    snprintf(decimal_name, sizeof decimal_name, "%cB%s", prefix, per_second);
    snprintf(binary_name, sizeof binary_name, "%ciB%s", prefix == 'k' ? 'K' : prefix, per_second);
    *decimal = find_unit(dimension, decimal_name);
    *binary = find_unit(dimension, binary_name);
    return *decimal && *binary;
}

static bool unknown_unit(const struct dimension *dimension, const char *name, size_t at,
                         struct units_problem *problem)
{
    const struct unit *decimal, *binary;
    if (is_ambiguous(dimension, name, &decimal, &binary))
        return fail(problem, at, "'%s' is ambiguous; write %s (%llu bytes) or %s (%llu bytes)", name,
                    decimal->name, (unsigned long long)decimal->factor, binary->name,
                    (unsigned long long)binary->factor);
    const char *guesses[2], *kind = dimension->what + strlen("a ");
    switch (guess_units(dimension, name, guesses)) {
    case 0:
        return fail(problem, at, "'%s' is not a unit of %s, such as in '%s'", name, kind, dimension->example);
    case 1:
        return fail(problem, at, "'%s' is not a unit of %s; did you mean '%s'?", name, kind, guesses[0]);
    default:
        return fail(problem, at, "'%s' is not a unit of %s; did you mean '%s' or '%s'?", name, kind,
                    guesses[0], guesses[1]);
    }
}

/* The unit's name at `text`: without blanks at its end, and cut between characters when it is long. */
static void read_unit(const char *text, char name[UNIT_AT_MOST + 1])
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length > UNIT_AT_MOST)
        for (length = UNIT_AT_MOST; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    memcpy(name, text, length);
    name[length] = '\0';
}

/* Reads the number at the beginning of `text`; *at becomes the byte behind it. */
static bool read_number(const struct dimension *dimension, const char *text, size_t *at,
                        struct decimal *number, struct units_problem *problem)
{
    size_t begin = *at;
    if (text[begin] == '-')
        return fail(problem, begin, "%s cannot be negative", dimension->what);
    switch (read_digits(text, at, number)) {
    case DIGITS_NONE:
        return fail(problem, begin, "'%s' is not %s, such as '%s'", text + begin, dimension->what,
                    dimension->example);
    case DIGITS_TOO_MANY:
        return fail(problem, begin, "%s has at most 38 digits, such as '%s'", dimension->what,
                    dimension->example);
    case DIGITS_READ:
        read_exponent(text, at, number);
    }
    return true;
}

static bool parse(const struct dimension *dimension, const char *text, uint64_t limit, uint64_t *value,
                  struct units_problem *problem)
{
    size_t begin = skip_blanks(text, 0), at = begin;
    struct decimal number = {0};
    char name[UNIT_AT_MOST + 1];
    if (!read_number(dimension, text, &at, &number, problem))
        return false;
    at = skip_blanks(text, at);
    read_unit(text + at, name);
    if (!*name && number.digits == 0) {
        *value = 0;
        return true;
    }
    if (!*name)
        return fail(problem, begin, "%s needs a unit, such as '%s'", dimension->what, dimension->example);
    const struct unit *unit = find_unit(dimension, name);
    if (!unit)
        return unknown_unit(dimension, name, at, problem);
    switch (whole(number, unit, limit, value)) {
    case TOO_LARGE:
        return fail(problem, begin, "%s is out of range; %s is at most %s", text + begin, dimension->what,
                    dimension->largest);
    case TOO_FINE:
        return fail(problem, begin, "'%s' is not a whole multiple of %s", text + begin,
                    dimension->resolution);
    case FITS:
        break;
    }
    return true;
}

bool units_time(const char *text, ps_t *value, struct units_problem *problem)
{
    uint64_t picoseconds;
    if (!parse(&time_dimension, text, PS_NEVER - 1, &picoseconds, problem))
        return false;
    *value = (ps_t)picoseconds;
    return true;
}

bool units_size(const char *text, uint64_t *value, struct units_problem *problem)
{
    return parse(&size_dimension, text, INT64_MAX, value, problem);
}

bool units_rate(const char *text, uint64_t *value, struct units_problem *problem)
{
    return parse(&rate_dimension, text, INT64_MAX, value, problem);
}

bool units_flops(const char *text, uint64_t *value, struct units_problem *problem)
{
    return parse(&flops_dimension, text, INT64_MAX, value, problem);
}

bool units_count(const char *text, uint64_t *value, struct units_problem *problem)
{
    size_t at = skip_blanks(text, 0), begin = at;
    wide number = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++)
        if (number <= INT64_MAX)
            number = number * 10 + (wide)(text[at] - '0');
    size_t end = skip_blanks(text, at);
    if (at == begin || text[end])
        return fail(problem, at == begin ? begin : end, "'%s' is not a whole number", text + begin);
    if (number > INT64_MAX)
        return fail(problem, begin, "%s is out of range; a number is at most %lld", text + begin,
                    (long long)INT64_MAX);
    *value = (uint64_t)number;
    return true;
}

bool units_number(const char *text, double *value, struct units_problem *problem)
{
    size_t begin = skip_blanks(text, 0), length = strspn(text + begin, "+-.0123456789eE");
    char *end;
    double number = strtod(text + begin, &end);
    bool whole_text = end == text + begin + length && !text[skip_blanks(text, begin + length)];
    if (!length || !whole_text)
        return fail(problem, begin, "'%s' is not a number, such as 0.5", text + begin);
    if (!isfinite(number))
        return fail(problem, begin, "%s is out of range; a number is at most %g", text + begin, DBL_MAX);
    if (number == 0 && strcspn(text + begin, "123456789") < strcspn(text + begin, "eE"))
        return fail(problem, begin, "%s is too close to 0; write 0", text + begin);
    *value = number;
    return true;
}

/* A fraction as people write it: 1.1 / 100 is 0.011, where the quotient of doubles is not always the nearest.
 */
static double hundredth(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", number / 100);
    return strtod(text, NULL);
}

bool units_number_or_percent(const char *text, double *value, struct units_problem *problem)
{
    enum { DIGITS = 63 };
    char number[DIGITS + 1];
    double percent;
    size_t length = strcspn(text, "%");
    bool is_percent = text[length] && !text[skip_blanks(text, length + 1)] && length <= DIGITS;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (!is_percent || !units_number(number, &percent, problem))
        return units_number(text, value, problem);
    *value = hundredth(percent);
    return true;
}

/* ----------------------------------------------------------------- printing */

/* value / factor as an exact decimal; false: it has more than `places` decimals. */
static bool print_in(uint64_t value, const struct unit *unit, int places, char *buffer, size_t size)
{
    uint64_t rest = value % unit->factor;
    char fraction[32] = "";
    size_t length = 0;
    for (; rest && length < (size_t)places; length++) {
        wide tenfold = (wide)rest * 10;
        fraction[length] = (char)('0' + (int)(tenfold / unit->factor));
        rest = (uint64_t)(tenfold % unit->factor);
    }
    if (rest)
        return false;
    snprintf(buffer, size, "%llu%s%.*s %s", (unsigned long long)(value / unit->factor), length ? "." : "",
             (int)length, fraction, unit->name);
    return true;
}

static const char *print_shortest(const struct dimension *dimension, uint64_t value, char *buffer,
                                  size_t size)
{
    enum { PLACES = 18 };
    char candidate[64];
    print_in(value, &dimension->units[0], 0, buffer, size);
    for (size_t i = 1; value && i < dimension->printed; i++) {
        if (value < dimension->units[i].factor)
            continue; /* no leading "0." */
        if (print_in(value, &dimension->units[i], PLACES, candidate, sizeof candidate) &&
            strlen(candidate) <= strlen(buffer))
            snprintf(buffer, size, "%s", candidate);
    }
    return buffer;
}

const char *units_print_time(ps_t value, char *buffer, size_t size)
{
    return print_shortest(&time_dimension, (uint64_t)value, buffer, size);
}

const char *units_print_size(uint64_t value, char *buffer, size_t size)
{
    return print_shortest(&size_dimension, value, buffer, size);
}

const char *units_print_rate(uint64_t value, char *buffer, size_t size)
{
    return print_shortest(&rate_dimension, value, buffer, size);
}

const char *units_print_flops(uint64_t value, char *buffer, size_t size)
{
    return print_shortest(&flops_dimension, value, buffer, size);
}

const char *units_print_number(double value, char *buffer, size_t size)
{
    for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

/* `value` in the largest unit that it reaches, among those whose factor is a multiple of `step`. */
static const char *show(double value, const struct unit *units, size_t count, uint64_t step, int digits,
                        char *buffer, size_t size)
{
    const struct unit *unit = &units[0];
    for (size_t i = 1; i < count; i++)
        if (units[i].factor % step == 0 && value >= (double)units[i].factor)
            unit = &units[i];
    double shown = value / (double)unit->factor;
    int before = shown >= 1 ? (int)floor(log10(shown)) + 1 : 1;
    int places = unit == &units[0] || digits < before ? 0 : digits - before;
    if (unit == &units[0] && shown != floor(shown))
        places = 1;
    snprintf(buffer, size, "%.*f %s", places, shown, unit->name);
    return buffer;
}

const char *units_show_time(ps_t value, int digits, char *buffer, size_t size)
{
    return show((double)value, time_units, time_dimension.printed, 1, digits, buffer, size);
}

const char *units_show_size(double bytes, int digits, char *buffer, size_t size)
{
    return show(bytes, size_units, COUNT(size_units), KILO, digits, buffer, size);
}

const char *units_show_rate(double bytes_per_s, int digits, char *buffer, size_t size)
{
    return show(bytes_per_s, rate_units, rate_dimension.printed, KILO, digits, buffer, size);
}

const char *units_show_factor(double ratio, char *buffer, size_t size)
{
    const double whole_below = 1e15;
    snprintf(buffer, size,
             ratio < 1.995         ? "%.2f"
             : ratio < 9.95        ? "%.1f"
             : ratio < whole_below ? "%.0f"
                                   : "%.3g",
             ratio);
    return buffer;
}

struct units_speed units_speed_of(double ratio)
{
    const double same = 5e-4, in_percent = 1.095, two_decimals = 0.995;
    const bool is_faster = ratio > 1;
    const double most = is_faster ? ratio : 1 / ratio, percent = 100 * (most - 1);
    struct units_speed speed = {.than = "as", .is_same = percent < 100 * same};
    char factor[32];
    if (speed.is_same) {
        snprintf(speed.text, sizeof speed.text, "as fast");
    } else if (most < in_percent) {
        speed.than = "than";
        snprintf(speed.text, sizeof speed.text, percent < two_decimals ? "%.2f %% %s" : "%.1f %% %s", percent,
                 is_faster ? "faster" : "slower");
    } else {
        speed.than = is_faster ? "as" : "than";
        snprintf(speed.text, sizeof speed.text, "%s times %s", units_show_factor(most, factor, sizeof factor),
                 is_faster ? "as fast" : "slower");
    }
    return speed;
}

/* The decimals that give a time in this unit so many significant digits; 0 of no time. */
static int places_of(ps_t time, const struct unit *unit, int digits)
{
    int before = time > 0 ? (int)floor(log10((double)time / (double)unit->factor)) + 1 : digits;
    return before < digits ? digits - before : 0;
}

/* Whether all times end in a zero with so many decimals. */
static bool end_in_zero(const ps_t *times, size_t count, const struct unit *unit, int places)
{
    ps_t step = (ps_t)unit->factor;
    for (int i = 1; i < places; i++)
        step /= 10;
    bool all = step > 0;
    for (size_t i = 0; all && i < count; i++)
        all = times[i] % step == 0;
    return all;
}

/* The unit of the largest time, or the one below where that makes 0.783 and 1.158 into 783 and 1158. */
static size_t unit_of_column(ps_t least, ps_t most)
{
    size_t unit = 0;
    while (unit + 1 < time_dimension.printed && most >= (ps_t)time_units[unit + 1].factor)
        unit++;
    const ps_t factor = (ps_t)time_units[unit].factor;
    return unit > 0 && least < factor && most < 2 * factor ? unit - 1 : unit;
}

struct units_column units_column_of(const ps_t *times, size_t count, int digits)
{
    enum { DIGITS_BELOW_ONE = 3, MOST_PLACES = 5 };
    ps_t least = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = times[i] > 0 && (least == 0 || times[i] < least) ? times[i] : least;
        most = times[i] > most ? times[i] : most;
    }
    struct units_column column = {.unit = unit_of_column(least, most), .digits = digits};
    if (column.unit == 0)
        return column;
    const struct unit *unit = &time_units[column.unit];
    const bool below_one = least < (ps_t)unit->factor;
    int of_largest = places_of(most, unit, digits);
    int places = places_of(least, unit, below_one ? DIGITS_BELOW_ONE : digits);
    while (below_one && places > of_largest && end_in_zero(times, count, unit, places))
        places--;
    places = places > of_largest ? places : of_largest;
    column.places = places <= MOST_PLACES ? places : -1;
    return column;
}

const char *units_show_in(const struct units_column *column, ps_t time, char *buffer, size_t size)
{
    const struct unit *unit = &time_units[column->unit];
    if (column->places < 0)
        return units_show_time(time, column->digits, buffer, size);
    snprintf(buffer, size, "%.*f %s", column->places, (double)time / (double)unit->factor, unit->name);
    return buffer;
}
