#include "base/config_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

/* ----------------------------------------------------------- places, errors */

size_t config_reader_line(const struct config_reader *reader, size_t offset, size_t *line_begin)
{
    size_t line = 1;
    *line_begin = 0;
    for (const char *at = reader->text, *end = reader->text + offset;
         at < end && (at = memchr(at, '\n', (size_t)(end - at)));) {
        *line_begin = (size_t)(++at - reader->text);
        line++;
    }
    return line;
}

char *config_reader_origin(const struct config_reader *reader, size_t offset)
{
    size_t line_begin;
    return mem_format("%s:%zu", reader->name, config_reader_line(reader, offset, &line_begin));
}

struct diag_place config_reader_place(const struct config_reader *reader, size_t offset, size_t span)
{
    size_t begin, line = config_reader_line(reader, offset, &begin);
    if (begin == 0 && offset >= 3 && memcmp(reader->text, "\xef\xbb\xbf", 3) == 0)
        begin = 3; /* the byte order mark is not shown */
    const char *source = reader->text + begin;
    const char *newline = memchr(source, '\n', reader->length - begin);
    return (struct diag_place){.file = reader->name,
                               .line = line,
                               .column = (uint32_t)(offset - begin) + 1,
                               .span = (uint32_t)span,
                               .source = source,
                               .source_length =
                                   newline ? (size_t)(newline - source) : reader->length - begin};
}

void config_reader_error_args(struct config_reader *reader, size_t offset, size_t span, const char *format,
                              va_list args)
{
    char message[768];
    if (reader->errors == CONFIG_ERRORS_AT_MOST || reader->scans)
        return;
    vsnprintf(message, sizeof message, format, args);
    const struct diag_place place = config_reader_place(reader, offset, span);
    diag_report(DIAG_ERROR, &place, "%s", message);
    if (++reader->errors == CONFIG_ERRORS_AT_MOST) {
        diag_note("%s: these are %d errors; the rest of the file has not been read", reader->name,
                  CONFIG_ERRORS_AT_MOST);
        reader->ended = true;
    }
}

void config_reader_error(struct config_reader *reader, size_t offset, size_t span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    config_reader_error_args(reader, offset, span, format, args);
    va_end(args);
}

