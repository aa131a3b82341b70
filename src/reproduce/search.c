#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/rng.h"
#include "output/interrupt.h"
#include "output/quote.h"
#include "output/standard.h"
#include "reproduce/attempts.h"
#include "reproduce/folder.h"
#include "sweep/worker_pool.h"

/* The search begins at each configuration of the paper, the best first. From there it makes all tries that
 * change one unknown, and one that changes each unknown to its best value. It goes on from the best of them,
 * until none is better. Then it begins again at configurations that are drawn at random, the same ones each
 * time. Tries that are wanted together are made at the same time; which ones depends on results alone, and
 * not on who makes them. Only items that choose decide (published_is_held_out); the others show whether what
 * was found holds. */
struct search {
    struct reproduction reproduction;
    struct attempts attempts;
    size_t wanted, most; /* tries */
    const struct reproduce_options *options;
    double written_s; /* when the tries were written last */
    bool is_unwritable;
};

/* ------------------------------------------------------------------ one try */

static enum status write_known(struct search *search)
{
    enum status status = attempts_write(&search->attempts, search->options->folder);
    search->written_s = clock_seconds_now();
    search->is_unwritable = status != STATUS_OK;
    return status;
}

/* A try is known. All that are known are written once a second, and when none is under way. */
static enum status keep(struct search *search)
{
    size_t known = attempts_known(&search->attempts);
    progress_tell(known);
    if (search->options->tried)
        search->options->tried(known, search->most);
    return clock_seconds_now() - search->written_s < 1 ? STATUS_OK : write_known(search);
}

/* Computes the tries from `first` on in this process, and makes the runs of all of them together. */
static enum status compute_here(struct search *search, size_t first)
{
    struct reproduction *reproduction = &search->reproduction;
    enum status status = STATUS_OK;
    size_t made = 1;
    while (status == STATUS_OK && made) {
        for (size_t i = first; i < search->attempts.count && status == STATUS_OK && !interrupt_wanted();
             i++) {
            struct attempt *attempt = &search->attempts.list[i];
            if (attempt->is_known)
                continue;
            attempt_compute(&search->attempts, attempt);
            if (attempt->is_known)
                status = keep(search);
        }
        if (status == STATUS_OK)
            status = interrupt_wanted() ? STATUS_CANCELLED
                                        : runs_catch_up(reproduction->runs, reproduction->paper->name, &made);
    }
    return status == STATUS_OK && reproduction->broken ? STATUS_FAILED : status;
}

static enum status take_answer(struct search *search, struct attempt *attempt,
                               const struct worker_answer *answer)
{
    size_t length = search->attempts.item_count * sizeof *attempt->ours;
    if (!answer->bytes || answer->length != length) {
        diag_error("a try was not made: %s", answer->bytes ? "its numbers did not arrive" : answer->cause);
        return STATUS_FAILED;
    }
    memcpy(attempt->ours, answer->bytes, length);
    attempt_judge(&search->attempts, attempt);
    attempt->is_known = true;
    return keep(search);
}

/* Gives an idle worker a try. */
static enum status give(struct search *search, size_t worker, const struct attempt *attempt)
{
    struct worker_pool *pool = search->options->workers;
    struct worker_answer answer;
    size_t number =
        configurations_number(&search->reproduction.configurations, attempt->configuration.choices);
    if (pool->submit(pool, worker, number, &answer))
        return STATUS_OK;
    diag_error("a try was not made: %s", answer.cause);
    return STATUS_FAILED;
}

