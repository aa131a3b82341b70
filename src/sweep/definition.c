#include "sweep/definition.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/range.h"
#include "base/units.h"
#include "fabric/list.h"
#include "workload/text.h"

enum { NAME_AT_MOST = 256, SEEDS_AT_MOST = 1000000, VALUES_AT_MOST = 1000000 };

/* A parameter that a sweep names: one of the experiment, or one of a workload. */
struct swept {
    const char *name;
    const struct param_table *table;
    const struct param *param;
    bool is_of_workload;
};

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

/* The text as a value of the parameter. False: it is none, which has been reported at the node. */
static bool read_text(struct definition *definition, struct config_reader *reader, const struct swept *swept,
                      const struct config_node *node, const char *text, const char *origin,
                      struct sweep_setting *setting)
{
    struct param_problem problem;
    struct arena *arena = &definition->arena;
    const char *value = param_check(swept->table, swept->param, text, arena, &problem);
    if (!value) {
        config_node_problem(reader, node, &problem);
        return false;
    }
    if (swept->is_of_workload && strchr(value, ',')) {
        config_node_error(reader, node, "a value of %s has no commas", swept->name);
        return false;
    }
    *setting = (struct sweep_setting){
        .name = arena_text(arena, swept->name, strlen(swept->name)), .value = value, .origin = origin};
    return true;
}

/* The node as a single value of the parameter. False: it is none, which has been reported. */
static bool read_setting(struct definition *definition, struct config_reader *reader,
                         const struct swept *swept, const struct config_node *node,
                         struct sweep_setting *setting)
{
    if (node->kind != CONFIG_SCALAR) {
        config_node_error(reader, node, "%s is a single value here", swept->name);
        return false;
    }
    const char *origin = config_node_origin(reader, node, &definition->arena);
    char *text = config_node_text(reader, node, swept->param);
    bool good = read_text(definition, reader, swept, node, text, origin, setting);
    free(text);
    return good && (strcmp(swept->name, "fabric") != 0 || is_fabric(reader, node));
}

/* ------------------------------------------------------- maps of parameters */

/* Visits each parameter of a map, nested or with dots, with its full name. Unknown names are reported. */
struct visitor {
    struct definition *definition;
    struct config_reader *reader;
    void (*visit)(struct visitor *visitor, const struct swept *swept, const struct config_node *node);
    struct alternative *alternative; /* the one that add_setting fills */
    size_t capacity;                 /* of its settings */
};

static void note_workload_name(struct visitor *visitor, const struct swept *swept,
                               const struct config_node *node)
{
    struct definition *definition = visitor->definition;
    struct arena *arena = &definition->arena;
    if (definition_workload_name(definition, swept->name))
        return;
    definition->workload_names = mem_grow(definition->workload_names, &definition->workload_name_capacity,
                                          definition->workload_name_count + 1, "a sweep");
    definition->workload_names[definition->workload_name_count++] =
        (struct workload_name){.name = arena_text(arena, swept->name, strlen(swept->name)),
                               .place = config_key_place(visitor->reader, node, arena)};
}

/* A name that is no parameter, and whose beginning is no workload. */
static void report_unknown(struct visitor *visitor, const char *name, const struct config_node *node)
{
    if (strcmp(name, "seeds") == 0 || strcmp(name, "baseline") == 0) {
        config_key_error(visitor->reader, node, "%s stands beside sweep, and not in it", name);
        return;
    }
    const char *guess = config_reader_nearest(visitor->reader, name);
    const struct workload *workload = guess || !strchr(name, '.') ? NULL : workload_nearest(name);
    if (workload && workload_parameter(workload, name))
        config_key_error(visitor->reader, node, "there is no parameter '%s'; did you mean '%s%s'?", name,
                         workload->name, strrchr(name, '.'));
    else
        config_key_error(visitor->reader, node, "there is no parameter '%s'%s", name,
                         diag_did_you_mean(guess));
}

/* A name that no parameter of the experiment has: perhaps it is one of a workload. */
static void visit_other(struct visitor *visitor, const char *name, const struct config_node *node)
{
    struct config_reader *reader = visitor->reader;
    const struct workload *workload = workload_of_name(name);
    struct swept swept = {.name = name, .is_of_workload = true};
    if (!workload) {
        report_unknown(visitor, name, node);
        return;
    }
    swept.table = workload->params;
    swept.param = workload_parameter(workload, name);
    size_t length = strlen(workload->name);
    if (!name[length]) {
        config_key_error(reader, node, "%s is a map of parameters, such as %s.%s", name, name,
                         workload->params->params[0].name);
        return;
    }
    if (!swept.param) {
        config_key_error(reader, node, "the workload %s has no parameter '%s'%s", workload->name,
                         name + length + 1, diag_did_you_mean(workload_nearest_parameter(workload, name)));
        return;
    }
    note_workload_name(visitor, &swept, node);
    visitor->visit(visitor, &swept, node);
}

static void visit_parameters(struct visitor *visitor, const char *prefix, const struct config_node *map)
{
    struct config_reader *reader = visitor->reader;
    for (size_t i = 0; i < map->count; i++) {
        const struct config_node *node = &map->items[i];
        char name[NAME_AT_MOST];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", node->key);
        struct swept swept = {.name = name};
        swept.param = config_reader_param(reader, name, &swept.table);
        bool is_group =
            config_reader_knows_group(reader, name) || (!*prefix && workload_find(name, strlen(name)));
        if (swept.param)
            visitor->visit(visitor, &swept, node);
        else if (is_group && node->kind == CONFIG_MAP)
            visit_parameters(visitor, name, node);
        else
            visit_other(visitor, name, node);
    }
}

