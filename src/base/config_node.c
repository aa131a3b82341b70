#include <stdarg.h>
#include <string.h>

#include "base/config_reader.h"

/* Sections: the value of a key that is no parameter becomes nodes, which the section's owner reads. There are
 * no aliases, so each node is bytes of the file, and the file's size bounds the memory. */

/* A node whose items are being read. They are moved to the arena when all are known, since an arena cannot
 * free a growing array. */
struct growing_node {
    struct config_node *items;
    size_t count, capacity;
};

static bool read_node(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                      struct arena *arena, struct config_node *node);

static bool is_taken(const struct growing_node *growing, const char *key)
{
    for (size_t i = 0; i < growing->count; i++)
        if (strcmp(growing->items[i].key, key) == 0)
            return true;
    return false;
}

/* Reads a map's key, which is `event`, into the node. False, reported: it is not a name. */
static bool read_key(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                     const struct growing_node *growing, struct arena *arena, struct config_node *node)
{
    struct config_scalar key;
    if (event->type != FYET_SCALAR) {
        if (!config_reader_refuses(reader, event, otherwise))
            config_reader_error(reader, config_reader_offset(reader, fy_event_start_mark(event), otherwise),
                                1, "a name is expected here");
        config_reader_skip(reader, event);
        return false;
    }
    if (!config_reader_scalar(reader, event, otherwise, &key))
        return false;
    node->key = arena_text(arena, key.text, strlen(key.text));
    node->key_offset = key.offset;
    node->key_span = key.span;
    free(key.text);
    if (!is_taken(growing, node->key))
        return true;
    config_reader_error(reader, node->key_offset, node->key_span, "%s is given twice", node->key);
    return false;
}

/* Reads the items of a list or a map, whose start has been read, up to its end. */
static bool read_items(struct config_reader *reader, struct arena *arena, struct config_node *node)
{
    struct growing_node growing = {.count = 0};
    struct fy_event *event;
    size_t errors = reader->errors;
    bool is_map = node->kind == CONFIG_MAP;
    while ((event = config_reader_next(reader)) && event->type != FYET_MAPPING_END &&
           event->type != FYET_SEQUENCE_END) {
        struct config_node item = {.key = NULL};
        size_t otherwise = node->offset;
        bool named = !is_map || read_key(reader, event, otherwise, &growing, arena, &item);
        if (is_map && !(event = config_reader_next(reader)))
            break;
        if (item.key)
            otherwise = item.key_offset;
        if (!named) {
            config_reader_skip(reader, event);
        } else if (read_node(reader, event, otherwise, arena, &item)) {
            growing.items = mem_grow(growing.items, &growing.capacity, growing.count + 1, "a section");
            growing.items[growing.count++] = item;
        }
    }
    if (event)
        config_reader_discard(reader, event);
    node->count = growing.count;
    node->items = arena_alloc(arena, growing.count * sizeof *node->items);
    if (growing.count)
        memcpy(node->items, growing.items, growing.count * sizeof *node->items);
    free(growing.items);
    return event && reader->errors == errors;
}

/* Reads the value that begins with `event`. The recursion is as deep as CONFIG_DEPTH_AT_MOST. */
static bool read_node(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                      struct arena *arena, struct config_node *node)
{
    struct config_scalar scalar;
    node->offset = config_reader_offset(reader, fy_event_start_mark(event), otherwise);
    if (event->type == FYET_SCALAR) {
        if (!config_reader_scalar(reader, event, otherwise, &scalar))
            return false;
        node->kind = CONFIG_SCALAR;
        node->text = arena_text(arena, scalar.text, strlen(scalar.text));
        node->offset = scalar.offset;
        node->span = scalar.span;
        free(scalar.text);
        return true;
    }
    if (config_reader_refuses(reader, event, otherwise)) {
        config_reader_skip(reader, event);
        return false;
    }
    node->kind = event->type == FYET_MAPPING_START ? CONFIG_MAP : CONFIG_LIST;
    node->span = 1;
    config_reader_discard(reader, event);
    return read_items(reader, arena, node);
}

void config_reader_section(struct config_reader *reader, const struct config_section *section,
                           struct fy_event *event, const struct config_scalar *key)
{
    struct arena arena = {0};
    struct config_node node = {.key = key->text, .key_offset = key->offset, .key_span = key->span};
    bool *read = &reader->sections_read[section - reader->sections];
    if (*read && section->name) {
        config_reader_error(reader, key->offset, key->span, "%s is given twice", section->name);
        config_reader_skip(reader, event);
        return;
    }
    *read = true;
    if (read_node(reader, event, key->offset, &arena, &node))
        section->read(reader->sections_self, reader, &node);
    arena_free(&arena);
}

/* ------------------------------------------------------- for sections */

void config_node_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    config_reader_error_args(reader, node->offset, node->span, format, args);
    va_end(args);
}

void config_key_error(struct config_reader *reader, const struct config_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    config_reader_error_args(reader, node->key_offset, node->key_span, format, args);
    va_end(args);
}

size_t config_reader_errors(const struct config_reader *reader)
{
    return reader->errors;
}

const struct param *config_reader_param(const struct config_reader *reader, const char *name,
                                        const struct param_table **table)
{
    const struct config_value *value = config_find(reader->config, name);
    if (value)
        *table = config_table_of(reader->config, value->param);
    return value ? value->param : NULL;
}

bool config_reader_knows_group(const struct config_reader *reader, const char *name)
{
    return config_find_group(reader->config, name) != NULL;
}

const char *config_reader_nearest(const struct config_reader *reader, const char *name)
{
    return config_nearest(reader->config, name);
}

char *config_node_text(const struct config_reader *reader, const struct config_node *node,
                       const struct param *param)
{
    return param_text_beside(param, node->text, reader->name);
}

void config_node_problem(struct config_reader *reader, const struct config_node *node,
                         const struct param_problem *problem)
{
    size_t at = problem->at < node->span ? problem->at : node->span;
    config_reader_error(reader, node->offset + at, node->span - at, "%s", problem->text);
}

struct diag_place config_key_place(const struct config_reader *reader, const struct config_node *node,
                                   struct arena *texts)
{
    struct diag_place place = config_reader_place(reader, node->key_offset, node->key_span);
    place.file = arena_text(texts, place.file, strlen(place.file));
    place.source = arena_text(texts, place.source, place.source_length);
    return place;
}

const char *config_node_origin(const struct config_reader *reader, const struct config_node *node,
                               struct arena *texts)
{
    char *origin = config_reader_origin(reader, node->offset);
    const char *kept = arena_text(texts, origin, strlen(origin));
    free(origin);
    return kept;
}
