#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "compare/result_file.h"
#include "sim/insight.h"

/* ------------------------------------------------------------------ reading */

static void read_side(struct compare_side *side)
{
    const json_t *manifest = json_object_get(side->json, "manifest");
    side->program = result_text(manifest, "program");
    side->version = result_text(manifest, "version");
    side->is_interrupted = json_object_get(side->json, "not_run") != NULL;
}

/* ----------------------------------------------------------------- settings */

/* A value as text: a string itself, anything else as JSON. NULL stays NULL. */
static char *value_of(const json_t *value)
{
    if (!value || json_is_null(value))
        return NULL;
    return json_is_string(value) ? mem_text(json_string_value(value)) : json_line(value, JSON_EXACT);
}

static void put_input(const json_t *input, FILE *out)
{
    const char *path = json_string_value(json_object_get(input, "path")),
               *hash = json_string_value(json_object_get(input, "xxh3")),
               *programs = json_string_value(json_object_get(input, "programs_xxh3"));
    fprintf(out, "%s %s", path ? path : "?", hash ? hash : "?");
    if (programs && programs[strspn(programs, "0")])
        fprintf(out, ", its programs %s", programs);
}

/* The files of a run, each with its hash: "jobs.yaml 1c3e...". NULL: there are none. */
static char *inputs_of(const json_t *inputs)
{
    char *text = NULL;
    size_t length;
    if (json_array_size(inputs) == 0)
        return NULL;
    FILE *stream = memory_stream_open(&text, &length);
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        fputs(i ? ", " : "", stream);
        put_input(json_array_get(inputs, i), stream);
    }
    fclose(stream);
    return text;
}

/* Takes both values, texts or NULL. */
static void add_texts(struct comparison *comparison, const char *name, char *first, char *second)
{
    char *values[2] = {first, second};
    bool same = values[0] && values[1] ? strcmp(values[0], values[1]) == 0 : values[0] == values[1];
    if (same) {
        free(values[0]);
        free(values[1]);
        return;
    }
    comparison->settings = mem_grow(comparison->settings, &comparison->setting_capacity,
                                    comparison->setting_count + 1, "settings");
    comparison->settings[comparison->setting_count++] =
        (struct compare_setting){.name = name, .values = {values[0], values[1]}};
}

static void add_setting(struct comparison *comparison, const char *name, const json_t *first,
                        const json_t *second)
{
    add_texts(comparison, name, value_of(first), value_of(second));
}

static const json_t *manifest_of(const struct compare_side *side)
{
    return json_object_get(side->json, "manifest");
}

/* `fabric` has a table of its own. */
static void compare_settings(struct comparison *comparison)
{
    static const char *const keys[] = {"program", "version", "seed"};
    const json_t *first = manifest_of(&comparison->sides[0]), *second = manifest_of(&comparison->sides[1]);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_setting(comparison, keys[i], json_object_get(first, keys[i]), json_object_get(second, keys[i]));
    add_texts(comparison, "inputs", inputs_of(json_object_get(first, "inputs")),
              inputs_of(json_object_get(second, "inputs")));
    json_t *all = json_object_get(first, "parameters"), *others = json_object_get(second, "parameters"),
           *value;
    const char *name;
    json_object_foreach(all, name, value) if (strcmp(name, "fabric") != 0 && strcmp(name, "seed") != 0)
        add_setting(comparison, name, value, json_object_get(others, name));
    json_object_foreach(others, name, value) if (!json_object_get(all, name))
        add_setting(comparison, name, NULL, value);
}

/* --------------------------------------------------------------------- runs */

static const json_t *runs_of(const struct compare_side *side)
{
    return json_object_get(side->json, "runs");
}

static const json_t *find_run(const struct compare_side *side, const char *fabric)
{
    const json_t *runs = runs_of(side);
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (strcmp(result_text(json_array_get(runs, i), "fabric"), fabric) == 0)
            return json_array_get(runs, i);
    return NULL;
}

