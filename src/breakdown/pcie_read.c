#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "breakdown/pcie.h"

/* A trace as text has one packet per line. Columns are found by their names, since users of analyzers choose
 * them. */
enum { LINE_AT_MOST = 1 << 16, COLUMNS_AT_MOST = 128, ERRORS_AT_MOST = 20 };

struct pcie_cell {
    const char *text;
    size_t length;
};

enum { PACKETS_AT_MOST = 200000000 };

struct pcie_reader {
    const struct pcie_reading *reading;
    struct pcie_trace *trace;
    const char *name;
    uint64_t line;
    char *text;
    size_t length;
    char separator;
    int column[PCIE_FIELDS]; /* the column that has the field; -1 = none */
    bool dwords;             /* lengths are in double words, as LeCroy counts them */
    int errors;
};

static const char *const field_names[PCIE_FIELDS] = {
    [PCIE_TIME] = "time",     [PCIE_DIRECTION] = "dir", [PCIE_TYPE] = "type",
    [PCIE_LENGTH] = "len",    [PCIE_SEQUENCE] = "seq",  [PCIE_ADDRESS] = "addr",
    [PCIE_PACKET] = "packet", [PCIE_ACK_OF] = "ack_of", [PCIE_ACKED_BY] = "acked_by",
};

/* First the names of Heliograph's own form, then those in exports of LeCroy's software. */
enum { NAMES = 5 };
static const char *const usual_names[PCIE_FIELDS][NAMES] = {
    [PCIE_TIME] = {"time_ns", "Time Stamp", "TimeStamp", "Time"},
    [PCIE_DIRECTION] = {"dir", "Direction", "R+", "R-", "Dir."},
    [PCIE_TYPE] = {"type", "TLP Type", "Packet Type", "MWr(64)", "MWr(32)"},
    [PCIE_LENGTH] = {"len", "Length"},
    [PCIE_SEQUENCE] = {"seq", "TLP", "Seq", "Sequence", "Sequence Number"},
    [PCIE_ADDRESS] = {"addr", "Address"},
    [PCIE_PACKET] = {"packet", "Packet", "Packet #"},
    [PCIE_ACK_OF] = {"ack_of"},
    [PCIE_ACKED_BY] = {"acked_by", "Explicit ACK", "ExplicitACK"},
};

enum pcie_field pcie_field_of(const char *name)
{
    enum pcie_field field = 0;
    while (field < PCIE_FIELDS && strcmp(field_names[field], name) != 0)
        field++;
    return field;
}

/* ------------------------------------------------------------------- errors */

static void error_at(struct pcie_reader *reader, const char *at, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void error_at(struct pcie_reader *reader, const char *at, size_t span, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = reader->name,
                                     .line = reader->line,
                                     .column = (uint32_t)(at - reader->text) + 1,
                                     .span = (uint32_t)span,
                                     .source = reader->text,
                                     .source_length = reader->length},
                "%s", message);
    if (++reader->errors == ERRORS_AT_MOST)
        diag_note("%s: there are %d errors; the rest of the file is not read", reader->name, ERRORS_AT_MOST);
}

/* -------------------------------------------------------------------- cells */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct pcie_cell trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    return (struct pcie_cell){begin, (size_t)(end - begin)};
}

/* The line's cells, without the quotes around them. */
static size_t split(const struct pcie_reader *reader, struct pcie_cell cells[COLUMNS_AT_MOST])
{
    const char *at = reader->text, *end = reader->text + reader->length;
    size_t count = 0;
    while (count < COLUMNS_AT_MOST) {
        while (at < end && *at == ' ')
            at++;
        const char *begin = at;
        const char *closing = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (closing) {
            cells[count++] = trimmed(begin + 1, closing);
            at = closing;
        }
        const char *next = at < end ? memchr(at, reader->separator, (size_t)(end - at)) : NULL;
        if (!closing)
            cells[count++] = trimmed(begin, next ? next : end);
        if (!next)
            break;
        at = next + 1;
    }
    return count;
}

static bool is_word(struct pcie_cell cell, const char *word)
{
    return cell.length == strlen(word) && strncasecmp(cell.text, word, cell.length) == 0;
}

static bool begins(struct pcie_cell cell, const char *word)
{
    return cell.length >= strlen(word) && strncasecmp(cell.text, word, strlen(word)) == 0;
}

/* ------------------------------------------------------------------- header */

static int find_column(const struct pcie_cell *cells, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(cells[i], name))
            return (int)i;
    return -1;
}

