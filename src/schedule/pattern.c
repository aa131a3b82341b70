#include "schedule/pattern.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"

void tdm_pattern_add(struct tdm_pattern *pattern, uint32_t source, uint32_t destination)
{
    pattern->requests = mem_grow(pattern->requests, &pattern->capacity, pattern->count + 1, "a pattern");
    pattern->requests[pattern->count++] = (struct tdm_request){source, destination};
}

void tdm_pattern_free(struct tdm_pattern *pattern)
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

/* -------------------------------------------------------------------- lines */

enum { MOST_ERRORS = 10 };

struct pattern_reader {
    const char *name;
    const char *line;
    size_t length;
    uint64_t number;
    uint32_t nodes;
    unsigned errors;
};

static void refuse(struct pattern_reader *reader, size_t at, size_t span, const char *problem)
{
    if (++reader->errors > MOST_ERRORS)
        return;
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = reader->name,
                                     .line = reader->number,
                                     .column = (uint32_t)at + 1,
                                     .span = (uint32_t)span,
                                     .source = reader->line,
                                     .source_length = reader->length},
                "%s", problem);
}

static size_t skip_blanks(const struct pattern_reader *reader, size_t at)
{
    while (at < reader->length && (reader->line[at] == ' ' || reader->line[at] == '\t'))
        at++;
    return at;
}

static size_t digits_from(const struct pattern_reader *reader, size_t at)
{
    size_t end = at;
    while (end < reader->length && reader->line[end] >= '0' && reader->line[end] <= '9')
        end++;
    return end - at;
}

/* A node number at *at, which moves behind it. */
static bool read_node(struct pattern_reader *reader, size_t *at, uint32_t *node)
{
    char problem[128];
    size_t begin = *at = skip_blanks(reader, *at), span = digits_from(reader, begin);
    uint64_t value = 0;
    if (!span) {
        refuse(reader, begin, 1, "here a node number is expected: a line is src,dst");
        return false;
    }
    for (; *at < begin + span; ++*at)
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(reader->line[*at] - '0');
    if (value >= reader->nodes) {
        snprintf(problem, sizeof problem, "there is no such node: there are %" PRIu32 ", 0 to %" PRIu32,
                 reader->nodes, reader->nodes - 1);
        refuse(reader, begin, span, problem);
        return false;
    }
    *node = (uint32_t)value;
    *at = skip_blanks(reader, *at);
    return true;
}

static void read_line(struct pattern_reader *reader, struct tdm_pattern *pattern)
{
    size_t at = 0, begin = skip_blanks(reader, 0);
    uint32_t source, destination;
    if (!read_node(reader, &at, &source))
        return;
    if (at == reader->length || reader->line[at] != ',') {
        refuse(reader, at, 1, "here a comma is expected: a line is src,dst");
        return;
    }
    at++;
    if (!read_node(reader, &at, &destination))
        return;
    if (at != reader->length)
        refuse(reader, at, reader->length - at, "nothing more is expected: a line is src,dst");
    else if (source == destination)
        refuse(reader, begin, at - begin, "a node sends to itself, which takes no connection");
    else if (pattern->count == TDM_MOST_REQUESTS)
        refuse(reader, begin, at - begin, "that is more requests than can be scheduled: 67108864");
    else
        tdm_pattern_add(pattern, source, destination);
}

static bool is_header(const struct pattern_reader *reader)
{
    static const char header[] = "src,dst";
    return reader->number == 1 && reader->length == sizeof header - 1 &&
           memcmp(reader->line, header, reader->length) == 0;
}

enum status tdm_pattern_parse(const char *name, const char *text, size_t size, uint32_t nodes,
                              struct tdm_pattern *pattern)
{
    struct pattern_reader reader = {.name = name, .nodes = nodes};
    *pattern = (struct tdm_pattern){0};
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        reader.line = text + at;
        reader.length = end - at;
        reader.number++;
        if (reader.length && reader.line[reader.length - 1] == '\r')
            reader.length--;
        size_t begin = skip_blanks(&reader, 0);
        if (begin < reader.length && reader.line[begin] != '#' && !is_header(&reader))
            read_line(&reader, pattern);
        at = end + 1;
    }
    if (reader.errors > MOST_ERRORS)
        diag_note("%u more lines of %s are wrong", reader.errors - MOST_ERRORS, name);
    if (!reader.errors)
        return STATUS_OK;
    tdm_pattern_free(pattern);
    return STATUS_BAD_INPUT;
}

enum status tdm_pattern_load(const char *path, uint32_t nodes, struct tdm_pattern *pattern)
{
    char *text;
    size_t size;
    enum status status = file_load(path, TDM_FILE_AT_MOST, "a file of connections", &text, &size);
    if (status != STATUS_OK)
        return status;
    status = tdm_pattern_parse(path, text, size, nodes, pattern);
    free(text);
    return status;
}