static bool read_kinds(const json_t *run, double *kinds)
{
    const json_t *path = json_object_get(run, "critical_path");
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", critical_kind_name((enum critical_kind)kind));
        kinds[kind] = result_number(path, key);
        if (!result_is_time(kinds[kind]))
            return false;
    }
    return true;
}

static bool same_value(const json_t *first, const json_t *second)
{
    if (json_is_string(first) && json_is_string(second))
        return strcmp(json_string_value(first), json_string_value(second)) == 0;
    return json_is_number(first) == json_is_number(second) &&
           json_number_value(first) == json_number_value(second); /* 0: not given */
}

/* What decides which call an algorithm is for. The sizes of another program say nothing. */
static bool same_algorithm(const json_t *first, const json_t *second, bool same_program)
{
    static const char *const keys[] = {"operation", "algorithm", "ranks", "from_bytes", "to_bytes"};
    bool same = true;
    for (size_t i = 0; same && i < (same_program ? sizeof keys / sizeof *keys : 2); i++)
        same = same_value(json_object_get(first, keys[i]), json_object_get(second, keys[i]));
    return same;
}

static bool has_all_algorithms(const json_t *list, const json_t *of, bool same_program)
{
    size_t index, at;
    const json_t *wanted, *entry;
    bool all = true;
    json_array_foreach(of, index, wanted)
    {
        bool found = false;
        json_array_foreach(list, at, entry) found = found || same_algorithm(entry, wanted, same_program);
        all = all && found;
    }
    return all;
}

enum { MOST_ALGORITHMS = 1000 }; /* of a run: a hostile result costs little */

/* Collective calls of the two runs have other algorithms. */
static bool algorithms_differ(const struct comparison *comparison, const json_t *first, const json_t *second)
{
    const json_t *own = json_object_get(first, "collectives"),
                 *other = json_object_get(second, "collectives");
    if (json_array_size(own) > MOST_ALGORITHMS || json_array_size(other) > MOST_ALGORITHMS)
        return true;
    bool same_program = strcmp(comparison->sides[0].program, comparison->sides[1].program) == 0;
    return !has_all_algorithms(own, other, same_program) || !has_all_algorithms(other, own, same_program);
}

static bool chooses_algorithms(const struct compare_setting *setting)
{
    return strncmp(setting->name, "mpi.", 4) == 0 && strncmp(setting->name, "mpi.eager", 9) != 0;
}

/* The algorithms of collectives are a reason beside the network: the parameters that choose them, "" if those
 * are the same. The tuning of an MPI alone says it for all of them. The caller frees the text. */
static char *algorithms_of(const struct comparison *comparison)
{
    char *text = mem_text("");
    for (size_t i = 0; i < comparison->setting_count; i++) {
        const struct compare_setting *setting = &comparison->settings[i];
        if (!chooses_algorithms(setting))
            continue;
        char *longer = mem_format("%s%s%s: %s | %s", text, *text ? ", " : "", setting->name,
                                  setting->values[0] ? setting->values[0] : "-",
                                  setting->values[1] ? setting->values[1] : "-");
        free(text);
        text = longer;
        if (strcmp(setting->name, "mpi.tuning") == 0)
            break;
    }
    char *sentence = *text ? mem_format("; algorithms of collectives differ, too (%s)", text) : mem_text("");
    free(text);
    return sentence;
}

