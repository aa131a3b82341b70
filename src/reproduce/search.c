#include <string.h>

#include "base/diag.h"
#include "base/progress.h"
#include "base/rng.h"
#include "output/interrupt.h"
#include "output/quote.h"
#include "output/standard.h"
#include "reproduce/attempts.h"
#include "reproduce/folder.h"

/* The search begins at each configuration of the paper, the best first. From there it changes one unknown at
 * a time, to each of its values, and keeps the best, until no single change is better. Then it begins again
 * at configurations that are drawn at random, the same ones each time. Only items that choose decide
 * (published_is_held_out); the others show whether what was found holds. */
struct search {
    struct reproduction reproduction;
    struct attempts attempts;
    size_t most; /* tries */
    const char *folder;
};

/* ------------------------------------------------------------------ one try */

static void take_numbers(const struct reproduction *reproduction, const struct attempts *attempts,
                         struct attempt *attempt)
{
    for (size_t i = 0; i < attempts->item_count; i++)
        for (size_t k = 0; k < reproduction->row_count; k++)
            if (reproduction->rows[k].published == attempts->items[i] && !reproduction->rows[k].variant)
                attempt->ours[i] = reproduction->rows[k].ours;
    attempt_judge(attempts, attempt);
}

/* Computes the tries from `first` on, makes the runs of all of them together, and writes what is known then.
 */
static enum status compute_from(struct search *search, size_t first)
{
    struct reproduction *reproduction = &search->reproduction;
    enum status status = STATUS_OK;
    size_t made = 1;
    while (status == STATUS_OK && made) {
        for (size_t i = first; i < search->attempts.count && !interrupt_wanted(); i++) {
            struct attempt *attempt = &search->attempts.list[i];
            rows_clear(reproduction);
            reproduction_compute(reproduction, &attempt->configuration);
            take_numbers(reproduction, &search->attempts, attempt);
            progress_tell(i);
        }
        status = interrupt_wanted() ? STATUS_CANCELLED
                                    : runs_catch_up(reproduction->runs, reproduction->paper->name, &made);
    }
    if (status == STATUS_OK && reproduction->broken)
        status = STATUS_FAILED;
    if (status != STATUS_OK)
        search->attempts.count = first; /* those that are not complete */
    return status == STATUS_OK && search->attempts.count > first
               ? attempts_write(&search->attempts, search->folder)
               : status;
}

/* The try with these choices, made from another one (or from none: its own index), still to be computed if
 * it is new. attempts.count: the search has no more tries. */
static size_t want(struct search *search, const char *const *choices, size_t from)
{
    struct attempts *attempts = &search->attempts;
    size_t index = attempts_find(attempts, choices);
    if (index == attempts->count && attempts->count < search->most) {
        attempts_add(attempts, choices);
        if (from < attempts->count)
            attempts->list[index].from = from;
    }
    return index;
}

/* ------------------------------------------------------------------ descent */

/* All tries that differ from `at` in the unknown. *best becomes the best of them and `at`. */
static enum status vary(struct search *search, size_t at, size_t unknown, size_t *best)
{
    struct attempts *attempts = &search->attempts;
    const struct configurations *configurations = &search->reproduction.configurations;
    const struct unknown *varied = &configurations->unknowns[unknown];
    size_t first = attempts->count, count = configurations->unknown_count,
           *tried = mem_alloc(varied->count, sizeof *tried, "tries");
    const char **choices = mem_alloc(count, sizeof(const char *), "choices");
    memcpy(choices, attempts->list[at].configuration.choices, count * sizeof *choices);
    for (size_t i = 0; i < varied->count; i++) {
        choices[unknown] = varied->values[i];
        tried[i] = want(search, choices, at);
    }
    enum status status = compute_from(search, first);
    for (size_t i = 0; i < varied->count && status == STATUS_OK; i++)
        if (tried[i] < attempts->count &&
            attempt_is_better(&attempts->list[tried[i]], &attempts->list[*best])) {
            *best = tried[i];
            attempts->list[*best].from = at;
        }
    free(choices);
    free(tried);
    return status;
}

static enum status descend(struct search *search, const char *const *choices)
{
    size_t first = search->attempts.count, at = want(search, choices, SIZE_MAX);
    if (at == search->attempts.count)
        return STATUS_OK;
    enum status status = compute_from(search, first);
    search->attempts.list[at].from = at;
    for (bool better = true; better && status == STATUS_OK;) {
        better = false;
        for (size_t u = 0; u < search->reproduction.configurations.unknown_count && status == STATUS_OK;
             u++) {
            size_t best = at;
            status = vary(search, at, u, &best);
            better = better || best != at;
            at = best;
        }
    }
    return status;
}

