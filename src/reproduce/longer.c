#include <string.h>

#include "reproduce/internal.h"

/* A run of a program that repeats itself, from two shorter ones. */

static double grown(double few, double more, double further)
{
    return more + further * (more - few);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* Counters and sums grow with the program; largest values do not, and are left out. */
static bool is_counter(const char *name)
{
    static const char beginning[] = "coalesced_";
    return strncmp(name, beginning, strlen(beginning)) == 0 || strcmp(name, "accesses") == 0 ||
           ends_with(name, "_sum_s") || (ends_with(name, "_messages") && strncmp(name, "biggest", 7) != 0);
}

/* A mean over accesses is their sum over their number, both of which grow. */
static void put_grown_mean(json_t *all, const json_t *few, const json_t *more, double further)
{
    static const char mean[] = "queue_wait_mean_s", count[] = "accesses";
    double few_count = json_number_value(json_object_get(few, count)),
           more_count = json_number_value(json_object_get(more, count)),
           few_sum = few_count * json_number_value(json_object_get(few, mean)),
           more_sum = more_count * json_number_value(json_object_get(more, mean));
    if (more_count > 0)
        json_put_number(all, mean, grown(few_sum, more_sum, further) / grown(few_count, more_count, further));
}

/* A line of the numbers in `more`, each grown; of counters and means alone, or of all. */
static char *grown_line(const char *few_text, const char *more_text, double further, bool counters)
{
    json_t *few = json_read_object(few_text), *more = json_read_object(more_text), *all = json_make_object();
    const char *name;
    json_t *number;
    json_object_foreach(more, name, number)
    {
        if (json_is_number(number) && (!counters || is_counter(name)))
            json_put_number(
                all, name,
                grown(json_number_value(json_object_get(few, name)), json_number_value(number), further));
    }
    if (counters)
        put_grown_mean(all, few, more, further);
    char *line = json_line(all, JSON_EXACT);
    json_decref(few);
    json_decref(more);
    json_decref(all);
    return line;
}

static char *kept(struct reproduction *reproduction, char *line)
{
    char *text = arena_text(&reproduction->published.texts, line, strlen(line));
    free(line);
    return text;
}

const struct run_facts *reproduction_run_longer(struct reproduction *reproduction, const char *fabric,
                                                const char *fewer, const char *more, double further,
                                                const char *settings)
{
    const struct run_facts *a = reproduction_run(reproduction, fabric, fewer, settings),
                           *b = reproduction_run(reproduction, fabric, more, settings);
    if (!a->metrics || !b->metrics)
        return &run_unknown;
    struct run_facts *facts = arena_alloc(&reproduction->published.texts, sizeof *facts);
    double idle_s = grown(a->idle_fraction * a->makespan_s, b->idle_fraction * b->makespan_s, further);
    *facts = (struct run_facts){
        .makespan_s = grown(a->makespan_s, b->makespan_s, further),
        .messages = grown(a->messages, b->messages, further),
        .bytes = grown(a->bytes, b->bytes, further),
        .metrics = kept(reproduction, grown_line(a->metrics, b->metrics, further, true)),
        .host = kept(reproduction, mem_text("{}")),
        .causes = kept(reproduction, grown_line(a->causes, b->causes, further, false)),
    };
    facts->idle_fraction = idle_s / facts->makespan_s;
    facts->mean_bytes = facts->bytes / facts->messages;
    return facts;
}
