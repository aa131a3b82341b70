#include "topo/platform_xml.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The attributes of elements, and errors at their places. */

/* The text between the quotes of an attribute, in the tag that begins at `at`. */
static bool find_value(const struct network_source *source, const char *at, const char *name,
                       struct source_part *value)
{
    const char *end = source->text + source->length;
    size_t length = strlen(name);
    for (char quote = 0; at < end && (quote || *at != '>'); at++) {
        if (quote && *at == quote) {
            quote = 0;
            continue;
        }
        if (quote)
            continue;
        if (*at == '"' || *at == '\'') {
            quote = *at;
            continue;
        }
        bool begins = at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\n' || at[-1] == '\r';
        if (!begins || (size_t)(end - at) <= length || memcmp(at, name, length) != 0)
            continue;
        const char *after = at + length + strspn(at + length, " \t\r\n");
        if (after >= end || *after != '=')
            continue;
        after += 1 + strspn(after + 1, " \t\r\n");
        const char *close = after < end ? memchr(after + 1, *after, (size_t)(end - after - 1)) : NULL;
        if (!close)
            return false;
        *value = (struct source_part){after + 1, (size_t)(close - after - 1)};
        return true;
    }
    return false;
}

bool platform_refuse(const struct platform_reader *reader, const struct xml_element *element,
                     const char *attribute, const char *format, ...)
{
    char message[512];
    struct source_part place = {element->at, strlen(element->name) + 1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (attribute)
        find_value(reader->source, element->at + 1, attribute, &place);
    return source_refuse(reader->source, place.text, place.length ? place.length : 1, "%s", message);
}

void platform_refuse_text(const void *text, uint64_t line, uint64_t column, const char *message)
{
    const struct network_source *source = text;
    const char *at = source->text, *end = source->text + source->length;
    for (uint64_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    at = at && column && column - 1 <= (uint64_t)(end - at) ? at + column - 1 : at;
    source_refuse(source, at, 1, "%s", message);
}

/* -------------------------------------------------------------- attributes */

bool platform_value(const struct platform_reader *reader, const struct xml_element *element,
                    const char *attribute, struct source_part *value)
{
    return find_value(reader->source, element->at + 1, attribute, value) && value->length;
}

const char *platform_needed(const struct platform_reader *reader, const struct xml_element *element,
                            const char *attribute)
{
    const char *value = xml_attribute(element, attribute);
    if (!value)
        platform_refuse(reader, element, NULL, "<%s> needs the attribute '%s'", element->name, attribute);
    return value;
}

bool platform_read_rate(const struct platform_reader *reader, const struct xml_element *element,
                        const char *attribute, uint64_t *rate_bytes_per_s)
{
    struct source_part value;
    if (!platform_value(reader, element, attribute, &value))
        return platform_refuse(reader, element, NULL, "<%s> needs a rate as the attribute '%s'",
                               element->name, attribute);
    return source_rate(reader->source, value, attribute, 1, rate_bytes_per_s);
}

bool platform_read_latency(const struct platform_reader *reader, const struct xml_element *element,
                           const char *attribute, ps_t *latency_ps)
{
    struct source_part value;
    *latency_ps = 0;
    return !platform_value(reader, element, attribute, &value) ||
           source_latency(reader->source, value, attribute, 1e12, latency_ps);
}

/* Of several speeds (power states): the one that pstate counts. */
bool platform_read_speed(const struct platform_reader *reader, const struct xml_element *element,
                         double *speed)
{
    static const struct source_unit units[] = {
        {"f", 1},           {"kf", 1e3},         {"Mf", 1e6},         {"Gf", 1e9},        {"Tf", 1e12},
        {"Pf", 1e15},       {"Ef", 1e18},        {"flops", 1},        {"kiloflops", 1e3}, {"megaflops", 1e6},
        {"gigaflops", 1e9}, {"teraflops", 1e12}, {"petaflops", 1e15}, {"exaflops", 1e18}, {NULL, 0}};
    struct source_part value;
    const char *state = xml_attribute(element, "pstate");
    if (!platform_value(reader, element, "speed", &value))
        return platform_refuse(reader, element, NULL, "<%s> needs the attribute 'speed'", element->name);
    const char *at = value.text, *end = value.text + value.length;
    for (long skip = state ? strtol(state, NULL, 10) : 0; skip > 0; skip--) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            return platform_refuse(reader, element, "pstate", "there is no such speed");
        at = comma + 1;
    }
    while (at < end && *at == ' ')
        at++;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    struct source_part one = {at, (size_t)((comma ? comma : end) - at)};
    if (!source_quantity(reader->source, one, units, "the speed of a host", 1, speed))
        return false;
    return *speed > 0 || platform_refuse(reader, element, "speed", "a host has a speed above 0");
}

bool platform_read_coordinates(const struct platform_reader *reader, const struct xml_element *element,
                               uint32_t point)
{
    struct platform_point *of = &reader->platform->points[point];
    const char *text = xml_attribute(element, "coordinates");
    char *end;
    if (!text || !*text)
        return true;
    for (int i = 0; i < 3; i++, text = end) {
        of->coordinates[i] = strtod(text, &end);
        if (end == text || !isfinite(of->coordinates[i]) || fabs(of->coordinates[i]) > 1e5)
            return platform_refuse(reader, element, "coordinates",
                                   "three numbers are expected here, in milliseconds, such as 25.5 9.4 1.4");
    }
    of->has_coordinates = !*end;
    return of->has_coordinates ||
           platform_refuse(reader, element, "coordinates", "three numbers are expected here");
}

bool platform_has_no_profile(const struct platform_reader *reader, const struct xml_element *element)
{
    static const char *const profiles[] = {"speed_file", "availability_file", "state_file", "bandwidth_file",
                                           "latency_file"};
    struct source_part value;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (platform_value(reader, element, profiles[i], &value))
            return platform_refuse(
                reader, element, profiles[i],
                "profiles, by which something changes over time, are not read; remove it, or "
                "see docs/faults.md for links that fail or become slow");
    return true;
}
