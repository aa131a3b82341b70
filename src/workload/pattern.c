#include <string.h>

#include "base/mem.h"
#include "schedule/pattern.h"
#include "workload/list.h"

/* A pattern as a program: every node sends one message along each of its connections, all at once, and waits
 * until all have arrived. */
struct pattern_config {
    const char *name;
    uint64_t ranks, bytes, iterations;
    int order;
    struct tdm_pattern pattern; /* by source, in the pattern's order */
    uint32_t *first_out, *first_in;
    uint32_t *sources; /* by destination */
    uint32_t most_out, most_in;
};

enum { ORDER_LISTED, ORDER_ROTATED };
static const char *const order_names[] = {"listed", "rotated", NULL};

static bool is_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

static bool find_path(const char *bytes, size_t from, struct param_path *path)
{
    return is_file(bytes) && param_find_whole(bytes, from, path);
}

PARAM_TABLE(
    pattern_params, "pattern", struct pattern_config,
    "one message along each connection of a pattern, all at once",
    {.name = "name",
     .type = PARAM_TEXT,
     .offset = offsetof(struct pattern_config, name),
     .default_text = "all-to-all",
     .find_path = find_path,
     .doc = "a pattern of helio schedule with ; in place of : and , (p3m;part=2), or a .csv file of src,dst"},
    {.name = "ranks",
     .type = PARAM_COUNT,
     .offset = offsetof(struct pattern_config, ranks),
     .default_text = "64",
     .min = "1",
     .max = "4096",
     .doc = "number of ranks"},
    {.name = "bytes",
     .type = PARAM_SIZE,
     .offset = offsetof(struct pattern_config, bytes),
     .default_text = "8 KiB",
     .doc = "size of each message"},
    {.name = "iterations",
     .type = PARAM_COUNT,
     .offset = offsetof(struct pattern_config, iterations),
     .default_text = "1",
     .min = "1",
     .max = "1000000000",
     .doc = "number of repetitions"},
    {.name = "order",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct pattern_config, order),
     .default_text = "listed",
     .choices = order_names,
     .doc = "in which a rank sends: as the pattern lists its connections, or from the next rank on around"});

static enum status read_pattern(struct pattern_config *config, struct program *program)
{
    uint32_t ranks = (uint32_t)config->ranks;
    if (is_file(config->name)) {
        program->file = config->name;
        return tdm_pattern_load(config->name, ranks, &config->pattern);
    }
    char *name = mem_text(config->name);
    char *mark = strchr(name, ';');
    if (mark)
        *mark = ':';
    while ((mark = strchr(name, ';')))
        *mark = ',';
    enum status status = tdm_pattern_named(name, ranks, &config->pattern);
    free(name);
    return status;
}

/* Turns the counts of keys into the positions of their first entries. *most becomes the largest count. */
static uint32_t *sum_up(uint32_t *counts, uint32_t ranks, uint32_t *most)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (counts[rank + 1] > *most)
            *most = counts[rank + 1];
        counts[rank + 1] += counts[rank];
    }
    return counts;
}

/* The connections by how many ranks the destination comes after the source. Those of one distance keep their
 * order. */
static void rotate_pattern(struct pattern_config *config)
{
    uint32_t ranks = (uint32_t)config->ranks;
    size_t count = config->pattern.count, *next = mem_alloc((size_t)ranks + 1, sizeof *next, "a pattern");
    struct tdm_request *sorted = mem_alloc(count + 1, sizeof *sorted, "a pattern");
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            const struct tdm_request *request = &config->pattern.requests[i];
            uint32_t distance = (request->destination + ranks - request->source) % ranks;
            if (pass)
                sorted[next[distance]++] = *request;
            else
                next[distance + 1]++;
        }
        for (uint32_t distance = 0; distance < ranks && !pass; distance++)
            next[distance + 1] += next[distance];
    }
    free(next);
    free(config->pattern.requests);
    config->pattern.requests = sorted;
    config->pattern.capacity = count + 1;
}

