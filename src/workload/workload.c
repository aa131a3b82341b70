#include "workload/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "workload/phase.h"
#include "workload/text.h"

/* The next calls of a rank: a phase is emitted once for several of them. */
enum { CALLS_AHEAD = 16, RANKS_AHEAD = 1024 };
struct calls_ahead {
    uint64_t number; /* of their phase */
    uint32_t first, count;
    struct call calls[CALLS_AHEAD];
};

struct workload_program {
    struct program program;
    const struct workload *workload;
    void *config;
    struct arena texts;
    struct group world;
    char *spec;
    uint64_t steps;
    struct program_cursor *positions; /* per rank; NULL before the first rewind */
    struct calls_ahead *ahead;        /* per rank; NULL: there are no phases, or too many ranks */
    struct openloop openloop;         /* of workloads that have no calls */
};

/* The calls from the cursor on, as many of its phase as there is room for. Returns how many; 0: the program
 * is over. Phases without calls are passed. */
static uint32_t emit(const struct workload_program *generated, uint32_t rank, struct program_cursor *cursor,
                     struct call *calls, uint32_t room)
{
    for (;; cursor->number++, cursor->call = 0) {
        struct phase phase = {.calls = calls, .wanted = cursor->call, .room = room};
        if (!generated->workload->phase(generated->config, rank, cursor->number, &phase))
            return 0;
        if (phase_kept(&phase))
            return phase_kept(&phase);
    }
}

static const struct call *read_in_phases(const struct workload_program *generated, uint32_t rank,
                                         struct program_cursor *cursor, struct call *scratch)
{
    const bool is_there = emit(generated, rank, cursor, scratch, 1);
    cursor->call += is_there;
    return is_there ? scratch : NULL;
}

/* The same, by way of the calls that come next. */
static const struct call *read_ahead(const struct workload_program *generated, uint32_t rank,
                                     struct calls_ahead *ahead, struct call *scratch)
{
    struct program_cursor *cursor = &generated->positions[rank];
    if (cursor->number != ahead->number || cursor->call - ahead->first >= ahead->count) {
        ahead->count = emit(generated, rank, cursor, ahead->calls, CALLS_AHEAD);
        ahead->number = cursor->number;
        ahead->first = cursor->call;
        if (!ahead->count)
            return NULL;
    }
    *scratch = ahead->calls[cursor->call++ - ahead->first];
    return scratch;
}

static const struct call *read_call(const struct workload_program *generated, uint32_t rank,
                                    struct program_cursor *cursor, struct call *scratch)
{
    if (generated->workload->phase)
        return read_in_phases(generated, rank, cursor, scratch);
    if (cursor->number == generated->steps)
        return NULL;
    *scratch = (struct call){.channel = CHANNEL_KEYED, .source_channel = CHANNEL_KEYED};
    generated->workload->call(generated->config, rank, cursor->number++, scratch);
    return scratch;
}

static const struct call *generated_read(const struct program *program, uint32_t rank,
                                         struct program_cursor *cursor, struct call *scratch)
{
    return read_call((const struct workload_program *)program, rank, cursor, scratch);
}

static const struct call *generated_next(struct program *program, uint32_t rank, struct call *scratch)
{
    struct workload_program *generated = (struct workload_program *)program;
    if (generated->ahead)
        return read_ahead(generated, rank, &generated->ahead[rank], scratch);
    return read_call(generated, rank, &generated->positions[rank], scratch);
}

static uint32_t generated_slots(const struct program *program, uint32_t rank)
{
    (void)rank;
    const struct workload_program *generated = (const struct workload_program *)program;
    uint32_t slots = generated->workload->slots;
    if (generated->workload->slots_of)
        slots = generated->workload->slots_of(generated->config);
    return slots > SLOT_FIRST ? slots : SLOT_FIRST;
}

static struct call_place generated_place(const struct program *program, uint32_t rank)
{
    (void)rank;
    return (struct call_place){.file = program->name};
}

