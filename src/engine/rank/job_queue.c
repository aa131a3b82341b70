#include "engine/rank/job_queue.h"

#include "base/mem.h"
#include "call/jobs.h"
#include "call/nodes.h"
#include "engine/batch.h"

struct job_queue {
    struct run_context *context;
    struct program_jobs *jobs;
    uint32_t ranks_per_node;
    uint32_t ranks_left; /* that have not begun */
    struct batch batch;
    struct batch_job *wanted; /* by each job */
    uint32_t *first;          /* of each job: its first rank */
    uint32_t *left;           /* of each job: ranks that have not ended */
    bool decides;             /* a decision is in the queue of events */
    uint32_t submit_kind, decide_kind;
    /* For the critical path: the end of a job at this time, held; POOL_NONE: none has ended. */
    uint32_t cause;
    /* For slack, whose events have all their needs before anything follows from them: of each job that its
     * ranks have ended, and that all jobs which have ended so far have. */
    uint32_t *end_of, ends;
    struct slack_moment ended;
    void (*begin)(void *self, uint32_t rank);
    void *self;
};

/* ----------------------------------------------------------------- starting */

/* The path goes on from the end of the job that has left its nodes, or is the time until now. */
static void follow_cause(struct job_queue *queue, uint32_t rank)
{
    struct critical *critical = queue->context->critical;
    struct critical_strand *strand = critical_rank(critical, rank);
    uint32_t held = POOL_NONE;
    if (queue->cause == POOL_NONE) {
        critical_begin_later(critical, strand, 0, queue->context->loop.now);
        return;
    }
    critical_resume(critical, queue->cause, queue->ended);
    critical_await(critical, strand, critical_moment(critical));
    critical_hold(critical, &held);
    critical_told(critical);
    critical_waited(critical, strand, &held, 0);
}

/* The ranks of the job begin, on the nodes that they have. */
static void begin_ranks(struct job_queue *queue, uint32_t job)
{
    const ps_t now = queue->context->loop.now;
    const uint32_t first = queue->first[job], ranks = queue->jobs->list[job].ranks;
    for (uint32_t rank = first; rank < first + ranks; rank++) {
        tap_emit(queue->context->tap, &(struct tap_record){.kind = TAP_BEGAN, .rank = rank, .at = now});
        if (queue->context->critical)
            follow_cause(queue, rank);
        queue->begin(queue->self, rank);
    }
    queue->ranks_left -= ranks;
}

static void start_job(struct job_queue *queue, uint32_t job)
{
    uint32_t *node_of = &queue->jobs->queue->node_of[queue->first[job]];
    for (uint32_t rank = 0; rank < queue->jobs->list[job].ranks; rank++)
        node_of[rank] = queue->batch.given[rank / queue->ranks_per_node];
    queue->jobs->list[job].started = queue->context->loop.now;
    begin_ranks(queue, job);
}

/* Event: what has happened at this time may let jobs start. If more happens at this time, it comes first. */
static void on_decide(void *self, uint32_t subject)
{
    struct job_queue *queue = self;
    struct event_loop *loop = &queue->context->loop;
    uint32_t job;
    (void)subject;
    if (loop_next_at(loop) <= loop->now) {
        loop_at(loop, loop->now, queue->decide_kind, 0);
        return;
    }
    queue->decides = false;
    while ((job = batch_start(&queue->batch, loop->now)) != BATCH_NONE)
        start_job(queue, job);
    if (queue->cause == POOL_NONE)
        return;
    critical_drop(queue->context->critical, &queue->cause);
    queue->ends = SLACK_NONE;
}

static void decide(struct job_queue *queue)
{
    struct event_loop *loop = &queue->context->loop;
    if (!queue->decides)
        loop_at(loop, loop->now, queue->decide_kind, 0);
    queue->decides = true;
}

/* Event: a job is submitted. One that runs alone starts at once, where and when it did among the others. */
static void on_submit(void *self, uint32_t job)
{
    struct job_queue *queue = self;
    if (queue->jobs->only != PROGRAM_JOBS_ALL) {
        begin_ranks(queue, job);
        return;
    }
    batch_submit(&queue->batch, job);
    decide(queue);
}

