#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "compare/compare.h"
#include "output/quote.h"
#include "output/wrap.h"

/* --------------------------------------------------------------------- text */

static void put_settings(const struct comparison *comparison, FILE *out)
{
    fputs(comparison->setting_count ? "\nWhat differs:\n" : "\nAll settings are the same.\n", out);
    for (size_t i = 0; i < comparison->setting_count; i++) {
        const struct compare_setting *setting = &comparison->settings[i];
        fputs("  ", out);
        quote_terminal(out, setting->name);
        fputs(": ", out);
        quote_terminal(out, setting->values[0] ? setting->values[0] : "-");
        fputs(" | ", out);
        quote_terminal(out, setting->values[1] ? setting->values[1] : "-");
        fputc('\n', out);
    }
}

/* "-": there is none, or it is beyond simulated time. */
static void put_time(double seconds, FILE *out)
{
    char text[32];
    double picoseconds = seconds * (double)PS_PER_S;
    if (picoseconds >= 0 && picoseconds < 0x1p62)
        fprintf(out, " %12s", units_show_time((ps_t)llround(picoseconds), 5, text, sizeof text));
    else
        fprintf(out, " %12s", "-");
}

static char *name_of(const struct compare_run *run)
{
    const char *first = run->fabrics[0], *second = run->fabrics[1];
    char *both = first && second && strcmp(first, second) != 0 ? mem_format("%s | %s", first, second)
                                                               : mem_text(first ? first : second);
    char *name = quote_terminal_text(both);
    free(both);
    return name;
}

static void put_run(const struct compare_run *run, FILE *out)
{
    char *name = name_of(run);
    fprintf(out, "%-20s", name);
    free(name);
    put_time(run->makespan_s[0], out);
    put_time(run->makespan_s[1], out);
    if (isfinite(run->ratio) && run->ratio > 0)
        fprintf(out, " %9.3fx\n", run->ratio);
    else
        fprintf(out, " %10s\n", "-");
}

static void put_sentence(const char *text, FILE *out)
{
    char *shown = quote_terminal_text(text);
    wrap_sentences(out, 2, shown);
    free(shown);
}

/* Times differ, and one of the results cannot say why. */
static bool lacks_reasons(const struct comparison *comparison)
{
    bool lacks = false;
    for (size_t i = 0; i < comparison->run_count; i++)
        lacks |=
            comparison->runs[i].text && !comparison->runs[i].speed.is_same && !comparison->runs[i].has_paths;
    return lacks;
}

void comparison_print(const struct comparison *comparison, FILE *out)
{
    for (int i = 0; i < 2; i++) {
        const struct compare_side *side = &comparison->sides[i];
        fputs(i ? "second: " : "first:  ", out);
        quote_terminal(out, side->file);
        fputs(", ", out);
        quote_terminal(out, side->program);
        fputs(side->is_interrupted ? " (interrupted)\n" : "\n", out);
    }
    put_settings(comparison, out);
    fprintf(out, "\n%-20s %12s %12s %10s\n", "fabric", "first", "second", "speedup");
    for (size_t i = 0; i < comparison->run_count; i++)
        put_run(&comparison->runs[i], out);
    fputc('\n', out);
    for (size_t i = 0; i < comparison->run_count; i++)
        if (comparison->runs[i].text)
            put_sentence(comparison->runs[i].text, out);
    if (lacks_reasons(comparison))
        put_sentence("Reasons need the critical paths of both results: helio run --json --insight.", out);
}

/* --------------------------------------------------------------------- JSON */

static json_t *side_json(const struct compare_side *side)
{
    json_t *object = json_make_object();
    json_put_text(object, "file", side->file);
    json_put_value(object, "program", side->program);
    json_put_text(object, "version", side->version);
    json_put_flag(object, "interrupted", side->is_interrupted);
    return object;
}

static json_t *setting_json(const struct compare_setting *setting)
{
    json_t *object = json_make_object();
    json_put_text(object, "name", setting->name);
    json_put_value(object, "first", setting->values[0]);
    json_put_value(object, "second", setting->values[1]);
    return object;
}

static json_t *kinds_json(const double *kinds)
{
    json_t *object = json_make_object();
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", critical_kind_name((enum critical_kind)kind));
        json_put_number(object, key, kinds[kind]);
    }
    return object;
}

static json_t *run_side_json(const struct compare_run *run, int side)
{
    if (!run->fabrics[side])
        return json_make_text(NULL);
    json_t *object = json_make_object();
    json_put_text(object, "fabric", run->fabrics[side]);
    json_put_number(object, "makespan_s", run->makespan_s[side]);
    if (run->has_paths)
        json_put(object, "critical_path", kinds_json(run->kinds_s[side]));
    return object;
}

static json_t *run_json(const struct compare_run *run)
{
    json_t *object = json_make_object();
    json_put(object, "first", run_side_json(run, 0));
    json_put(object, "second", run_side_json(run, 1));
    json_put_number(object, "speedup", run->ratio);
    if (run->has_cause) {
        json_put_text(object, "cause", critical_kind_name(run->cause));
        json_put_number(object, "cause_share", run->cause_share);
    }
    json_put_text(object, "compared", run->text ? run->speed.text : NULL);
    json_put_text(object, "text", run->text);
    return object;
}

json_t *comparison_json(const struct comparison *comparison)
{
    json_t *object = json_make_object(), *settings = json_make_list(), *runs = json_make_list();
    for (size_t i = 0; i < comparison->setting_count; i++)
        json_add(settings, setting_json(&comparison->settings[i]));
    for (size_t i = 0; i < comparison->run_count; i++)
        json_add(runs, run_json(&comparison->runs[i]));
    json_put(object, "first", side_json(&comparison->sides[0]));
    json_put(object, "second", side_json(&comparison->sides[1]));
    json_put(object, "settings", settings);
    json_put(object, "runs", runs);
    return object;
}
