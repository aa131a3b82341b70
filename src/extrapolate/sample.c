#include "extrapolate/sample.h"

#include <math.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/stats.h"

/* ---------------------------------------------------------------- one trace */

static void note_richest(struct sample *sample, uint32_t rank, const struct rank_events *events,
                         uint64_t most[2])
{
    uint64_t calls = events->count; /* and one for the second partner of a sendrecv */
    for (size_t i = 0; i < events->count; i++)
        calls += events->at[i].op == CALL_SENDRECV;
    for (int among = 0; among < 2; among++)
        if (calls > most[among] && (rank || !among)) {
            most[among] = calls;
            sample->richest[among] = rank;
        }
}

static enum status read_first(struct sample *sample)
{
    struct program *program = sample->program;
    struct rank_events events = {0};
    uint64_t most[2] = {0};
    enum status status = STATUS_OK;
    program->ops->rewind(program);
    for (uint32_t rank = 0; rank < program->ranks && status == STATUS_OK; rank++) {
        status = rank_events_read(program, rank, NULL, &events);
        note_richest(sample, rank, &events, most);
    }
    free(events.at);
    return status;
}

/* ----------------------------------------------------------- several traces */

/* The calls of one rank in several traces. */
struct repeats {
    struct sample *sample;
    struct program **traces;
    struct rank_events first, other;
    double *bursts; /* [event]: the sums over the traces so far; at last what is kept */
    double *sums;   /* [trace]: the computation of the rank */
};

/* Communicators may have other numbers in each trace. */
static bool same_call(const struct program *one, const struct rank_event *a, const struct program *other,
                      const struct rank_event *b)
{
    struct rank_event alike = *b;
    alike.comm = a->comm;
    return rank_event_same(a, &alike) && one->groups[a->comm].size == other->groups[b->comm].size;
}

static enum status refuse_difference(struct program *first, struct program *other, uint32_t rank,
                                     size_t event)
{
    struct call_place there = rank_events_place(first, rank, event),
                      here = rank_events_place(other, rank, event);
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = here.file, .line = here.line},
        "cannot be extrapolated: %s:%ju makes another call; traces of the same number of ranks must make "
        "the same calls",
        there.file, (uintmax_t)there.line);
    return STATUS_BAD_INPUT;
}

/* Adds the calls of a rank in another trace. */
static enum status add_repeat(struct repeats *self, size_t trace, uint32_t rank)
{
    struct program *first = self->traces[0], *other = self->traces[trace];
    enum status status = rank_events_read(other, rank, NULL, &self->other);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < self->first.count || i < self->other.count; i++) {
        if (i == self->first.count || i == self->other.count ||
            !same_call(first, &self->first.at[i], other, &self->other.at[i]))
            return refuse_difference(first, other, rank, i);
        self->bursts[i] += self->other.at[i].operations;
        self->sums[trace] += self->other.at[i].operations;
    }
    return STATUS_OK;
}

static void note_scatter(struct repeats *self, double median)
{
    for (size_t trace = 0; trace < self->sample->traces && median > 0; trace++)
        self->sample->scatter = fmax(self->sample->scatter, fabs(self->sums[trace] / median - 1));
}

/* From the sums over the traces to bursts whose own sum is the median. */
static void scale_to_median(struct repeats *self)
{
    size_t traces = self->sample->traces;
    double all = 0;
    for (size_t trace = 0; trace < traces; trace++)
        all += self->sums[trace];
    stats_sort(self->sums, traces);
    double median = stats_median(self->sums, traces);
    for (size_t i = 0; i < self->first.count && all > 0; i++)
        self->bursts[i] *= median / all;
    note_scatter(self, median);
}

static enum status merge_rank(struct repeats *self, uint32_t rank)
{
    enum status status = rank_events_read(self->traces[0], rank, NULL, &self->first);
    self->bursts = mem_alloc(self->first.count + 1, sizeof *self->bursts, "computation of several traces");
    self->sample->operations[rank] = self->bursts;
    self->sums[0] = 0;
    for (size_t i = 0; i < self->first.count; i++) {
        self->bursts[i] = self->first.at[i].operations;
        self->sums[0] += self->bursts[i];
    }
    for (size_t trace = 1; trace < self->sample->traces && status == STATUS_OK; trace++) {
        self->sums[trace] = 0;
        status = add_repeat(self, trace, rank);
    }
    if (status == STATUS_OK)
        scale_to_median(self);
    return status;
}

static enum status merge(struct sample *sample, struct program **traces)
{
    struct repeats self = {.sample = sample, .traces = traces};
    enum status status = STATUS_OK;
    self.sums = mem_alloc(sample->traces, sizeof *self.sums, "computation of several traces");
    sample->operations =
        mem_alloc(sample->ranks, sizeof *sample->operations, "computation of several traces");
    for (size_t trace = 0; trace < sample->traces; trace++)
        traces[trace]->ops->rewind(traces[trace]);
    for (uint32_t rank = 0; rank < sample->ranks && status == STATUS_OK; rank++)
        status = merge_rank(&self, rank);
    free(self.first.at);
    free(self.other.at);
    free(self.sums);
    return status;
}

/* ------------------------------------------------------------------- sample */

enum status sample_read(struct sample *sample, struct program **traces, size_t count)
{
    *sample = (struct sample){.program = traces[0], .traces = count, .ranks = traces[0]->ranks};
    enum status status = read_first(sample);
    return status == STATUS_OK && count > 1 ? merge(sample, traces) : status;
}

void sample_free(struct sample *sample)
{
    for (uint32_t rank = 0; sample->operations && rank < sample->ranks; rank++)
        free(sample->operations[rank]);
    free(sample->operations);
}

void sample_events(const struct sample *sample, uint32_t rank, const uint32_t *codes,
                   struct rank_events *events)
{
    rank_events_read(sample->program, rank, codes, events); /* sample_read() has seen every call */
    for (size_t i = 0; sample->operations && i < events->count; i++)
        events->at[i].operations = sample->operations[rank][i];
}
