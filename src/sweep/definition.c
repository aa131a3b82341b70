#include "sweep/definition.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/list.h"

enum { NAME_AT_MOST = 256, SEEDS_AT_MOST = 1000000 };

/* ------------------------------------------------------------------- values */

/* The node has to be the name of one fabric. False: it is not, which has been reported. */
static bool is_fabric(struct config_reader *reader, const struct config_node *node)
{
    if (fabric_find(node->text))
        return true;
    if (strchr(node->text, ','))
        config_node_error(reader, node, "one fabric is expected here; write a list, such as [packet, fmu]");
    else
        config_node_error(reader, node, "there is no fabric '%s'%s", node->text,
                          diag_did_you_mean(fabric_nearest(node->text)));
    return false;
}

/* The node as a value of the parameter `name`. False: it is none, which has been reported. */
static bool read_setting(struct definition *definition, struct config_reader *reader, const char *name,
                         const struct config_node *node, struct sweep_setting *setting)
{
    const char *value = config_node_value(reader, name, node, &definition->arena);
    if (!value || (strcmp(name, "fabric") == 0 && !is_fabric(reader, node)))
        return false;
    *setting = (struct sweep_setting){.name = arena_text(&definition->arena, name, strlen(name)),
                                      .value = value,
                                      .origin = config_node_origin(reader, node, &definition->arena)};
    return true;
}

/* ------------------------------------------------------- maps of parameters */

/* Visits each parameter of a map, nested or with dots, with its full name. Unknown names are reported. */
struct visitor {
    struct definition *definition;
    struct config_reader *reader;
    void (*visit)(struct visitor *visitor, const char *name, const struct config_node *node);
    struct alternative *alternative; /* the one that add_setting fills */
    size_t capacity;                 /* of its settings */
};

static void visit_parameters(struct visitor *visitor, const char *prefix, const struct config_node *map)
{
    struct config_reader *reader = visitor->reader;
    for (size_t i = 0; i < map->count; i++) {
        const struct config_node *node = &map->items[i];
        char name[NAME_AT_MOST];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", node->key);
        if (config_reader_knows(reader, name))
            visitor->visit(visitor, name, node);
        else if (config_reader_knows_group(reader, name) && node->kind == CONFIG_MAP)
            visit_parameters(visitor, name, node);
        else
            config_key_error(reader, node, "there is no parameter '%s'%s", name,
                             diag_did_you_mean(config_reader_nearest(reader, name)));
    }
}

/* Adds one value of one parameter to the alternative. */
static void add_setting(struct visitor *visitor, const char *name, const struct config_node *node)
{
    struct alternative *alternative = visitor->alternative;
    for (size_t i = 0; i < alternative->count; i++)
        if (strcmp(alternative->settings[i].name, name) == 0) {
            config_key_error(visitor->reader, node, "%s is given twice", name);
            return;
        }
    alternative->settings =
        mem_grow(alternative->settings, &visitor->capacity, alternative->count + 1, "a sweep");
    if (read_setting(visitor->definition, visitor->reader, name, node,
                     &alternative->settings[alternative->count]))
        alternative->count++;
}

/* All settings of a map, kept in the arena. */
static struct alternative read_alternative(struct definition *definition, struct config_reader *reader,
                                           const struct config_node *map)
{
    struct alternative read = {.count = 0};
    struct visitor visitor = {
        .definition = definition, .reader = reader, .visit = add_setting, .alternative = &read};
    visit_parameters(&visitor, "", map);
    size_t size = read.count * sizeof *read.settings;
    struct alternative kept = {.settings = arena_alloc(&definition->arena, size), .count = read.count};
    if (size)
        memcpy(kept.settings, read.settings, size);
    free(read.settings);
    return kept;
}

/* --------------------------------------------------------------------- axes */

/* Whether the name is one of the first `count`. */
static bool has_name(const struct definition *definition, const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(definition->names[i], name) == 0)
            return true;
    return false;
}

/* Whether `seeds:` varies the parameter, or one of the first `count` names is it. */
static bool is_varied(const struct definition *definition, const char *name, size_t count)
{
    return has_name(definition, name, count) || (definition->seeds && strcmp(name, "seed") == 0);
}

static void add_name(struct definition *definition, const char *name)
{
    if (has_name(definition, name, definition->name_count))
        return;
    definition->names =
        mem_grow(definition->names, &definition->name_capacity, definition->name_count + 1, "a sweep");
    definition->names[definition->name_count++] = arena_text(&definition->arena, name, strlen(name));
}

static void add_axis(struct definition *definition, struct axis axis)
{
    definition->axes =
        mem_grow(definition->axes, &definition->axis_capacity, definition->axis_count + 1, "a sweep");
    definition->axes[definition->axis_count++] = axis;
}

