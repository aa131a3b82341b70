#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <string.h>

#include "base/config_parts.h"

/* Experiment files, read event by event: what a file can make us hold is bounded by its own size. */
enum { FILE_AT_MOST = 16 << 20, DEPTH_AT_MOST = 16, NAME_AT_MOST = 256 };

struct reader {
    struct config *config;
    const char *name; /* of the file */
    const char *text;
    size_t length;
    struct fy_parser *parser;
    struct fy_diag *diag;
    char **maps; /* full names of the maps seen, so that none comes twice */
    size_t map_count, map_capacity;
    size_t errors;
    bool broken; /* the syntax is wrong: nothing can be read any more */
};

static void error_at(struct reader *reader, size_t line, size_t column, size_t span, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* `line` and `column` count from 0. */
static void error_at(struct reader *reader, size_t line, size_t column, size_t span, const char *format, ...)
{
    char message[768];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    const char *begin = reader->text, *end = reader->text + reader->length;
    for (size_t i = 0; i < line && begin < end; i++) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        begin = newline ? newline + 1 : end;
    }
    const char *newline = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = reader->name,
                                     .line = line + 1,
                                     .column = (uint32_t)column + 1,
                                     .span = (uint32_t)span,
                                     .source = begin,
                                     .source_length = (size_t)((newline ? newline : end) - begin)},
                "%s", message);
    reader->errors++;
}

/* Reports what libfyaml found wrong with the syntax. */
static void syntax_error(struct reader *reader)
{
    void *previous = NULL;
    const struct fy_diag_error *error;
    reader->broken = true;
    while ((error = fy_diag_errors_iterate(reader->diag, &previous)))
        if (error->line > 0)
            error_at(reader, (size_t)error->line - 1, error->column > 0 ? (size_t)error->column - 1 : 0, 1,
                     "%s", error->msg);
    if (!reader->errors)
        error_at(reader, 0, 0, 1, "this is not YAML");
}

/* The next event; NULL at the end or after a syntax error. Free with fy_parser_event_free. */
static struct fy_event *next_event(struct reader *reader)
{
    if (reader->broken)
        return NULL;
    struct fy_event *event = fy_parser_parse(reader->parser);
    if (!event && fy_parser_get_stream_error(reader->parser))
        syntax_error(reader);
    return event;
}

static void place_of(struct fy_event *event, size_t *line, size_t *column)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    *line = mark && mark->line >= 0 ? (size_t)mark->line : 0;
    *column = mark && mark->column >= 0 ? (size_t)mark->column : 0;
}

static void error_event(struct reader *reader, struct fy_event *event, const char *message)
{
    size_t line, column;
    place_of(event, &line, &column);
    error_at(reader, line, column, 1, "%s", message);
}

/* Passes over what `event` begins, up to its end. */
static void skip(struct reader *reader, struct fy_event *event)
{
    int depth = 0;
    for (;;) {
        depth += event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START;
        depth -= event->type == FYET_MAPPING_END || event->type == FYET_SEQUENCE_END;
        fy_parser_event_free(reader->parser, event);
        if (depth <= 0 || !(event = next_event(reader)))
            return;
    }
}

/* A scalar's text as a copy of its own; NULL, reported, when it cannot be a value. */
static char *scalar_text(struct reader *reader, struct fy_event *event)
{
    size_t length;
    const char *text = fy_token_get_text(event->scalar.value, &length);
    if (event->scalar.tag) {
        error_event(reader, event, "tags have no meaning in an experiment file");
        return NULL;
    }
    char *copy = mem_alloc(length + 1, 1, "a value");
    if (text)
        memcpy(copy, text, length);
    return copy;
}

/* ----------------------------------------------------------------------------------------------- values */