static enum status descend_from_random(struct search *search, struct rng *rng)
{
    const struct configurations *configurations = &search->reproduction.configurations;
    const char **choices = mem_alloc(configurations->unknown_count, sizeof(const char *), "choices");
    for (size_t i = 0; i < configurations->unknown_count; i++)
        choices[i] = configurations->unknowns[i].values[rng_below(rng, configurations->unknowns[i].count)];
    enum status status = descend(search, choices);
    free(choices);
    return status;
}

/* How many configurations there are, at most SIZE_MAX. */
static size_t all_choices(const struct configurations *configurations)
{
    size_t all = 1;
    for (size_t i = 0; i < configurations->unknown_count; i++)
        if (__builtin_mul_overflow(all, configurations->unknowns[i].count, &all))
            return SIZE_MAX;
    return all;
}

/* Tries the configurations of the paper; those that a search has found are no beginning of another. */
static enum status try_declared(struct search *search)
{
    const struct configurations *configurations = &search->reproduction.configurations;
    size_t first = search->attempts.count;
    for (size_t i = 0; i < configurations->count; i++)
        if (!configurations->list[i].is_found)
            want(search, configurations->list[i].choices, SIZE_MAX);
    return compute_from(search, first);
}

/* The best of the paper's configurations that the search has not begun at yet; `count`: none is left. */
static size_t next_beginning(const struct search *search, const bool *begun)
{
    const struct configurations *configurations = &search->reproduction.configurations;
    const struct attempts *attempts = &search->attempts;
    size_t next = configurations->count, best = attempts->count;
    for (size_t i = 0; i < configurations->count; i++) {
        size_t index = attempts_find(attempts, configurations->list[i].choices);
        if (begun[i] || configurations->list[i].is_found || index == attempts->count)
            continue;
        if (best == attempts->count || attempt_is_better(&attempts->list[index], &attempts->list[best])) {
            best = index;
            next = i;
        }
    }
    return next;
}

static enum status try_all(struct search *search)
{
    const struct configurations *configurations = &search->reproduction.configurations;
    struct rng rng = rng_init(1, "reproduce.search");
    bool *begun = mem_alloc(configurations->count, sizeof *begun, "configurations");
    enum status status = try_declared(search);
    for (size_t i; status == STATUS_OK && (i = next_beginning(search, begun)) < configurations->count;) {
        begun[i] = true;
        status = descend(search, configurations->list[i].choices);
    }
    while (search->attempts.count < search->most && status == STATUS_OK)
        status = descend_from_random(search, &rng);
    free(begun);
    return status;
}

/* ------------------------------------------------------------------ results */

static size_t best_attempt(const struct attempts *attempts)
{
    size_t best = 0;
    for (size_t i = 1; i < attempts->count; i++)
        if (attempt_is_better(&attempts->list[i], &attempts->list[best]))
            best = i;
    return best;
}

static void put_score(FILE *out, const struct attempts *attempts, const struct attempt *attempt)
{
    fprintf(out, "%zu of %zu that choose, %zu of %zu held out", attempt->met, attempts->chosen_count,
            attempt->predicted, attempts->item_count - attempts->chosen_count);
}

/* What a try changes: "photonic.injection=10", or all that it chooses. */
static void put_change(FILE *out, const struct attempts *attempts, size_t index)
{
    const struct configurations *configurations = &attempts->of->configurations;
    const struct attempt *attempt = &attempts->list[index], *from = &attempts->list[attempt->from];
    const char *between = "";
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        const char *value = attempt->configuration.choices[i];
        if (attempt->from != index && strcmp(value, from->configuration.choices[i]) == 0)
            continue;
        fprintf(out, "%s%s=%s", between, configurations->unknowns[i].name, value);
        between = " ";
    }
}

static void put_line(FILE *out, const struct attempts *attempts, size_t index)
{
    put_change(out, attempts, index);
    fputs(": ", out);
    put_score(out, attempts, &attempts->list[index]);
}

/* The tries from the beginning of the descent to this one. */
static void put_path(FILE *out, const struct attempts *attempts, size_t index)
{
    if (attempts->list[index].from != index)
        put_path(out, attempts, attempts->list[index].from);
    fputs("    - \"", out);
    put_line(out, attempts, index);
    fputs("\"\n", out);
}

