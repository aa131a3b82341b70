#include "report/insight.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory_stream.h"
#include "base/units.h"
#include "output/quote.h"
#include "output/wrap.h"
#include "sim/path_summary.h"

enum { SENTENCE_INDENT = 2 };

static bool has_path(const struct result *result)
{
    return result->path && result->path->length > 0;
}

/* The kinds that at least one path has. */
static bool is_shown(const struct result *results, size_t count, int kind)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].path && results[i].path->kinds[kind] > 0)
            return true;
    return false;
}

static void put_paths(const struct result *results, size_t count, FILE *out)
{
    fprintf(out, "\n%-13s", "critical path");
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        if (is_shown(results, count, kind))
            fprintf(out, " %11s", critical_kind_name((enum critical_kind)kind));
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
        const struct critical_path *path = results[i].path;
        if (!has_path(&results[i]))
            continue;
        fprintf(out, "%-13s", results[i].fabric);
        for (int kind = 0; kind < CRITICAL_KINDS; kind++)
            if (is_shown(results, count, kind))
                fprintf(out, " %9.2f %%", 100 * (double)path->kinds[kind] / (double)path->length);
        fputc('\n', out);
    }
}

static void say_longest(const struct result *result, FILE *out)
{
    const struct path_summary *summary = result->path_summary;
    char size[32], time[32];
    if (!summary->messages.count)
        return;
    const struct critical_step *longest = summary->messages.groups[0].first;
    fprintf(out,
            "%s: %zu of the %" PRIu64 " messages on the path take %.1f %% of the time; the longest is %s ",
            result->fabric, summary->messages.count, result->path->messages,
            100 * (double)summary->messages.time / (double)result->path->length,
            units_show_size((double)longest->bytes, 4, size, sizeof size));
    fprintf(out, "from rank %" PRIu32 " to %" PRIu32 " (%s), %s\n", longest->source, longest->destination,
            path_call_name(longest), units_show_time(longest->end - longest->start, 4, time, sizeof time));
}

/* Where in the source the path computes longest. */
static void say_computation(const struct result *result, FILE *out)
{
    const struct path_summary *summary = result->path_summary;
    char time[32];
    if (!summary->sites || !summary->computations.count)
        return;
    const struct path_group *longest = &summary->computations.groups[0];
    const struct path_between between = path_between(summary, longest->first);
    fprintf(out, "%s: the path computes longest from ", result->fabric);
    quote_terminal(out, between.after ? summary->sites[between.after].name : "elsewhere");
    fputs(" to ", out);
    quote_terminal(out, between.before ? summary->sites[between.before].name : "elsewhere");
    fprintf(out, ": %s, %.1f %% of the time\n", units_show_time(longest->time, 4, time, sizeof time),
            100 * (double)longest->time / (double)result->path->length);
}

/* On a network with contention a run can also take longer, since other messages meet. */
static void say_what_if(const struct result *result, FILE *out)
{
    for (size_t i = 0; i < result->what_if_count; i++) {
        const struct result_what_if *answer = &result->what_if[i];
        const struct critical_step *step = answer->step;
        const ps_t saved = result->makespan - answer->makespan;
        char name[32], size[32], time[32];
        fprintf(out, "%s: if message %s took no time (%s ", result->fabric,
                path_message_name(step, name, sizeof name),
                units_show_size((double)step->bytes, 4, size, sizeof size));
        fprintf(out, "from rank %" PRIu32 " to %" PRIu32 ", %s): %s, ", step->source, step->destination,
                path_call_name(step), units_show_time(answer->makespan, 6, time, sizeof time));
        fprintf(out, "%s %s\n", units_show_time(saved < 0 ? -saved : saved, 4, time, sizeof time),
                saved < 0 ? "more" : "less");
    }
}

void report_insight(const struct insight *insight, FILE *out)
{
    if (insight->count)
        fputc('\n', out);
    for (size_t i = 0; i < insight->count; i++)
        wrap_sentences(out, SENTENCE_INDENT, insight->sentences[i].text);
}

/* What `say` writes of the result, in lines of a terminal's width. */
static void put_sentences(const struct result *result, void (*say)(const struct result *result, FILE *out),
                          FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = memory_stream_open(&text, &length);
    say(result, stream);
    fclose(stream);
    wrap_sentences(out, SENTENCE_INDENT, text);
    free(text);
}

void report_paths(const struct result *results, size_t count, FILE *out)
{
    bool is_any = false;
    for (size_t i = 0; i < count; i++)
        is_any |= has_path(&results[i]);
    if (!is_any)
        return;
    put_paths(results, count, out);
    fputc('\n', out);
    for (size_t i = 0; i < count; i++)
        if (has_path(&results[i]))
            put_sentences(&results[i], say_longest, out);
    for (size_t i = 0; i < count; i++)
        if (has_path(&results[i]))
            put_sentences(&results[i], say_computation, out);
    for (size_t i = 0; i < count; i++)
        put_sentences(&results[i], say_what_if, out);
}

static const struct result_collectives *collectives_of(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].collectives.count)
            return &results[i].collectives;
    return NULL;
}

/* "64 KiB - 1 MiB" */
static const char *sizes_text(const struct result_collective *entry, char *buffer, size_t size)
{
    char from[32], to[32];
    units_print_size(entry->from_bytes, from, sizeof from);
    units_print_size(entry->to_bytes, to, sizeof to);
    if (!entry->has_size)
        snprintf(buffer, size, "-");
    else if (entry->from_bytes == entry->to_bytes)
        snprintf(buffer, size, "%s", from);
    else
        snprintf(buffer, size, "%s - %s", from, to);
    return buffer;
}

void report_collectives(const struct result *results, size_t count, FILE *out)
{
    const struct result_collectives *collectives = collectives_of(results, count);
    char sizes[80];
    if (!collectives)
        return;
    fprintf(out, "\n%-14s %-24s %6s  %-20s %8s\n", "collective", "algorithm", "ranks", "size", "calls");
    for (size_t i = 0; i < collectives->count; i++) {
        const struct result_collective *entry = &collectives->entries[i];
        fprintf(out, "%-14s %-24s %6" PRIu32 "  %-20s %8" PRIu64 "\n", entry->operation, entry->algorithm,
                entry->ranks, sizes_text(entry, sizes, sizeof sizes), entry->calls);
    }
}