/* The text of the value that `event` begins: a scalar, or a list of scalars joined by commas. */
static char *value_text(struct reader *reader, struct fy_event *event)
{
    if (event->type == FYET_SCALAR) {
        char *text = scalar_text(reader, event);
        fy_parser_event_free(reader->parser, event);
        return text;
    }
    char *joined = mem_text("");
    size_t used = 0, errors = reader->errors;
    fy_parser_event_free(reader->parser, event);
    while ((event = next_event(reader)) && event->type != FYET_SEQUENCE_END) {
        if (event->type != FYET_SCALAR) {
            error_event(reader, event, "a list of single values is expected here");
            skip(reader, event);
            continue;
        }
        char *text = scalar_text(reader, event);
        fy_parser_event_free(reader->parser, event);
        if (!text)
            continue;
        size_t length = strlen(text);
        joined = mem_resize(joined, used + length + 2, 1, "a list");
        used += (size_t)sprintf(joined + used, "%s%s", used ? "," : "", text);
        free(text);
    }
    if (event)
        fy_parser_event_free(reader->parser, event);
    if (event && errors == reader->errors)
        return joined;
    free(joined);
    return NULL;
}

static bool is_quoted(struct fy_event *event)
{
    if (event->type != FYET_SCALAR)
        return false;
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static void read_value(struct reader *reader, struct value *value, struct fy_event *event)
{
    size_t line, column;
    place_of(event, &line, &column);
    column += is_quoted(event);
    if (event->type != FYET_SCALAR && event->type != FYET_SEQUENCE_START) {
        error_at(reader, line, column, 1, "%s is a single value%s%s", value->param->name,
                 value->param->fallback ? ", such as " : "",
                 value->param->fallback ? value->param->fallback : "");
        skip(reader, event);
        return;
    }
    char *text = value_text(reader, event);
    if (!text)
        return;
    struct param_problem problem;
    char *origin = mem_format("%s:%zu", reader->name, line + 1);
    value->read = true;
    if (!*text)
        error_at(reader, line, column, 1, "%s needs a value", value->param->name);
    else if (!config_put(reader->config, value, text, origin, &problem))
        error_at(reader, line, column + problem.at, strlen(text) - problem.at, "%s", problem.text);
    free(origin);
    free(text);
}

/* ------------------------------------------------------------------------------------------------- maps */

/* Whether some parameter's name begins with `name` and a dot. */
static bool is_map_of_parameters(const struct config *config, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < config->value_count; i++) {
        const char *known = config->values[i].param->name;
        if (strncmp(known, name, length) == 0 && known[length] == '.')
            return true;
    }
    return false;
}

static bool seen_before(struct reader *reader, const char *map)
{
    for (size_t i = 0; i < reader->map_count; i++)
        if (strcmp(reader->maps[i], map) == 0)
            return true;
    reader->maps = mem_grow(reader->maps, &reader->map_capacity, reader->map_count + 1, "maps");
    reader->maps[reader->map_count++] = mem_text(map);
    return false;
}

static void read_map(struct reader *reader, const char *prefix, int depth);

/* The value of the key `name` (full, with dots), whose last part stands at line and column. */
static void read_key(struct reader *reader, const char *name, size_t line, size_t column, size_t span,
                     int depth)
{
    struct fy_event *event = next_event(reader);
    if (!event)
        return;
    struct value *value = config_find(reader->config, name);
    bool map = !value && event->type == FYET_MAPPING_START && is_map_of_parameters(reader->config, name);
    if (event->type == FYET_ALIAS) {
        error_event(reader, event, "aliases are not supported in an experiment file; write the value out");
        skip(reader, event);
    } else if (value && value->read) {
        error_at(reader, line, column, span, "%s is given twice", name);
        skip(reader, event);
    } else if (value) {
        read_value(reader, value, event);
    } else if (map && depth < DEPTH_AT_MOST) {
        fy_parser_event_free(reader->parser, event);
        if (seen_before(reader, name))
            error_at(reader, line, column, span, "the map %s is given twice", name);
        read_map(reader, name, depth + 1);
    } else {
        error_at(reader, line, column, span, "there is no parameter '%s'%s", name,
                 diag_did_you_mean(config_nearest(reader->config, name)));
        skip(reader, event);
    }
}

