#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/config_reader.h"
#include "base/file_kind.h"

/* Reads the parameters of an experiment file: maps whose keys are the names. */

/* ------------------------------------------------------------------- values */

/* The text of a value: a scalar, or the scalars of a list joined by commas. */
struct joined_value {
    char *text;
    size_t length, capacity;
    struct item {
        size_t at, offset, span; /* in the text; offset and span in the file */
    } * items;
    size_t count, item_capacity;
};

static void join(struct joined_value *joined, const struct config_scalar *scalar)
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

/* Adds the bytes of an item of a list, which may be in its text form. */
static void join_item(struct config_reader *reader, struct joined_value *joined,
                      const struct config_scalar *scalar)
{
    size_t at;
    char *bytes = mem_alloc(strlen(scalar->text) + 1, 1, "an item");
    const char *fault = bytes_from_text(scalar->text, bytes, &at);
    if (fault)
        config_reader_error(reader, scalar->offset + (at < scalar->span ? at : scalar->span), 1, "%s", fault);
    else
        join(joined, &(struct config_scalar){.text = bytes, .offset = scalar->offset, .span = scalar->span});
    free(bytes);
}

/* Reports a problem at the place in the file of the item that contains byte problem->at of the value. */
static void value_error(struct config_reader *reader, const struct joined_value *joined,
                        const struct param_problem *problem)
{
    size_t i = joined->count - 1;
    while (i && joined->items[i].at > problem->at)
        i--;
    const struct item *item = &joined->items[i];
    size_t within = problem->at - item->at;
    if (within > item->span)
        within = item->span; /* behind its last byte, or in an item whose text differs from the file */
    config_reader_error(reader, item->offset + within, item->span - within, "%s", problem->text);
}

/* Reads the items of a list whose start has been read. False, reported: it is not a value. */
static bool read_list(struct config_reader *reader, size_t offset, struct joined_value *joined)
{
    size_t errors = reader->errors;
    struct fy_event *event;
    while ((event = config_reader_next(reader)) && event->type != FYET_SEQUENCE_END) {
        struct config_scalar scalar;
        if (event->type != FYET_SCALAR) {
            size_t item_offset = config_reader_offset(reader, fy_event_start_mark(event), offset);
            if (!config_reader_refuses(reader, event, offset))
                config_reader_error(reader, item_offset, 1, "a list of single values is expected here");
            config_reader_skip(reader, event);
        } else if (config_reader_scalar(reader, event, offset, &scalar)) {
            if (!*scalar.text)
                config_reader_error(reader, scalar.offset, 1, "an item of this list is empty");
            else
                join_item(reader, joined, &scalar);
            free(scalar.text);
        }
    }
    if (event)
        config_reader_discard(reader, event);
    return event && errors == reader->errors;
}

/* Reads the value of a parameter, which begins with `event`. Its key is at `key_offset`. */
static void read_value(struct config_reader *reader, struct config_value *value, struct fy_event *event,
                       size_t key_offset)
{
    struct joined_value joined = {.count = 0};
    struct config_scalar scalar = {.text = NULL};
    size_t offset = config_reader_offset(reader, fy_event_start_mark(event), key_offset);
    bool good = true;
    value->read = true;
    bool lists = value->param->type >= PARAM_TEXT; /* a text can be a list, separated by commas */
    if (event->type == FYET_MAPPING_START || (event->type == FYET_SEQUENCE_START && !lists)) {
        config_reader_error(reader, offset, 1, "%s is a single value%s%s", value->param->name,
                            value->param->default_text ? ", such as " : "",
                            value->param->default_text ? value->param->default_text : "");
        config_reader_skip(reader, event);
        return;
    }
    if (event->type == FYET_SEQUENCE_START) {
        good = !config_reader_refuses(reader, event, key_offset);
        config_reader_discard(reader, event);
        good = read_list(reader, offset, &joined) && good;
    } else if ((good = config_reader_scalar(reader, event, key_offset, &scalar))) {
        join(&joined, &scalar);
    }
    if (good && !joined.count)
        join(&joined, &(struct config_scalar){.text = (char[]){""}, .offset = offset});
    if (good) {
        struct param_problem problem;
        char *origin = config_reader_origin(reader, offset);
        char *given = scalar.text ? mem_text(joined.text) : bytes_to_text(joined.text);
        char *text = param_text_beside(value->param, given, reader->name);
        if (!config_put(reader->config, value, text, origin, &problem))
            value_error(reader, &joined, &problem);
        free(text);
        free(given);
        free(origin);
    }
    free(scalar.text);
    free(joined.text);
    free(joined.items);
}

