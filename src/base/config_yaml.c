#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <string.h>

#include "base/config_parts.h"
#include "base/utf8.h"

/* Experiment files, read event by event: nothing is built in memory but the value at hand, and there are no
 * aliases, so what a file can make us hold or do is bounded by its own size. libfyaml looks ahead over a
 * whole list in brackets, at up to 250 bytes for each of it, hence the limit on the size. */
enum { FILE_AT_MOST = 1 << 20, DEPTH_AT_MOST = 16, NAME_AT_MOST = 256, ERRORS_AT_MOST = 20 };

struct reader {
    struct config *config;
    const char *name; /* of the file */
    const char *text;
    size_t length;
    struct fy_parser *parser;
    struct fy_diag *diag;
    int depth; /* maps and lists that are open */
    size_t errors;
    bool ended; /* nothing can be read any more, or nothing more is to be said */
};

/* --------------------------------------------------------------------------------------- places, errors */

/* The line, from 1, that the byte at `offset` is in, and where that line begins. */
static size_t line_of(const struct reader *reader, size_t offset, size_t *line_begin)
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

static void error_at(struct reader *reader, size_t offset, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports what is wrong with `span` bytes from `offset` on. */
static void error_at(struct reader *reader, size_t offset, size_t span, const char *format, ...)
{
    char message[768];
    va_list args;
    if (reader->errors == ERRORS_AT_MOST)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    size_t begin, line = line_of(reader, offset, &begin);
    if (begin == 0 && offset >= 3 && memcmp(reader->text, "\xef\xbb\xbf", 3) == 0)
        begin = 3; /* the byte order mark is not seen */
    const char *source = reader->text + begin;
    const char *newline = memchr(source, '\n', reader->length - begin);
    diag_report(
        DIAG_ERROR,
        &(struct diag_place){.file = reader->name,
                             .line = line,
                             .column = (uint32_t)(offset - begin) + 1,
                             .span = (uint32_t)span,
                             .source = source,
                             .source_length = newline ? (size_t)(newline - source) : reader->length - begin},
        "%s", message);
    if (++reader->errors == ERRORS_AT_MOST) {
        diag_note("%s: these are %d errors; the rest of the file has not been read", reader->name,
                  ERRORS_AT_MOST);
        reader->ended = true;
    }
}

/* The byte at which libfyaml's `line` and `column`, both from 1, begin; its columns are characters. */
static size_t offset_of_place(const struct reader *reader, int line, int column)
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

/* Reports what libfyaml found wrong with the syntax. */
static void syntax_error(struct reader *reader)
{
    void *previous = NULL;
    const struct fy_diag_error *error;
    size_t errors = reader->errors;
    while ((error = fy_diag_errors_iterate(reader->diag, &previous)))
        if (error->line > 0)
            error_at(reader, offset_of_place(reader, error->line, error->column), 1, "%s", error->msg);
    if (reader->errors == errors)
        error_at(reader, 0, 1, "this is not YAML");
    reader->ended = true;
}

/* Where the token begins; empty ones are nowhere and then at `otherwise`. */
static size_t offset_of(const struct reader *reader, const struct fy_mark *mark, size_t otherwise)
{
    return mark && mark->input_pos <= reader->length ? mark->input_pos : otherwise;
}

/* --------------------------------------------------------------------------------------- events, scalars */

static void discard(struct reader *reader, struct fy_event *event)
{
    fy_parser_event_free(reader->parser, event);
}

/* The next event; NULL at the end of what is read. To be discarded. */
static struct fy_event *next_event(struct reader *reader)
{
    if (reader->ended)
        return NULL;
    struct fy_event *event = fy_parser_parse(reader->parser);
    if (!event) {
        if (fy_parser_get_stream_error(reader->parser))
            syntax_error(reader);
        return NULL;
    }
    reader->depth += event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START;
    reader->depth -= event->type == FYET_MAPPING_END || event->type == FYET_SEQUENCE_END;
    if (reader->depth <= DEPTH_AT_MOST)
        return event;
    error_at(reader, offset_of(reader, fy_event_start_mark(event), 0), 1,
             "maps and lists are nested more than %d deep here; an experiment file needs two", DEPTH_AT_MOST);
    discard(reader, event);
    reader->ended = true;
    return NULL;
}

/* Passes over what `event` begins, up to its end. */
static void skip(struct reader *reader, struct fy_event *event)
{
    int depth = 0;
    for (;;) {
        depth += event->type == FYET_MAPPING_START || event->type == FYET_SEQUENCE_START;
        depth -= event->type == FYET_MAPPING_END || event->type == FYET_SEQUENCE_END;
        discard(reader, event);
        if (depth <= 0 || !(event = next_event(reader)))
            return;
    }
}

/* Whether the event is YAML that experiment files do without: aliases, which could multiply what is written
 * once, and tags, which would be ignored. Reported. */
static bool is_refused(struct reader *reader, struct fy_event *event, size_t otherwise)
{
    struct fy_token *tag = event->type == FYET_SCALAR           ? event->scalar.tag
                           : event->type == FYET_MAPPING_START  ? event->mapping_start.tag
                           : event->type == FYET_SEQUENCE_START ? event->sequence_start.tag
                                                                : NULL;
    if (tag)
        error_at(reader, offset_of(reader, fy_token_start_mark(tag), otherwise), 1,
                 "experiment files have no tags; leave it out");
    if (event->type != FYET_ALIAS)
        return tag != NULL;
    size_t offset = offset_of(reader, fy_event_start_mark(event), otherwise);
    offset -= offset && reader->text[offset - 1] == '*';
    error_at(reader, offset, 1, "experiment files have no aliases; write the value out");
    return true;
}

/* A scalar: its text, to be freed, and where that stands in the file. Where escapes or folded lines make the
 * text differ from what stands there, it has no `span`, and errors point at its beginning. */
struct scalar {
    char *text;
    size_t offset, span;
};

/* False, reported, when it is none that could be a name or a value. Discards the event. */
static bool read_scalar(struct reader *reader, struct fy_event *event, size_t otherwise,
                        struct scalar *scalar)
{
    size_t length, offset = offset_of(reader, fy_event_start_mark(event), otherwise);
    const char *text = fy_token_get_text(event->scalar.value, &length);
    if (!text)
        text = "", length = 0;
    if (fy_token_scalar_style(event->scalar.value) == FYSS_PLAIN &&
        ((length == 1 && *text == '~') || (length == 4 && strncasecmp(text, "null", 4) == 0)))
        length = 0; /* YAML's other ways to write nothing */
    while (length && text[length - 1] == '\n')
        length--; /* of a block */

    bool refused = is_refused(reader, event, otherwise);
    for (size_t i = 0; i < length && !refused; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t') {
            error_at(reader, offset, 1, "names and values are one line of text without control characters");
            refused = true;
        }
    if (!refused) {
        scalar->text = mem_alloc(length + 1, 1, "a value");
        memcpy(scalar->text, text, length);
        bool literal = length <= reader->length - offset && memcmp(reader->text + offset, text, length) == 0;
        scalar->offset = offset;
        scalar->span = literal ? length : 0;
    }
    discard(reader, event);
    return !refused;
}

/* ----------------------------------------------------------------------------------------------- values */

/* A value as a parameter reads it: a scalar, or the scalars of a list joined by commas. */
struct joined {
    char *text;
    size_t length, capacity;
    struct item {
        size_t at, offset, span; /* in the text; in the file */
    } * items;
    size_t count, item_capacity;
};

static void join(struct joined *joined, const struct scalar *scalar)
{
    size_t length = strlen(scalar->text), at = joined->count ? joined->length + 1 : 0;
    joined->text = mem_grow(joined->text, &joined->capacity, at + length + 1, "a value");
    if (joined->count)
        joined->text[joined->length] = ',';
    memcpy(joined->text + at, scalar->text, length + 1);
    joined->length = at + length;
    joined->items = mem_grow(joined->items, &joined->item_capacity, joined->count + 1, "a list");
    joined->items[joined->count++] = (struct item){at, scalar->offset, scalar->span};
}

/* Reports a problem with the byte `at` of the value, in the item where it is. */
static void value_error(struct reader *reader, const struct joined *joined,
                        const struct param_problem *problem)
{
    size_t i = joined->count - 1;
    while (i && joined->items[i].at > problem->at)
        i--;
    const struct item *item = &joined->items[i];
    size_t within = problem->at - item->at;
    if (within > item->span)
        within = item->span; /* behind its last byte, or not there as such */
    error_at(reader, item->offset + within, item->span - within, "%s", problem->text);
}

/* The items of a list whose start has been read. False, reported, when it cannot be a value. */
static bool read_list(struct reader *reader, size_t offset, struct joined *joined)
{
    size_t errors = reader->errors;
    struct fy_event *event;
    while ((event = next_event(reader)) && event->type != FYET_SEQUENCE_END) {
        struct scalar scalar;
        if (event->type != FYET_SCALAR) {
            size_t item_offset = offset_of(reader, fy_event_start_mark(event), offset);
            if (!is_refused(reader, event, offset))
                error_at(reader, item_offset, 1, "a list of single values is expected here");
            skip(reader, event);
        } else if (read_scalar(reader, event, offset, &scalar)) {
            if (!*scalar.text)
                error_at(reader, scalar.offset, 1, "an item of this list is empty");
            else
                join(joined, &scalar);
            free(scalar.text);
        }
    }
    if (event)
        discard(reader, event);
    return event && errors == reader->errors;
}

/* What `event` begins as the value of a parameter whose key stands at `key_offset`. */
static void read_value(struct reader *reader, struct value *value, struct fy_event *event, size_t key_offset)
{
    struct joined joined = {.count = 0};
    struct scalar scalar = {.text = NULL};
    size_t offset = offset_of(reader, fy_event_start_mark(event), key_offset);
    bool good = true;
    value->read = true;
    bool lists = value->param->type >= PARAM_TEXT; /* what commas can mean something to */
    if (event->type == FYET_MAPPING_START || (event->type == FYET_SEQUENCE_START && !lists)) {
        error_at(reader, offset, 1, "%s is a single value%s%s", value->param->name,
                 value->param->fallback ? ", such as " : "",
                 value->param->fallback ? value->param->fallback : "");
        skip(reader, event);
        return;
    }
    if (event->type == FYET_SEQUENCE_START) {
        good = !is_refused(reader, event, key_offset);
        discard(reader, event);
        good = read_list(reader, offset, &joined) && good;
    } else if ((good = read_scalar(reader, event, key_offset, &scalar))) {
        join(&joined, &scalar);
    }
    if (good && !joined.count)
        join(&joined, &(struct scalar){.text = (char[]){""}, .offset = offset});
    if (good) {
        size_t line_begin;
        struct param_problem problem;
        char *origin = mem_format("%s:%zu", reader->name, line_of(reader, offset, &line_begin));
        if (!config_put(reader->config, value, joined.text, origin, &problem))
            value_error(reader, &joined, &problem);
        free(origin);
    }
    free(scalar.text);
    free(joined.text);
    free(joined.items);
}

/* ------------------------------------------------------------------------------------------------- maps */

static void read_map(struct reader *reader, const char *prefix, size_t offset);

/* Reports a key that names nothing that can have the value which `event` begins. */
static void unknown_key(struct reader *reader, const char *name, const struct scalar *key,
                        const struct fy_event *event)
{
    const struct value_group *group = config_find_group(reader->config, name);
    const char *guess = event->type == FYET_MAPPING_START ? config_nearest_group(reader->config, name) : NULL;
    if (guess && strncmp(name, guess, strlen(guess)) == 0)
        guess = NULL; /* the map that the key is in */
    if (group)
        error_at(reader, key->offset, key->span, "%s is a map of parameters, such as %s", name,
                 group->example);
    else if (strcmp(key->text, "<<") == 0)
        error_at(reader, key->offset, key->span,
                 "experiment files have no merge keys; write the parameters out");
    else
        error_at(reader, key->offset, key->span, "there is no parameter '%s'%s", name,
                 diag_did_you_mean(guess ? guess : config_nearest(reader->config, name)));
}

/* The value of `key`, whose full name with dots is `name`. */
static void read_key(struct reader *reader, const char *name, const struct scalar *key)
{
    struct fy_event *event = next_event(reader);
    if (!event)
        return;
    struct value *value = config_find(reader->config, name);
    struct value_group *group = config_find_group(reader->config, name);
    if (event->type == FYET_ALIAS) {
        is_refused(reader, event, key->offset);
        skip(reader, event);
    } else if (value && value->read) {
        error_at(reader, key->offset, key->span, "%s is given twice", name);
        skip(reader, event);
    } else if (value) {
        read_value(reader, value, event, key->offset);
    } else if (group && event->type == FYET_MAPPING_START) {
        size_t offset = offset_of(reader, fy_event_start_mark(event), key->offset);
        is_refused(reader, event, key->offset);
        discard(reader, event);
        if (group->read)
            error_at(reader, key->offset, key->span, "the map %s is given twice", name);
        group->read = true;
        read_map(reader, name, offset);
    } else {
        unknown_key(reader, name, key, event);
        skip(reader, event);
    }
}

/* The keys of a map whose start, at `offset`, has been read. Recurses as deep as groups are nested. */
static void read_map(struct reader *reader, const char *prefix, size_t offset)
{
    struct fy_event *event;
    while ((event = next_event(reader)) && event->type != FYET_MAPPING_END) {
        struct scalar key;
        bool scalar = event->type == FYET_SCALAR;
        offset = offset_of(reader, fy_event_start_mark(event), offset);
        if (!scalar) {
            if (!is_refused(reader, event, offset))
                error_at(reader, offset, 1, "a parameter's name is expected here");
            skip(reader, event);
        }
        if (scalar && read_scalar(reader, event, offset, &key)) {
            char name[NAME_AT_MOST];
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key.text);
            read_key(reader, name, &key);
            free(key.text);
        } else if ((event = next_event(reader))) {
            skip(reader, event); /* the value of what is no name */
        }
    }
    if (event)
        discard(reader, event);
}

