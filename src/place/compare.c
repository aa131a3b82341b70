#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "call/jobs.h"
#include "engine/params.h"
#include "fabric/topology.h"
#include "place/place.h"
#include "sim/jobs.h"

/* What the comparison works with. */
struct place_work {
    struct experiment *experiment;
    const struct place_options *options;
    struct place_comparison *comparison;
    struct topo topo;
    struct place_machine machine;
    struct place_traffic traffic;
};

static struct place_row *add_row(struct place_comparison *comparison, const char *name, const uint32_t *like)
{
    struct place_row *row = &comparison->rows[comparison->count++];
    row->name = name;
    row->node_of = mem_alloc(comparison->ranks, sizeof *row->node_of, "places of ranks");
    if (like)
        memcpy(row->node_of, like, comparison->ranks * sizeof *like);
    return row;
}

static void shuffle(uint32_t *node_of, uint32_t ranks, uint64_t seed)
{
    struct rng rng = rng_init(seed, "random place");
    for (uint32_t i = ranks; i > 1; i--) {
        const uint32_t other = (uint32_t)rng_below(&rng, i), node = node_of[i - 1];
        node_of[i - 1] = node_of[other];
        node_of[other] = node;
    }
}

/* Runs the start, which also says who sends how much to whom. */
static enum status run_start(struct place_work *work)
{
    struct place_comparison *comparison = work->comparison;
    struct experiment *experiment = work->experiment;
    const struct program *program = experiment->program;
    const struct node_config *node = config_of(experiment->config, &node_params);
    struct place_row *start = add_row(comparison, node->placement, NULL);
    struct place_collector *collector = place_collector_open();
    const struct experiment_watch watch = {.listen = place_collector_listen, .listener = collector};
    for (uint32_t rank = 0; rank < comparison->ranks; rank++)
        start->node_of[rank] = program_node(program, rank, node_config_ranks(node));
    enum status status = place_run(experiment, start->node_of, &watch, &start->time);
    if (status == STATUS_OK)
        place_collector_take(collector, comparison->ranks, &work->traffic);
    place_collector_close(collector);
    return status;
}

static enum status make_machine(struct place_work *work)
{
    const struct config *config = work->experiment->config;
    const uint32_t ranks = work->comparison->ranks;
    uint32_t each = node_config_ranks(config_of(config, &node_params));
    each = each < ranks ? each : ranks;
    if (!topology_nodes(config)) {
        diag_error(
            "helio place needs a topology, such as --topology torus:4x4: without one all nodes are at the "
            "same switch");
        return STATUS_BAD_INPUT;
    }
    enum status status = topology_for_nodes(config, topology_nodes(config), &work->topo);
    if (status != STATUS_OK)
        return status;
    if (work->topo.nodes > PLACE_MOST_NODES || (uint64_t)work->topo.nodes * each > PLACE_MOST_PLACES) {
        diag_error(
            "helio place takes topologies of at most %d nodes and %d places for ranks; this one has %" PRIu32
            " nodes of %" PRIu32,
            PLACE_MOST_NODES, PLACE_MOST_PLACES, work->topo.nodes, each);
        return STATUS_BAD_INPUT;
    }
    progress_begin("the hops between nodes", work->topo.nodes);
    place_machine_make(&work->machine, &work->topo, each);
    progress_end();
    return STATUS_OK;
}

/* The assignments that do not need the simulator. */
static void find_rows(struct place_work *work)
{
    struct place_comparison *comparison = work->comparison;
    const struct place_effort *effort = &work->options->effort;
    const uint32_t *start = comparison->rows[0].node_of;
    shuffle(add_row(comparison, "random order", start)->node_of, comparison->ranks, effort->seed);
    struct place_row *scotch = place_has_scotch ? add_row(comparison, "Scotch", start) : NULL;
    if (scotch && !place_by_scotch(&work->traffic, &work->topo, effort->seed, scotch->node_of)) {
        diag_warning("Scotch has found no assignment");
        free(comparison->rows[--comparison->count].node_of);
    }
    progress_begin("searching for places", 0);
    place_search(&work->traffic, &work->machine, effort, comparison->bound,
                 add_row(comparison, "search", start)->node_of);
    progress_end();
    for (size_t i = 0; i < comparison->count; i++)
        comparison->rows[i].cost = place_cost(&work->traffic, &work->machine, comparison->rows[i].node_of);
}

