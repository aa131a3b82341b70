#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "plugin/plugin.h"
#include "workload/phase.h"
#include "workload/workload.h"

/* A generated program of the public header behind the ops of workload/workload.h. Its calls are phases of one
 * call. */

struct plugin_workload {
    struct workload workload; /* first: prepare() is given it */
    const struct heliograph_workload *functions;
};

/* The config of such a program; the values of its parameters stand at the end. */
struct plugin_program {
    const struct heliograph_workload *functions;
    struct program *program;
    void *state;
    uint32_t ranks, requests;
    union heliograph_value values[];
};

enum { MOST_RANKS = 1 << 30, MOST_REQUESTS = 1 << 24 };

static bool prepare(const struct workload *workload, void *config, struct program *program,
                    struct workload_problem *problem)
{
    const struct heliograph_workload *functions = ((const struct plugin_workload *)workload)->functions;
    struct plugin_program *self = config;
    self->functions = functions;
    self->program = program;
    problem->param = ""; /* the text as a whole */
    problem->text[0] = '\0';
    self->state = functions->open(functions->self, self->values, &self->ranks, &self->requests, problem->text,
                                  sizeof problem->text);
    if (!self->state) {
        if (!problem->text[0])
            snprintf(problem->text, sizeof problem->text,
                     "%s does not open this program, and does not say why", functions->name);
        return false;
    }
    if (self->ranks && self->ranks <= MOST_RANKS && self->requests <= MOST_REQUESTS)
        return true;
    snprintf(problem->text, sizeof problem->text,
             "%s opens %u ranks with up to %u requests each; there are at least 1 and at most %d ranks, and "
             "%d requests",
             functions->name, self->ranks, self->requests, MOST_RANKS, MOST_REQUESTS);
    return false;
}

static void release(void *config)
{
    const struct plugin_program *self = config;
    if (self->state && self->functions->close)
        self->functions->close(self->state);
}

static uint32_t ranks(const void *config)
{
    return ((const struct plugin_program *)config)->ranks;
}

static uint32_t slots_of(const void *config)
{
    return SLOT_FIRST + ((const struct plugin_program *)config)->requests;
}

/* The run ends with the error; the rank makes no further call. */
static bool fail(const struct plugin_program *self, uint32_t rank, uint64_t step, const char *problem)
{
    diag_error("workload %s: call %" PRIu64 " of rank %u is wrong: %s", self->functions->name, step, rank,
               problem);
    self->program->status = STATUS_BAD_INPUT;
    return false;
}

static bool phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct plugin_program *self = config;
    struct heliograph_call made = {.operation = HELIOGRAPH_COMPUTE};
    char problem[128];
    if (self->program->status != STATUS_OK || !self->functions->call(self->state, rank, number, &made))
        return false;
    struct call *call = phase_next(phase, CALL_NOTHING);
    if (!call)
        return true;
    if (!plugin_call_convert(&made, self->ranks, call, problem, sizeof problem))
        return fail(self, rank, number, problem);
    if ((made.immediate || made.operation == HELIOGRAPH_WAIT) && made.request >= self->requests)
        return fail(self, rank, number, "its request is none of those that open() tells");
    if (call->peer == CALL_ANY_SOURCE || call->source == CALL_ANY_SOURCE || call->tag == CALL_ANY_TAG)
        return fail(self, rank, number, "generated programs have no wildcards");
    return true;
}

enum status plugin_register_workload(const struct heliograph_workload *workload)
{
    size_t least = offsetof(struct heliograph_workload, call) + sizeof workload->call;
    if (!plugin_struct_is_valid("a workload", workload->struct_size, least, workload->name, workload->doc))
        return STATUS_BAD_INPUT;
    if (!workload->open || !workload->call) {
        diag_error("workload %s needs the functions open and call", workload->name);
        return STATUS_BAD_INPUT;
    }
    if (!workload_name_is_free(workload->name))
        return STATUS_BAD_INPUT;
    struct heliograph_workload *copy = plugin_copy(workload, workload->struct_size, sizeof *copy);
    copy->name = mem_text(workload->name);
    copy->doc = mem_text(workload->doc);
    const struct param_table *params =
        plugin_parameters(copy->doc, copy->name, NULL, copy->parameters, copy->parameter_count,
                          offsetof(struct plugin_program, values));
    if (!params) {
        free((char *)copy->name);
        free((char *)copy->doc);
        free(copy);
        return STATUS_BAD_INPUT;
    }
    struct plugin_workload *entry = mem_alloc(1, sizeof *entry, "a workload");
    *entry = (struct plugin_workload){.functions = copy,
                                      .workload = {.name = copy->name,
                                                   .doc = copy->doc,
                                                   .params = params,
                                                   .prepare = prepare,
                                                   .release = release,
                                                   .ranks = ranks,
                                                   .phase = phase,
                                                   .slots_of = slots_of}};
    return workload_add(&entry->workload);
}
