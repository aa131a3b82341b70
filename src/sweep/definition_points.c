#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "fabric/list.h"
#include "sim/experiment.h"
#include "sweep/definition.h"
#include "sweep/metadata.h"
#include "workload/text.h"

/* The points of a definition, and its metadata in a store. */

enum { POINTS_AT_MOST = 1000000 };

struct point_list {
    struct definition *definition;
    const struct config *base;
    const char *workload; /* of the base; NULL = none */
    const char **fabrics; /* of the base */
    size_t fabric_count;
    uint64_t first_seed;
    struct sweep_point *list;
    size_t count;
};

/* ---------------------------------------------------------- one combination */

static const struct sweep_setting *find(const struct sweep_setting *settings, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

/* The bytes of a text that is in its text form; the caller frees them. */
static char *bytes_of(const char *text)
{
    size_t at;
    char *bytes = mem_alloc(strlen(text) + 1, 1, "a workload");
    bytes_from_text(text, bytes, &at);
    return bytes;
}

/* "sweep.yaml:4" and "sweep.yaml:6" are "sweep.yaml:4,6"; of another file, the first alone is kept. */
static const char *join_origins(struct arena *arena, const char *first, const char *next)
{
    if (!first)
        return next;
    const char *colon = strrchr(first, ':'), *comma = strrchr(first, ','), *line = strrchr(next, ':');
    if (!line || !colon || line - next != colon - first || strncmp(first, next, (size_t)(line - next)) != 0 ||
        strcmp(comma > colon ? comma + 1 : colon + 1, line + 1) == 0)
        return first;
    char *joined = mem_format("%s,%s", first, line + 1);
    const char *kept = arena_text(arena, joined, strlen(joined));
    free(joined);
    return kept;
}

/* The workload of a point: the text that its settings or the base have, with those of its settings that are
 * parameters of this workload. False: it has no such setting. */
static bool workload_of(struct point_list *points, const struct alternative *settings,
                        struct sweep_setting *workload)
{
    const struct sweep_setting *chosen = find(settings->settings, settings->count, "workload");
    struct arena *arena = &points->definition->arena;
    char *text = chosen ? bytes_of(chosen->value) : points->workload ? mem_text(points->workload) : NULL;
    *workload = (struct sweep_setting){.name = "workload"};
    for (size_t i = 0; text && i < settings->count; i++) {
        const struct sweep_setting *setting = &settings->settings[i];
        if (!definition_workload_name(points->definition, setting->name) ||
            !workload_text_is_of(text, setting->name))
            continue;
        char *bytes = bytes_of(setting->value);
        char *longer = workload_text_with(text, setting->name, bytes);
        free(bytes);
        free(text);
        text = longer;
        workload->origin = join_origins(arena, workload->origin, setting->origin);
    }
    if (workload->origin) {
        char *form = bytes_to_text(text);
        workload->value = arena_text(arena, form, strlen(form));
        free(form);
    }
    free(text);
    return workload->origin != NULL;
}

/* Adds a point with these settings, without `fabric` among them, and with a seed unless it is NULL. */
static void add_point(struct point_list *points, const struct alternative *settings, const char *fabric,
                      const char *seed)
{
    struct arena *arena = &points->definition->arena;
    struct sweep_setting *own = arena_alloc(arena, (settings->count + 2) * sizeof *own), workload;
    bool has_workload = workload_of(points, settings, &workload);
    size_t count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const char *name = settings->settings[i].name;
        bool is_replaced = definition_workload_name(points->definition, name) ||
                           (has_workload && strcmp(name, "workload") == 0);
        if (!is_replaced && strcmp(name, "fabric") != 0)
            own[count++] = settings->settings[i];
    }
    if (has_workload)
        own[count++] = workload;
    if (seed)
        own[count++] = (struct sweep_setting){.name = "seed", .value = seed};
    points->list[points->count++] =
        (struct sweep_point){.base = points->base, .settings = own, .count = count, .fabric = fabric};
}

/* Adds a point for each seed. A baseline may name a seed, and its runs then have that one. */
static void add_seeds(struct point_list *points, const struct alternative *settings, const char *fabric)
{
    bool has_one = find(settings->settings, settings->count, "seed");
    uint64_t seeds = has_one ? 0 : points->definition->seeds;
    for (uint64_t i = 0; i < seeds; i++) {
        char seed[24];
        snprintf(seed, sizeof seed, "%" PRIu64, points->first_seed + i);
        add_point(points, settings, fabric, arena_text(&points->definition->arena, seed, strlen(seed)));
    }
    if (!seeds)
        add_point(points, settings, fabric, NULL);
}

static void add_combination(struct point_list *points, const struct alternative *settings)
{
    const struct sweep_setting *chosen = find(settings->settings, settings->count, "fabric");
    for (size_t i = 0; i < (chosen ? 1 : points->fabric_count); i++)
        add_seeds(points, settings, chosen ? chosen->value : points->fabrics[i]);
}

/* `settings`, overridden by those of `over`. */
static struct alternative override(struct point_list *points, const struct alternative *settings,
                                   const struct alternative *over)
{
    struct alternative both = {
        .settings =
            arena_alloc(&points->definition->arena, (settings->count + over->count) * sizeof *both.settings)};
    for (size_t i = 0; i < settings->count; i++)
        if (!find(over->settings, over->count, settings->settings[i].name))
            both.settings[both.count++] = settings->settings[i];
    for (size_t i = 0; i < over->count; i++)
        both.settings[both.count++] = over->settings[i];
    return both;
}