/* A parameter and its values. */
static void read_axis(struct visitor *visitor, const char *name, const struct config_node *node)
{
    struct definition *definition = visitor->definition;
    size_t count = node->kind == CONFIG_LIST ? node->count : 1;
    if (is_varied(definition, name, definition->name_count)) {
        config_key_error(visitor->reader, node, "%s is varied twice", name);
        return;
    }
    if (node->kind == CONFIG_MAP || !count) {
        config_node_error(visitor->reader, node, "a list of values of %s is expected here", name);
        return;
    }
    struct axis axis = {.alternatives = arena_alloc(&definition->arena, count * sizeof *axis.alternatives)};
    for (size_t i = 0; i < count; i++) {
        struct alternative *alternative = &axis.alternatives[axis.count];
        alternative->settings = arena_alloc(&definition->arena, sizeof *alternative->settings);
        alternative->count = 1;
        axis.count += read_setting(definition, visitor->reader, name,
                                   node->kind == CONFIG_LIST ? &node->items[i] : node, alternative->settings);
    }
    add_name(definition, name);
    add_axis(definition, axis);
}

/* A list of points. Their parameters count as varied, and no other axis may vary them. */
static void read_list(struct definition *definition, struct config_reader *reader,
                      const struct config_node *list)
{
    if (list->kind != CONFIG_LIST || !list->count) {
        config_node_error(reader, list,
                          "a list of points is expected here, each a map of parameters, such as "
                          "- {fabric: fmu, fmu.count: 16}");
        return;
    }
    struct axis axis = {.alternatives =
                            arena_alloc(&definition->arena, list->count * sizeof *axis.alternatives)};
    size_t varied_before = definition->name_count;
    for (size_t i = 0; i < list->count; i++) {
        const struct config_node *item = &list->items[i];
        if (item->kind != CONFIG_MAP) {
            config_node_error(reader, item, "a point is a map of parameters, such as {fmu.count: 16}");
            continue;
        }
        struct alternative alternative = read_alternative(definition, reader, item);
        for (size_t j = 0; j < alternative.count; j++) {
            if (is_varied(definition, alternative.settings[j].name, varied_before))
                config_node_error(reader, item, "%s is varied twice", alternative.settings[j].name);
            add_name(definition, alternative.settings[j].name);
        }
        axis.alternatives[axis.count++] = alternative;
    }
    add_axis(definition, axis);
}

/* ----------------------------------------------------------------- sections */

static void read_sweep(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct definition *definition = self;
    struct visitor visitor = {.definition = definition, .reader = reader, .visit = read_axis};
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node,
                          "a sweep is a map of parameters with lists of values, such as fmu.count: [16, 64]");
        return;
    }
    /* The list is an axis like the others, in the order of the file. */
    for (size_t i = 0; i < node->count; i++) {
        const struct config_node one = {.kind = CONFIG_MAP, .items = &node->items[i], .count = 1};
        if (strcmp(node->items[i].key, "list") == 0)
            read_list(definition, reader, &node->items[i]);
        else
            visit_parameters(&visitor, "", &one);
    }
}

static void read_seeds(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct definition *definition = self;
    struct units_problem problem = {.at = 0};
    if (node->kind != CONFIG_SCALAR || !units_count(node->text, &definition->seeds, &problem) ||
        definition->seeds < 1 || definition->seeds > SEEDS_AT_MOST)
        config_node_error(reader, node, "seeds is how often each point is repeated: a number from 1 to %d",
                          SEEDS_AT_MOST);
    else if (has_name(definition, "seed", definition->name_count))
        config_key_error(reader, node, "the sweep varies seed already");
}

static void read_baseline(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct definition *definition = self;
    if (node->kind == CONFIG_MAP) {
        definition->baseline = read_alternative(definition, reader, node);
        return;
    }
    if (node->kind != CONFIG_SCALAR || !*node->text) {
        config_node_error(reader, node, "a baseline is a fabric, or a map of parameters");
        return;
    }
    definition->baseline.settings = arena_alloc(&definition->arena, sizeof *definition->baseline.settings);
    definition->baseline.count =
        read_setting(definition, reader, "fabric", node, definition->baseline.settings);
}

static const struct config_section sections[] = {
    {"sweep", read_sweep}, {"seeds", read_seeds}, {"baseline", read_baseline}};
enum { SECTIONS = sizeof sections / sizeof *sections };

enum status definition_read_text(struct definition *definition, struct config *config, const char *name,
                                 const char *text, size_t length)
{
    *definition = (struct definition){.seeds = 0};
    return config_read_text_with(config, name, text, length, sections, SECTIONS, definition);
}

static bool axis_overrides(const struct axis *axis, const char *name)
{
    for (size_t i = 0; i < axis->count; i++) {
        const struct alternative *alternative = &axis->alternatives[i];
        size_t at = 0;
        while (at < alternative->count && strcmp(alternative->settings[at].name, name) != 0)
            at++;
        if (at == alternative->count)
            return false;
    }
    return true;
}

bool definition_overrides(const struct definition *definition, const char *name)
{
    for (size_t i = 0; i < definition->axis_count; i++)
        if (axis_overrides(&definition->axes[i], name))
            return true;
    return false;
}

void definition_free(struct definition *definition)
{
    free(definition->axes);
    free(definition->names);
    arena_free(&definition->arena);
    *definition = (struct definition){.seeds = 0};
}