/* ------------------------------------------------------------------------------------------------ files */

static void read_stream(struct reader *reader)
{
    struct fy_event *event;
    int documents = 0;
    while ((event = next_event(reader))) {
        const struct fy_mark *mark = fy_event_start_mark(event);
        size_t offset = offset_of(reader, mark, 0);
        documents += event->type == FYET_DOCUMENT_START;
        if (documents == 2 && mark) { /* behind "..." a document begins nowhere, but its first event does */
            error_at(reader, offset, 1, "a second document begins here; an experiment file is one");
            reader->ended = true;
            discard(reader, event);
            return;
        }
        bool refused = is_refused(reader, event, 0);
        if (event->type == FYET_MAPPING_START) {
            discard(reader, event);
            read_map(reader, "", offset);
            continue;
        }
        bool empty = event->type == FYET_SCALAR && fy_token_get_text_length(event->scalar.value) == 0;
        bool content = event->type == FYET_SCALAR || event->type == FYET_SEQUENCE_START;
        if (content && !empty && !refused)
            error_at(reader, offset, 1,
                     "an experiment file is a map of parameters, such as 'fabric: hockney'");
        skip(reader, event);
    }
}

/* libfyaml's own messages: what they say is collected and reported by syntax_error. */
static void swallow(struct fy_diag *diag, void *user, const char *buffer, size_t length)
{
    (void)diag, (void)user, (void)buffer, (void)length;
}