/* ---------------------------------------------------------------------- all */

/* Combination `number`. The last axis changes fastest. */
static struct alternative combination(struct point_list *points, size_t number)
{
    const struct definition *definition = points->definition;
    struct alternative all = {.count = 0};
    for (size_t i = definition->axis_count; i-- > 0;) {
        const struct axis *axis = &definition->axes[i];
        all = override(points, &axis->alternatives[number % axis->count], &all);
        number /= axis->count;
    }
    return all;
}

/* The base has its fabrics as one text, separated by commas. */
static enum status split_fabrics(struct point_list *points, const char *names)
{
    struct arena *arena = &points->definition->arena;
    points->fabrics = arena_alloc(arena, (strlen(names) + 1) * sizeof *points->fabrics);
    for (const char *at = names;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ", ");
        const char *name = arena_text(arena, at, length);
        if (!fabric_find(name)) {
            diag_error("there is no fabric '%s'%s", name, diag_did_you_mean(fabric_nearest(name)));
            return STATUS_BAD_INPUT;
        }
        points->fabrics[points->fabric_count++] = name;
        at += strcspn(at, ",");
        if (!*at)
            return STATUS_OK;
    }
}

/* The number of combinations, or any number above the limit. */
static size_t count_combinations(const struct definition *definition)
{
    size_t combinations = 1;
    for (size_t i = 0; i < definition->axis_count && combinations <= POINTS_AT_MOST; i++)
        combinations *= definition->axes[i].count;
    return combinations;
}

/* Whether a point may run the workload of this name. */
static bool runs_workload(const struct point_list *points, const char *full_name)
{
    const struct definition *definition = points->definition;
    const struct sweep_setting *baseline =
        find(definition->baseline.settings, definition->baseline.count, "workload");
    bool found = (points->workload && workload_text_is_of(points->workload, full_name)) ||
                 (baseline && workload_text_is_of(baseline->value, full_name));
    for (size_t i = 0; i < definition->axis_count; i++)
        for (size_t j = 0; !found && j < definition->axes[i].count; j++) {
            const struct alternative *alternative = &definition->axes[i].alternatives[j];
            const struct sweep_setting *workload =
                find(alternative->settings, alternative->count, "workload");
            found = workload && workload_text_is_of(workload->value, full_name);
        }
    return found;
}

/* STATUS_BAD_INPUT, reported: the file names a parameter of a workload that no point runs. */
static enum status check_workload_names(const struct point_list *points)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < points->definition->workload_name_count; i++) {
        const struct workload_name *named = &points->definition->workload_names[i];
        if (runs_workload(points, named->name))
            continue;
        diag_report(DIAG_ERROR, &named->place, "%s is a parameter of the workload %s, but %s%s", named->name,
                    workload_of_name(named->name)->name,
                    points->workload ? "this experiment runs " : "this experiment has no workload",
                    points->workload ? points->workload : "");
        status = STATUS_BAD_INPUT;
    }
    return status;
}

enum status definition_points(struct definition *definition, const struct config *base,
                              struct sweep_point **list, size_t *count)
{
    const struct experiment_config *chosen = config_of(base, &experiment_params);
    struct point_list points = {
        .definition = definition, .base = base, .workload = chosen->workload, .first_seed = chosen->seed};
    if (split_fabrics(&points, chosen->fabric) != STATUS_OK || check_workload_names(&points) != STATUS_OK)
        return STATUS_BAD_INPUT;
    size_t combinations = count_combinations(definition);
    size_t repeats = points.fabric_count * (definition->seeds ? definition->seeds : 1);
    if (combinations > POINTS_AT_MOST || combinations * repeats > POINTS_AT_MOST) {
        diag_error("this sweep has more than %d points", POINTS_AT_MOST);
        return STATUS_BAD_INPUT;
    }
    points.list = arena_alloc(&definition->arena, 2 * combinations * repeats * sizeof *points.list);
    for (size_t i = 0; i < combinations; i++) {
        struct alternative settings = combination(&points, i);
        add_combination(&points, &settings);
    }
    for (size_t i = 0; definition->baseline.count && i < combinations; i++) {
        struct alternative settings = combination(&points, i);
        settings = override(&points, &settings, &definition->baseline);
        add_combination(&points, &settings);
    }
    *list = points.list;
    *count = points.count;
    return STATUS_OK;
}

/* ------------------------------------------------------------- in the store */

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    return false;
}

/* The names that the store has, then the new ones. */
static enum status store_varied(const struct definition *definition, struct store *store)
{
    json_t *names;
    enum status status = metadata_read_varied(store, &names);
    for (size_t i = 0; i < definition->name_count; i++)
        if (!has_text(names, definition->names[i]))
            json_add_text(names, definition->names[i]);
    if (definition->seeds && !has_text(names, "seed"))
        json_add_text(names, "seed");
    if (status == STATUS_OK)
        return metadata_write(store, STORE_VARIED, names);
    json_decref(names);
    return status;
}

static enum status store_baseline(const struct definition *definition, struct store *store)
{
    const struct alternative *given = &definition->baseline;
    if (!given->count)
        return STATUS_OK;
    json_t *baseline = json_make_object();
    for (size_t i = 0; i < given->count; i++)
        json_put_value(baseline, given->settings[i].name, given->settings[i].value);
    return metadata_write(store, STORE_BASELINE, baseline);
}

enum status definition_store(const struct definition *definition, struct store *store)
{
    enum status status = store_varied(definition, store);
    return status == STATUS_OK ? store_baseline(definition, store) : status;
}