/* "packet is 1.42 times as fast in b.json as in a.json because ..." */
static void say(const struct comparison *comparison, struct compare_run *run, bool other_algorithms)
{
    const double *times = run->makespan_s;
    const char *first = comparison->sides[0].file, *second = comparison->sides[1].file;
    run->speed = units_speed_of(run->ratio);
    if (run->speed.is_same) {
        run->text = mem_format("%s takes as long in %s as in %s.", run->fabrics[1], second, first);
        return;
    }
    char *because = mem_text("");
    if (run->has_paths) {
        struct insight_cause cause = insight_cause_of(times, run->kinds_s[0], run->kinds_s[1]);
        run->has_cause = true;
        run->cause = cause.kind;
        run->cause_share = cause.share;
        free(because);
        because = insight_because(&cause, times[1] < times[0]);
    }
    char *algorithms = other_algorithms ? algorithms_of(comparison) : mem_text("");
    run->text = mem_format("%s is %s in %s %s in %s%s%s.", run->fabrics[1], run->speed.text, second,
                           run->speed.than, first, because, algorithms);
    free(because);
    free(algorithms);
}

static void add_run(struct comparison *comparison, const json_t *first, const json_t *second)
{
    comparison->runs =
        mem_grow(comparison->runs, &comparison->run_capacity, comparison->run_count + 1, "runs");
    struct compare_run *run = &comparison->runs[comparison->run_count++];
    *run = (struct compare_run){.fabrics = {first ? result_text(first, "fabric") : NULL,
                                            second ? result_text(second, "fabric") : NULL},
                                .makespan_s = {first ? result_number(first, "makespan_s") : NAN,
                                               second ? result_number(second, "makespan_s") : NAN}};
    run->ratio = run->makespan_s[1] > 0 ? run->makespan_s[0] / run->makespan_s[1] : NAN;
    if (!first || !second)
        return;
    run->has_paths = read_kinds(first, run->kinds_s[0]) && read_kinds(second, run->kinds_s[1]);
    if (run->makespan_s[0] > 0 && run->makespan_s[1] > 0)
        say(comparison, run, algorithms_differ(comparison, first, second));
}

static void compare_runs(struct comparison *comparison)
{
    const struct compare_side *first = &comparison->sides[0], *second = &comparison->sides[1];
    if (json_array_size(runs_of(first)) == 1 && json_array_size(runs_of(second)) == 1) {
        add_run(comparison, json_array_get(runs_of(first), 0), json_array_get(runs_of(second), 0));
        return;
    }
    for (size_t i = 0; i < json_array_size(runs_of(first)); i++) {
        const json_t *run = json_array_get(runs_of(first), i);
        add_run(comparison, run, find_run(second, result_text(run, "fabric")));
    }
    for (size_t i = 0; i < json_array_size(runs_of(second)); i++) {
        const json_t *run = json_array_get(runs_of(second), i);
        if (!find_run(first, result_text(run, "fabric")))
            add_run(comparison, NULL, run);
    }
}

/* -------------------------------------------------------------------- whole */

enum status compare_texts(const char *const names[2], const char *const texts[2], const size_t lengths[2],
                          struct comparison *comparison)
{
    *comparison = (struct comparison){.setting_count = 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        comparison->sides[i].file = names[i];
        status = result_text_read(names[i], texts[i], lengths[i], &comparison->sides[i].json);
        if (status == STATUS_OK)
            read_side(&comparison->sides[i]);
    }
    if (status != STATUS_OK)
        return status;
    compare_settings(comparison);
    compare_runs(comparison);
    return STATUS_OK;
}

enum status compare_files(const char *first, const char *second, struct comparison *comparison)
{
    const char *const names[2] = {first, second};
    char *texts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    *comparison = (struct comparison){.setting_count = 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = result_file_load(names[i], &texts[i], &lengths[i]);
    if (status == STATUS_OK)
        status = compare_texts(names, (const char *const *)texts, lengths, comparison);
    free(texts[0]);
    free(texts[1]);
    return status;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->setting_count; i++) {
        free(comparison->settings[i].values[0]);
        free(comparison->settings[i].values[1]);
    }
    for (size_t i = 0; i < comparison->run_count; i++)
        free(comparison->runs[i].text);
    free(comparison->settings);
    free(comparison->runs);
    json_decref(comparison->sides[0].json);
    json_decref(comparison->sides[1].json);
    *comparison = (struct comparison){.setting_count = 0};
}
