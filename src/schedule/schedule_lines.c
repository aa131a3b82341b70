#include "schedule/schedule_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/units.h"

enum { MOST_REPORTED = 10, LONGEST_FIELD = 48 };

static void report_line(const struct schedule_lines *lines, size_t at, size_t span, const char *problem)
{
    if (lines->wrong + lines->unfit <= MOST_REPORTED)
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = lines->name,
                                         .line = lines->number,
                                         .column = (uint32_t)at + 1,
                                         .span = (uint32_t)(span ? span : 1),
                                         .source = lines->line,
                                         .source_length = lines->length},
                    "%s", problem);
}

bool schedule_lines_malformed(struct schedule_lines *lines, size_t at, size_t span, const char *problem)
{
    lines->wrong++;
    report_line(lines, at, span, problem);
    return false;
}

bool schedule_lines_unfit(struct schedule_lines *lines, size_t at, const char *problem)
{
    lines->unfit++;
    report_line(lines, at, 1, problem);
    return false;
}

static bool take_field(struct schedule_lines *lines, bool is_last, char text[LONGEST_FIELD], size_t *begin)
{
    char form[LONGEST_FIELD + 64];
    const char *rest = lines->line + lines->at;
    size_t length = lines->length - lines->at;
    const char *comma = memchr(rest, ',', length);
    *begin = lines->at;
    if (comma)
        length = (size_t)(comma - rest);
    if (!comma && !is_last && length) {
        snprintf(form, sizeof form, "here a comma is expected: a line is %s", lines->header);
        return schedule_lines_malformed(lines, lines->length, 1, form);
    }
    if ((comma != NULL) == is_last || length == 0 || length >= LONGEST_FIELD || memchr(rest, 0, length)) {
        snprintf(form, sizeof form, "a line is %s", lines->header);
        return schedule_lines_malformed(lines, *begin, length, form);
    }
    memcpy(text, rest, length);
    text[length] = 0;
    lines->at += length + (comma != NULL);
    return true;
}

bool schedule_lines_number(struct schedule_lines *lines, bool is_last, uint32_t limit, const char *problem,
                           uint32_t *number)
{
    char text[LONGEST_FIELD];
    size_t begin;
    uint64_t value = 0;
    if (!take_field(lines, is_last, text, &begin))
        return false;
    for (const char *at = text; *at; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9)
            return schedule_lines_malformed(lines, begin, strlen(text), problem);
        if (value < limit)
            value = 10 * value + digit;
    }
    if (value >= limit)
        return schedule_lines_malformed(lines, begin, strlen(text), problem);
    *number = (uint32_t)value;
    return true;
}

bool schedule_lines_time(struct schedule_lines *lines, ps_t *time_ps)
{
    char text[LONGEST_FIELD], with_unit[LONGEST_FIELD + 4];
    struct units_problem problem;
    size_t begin;
    if (!take_field(lines, false, text, &begin))
        return false;
    snprintf(with_unit, sizeof with_unit, "%s s", text);
    if (strspn(text, "0123456789.eE+-") == strlen(text) && units_time(with_unit, time_ps, &problem))
        return true;
    return schedule_lines_malformed(lines, begin, strlen(text),
                                    "here seconds are expected, a number of whole picoseconds below 2^63");
}

bool schedule_lines_span(struct schedule_lines *lines, ps_t after_ps, ps_t *start_ps, ps_t *end_ps)
{
    if (!schedule_lines_time(lines, start_ps) || !schedule_lines_time(lines, end_ps))
        return false;
    if (*end_ps <= *start_ps)
        return schedule_lines_malformed(
            lines, 0, lines->length, "the circuit ends before it carries anything; end_s is after start_s");
    if (*start_ps < after_ps)
        return schedule_lines_malformed(
            lines, 0, lines->length,
            "the circuit starts before that of the line above; lines are in the order of start_s");
    return true;
}

void schedule_lines_read(struct schedule_lines *lines, const char *text, size_t size,
                         void (*read)(void *context), void *context)
{
    progress_begin("reading the schedule", size);
    for (size_t at = 0; at < size;) {
        progress_tell(at);
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        lines->line = text + at;
        lines->length = end - at;
        lines->at = 0;
        lines->number++;
        if (lines->length && lines->line[lines->length - 1] == '\r')
            lines->length--;
        bool is_header = lines->number == 1 && lines->length == strlen(lines->header) &&
                         memcmp(lines->line, lines->header, lines->length) == 0;
        if (!is_header && lines->length && lines->line[0] != '#')
            read(context);
        at = end + 1;
    }
    progress_end();
    if (lines->wrong + lines->unfit > MOST_REPORTED)
        diag_note("%" PRIu64 " more lines of %s are wrong", lines->wrong + lines->unfit - MOST_REPORTED,
                  lines->name);
}

/* ----------------------------------------------------------------- problems */

void schedule_problems_add(struct schedule_problems *problems, ps_t at_ps, uint32_t line, const char *format,
                           ...)
{
    va_list arguments;
    problems->list = mem_grow(problems->list, &problems->capacity, problems->count + 1, "problems");
    struct schedule_problem *found = &problems->list[problems->count++];
    *found = (struct schedule_problem){.at_ps = at_ps, .line = line};
    va_start(arguments, format);
    vsnprintf(found->text, sizeof found->text, format, arguments);
    va_end(arguments);
}

static int compare_found(const void *a, const void *b)
{
    const struct schedule_problem *left = a, *right = b;
    if (left->at_ps != right->at_ps)
        return left->at_ps < right->at_ps ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

size_t schedule_problems_report(struct schedule_problems *problems, const char *name,
                                char first[SCHEDULE_PROBLEM])
{
    size_t count = problems->count;
    if (count)
        qsort(problems->list, count, sizeof *problems->list, compare_found);
    for (size_t i = 0; i < count && i < MOST_REPORTED; i++)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = name, .line = problems->list[i].line}, "%s",
                    problems->list[i].text);
    if (count > MOST_REPORTED)
        diag_note("%zu more problems in %s", count - MOST_REPORTED, name);
    if (count)
        memcpy(first, problems->list[0].text, SCHEDULE_PROBLEM);
    free(problems->list);
    *problems = (struct schedule_problems){0};
    return count;
}

uint64_t schedule_bytes(ps_t carried_ps, uint64_t rate_bytes_per_s)
{
    return (uint64_t)((unsigned __int128)(uint64_t)carried_ps * rate_bytes_per_s / (uint64_t)PS_PER_S);
}

const char *schedule_byte(ps_t carried_ps, uint64_t rate_bytes_per_s, uint32_t source, uint32_t destination,
                          char text[SCHEDULE_BYTE])
{
    snprintf(text, SCHEDULE_BYTE, "byte %" PRIu64 " of %" PRIu32 ",%" PRIu32,
             schedule_bytes(carried_ps, rate_bytes_per_s), source, destination);
    return text;
}

const char *schedule_seconds(ps_t time_ps, char text[SCHEDULE_TIME])
{
    snprintf(text, SCHEDULE_TIME, "%" PRId64 ".%012" PRId64 " s", time_ps / PS_PER_S, time_ps % PS_PER_S);
    return text;
}