void job_queue_start(struct job_queue *queue, void (*begin)(void *self, uint32_t rank), void *self)
{
    const struct program_jobs *jobs = queue->jobs;
    queue->begin = begin;
    queue->self = self;
    for (uint32_t job = 0; job < jobs->count; job++) {
        const bool is_whole = jobs->only == PROGRAM_JOBS_ALL;
        if (is_whole || jobs->only == (int)job)
            loop_at(&queue->context->loop, is_whole ? jobs->list[job].start : jobs->list[job].started,
                    queue->submit_kind, job);
        else
            begin_ranks(queue, job);
    }
}

/* ------------------------------------------------------------------- ending */

/* The last rank of a job is why others start. For slack they wait for all ranks of it, and for all jobs that
 * ended before: which nodes they get depends on those, too. */
static void hold_cause(struct job_queue *queue, uint32_t job, uint32_t rank)
{
    struct critical *critical = queue->context->critical;
    struct critical_strand *before = critical_enter(critical, critical_rank(critical, rank));
    critical_signal(critical, queue->context->loop.now);
    const struct slack_moment ended =
        critical_join(critical, &queue->end_of[job], SLACK_NONE, critical_moment(critical));
    if (!queue->left[job]) {
        critical_hold(critical, &queue->cause);
        if (queue->ends == SLACK_NONE)
            critical_join(critical, &queue->ends, SLACK_NONE, queue->ended);
        queue->ended = critical_join(critical, &queue->ends, SLACK_NONE, ended);
    }
    critical_told(critical);
    critical_enter(critical, before);
}

void job_queue_rank_ended(struct job_queue *queue, uint32_t rank)
{
    struct critical *critical = queue->context->critical;
    const uint32_t job = queue->jobs->job_of[rank];
    queue->left[job]--;
    if (critical && (!queue->left[job] || critical_has_slack(critical)))
        hold_cause(queue, job, rank);
    if (queue->left[job] || queue->jobs->only != PROGRAM_JOBS_ALL)
        return;
    batch_end(&queue->batch, job);
    decide(queue);
}

uint32_t job_queue_ranks_left(const struct job_queue *queue)
{
    return queue ? queue->ranks_left : 0;
}

/* --------------------------------------------------------------- life cycle */

struct job_queue *job_queue_open(struct run_context *context, const struct program *program,
                                 uint32_t ranks_per_node)
{
    struct program_jobs *jobs = program->jobs;
    if (!jobs || !jobs->queue)
        return NULL;
    struct job_queue *queue = mem_alloc(1, sizeof *queue, "a queue of jobs");
    *queue = (struct job_queue){.context = context,
                                .jobs = jobs,
                                .ranks_per_node = ranks_per_node,
                                .ranks_left = program->ranks,
                                .wanted = mem_alloc(jobs->count, sizeof *queue->wanted, "a queue of jobs"),
                                .first = mem_alloc(jobs->count, sizeof *queue->first, "a queue of jobs"),
                                .left = mem_alloc(jobs->count, sizeof *queue->left, "a queue of jobs"),
                                .end_of = mem_alloc(jobs->count, sizeof *queue->end_of, "a queue of jobs"),
                                .cause = POOL_NONE,
                                .ends = SLACK_NONE,
                                .ended = SLACK_NO_MOMENT};
    for (uint32_t job = 0, first = 0; job < jobs->count; first += jobs->list[job++].ranks) {
        queue->first[job] = first;
        queue->end_of[job] = SLACK_NONE;
        queue->left[job] = jobs->list[job].ranks;
        queue->wanted[job] = (struct batch_job){.nodes = nodes_for_ranks(queue->left[job], ranks_per_node),
                                                .estimate = jobs->list[job].estimate};
    }
    batch_open(&queue->batch, jobs->queue, program->nodes, queue->wanted, jobs->count);
    queue->submit_kind = loop_register(&context->loop, on_submit, queue);
    queue->decide_kind = loop_register(&context->loop, on_decide, queue);
    return queue;
}

void job_queue_close(struct job_queue *queue)
{
    if (!queue)
        return;
    batch_close(&queue->batch);
    free(queue->wanted);
    free(queue->first);
    free(queue->left);
    free(queue->end_of);
    free(queue);
}