/* The other objective decides between equals. */
static bool is_better(const struct place_row *row, const struct place_row *than,
                      enum place_objective objective)
{
    if (row->cost == than->cost || row->time == than->time)
        return row->cost < than->cost || row->time < than->time;
    return objective == PLACE_TIME ? row->time < than->time : row->cost < than->cost;
}

static void find_best(struct place_comparison *comparison, enum place_objective objective)
{
    comparison->best = 0;
    for (size_t i = 1; i < comparison->count; i++)
        if (is_better(&comparison->rows[i], &comparison->rows[comparison->best], objective))
            comparison->best = i;
}

static enum status run_rows(struct place_work *work)
{
    struct place_comparison *comparison = work->comparison;
    enum status status = STATUS_OK;
    for (size_t i = 1; status == STATUS_OK && i < comparison->count; i++)
        status = place_run(work->experiment, comparison->rows[i].node_of, NULL, &comparison->rows[i].time);
    find_best(comparison, work->options->objective);
    if (status != STATUS_OK || work->options->objective != PLACE_TIME)
        return status;
    const struct place_row *best = &comparison->rows[comparison->best];
    struct place_row *row = add_row(comparison, "simulator", best->node_of);
    row->time = best->time;
    status = place_search_by_time(work->experiment, &work->machine, work->options, row->node_of, &row->time,
                                  comparison);
    row->cost = place_cost(&work->traffic, &work->machine, row->node_of);
    find_best(comparison, work->options->objective);
    return status;
}

static enum status compare(struct place_work *work)
{
    struct place_comparison *comparison = work->comparison;
    enum status status = run_start(work);
    if (status != STATUS_OK)
        return status;
    if (work->options->same_nodes)
        place_machine_keep(&work->machine, comparison->rows[0].node_of, comparison->ranks);
    comparison->bytes = work->traffic.bytes;
    comparison->bound = place_bound(&work->traffic, &work->machine);
    find_rows(work);
    return run_rows(work);
}

static enum status check(const struct experiment *experiment)
{
    if (experiment->fabric_count > 1)
        diag_error("helio place takes one fabric");
    else if (experiment->program->openloop)
        diag_error("traffic without ranks has nothing to place");
    else if (!experiment->engines[0]->has_nodes)
        diag_error("fabric %s has its ranks in order, each on a host of its own: there is nothing to place",
                   experiment->fabrics[0]->name);
    else
        return jobs_refuse_queue(experiment->program, "helio place");
    return STATUS_BAD_INPUT;
}

enum status place_compare(struct experiment *experiment, const struct place_options *options,
                          struct place_comparison *comparison)
{
    struct place_work work = {.experiment = experiment, .options = options, .comparison = comparison};
    *comparison = (struct place_comparison){.count = 0};
    enum status status = check(experiment);
    if (status != STATUS_OK)
        return status;
    comparison->ranks = experiment->program->ranks;
    comparison->nodes = topology_nodes(experiment->config);
    if (experiment->program->jobs)
        experiment->program->jobs->alone = false; /* nobody looks at their times alone */
    status = make_machine(&work);
    if (status == STATUS_OK)
        status = compare(&work);
    place_traffic_free(&work.traffic);
    place_machine_free(&work.machine);
    return status;
}

void place_comparison_free(struct place_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        free(comparison->rows[i].node_of);
    *comparison = (struct place_comparison){.count = 0};
}

void place_write(const struct place_row *row, uint32_t ranks, const char *program, FILE *out)
{
    fprintf(out, "# %s, placed by: %s\n# rank node\n", program, row->name);
    for (uint32_t rank = 0; rank < ranks; rank++)
        fprintf(out, "%" PRIu32 " %" PRIu32 "\n", rank, row->node_of[rank]);
}
