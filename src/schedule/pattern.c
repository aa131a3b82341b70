#include "schedule/pattern.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/load.h"

void tdm_pattern_add(struct tdm_pattern *pattern, uint32_t source, uint32_t destination)
{
    pattern->requests = mem_grow(pattern->requests, &pattern->capacity, pattern->count + 1, "a pattern");
    pattern->requests[pattern->count++] = (struct tdm_request){source, destination};
}

void tdm_pattern_close(struct tdm_pattern *pattern)
{
    free(pattern->requests);
    *pattern = (struct tdm_pattern){0};
}

static int compare_requests(const void *a, const void *b)
{
    const struct tdm_request *left = a, *right = b;
    if (left->source != right->source)
        return left->source < right->source ? -1 : 1;
    return left->destination < right->destination ? -1 : left->destination > right->destination;
}

void tdm_pattern_unite(struct tdm_pattern *pattern)
{
    size_t kept = 0;
    if (pattern->count)
        qsort(pattern->requests, pattern->count, sizeof *pattern->requests, compare_requests);
    for (size_t i = 0; i < pattern->count; i++) {
        const struct tdm_request *request = &pattern->requests[i];
        if (request->source != request->destination &&
            (kept == 0 || compare_requests(request, &pattern->requests[kept - 1]) != 0))
            pattern->requests[kept++] = *request;
    }
    pattern->count = kept;
}

/* -------------------------------------------------------------------------------------------------- lines */

enum { MOST_ERRORS = 10 };

struct reading {
    const char *name;
    const char *line;
    size_t length;
    uint64_t number;
    uint32_t nodes;
    unsigned errors;
};

static void refuse(struct reading *reading, size_t at, size_t span, const char *problem)
{
    if (++reading->errors > MOST_ERRORS)
        return;
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = reading->name,
                                     .line = reading->number,
                                     .column = (uint32_t)at + 1,
                                     .span = (uint32_t)span,
                                     .source = reading->line,
                                     .source_length = reading->length},
                "%s", problem);
}

static size_t skip_blanks(const struct reading *reading, size_t at)
{
    while (at < reading->length && (reading->line[at] == ' ' || reading->line[at] == '\t'))
        at++;
    return at;
}

static size_t digits_from(const struct reading *reading, size_t at)
{
    size_t end = at;
    while (end < reading->length && reading->line[end] >= '0' && reading->line[end] <= '9')
        end++;
    return end - at;
}

/* A node number at *at, which moves behind it. */
static bool read_node(struct reading *reading, size_t *at, uint32_t *node)
{
    char problem[128];
    size_t begin = *at = skip_blanks(reading, *at), span = digits_from(reading, begin);
    uint64_t value = 0;
    if (!span) {
        refuse(reading, begin, 1, "here a node number is expected: a line is src,dst");
        return false;
    }
    for (; *at < begin + span; ++*at)
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(reading->line[*at] - '0');
    if (value >= reading->nodes) {
        snprintf(problem, sizeof problem, "there is no such node: there are %" PRIu32 ", 0 to %" PRIu32,
                 reading->nodes, reading->nodes - 1);
        refuse(reading, begin, span, problem);
        return false;
    }
    *node = (uint32_t)value;
    *at = skip_blanks(reading, *at);
    return true;
}

static void read_line(struct reading *reading, struct tdm_pattern *pattern)
{
    size_t at = 0, begin = skip_blanks(reading, 0);
    uint32_t source, destination;
    if (!read_node(reading, &at, &source))
        return;
    if (at == reading->length || reading->line[at] != ',') {
        refuse(reading, at, 1, "here a comma is expected: a line is src,dst");
        return;
    }
    at++;
    if (!read_node(reading, &at, &destination))
        return;
    if (at != reading->length)
        refuse(reading, at, reading->length - at, "nothing more is expected: a line is src,dst");
    else if (source == destination)
        refuse(reading, begin, at - begin, "a node sends to itself, which takes no connection");
    else if (pattern->count == TDM_MOST_REQUESTS)
        refuse(reading, begin, at - begin, "that is more requests than can be scheduled: 67108864");
    else
        tdm_pattern_add(pattern, source, destination);
}

static bool is_header(const struct reading *reading)
{
    static const char header[] = "src,dst";
    return reading->number == 1 && reading->length == sizeof header - 1 &&
           memcmp(reading->line, header, reading->length) == 0;
}

enum status tdm_pattern_parse(const char *name, const char *text, size_t size, uint32_t nodes,
                              struct tdm_pattern *pattern)
{
    struct reading reading = {.name = name, .nodes = nodes};
    *pattern = (struct tdm_pattern){0};
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        reading.line = text + at;
        reading.length = end - at;
        reading.number++;
        if (reading.length && reading.line[reading.length - 1] == '\r')
            reading.length--;
        size_t begin = skip_blanks(&reading, 0);
        if (begin < reading.length && reading.line[begin] != '#' && !is_header(&reading))
            read_line(&reading, pattern);
        at = end + 1;
    }
    if (reading.errors > MOST_ERRORS)
        diag_note("%u more lines of %s are wrong", reading.errors - MOST_ERRORS, name);
    if (!reading.errors)
        return STATUS_OK;
    tdm_pattern_close(pattern);
    return STATUS_BAD_INPUT;
}

enum status tdm_pattern_read(const char *path, uint32_t nodes, struct tdm_pattern *pattern)
{
    char *text;
    size_t size;
    enum status status = tdm_load(path, &text, &size);
    if (status != STATUS_OK)
        return status;
    status = tdm_pattern_parse(path, text, size, nodes, pattern);
    free(text);
    return status;
}