/* --------------------------------------------------------------------- maps */

static void read_map(struct config_reader *reader, const char *prefix, size_t offset);

static const struct config_section *find_section(const struct config_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->section_count; i++)
        if (!reader->sections[i].name || strcmp(reader->sections[i].name, name) == 0)
            return &reader->sections[i];
    return NULL;
}

/* Reports an unknown key, or a map of parameters with a single value, or the reverse. */
static void unknown_key(struct config_reader *reader, const char *name, const struct config_scalar *key,
                        const struct fy_event *event)
{
    const struct config_group *group = config_find_group(reader->config, name);
    const char *guess = event->type == FYET_MAPPING_START ? config_nearest_group(reader->config, name) : NULL;
    if (guess && strncmp(name, guess, strlen(guess)) == 0)
        guess = NULL; /* the map that the key is in */
    if (group)
        config_reader_error(reader, key->offset, key->span, "%s is a map of parameters, such as %s", name,
                            group->example);
    else if (strcmp(key->text, "<<") == 0)
        config_reader_error(reader, key->offset, key->span,
                            "merge keys are not read; write the parameters out");
    else
        config_reader_error(reader, key->offset, key->span, "there is no parameter '%s'%s", name,
                            diag_did_you_mean(guess ? guess : config_nearest(reader->config, name)));
}

/* The same where only sections are read: everything else is passed over. */
static void scan_key(struct config_reader *reader, const char *name, const struct config_scalar *key,
                     struct fy_event *event)
{
    const struct config_section *section = event->type == FYET_ALIAS ? NULL : find_section(reader, name);
    if (section)
        config_reader_section(reader, section, event, key);
    else
        config_reader_skip(reader, event);
}

/* The same where only the map at one key is read, as if it were the file. */
static void read_under(struct config_reader *reader, const struct config_scalar *key, struct fy_event *event)
{
    bool is_it = strcmp(key->text, reader->under) == 0;
    size_t offset = config_reader_offset(reader, fy_event_start_mark(event), key->offset);
    if (is_it && event->type == FYET_MAPPING_START) {
        config_reader_refuses(reader, event, key->offset);
        config_reader_discard(reader, event);
        reader->is_under = true;
        read_map(reader, "", offset);
        reader->is_under = false;
        return;
    }
    if (is_it)
        config_reader_error(reader, key->offset, key->span, "%s is a map of parameters", key->text);
    config_reader_skip(reader, event);
}

/* The value of `key`, whose full name with dots is `name`. */
static void read_key(struct config_reader *reader, const char *name, const struct config_scalar *key)
{
    struct fy_event *event = config_reader_next(reader);
    if (!event)
        return;
    if (reader->under && !reader->is_under) {
        read_under(reader, key, event);
        return;
    }
    if (reader->scans) {
        scan_key(reader, name, key, event);
        return;
    }
    struct config_value *value = config_find(reader->config, name);
    struct config_group *group = config_find_group(reader->config, name);
    const struct config_section *section = find_section(reader, name);
    if (event->type == FYET_ALIAS) {
        config_reader_refuses(reader, event, key->offset);
        config_reader_skip(reader, event);
    } else if (value && value->read) {
        config_reader_error(reader, key->offset, key->span, "%s is given twice", name);
        config_reader_skip(reader, event);
    } else if (section) {
        config_reader_section(reader, section, event, key);
    } else if (value) {
        read_value(reader, value, event, key->offset);
    } else if (group && event->type == FYET_MAPPING_START) {
        size_t offset = config_reader_offset(reader, fy_event_start_mark(event), key->offset);
        config_reader_refuses(reader, event, key->offset);
        config_reader_discard(reader, event);
        if (group->read)
            config_reader_error(reader, key->offset, key->span, "the map %s is given twice", name);
        group->read = true;
        read_map(reader, name, offset);
    } else {
        unknown_key(reader, name, key, event);
        config_reader_skip(reader, event);
    }
}

