#include "workload/jobs.h"

/* -------------------------------------------------------------- operations */

static uint32_t world_of(const struct job *job, uint32_t peer)
{
    return peer == GRAPH_ANY ? peer : job->world[peer];
}

/* A call of the job, with the ranks of the machine. Returns its number. */
static uint64_t add_call(struct graph_builder *builder, const struct job *job, const struct call *call)
{
    builder->calls =
        mem_grow(builder->calls, &builder->call_capacity, builder->call_count + 1, "calls of jobs");
    builder->calls[builder->call_count] = *call;
    jobs_translate(job, &builder->calls[builder->call_count]);
    return builder->call_count++;
}

static void add_operation(struct jobs *jobs, const struct job *job, const struct graph_operation *operation)
{
    struct graph_operation added = *operation;
    if (operation->kind == GRAPH_SEND || operation->kind == GRAPH_RECV)
        added.peer = world_of(job, operation->peer);
    if (operation->kind == GRAPH_CALL)
        added.amount = add_call(&jobs->builder, job, &job->program->graph->calls[operation->amount]);
    graph_builder_add(&jobs->builder, &added);
}

static void add_dependences(struct graph_builder *builder, const struct graph_rank *rank)
{
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        for (uint32_t k = operation->on_end; k < operation[1].on_end; k++)
            graph_builder_depend(builder, i, rank->dependents[k], k >= operation->on_begin);
    }
}

/* Behind the operations of a rank stands one that ends when the job starts, and all others wait for it. */
static void add_start(struct graph_builder *builder, const struct graph_rank *rank, ps_t start)
{
    const struct graph_operation operation = {
        .kind = GRAPH_COMPUTE, .amount = (uint64_t)start, .time = GRAPH_TIME_OF_START};
    if (!start || !rank->count)
        return;
    const uint32_t number = graph_builder_add(builder, &operation);
    for (uint32_t i = 0; i < rank->count; i++)
        if (!rank->operations[i].needs)
            graph_builder_depend(builder, number, i, false);
}

static void add_rank(struct jobs *jobs, uint32_t rank)
{
    const uint32_t number = jobs->job_of[rank];
    graph_builder_rank(&jobs->builder);
    if (number != JOBS_NONE && jobs->jobs[number].program->graph) {
        const struct job *job = &jobs->jobs[number];
        const struct graph_rank *of_job = &job->program->graph->ranks[jobs->rank_of[rank]];
        for (uint32_t i = 0; i < of_job->count; i++)
            add_operation(jobs, job, &of_job->operations[i]);
        add_dependences(&jobs->builder, of_job);
        if (!jobs->about.queue)
            add_start(&jobs->builder, of_job, jobs->about.list[number].start);
    }
    graph_builder_end(&jobs->builder);
}

/* ----------------------------------------------------------------- messages */

static struct call_place place_of_operation(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct jobs *jobs = (const struct jobs *)program;
    const struct program *of_job = jobs->jobs[jobs->job_of[rank]].program;
    if (operation >= of_job->graph->ranks[jobs->rank_of[rank]].count)
        return (struct call_place){.file = program->file};
    return of_job->graph->place(of_job, jobs->rank_of[rank], operation);
}

static const char *label_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct jobs *jobs = (const struct jobs *)program;
    const struct program *of_job = jobs->jobs[jobs->job_of[rank]].program;
    if (operation >= of_job->graph->ranks[jobs->rank_of[rank]].count)
        return "the start of the job";
    return of_job->graph->label(of_job, jobs->rank_of[rank], operation);
}

/* ------------------------------------------------------------------ a graph */

void jobs_make_graph(struct jobs *jobs)
{
    bool has_graphs = false, has_calls = false;
    for (size_t i = 0; i < jobs->about.count; i++) {
        has_graphs |= jobs->jobs[i].program->graph != NULL;
        has_calls |= !jobs->jobs[i].program->graph;
    }
    if (!has_graphs)
        return;
    for (uint32_t rank = 0; rank < jobs->program.ranks; rank++)
        add_rank(jobs, rank);
    jobs->graph = graph_builder_finish(&jobs->builder);
    jobs->graph.place = place_of_operation;
    jobs->graph.label = label_of;
    jobs->graph.has_calls_too = has_calls;
    jobs->program.graph = &jobs->graph;
    jobs->program.bytes_mapped += graph_builder_bytes(&jobs->builder);
}

/* Ranks of other jobs have no operations. */
void jobs_choose_graph(struct jobs *jobs)
{
    static const struct graph_operation end = {.amount = 0};
    const uint32_t ranks = jobs->program.ranks;
    if (!jobs->program.graph)
        return;
    jobs->program.graph = &jobs->graph;
    if (jobs->about.only == PROGRAM_JOBS_ALL)
        return;
    if (!jobs->alone_ranks)
        jobs->alone_ranks = mem_alloc(ranks, sizeof *jobs->alone_ranks, "jobs");
    jobs->alone = jobs->graph;
    jobs->alone.operations = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct graph_rank *of = &jobs->alone_ranks[rank];
        *of = jobs->graph.ranks[rank];
        if (jobs->job_of[rank] != (uint32_t)jobs->about.only) {
            of->operations = &end;
            of->count = 0;
        }
        of->first = jobs->alone.operations;
        jobs->alone.operations += of->count;
    }
    jobs->alone.ranks = jobs->alone_ranks;
    jobs->program.graph = &jobs->alone;
}
