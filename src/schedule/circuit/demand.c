#include "schedule/circuit/demand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"

void circuit_demand_add(struct circuit_demand *demand, uint32_t source, uint32_t destination, uint64_t bytes)
{
    demand->lines = mem_grow(demand->lines, &demand->capacity, demand->count + 1, "a demand");
    demand->lines[demand->count++] = (struct circuit_demand_line){source, destination, bytes};
}

void circuit_demand_free(struct circuit_demand *demand)
{
    free(demand->lines);
    *demand = (struct circuit_demand){0};
}

static int compare_lines(const void *a, const void *b)
{
    const struct circuit_demand_line *left = a, *right = b;
    if (left->source != right->source)
        return left->source < right->source ? -1 : 1;
    return left->destination < right->destination ? -1 : left->destination > right->destination;
}

bool circuit_demand_unite(struct circuit_demand *demand)
{
    size_t kept = 0;
    sum_t all = 0;
    if (demand->count)
        qsort(demand->lines, demand->count, sizeof *demand->lines, compare_lines);
    for (size_t i = 0; i < demand->count; i++) {
        const struct circuit_demand_line line = demand->lines[i];
        all += line.bytes;
        if (all >> 63)
            return false;
        if (kept && compare_lines(&line, &demand->lines[kept - 1]) == 0)
            demand->lines[kept - 1].bytes += line.bytes;
        else if (line.bytes)
            demand->lines[kept++] = line;
    }
    demand->count = kept;
    return true;
}

/* -------------------------------------------------------------------- lines */

enum { MOST_ERRORS = 10, LONGEST_SIZE = 64 };
enum demand_form { FORM_UNKNOWN, FORM_LIST, FORM_MATRIX };

struct demand_reader {
    const char *name;
    const char *line;
    size_t length, at; /* of the line; the byte that is read next */
    uint64_t number;
    enum demand_form form;
    uint32_t rows, columns; /* of a matrix: rows so far, entries of the first one */
    unsigned errors;
};

static bool refuse(struct demand_reader *reader, size_t at, size_t span, const char *problem)
{
    if (++reader->errors <= MOST_ERRORS)
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = reader->name,
                                         .line = reader->number,
                                         .column = (uint32_t)at + 1,
                                         .span = (uint32_t)span,
                                         .source = reader->line,
                                         .source_length = reader->length},
                    "%s", problem);
    return false;
}

static void skip_blanks(struct demand_reader *reader)
{
    while (reader->at < reader->length &&
           (reader->line[reader->at] == ' ' || reader->line[reader->at] == '\t'))
        reader->at++;
}

/* The field at the reader's place, which moves behind its comma, or to the end. */
static size_t take_field(struct demand_reader *reader, const char **field, bool *comma)
{
    skip_blanks(reader);
    *field = reader->line + reader->at;
    const char *end = memchr(*field, ',', reader->length - reader->at);
    size_t length = end ? (size_t)(end - *field) : reader->length - reader->at;
    *comma = end;
    reader->at += length + *comma;
    while (length && ((*field)[length - 1] == ' ' || (*field)[length - 1] == '\t'))
        length--;
    return length;
}

static const char no_port[] = "here a port number is expected: a line is src,dst,bytes; a matrix begins "
                              "with the line 'matrix'";

static bool read_port(struct demand_reader *reader, uint32_t *port)
{
    const char *field;
    bool comma;
    uint64_t value = 0;
    size_t length = take_field(reader, &field, &comma), at = (size_t)(field - reader->line);
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)field[i] - '0';
        if (digit > 9)
            return refuse(reader, at, length, field[0] == '-' ? "a port number is not negative" : no_port);
        if (value < CIRCUIT_MOST_PORTS)
            value = 10 * value + digit;
    }
    if (!length)
        return refuse(reader, at, 1, no_port);
    if (value >= CIRCUIT_MOST_PORTS)
        return refuse(reader, at, length, "a switch has at most 4096 ports, 0 to 4095");
    if (!comma)
        return refuse(reader, at + length, 1, "here a comma is expected: a line is src,dst,bytes");
    *port = (uint32_t)value;
    return true;
}

/* A number is that of bytes; others have a unit. */
static bool read_size(struct demand_reader *reader, const char *field, size_t length, uint64_t *bytes)
{
    struct units_problem problem;
    char text[LONGEST_SIZE];
    size_t at = (size_t)(field - reader->line);
    if (!length || length >= sizeof text || memchr(field, 0, length))
        return refuse(reader, at, length ? length : 1,
                      reader->form == FORM_MATRIX
                          ? "here a number of bytes is expected"
                          : "here a number of bytes is expected: a line is src,dst,bytes");
    if (field[0] == '-')
        return refuse(reader, at, length, "a number of bytes is not negative");
    memcpy(text, field, length);
    text[length] = 0;
    size_t digits = strspn(text, "0123456789");
    if (!(digits == length ? units_count(text, bytes, &problem) : units_size(text, bytes, &problem))) {
        char what[sizeof problem.text + LONGEST_SIZE];
        snprintf(what, sizeof what, "here a whole number of bytes below 2^63 is expected: %s", problem.text);
        return refuse(reader, at, length, what);
    }
    if (*bytes >> 63)
        return refuse(reader, at, length, "a number of bytes is below 2^63");
    return true;
}