/* The keys of a map whose start, at `offset`, has been read. Recurses as deep as groups are nested. */
static void read_map(struct config_reader *reader, const char *prefix, size_t offset)
{
    struct fy_event *event;
    while ((event = config_reader_next(reader)) && event->type != FYET_MAPPING_END) {
        struct config_scalar key;
        bool scalar = event->type == FYET_SCALAR;
        offset = config_reader_offset(reader, fy_event_start_mark(event), offset);
        if (!scalar) {
            if (!config_reader_refuses(reader, event, offset))
                config_reader_error(reader, offset, 1, "a parameter's name is expected here");
            config_reader_skip(reader, event);
        }
        if (scalar && config_reader_scalar(reader, event, offset, &key)) {
            char name[CONFIG_NAME_AT_MOST];
            snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key.text);
            read_key(reader, name, &key);
            free(key.text);
        } else if ((event = config_reader_next(reader))) {
            config_reader_skip(reader, event); /* the value of what is no name */
        }
    }
    if (event)
        config_reader_discard(reader, event);
}

/* -------------------------------------------------------------------- files */

static void read_stream(struct config_reader *reader)
{
    struct fy_event *event;
    int documents = 0;
    while ((event = config_reader_next(reader))) {
        const struct fy_mark *mark = fy_event_start_mark(event);
        size_t offset = config_reader_offset(reader, mark, 0);
        documents += event->type == FYET_DOCUMENT_START;
        if (documents == 2 && mark) { /* behind "..." a document begins nowhere, but its first event does */
            config_reader_error(reader, offset, 1, "a second document begins here; a file has one");
            reader->ended = true;
            config_reader_discard(reader, event);
            return;
        }
        bool refused = config_reader_refuses(reader, event, 0);
        if (event->type == FYET_MAPPING_START) {
            config_reader_discard(reader, event);
            read_map(reader, "", offset);
            continue;
        }
        bool empty = event->type == FYET_SCALAR && fy_token_get_text_length(event->scalar.value) == 0;
        bool content = event->type == FYET_SCALAR || event->type == FYET_SEQUENCE_START;
        if (content && !empty && !refused)
            config_reader_error(reader, offset, 1, "%s",
                                reader->config->table_count
                                    ? "an experiment file is a map of parameters, such as 'fabric: hockney'"
                                    : "a map of keys is expected here");
        config_reader_skip(reader, event);
    }
}

static enum status read_all(struct config_reader *reader)
{
    struct config *config = reader->config;
    reader->sections_read = mem_alloc(reader->section_count, sizeof(bool), "sections");
    for (size_t i = 0; i < config->value_count; i++)
        config->values[i].read = false;
    for (size_t i = 0; i < config->group_count; i++)
        config->groups[i].read = false;
    if (config_reader_open(reader))
        read_stream(reader);
    config_reader_close(reader);
    free(reader->sections_read);
    return reader->errors ? STATUS_BAD_INPUT : STATUS_OK;
}

/* ------------------------------------------------------------ foreign files */

/* The keys at the top of a JSON file. */
struct top_keys {
    const struct config_reader *reader;
    char *names; /* of the first ones, joined by commas */
    size_t count, offset, span;
    bool is_known; /* one of them is of this file, or nearly so */
};

enum { KEYS_SHOWN = 4 };