static void index_pattern(struct pattern_config *config)
{
    uint32_t ranks = (uint32_t)config->ranks;
    size_t count = config->pattern.count;
    struct tdm_request *sorted = mem_alloc(count + 1, sizeof *sorted, "a pattern");
    uint32_t *out = mem_alloc((size_t)ranks + 1, sizeof *out, "a pattern");
    uint32_t *in = mem_alloc((size_t)ranks + 1, sizeof *in, "a pattern");
    config->sources = mem_alloc(count + 1, sizeof *config->sources, "a pattern");
    for (size_t i = 0; i < count; i++) {
        out[config->pattern.requests[i].source + 1]++;
        in[config->pattern.requests[i].destination + 1]++;
    }
    config->first_out = sum_up(out, ranks, &config->most_out);
    config->first_in = sum_up(in, ranks, &config->most_in);
    uint32_t *next = mem_alloc((size_t)ranks + 1, sizeof *next, "a pattern");
    memcpy(next, out, ranks * sizeof *next);
    for (size_t i = 0; i < count; i++)
        sorted[next[config->pattern.requests[i].source]++] = config->pattern.requests[i];
    memcpy(next, in, ranks * sizeof *next);
    for (size_t i = 0; i < count; i++)
        config->sources[next[sorted[i].destination]++] = sorted[i].source;
    free(next);
    free(config->pattern.requests);
    config->pattern.requests = sorted;
    config->pattern.capacity = count + 1;
}

static bool pattern_prepare(const struct workload *workload, void *self, struct program *program,
                            struct workload_problem *problem)
{
    (void)workload;
    struct pattern_config *config = self;
    problem->param = NULL;
    if (read_pattern(config, program) != STATUS_OK)
        return false;
    if (config->order == ORDER_ROTATED)
        rotate_pattern(config);
    index_pattern(config);
    return true;
}

static void pattern_release(void *self)
{
    struct pattern_config *config = self;
    tdm_pattern_free(&config->pattern);
    free(config->first_out);
    free(config->first_in);
    free(config->sources);
}

static uint32_t pattern_ranks(const void *self)
{
    return (uint32_t)((const struct pattern_config *)self)->ranks;
}

static uint32_t pattern_slots(const void *self)
{
    const struct pattern_config *config = self;
    return SLOT_FIRST + config->most_in + config->most_out;
}

/* All ranks have as many steps as the busiest one. A rank does nothing in a step that it does not need. */
static uint64_t steps_of_iteration(const struct pattern_config *config)
{
    return (uint64_t)config->most_in + config->most_out + 1;
}

static uint64_t pattern_steps(const void *self)
{
    const struct pattern_config *config = self;
    return steps_of_iteration(config) * config->iterations;
}

static void pattern_call(const void *self, uint32_t rank, uint64_t step, struct call *call)
{
    const struct pattern_config *config = self;
    uint32_t at = (uint32_t)(step % steps_of_iteration(config));
    uint32_t in = config->first_in[rank + 1] - config->first_in[rank];
    uint32_t out = config->first_out[rank + 1] - config->first_out[rank];
    call->op = CALL_NOTHING;
    call->slot = SLOT_FIRST + at;
    if (at == config->most_in + config->most_out) {
        call->op = CALL_WAITALL;
        call->slot = 0;
        call->expected = in + out;
    } else if (at < in) {
        call->op = CALL_RECV;
        call->flags = CALL_IMMEDIATE;
        call->peer = (int32_t)config->sources[config->first_in[rank] + at];
        call->recv_bytes = config->bytes;
    } else if (at >= config->most_in && at - config->most_in < out) {
        uint32_t request = config->first_out[rank] + at - config->most_in;
        call->op = CALL_SEND;
        call->flags = CALL_IMMEDIATE;
        call->peer = (int32_t)config->pattern.requests[request].destination;
        call->bytes = config->bytes;
    }
}

const struct workload pattern_workload = {
    .name = "pattern",
    .doc = "a message along each connection of a pattern, all at once: "
           "pattern:name=hypercube,ranks=64,bytes=1KiB",
    .params = &pattern_params,
    .prepare = pattern_prepare,
    .release = pattern_release,
    .ranks = pattern_ranks,
    .steps = pattern_steps,
    .call = pattern_call,
    .slots_of = pattern_slots,
};