static void generated_rewind(struct program *program)
{
    struct workload_program *generated = (struct workload_program *)program;
    if (program->openloop)
        return;
    if (generated->positions)
        memset(generated->positions, 0, program->ranks * sizeof *generated->positions);
    else
        generated->positions = mem_alloc(program->ranks, sizeof *generated->positions, "positions of ranks");
    if (generated->workload->phase && !generated->ahead && program->ranks <= RANKS_AHEAD)
        generated->ahead = mem_alloc(program->ranks, sizeof *generated->ahead, "calls of ranks");
}

static void generated_close(struct program *program)
{
    struct workload_program *generated = (struct workload_program *)program;
    if (generated->workload->release)
        generated->workload->release(generated->config);
    arena_free(&generated->texts);
    free(generated->config);
    free(generated->positions);
    free(generated->ahead);
    free(generated->spec);
    free(generated);
}

static const struct program_ops generated_ops = {
    .next = generated_next,
    .slots = generated_slots,
    .place = generated_place,
    .rewind = generated_rewind,
    .read = generated_read,
    .close = generated_close,
};

static const char *workload_name_at(const void *list, size_t index)
{
    return ((const struct workload *const *)list)[index]->name;
}

/* An error about `span` bytes at byte `at` of the text that names a workload. */
static void report_at(const char *spec, size_t at, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void report_at(const char *spec, size_t at, size_t span, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "--workload",
                                     .line = 1,
                                     .column = (uint32_t)at + 1,
                                     .span = (uint32_t)span,
                                     .source = spec,
                                     .source_length = strlen(spec)},
                "%s", text);
}

/* Whether a name starts with these bytes and a colon. */
static bool is_of_family(const char *name, const char *family, size_t length)
{
    return strncmp(name, family, length) == 0 && name[length] == ':';
}

static const char *family_member(const char *family, size_t length, size_t index)
{
    for (size_t i = 0; workloads[i]; i++)
        if (is_of_family(workloads[i]->name, family, length) && index-- == 0)
            return workloads[i]->name;
    return NULL;
}

/* A name ends at the first colon; the name of a family member ends at the second. */
static size_t name_length(const char *spec)
{
    size_t length = strcspn(spec, ":");
    if (length && spec[length] && family_member(spec, length, 0))
        length += 1 + strcspn(spec + length + 1, ":");
    return length;
}

static void note_family(const char *spec)
{
    size_t length = strcspn(spec, ":");
    char names[512] = "";
    const char *name;
    for (size_t i = 0; length && (name = family_member(spec, length, i)); i++) {
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, name, sizeof names - strlen(names) - 1);
    }
    if (*names)
        diag_note("there are %s", names);
}

/* The workload that a user means by a name that is none; NULL: no workload has this misnomer. */
static const struct workload *find_misnamed(const char *name)
{
    for (size_t i = 0; workloads[i]; i++)
        if (workloads[i]->misnomer && strcmp(workloads[i]->misnomer, name) == 0)
            return workloads[i];
    return NULL;
}

/* The workload, parameter and value that a user means by the name of a value, as allreduce is one of
 * collective:op. The caller frees it; NULL: no workload has such a value. */
static char *find_choice(const char *name)
{
    for (size_t i = 0; workloads[i]; i++) {
        const struct param_table *table = workloads[i]->params;
        for (size_t k = 0; table && k < table->count; k++) {
            const struct param *param = &table->params[k];
            for (size_t c = 0; param->type == PARAM_CHOICE && param->choices[c]; c++)
                if (strcmp(param->choices[c], name) == 0)
                    return mem_format("%s:%s=%s", workloads[i]->name, param->name, name);
        }
    }
    return NULL;
}

