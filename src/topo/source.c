#include "topo/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"

enum { NUMBER_AT_MOST = 64 };

/* ----------------------------------------------------------------- messages */

static struct diag_place place_of(const struct network_source *source, const char *at, size_t span)
{
    struct diag_place place = {.file = source->name};
    if (!at)
        return place;
    const char *line = source->text, *end = source->text + source->length, *next;
    for (place.line = 1; (next = memchr(line, '\n', (size_t)(at - line))); place.line++)
        line = next + 1;
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    place.source = line;
    place.source_length = (size_t)((stop ? stop : end) - line);
    place.column = (uint32_t)(at - line) + 1;
    size_t left = place.source_length > (size_t)(at - line) ? place.source_length - (size_t)(at - line) : 0;
    place.span = (uint32_t)(span < left ? span : left);
    return place;
}

bool source_refuse(const struct network_source *source, const char *at, size_t span, const char *format, ...)
{
    char message[768];
    struct diag_place place = place_of(source, at, span);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diag_report(DIAG_ERROR, &place, "%s", message);
    return false;
}

/* --------------------------------------------------------- lines and words */

struct source_rest source_all(const struct network_source *source)
{
    return (struct source_rest){source->text, source->text + source->length};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct source_rest *rest)
{
    while (rest->at < rest->end && is_blank(*rest->at))
        rest->at++;
}

bool source_next_line(struct source_rest *rest, struct source_rest *line)
{
    while (rest->at < rest->end) {
        const char *stop = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
        *line = (struct source_rest){rest->at, stop ? stop : rest->end};
        rest->at = stop ? stop + 1 : rest->end;
        skip_blanks(line);
        if (line->at < line->end && *line->at != '#')
            return true;
    }
    return false;
}

bool source_next_word(struct source_rest *line, struct source_part *word)
{
    skip_blanks(line);
    *word = (struct source_part){line->at, 0};
    while (line->at < line->end && !is_blank(*line->at))
        line->at++;
    word->length = (size_t)(line->at - word->text);
    return word->length > 0;
}

bool source_is(struct source_part word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(word.text, text, word.length) == 0;
}

bool source_number(const struct network_source *source, struct source_part word, const char *what,
                   uint64_t least, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    bool is_good = word.length > 0;
    for (size_t i = 0; is_good && i < word.length; i++) {
        is_good = isdigit((unsigned char)word.text[i]);
        value = value <= most ? value * 10 + (uint64_t)(word.text[i] - '0') : value;
    }
    if (is_good && value >= least && value <= most) {
        *number = value;
        return true;
    }
    return source_refuse(source, word.text, word.length,
                         "%s is a whole number from %" PRIu64 " to %" PRIu64 ", of digits alone", what, least,
                         most);
}

/* -------------------------------------------------------------- quantities */

#define DECIMAL(unit, factor)                                                                                \
    {unit, factor}, {"k" unit, 1e3 * (factor)}, {"M" unit, 1e6 * (factor)}, {"G" unit, 1e9 * (factor)},      \
        {"T" unit, 1e12 * (factor)},                                                                         \
    {                                                                                                        \
        "P" unit, 1e15 * (factor)                                                                            \
    }
#define BINARY(unit, factor)                                                                                 \
    {"Ki" unit, 0x1p10 * (factor)}, {"Mi" unit, 0x1p20 * (factor)}, {"Gi" unit, 0x1p30 * (factor)},          \
        {"Ti" unit, 0x1p40 * (factor)},                                                                      \
    {                                                                                                        \
        "Pi" unit, 0x1p50 * (factor)                                                                         \
    }

const struct source_unit source_rates[] = {
    DECIMAL("Bps", 1), DECIMAL("bps", 0.125), DECIMAL("B/s", 1), DECIMAL("b/s", 0.125),
    BINARY("Bps", 1),  BINARY("bps", 0.125),  BINARY("B/s", 1),  BINARY("b/s", 0.125),
    {"KBps", 1e3},     {"Kbps", 125},         {"KB/s", 1e3},     {"Kb/s", 125},
    {NULL, 0}};

const struct source_unit source_times[] = {
    {"ps", 1},     {"ns", 1e3},   {"us", 1e6},    {"ms", 1e9},     {"s", 1e12},  {"m", 6e13},
    {"min", 6e13}, {"h", 3.6e15}, {"d", 8.64e16}, {"w", 6.048e17}, {"fs", 1e-3}, {NULL, 0},
};

static const struct source_unit *find_unit(const struct source_unit *units, const char *name)
{
    while (units->name && strcmp(units->name, name) != 0)
        units++;
    return units->name ? units : NULL;
}

bool source_quantity(const struct network_source *source, struct source_part word,
                     const struct source_unit *units, const char *what, double bare, double *value)
{
    char text[NUMBER_AT_MOST + 1], *end = text;
    const char *example = units == source_rates ? "12.5GBps" : units == source_times ? "50us" : "12Gf";
    size_t length = word.length < NUMBER_AT_MOST ? word.length : NUMBER_AT_MOST;
    memcpy(text, word.text, length);
    text[length] = '\0';
    bool is_number =
        length == word.length && length && strchr("0123456789.", text[0]) && strncasecmp(text, "0x", 2) != 0;
    *value = is_number ? strtod(text, &end) : 0;
    if (end == text || !isfinite(*value))
        return source_refuse(source, word.text, word.length, "%s is a number and a unit, such as %s", what,
                             example);
    while (*end == ' ')
        end++;
    const struct source_unit *unit = *end ? find_unit(units, end) : NULL;
    if (*end && !unit)
        return source_refuse(source, word.text, word.length, "%s has no unit '%s'; it is written as %s", what,
                             end, example);
    if (!*end && bare == 0 && *value != 0)
        return source_refuse(source, word.text, word.length, "%s needs a unit, as in %s", what, example);
    *value *= unit ? unit->factor : bare;
    return true;
}

bool source_rate(const struct network_source *source, struct source_part word, const char *what, double bare,
                 uint64_t *rate_bytes_per_s)
{
    const double most = 7e13; /* as of packet.bandwidth */
    double rate;
    if (!source_quantity(source, word, source_rates, what, bare, &rate))
        return false;
    rate = nearbyint(rate);
    if (rate < 1)
        return source_refuse(source, word.text, word.length,
                             "%s is less than 1 B/s: a link of this rate carries nothing", what);
    if (rate > most)
        return source_refuse(source, word.text, word.length, "%s is more than 70 TB/s, the most of a link",
                             what);
    *rate_bytes_per_s = (uint64_t)rate;
    return true;
}

bool source_latency(const struct network_source *source, struct source_part word, const char *what,
                    double bare, ps_t *latency_ps)
{
    double latency;
    if (!source_quantity(source, word, source_times, what, bare, &latency))
        return false;
    if (latency > 1e15)
        return source_refuse(source, word.text, word.length, "%s is more than 1000 s", what);
    *latency_ps = (ps_t)nearbyint(latency);
    return true;
}