/* The tries from `first` on. After an error those that are under way are waited for. */
static enum status compute_on_workers(struct search *search, size_t first)
{
    struct worker_pool *pool = search->options->workers;
    struct attempts *attempts = &search->attempts;
    size_t *try_of = mem_alloc(pool->workers, sizeof *try_of, "workers"), next = first, under_way = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < pool->workers && next < attempts->count && status == STATUS_OK; i++) {
        try_of[i] = next++;
        status = give(search, i, &attempts->list[try_of[i]]);
        under_way += status == STATUS_OK;
    }
    for (struct worker_answer answer; under_way && status != STATUS_CANCELLED; free(answer.bytes)) {
        answer.bytes = NULL;
        if (!pool->wait(pool, &answer)) {
            pool->cancel(pool);
            status = STATUS_CANCELLED;
            continue;
        }
        under_way--;
        enum status taken = take_answer(search, &attempts->list[try_of[answer.worker]], &answer);
        status = status == STATUS_OK ? taken : status;
        if (status == STATUS_OK && next < attempts->count) {
            try_of[answer.worker] = next++;
            status = give(search, answer.worker, &attempts->list[try_of[answer.worker]]);
            under_way += status == STATUS_OK;
        }
    }
    free(try_of);
    return status;
}

static enum status compute_from(struct search *search, size_t first)
{
    if (first == search->attempts.count)
        return STATUS_OK;
    enum status status =
        search->options->workers ? compute_on_workers(search, first) : compute_here(search, first);
    enum status written = search->is_unwritable ? STATUS_FAILED : write_known(search);
    return status == STATUS_OK ? written : status;
}

/* The try with these choices, made from another one (or from none: SIZE_MAX), still to be computed if it is
 * not known. A try that an earlier search has made counts as any other, so that a search which goes on takes
 * the same way. attempts.count: the search has no more tries. */
static size_t want(struct search *search, const char *const *choices, size_t from)
{
    struct attempts *attempts = &search->attempts;
    size_t index = attempts_find(attempts, choices);
    if (index < attempts->count && attempts->list[index].place != SIZE_MAX)
        return index;
    if (search->wanted == search->most)
        return attempts->count;
    if (index == attempts->count)
        attempts_add(attempts, choices);
    attempts->list[index].place = search->wanted++;
    attempts->list[index].from = from == SIZE_MAX ? index : from;
    return index;
}

/* ------------------------------------------------------------------ descent */

/* The better of two tries; the first where the search had no tries left for the other. */
static size_t better_of(const struct attempts *attempts, size_t a, size_t b)
{
    return b < attempts->count && attempt_is_better(&attempts->list[b], &attempts->list[a]) ? b : a;
}

/* Makes the tries that differ from `at` in one unknown. */
static enum status try_changes(struct search *search, size_t at, const char **choices)
{
    struct attempts *attempts = &search->attempts;
    const struct configurations *configurations = &search->reproduction.configurations;
    size_t first = attempts->count;
    for (size_t u = 0; u < configurations->unknown_count; u++) {
        const char *own = choices[u];
        for (size_t i = 0; i < configurations->unknowns[u].count; i++) {
            choices[u] = configurations->unknowns[u].values[i];
            want(search, choices, at);
        }
        choices[u] = own;
    }
    return compute_from(search, first);
}

/* The best of the tries that differ from `at` in one unknown, or `at` itself. *choices, those of `at`, become
 * the best value of each unknown. */
static size_t best_change(const struct search *search, size_t at, const char **choices)
{
    const struct attempts *attempts = &search->attempts;
    const struct configurations *configurations = &search->reproduction.configurations;
    const char **changed = mem_alloc(configurations->unknown_count, sizeof(const char *), "choices");
    size_t best = at;
    memcpy(changed, choices, configurations->unknown_count * sizeof *changed);
    for (size_t u = 0; u < configurations->unknown_count; u++) {
        size_t best_of_unknown = at;
        for (size_t i = 0; i < configurations->unknowns[u].count; i++) {
            changed[u] = configurations->unknowns[u].values[i];
            best_of_unknown = better_of(attempts, best_of_unknown, attempts_find(attempts, changed));
        }
        changed[u] = attempts->list[at].configuration.choices[u];
        choices[u] = attempts->list[best_of_unknown].configuration.choices[u];
        best = better_of(attempts, best, best_of_unknown);
    }
    free(changed);
    return best;
}