enum status workload_report_unknown(const char *spec, size_t length)
{
    size_t count = 0;
    while (workloads[count])
        count++;
    char *name = mem_format("%.*s", (int)length, spec);
    const struct workload *meant = find_misnamed(name);
    char *choice = find_choice(name);
    if (choice)
        report_at(spec, 0, length, "there is no workload '%s'; did you mean '%s'?", name, choice);
    else if (meant)
        report_at(spec, 0, length, "there is no workload '%s'; did you mean %s?", name, meant->meant);
    else
        report_at(spec, 0, length, "there is no workload '%s'%s", name,
                  diag_did_you_mean(diag_nearest(name, workloads, count, workload_name_at)));
    note_family(spec);
    diag_note("helio run --workload help lists all workloads");
    free(choice);
    free(name);
    return STATUS_BAD_INPUT;
}

/* Reports a problem at the value of the parameter, or at the name of the workload if the parameter has its
 * default. */
static void report_problem(const char *spec, size_t list_at, const struct workload_problem *problem)
{
    size_t length = strlen(problem->param);
    for (size_t at = list_at; spec[at]; at += strcspn(spec + at, ","), at += spec[at] == ',') {
        if (strncmp(spec + at, problem->param, length) == 0 && spec[at + length] == '=') {
            at += length + 1;
            report_at(spec, at, strcspn(spec + at, ","), "%s", problem->text);
            return;
        }
    }
    report_at(spec, 0, list_at, "%s", problem->text);
}

static enum status configure(struct workload_program *generated, const char *spec, size_t name_bytes)
{
    const struct workload *workload = generated->workload;
    size_t list_at = spec[name_bytes] ? name_bytes + 1 : name_bytes;
    enum status status =
        param_parse_list(workload->params, "--workload", spec, list_at, generated->config, &generated->texts);
    struct workload_problem problem = {.text = ""};
    if (status == STATUS_OK && workload->prepare &&
        !workload->prepare(workload, generated->config, &generated->program, &problem)) {
        if (problem.param)
            report_problem(spec, list_at, &problem);
        status = STATUS_BAD_INPUT;
    }
    return status;
}

uint64_t workload_block(uint64_t mean, double imbalance, uint64_t i, uint64_t ranks)
{
    const uint64_t parts = 1000000;
    uint64_t share = (uint64_t)(imbalance * (double)parts + 0.5);
    uint64_t deviation = (uint64_t)((unsigned __int128)mean * share / parts);
    if (ranks == 1)
        return mean;
    return mean - deviation + (uint64_t)((unsigned __int128)deviation * 2 * i / (ranks - 1));
}

enum status workload_open(const char *spec, struct program **program)
{
    size_t name_bytes = name_length(spec);
    const struct workload *workload = workload_find(spec, name_bytes);
    if (!workload)
        return workload_report_unknown(spec, name_bytes);

    struct workload_program *generated = mem_alloc(1, sizeof *generated, "a workload");
    generated->program.ops = &generated_ops;
    generated->workload = workload;
    generated->config = mem_alloc(1, workload->params->size, "a workload");
    generated->spec = bytes_to_text(spec);
    char *named = workload_text_named(workload, spec);
    enum status status = configure(generated, named, name_bytes);
    free(named);
    if (status == STATUS_OK && workload->open)
        status = workload->open(generated->config, generated->spec, program);
    if (status != STATUS_OK || workload->open) {
        generated_close(&generated->program);
        return status;
    }
    uint32_t ranks = workload->ranks(generated->config);
    generated->steps = workload->steps ? workload->steps(generated->config) : 0;
    generated->world = (struct group){.size = ranks};
    generated->program.name = generated->spec;
    generated->program.ranks = ranks;
    if (!generated->program.groups) {
        generated->program.groups = &generated->world;
        generated->program.group_count = 1;
    }
    if (workload->traffic) {
        generated->openloop = (struct openloop){.pattern = workload->traffic, .config = generated->config};
        generated->program.openloop = &generated->openloop;
    }
    if (__builtin_mul_overflow(generated->steps, ranks, &generated->program.total_calls))
        generated->program.total_calls = 0; /* more than can be counted: unknown */
    *program = &generated->program;
    return STATUS_OK;
}