static bool read_bytes(struct demand_reader *reader, uint64_t *bytes)
{
    const char *field;
    bool comma;
    size_t length = take_field(reader, &field, &comma), at = (size_t)(field - reader->line);
    if (comma)
        return refuse(reader, at + length, 1, "nothing more is expected: a line is src,dst,bytes");
    return read_size(reader, field, length, bytes);
}

static void read_line(struct demand_reader *reader, struct circuit_demand *demand)
{
    uint32_t source, destination;
    uint64_t bytes;
    if (read_port(reader, &source) && read_port(reader, &destination) && read_bytes(reader, &bytes))
        circuit_demand_add(demand, source, destination, bytes);
}

/* The bytes of one sender for each receiver. */
static void read_row(struct demand_reader *reader, struct circuit_demand *demand)
{
    uint32_t row = reader->rows++, column = 0;
    char what[128];
    for (bool comma = true; comma; column++) {
        const char *field;
        uint64_t bytes;
        size_t length = take_field(reader, &field, &comma);
        if (column == CIRCUIT_MOST_PORTS) {
            refuse(reader, (size_t)(field - reader->line), length, "a switch has at most 4096 ports");
            return;
        }
        if (!read_size(reader, field, length, &bytes))
            return;
        if (bytes)
            circuit_demand_add(demand, row, column, bytes);
    }
    if (!reader->columns)
        reader->columns = column;
    if (column != reader->columns) {
        snprintf(what, sizeof what,
                 "the matrix is not square: the rows above have %" PRIu32
                 " entries, and this one has %" PRIu32,
                 reader->columns, column);
        refuse(reader, 0, reader->length, what);
    } else if (row >= reader->columns) {
        snprintf(what, sizeof what,
                 "the matrix is not square: its rows have %" PRIu32 " entries, and this is row %" PRIu32,
                 reader->columns, row + 1);
        refuse(reader, 0, reader->length, what);
    }
}

static bool is_line(const struct demand_reader *reader, const char *text)
{
    return reader->length == strlen(text) && memcmp(reader->line, text, reader->length) == 0;
}

/* The first line with text decides. True: it is a header, and has no bytes. */
static bool choose_form(struct demand_reader *reader)
{
    uint64_t commas = 0;
    if (reader->form != FORM_UNKNOWN)
        return false;
    for (size_t i = 0; i < reader->length; i++)
        commas += reader->line[i] == ',';
    bool is_matrix = is_line(reader, "matrix"), is_list = is_line(reader, "src,dst,bytes");
    reader->form = is_matrix || commas == 1 || commas > 2 ? FORM_MATRIX : FORM_LIST;
    return is_matrix || is_list;
}

static void read_lines(struct demand_reader *reader, const char *text, size_t size,
                       struct circuit_demand *demand)
{
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        reader->line = text + at;
        reader->length = end - at;
        reader->at = 0;
        reader->number++;
        if (reader->length && reader->line[reader->length - 1] == '\r')
            reader->length--;
        skip_blanks(reader);
        bool has_text = reader->at < reader->length && reader->line[reader->at] != '#';
        if (has_text && !choose_form(reader))
            (reader->form == FORM_MATRIX ? read_row : read_line)(reader, demand);
        at = end + 1;
    }
}

/* What is wrong with the lines together. */
static void check_whole(struct demand_reader *reader, struct circuit_demand *demand)
{
    const struct diag_place whole = {.file = reader->name};
    if (reader->rows < reader->columns)
        diag_report(DIAG_ERROR, &whole,
                    "the matrix is not square: it has %" PRIu32 " row%s of %" PRIu32
                    " entries; a demand is a square matrix, or lines src,dst,bytes",
                    reader->rows, reader->rows == 1 ? "" : "s", reader->columns);
    else if (!circuit_demand_unite(demand))
        diag_report(DIAG_ERROR, &whole, "the bytes of all lines add up to 2^63 or more");
    else if (!demand->count)
        diag_report(DIAG_ERROR, &whole,
                    "the demand is empty; at least one line src,dst,bytes with bytes above 0 is needed");
    else
        return;
    reader->errors++;
}

enum status circuit_demand_parse(const char *name, const char *text, size_t size,
                                 struct circuit_demand *demand)
{
    struct demand_reader reader = {.name = name};
    *demand = (struct circuit_demand){0};
    read_lines(&reader, text, size, demand);
    if (reader.errors > MOST_ERRORS)
        diag_note("%u more lines of %s are wrong", reader.errors - MOST_ERRORS, name);
    if (!reader.errors)
        check_whole(&reader, demand);
    if (!reader.errors)
        return STATUS_OK;
    circuit_demand_free(demand);
    return STATUS_BAD_INPUT;
}

enum status circuit_demand_load(const char *path, struct circuit_demand *demand)
{
    char *text;
    size_t size;
    enum status status = file_load(path, CIRCUIT_FILE_AT_MOST, "a demand", &text, &size);
    if (status != STATUS_OK)
        return status;
    status = circuit_demand_parse(path, text, size, demand);
    free(text);
    return status;
}
