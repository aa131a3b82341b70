#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "reproduce/internal.h"
#include "reproduce/papers.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sweep/definition.h"

/* The runs of experiment files in papers/ that have a sweep. */

const char *swept_value(const struct swept_run *run, const char *name)
{
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->values[i].name, name) == 0)
            return run->values[i].value;
    return "";
}

/* ----------------------------------------------------- a run as a few texts */

struct settings_text {
    char *text;
    size_t length, capacity;
};

static void append(struct settings_text *settings, const char *text, size_t length)
{
    settings->text =
        mem_grow(settings->text, &settings->capacity, settings->length + length + 1, "settings of a run");
    memcpy(settings->text + settings->length, text, length);
    settings->length += length;
    settings->text[settings->length] = '\0';
}

/* "fmu.count=16 fmu.t_switch=5us": all that is not at its default, except workload and fabric. */
static void put_setting(void *self, const struct param *param, const char *value, const char *origin)
{
    struct settings_text *settings = self;
    if (!value || strcmp(origin, "default") == 0 || strcmp(param->name, "workload") == 0 ||
        strcmp(param->name, "fabric") == 0)
        return;
    if (settings->length)
        append(settings, " ", 1);
    append(settings, param->name, strlen(param->name));
    append(settings, "=", 1);
    for (; *value; value++)
        if (*value != ' ')
            append(settings, value, 1);
}

static void visit_point(struct reproduction *reproduction, const struct sweep_point *point,
                        const char *baseline, void *self, swept_visit *visit)
{
    struct config *config = sweep_config(point);
    if (!config) {
        reproduction->broken = true;
        return;
    }
    struct settings_text settings = {0};
    append(&settings, "", 0);
    config_each(config, &settings, put_setting);
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    struct swept_run run = {.fabric = point->fabric, .values = point->settings, .count = point->count};
    run.facts = reproduction_run(reproduction, point->fabric, chosen->workload, settings.text);
    run.speedup = NAN;
    if (baseline)
        run.speedup = reproduction_run(reproduction, baseline, chosen->workload, settings.text)->makespan_s /
                      run.facts->makespan_s;
    visit(self, reproduction, &run);
    free(settings.text);
    config_close(config);
}

/* ----------------------------------------------------------------- the file */

static enum status visit_all(struct reproduction *reproduction, const struct embedded_file *file,
                             struct definition *definition, struct config *config, void *self,
                             swept_visit *visit)
{
    struct sweep_point *points;
    size_t count;
    enum status status = definition_read_text(definition, config, file->path, file->text, file->length);
    if (status == STATUS_OK)
        status = definition_points(definition, config, &points, &count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!definition_baseline_fabric(definition) ||
            strcmp(points[i].fabric, definition_baseline_fabric(definition)) != 0)
            visit_point(reproduction, &points[i], definition_baseline_fabric(definition), self, visit);
    return status;
}

void reproduction_sweep(struct reproduction *reproduction, const char *path, void *self, swept_visit *visit)
{
    const struct embedded_file *file = embedded_find(paper_files, path);
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct definition definition = {0};
    if (!file)
        diag_error("there is no %s in this program", path);
    if (!file || !config || visit_all(reproduction, file, &definition, config, self, visit) != STATUS_OK)
        reproduction->broken = true;
    definition_free(&definition);
    config_close(config);
}