/* What each other value of each unknown gives. */
static void put_changes(FILE *out, const struct attempts *attempts, const struct attempt *best)
{
    const struct configurations *configurations = &attempts->of->configurations;
    const char **choices = mem_alloc(configurations->unknown_count, sizeof(const char *), "choices");
    memcpy(choices, best->configuration.choices, configurations->unknown_count * sizeof *choices);
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        for (size_t k = 0; k < configurations->unknowns[i].count; k++) {
            choices[i] = configurations->unknowns[i].values[k];
            size_t index = attempts_find(attempts, choices);
            if (index == attempts->count || &attempts->list[index] == best)
                continue;
            fprintf(out, "    - \"%s=%s: ", configurations->unknowns[i].name, choices[i]);
            put_score(out, attempts, &attempts->list[index]);
            fputs("\"\n", out);
        }
        choices[i] = best->configuration.choices[i];
    }
    free(choices);
}

static void put_found(FILE *out, const void *what)
{
    const struct search *search = what;
    const struct attempts *attempts = &search->attempts;
    const struct configurations *configurations = &search->reproduction.configurations;
    size_t index = best_attempt(attempts);
    const struct attempt *best = &attempts->list[index];
    fputs("configuration: found\nsays: \"the best of ", out);
    fprintf(out, "%zu tries%s; as published are ", attempts->count,
            search->reproduction.quick ? " in the quick form" : "");
    put_score(out, attempts, best);
    fputs("\"\nsettings:\n", out);
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        fprintf(out, "  %s: ", configurations->unknowns[i].name);
        quote_yaml(out, best->configuration.choices[i]);
        fputc('\n', out);
    }
    fprintf(out, "search:\n  version: \"%s\"\n  path:\n", HELIO_VERSION);
    put_path(out, attempts, index);
    fputs("  changes:\n", out);
    put_changes(out, attempts, best);
}

static void print_result(const struct search *search)
{
    const struct attempts *attempts = &search->attempts;
    const struct configurations *configurations = &search->reproduction.configurations;
    size_t best = best_attempt(attempts);
    printf("%s: %zu tries\n\n", search->reproduction.paper->name, attempts->count);
    for (size_t i = 0; i < configurations->count; i++) {
        size_t index = attempts_find(attempts, configurations->list[i].choices);
        if (index == attempts->count)
            continue;
        printf("%-24s ", configurations->list[i].name);
        put_score(stdout, attempts, &attempts->list[index]);
        putchar('\n');
    }
    printf("%-24s ", "found");
    put_score(stdout, attempts, &attempts->list[best]);
    printf("\n\n");
    for (size_t i = 0; i < configurations->unknown_count; i++)
        printf("%-24s %s\n", configurations->unknowns[i].name, attempts->list[best].configuration.choices[i]);
}

static enum status finish(struct search *search, enum status status)
{
    const struct attempts *attempts = &search->attempts;
    const char *name = search->reproduction.paper->name;
    if (status == STATUS_CANCELLED)
        diag_error("interrupted: %zu of %zu tries of %s are kept; run it again to go on", attempts->count,
                   search->most, name);
    if (status != STATUS_OK || !attempts->count)
        return status;
    print_result(search);
    status = standard_flush();
    if (status == STATUS_OK)
        status = folder_put_file(search->folder, "found", ".yaml", put_found, search);
    if (status == STATUS_OK)
        diag_note(
            "in %s: found.yaml, which becomes a configuration of the paper as papers/%s/found.yaml; and "
            "all tries",
            search->folder, name);
    return status;
}

enum status reproduce_search(const struct paper *paper, const struct reproduce_options *options)
{
    struct search search = {.folder = options->folder};
    enum status status = reproduction_open(&search.reproduction, paper, options);
    search.reproduction.searches = true;
    if (status == STATUS_OK)
        status = attempts_open(&search.attempts, &search.reproduction, options->folder);
    if (status == STATUS_OK) {
        size_t all = all_choices(&search.reproduction.configurations);
        search.most = options->tries < all ? options->tries : all;
        progress_begin(paper->name, search.most);
        interrupt_accept();
        status = finish(&search, try_all(&search));
        interrupt_refuse();
        progress_end();
    }
    attempts_close(&search.attempts);
    reproduction_close(&search.reproduction);
    return status;
}