/* One step: *at becomes the best of what is near it. */
static enum status step(struct search *search, size_t *at)
{
    struct attempts *attempts = &search->attempts;
    size_t unknowns = search->reproduction.configurations.unknown_count, from = *at;
    const char **choices = mem_alloc(unknowns, sizeof(const char *), "choices");
    memcpy(choices, attempts->list[from].configuration.choices, unknowns * sizeof *choices);
    enum status status = try_changes(search, from, choices);
    if (status == STATUS_OK) {
        size_t best = best_change(search, from, choices), first = attempts->count,
               together = want(search, choices, from);
        status = compute_from(search, first);
        if (status == STATUS_OK)
            *at = better_of(attempts, best, together);
    }
    free(choices);
    return status;
}

static enum status descend(struct search *search, const char *const *choices)
{
    size_t first = search->attempts.count, at = want(search, choices, SIZE_MAX), from = SIZE_MAX;
    if (at == search->attempts.count)
        return STATUS_OK;
    enum status status = compute_from(search, first);
    while (status == STATUS_OK && at != from) {
        from = at;
        status = step(search, &at);
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
    while (search->wanted < search->most && status == STATUS_OK)
        status = descend_from_random(search, &rng);
    free(begun);
    return status;
}

/* ------------------------------------------------------------------ results */

/* Of equals the first, wherever it stands in the file that the search went on with. */
static size_t best_attempt(const struct attempts *attempts)
{
    const struct attempt *best = attempts->list;
    for (const struct attempt *attempt = best; attempt < attempts->list + attempts->count; attempt++)
        if (attempt_is_better(attempt, best) ||
            (!attempt_is_better(best, attempt) && attempt->place < best->place))
            best = attempt;
    return (size_t)(best - attempts->list);
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
    const char *with = search->options->changes, *held_out = search->options->held_out;
    fprintf(out, "%zu %s%s%s%s%s%s; as published are ", attempts->count,
            attempts->count == 1 ? "try" : "tries", search->reproduction.quick ? " in the quick form" : "",
            with ? ", with " : "", with ? with : "", held_out ? ", held out: " : "",
            held_out ? held_out : "");
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
    printf("%s: %zu %s\n\n", search->reproduction.paper->name, attempts->count,
           attempts->count == 1 ? "try" : "tries");
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
        diag_error("interrupted: %zu of %zu tries of %s are kept; run it again to go on",
                   attempts_known(attempts), search->most, name);
    if (status != STATUS_OK || !attempts->count)
        return status;
    print_result(search);
    status = standard_flush();
    if (status == STATUS_OK)
        status = folder_put_file(search->options->folder, "found", ".yaml", put_found, search);
    if (status == STATUS_OK)
        diag_note(
            "in %s: found.yaml, which becomes a configuration of the paper as papers/%s/found.yaml; and "
            "all tries",
            search->options->folder, name);
    return status;
}

/* The search's own part: its workers are shut down by reproduce_search. */
static enum status search_paper(const struct paper *paper, const struct reproduce_options *options)
{
    struct search search = {.options = options};
    enum status status = reproduction_open(&search.reproduction, paper, options);
    search.reproduction.searches = true;
    search.reproduction.published.held_out = options->held_out;
    if (status == STATUS_OK && !configurations_change(&search.reproduction, options->changes))
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = attempts_open(&search.attempts, &search.reproduction, options->folder);
    if (status == STATUS_OK) {
        size_t possible = configurations_possible(&search.reproduction.configurations);
        search.most = options->tries < possible ? options->tries : possible;
        progress_begin(paper->name, search.most);
        if (options->tried)
            options->tried(attempts_known(&search.attempts), search.most);
        interrupt_accept();
        status = finish(&search, try_all(&search));
        interrupt_refuse();
        progress_end();
    }
    attempts_close(&search.attempts);
    reproduction_close(&search.reproduction);
    return status;
}

enum status reproduce_search(const struct paper *paper, const struct reproduce_options *options)
{
    enum status status = search_paper(paper, options);
    if (options->workers)
        options->workers->shutdown(options->workers);
    return status;
}