/* libfyaml 0.7.12 never comes back from some bytes that are not text, so the parser does not get to see them.
 */
static bool is_text(struct reader *reader)
{
    for (size_t i = 0, bytes; i < reader->length; i += bytes) {
        unsigned char byte = (unsigned char)reader->text[i];
        bytes = utf8_bytes(reader->text + i, reader->length - i);
        bool control = byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r';
        if (bytes && !control)
            continue;
        error_at(reader, i, 1, "byte 0x%02x; an experiment file is UTF-8 text", byte);
        return false;
    }
    return true;
}

enum status config_read_text(struct config *config, const char *name, const char *text, size_t length)
{
    struct reader reader = {.config = config, .name = name, .text = text, .length = length};
    if (length > FILE_AT_MOST) {
        diag_error("%s is larger than %d MiB; an experiment file is not", name, FILE_AT_MOST >> 20);
        return STATUS_BAD_INPUT;
    }
    if (!is_text(&reader))
        return STATUS_BAD_INPUT;
    for (size_t i = 0; i < config->value_count; i++)
        config->values[i].read = false;
    for (size_t i = 0; i < config->group_count; i++)
        config->groups[i].read = false;

    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.output_fn = swallow;
    reader.diag = fy_diag_create(&diag_config);
    if (reader.diag) {
        fy_diag_set_collect_errors(reader.diag, true);
        reader.parser = fy_parser_create(&(struct fy_parse_cfg){.flags = FYPCF_QUIET, .diag = reader.diag});
    }
    if (!reader.parser || fy_parser_set_string(reader.parser, text, length)) {
        diag_error("%s: the YAML parser cannot be set up", name);
        reader.errors++;
    } else {
        read_stream(&reader);
    }
    fy_parser_destroy(reader.parser);
    fy_diag_destroy(reader.diag);
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
    else
        status = config_read_text(config, path, text, length);
    if (file)
        fclose(file);
    free(text);
    return status;
}