static void find_columns(struct pcie_reader *reader, const struct pcie_cell *cells, size_t count)
{
    for (int field = 0; field < PCIE_FIELDS; field++) {
        const char *wanted = reader->reading->columns[field];
        reader->column[field] = wanted ? find_column(cells, count, wanted) : -1;
        if (wanted && reader->column[field] < 0)
            error_at(reader, reader->text, reader->length, "there is no column '%s' for %s", wanted,
                     field_names[field]);
        for (int i = 0; !wanted && i < NAMES && usual_names[field][i] && reader->column[field] < 0; i++)
            reader->column[field] = find_column(cells, count, usual_names[field][i]);
    }
    int length = reader->column[PCIE_LENGTH];
    reader->dwords = length >= 0 && is_word(cells[length], "Length");
}

/* False, reported: a column is missing that is needed. */
static bool read_header(struct pcie_reader *reader)
{
    struct pcie_cell cells[COLUMNS_AT_MOST];
    reader->separator = memchr(reader->text, '\t', reader->length)  ? '\t'
                        : memchr(reader->text, ';', reader->length) ? ';'
                                                                    : ',';
    size_t count = split(reader, cells);
    find_columns(reader, cells, count);
    static const enum pcie_field needed[] = {PCIE_TIME, PCIE_TYPE, PCIE_LENGTH};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (reader->column[needed[i]] < 0 && !reader->reading->columns[needed[i]])
            error_at(reader, reader->text, reader->length,
                     "no column is named '%s' or '%s'; --map %s=COLUMN names it", usual_names[needed[i]][0],
                     usual_names[needed[i]][1], field_names[needed[i]]);
    if (reader->column[PCIE_DIRECTION] < 0 && reader->reading->only_direction < 0 &&
        !reader->reading->columns[PCIE_DIRECTION])
        error_at(reader, reader->text, reader->length,
                 "no column is named 'dir' or 'Direction'; --map dir=COLUMN names it, or --only down says "
                 "that the trace has one direction");
    reader->trace->has_directions = reader->column[PCIE_DIRECTION] >= 0;
    return reader->errors == 0;
}

/* "# pciecsv 1; analyzer=next-to-nic; test=am_lat" */
static void read_comment(struct pcie_reader *reader)
{
    struct pcie_trace *trace = reader->trace;
    const char *place = strstr(reader->text, "analyzer="), *test = strstr(reader->text, "test=");
    const char *version = strstr(reader->text, "pciecsv ");
    if (version && strncmp(version, "pciecsv 1", strlen("pciecsv 1")) != 0)
        error_at(reader, version, strlen("pciecsv"), "only version 1 of pciecsv can be read");
    if (place) {
        place += strlen("analyzer=");
        trace->place_known = true;
        if (strncmp(place, "next-to-nic", strlen("next-to-nic")) == 0)
            trace->place = PCIE_NEXT_TO_NIC;
        else if (strncmp(place, "next-to-rc", strlen("next-to-rc")) == 0)
            trace->place = PCIE_NEXT_TO_RC;
        else
            error_at(reader, place, strcspn(place, "; "), "an analyzer is next-to-nic or next-to-rc");
    }
    if (test) {
        test += strlen("test=");
        snprintf(trace->test, sizeof trace->test, "%.*s", (int)strcspn(test, "; \r"), test);
    }
}

/* ------------------------------------------------------------------ packets */

/* "1234.5" in nanoseconds, or "0001.429 406 854 2 s", in which blanks group digits. False: not a time. */
static bool parse_time(struct pcie_cell cell, ps_t *at, bool *coarse)
{
    enum { NS_EXPONENT = 3, MOST_DIGITS = 18 };
    static const struct {
        const char *unit;
        int exponent; /* of ten: picoseconds */
    } units[] = {{"ns", 3}, {"us", 6}, {"ms", 9}, {"s", 12}};
    int exponent = NS_EXPONENT;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].unit);
        if (cell.length > length && strncmp(cell.text + cell.length - length, units[i].unit, length) == 0) {
            exponent = units[i].exponent;
            cell.length -= length;
            break;
        }
    }
    uint64_t value = 0;
    int digits = 0, significant = 0, behind = -1; /* decimals; -1: no point so far */
    for (size_t i = 0; i < cell.length; i++) {
        char c = cell.text[i];
        if (c == ' ')
            continue;
        if (c == '.' && behind < 0) {
            behind = 0;
            continue;
        }
        if (c < '0' || c > '9' || significant == MOST_DIGITS)
            return false;
        value = value * 10 + (uint64_t)(c - '0');
        digits++;
        significant += value != 0;
        behind += behind >= 0;
    }
    int shift = exponent - (behind > 0 ? behind : 0);
    if (!digits || shift < 0)
        return false;
    for (; shift > 0; shift--)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value))
            return false;
    *coarse = value % 100 == 0;
    *at = (ps_t)value;
    return value <= INT64_MAX;
}