/* Adds one value of one parameter to the alternative. */
static void add_setting(struct visitor *visitor, const struct swept *swept, const struct config_node *node)
{
    struct alternative *alternative = visitor->alternative;
    for (size_t i = 0; i < alternative->count; i++)
        if (strcmp(alternative->settings[i].name, swept->name) == 0) {
            config_key_error(visitor->reader, node, "%s is given twice", swept->name);
            return;
        }
    if (node->kind == CONFIG_SCALAR && range_is_meant(swept->param, node->text)) {
        config_node_error(visitor->reader, node, "%s is a single value here; a range is an axis of its own",
                          swept->name);
        return;
    }
    alternative->settings =
        mem_grow(alternative->settings, &visitor->capacity, alternative->count + 1, "a sweep");
    if (read_setting(visitor->definition, visitor->reader, swept, node,
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

/* The values of an axis that is being read. */
struct growing_axis {
    struct alternative *alternatives;
    size_t count, capacity;
};

/* False, reported: the sweep has too many values. */
static bool add_value(struct visitor *visitor, const struct config_node *node, struct growing_axis *axis,
                      const struct sweep_setting *setting)
{
    struct definition *definition = visitor->definition;
    if (definition->values == VALUES_AT_MOST) {
        config_node_error(visitor->reader, node, "this sweep has more than %d values", VALUES_AT_MOST);
        return false;
    }
    definition->values++;
    axis->alternatives = mem_grow(axis->alternatives, &axis->capacity, axis->count + 1, "an axis");
    struct alternative *alternative = &axis->alternatives[axis->count++];
    alternative->settings = arena_alloc(&definition->arena, sizeof *alternative->settings);
    *alternative->settings = *setting;
    alternative->count = 1;
    return true;
}

static void add_range(struct visitor *visitor, const struct swept *swept, const struct config_node *node,
                      struct growing_axis *axis)
{
    struct range range;
    struct param_problem problem;
    struct sweep_setting setting;
    char value[64];
    if (!range_read(swept->param, node->text, &range, &problem)) {
        config_node_problem(visitor->reader, node, &problem);
        return;
    }
    const char *origin = config_node_origin(visitor->reader, node, &visitor->definition->arena);
    while (range_next(&range, value, sizeof value))
        if (!read_text(visitor->definition, visitor->reader, swept, node, value, origin, &setting) ||
            !add_value(visitor, node, axis, &setting))
            return;
}

/* A node of an axis: a value or a range. */
static void add_values(struct visitor *visitor, const struct swept *swept, const struct config_node *node,
                       struct growing_axis *axis)
{
    struct sweep_setting setting;
    if (node->kind == CONFIG_SCALAR && range_is_meant(swept->param, node->text))
        add_range(visitor, swept, node, axis);
    else if (read_setting(visitor->definition, visitor->reader, swept, node, &setting))
        add_value(visitor, node, axis, &setting);
}

/* A parameter and its values. */
static void read_axis(struct visitor *visitor, const struct swept *swept, const struct config_node *node)
{
    struct definition *definition = visitor->definition;
    if (is_varied(definition, swept->name, definition->name_count)) {
        config_key_error(visitor->reader, node, "%s is varied twice", swept->name);
        return;
    }
    if (node->kind == CONFIG_MAP || (node->kind == CONFIG_LIST && !node->count)) {
        config_node_error(visitor->reader, node, "a list of values of %s is expected here", swept->name);
        return;
    }
    struct growing_axis values = {.count = 0};
    for (size_t i = 0; node->kind == CONFIG_LIST && i < node->count; i++)
        add_values(visitor, swept, &node->items[i], &values);
    if (node->kind == CONFIG_SCALAR)
        add_values(visitor, swept, node, &values);
    struct axis axis = {.count = values.count};
    axis.alternatives = arena_alloc(&definition->arena, values.count * sizeof *axis.alternatives);
    if (values.count)
        memcpy(axis.alternatives, values.alternatives, values.count * sizeof *axis.alternatives);
    free(values.alternatives);
    add_name(definition, swept->name);
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
    struct swept fabric = {.name = "fabric"};
    fabric.param = config_reader_param(reader, "fabric", &fabric.table);
    definition->baseline.settings = arena_alloc(&definition->arena, sizeof *definition->baseline.settings);
    definition->baseline.count =
        read_setting(definition, reader, &fabric, node, definition->baseline.settings);
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

const struct workload_name *definition_workload_name(const struct definition *definition, const char *name)
{
    for (size_t i = 0; i < definition->workload_name_count; i++)
        if (strcmp(definition->workload_names[i].name, name) == 0)
            return &definition->workload_names[i];
    return NULL;
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

const char *definition_baseline_fabric(const struct definition *definition)
{
    const struct alternative *baseline = &definition->baseline;
    for (size_t i = 0; i < baseline->count; i++)
        if (strcmp(baseline->settings[i].name, "fabric") == 0)
            return baseline->settings[i].value;
    return NULL;
}

void definition_free(struct definition *definition)
{
    free(definition->axes);
    free(definition->names);
    free(definition->workload_names);
    arena_free(&definition->arena);
    *definition = (struct definition){.seeds = 0};
}
