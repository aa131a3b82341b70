#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "reproduce/attempts.h"
#include "sweep/worker_pool.h"

/* Makes one try at a time. */
struct search_worker {
    struct reproduction reproduction;
    struct attempts attempts;
    struct worker_answer answer; /* of the last try */
};

static enum status compute(struct search_worker *worker, size_t number)
{
    struct attempts *attempts = &worker->attempts;
    struct configurations *configurations = &worker->reproduction.configurations;
    const char **choices = mem_alloc(configurations->unknown_count, sizeof(const char *), "choices");
    configurations_choices(configurations, number, choices);
    attempts->count = 0; /* the one before is done with */
    size_t index = attempts_add(attempts, choices);
    struct attempt *attempt = &attempts->list[index];
    enum status status;
    size_t made;
    free(choices);
    do {
        attempt_compute(attempts, attempt);
        status = runs_catch_up(worker->reproduction.runs, worker->reproduction.paper->name, &made);
    } while (status == STATUS_OK && made);
    return worker->reproduction.broken ? STATUS_FAILED : status;
}

static bool submit(struct worker_pool *pool, size_t index, size_t number, struct worker_answer *answer)
{
    struct search_worker *worker = pool->self;
    (void)answer;
    worker->answer = (struct worker_answer){.worker = index};
    if (compute(worker, number) == STATUS_OK) {
        worker->answer.length = worker->attempts.item_count * sizeof(double);
        worker->answer.bytes = mem_alloc(worker->answer.length, 1, "numbers");
        memcpy(worker->answer.bytes, worker->attempts.list[0].ours, worker->answer.length);
    } else {
        strcpy(worker->answer.cause, "the paper cannot be computed in this configuration");
    }
    return true;
}

static bool wait(struct worker_pool *pool, struct worker_answer *answer)
{
    struct search_worker *worker = pool->self;
    *answer = worker->answer;
    return true;
}

static void shut_down(struct worker_pool *pool)
{
    struct search_worker *worker = pool->self;
    attempts_close(&worker->attempts);
    reproduction_close(&worker->reproduction);
    free(worker);
}

static uint64_t add(uint64_t fingerprint, const char *text)
{
    return hash_add(fingerprint, hash_texts(&text, 1));
}

/* Of the version, the paper, its unknowns and their values, and the searched items. */
static uint64_t fingerprint_of(const struct search_worker *worker)
{
    const struct reproduction *reproduction = &worker->reproduction;
    const struct configurations *configurations = &reproduction->configurations;
    uint64_t fingerprint = add(add(reproduction->quick, HELIO_VERSION), reproduction->paper->name);
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        fingerprint = add(fingerprint, configurations->unknowns[i].name);
        for (size_t k = 0; k < configurations->unknowns[i].count; k++)
            fingerprint = add(fingerprint, configurations->unknowns[i].values[k]);
    }
    for (size_t i = 0; i < worker->attempts.item_count; i++)
        fingerprint = add(fingerprint, worker->attempts.items[i]->item);
    return fingerprint;
}

enum status reproduce_worker_open(const struct paper *paper, const struct reproduce_options *options,
                                  struct worker_pool *pool, uint64_t *fingerprint)
{
    struct search_worker *worker = mem_alloc(1, sizeof *worker, "a worker");
    struct reproduce_options own = *options;
    own.folder = NULL;
    *pool = (struct worker_pool){
        .workers = 1, .self = worker, .submit = submit, .wait = wait, .shutdown = shut_down};
    worker->attempts = (struct attempts){.count = 0};
    enum status status = reproduction_open(&worker->reproduction, paper, &own);
    worker->reproduction.searches = true;
    worker->reproduction.published.held_out = own.held_out;
    if (status == STATUS_OK && !configurations_change(&worker->reproduction, own.changes))
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = attempts_init(&worker->attempts, &worker->reproduction);
    if (status == STATUS_OK && configurations_possible(&worker->reproduction.configurations) == SIZE_MAX) {
        diag_error("papers/%s/unknowns.csv has more configurations than a number can name", paper->name);
        status = STATUS_FAILED;
    }
    if (status == STATUS_OK)
        *fingerprint = fingerprint_of(worker);
    else
        shut_down(pool);
    return status;
}