/* The keys of a map whose start has been read. */
static void read_map(struct reader *reader, const char *prefix, int depth)
{
    struct fy_event *event;
    while ((event = next_event(reader)) && event->type != FYET_MAPPING_END) {
        size_t line, column;
        place_of(event, &line, &column);
        if (event->type != FYET_SCALAR) {
            error_event(reader, event, "a parameter's name is expected here");
            skip(reader, event);
            if ((event = next_event(reader)))
                skip(reader, event);
            continue;
        }
        char name[NAME_AT_MOST];
        char *key = scalar_text(reader, event);
        fy_parser_event_free(reader->parser, event);
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key ? key : "");
        read_key(reader, name, line, column, key ? strlen(key) : 1, depth);
        free(key);
    }
    if (event)
        fy_parser_event_free(reader->parser, event);
}

static void read_stream(struct reader *reader)
{
    struct fy_event *event;
    int documents = 0;
    while ((event = next_event(reader))) {
        if (event->type == FYET_MAPPING_START) {
            fy_parser_event_free(reader->parser, event);
            read_map(reader, "", 0);
            continue;
        }
        bool empty = event->type == FYET_SCALAR && fy_token_get_text_length(event->scalar.value) == 0;
        if (event->type == FYET_DOCUMENT_START && ++documents == 2)
            error_event(reader, event, "an experiment file is one document");
        else if ((event->type == FYET_SCALAR && !empty) || event->type == FYET_SEQUENCE_START)
            error_event(reader, event, "an experiment file is a map of parameters: 'fabric: hockney'");
        skip(reader, event);
        if (documents == 2)
            return;
    }
}

/* libfyaml's own messages: what they say is collected and reported by syntax_error. */
static void swallow(struct fy_diag *diag, void *user, const char *buffer, size_t length)
{
    (void)diag, (void)user, (void)buffer, (void)length;
}

/* The bytes of the UTF-8 character at `text`; 0 where there is none, or one that YAML does not allow. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    if (text[0] < 0x80)
        return text[0] >= ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
    size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4 || bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    bool beyond = text[0] == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : bytes;
}

/* libfyaml 0.7.12 never comes back from some bytes that are not text, so the parser does not get to see them.
 */
static bool is_text(struct reader *reader)
{
    const unsigned char *text = (const unsigned char *)reader->text;
    size_t line = 0, line_start = 0;
    for (size_t i = 0, bytes; i < reader->length; i += bytes) {
        bytes = character_bytes(text + i, reader->length - i);
        if (!bytes) {
            error_at(reader, line, i - line_start, 1, "byte 0x%02x; an experiment file is UTF-8 text",
                     text[i]);
            return false;
        }
        if (text[i] == '\n')
            line++, line_start = i + 1;
    }
    return true;
}

enum status config_read_text(struct config *config, const char *name, const char *text, size_t length)
{
    struct reader reader = {.config = config, .name = name, .text = text, .length = length};
    if (!is_text(&reader))
        return STATUS_BAD_INPUT;
    for (size_t i = 0; i < config->value_count; i++)
        config->values[i].read = false;

    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.output_fn = swallow;
    reader.diag = fy_diag_create(&diag_config);
    fy_diag_set_collect_errors(reader.diag, true);
    reader.parser = fy_parser_create(&(struct fy_parse_cfg){.flags = FYPCF_QUIET, .diag = reader.diag});
    if (!reader.diag || !reader.parser || fy_parser_set_string(reader.parser, text, length)) {
        diag_error("%s: the YAML parser cannot be set up", name);
        reader.errors++;
    } else {
        read_stream(&reader);
    }
    fy_parser_destroy(reader.parser);
    fy_diag_destroy(reader.diag);
    for (size_t i = 0; i < reader.map_count; i++)
        free(reader.maps[i]);
    free(reader.maps);
    return reader.errors ? STATUS_BAD_INPUT : STATUS_OK;
}

enum status config_read_file(struct config *config, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_BAD_INPUT;
    if (file) {
        text = mem_alloc(FILE_AT_MOST + 1, 1, "an experiment file");
        length = fread(text, 1, FILE_AT_MOST + 1, file);
    }
    if (!file || ferror(file))
        diag_error("cannot read %s: %s", path, strerror(errno));
    else if (length > FILE_AT_MOST)
        diag_error("%s is larger than %d MiB; an experiment file is not", path, FILE_AT_MOST >> 20);
    else
        status = config_read_text(config, path, text, length);
    if (file)
        fclose(file);
    free(text);
    return status;
}