/* A hexadecimal address: "0x40", "00000040:00026A00". */
static bool parse_address(struct pcie_cell cell, uint64_t *address)
{
    size_t i = begins(cell, "0x") ? 2 : 0;
    uint64_t value = 0;
    if (i == cell.length)
        return false;
    for (; i < cell.length; i++) {
        char c = cell.text[i];
        if (c == ':' || c == '_')
            continue;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0 || value >> 60)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    *address = value;
    return true;
}

/* "16", "Packet #8268150": the digits at the end. */
static bool parse_whole(struct pcie_cell cell, uint64_t at_most, uint64_t *number)
{
    size_t i = 0;
    uint64_t value = 0;
    while (i < cell.length && (cell.text[i] < '0' || cell.text[i] > '9') && cell.text[i] != '-')
        i++;
    if (i == cell.length)
        return false;
    for (; i < cell.length; i++) {
        if (cell.text[i] < '0' || cell.text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(cell.text[i] - '0');
        if (value > at_most)
            return false;
    }
    *number = value;
    return true;
}

static enum pcie_type type_of(struct pcie_cell cell)
{
    /* MWr(64) has addresses of 64 bits, not 64 bytes. */
    static const struct {
        const char *word;
        enum pcie_type type;
    } types[] = {{"MWr", PCIE_MWR}, {"MRd", PCIE_MRD}, {"CplD", PCIE_CPLD},
                 {"ACK", PCIE_ACK}, {"NAK", PCIE_NAK}, {"UpdateFC", PCIE_UPDATE_FC}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (begins(cell, types[i].word))
            return types[i].type;
    return PCIE_OTHER;
}

static bool direction_of(struct pcie_cell cell, uint8_t *direction)
{
    static const char *const words[][6] = {
        [PCIE_DOWN] = {"down", "D", "downstream", "R->", "->", "R\xe2\x86\x92"},
        [PCIE_UP] = {"up", "U", "upstream", "<-R", "<-", "\xe2\x86\x90R"}};
    for (uint8_t which = PCIE_DOWN; which <= PCIE_UP; which++)
        for (int i = 0; i < 6; i++)
            if (is_word(cell, words[which][i])) {
                *direction = which;
                return true;
            }
    return false;
}

/* The cell of a field; empty: the line or the trace has none. */
static struct pcie_cell cell_of(const struct pcie_reader *reader, const struct pcie_cell *cells, size_t count,
                                enum pcie_field field)
{
    int column = reader->column[field];
    return column >= 0 && (size_t)column < count ? cells[column] : (struct pcie_cell){reader->text, 0};
}

/* The other fields of a packet whose time, direction and type are known. False: reported. */
static bool read_details(struct pcie_reader *reader, const struct pcie_cell *cells, size_t count,
                         struct pcie_packet *packet)
{
    enum { BYTES_AT_MOST = 4096 }; /* of a TLP: 1024 double words */
    bool is_tlp = packet->type <= PCIE_CPLD;
    uint64_t number;
    struct pcie_cell length = cell_of(reader, cells, count, PCIE_LENGTH);
    struct pcie_cell sequence = cell_of(reader, cells, count, PCIE_SEQUENCE);
    struct pcie_cell address = cell_of(reader, cells, count, PCIE_ADDRESS);
    if (is_tlp) {
        if (!parse_whole(length, BYTES_AT_MOST, &number) ||
            number * (reader->dwords ? 4 : 1) > BYTES_AT_MOST) {
            error_at(reader, length.text, length.length, "a TLP has a length of at most 4096 bytes%s",
                     reader->dwords ? ", 1024 double words" : "");
            return false;
        }
        packet->bytes = (uint32_t)number * (reader->dwords ? 4 : 1);
    }
    if (sequence.length) {
        if (!parse_whole(sequence, PCIE_SEQUENCES - 1, &number)) {
            error_at(reader, sequence.text, sequence.length, "a sequence number is from 0 to 4095");
            return false;
        }
        packet->sequence = (uint16_t)number;
        packet->has_sequence = true;
    }
    if (address.length && is_tlp && !parse_address(address, &packet->address)) {
        error_at(reader, address.text, address.length,
                 "an address is hexadecimal, such as 00000040:00026A00");
        return false;
    }
    struct pcie_cell packet_number = cell_of(reader, cells, count, PCIE_PACKET);
    struct pcie_cell acked = cell_of(reader, cells, count, is_tlp ? PCIE_ACKED_BY : PCIE_ACK_OF);
    if (parse_whole(packet_number, PCIE_UNKNOWN / 16, &number))
        packet->number = number;
    if (parse_whole(acked, PCIE_UNKNOWN / 16, &number))
        packet->acked_by = number;
    return true;
}

static void keep(struct pcie_trace *trace, const struct pcie_packet *packet)
{
    trace->packets = mem_grow(trace->packets, &trace->capacity, trace->count + 1, "packets of a trace");
    trace->packets[trace->count++] = *packet;
}

static void read_packet(struct pcie_reader *reader)
{
    struct pcie_cell cells[COLUMNS_AT_MOST];
    struct pcie_trace *trace = reader->trace;
    struct pcie_packet packet = {.address = PCIE_UNKNOWN, .number = PCIE_UNKNOWN, .acked_by = PCIE_UNKNOWN};
    size_t count = split(reader, cells);
    struct pcie_cell time = cell_of(reader, cells, count, PCIE_TIME);
    struct pcie_cell direction = cell_of(reader, cells, count, PCIE_DIRECTION);
    bool coarse;
    packet.type = (uint8_t)type_of(cell_of(reader, cells, count, PCIE_TYPE));
    if (packet.type == PCIE_OTHER) {
        trace->ignored++;
        return;
    }
    if (!parse_time(time, &packet.at, &coarse)) {
        error_at(reader, time.text, time.length,
                 "a time is in nanoseconds, such as 1429405854.2, or has its unit");
        return;
    }
    if (trace->count && packet.at < trace->packets[trace->count - 1].at) {
        error_at(reader, time.text, time.length,
                 "the time is before that of the line above; packets are in the order of their times");
        return;
    }
    if (reader->reading->only_direction >= 0 && reader->column[PCIE_DIRECTION] < 0) {
        packet.direction = (uint8_t)reader->reading->only_direction;
    } else if (!direction_of(direction, &packet.direction)) {
        error_at(reader, direction.text, direction.length,
                 "a direction is down (to the NIC) or up, not '%.*s'",
                 (int)(direction.length < 32 ? direction.length : 32), direction.text);
        return;
    }
    if (!read_details(reader, cells, count, &packet))
        return;
    trace->coarse = trace->coarse && coarse;
    keep(trace, &packet);
}

/* -------------------------------------------------------------------- files */

/* One line without its end. Blank lines and comments are ignored. */
static void read_line(struct pcie_reader *reader, bool *header_read)
{
    while (reader->length &&
           (reader->text[reader->length - 1] == '\n' || reader->text[reader->length - 1] == '\r'))
        reader->text[--reader->length] = '\0';
    if (strlen(reader->text) != reader->length || reader->length > LINE_AT_MOST)
        error_at(reader, reader->text, 1, "this is not a line of text of at most %d bytes", LINE_AT_MOST);
    else if (reader->text[0] == '#')
        read_comment(reader);
    else if (!reader->text[strspn(reader->text, " \t")])
        return;
    else if (*header_read)
        read_packet(reader);
    else
        *header_read = read_header(reader);
}

enum status pcie_read_stream(FILE *file, const char *name, const struct pcie_reading *reading,
                             struct pcie_trace *trace)
{
    *trace = (struct pcie_trace){.coarse = true};
    struct pcie_reader reader = {.reading = reading, .trace = trace, .name = name};
    struct file_line line = {.length = 0};
    bool header_read = false;
    while ((header_read || !reader.errors) && reader.errors < ERRORS_AT_MOST &&
           trace->count < PACKETS_AT_MOST && file_next_line(file, &line)) {
        reader.text = line.text;
        reader.length = line.length;
        reader.line++;
        read_line(&reader, &header_read);
    }
    if (trace->count == PACKETS_AT_MOST) {
        diag_error("%s has more than %d packets, the limit of a trace; cut it into parts", name,
                   PACKETS_AT_MOST);
        reader.errors++;
    } else if (line.is_too_long) {
        diag_error("%s: line %" PRIu64 " has more than 1 MiB, so it is not a trace of packets", name,
                   reader.line + 1);
        reader.errors++;
    } else if (ferror(file)) {
        diag_error("cannot read %s: %s", name, strerror(errno));
        reader.errors++;
    } else if (!header_read && !reader.errors) {
        diag_error("%s is empty; a trace begins with the names of its columns", name);
        reader.errors++;
    }
    free(line.text);
    if (!reader.errors)
        return STATUS_OK;
    pcie_free(trace);
    return STATUS_BAD_INPUT;
}

enum status pcie_read(const char *path, const struct pcie_reading *reading, struct pcie_trace *trace)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        diag_error("cannot read %s: %s", path, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    enum status status = pcie_read_stream(file, path, reading, trace);
    fclose(file);
    return status;
}

void pcie_free(struct pcie_trace *trace)
{
    free(trace->packets);
    trace->packets = NULL;
    trace->count = trace->capacity = 0;
}