/* The offset of libfyaml's `line` and `column`, both from 1. Its columns count characters. */
static size_t offset_of_place(const struct config_reader *reader, int line, int column)
{
    const char *at = reader->text, *end = reader->text + reader->length;
    for (; line > 1 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    for (; column > 1 && at < end && *at != '\n'; column--)
        at += utf8_bytes(at, (size_t)(end - at));
    return (size_t)(at - reader->text);
}

/* Reports libfyaml's errors. */
static void syntax_error(struct config_reader *reader)
{
    void *previous = NULL;
    const struct fy_diag_error *error;
    size_t errors = reader->errors;
    while ((error = fy_diag_errors_iterate(reader->diag, &previous)))
        if (error->line > 0)
            config_reader_error(reader, offset_of_place(reader, error->line, error->column), 1, "%s",
                                error->msg);
    if (reader->errors == errors)
        config_reader_error(reader, 0, 1, "this is not YAML");
    reader->ended = true;
}

size_t config_reader_offset(const struct config_reader *reader, const struct fy_mark *mark, size_t otherwise)
{
    return mark && mark->input_pos <= reader->length ? mark->input_pos : otherwise;
}

/* ---------------------------------------------------------- events, scalars */

void config_reader_discard(struct config_reader *reader, struct fy_event *event)
{
    fy_parser_event_free(reader->parser, event);
}

struct fy_event *config_reader_next(struct config_reader *reader)
{
    if (reader->ended)
        return NULL;
    errno = 0;
    struct fy_event *event = fy_parser_parse(reader->parser);
    if (!event && !reader->complete) { /* libfyaml does not say that it has no memory */
        if (errno == ENOMEM || !fy_parser_get_stream_error(reader->parser))
            mem_exhausted("an experiment file");
        syntax_error(reader);
    }
    if (!event)
        return NULL;
    reader->complete |= event->type == FYET_STREAM_END;
    reader->depth += event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START;
    reader->depth -= event->type == FYET_MAPPING_END || event->type == FYET_SEQUENCE_END;
    if (reader->depth <= CONFIG_DEPTH_AT_MOST)
        return event;
    config_reader_error(reader, config_reader_offset(reader, fy_event_start_mark(event), 0), 1,
                        "maps and lists are nested more than %d deep here; an experiment file needs two",
                        CONFIG_DEPTH_AT_MOST);
    config_reader_discard(reader, event);
    reader->ended = true;
    return NULL;
}

void config_reader_skip(struct config_reader *reader, struct fy_event *event)
{
    int depth = 0;
    for (;;) {
        depth += event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START;
        depth -= event->type == FYET_MAPPING_END || event->type == FYET_SEQUENCE_END;
        config_reader_discard(reader, event);
        if (depth <= 0 || !(event = config_reader_next(reader)))
            return;
    }
}

bool config_reader_refuses(struct config_reader *reader, struct fy_event *event, size_t otherwise)
{
    struct fy_token *tag = event->type == FYET_SCALAR           ? event->scalar.tag
                           : event->type == FYET_MAPPING_START  ? event->mapping_start.tag
                           : event->type == FYET_SEQUENCE_START ? event->sequence_start.tag
                                                                : NULL;
    if (tag)
        config_reader_error(reader, config_reader_offset(reader, fy_token_start_mark(tag), otherwise), 1,
                            "tags are not read; leave it out");
    if (event->type != FYET_ALIAS)
        return tag != NULL;
    size_t offset = config_reader_offset(reader, fy_event_start_mark(event), otherwise);
    offset -= offset && reader->text[offset - 1] == '*';
    config_reader_error(reader, offset, 1, "aliases are not read; write the value out");
    return true;
}

bool config_reader_scalar(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                          struct config_scalar *scalar)
{
    size_t length, offset = config_reader_offset(reader, fy_event_start_mark(event), otherwise);
    errno = 0;
    const char *text = fy_token_get_text(event->scalar.value, &length);
    if ((!text || !length) && errno == ENOMEM) /* libfyaml does not tell that from an empty value */
        mem_exhausted("an experiment file");
    if (!text)
        text = "", length = 0;
    if (fy_token_scalar_style(event->scalar.value) == FYSS_PLAIN &&
        ((length == 1 && *text == '~') || (length == 4 && strncasecmp(text, "null", 4) == 0)))
        length = 0; /* YAML's other ways to write an empty value */
    while (length && text[length - 1] == '\n')
        length--; /* the end of a block scalar */

    bool refused = config_reader_refuses(reader, event, otherwise);
    for (size_t i = 0; i < length && !refused; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t') {
            config_reader_error(reader, offset, 1,
                                "names and values are one line of text without control characters");
            refused = true;
        }
    if (!refused) {
        scalar->text = mem_alloc(length + 1, 1, "a value");
        memcpy(scalar->text, text, length);
        bool literal = length <= reader->length - offset && memcmp(reader->text + offset, text, length) == 0;
        scalar->offset = offset;
        scalar->span = literal ? length : 0;
    }
    config_reader_discard(reader, event);
    return !refused;
}

/* Drops libfyaml's output: syntax_error reports the errors. */
static void drop_output(struct fy_diag *diag, void *user, const char *buffer, size_t length)
{
    (void)diag, (void)user, (void)buffer, (void)length;
}

/* libfyaml 0.7.12 loops forever on some bytes that are not text, so they are refused before it sees them. */
static bool is_text(struct config_reader *reader)
{
    for (size_t i = 0, bytes; i < reader->length; i += bytes) {
        unsigned char byte = (unsigned char)reader->text[i];
        bytes = utf8_bytes(reader->text + i, reader->length - i);
        bool control = byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r';
        if (bytes && !control)
            continue;
        config_reader_error(reader, i, 1, "byte 0x%02x; the file has to be UTF-8 text", byte);
        return false;
    }
    return true;
}

/* Where the comment of a line begins: at a '#' behind a blank or nothing, and no quotation mark. Else its
 * end. */
static size_t comment_of(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return i;
        if (line[i] == '"' || line[i] == '\'')
            break;
    }
    return length;
}

/* libfyaml 0.7 writes outside of its memory at some tabs beside keys. So a tab is refused, and in a comment
 * it becomes a blank. False: reported. */
static bool has_no_tab(struct config_reader *reader)
{
    if (!memchr(reader->text, '\t', reader->length))
        return true;
    reader->copy = mem_alloc(reader->length, 1, "an experiment file");
    memcpy(reader->copy, reader->text, reader->length);
    for (size_t begin = 0, end; begin < reader->length; begin = end + 1) {
        char *line = reader->copy + begin, *newline = memchr(line, '\n', reader->length - begin);
        size_t length = newline ? (size_t)(newline - line) : reader->length - begin;
        size_t comment = comment_of(line, length);
        const char *tab = memchr(line, '\t', comment);
        end = begin + length;
        if (tab) {
            config_reader_error(reader, (size_t)(tab - reader->copy), 1,
                                "a tab; write a space, or \\t in double quotes");
            return false;
        }
        for (size_t i = comment; i < length; i++)
            line[i] = line[i] == '\t' ? ' ' : line[i];
    }
    reader->text = reader->copy;
    return true;
}

bool config_reader_open(struct config_reader *reader)
{
    if (reader->length > CONFIG_FILE_AT_MOST) {
        if (!reader->scans)
            diag_error("%s is larger than %d MiB; an experiment file is not", reader->name,
                       CONFIG_FILE_AT_MOST >> 20);
        reader->errors++;
        return false;
    }
    if (!is_text(reader) || !has_no_tab(reader))
        return false;
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.output_fn = drop_output;
    reader->diag = fy_diag_create(&diag_config);
    if (reader->diag) {
        fy_diag_set_collect_errors(reader->diag, true);
        reader->parser = fy_parser_create(&(struct fy_parse_cfg){.flags = FYPCF_QUIET, .diag = reader->diag});
    }
    if (reader->parser && !fy_parser_set_string(reader->parser, reader->text, reader->length))
        return true;
    mem_exhausted("an experiment file");
}

void config_reader_close(struct config_reader *reader)
{
    fy_parser_destroy(reader->parser);
    fy_diag_destroy(reader->diag);
    free(reader->copy);
}