static void look_at_key(void *self, struct config_reader *scan, const struct config_node *node)
{
    struct top_keys *keys = self;
    struct config *config = keys->reader->config;
    (void)scan;
    if (find_section(keys->reader, node->key) || config_find(config, node->key) ||
        config_find_group(config, node->key) || config_nearest(config, node->key) ||
        (node->kind == CONFIG_MAP && config_nearest_group(config, node->key)))
        keys->is_known = true;
    if (keys->count == 0) {
        keys->offset = node->key_offset;
        keys->span = node->key_span;
    }
    if (keys->count++ >= KEYS_SHOWN)
        return;
    char *longer = mem_format("%s%s%s", keys->names, *keys->names ? ", " : "", node->key);
    free(keys->names);
    keys->names = longer;
}

/* JSON of another program would give an error for each of its keys. Whether it is such a file, which is
 * reported. */
static bool is_foreign(struct config_reader *reader)
{
    struct top_keys keys = {.reader = reader, .names = mem_text("")};
    const struct config_section any = {.read = look_at_key};
    size_t blanks = 0;
    while (blanks < reader->length && memchr(" \t\r\n", reader->text[blanks], 4))
        blanks++;
    const bool looks = reader->config->table_count && !reader->under && blanks < reader->length &&
                       reader->text[blanks] == '{';
    if (looks)
        config_scan_text(reader->name, reader->text, reader->length, &any, &keys);
    const bool foreign = keys.count && !keys.is_known;
    if (foreign)
        config_reader_error(reader, keys.offset, keys.span,
                            "this is JSON of another program: none of its keys is a parameter (%s%s)",
                            keys.names, keys.count > KEYS_SHOWN ? ", ..." : "");
    free(keys.names);
    return foreign;
}

static enum status read_text(struct config_reader *reader)
{
    return is_foreign(reader) ? STATUS_BAD_INPUT : read_all(reader);
}

enum status config_read_text_with(struct config *config, const char *name, const char *text, size_t length,
                                  const struct config_section *sections, size_t section_count, void *self)
{
    struct config_reader reader = {.config = config,
                                   .name = name,
                                   .text = text,
                                   .length = length,
                                   .sections = sections,
                                   .section_count = section_count,
                                   .sections_self = self};
    return read_text(&reader);
}

enum status config_read_text_under(struct config *config, const char *name, const char *text, size_t length,
                                   const char *key)
{
    struct config_reader reader = {
        .config = config, .name = name, .text = text, .length = length, .under = key};
    return read_text(&reader);
}

enum status config_read_text(struct config *config, const char *name, const char *text, size_t length)
{
    return config_read_text_with(config, name, text, length, NULL, 0, NULL);
}

char *config_load_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        diag_error("cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = mem_alloc(CONFIG_FILE_AT_MOST + 1, 1, "an experiment file");
    *length = fread(text, 1, CONFIG_FILE_AT_MOST + 1, file);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    const struct file_kind *kind = error ? NULL : file_kind_of(text, *length);
    if (!error && (!kind || kind->is_experiment))
        return text;
    if (error)
        diag_error("cannot read %s: %s", path, strerror(error));
    else
        file_kind_report(path, kind);
    free(text);
    return NULL;
}

enum status config_read_file(struct config *config, const char *path)
{
    size_t length;
    char *text = config_load_file(path, &length);
    enum status status = text ? config_read_text(config, path, text, length) : STATUS_BAD_INPUT;
    free(text);
    return status;
}

/* ----------------------------------------------------------- sections alone */

void config_scan_text(const char *name, const char *text, size_t length, const struct config_section *section,
                      void *self)
{
    struct config *config = config_open(NULL, 0);
    struct config_reader reader = {.config = config,
                                   .name = name,
                                   .text = text,
                                   .length = length,
                                   .sections = section,
                                   .section_count = 1,
                                   .sections_self = self,
                                   .scans = true};
    read_all(&reader);
    config_close(config);
}
