#include "sim/memory.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "call/graph.h"
#include "sim/traffic.h"

/* The program itself with its libraries, before it has anything to do. */
static const double process_bytes = 6 << 20;

/* What holds the program, and what becomes its result. */
static void add_program(const struct program *program, struct estimate *estimate)
{
    const double of_position = sizeof(struct program_cursor); /* a trace has a cursor and a name instead */
    double ranks = program->ranks;
    estimate_add(estimate, "helio", "nothing else", process_bytes);
    estimate_add(estimate, "program", "a smaller program",
                 ranks * of_position + (double)program->bytes_mapped);
    estimate_add(estimate, "results", "fewer ranks",
                 ranks * (double)(sizeof(struct rank_row) + sizeof(ps_t)));
}

/* Finding what a program will send takes an array for each rank and one for each pair. */
static void add_traffic(const struct fabric_ops *fabric, const struct config *config, double pairs,
                        struct estimate *estimate)
{
    if (fabric->wants_traffic && fabric->wants_traffic(config))
        estimate_add(estimate, "traffic", "fewer ranks, or tdm.schedule=all-to-all", traffic_estimate(pairs));
}

/* The chains that may still become the critical path; each message under way has a link, too. */
static void add_path(const struct experiment *experiment, struct estimate *estimate)
{
    if (experiment->path == EXPERIMENT_PATH_NONE || experiment->program->openloop)
        return;
    double at_once = 0;
    for (size_t i = 0; i < estimate->count; i++)
        if (strcmp(estimate->parts[i].name, "messages") == 0)
            at_once = estimate->parts[i].bytes / (double)sizeof(struct message);
    bool is_listed = experiment->path >= EXPERIMENT_PATH_LISTED;
    estimate_add(estimate, "critical path", is_listed ? "neither --insight nor --html" : "--no-insight",
                 critical_estimate(experiment->program->ranks, at_once, is_listed ? CRITICAL_KEEP : 0));
}

/* All messages of the run, and the waits for them. */
static void add_slack(const struct experiment *experiment, struct estimate *estimate)
{
    const struct program *program = experiment->program;
    if (experiment->path < EXPERIMENT_PATH_SLACK || program->openloop)
        return;
    const struct experiment_work work = experiment_work(experiment);
    const double operations = program->graph ? (double)program->graph->operations : 0;
    estimate_add(estimate, "slack", "no --slack",
                 slack_estimate(program->ranks, (double)work.messages, operations));
}

enum status memory_estimate(const struct experiment *experiment, size_t index, struct estimate *estimate)
{
    const struct fabric_ops *fabric = experiment->fabrics[index];
    struct engine_params params = {.program = experiment->program,
                                   .fabric = fabric,
                                   .config = experiment->config,
                                   .host = experiment->has_host ? &experiment->host : NULL,
                                   .seed = experiment->chosen->seed};
    *estimate = (struct estimate){.count = 0};
    add_program(experiment->program, estimate);
    enum status status = experiment->engines[index]->estimate(&params, estimate);
    add_traffic(fabric, experiment->config, estimate->pairs, estimate);
    add_path(experiment, estimate);
    add_slack(experiment, estimate);
    return status == STATUS_OK ? experiment->program->status : status;
}

/* "messages 1.5 TiB, ranks 12 GiB, fabric 3 GiB": the parts that make up nearly all. */
static void list_parts(const struct estimate *estimate, char *text, size_t size)
{
    const double small = 0.02;
    double total = estimate_total(estimate);
    size_t length = 0;
    for (size_t i = 0; i < estimate->count && length < size; i++) {
        char bytes[64];
        const struct estimate_part *part = &estimate->parts[i];
        if (part->bytes >= small * total)
            length += (size_t)snprintf(text + length, size - length, "%s%s %s", length ? ", " : "",
                                       part->name, units_show_size(part->bytes, 3, bytes, sizeof bytes));
    }
}

static void refuse(const struct experiment *experiment, size_t index, const struct estimate *estimate,
                   const struct memory_room *room)
{
    char needed[64], there[64], parts[512], shared[64] = "";
    if (room->shared_by > 1)
        snprintf(shared, sizeof shared, ", shared by %u runs at a time", room->shared_by);
    list_parts(estimate, parts, sizeof parts);
    diag_error("%s on fabric %s needs about %s of memory, and there are %s (%s%s)", experiment->program->name,
               experiment->fabrics[index]->name,
               units_show_size(estimate_total(estimate), 3, needed, sizeof needed),
               units_show_size(room->bytes, 3, there, sizeof there), room->limit, shared);
    diag_note("of these: %s", parts);
    diag_note("it would need less with %s%s; --force (heliograph_force) runs it in any case",
              room->shared_by > 1 ? "fewer runs at a time, or with " : "",
              estimate_largest(estimate)->advice);
}

enum status memory_admit(const struct experiment *experiment, const struct memory_room *room)
{
    for (size_t i = 0; i < experiment->fabric_count; i++) {
        struct estimate estimate;
        enum status status = memory_estimate(experiment, i, &estimate);
        if (status != STATUS_OK)
            return status;
        if (estimate_total(&estimate) <= room->bytes)
            continue;
        refuse(experiment, i, &estimate, room);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
